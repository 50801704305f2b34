"""`lanterlog simulate`: games that bots play, into the store, into a file, or at the tables of a service."""

import os
import secrets
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from api import simulation
from api.commands import output
from api.commands.transfer import whole_file
from api.files import Filed, write_ndjson
from api.plain import write_text
from events.errors import ActError, BadUsage
from events.formats.rulesets import read_ruleset
from events.games import TABLES, game_named

DONE: Final = 0
_WRITERS: Final = {".ndjson": write_ndjson, ".txt": write_text}
_SEEDS: Final = 2**32


class _Tally:
    """What came of the games so far."""

    def __init__(self, *, as_json: bool) -> None:
        self.games = self.events = self.won = 0
        self._as_json = as_json
        self._say = output.say if as_json else output.line

    def add(self, game_id: UUID, events: list[Any]) -> None:
        """Count a game, and report it where each is asked for."""
        ended = events[-1]
        self.games += 1
        self.events += len(events)
        self.won += not ended.abandoned
        if self._as_json:
            found = {"game_id": game_id, "events": len(events), "winner": ended.winner}
            output.as_json(found)

    def report(self, order: simulation.Order) -> None:
        """Say what was done and how to do it again."""
        games = "1 game" if self.games == 1 else f"{self.games} games"
        broken_off = self.games - self.won
        self._say(
            f"{games} with {self.events} events, {self.won} won, {broken_off} abandoned"
            f" (seed {order.seed})"
        )


def simulate(args: Namespace) -> int:
    """Play the games that are asked for."""
    game, suffix = TABLES[args.game]
    order = simulation.Order(
        game=game,
        seats=args.seats,
        seed=secrets.randbelow(_SEEDS) if args.seed is None else args.seed,
        bot=args.bot,
        ruleset=_ruleset(args.ruleset, game, suffix),
        deals=args.deals,
    )
    order.opening()
    tally = _Tally(as_json=args.json)
    if args.to is not None:
        _into_service(order, args.games, args.to, tally)
    elif args.output is None:
        _into_store(order, args.games, tally)
    else:
        _into_file(order, args.games, args.output, tally)
    tally.report(order)
    return DONE


def _ruleset(text: str, game: str, suffix: str) -> Any:
    preset, *options = text.split() or ["seed"]
    presets = game_named(game).presets
    named = preset + suffix if preset + suffix in presets else preset
    try:
        return read_ruleset(" ".join((named, *options)), presets)
    except ActError as error:
        raise BadUsage(str(error)) from error


def _into_file(order: simulation.Order, count: int, name: str, tally: _Tally) -> None:
    write = next((w for ending, w in _WRITERS.items() if name.endswith(ending)), None)
    if write is None:
        raise BadUsage(f"file {name!r}, expected a name that ends with {' or '.join(_WRITERS)}")
    with output.progress("playing", count) as bar, whole_file(name) as file:
        file.writelines(write(_counted(simulation.play_games(order, count), tally, bar)))


def _counted(games: Iterator[Filed], tally: _Tally, bar: output.Bar) -> Iterator[Filed]:
    for game in games:
        tally.add(game.head.game_id, list(game.events))
        bar.step()
        yield game


def _into_store(order: simulation.Order, count: int, tally: _Tally) -> None:
    """Play each game in a transaction of its own: of a run that is broken off, whole games are left."""
    from api import db
    from api.config import Config

    with (
        db.opened(Config.from_environment()) as engine,
        output.progress("playing", count) as bar,
    ):
        for number in range(1, count + 1):
            with engine.begin() as conn:
                log = simulation.record_game(conn, order, number)
            tally.add(log.head.game_id, log.events)
            bar.step()


def _into_service(order: simulation.Order, count: int, url: str, tally: _Tally) -> None:
    """Play each game over HTTP; one that is broken off stays there as far as it was played."""
    from api import simulation_remote

    with (
        simulation_remote.service(url, os.environ.get(simulation_remote.TOKEN)) as client,
        output.progress("playing", count) as bar,
    ):
        for number in range(1, count + 1):
            tally.add(*simulation_remote.play_there(client, order, number))
            bar.step()
