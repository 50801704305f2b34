"""What is special about a refereed table: who writes what, and what the service adds to an act."""

from typing import Any

from events.cards import UNKNOWN
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.game import Violation
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    FirstCardTurned,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    PositionSet,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.state import State
from events.rummy500.turns import fault


def before(state: State, event: RummyEvent) -> tuple[RummyEvent, ...]:
    """Return what the dealer does first: for a stock card, an empty stock is renewed where it can be."""
    if not isinstance(event, StockDrawn) or state.phase not in ("draw", "window"):
        return ()
    if event.seat != state.turn:
        return ()
    new_stock = renewal(state, event.seat)
    return () if new_stock is None else (new_stock,)


def not_for_clients(event: RummyEvent) -> tuple[Violation, ...]:
    """Return why a client of a refereed table may not write this event, judged by its shape alone."""
    match event:
        case StockDrawn():
            if event.card != UNKNOWN:
                return (fault("OUTCOME_NAMED", "R-6.2", event.seat, UNKNOWN, event.card),)
            return ()
        case RummyCalled() | DiscardChallenged():
            is_act = event.accepted and event.code is None
            return () if is_act else _service_does(event, event.seat)
        case GameEnded():
            return () if event.abandoned else _service_does(event, None)
        case (
            Discarded()
            | PileTaken()
            | MeldLaid()
            | LaidOff()
            | DrawDeclined()
            | Remarked()
            | JokerSwapped()
        ):
            return ()
        case (
            Dealt()
            | Shuffled()
            | UpcardTurned()
            | FirstCardTurned()
            | DealEnded()
            | DealScored()
            | StockRenewed()
            | GameOpened()
            | PositionSet()
            | Retracted()
            | DealerDrawn()
            | Redealt()
            | Floated()
        ):
            return _service_does(event, None)


def _service_does(event: RummyEvent, seat: int | None) -> tuple[Violation, ...]:
    tag = str(event.__struct_config__.tag)
    return (fault("SERVICE_DOES_THIS", "1", seat, "an act of a player", tag),)


def refused_call(
    state: State, event: RummyEvent, violations: tuple[Any, ...]
) -> RummyCalled | None:
    """Return the record of a "Rummy!" that did not stand (R-8.11), None for anything else."""
    if not isinstance(event, RummyCalled) or not event.accepted or state.phase == "ended":
        return None
    code = violations[0].code
    if code in ("NO_SUCH_SEAT", "OUTCOME_NAMED", "SERVICE_DOES_THIS"):
        return None
    return RummyCalled(
        seat=event.seat, card=event.card, accepted=False, code=code, cards=(), lay=None
    )


def fallen(event: RummyEvent) -> Violation | None:
    """Return why a "Rummy!" on record did not stand (R-8.11), None for anything else."""
    if not isinstance(event, RummyCalled) or event.accepted:
        return None
    return Violation(event.code or "NOT_CALLABLE", "R-8.11", event.seat)


def races(event: RummyEvent) -> bool:
    """Tell whether this is a call, which everybody makes as fast as he can (R-8.10)."""
    return isinstance(event, RummyCalled)
