"""The smallest actions that put one card on the table (used by R-6.7, R-6.11, R-8.1).

More cards never help where fewer would do, since cards kept can be discarded or laid off later: so a new
meld is searched with three cards, a lay-off with the bridging cards that it needs and no others. Unknown
cards are left out of account: what they would allow cannot be known.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, islice, product
from typing import Final, get_args

import msgspec

from events.cards import RANK, RANKS, SUIT, SUITS, UNKNOWN, Card, Placed, face_of, is_joker
from events.rummy500.events import End
from events.rummy500.glance import promising
from events.rummy500.melds import (
    ACE_HIGH,
    ACE_LOW,
    GROUP_CEILING,
    SMALLEST,
    group_rank,
    natural_suits,
    place_is_open,
    put_on,
    rank_at,
    suit_of,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld

Cards = tuple[Card, ...]

_ENDS: Final[tuple[End, ...]] = get_args(End)


class Play(msgspec.Struct, frozen=True, gc=False):
    """One action: the cards used, the meld that it extends (None for a new one), what comes of it."""

    used: Cards
    old: Meld | None
    new: Meld


def plays_with(
    card: Card,
    hand: Sequence[Card],
    table: Iterable[Meld],
    ruleset: Ruleset,
    *,
    all_bridges: bool = True,
) -> Iterator[Play]:
    """Yield the smallest actions that put *card*, one of *hand*, on the table."""
    for meld in table:
        yield from lay_offs_with(card, hand, meld, ruleset, all_bridges=all_bridges)
    yield from new_melds_with(card, hand, ruleset)


def new_melds_with(card: Card, hand: Sequence[Card], ruleset: Ruleset) -> Iterator[Play]:
    """Yield the new melds of three cards that *card* makes with others of the hand."""
    others = _others(card, hand)
    jokers = [other for other in others if is_joker(other)]
    yield from _groups_with(card, others, jokers, ruleset)
    yield from _sequences_with(card, others, jokers, ruleset)


def lay_offs_with(
    card: Card,
    hand: Sequence[Card],
    meld: Meld,
    ruleset: Ruleset,
    *,
    all_bridges: bool = True,
) -> Iterator[Play]:
    """Yield the shortest lay-offs that bring *card* onto one meld, bridging cards included (R-5.8).

    Which of two equal cards or of card and joker is the bridge matters only for what may be discarded
    afterwards; without *all_bridges* one way stands for all.
    """
    if meld.kind == "group":
        if _joins_group(card, meld):
            yield Play((card,), meld, put_on(meld, Laid(card, 0), None))
        return
    suit = suit_of(meld)
    if suit is None or (not is_joker(card) and SUIT[card] != suit):
        return
    others = _others(card, hand)
    for end in _ENDS:
        faces = _way_to(card, meld, suit, end, others, ruleset)
        ways = _bridges(faces[:-1], others) if faces else iter(())
        for used in ways if all_bridges else islice(ways, 1):
            yield Play((card, *used), meld, _grown(meld, (*used, card), faces, end))


def _others(card: Card, hand: Sequence[Card]) -> list[Card]:
    """Return the other known cards, each text once: no meld takes two cards that are written alike."""
    others = dict.fromkeys(hand)
    others.pop(UNKNOWN, None)
    if hand.count(card) == 1:
        del others[card]
    return list(others)


def _groups_with(
    card: Card, others: list[Card], jokers: list[Card], ruleset: Ruleset
) -> Iterator[Play]:
    for rank in RANKS if is_joker(card) else card[0]:
        naturals = [other for other in others if other[0] == rank]
        if len(naturals) + len(jokers) < SMALLEST - 1:
            continue
        for pair in combinations((*naturals, *jokers), SMALLEST - 1):
            members = (card, *pair)
            suits = [member[1] for member in members if not is_joker(member)]
            if len(suits) >= ruleset.min_naturals and len(set(suits)) == len(suits):
                # A group of nothing but jokers says which rank it is (D-R07).
                laid = tuple(
                    Laid(member if suits else _as(member, rank + SUITS[0]), 0) for member in members
                )
                yield Play(members, None, Meld(0, "group", 0, laid))


def _sequences_with(
    card: Card, others: list[Card], jokers: list[Card], ruleset: Ruleset
) -> Iterator[Play]:
    by_face: dict[str, list[Card]] = {}
    suits = SUITS if is_joker(card) else card[1]
    for other in others:
        if other[1] in suits:
            by_face.setdefault(other[:2], []).append(other)
    if len(by_face) + len(jokers) < SMALLEST - 1:
        return
    for suit, place in _places_of(card, by_face):
        first = max(ACE_LOW, place - SMALLEST + 1)
        for low in range(first, min(place, ACE_HIGH - SMALLEST + 1) + 1):
            faces = _window(suit, low)
            own = faces[place - low]
            if sum(face != own and face not in by_face for face in faces) > len(jokers):
                continue
            choices = [
                [card] if face == own else [*by_face.get(face, ()), *jokers] for face in faces
            ]
            yield from _filled(choices, faces, low, ruleset)


@cache
def _window(suit: str, low: int) -> tuple[str, ...]:
    """Return the faces of the shortest sequence that begins at a place."""
    return tuple(face_of(rank_at(place), suit) for place in range(low, low + SMALLEST))


def _places_of(card: Card, by_face: dict[str, list[Card]]) -> Iterator[tuple[str, int]]:
    """Yield the suit and place that a card can have in a sequence: a joker any, an ace two."""
    if is_joker(card):
        for suit in sorted({face[1] for face in by_face}):
            for place in range(ACE_LOW, ACE_HIGH + 1):
                yield suit, place
        return
    yield SUIT[card], RANK[card]
    if RANK[card] == ACE_LOW:
        yield SUIT[card], ACE_HIGH


def _filled(
    choices: list[list[Card]], faces: Sequence[str], low: int, ruleset: Ruleset
) -> Iterator[Play]:
    for cards in product(*choices):
        naturals = sum(not is_joker(card) for card in cards)
        if naturals >= ruleset.min_naturals and len(set(cards)) == len(cards):
            laid = tuple(Laid(_as(card, face), 0) for card, face in zip(cards, faces, strict=True))
            yield Play(cards, None, Meld(0, "sequence", 0, laid, low))


def _as(card: Card, face: str) -> Placed:
    return f"{card}={face}" if is_joker(card) else card


def _joins_group(card: Card, meld: Meld) -> bool:
    if len(meld.cards) >= GROUP_CEILING:
        return False
    if is_joker(card):
        return True
    rank = group_rank(meld)
    return (rank is None or card[0] == rank) and SUIT[card] not in natural_suits(meld)


def _way_to(
    card: Card, meld: Meld, suit: str, end: End, others: list[Card], ruleset: Ruleset
) -> list[str]:
    """Return the faces that lead from an end of a sequence to where a card fits, its own last; else none.

    There is no way either where the others, jokers among them, cannot fill the places before it.
    """
    grown, faces = meld, []
    naturals = {other[:2] for other in others}
    jokers = sum(map(is_joker, others))
    while True:
        place = grown.low - 1 if end == "low" else grown.high + 1
        if not place_is_open(grown, place, ruleset):
            return []
        face = face_of(rank_at(place), suit)
        faces.append(face)
        if is_joker(card) or card[:2] == face:
            return faces
        jokers -= face not in naturals
        if jokers < 0:
            return []
        grown = put_on(grown, Laid(face, 0), end)


def _bridges(faces: Sequence[str], others: list[Card]) -> Iterator[Cards]:
    """Yield every choice of cards for these faces, natural cards before jokers."""
    if not faces:
        yield ()
        return
    naturals = [other for other in others if other[:2] in faces]
    jokers = [other for other in others if is_joker(other)]
    if len({natural[:2] for natural in naturals}) + len(jokers) < len(faces):
        return
    for bridge in (*(card for card in naturals if card[:2] == faces[0]), *jokers):
        rest = [other for other in (*naturals, *jokers) if other != bridge]
        for more in _bridges(faces[1:], rest):
            yield (bridge, *more)


def _grown(meld: Meld, cards: Cards, faces: Sequence[str], end: End) -> Meld:
    for card, face in zip(cards, faces, strict=True):
        meld = put_on(meld, Laid(_as(card, face), 0), end)
    return meld


def can_be_laid_off(card: Card, table: Iterable[Meld], ruleset: Ruleset) -> bool:
    """Tell whether a card can be laid off by itself on some meld (D-R20)."""
    if card == UNKNOWN:
        return False
    return any(True for meld in table for _ in lay_offs_with(card, (card,), meld, ruleset))


def callable_cards(pile: Cards, table: Sequence[Meld], ruleset: Ruleset) -> tuple[Card, ...]:
    """Return the cards of the pile that could be called in an open window, top first (R-8.1, V-4a)."""
    indexes = () if ruleset.rummy == "none" else promising(pile, table)
    return tuple(pile[index] for index in indexes if is_callable(index, pile, table, ruleset))


def is_callable(index: int, pile: Cards, table: Sequence[Meld], ruleset: Ruleset) -> bool:
    """Tell whether the pile's card at *index* can go on the table with only what lies above it."""
    card = pile[index]
    if card == UNKNOWN or ruleset.rummy == "none":
        return False
    if ruleset.rummy == "latest_layoff":
        return index == len(pile) - 1 and can_be_laid_off(card, table, ruleset)
    plays = plays_with(card, pile[index:], table, ruleset, all_bridges=False)
    return any(True for _ in plays)
