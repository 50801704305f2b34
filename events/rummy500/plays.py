"""Every way to put cards of a hand down, by shape alone: no turns, no duties, nothing is cleared here.

Each way is spelled out once, lazily, in normal form: of cards that are alike (alike.py) the first ones are
taken, and those that stand for others in one order (standins.py). How many ways there can be is stated in docs/decisions.
"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Final

from events.cards import RANKS, SUIT, SUITS, Card, Placed, face_of, physical
from events.errors import TooManyActs
from events.rummy500.alike import Cards, Hand, Likeness, hand_of
from events.rummy500.events import End, LaidOff, MeldLaid, Placement
from events.rummy500.lying import lies_on
from events.rummy500.melds import (
    ACE_HIGH,
    ACE_LOW,
    GROUP_CEILING,
    SMALLEST,
    fit_fault,
    place_is_open,
    put_on,
    rank_at,
    suit_of,
)
from events.rummy500.normal import in_group_order
from events.rummy500.ruleset import Ruleset
from events.rummy500.standins import OPEN, StandIns
from events.rummy500.state import Laid, Meld, State

MOST_PLAYS: Final = 500_000
"""Where `plays` gives up with an error; the largest hand that was found at the seed's rules has a tenth."""

# The cards of a hand that are left, and how many of them can still be shared out to open places.
Left = tuple[Cards, int]
Outward = tuple[tuple[Placed, ...], Meld, Left]


def plays(
    state: State, seat: int, must: Card | None = None, first: Card | None = None
) -> Iterator[MeldLaid | LaidOff]:
    """Yield the melds and lay-offs that a hand's cards make; where *must* is given, those that use it.

    Of cards that are alike *first* is taken first. Raises TooManyActs after MOST_PLAYS.
    """
    hand = hand_of(state, seat, first)
    for count, play in enumerate(_plays(state, seat, hand, must)):
        if count == MOST_PLAYS:
            raise TooManyActs(seat, MOST_PLAYS)
        if must is None or must in _used(play):
            yield play


def chains(meld: Meld, hand: Hand, ruleset: Ruleset) -> Iterator[tuple[Placement, ...]]:
    """Yield the lay-offs on one meld: on a group one card, on a sequence low ones and then high ones."""
    if meld.kind == "group":
        for card in _each(hand.cards, hand):
            if fit_fault(meld, card, None, ruleset, hand.wilds) is None:
                yield (Placement(lies_on(meld, card, hand.wilds), meld.meld, None),)
        return
    suit = suit_of(meld)
    if suit is None:
        return
    useful, stand_ins = _of_suit(hand, suit), StandIns(hand)
    left = useful, _spare(useful, hand)
    for low, grown, rest in _outward(meld, left, "low", hand, ruleset):
        for high, _, (last, _) in _outward(grown, rest, "high", hand, ruleset):
            for cards in stand_ins.filled((*low, *high), last) if low or high else ():
                yield _placements(cards, meld.meld, len(low))


def _placements(cards: tuple[Placed, ...], meld: int, low: int) -> tuple[Placement, ...]:
    """Return cards laid off on a sequence, so many of them at its low end."""
    return tuple(
        [Placement(card, meld, "low" if at < low else "high") for at, card in enumerate(cards)]
    )


def _plays(state: State, seat: int, hand: Hand, must: Card | None) -> Iterator[MeldLaid | LaidOff]:
    meld_id, ruleset = state.next_meld, state.ruleset
    for cards in _groups(hand, ruleset):
        yield MeldLaid(seat=seat, meld=meld_id, kind="group", cards=cards)
    for suit in SUITS if must is None or must[0] in hand.wilds else SUIT[must]:
        for cards in _sequences(hand, suit, ruleset):
            yield MeldLaid(seat=seat, meld=meld_id, kind="sequence", cards=cards)
    for meld in state.table:
        for chain in chains(meld, hand, ruleset):
            yield LaidOff(seat=seat, cards=chain)


def _used(play: MeldLaid | LaidOff) -> Iterator[Card]:
    if isinstance(play, MeldLaid):
        return map(physical, play.cards)
    return (physical(placement.card) for placement in play.cards)


def _groups(hand: Hand, ruleset: Ruleset) -> Iterator[tuple[Placed, ...]]:
    for rank in RANKS:
        wilds = tuple(card for card in hand.cards if card[0] in hand.wilds and card[0] != rank)
        suits = [_each(_of_face(hand.cards, rank + suit), hand) for suit in SUITS]
        for naturals in _one_a_suit([cards for cards in suits if cards]):
            if len(naturals) >= ruleset.min_naturals:
                for wild in _jokers_with(len(naturals), wilds, hand):
                    yield _group(rank, naturals, wild)
        if ruleset.min_naturals == 0:
            for wild in _jokers_with(0, wilds, hand):
                yield _group(rank, (), wild)


def _group(rank: str, naturals: Cards, wild: Cards) -> tuple[Placed, ...]:
    return in_group_order((*naturals, *(f"{card}={rank}{SUITS[0]}" for card in wild)))


def _one_a_suit(suits: list[Cards]) -> Iterator[Cards]:
    """Yield every choice of one card from some of the suits."""
    for count in range(1, len(suits) + 1):
        for chosen in combinations(suits, count):
            yield from product(*chosen)


def _jokers_with(naturals: int, jokers: Cards, hand: Hand) -> Iterator[Cards]:
    """Yield the jokers that make a group with so many natural cards, alike ones once."""
    seen = set()
    for count in range(max(0, SMALLEST - naturals), GROUP_CEILING - naturals + 1):
        for chosen in combinations(jokers, count):
            kinds = tuple(hand.likeness[joker] for joker in chosen)
            if kinds not in seen:
                seen.add(kinds)
                yield chosen


def _sequences(hand: Hand, suit: str, ruleset: Ruleset) -> Iterator[tuple[Placed, ...]]:
    useful = _of_suit(hand, suit)
    if len(useful) < SMALLEST:
        return
    stand_ins, spare = StandIns(hand), _spare(useful, hand)
    for low in range(ACE_LOW, ACE_HIGH - SMALLEST + 2):
        top = ACE_HIGH if low > ACE_LOW or ruleset.run_two_aces else ACE_HIGH - 1
        for shape, left in _growing((), (useful, spare), (low, top), suit, hand):
            if sum(one[0] != OPEN for one in shape) >= ruleset.min_naturals:
                yield from stand_ins.filled(shape, left)


def _spare(cards: Cards, hand: Hand) -> int:
    """Return how many cards there are that can stand for others."""
    return sum(card[0] in hand.wilds for card in cards)


def _growing(
    laid: tuple[Placed, ...], left: Left, places: tuple[int, int], suit: str, hand: Hand
) -> Iterator[tuple[tuple[Placed, ...], Cards]]:
    """Yield the shapes of sequences that continue *laid* from a place up to the last, and what is left for each."""
    if len(laid) >= SMALLEST:
        yield laid, left[0]
    place, top = places
    if place > top:
        return
    for placed, rest in _fillings(face_of(rank_at(place), suit), left, hand):
        yield from _growing((*laid, placed), rest, (place + 1, top), suit, hand)


def _outward(meld: Meld, left: Left, end: End, hand: Hand, ruleset: Ruleset) -> Iterator[Outward]:
    """Yield nothing laid, then one card at this end, then two, each with the meld and cards after it."""
    yield (), meld, left
    place = meld.low - 1 if end == "low" else meld.high + 1
    if not place_is_open(meld, place, ruleset):
        return
    face = face_of(rank_at(place), suit_of(meld) or SUITS[0])
    grown = put_on(meld, Laid(face, 0), end)
    for placed, rest in _fillings(face, left, hand):
        for more, last, still in _outward(grown, rest, end, hand, ruleset):
            yield (placed, *more), last, still


def _fillings(face: str, left: Left, hand: Hand) -> Iterator[tuple[Placed, Left]]:
    """Yield each card that is this face, alike ones once, then a place left open for one that stands for it."""
    cards, spare = left
    tried = set()
    for index, card in enumerate(cards):
        kind = hand.likeness[card]
        if card[:2] != face or kind in tried:
            continue
        tried.add(kind)
        # A wild card that lies as itself stands for no other any more.
        still = spare - (card[0] in hand.wilds)
        if still >= 0:
            yield card, (cards[:index] + cards[index + 1 :], still)
    if spare:
        yield OPEN + face, (cards, spare - 1)


def _each(cards: Cards, hand: Hand) -> Cards:
    """Return the first card of each kind."""
    firsts: dict[Likeness, Card] = {}
    for card in cards:
        firsts.setdefault(hand.likeness[card], card)
    return tuple(firsts.values())


def _of_face(cards: Cards, face: str) -> Cards:
    return tuple(card for card in cards if card[:2] == face)


def _of_suit(hand: Hand, suit: str) -> Cards:
    """Return the cards of a suit and those that can stand for one."""
    return tuple(card for card in hand.cards if card[0] in hand.wilds or card[1] == suit)
