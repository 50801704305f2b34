"""The engine's side of the comparison at Lanterloo: its acts in the naive referee's words, and its tables after them."""

from collections.abc import Iterator

from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    LooEvent,
    StockRenewed,
)
from events.lanterloo.state import State
from tests.events.lanterloo.table import LOO, opened
from tests.perft.loo_deals import Deal
from tests.perft.loo_naive import Act, Table
from tests.perft.loo_naive import acts as naive_acts

OVER = ("scored", "ended")


def set_up(deal: Deal) -> State:
    """The engine's table for a deal."""
    opening = opened(deal.seats, deal.rules, "recorded")
    assert not LOO.problems(opening), LOO.problems(opening)
    return _settled(LOO.evolve(LOO.initial(opening), deal.position()))


def acts(state: State) -> Iterator[LooEvent]:
    """Every legal act of every player."""
    for seat in range(state.seats):
        yield from LOO.legal(state, seat)


def after(state: State, act: LooEvent) -> State:
    """The table after an act and what is due after it; a shuffle turns the cards over, the last first."""
    act = LOO.complete(state, LOO.shuffle(state, act, list.reverse))
    return _settled(LOO.evolve(state, act))


def _settled(state: State) -> State:
    while state.phase not in OVER and (owed := LOO.due(state)):
        state = LOO.evolve(state, owed[0])
    return state


def in_words(act: LooEvent) -> Act:
    """An act as the naive referee writes it."""
    match act:
        case Bid():
            return ("play" if act.choice == "stand" else act.choice, act.seat)
        case Exchanged():
            return ("change", act.seat, tuple(sorted(act.put_out)))
        case StockRenewed():
            return ("renew", act.seat)
        case FlushClaimed():
            return ("claim", act.seat, tuple(sorted(act.cards)))
        case CardPlayed():
            return ("card", act.seat, act.card, act.civil)
        case _:
            raise AssertionError(act)


def perft(state: State, depth: int) -> int:
    """The number of legal lines of so many acts."""
    if state.phase in OVER:
        return 0
    if depth == 1:
        return sum(1 for _ in acts(state))
    return sum(perft(after(state, act), depth - 1) for act in acts(state))


def by_words(state: State, table: Table) -> dict[Act, LooEvent]:
    """The engine's acts by their words; fails unless the naive referee allows the very same."""
    if state.phase in OVER:
        assert table.phase == "over"
        assert (state.balances, state.pool) == (table.won, table.left), table
        return {}
    listed = list(acts(state))
    allowed = {in_words(act): act for act in listed}
    assert len(allowed) == len(listed), "acts are listed once"
    expected = set(naive_acts(table))
    assert set(allowed) == expected, (sorted(set(allowed) ^ expected, key=str), table)
    return allowed
