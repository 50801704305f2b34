"""Compares read models with what a fresh fold of the log gives, game by game, and names those that differ.

Writes nothing. Every portion is one snapshot: games are folded as far as the model has come in it, so that
appends, the sealer, the runners and even a rebuild may go on meanwhile.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import msgspec
from psycopg import sql

from events.errors import ProjectionFailed
from projections import checkpoints, feed, tables
from projections.crew import shared
from projections.feed import Chunk, Fault, Progress
from projections.model import Model
from projections.models import models_named
from projections.rebuild import FEW
from projections.schema import READING
from projections.sessions import Session, connect, named

_TASK: Final = "verify"
_READ: Final = """
SELECT l.game_id, max(l.to_version) FROM lanterlog.ledger l
JOIN lanterlog.games g ON g.game_id = l.game_id AND g.kind = 'game'
WHERE l.game_id = ANY(%s) AND l.position <= %s GROUP BY l.game_id"""
_STRAY: Final = """
SELECT DISTINCT t.game_id FROM {} t WHERE NOT EXISTS (
  SELECT FROM lanterlog.ledger l JOIN lanterlog.games g ON g.game_id = l.game_id AND g.kind = 'game'
  WHERE l.game_id = t.game_id AND l.position <= %s)"""


class Verified(msgspec.Struct, frozen=True):
    """What a comparison found: by model, how many games were compared and which of them differ; `outdated`
    are models whose tables are of another version, which were left out.
    """

    games: int
    events: int
    differing: Mapping[str, tuple[UUID, ...]]
    outdated: tuple[str, ...]


class Compared(msgspec.Struct, frozen=True):
    """What came of one portion: events folded, and the games that differ by model, or the first fault."""

    games: int
    events: int
    differing: Mapping[str, list[UUID]]
    fault: Fault | None = None


def verify(
    url: str, names: Sequence[str], processes: int = 1, progress: Progress = lambda *_: None
) -> Verified:
    """Compare the models of these names with the log; *url* is the worker's login.

    Raises ProjectionFailed with the place of an event that no rows can be made with.
    """
    models = models_named(names)
    with connect(url, _TASK) as conn:
        found = [(model, checkpoints.find(conn, model.name)) for model in models]
        current = [model for model, mark in found if mark.version == model.version]
        outdated = tuple(model.name for model, mark in found if mark.version != model.version)
        sizes = feed.sizes(conn, max((mark.position for _, mark in found), default=0))
        total = sum(version for _, version in sizes)
        differing: dict[str, set[UUID]] = {model.name: _strays(conn, model) for model in current}
        games = events = 0
        progress(0, total)
        given = (url, list(differing))
        for one in shared(1 if total < FEW else processes, comparer, given, feed.chunks(sizes)):
            if one.fault is not None:
                raise _failed(conn, list(differing), one.fault)
            for name, ids in one.differing.items():
                differing[name].update(ids)
            games, events = games + one.games, events + one.events
            progress(one.events, total)
        named_ids = {name: tuple(sorted(ids)) for name, ids in differing.items()}
        return Verified(games, events, named_ids, outdated)


def _strays(conn: Session, model: Model) -> set[UUID]:
    """Return games that have rows, but no event that the model has read."""
    found: set[UUID] = set()
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        position = checkpoints.find(conn, model.name).position
        for table in model.tables:
            statement = sql.SQL(_STRAY).format(named(READING, table))
            found.update(row[0] for row in conn.execute(statement, (position,)))
    return found


def _failed(conn: Session, names: Sequence[str], fault: Fault) -> ProjectionFailed:
    position = feed.position_of(conn, fault.game_id, fault.version)
    return ProjectionFailed(", ".join(names), position, fault.game_id, fault.version, fault.reason)


@contextmanager
def comparer(url: str, names: Sequence[str]) -> Iterator[Callable[[Chunk], Compared]]:
    """Give what compares one portion in this process, with a session of its own."""
    models = models_named(names)
    with connect(url, _TASK) as conn:
        yield lambda chunk: _compare(conn, models, [game_id for game_id, _ in chunk])


def _compare(conn: Session, models: Sequence[Model], game_ids: Sequence[UUID]) -> Compared:
    differing: dict[str, list[UUID]] = {}
    events = 0
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        shelf = feed.Shelf()
        for model in models:
            position = checkpoints.find(conn, model.name).position
            there = conn.execute(_READ, (list(game_ids), position))
            games: dict[UUID, int] = {row[0]: row[1] for row in there}
            rows = tables.read(conn, model, game_ids, READING)
            ids = differing[model.name] = []
            for game in shelf.take(conn, games, position):
                try:
                    fresh = feed.rows_of([model], game)[model.name]
                except Exception as error:  # noqa: BLE001 - becomes the fault that the comparison ends with
                    return Compared(0, 0, {}, feed.fault_in([model], game, error))
                if tables.comparable(fresh) != tables.comparable(rows[game.head.game_id]):
                    ids.append(game.head.game_id)
            events = max(events, sum(games.values()))
    return Compared(len(game_ids), events, differing)
