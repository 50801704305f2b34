"""The kinds of streams that a store holds, and the events of each: games, disputes, administration.

A new kind of stream brings a module with its events and one line here. No functions.
"""

from typing import Any, Final

from events import administration, disputes
from events.games import GAMES

UNIONS: Final[dict[str, Any]] = {
    **{name: game.event_type for name, game in GAMES.items()},
    disputes.NAME: disputes.DisputeEvent,
    administration.NAME: administration.AdministrationEvent,
}
"""The events of every kind of stream, by what its head has as `game`."""
