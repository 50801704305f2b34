"""Every legal act of a seat: candidates are spelled out, and `judge` alone says which of them stand.

Acts are written in normal form: the next meld id, a sequence low to high, a group in the order S H D C and
then jokers, a lay-off outward from the meld with the low end first; of cards that are alike (alike.py) the
first ones. An act in normal form is listed exactly when `judge` has nothing against it.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from events.cards import UNKNOWN, Card
from events.game import Violation
from events.rummy500.alike import Hand
from events.rummy500.calling import settle_claims
from events.rummy500.calls import open_calls
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.plays import chains, plays
from events.rummy500.referee import judge
from events.rummy500.state import State
from events.rummy500.swaps import may_swap, swaps
from events.rummy500.whereabouts import as_held


def legal(state: State, seat: int) -> Iterator[RummyEvent]:
    """Yield every act that this seat may do now, in normal form; `??` where the stock decides.

    Lazily: whoever needs only some takes them and stops. Raises TooManyActs at plays.MOST_PLAYS.
    """
    return (act for act in _candidates(state, seat) if not judge(state, act))


def plays_of(state: State, seat: int, card: Card) -> Iterator[MeldLaid | LaidOff]:
    """Yield the melds and lay-offs with this very card of the hand that the seat may make now.

    Each stands for one that `legal` lists, with this card in place of one that it is like.
    """
    if state.phase != "play" or seat != state.turn:
        return iter(())
    held = as_held(state, seat, card)
    return (play for play in plays(state, seat, held, first=held) if not judge(state, play))


def possible_calls(state: State) -> Iterator[RummyCalled]:
    """Yield the calls that any seat may make now, seat by seat, also those that an unknown card leaves open."""
    named = tuple(_calls(state, 0))
    for seat in range(state.seats if named else 0):
        for call in (replace(one, seat=seat) for one in named):
            if not any(isinstance(found, Violation) for found in judge(state, call)):
                yield call


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
        yield from plays(state, seat, must_use(state))
        if may_swap(state.ruleset):
            for meld, joker, card in swaps(state.hands[seat], state.table):
                yield JokerSwapped(seat=seat, meld=meld.meld, joker=joker, card=card)
    if state.phase == "play" and seat != state.turn:
        yield from _calls(state, seat)


def must_use(state: State) -> Card | None:
    """Return the card without which nothing may be put down now (R-6.6), None if there is none."""
    if state.duty == UNKNOWN or state.ruleset.deep_timing != "next_play":
        return None
    return state.duty


def _draws(state: State, seat: int) -> Iterator[RummyEvent]:
    yield StockDrawn(seat=seat, card=UNKNOWN)
    for depth in range(len(state.pile) - 1, -1, -1):
        yield PileTaken(seat=seat, cards=state.pile[depth:])
    yield DrawDeclined(seat=seat)
    new_stock = renewal(state, seat)
    if new_stock is not None:
        yield new_stock


def _calls(state: State, seat: int) -> Iterator[RummyCalled]:
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
    single = Hand((card,), {card: (card, False, False, False, False)}, state.wilds)
    for meld in state.table:
        for (placement,) in chains(meld, single, state.ruleset):
            yield placement
