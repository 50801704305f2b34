"""The games that Lanterlog knows; the one file of `events` that knows them all."""

from collections.abc import Mapping
from typing import Any, Final

from events.errors import CodecError
from events.game import Game
from events.lanterloo import bots as loo_bots
from events.lanterloo import due as loo_due
from events.lanterloo import evolve as loo_evolve
from events.lanterloo import hindsight as loo_hindsight
from events.lanterloo import legal as loo_legal
from events.lanterloo import normal as loo_normal
from events.lanterloo import referee as loo_referee
from events.lanterloo import ruleset as loo_ruleset
from events.lanterloo import service as loo_service
from events.lanterloo import thinkable as loo_thinkable
from events.lanterloo import turns as loo_turns
from events.lanterloo.events import LooEvent
from events.rummy500 import old_shapes as rummy_old
from events.rummy500.bots import BOTS, next_act
from events.rummy500.carry import skip
from events.rummy500.due import complete, due, shuffle
from events.rummy500.events import RummyEvent
from events.rummy500.evolve import evolve, initial
from events.rummy500.legal import legal
from events.rummy500.normal import normal
from events.rummy500.referee import judge
from events.rummy500.ruleset import PRESETS, problems
from events.rummy500.service import before, fallen, not_for_clients, races, refused_call
from events.rummy500.thinkable import thinkable
from events.rummy500.turns import is_off_the_table
from events.shapes import Step

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
    fallen=fallen,
    races=races,
    problems=problems,
    is_off_the_table=is_off_the_table,
    skip=skip,
    bots=BOTS,
    next_act=next_act,
    thinkable=thinkable,
)
LANTERLOO: Final = Game(
    name="lanterloo",
    event_type=LooEvent,
    presets=loo_ruleset.PRESETS,
    initial=loo_evolve.initial,
    evolve=loo_evolve.evolve,
    judge=loo_referee.judge,
    legal=loo_legal.legal,
    due=loo_due.due,
    normal=loo_normal.normal,
    complete=loo_service.complete,
    shuffle=loo_due.shuffle,
    before=loo_service.before,
    not_for_clients=loo_service.not_for_clients,
    refused=loo_service.refused,
    fallen=loo_service.fallen,
    races=loo_service.races,
    problems=loo_ruleset.problems,
    skip=loo_service.skip,
    bots=loo_bots.BOTS,
    next_act=loo_bots.next_act,
    thinkable=loo_thinkable.thinkable,
    is_off_the_table=loo_turns.is_off_the_table,
    hindsight=loo_hindsight.hindsight,
)
GAMES: Final[dict[str, Game[Any, Any]]] = {game.name: game for game in (RUMMY500, LANTERLOO)}
# What is played where nothing is said.
DEFAULT: Final = RUMMY500.name
# The tables that there are to choose from: the game, and what its presets' names end with for this form of it.
TABLES: Final[dict[str, tuple[str, str]]] = {
    RUMMY500.name: (RUMMY500.name, ""),
    **{form: (LANTERLOO.name, f"-{form}") for form in loo_ruleset.FORMS},
}


def game_named(name: str) -> Game[Any, Any]:
    """Return the rules of a game; raise CodecError with the names there are."""
    try:
        return GAMES[name]
    except KeyError:
        raise CodecError(f"no such game: {name!r}, expected one of {', '.join(GAMES)}") from None


OLD_SHAPES: Final[Mapping[str, Mapping[tuple[str, int], Step]]] = {
    RUMMY500.name: rummy_old.STEPS,
}
"""What each game has replaced of its own events, by tag and version."""
