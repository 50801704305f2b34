"""Whose turn it is and what the turn has come to (R-6.1, R-7.4): the first thing that any act is asked."""

from typing import Final, Literal

from events.game import Violation
from events.rummy500.state import IN_PLAY, State

SEAT_MISSING: Final = "NO_SUCH_SEAT"


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
