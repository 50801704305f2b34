"""What is special about a refereed table: who writes what, and what the service adds to an act."""

from typing import Any

from msgspec.structs import replace

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
from events.lanterloo.due import division, renewal
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Looed,
    LooEvent,
    MissDealt,
    MissSeen,
    PenaltyPaid,
    PoolPaid,
    PositionSet,
    SessionDivided,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.state import State
from events.lanterloo.turns import fault, is_off_the_table


def before(state: State, event: LooEvent) -> tuple[LooEvent, ...]:
    """Return what the dealer does first: a short stock is renewed, a pool divided before all go home."""
    if is_off_the_table(state, event):
        return ()
    if isinstance(event, Exchanged) and len(event.put_out) > len(state.stock):
        beneath = renewal(state, event.seat) if event.seat == state.turn else None
        return () if beneath is None else (beneath,)
    if isinstance(event, GameEnded) and event.abandoned:
        shares = division(state)
        return () if shares is None else (shares,)
    return ()


def complete(state: State, event: LooEvent) -> LooEvent:
    """Return the act with what only the service can see: the cards of the miss and of the stock."""
    if isinstance(event, Exchanged) and set(event.drawn) <= {UNKNOWN}:
        return replace(event, drawn=state.stock[: len(event.put_out)])
    if isinstance(event, Bid) and event.choice in ("miss", "defend"):
        return replace(event, cards=state.miss) if set(event.cards) <= {UNKNOWN} else event
    return event


def not_for_clients(event: LooEvent) -> tuple[Violation, ...]:
    """Return why a client of a refereed table may not write this event, judged by its shape alone."""
    match event:
        case Exchanged():
            return _names_no_outcome(event.seat, event.drawn, "L-4.3")
        case Bid():
            return _names_no_outcome(event.seat, event.cards, "L-4.6")
        case GameEnded():
            return () if event.abandoned else _service_does(event)
        case CardPlayed() | FlushClaimed() | MissSeen() | Remarked():
            return ()
        case (
            Dealt()
            | MissDealt()
            | Shuffled()
            | TurnUp()
            | AntePaid()
            | TrickTaken()
            | PoolPaid()
            | Looed()
            | PenaltyPaid()
            | FlushShown()
            | StockRenewed()
            | DealEnded()
            | DealScored()
            | SessionDivided()
            | GameOpened()
            | PositionSet()
            | Retracted()
            | DealerDrawn()
            | Redealt()
        ):
            return _service_does(event)


def _names_no_outcome(seat: int, cards: tuple[str, ...], rule: str) -> tuple[Violation, ...]:
    named = [card for card in cards if card != UNKNOWN]
    return (fault("OUTCOME_NAMED", rule, seat, UNKNOWN, named[0]),) if named else ()


def _service_does(event: LooEvent) -> tuple[Violation, ...]:
    tag = str(event.__struct_config__.tag)
    return (fault("SERVICE_DOES_THIS", "1", None, "an act of a player", tag),)


def refused(state: State, event: LooEvent, violations: tuple[Any, ...]) -> LooEvent | None:  # noqa: ARG001
    """Return what is recorded of an act that fell: nothing, at this game."""
    return None


def fallen(event: LooEvent) -> Violation | None:  # noqa: ARG001
    """Return why an act on record did not stand: at this game none is kept."""
    return None


def races(event: LooEvent) -> bool:  # noqa: ARG001
    """Tell whether players do this as fast as they can: at this game each waits for his turn."""
    return False


def skip(state: State, events: Any) -> tuple[State, int]:  # noqa: ARG001
    """Return the state as it is: every payment of a session counts to its end, so nothing is left out."""
    return state, 0
