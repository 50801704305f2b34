"""Every legal act of a seat: candidates are spelled out, and `judge` alone says which of them stand.

Acts are written in normal form: the next meld id, a sequence low to high, a group in the order S H D C and
then jokers, a lay-off outward from the meld with the low end first.
"""

from collections.abc import Iterator
from itertools import combinations, product

from events.cards import RANKS, SUITS, UNKNOWN, Card, Placed, face_of, is_joker
from events.rummy500.calling import settle_claims
from events.rummy500.calls import open_calls
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    End,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.melds import (
    ACE_HIGH,
    GROUP_CEILING,
    SMALLEST,
    fit_fault,
    place_is_open,
    put_on,
    rank_at,
    suit_of,
)
from events.rummy500.normal import in_group_order
from events.rummy500.referee import judge
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld, State
from events.rummy500.swaps import swaps


def legal(state: State, seat: int) -> Iterator[RummyEvent]:
    """Yield every act that this seat may do now, in normal form; `??` where the stock decides."""
    return (act for act in _candidates(state, seat) if not judge(state, act))


def _candidates(state: State, seat: int) -> Iterator[RummyEvent]:
    if state.claims:
        yield from _candidates(settle_claims(state), seat)
    if state.phase in ("draw", "window"):
        yield from _draws(state, seat)
    if state.phase == "window" and seat != state.discarder:
        yield from _calls(state, seat)
        if state.challenge is not None and state.pile:
            yield DiscardChallenged(seat=seat, card=state.pile[-1], accepted=True, code=None)
    if state.phase == "play" and seat == state.turn:
        hand = tuple(sorted(set(state.hands[seat]) - {UNKNOWN}))
        yield from (Discarded(seat=seat, card=card) for card in hand)
        yield from _melds(state, seat)
        yield from _lay_offs(state, seat)
        if state.ruleset.joker_swap:
            for meld, joker, card in swaps(state.hands[seat], state.table):
                yield JokerSwapped(seat=seat, meld=meld.meld, joker=joker, card=card)
    if state.phase == "play" and seat != state.turn:
        yield from _calls(state, seat)


def _draws(state: State, seat: int) -> Iterator[RummyEvent]:
    yield StockDrawn(seat=seat, card=UNKNOWN)
    for depth in range(len(state.pile) - 1, -1, -1):
        yield PileTaken(seat=seat, cards=state.pile[depth:])
    yield DrawDeclined(seat=seat)
    new_stock = renewal(state, seat)
    if new_stock is not None:
        yield new_stock


def _calls(state: State, seat: int) -> Iterator[RummyEvent]:
    pile = state.pile
    for card in open_calls(state):
        if state.ruleset.rummy == "latest_layoff":
            for lay in _single_lay_offs(state, card):
                yield RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=(), lay=lay)
            continue
        for index in (i for i, lying in enumerate(pile) if lying == card):
            yield RummyCalled(
                seat=seat, card=card, accepted=True, code=None, cards=pile[index:], lay=None
            )


def _single_lay_offs(state: State, card: Card) -> Iterator[Placement]:
    for meld in state.table:
        for chain in _chains(state, meld, (card,)):
            if len(chain) == 1:
                yield chain[0]


def _melds(state: State, seat: int) -> Iterator[RummyEvent]:
    hand = tuple(card for card in state.hands[seat] if card != UNKNOWN)
    meld_id = state.next_meld
    for cards in sorted(set(_groups(hand, state.ruleset))):
        yield MeldLaid(seat=seat, meld=meld_id, kind="group", cards=cards)
    for sequence in sorted(set(_sequences(hand))):
        yield MeldLaid(seat=seat, meld=meld_id, kind="sequence", cards=sequence)


def _groups(hand: tuple[Card, ...], ruleset: Ruleset) -> Iterator[tuple[Placed, ...]]:
    jokers = tuple(card for card in hand if is_joker(card))
    ranks = {card[0] for card in hand if not is_joker(card)}
    for rank in sorted(ranks):
        members = (*(card for card in hand if card[0] == rank), *jokers)
        for size in range(SMALLEST, GROUP_CEILING + 1):
            yield from map(in_group_order, combinations(members, size))
    for size in range(SMALLEST, GROUP_CEILING + 1) if ruleset.min_naturals == 0 else ():
        for cards, rank in product(combinations(jokers, size), RANKS):
            yield in_group_order([f"{card}={rank}{SUITS[0]}" for card in cards])


def _sequences(hand: tuple[Card, ...]) -> Iterator[tuple[Placed, ...]]:
    jokers = any(is_joker(card) for card in hand)
    for suit in SUITS:
        if not jokers and sum(card[1] == suit for card in hand) < SMALLEST:
            continue
        for low in range(1, ACE_HIGH - SMALLEST + 2):
            yield from _growing((), hand, low, suit)


def _growing(
    laid: tuple[Placed, ...], hand: tuple[Card, ...], place: int, suit: str
) -> Iterator[tuple[Placed, ...]]:
    """Yield the sequences that continue *laid* with cards of the hand, place by place."""
    if len(laid) >= SMALLEST:
        yield laid
    if place > ACE_HIGH:
        return
    face = face_of(rank_at(place), suit)
    for placed, rest in _fillings(face, hand):
        yield from _growing((*laid, placed), rest, place + 1, suit)


def _fillings(face: str, hand: tuple[Card, ...]) -> Iterator[tuple[Placed, tuple[Card, ...]]]:
    """Yield each card that can take a face, once, with the hand that remains."""
    tried: set[Card] = set()
    for index, card in enumerate(hand):
        if card in tried or not (is_joker(card) or card[:2] == face):
            continue
        tried.add(card)
        yield (f"{card}={face}" if is_joker(card) else card), hand[:index] + hand[index + 1 :]


def _lay_offs(state: State, seat: int) -> Iterator[RummyEvent]:
    hand = tuple(card for card in state.hands[seat] if card != UNKNOWN)
    for meld in state.table:
        for chain in _chains(state, meld, hand):
            yield LaidOff(seat=seat, cards=chain)


def _chains(state: State, meld: Meld, hand: tuple[Card, ...]) -> Iterator[tuple[Placement, ...]]:
    """Yield the lay-offs on one meld: on a group one card, on a sequence low ones and then high ones."""
    if meld.kind == "group":
        for card in sorted(set(hand)):
            if fit_fault(meld, card, None, state.ruleset) is None:
                yield (Placement(card, meld.meld, None),)
        return
    if suit_of(meld) is None:
        return
    for low, grown, rest in _outward(state, meld, hand, "low"):
        for high, _, _ in _outward(state, grown, rest, "high"):
            if low or high:
                yield (*low, *high)


def _outward(
    state: State, meld: Meld, hand: tuple[Card, ...], end: End
) -> Iterator[tuple[tuple[Placement, ...], Meld, tuple[Card, ...]]]:
    """Yield nothing laid, then one card at this end, then two, each with the meld and hand after it."""
    yield (), meld, hand
    place = meld.low - 1 if end == "low" else meld.high + 1
    if not place_is_open(meld, place, state.ruleset):
        return
    face = face_of(rank_at(place), suit_of(meld) or "S")
    for placed, rest in _fillings(face, hand):
        grown = put_on(meld, Laid(placed, 0), end)
        for more, last, left in _outward(state, grown, rest, end):
            yield (Placement(placed, meld.meld, end), *more), last, left
