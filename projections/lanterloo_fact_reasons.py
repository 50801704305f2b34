"""Why a fact of the dealer or the scorer of Lanterloo is as it is: codes and parameters for a sentence.

Pure, and no judge: ask only of facts that `judge` has nothing against.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias, assert_never

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
from events.game import Params
from events.lanterloo.declaring import is_club_law, is_force
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
from events.lanterloo.evolve import evolve
from events.lanterloo.ruleset import hand_size
from events.lanterloo.state import State
from events.lanterloo.tricks import is_trump
from projections.wording import Reason

_DRAWN: Final = {
    "lowest_card": "LOO_DRAWN_LOWEST",
    "highest_card": "LOO_DRAWN_HIGHEST",
    "first_knave": "LOO_DRAWN_KNAVE",
}
_ENDED: Final = {
    "PLAYED": "L-9.6",
    "WALK_OVER": "L-4.5",
    "FLUSH": "L-6.4",
    "CARRIED": "L-4.5",
}


# What moves chips, or sums them up.
_Chips: TypeAlias = (
    AntePaid | PoolPaid | Looed | PenaltyPaid | SessionDivided | DealEnded | DealScored | GameEnded
)


def reason_of_fact(state: State, event: LooEvent) -> Iterator[Reason]:
    """Yield why this fact is as the rules have it; there is always one reason."""
    match event:
        case Shuffled():
            yield Reason("OK_SHUFFLE", "L-1.3", event.dealer)
        case Dealt():
            yield Reason("OK_DEALT", "L-2.3", event.seat, {"actual": len(event.cards)})
        case MissDealt():
            yield Reason("LOO_MISS_DEALT", "L-2.3", None, {"actual": len(event.cards)})
        case TurnUp():
            yield from _turned_up(state, event)
        case DealerDrawn():
            yield _drawn(state, event)
        case Redealt():
            yield Reason("OK_REDEALT", "L-12.2")
        case FlushShown():
            params: Params = {"card": " ".join(event.cards), "kind": event.kind}
            yield Reason("LOO_FLUSH", "L-6.5", event.seat, params)
        case TrickTaken():
            yield _trick(state, event)
        case StockRenewed():
            yield Reason("LOO_RENEW", "L-4.4", event.seat)
        case Remarked() | Retracted() | GameOpened() | PositionSet() | MissSeen():
            yield Reason("OK_FACT", "")
        case Bid() | Exchanged() | FlushClaimed() | CardPlayed():
            yield Reason("OK", "", event.seat)
        case _:
            yield _of_chips(state, event)


def _of_chips(state: State, event: _Chips) -> Reason:
    match event:
        case AntePaid():
            return _ante(state, event)
        case PoolPaid():
            return _paid(state, event)
        case Looed():
            return _looed(state, event)
        case PenaltyPaid():
            params: Params = {"actual": event.amount, "expected": event.reason}
            return Reason("LOO_PENALTY", "L-12.2", event.seat, params)
        case SessionDivided():
            return Reason("LOO_DIVIDED", "L-10.3")
        case DealEnded():
            rule = _ENDED.get(event.reason, "")
            return Reason("OK_DEAL_ENDED", rule, None, {"actual": event.reason})
        case DealScored():
            return Reason("LOO_SCORED", "L-9.7")
        case GameEnded():
            return _over(event)
        case _ as never:
            assert_never(never)


def _ante(state: State, event: AntePaid) -> Reason:
    shared = state.ruleset.ante_by != "dealer"
    return Reason(
        "LOO_ANTE_ALL" if shared else "LOO_ANTE", "L-2.2", event.seat, {"actual": event.amount}
    )


def _turned_up(state: State, event: TurnUp) -> Iterator[Reason]:
    """Yield what the card makes of the hand: trumps, Pam out of play, a bold stand, club law."""
    yield Reason("LOO_TURN_UP", "L-2.4", None, {"card": event.card})
    if event.card == UNKNOWN:
        return
    after = evolve(state, event)
    if after.ruleset.form == "loo5" and after.pam is None:
        yield Reason("LOO_PAM_TURNED", "L-3.3")
    if is_club_law(after):
        yield Reason("LOO_CLUB_LAW", "L-5.5")
    elif is_force(after):
        yield Reason("LOO_BOLD_STAND", "L-5.1")


def _drawn(state: State, event: DealerDrawn) -> Reason:
    if event.dealer is None:
        return Reason("LOO_DRAWN_TIE", "L-2.1")
    return Reason(_DRAWN[state.ruleset.first_dealer], "L-2.1", event.dealer)


def _trick(state: State, event: TrickTaken) -> Reason:
    card = next((one.card for one in state.trick if one.seat == event.seat), UNKNOWN)
    code = "LOO_TRICK_TRUMP" if card != UNKNOWN and is_trump(state, card) else "LOO_TRICK_SUIT"
    return Reason(code, "L-7.5", event.seat, {"card": card})


def _paid(state: State, event: PoolPaid) -> Reason:
    if event.paid_for == "walk_over":
        return Reason("LOO_WALK_OVER", "L-4.5", event.seat, {"actual": event.amount})
    if event.paid_for == "flush":
        return Reason("LOO_SWEEP", "L-6.4", event.seat, {"actual": event.amount})
    five = state.ruleset.form == "loo5"
    params: Params = {
        "actual": event.amount,
        "count": state.tricks[event.seat],
        "all": hand_size(state.ruleset),
    }
    return Reason("LOO_SHARE", "L-9.1" if five else "L-9.2", event.seat, params)


def _looed(state: State, event: Looed) -> Reason:
    params: Params = {"actual": event.amount}
    if state.ended == "FLUSH":
        return Reason("LOO_LOOED_FLUSH", "L-6.4", event.seat, params)
    if state.ruleset.stakes == "unlimited":
        return Reason("LOO_LOOED_BOARD", "L-9.5", event.seat, params)
    rule = "L-9.3" if state.ruleset.limited_loo is None else "L-9.4"
    return Reason("LOO_LOOED", rule, event.seat, params)


def _over(event: GameEnded) -> Reason:
    if event.abandoned:
        return Reason("LOO_ABANDONED", "L-10.3")
    if event.winner is None:
        return Reason("LOO_NOBODY_AHEAD", "L-10.2")
    return Reason("LOO_WON", "L-10.2", event.winner)
