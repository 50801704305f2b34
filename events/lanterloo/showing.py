"""When a flush may be shown or claimed, and whether it is one (L-6.5)."""

from events.cards import UNKNOWN
from events.game import Judgement
from events.lanterloo.due import due
from events.lanterloo.events import FlushClaimed, FlushShown
from events.lanterloo.flushes import claimants, kind_of
from events.lanterloo.state import State
from events.lanterloo.tricks import is_first_lead
from events.lanterloo.turns import fault, whose_turn
from events.lanterloo.whereabouts import first_not_held

_RULE = "L-6.5"


def is_too_late(state: State) -> bool:
    """Tell whether a card has been led in this hand."""
    return bool(state.trick) or not is_first_lead(state)


def judge_shown(state: State, event: FlushShown) -> tuple[Judgement, ...]:
    """Return what speaks against a flush laid open: too late, none, or not this one."""
    seat = event.seat
    if is_too_late(state):
        return (fault("FLUSH_TOO_LATE", _RULE, seat, "before the first lead"),)
    if not state.ruleset.flush_autoclaim:
        return (fault("NO_SUCH_FLUSH", _RULE, seat, "flush_claimed", "flush_shown"),)
    if event in due(state):
        return ()
    sweeping = state.phase == "settle" and state.ended == "FLUSH" and not state.loos
    hidden = UNKNOWN in state.hands[seat] and (
        state.phase in ("declare", "show", "play") or sweeping
    )
    if not hidden or seat not in claimants(state):
        return (fault("NO_SUCH_FLUSH", "L-6.1", seat, "nothing to show now", event.kind),)
    return _judge_cards(state, event)


def judge_claim(state: State, event: FlushClaimed) -> tuple[Judgement, ...]:
    """Return what speaks against a claim, or against saying that there is none."""
    seat = event.seat
    if is_too_late(state):
        return (fault("FLUSH_TOO_LATE", _RULE, seat, "before the first lead"),)
    if state.ruleset.flush_autoclaim:
        return (fault("NO_SUCH_FLUSH", _RULE, seat, "flush_shown", "flush_claimed"),)
    at_once = state.phase == "declare" and state.ruleset.flush_looes == "shown_before_pass"
    if state.phase != "claim" and not (at_once and event.cards):
        return (fault("NOT_YOUR_TURN", _RULE, seat, whose_turn(state), f"seat {seat}"),)
    if seat not in claimants(state) or seat in state.answered:
        return (fault("NO_SUCH_FLUSH", _RULE, seat, "a player who may still claim"),)
    if event.cards:
        return _judge_cards(state, event)
    if not state.shown and state.lone is None:
        return (fault("NO_SUCH_FLUSH", _RULE, seat, "the cards of a flush", "none"),)
    return ()


def _judge_cards(state: State, event: FlushShown | FlushClaimed) -> tuple[Judgement, ...]:
    seat, missing = event.seat, first_not_held(state, event.seat, event.cards)
    if missing is not None:
        return (fault("NOT_IN_HAND", "L-6.1", seat, " ".join(state.hands[seat]), missing),)
    kind = kind_of(state, event.cards)
    wanted = event.kind if isinstance(event, FlushShown) else kind
    if kind is None or kind != wanted:
        return (fault("NO_SUCH_FLUSH", "L-6.1", seat, kind or "a flush", " ".join(event.cards)),)
    return ()
