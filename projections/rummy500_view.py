"""What a viewer may see of a table of 500 Rummy: a state as a page shows it, an event without its secrets.

Pure. Hands, and the order of deck and stock, are secret while a deal is in play; everything else is public
at all times (R-1.7), and when the deal has ended all of it is open. Nothing shown is computed from anything
hidden. A card that a player took openly from the pile is hidden with the rest of the hand: a table shows backs.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from events.cards import JOKERS_ONLY, Card, physical, stands_for
from events.common import DealEnded, Dealt, Event, GameEnded, Shuffled
from events.game import last_in_force
from events.rummy500.calls import open_calls
from events.rummy500.due import due
from events.rummy500.events import PositionSet, StockDrawn, StockRenewed
from events.rummy500.ruleset import Ruleset
from events.rummy500.scoring import hand_bounds, table_points, table_values
from events.rummy500.state import Meld, State
from projections.viewer import Viewer, backs, may_see


def view_state(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the table as plain values."""
    return {
        "game": "rummy500",
        "ruleset": _options(state.ruleset),
        "mode": state.mode,
        "seats": state.seats,
        **_deal(state, viewer),
        **view_cards(state, viewer),
        **_turn(state),
        **_points(state, viewer),
    }


def _deal(state: State, viewer: Viewer) -> dict[str, Any]:
    return {
        "deal": state.deal,
        "dealer": state.dealer,
        "phase": state.phase,
        "wild": state.wilds.removeprefix(JOKERS_ONLY) or None,
        "deck": list(state.deck) if may_see(viewer, None) else None,
        "due": [str(event.__struct_config__.tag) for event in due(state)],
        "ended": state.ended,
        "out": state.out,
        "closed": state.closed,
        "winner": state.winner,
        "abandoned": state.abandoned,
    }


def view_cards(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the part of the view that says where the cards are; `stock` is a number, its order only for who sees all."""
    sees_all = may_see(viewer, None)
    return {
        "stock": len(state.stock),
        "stock_cards": list(state.stock) if sees_all else None,
        "pile": list(state.pile),
        "hands": [list(hand) for hand in _hands(state, viewer)],
        "melds": sorted(
            (_meld(meld, state) for meld in state.table), key=lambda meld: meld["meld"]
        ),
        "surplus": list(state.surplus if sees_all else backs(state.surplus)),
    }


def _turn(state: State) -> dict[str, Any]:
    noted = state.noted
    return {
        "turn": None if state.anyone_starts else state.turn,
        "drawn": state.drawn,
        "taken": list(state.taken),
        "duty": state.duty,
        "owed": list(state.owed),
        "claims": [{"seat": call.seat, "card": call.card} for call in state.claims],
        "noted": None if noted is None else {"seat": noted.seat, "card": noted.card},
        "discarder": state.discarder,
        "callable": list(open_calls(state)),
        "floaters": list(state.floaters),
        "challenge": state.challenge,
    }


def _hands(state: State, viewer: Viewer) -> Iterator[tuple[Card, ...]]:
    for seat, hand in enumerate(state.hands):
        yield hand if may_see(viewer, seat) else backs(hand)


def _points(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return points on the table, points left in hand (null unless all cards are seen), and scores."""
    bounds = [hand_bounds(hand, state.ruleset, state.wilds) for hand in _hands(state, viewer)]
    return {
        "points": table_points(state),
        "left": [low if low == high else None for low, high in bounds],
        "penalties": list(state.penalties) or [0] * state.seats,
        "scores": None if state.scores is None else list(state.scores),
        "totals": list(state.totals),
    }


@lru_cache(maxsize=256)
def _options(ruleset: Ruleset) -> dict[str, Any]:
    options: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(ruleset))
    return options


def _meld(meld: Meld, state: State) -> dict[str, Any]:
    """Return a meld with its layers; cards after the first `fitting` lie beside it and do not belong."""
    values = table_values(meld, state.ruleset, state.wilds)
    return {
        "meld": meld.meld,
        "kind": meld.kind,
        "founder": meld.founder,
        "fitting": len(meld.cards),
        "cards": [
            {
                "card": physical(laid.card),
                "as": stands_for(laid.card),
                "seat": laid.seat,
                "value": value,
            }
            for laid, value in zip((*meld.cards, *meld.beside), values, strict=True)
        ],
    }


def view_event(event: Event, viewer: Viewer) -> Event:
    """Return the event with `??` for what the viewer may not see; the very same object if that is nothing."""
    if viewer == "all":
        return event
    hidden = _without_secrets(event, viewer)
    return event if hidden == event else hidden


def _without_secrets(event: Event, viewer: Viewer) -> Event:
    match event:
        case StockDrawn() if not may_see(viewer, event.seat):
            return replace(event, card=backs((event.card,))[0])
        case Dealt() if not may_see(viewer, event.seat):
            return replace(event, cards=backs(event.cards))
        case Shuffled():
            return replace(event, deck=backs(event.deck))
        case StockRenewed():
            return replace(event, stock=backs(event.stock))
        case PositionSet():
            hands = tuple(
                hand if may_see(viewer, seat) else backs(hand)
                for seat, hand in enumerate(event.hands)
            )
            return replace(event, stock=backs(event.stock), hands=hands)
        case _:
            return event


def open_upto(events: Sequence[Event]) -> int:
    """Return the last version up to which nothing is hidden any more, of events and of states.

    What counts is the last end of a deal that is still in force. What is dealt after it is hidden, also
    where that was retracted: the same deck may have been written down again.
    """
    ended = last_in_force(events, (DealEnded, GameEnded))
    for version, event in enumerate(events[ended:], ended + 1):
        if isinstance(event, Shuffled | PositionSet | Dealt):
            return version - 1
    return len(events)
