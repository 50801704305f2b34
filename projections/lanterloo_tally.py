"""What a session of Lanterloo has come to: chips won and lost, deals scored, and the loos of each seat.

Pure. Chips are moved as `evolve` moves them, by the events that tell of them alone.
"""

from collections.abc import Sequence
from typing import Any, Final

from events.common import DealScored, Event
from events.game import Game
from events.lanterloo.events import (
    AntePaid,
    Looed,
    PenaltyPaid,
    PoolPaid,
    PositionSet,
    SessionDivided,
)
from events.lanterloo.ruleset import Ruleset
from projections.tally import Kept, Tally, facts, written

_KINDS: Final[frozenset[type[Event]]] = frozenset(
    {AntePaid, DealScored, Looed, PenaltyPaid, PoolPaid, PositionSet, SessionDivided}
)


def tally(game: Game[Any, Any], found: Kept) -> Tally:
    """Return the tally of a log."""
    seats = len(found.opened.seats)
    chips, loos, scored = [0] * seats, [0] * seats, 0
    for _, event in facts(game, found, _KINDS):
        match event:
            case AntePaid() | PenaltyPaid():
                chips[event.seat] -= event.amount
            case PoolPaid():
                chips[event.seat] += event.amount
            case Looed():
                loos[event.seat] += 1
                _pay_loo(chips, event)
            case SessionDivided():
                chips = [have + share for have, share in zip(chips, event.shares, strict=True)]
            case PositionSet():
                chips = list(event.balances)
            case DealScored():
                scored += 1
    return Tally(totals=written(chips), scored=scored, loos=tuple(loos))


def winner(_ruleset: Ruleset, totals: Sequence[int], _out: int | None) -> int | None:
    """Return who has won most in a session, None if several have."""
    best = max(totals)
    return totals.index(best) if totals.count(best) == 1 else None


def _pay_loo(chips: list[int], event: Looed) -> None:
    chips[event.seat] -= event.amount
    if event.to is not None:
        chips[event.to] += event.amount
