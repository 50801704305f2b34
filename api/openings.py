"""From the words of a request to the event that opens a game: rulesets by name, seats by name or id.

Pure: reads no request, no database.
"""

from typing import Any
from uuid import UUID, uuid4, uuid5

import msgspec
from msgspec.structs import replace

from api.wire import OpenGame, Person, RulesetChoice
from events.codec import decode, encode
from events.common import GameOpened
from events.errors import CodecError, RequestError
from events.game import Game
from events.games import GAMES
from events.version import ENGINE
from projections.books import by_book


class Opening(msgspec.Struct, frozen=True):
    """The event that opens a game, and the names of the people who are new in it."""

    opened: GameOpened[Any]
    names: dict[str, str]


def game_of(name: str) -> Game[Any, Any]:
    """Return the rules of a game that a request names; raise RequestError."""
    if name not in GAMES:
        raise RequestError("bad_body", f"game {name[:40]!r}, expected one of {', '.join(GAMES)}")
    return GAMES[name]


def ruleset_of(game: Game[Any, Any], choice: str | RulesetChoice) -> Any:
    """Return a whole ruleset: the preset with the options that differ; raise RequestError."""
    if isinstance(choice, str):
        choice = RulesetChoice(preset=choice)
    preset = game.presets.get(choice.preset)
    if preset is None:
        known = ", ".join(game.presets)
        raise RequestError("bad_body", f"preset {choice.preset[:40]!r}, expected one of {known}")
    if "preset" in choice.options:
        raise RequestError("bad_body", "option 'preset', expected it beside the options")
    try:
        return msgspec.convert(msgspec.to_builtins(preset) | choice.options, type(preset))
    except msgspec.ValidationError as error:
        raise RequestError("bad_body", f"options: {error}") from error


def book_of(game: Game[Any, Any], opened: GameOpened[Any], choice: str | RulesetChoice) -> Any:
    """Return another ruleset to judge a table by, with that table's own amounts; raise RequestError."""
    if isinstance(choice, str):
        choice = RulesetChoice(preset=choice)
    ruleset_of(game, choice)
    return by_book(game, opened.ruleset, game.presets[choice.preset], choice.options)


def opening(asked: OpenGame, game_id: UUID, *, is_retry_safe: bool) -> Opening:
    """Return the event for a request; raise RequestError for what cannot be said in one.

    People without an id are new. A client that chose the game's id may ask again, so then their ids follow
    from it.
    """
    game = game_of(asked.game)
    people = [_person(game_id, seat, one, is_retry_safe) for seat, one in enumerate(asked.seats)]
    opened: GameOpened[Any] = GameOpened(
        game=asked.game,
        ruleset=ruleset_of(game, asked.ruleset),
        engine=ENGINE,
        seats=tuple(str(person.id) for person in people),
        first_dealer=asked.first_dealer,
        mode=asked.mode,
        source=asked.source,
    )
    try:
        opened = decode(asked.game, encode(opened))
    except CodecError as error:
        raise RequestError("bad_body", str(error)) from error
    return Opening(opened, {str(one.id): one.name for one in people if one.name is not None})


def _person(game_id: UUID, seat: int, given: str | Person, is_retry_safe: bool) -> Person:
    person = Person(name=given) if isinstance(given, str) else given
    if person.id is not None:
        return person
    new = uuid5(game_id, f"seat {seat} {person.name}") if is_retry_safe else uuid4()
    return replace(person, id=new)
