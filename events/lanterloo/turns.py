"""Who sits at the table, and whether an event speaks of it at all: what any act is asked first."""

from events.common import DealEnded, DealerDrawn, DealScored, GameEnded, Shuffled
from events.game import Violation
from events.lanterloo.events import Looed, LooEvent, PositionSet, SessionDivided
from events.lanterloo.state import State


def is_off_the_table(state: State, event: LooEvent) -> bool:
    """Tell whether an event speaks of seats that this table does not have: no fact about it at all."""
    seat: int | None = getattr(event, "seat", None)
    if seat is not None:
        if type(event) is Looed:
            return max(seat, event.to or 0) >= state.seats
        return seat >= state.seats
    match event:
        case Shuffled():
            return event.dealer >= state.seats
        case DealEnded():
            return (event.out or 0) >= state.seats
        case GameEnded():
            return (event.winner or 0) >= state.seats
        case DealScored():
            return len(event.scores) != state.seats or len(event.totals) != state.seats
        case DealerDrawn():
            drawn = (draw.seat for draw in event.draws)
            return max(*drawn, event.dealer or 0) >= state.seats
        case SessionDivided():
            return len(event.shares) != state.seats
        case PositionSet():
            return not _position_fits(state, event)
        case _:
            return False


def _position_fits(state: State, event: PositionSet) -> bool:
    seats = (event.dealer, event.turn, *(played.seat for played in event.trick))
    rows = (event.hands, event.aside, event.declared, event.tricks, event.balances)
    return max(seats) < state.seats and all(len(row) == state.seats for row in rows)


def fault(
    code: str, rule: str, seat: int | None, expected: str | int = "", actual: str | int = ""
) -> Violation:
    """Return a violation with what was expected and what was there, where the two can be named."""
    params = {"expected": expected, "actual": actual}
    return Violation(code, rule, seat, {k: v for k, v in params.items() if v != ""})


def whose_turn(state: State) -> str:
    """Return who is to act now, for a sentence: a seat to declare, to claim or to play, else the dealer."""
    return f"seat {state.turn}" if state.phase in ("declare", "claim", "play") else "the dealer"
