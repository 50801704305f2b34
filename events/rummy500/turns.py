"""Who sits at the table, whose turn it is and what the turn has come to (R-6.1, R-7.4): what any act is asked first."""

from typing import Literal

from events.common import DealEnded, DealerDrawn, DealScored, GameEnded, Shuffled
from events.game import Violation
from events.rummy500.events import PositionSet, RummyEvent
from events.rummy500.state import IN_PLAY, State


def is_off_the_table(state: State, event: RummyEvent) -> bool:
    """Tell whether an event speaks of seats that this table does not have: no fact about it at all."""
    seat: int | None = getattr(event, "seat", None)
    if seat is not None:
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
        case PositionSet():
            return not _position_fits(state, event)
        case _:
            return False


def _position_fits(state: State, event: PositionSet) -> bool:
    layers = (layer.seat for meld in event.melds for layer in meld.cards)
    seats = (event.dealer, event.turn, event.discarder or 0, *event.floaters, *layers)
    counts = (len(event.hands), len(event.totals))
    return max(seats) < state.seats and counts == (state.seats, state.seats)


def fault(
    code: str, rule: str, seat: int | None, expected: str | int = "", actual: str | int = ""
) -> Violation:
    """Return a violation with what was expected and what was there, where the two can be named."""
    params = {"expected": expected, "actual": actual}
    return Violation(code, rule, seat, {k: v for k, v in params.items() if v != ""})


def order_fault(state: State, seat: int, step: Literal["draw", "play"]) -> Violation | None:
    """Return why a seat may not take this step of a turn now, None if it may."""
    if state.phase in ("over", "scored", "ended"):
        return fault("HAND_OVER", "R-7.4", seat, "no more acts", state.phase)
    if seat != state.turn and not state.anyone_starts and state.phase in IN_PLAY:
        return fault("NOT_YOUR_TURN", "R-6.1", seat, f"seat {state.turn}", f"seat {seat}")
    if step == "draw" and state.phase not in ("draw", "window"):
        return fault("NOT_DRAW_PHASE", "R-6.1", seat, "phase draw", f"phase {state.phase}")
    if step == "play" and state.phase != "play":
        return fault("NOT_PLAY_PHASE", "R-6.1", seat, "phase play", f"phase {state.phase}")
    return None
