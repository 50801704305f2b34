"""The games that Lanterlog knows; the one file of `events` that knows them all."""

from typing import Any, Final

from events.errors import CodecError
from events.game import Game
from events.rummy500.carry import skip
from events.rummy500.due import complete, due, shuffle
from events.rummy500.events import RummyEvent
from events.rummy500.evolve import evolve, initial
from events.rummy500.legal import legal
from events.rummy500.normal import normal
from events.rummy500.referee import judge
from events.rummy500.ruleset import PRESETS, problems
from events.rummy500.service import before, not_for_clients, refused_call
from events.rummy500.turns import is_off_the_table

RUMMY500: Final = Game(
    name="rummy500",
    event_type=RummyEvent,
    presets=PRESETS,
    initial=initial,
    evolve=evolve,
    judge=judge,
    legal=legal,
    due=due,
    normal=normal,
    complete=complete,
    shuffle=shuffle,
    before=before,
    not_for_clients=not_for_clients,
    refused=refused_call,
    problems=problems,
    is_off_the_table=is_off_the_table,
    skip=skip,
)
GAMES: Final[dict[str, Game[Any, Any]]] = {RUMMY500.name: RUMMY500}


def game_named(name: str) -> Game[Any, Any]:
    """Return the rules of a game; raise CodecError with the names there are."""
    try:
        return GAMES[name]
    except KeyError:
        raise CodecError(f"no such game: {name!r}, expected one of {', '.join(GAMES)}") from None
