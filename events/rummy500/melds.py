"""What is a meld and what fits on one (R-3, R-4, R-5); shapes only, no turns and no duties.

Places in a sequence count from 1 (ace low) to 14 (ace high); a sequence around the corner runs on in both
directions. A card that cannot be judged because nothing was declared is a fault, never a guess. *wilds* are
the first letters of the cards that can stand for others (`State.wilds`); a wild card that lies bare is itself.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from events.cards import (
    BARE,
    JOKERS_ONLY,
    RANK,
    RANKS,
    SUIT,
    Card,
    Placed,
    face_of,
    physical,
    stands_for,
)
from events.game import Violation
from events.rummy500.events import End, Kind
from events.rummy500.lying import face_placed, group_rank, is_natural, lie_together, lies_on
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld

ACE_LOW: Final = 1
ACE_HIGH: Final = 14
LONGEST: Final = 13
SMALLEST: Final = 3
GROUP_CEILING: Final = 4
_ENDS: Final[dict[tuple[bool, bool], tuple[End, ...]]] = {
    (False, False): (),
    (True, False): ("low",),
    (False, True): ("high",),
    (True, True): ("low", "high"),
}
_IN_ORDER: Final = RANKS + RANKS[0]

# A card as it lies on a meld and the end where it goes, None on a group; or why it does not.
Fit: TypeAlias = tuple[Placed, End | None] | Violation


def rank_at(place: int) -> int:
    """Return the rank (1 to 13) that belongs at a place of a sequence."""
    return (place - 1) % 13 + 1


def meld_fault(
    kind: Kind, cards: Sequence[Placed], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> Violation | None:
    """Return why these cards are no new meld of that kind (R-3.1 to R-3.5, R-4.2 to R-4.7)."""
    if _is_plainly_one(kind, cards, ruleset.min_naturals):
        return None
    if len(cards) < SMALLEST:
        return _fault("MELD_SIZE", "R-3.1", f">= {SMALLEST} cards", len(cards))
    code = "GROUP_RANK" if kind == "group" else "RUN_NOT_CONSECUTIVE"
    strange = _misdeclared(cards, code, wilds)
    if strange is not None:
        return strange
    cards = lie_together(kind, cards, wilds)
    naturals = [card for card in cards if is_natural(card)]
    if kind == "group":
        return _group_fault(cards, naturals, ruleset)
    return _sequence_fault(cards, naturals, ruleset)


def _is_plainly_one(kind: Kind, cards: Sequence[Placed], least: int) -> bool:
    """Tell at a glance whether cards that lie as themselves and jokers make a meld; a no says nothing."""
    naturals = [card for card in cards if len(card) <= BARE and card[0] != "X"]
    jokers = [card for card in cards if card[0] == "X"]
    if len(naturals) + len(jokers) < len(cards) or len(naturals) < max(least, 1):
        return False
    if not SMALLEST <= len(cards) <= (GROUP_CEILING if kind == "group" else LONGEST - 1):
        return False
    if kind == "group":
        ranks = {card[0] for card in naturals} | {card[-2] for card in jokers if len(card) > BARE}
        return len(ranks) == 1 and len({card[1] for card in naturals}) == len(naturals)
    faces = [card[-2:] if len(card) > BARE else card for card in cards] if jokers else cards
    in_order = "".join([face[0] for face in faces]) in _IN_ORDER
    return in_order and len({face[1] for face in faces}) == 1


def _misdeclared(cards: Sequence[Placed], code: str, wilds: str) -> Violation | None:
    """Return why a natural card is written as another card: only jokers stand for one (R-4.1)."""
    for placed in cards:
        if len(placed) <= BARE:
            continue
        card, face = physical(placed), stands_for(placed)
        if face is not None and card[0] not in wilds and face != card[:2]:
            return _fault(code, "R-4.1", card[:2], face)
    return None


def _group_fault(
    cards: Sequence[Placed], naturals: list[Card], ruleset: Ruleset
) -> Violation | None:
    if len(cards) > GROUP_CEILING:
        return _fault("MELD_SIZE", "R-4.5", f"<= {GROUP_CEILING} cards", len(cards))
    if len(naturals) < ruleset.min_naturals:
        return _fault(
            "MELD_NEEDS_NATURAL", "R-4.7", f">= {ruleset.min_naturals} naturals", len(naturals)
        )
    ranks = {face[0]: face for face in map(face_placed, cards) if face is not None}
    if len(ranks) > 1:
        return _fault("GROUP_RANK", "R-3.2", "one rank", " ".join(ranks))
    if not ranks:
        return _fault("JOKER_UNDECLARED", "R-4.2", f"{cards[0]}=<card>", cards[0])
    suits = [SUIT[card] for card in naturals]
    if len(set(suits)) < len(suits):
        return _fault("GROUP_SUIT_REPEAT", "R-3.3", "different suits", " ".join(suits))
    return None


def _sequence_fault(
    cards: Sequence[Placed], naturals: list[Card], ruleset: Ruleset
) -> Violation | None:
    if len(naturals) < ruleset.min_naturals:
        return _fault(
            "MELD_NEEDS_NATURAL", "R-4.7", f">= {ruleset.min_naturals} naturals", len(naturals)
        )
    faces = [face_placed(placed) for placed in cards]
    for placed, face in zip(cards, faces, strict=True):
        if face is None:
            return _fault("JOKER_UNDECLARED", "R-4.2", f"{placed}=<card>", placed)
    suits = {face[1] for face in faces if face}
    if len(suits) > 1:
        return _fault("RUN_SUIT", "R-3.4", "one suit", " ".join(sorted(suits)))
    low = sequence_low(cards)
    top = ACE_HIGH if low > ACE_LOW or ruleset.run_two_aces else LONGEST
    for place, face in enumerate(faces, low):
        if face is not None and (place > top or RANK[face] != rank_at(place)):
            expected = "no card" if place > top else face_of(rank_at(place), face[1])
            rule = "R-3.5" if place > top else "R-3.4"
            return _fault("RUN_NOT_CONSECUTIVE", rule, expected, face)
    return None


def sequence_low(cards: Sequence[Placed]) -> int:
    """Return the place of a sequence's first card, going by the first card that shows its face."""
    for index, placed in enumerate(cards):
        face = face_placed(placed)
        if face is not None:
            return RANK[face] - index
    return ACE_LOW


def fit_fault(
    meld: Meld, placed: Placed, end: End | None, ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> Violation | None:
    """Return why a card does not go on this meld at that end (R-5.2, R-5.3, R-4.8)."""
    found = fit(meld, placed, end, ruleset, wilds)
    return found if isinstance(found, Violation) else None


def fit(meld: Meld, placed: Placed, end: End | None, ruleset: Ruleset, wilds: str) -> Fit:
    """Return how a card lies on this meld and at which end of it, or why it does not go there."""
    if len(placed) > BARE:
        code = "GROUP_RANK" if meld.kind == "group" else "RUN_END"
        strange = _misdeclared((placed,), code, wilds)
        if strange is not None:
            return strange
    placed = lies_on(meld, placed, wilds)
    if meld.kind == "group":
        return _group_fit_fault(meld, placed) or (placed, None)
    face = face_placed(placed)
    if face is None:
        return _fault("JOKER_UNDECLARED", "R-4.2", f"{placed}=<card>", placed)
    suit = suit_of(meld)
    if suit is not None and face[1] != suit:
        return _fault("RUN_SUIT", "R-3.4", suit, face)
    ends = open_ends(meld, RANK[face], ruleset)
    if end is None and len(ends) > 1:
        return _fault("END_UNDECLARED", "R-5.3", "low or high", placed)
    if not ends or (end is not None and end not in ends):
        return _fault("RUN_END", "R-5.3", _next_cards(meld, ruleset), face)
    return placed, end or ends[0]


def _group_fit_fault(meld: Meld, placed: Placed) -> Violation | None:
    face, rank = face_placed(placed), group_rank(meld)
    if rank is not None and face is not None and face[0] != rank:
        return _fault("GROUP_RANK", "R-3.2", rank, face)
    if len(meld.cards) >= GROUP_CEILING:
        return _fault("GROUP_FULL", "R-4.5", f"<= {GROUP_CEILING} cards", len(meld.cards) + 1)
    if is_natural(placed) and SUIT[placed] in natural_suits(meld):
        return _fault("GROUP_SUIT_REPEAT", "R-3.3", "a new suit", placed)
    return None


def open_ends(meld: Meld, rank: int, ruleset: Ruleset) -> tuple[End, ...]:
    """Return the ends of a sequence at which this rank of its suit is next."""
    below, above = meld.low - 1, meld.low + len(meld.cards)
    low = (below - rank) % LONGEST == 0 and place_is_open(meld, below, ruleset)
    high = (above - rank) % LONGEST == 0 and place_is_open(meld, above, ruleset)
    return _ENDS[low, high]


def place_is_open(meld: Meld, place: int, ruleset: Ruleset) -> bool:
    """Tell whether a sequence may grow to this place next to one of its ends (R-3.5, 12.11)."""
    if ruleset.runs == "around_corner":
        return len(meld.cards) < LONGEST
    if place == ACE_HIGH:
        return meld.low > ACE_LOW or ruleset.run_two_aces
    if place == ACE_LOW:
        return meld.high < ACE_HIGH or ruleset.run_two_aces
    return ACE_LOW < place < ACE_HIGH


def chosen_end(meld: Meld, placed: Placed, end: End | None, ruleset: Ruleset) -> End | None:
    """Return the end at which a card goes: the stated one, else the only one that fits, None on a group."""
    if meld.kind == "group":
        return None
    face = face_placed(placed)
    if end is not None or face is None:
        return end
    ends = open_ends(meld, RANK[face], ruleset)
    return ends[0] if len(ends) == 1 else None


def put_on(meld: Meld, laid: Laid, end: End | None) -> Meld:
    """Return the meld with a card that fits added at that end."""
    if end == "low":
        return msgspec.structs.replace(meld, cards=(laid, *meld.cards), low=meld.low - 1)
    return msgspec.structs.replace(meld, cards=(*meld.cards, laid))


def put_beside(meld: Meld, laid: Laid) -> Meld:
    """Return the meld with a card beside it that does not belong there."""
    return msgspec.structs.replace(meld, beside=(*meld.beside, laid))


def natural_suits(meld: Meld) -> frozenset[str]:
    """Return the suits of the natural cards of a meld."""
    cards = [laid.card for laid in meld.cards]
    return frozenset([card[1] for card in cards if len(card) <= BARE and card[0] != "X"])


def suit_of(meld: Meld) -> str | None:
    """Return the suit of a sequence, None for one that shows no face."""
    for laid in meld.cards:
        face = face_placed(laid.card)
        if face is not None:
            return face[1]
    return None


def _next_cards(meld: Meld, ruleset: Ruleset) -> str:
    suit = suit_of(meld) or "?"
    places = (meld.low - 1, meld.high + 1)
    fitting = [face_of(rank_at(p), suit) for p in places if place_is_open(meld, p, ruleset)]
    return " or ".join(fitting) or "no card"


def _fault(code: str, rule: str, expected: str | int, actual: str | int) -> Violation:
    return Violation(code, rule, None, {"expected": expected, "actual": actual})
