"""The engine's side of the comparison: its acts in the naive referee's words, and its tables after them."""

from collections.abc import Iterator

from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.state import State
from tests.perft.deals import Deal
from tests.perft.naive import Act, Table, signature
from tests.perft.naive import acts as naive_acts
from tests.simulate import RUMMY, opened


def set_up(deal: Deal) -> State:
    """The engine's table for a deal."""
    opening = opened(deal.seats, deal.rules, "recorded")
    assert not RUMMY.problems(opening), RUMMY.problems(opening)
    return RUMMY.evolve(RUMMY.initial(opening), deal.position())


def acts(state: State) -> Iterator[RummyEvent]:
    """Every legal act of every player."""
    for seat in range(state.seats):
        yield from RUMMY.legal(state, seat)


def after(state: State, act: RummyEvent) -> State:
    """The table after an act and what is due after it; a shuffle turns the cards over, the last first."""
    act = RUMMY.complete(state, RUMMY.shuffle(state, act, list.reverse))
    state = RUMMY.evolve(state, act)
    while state.phase != "over" and (owed := RUMMY.due(state)):
        state = RUMMY.evolve(state, owed[0])
    return state


def in_words(act: RummyEvent) -> Act:
    """An act as the naive referee writes it."""
    match act:
        case StockDrawn():
            return ("stock", act.seat)
        case StockRenewed():
            return ("renew", act.seat)
        case DrawDeclined():
            return ("decline", act.seat)
        case PileTaken():
            return ("take", act.seat, act.cards)
        case Discarded():
            return ("discard", act.seat, act.card)
        case MeldLaid():
            return ("group" if act.kind == "group" else "run", act.seat, act.cards)
        case LaidOff():
            return _lay_off(act)
        case DiscardChallenged():
            return ("challenge", act.seat)
        case RummyCalled(lay=None):
            return ("call", act.seat, act.cards)
        case RummyCalled(lay=lay) if lay is not None:
            return ("call_lay", act.seat, lay.meld, lay.card, lay.end)
        case JokerSwapped():
            return ("swap", act.seat, act.meld, act.joker, act.card)
        case _:
            raise AssertionError(act)


def _lay_off(act: LaidOff) -> Act:
    first = act.cards[0]
    if first.end is None:
        return ("join", act.seat, first.meld, first.card)
    low = tuple(placement.card for placement in act.cards if placement.end == "low")
    high = tuple(placement.card for placement in act.cards if placement.end == "high")
    return ("lay", act.seat, first.meld, low, high)


def perft(state: State, depth: int) -> int:
    """The number of legal lines of so many acts."""
    if state.phase == "over":
        return 0
    if depth == 1:
        return sum(1 for _ in acts(state))
    return sum(perft(after(state, act), depth - 1) for act in acts(state))


def by_signature(state: State, table: Table) -> dict[Act, RummyEvent]:
    """The engine's acts by what tells them apart; fails unless the naive referee allows the very same."""
    if state.phase == "over":
        return {}
    listed = list(acts(state))
    allowed = {signature(table, in_words(act)): act for act in listed}
    assert len(allowed) == len(listed), "alike acts are listed once"
    expected = {signature(table, act) for act in naive_acts(table)}
    assert set(allowed) == expected, sorted(set(allowed) ^ expected, key=str)
    return allowed
