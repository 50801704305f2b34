"""What a viewer may see of a table of Lanterloo: a state as a page shows it, an event without its secrets.

Pure. A player sees his own hand and what he drew. Hands of others, passed hands, cards put out, the miss, the
stock and the order of the deck stay hidden until the session has ended; cards played and flushes shown are
open at once. Nothing shown is computed from anything hidden.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from events.cards import Card
from events.common import Dealt, Event, GameEnded, Shuffled
from events.game import last_in_force
from events.lanterloo.declaring import must_play
from events.lanterloo.due import due
from events.lanterloo.events import Bid, Exchanged, MissDealt, Played, PositionSet, StockRenewed
from events.lanterloo.ruleset import Ruleset
from events.lanterloo.state import State
from projections.viewer import Viewer, backs, may_see

Cards = tuple[Card, ...]


def view_state(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the table as plain values."""
    return {
        "game": "lanterloo",
        "ruleset": _options(state.ruleset),
        "mode": state.mode,
        "seats": state.seats,
        **_deal(state, viewer),
        **_cards(state, viewer),
        **_declared(state),
        **_tricks(state),
        **_chips(state, viewer),
    }


def _deal(state: State, viewer: Viewer) -> dict[str, Any]:
    return {
        "deal": state.deal,
        "dealer": state.dealer,
        "phase": _phase(state, viewer),
        "turn": state.turn,
        "deck": list(state.deck) if may_see(viewer, None) else None,
        "due": _due(state, viewer),
        "ended": state.ended,
        "winner": state.winner,
        "abandoned": state.abandoned,
    }


def _phase(state: State, viewer: Viewer) -> str:
    """Return the phase; that a flush is about to be shown is known by who holds it and who sees all."""
    if state.phase != "show" or may_see(viewer, None):
        return state.phase
    return "declare" if None in state.bids and state.lone is None else "play"


def _due(state: State, viewer: Viewer) -> list[str]:
    """Return what comes next from dealer and scorer, unless hidden cards tell it."""
    told_by_hidden = (
        state.phase == "show" or state.penalties or (state.open_loos and not state.owed)
    )
    if told_by_hidden and not may_see(viewer, None):
        return []
    return [str(event.__struct_config__.tag) for event in due(state)]


def view_cards(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the part of the view that says where the cards are."""
    return _cards(state, viewer) | _tricks(state)


def _cards(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return where the cards are; `stock` is a number, its order only for who sees all."""
    sees_all = may_see(viewer, None)
    return {
        "trump": state.trump,
        "turn_up": state.turn_up,
        "pam": state.pam,
        "stock": len(state.stock),
        "stock_cards": list(state.stock) if sees_all else None,
        "hands": _rows(state.hands, viewer),
        "aside": _rows(state.aside, viewer),
        "miss": list(state.miss if sees_all else backs(state.miss)),
        "put_out": list(state.put_out if sees_all else backs(state.put_out)),
        "surplus": list(state.surplus if sees_all else backs(state.surplus)),
    }


def _rows(rows: tuple[Cards, ...], viewer: Viewer) -> list[list[Card]]:
    return [list(row if may_see(viewer, s) else backs(row)) for s, row in enumerate(rows)]


def _declared(state: State) -> dict[str, Any]:
    return {
        "must_play": must_play(state),
        "declared": list(state.bids),
        "standers": list(state.standers),
        "lone": state.lone,
        "shown": [
            {"seat": one.seat, "kind": one.kind, "cards": list(one.cards)} for one in state.shown
        ],
    }


def _tricks(state: State) -> dict[str, Any]:
    return {
        "trick": [_played(one) for one in state.trick],
        "played": [_played(one) for one in state.played],
        "tricks": list(state.tricks),
    }


def _played(one: Played) -> dict[str, Any]:
    return {"seat": one.seat, "card": one.card, "civil": one.civil}


def _chips(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the ledger; `stake` is what is played for, the rest of the pool waits for the next hand."""
    penalties = state.penalties if may_see(viewer, None) else ()
    return {
        "pool": state.pool,
        "stake": state.stake,
        "single": state.single,
        "penalties": [
            {"seat": one.seat, "amount": one.amount, "to": one.to, "reason": one.reason}
            for one in penalties
        ],
        "scores": None if state.scores is None else list(state.scores),
        "totals": list(state.balances),
    }


@lru_cache(maxsize=256)
def _options(ruleset: Ruleset) -> dict[str, Any]:
    options: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(ruleset))
    return options


def view_event(event: Event, viewer: Viewer) -> Event:
    """Return the event with `??` for what the viewer may not see; the very same object if that is nothing."""
    if viewer == "all":
        return event
    hidden = _without_secrets(event, viewer)
    return event if hidden == event else hidden


def _without_secrets(event: Event, viewer: Viewer) -> Event:
    match event:
        case Dealt() | Bid() if not may_see(viewer, event.seat):
            return replace(event, cards=backs(event.cards))
        case Exchanged() if not may_see(viewer, event.seat):
            return replace(event, put_out=backs(event.put_out), drawn=backs(event.drawn))
        case MissDealt() | StockRenewed():
            return replace(event, cards=backs(event.cards))
        case Shuffled():
            return replace(event, deck=backs(event.deck))
        case PositionSet():
            return replace(
                event,
                stock=backs(event.stock),
                miss=backs(event.miss),
                hands=_seen(event.hands, viewer),
                aside=_seen(event.aside, viewer),
            )
        case _:
            return event


def _seen(rows: tuple[Cards, ...], viewer: Viewer) -> tuple[Cards, ...]:
    return tuple(row if may_see(viewer, s) else backs(row) for s, row in enumerate(rows))


def open_upto(events: Sequence[Event]) -> int:
    """Return the last version up to which nothing is hidden any more: all, once the session has ended.

    What counts is an end that is still in force. What is dealt after it is hidden.
    """
    ended = last_in_force(events, (GameEnded,))
    if not ended:
        return 0
    for version, event in enumerate(events[ended:], ended + 1):
        if isinstance(event, Shuffled | PositionSet | Dealt):
            return version - 1
    return len(events)
