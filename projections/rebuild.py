"""Makes read models anew beside the ones that are being read, and puts them in their place at once.

The log is folded as far as it was sealed at the start, by several processes, into tables of another schema.
What was sealed meanwhile is caught up with; then, in one transaction, the rest is taken in, the old tables go
and the new ones move. Writers are never held up; readers see the old rows or the new ones, never none.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import msgspec
import psycopg
from psycopg import sql

from events.errors import ProjectionBusy, ProjectionFailed
from projections import checkpoints, feed, schema, tables
from projections.crew import shared
from projections.feed import Chunk, Fault, Progress
from projections.model import Model
from projections.models import models_named
from projections.schema import BUILDING, READING
from projections.sessions import Session, connect, lock, named, release

FEW: Final = 50_000
"""Events below which starting processes would take longer than the work."""
ROUNDS: Final = 5
"""How often what was sealed meanwhile is taken in before the swap takes the rest."""
ATTEMPTS: Final = 20
"""How often the swap tries to get the tables from their readers, for a second each time."""

_TASK: Final = "rebuild"
# A hash of each game's rows on either side, but for games, or disputes about them, that one side has read
# further than the other.
_DIFFERENCES: Final = """
WITH read AS (
  SELECT t.game_id, md5(string_agg(t::text, E'\n' ORDER BY t::text COLLATE "C")) AS hash
  FROM {read} t GROUP BY t.game_id
), built AS (
  SELECT t.game_id, md5(string_agg(t::text, E'\n' ORDER BY t::text COLLATE "C")) AS hash
  FROM {built} t GROUP BY t.game_id
), sides AS (
  SELECT coalesce(r.game_id, b.game_id) AS game_id, r.hash IS DISTINCT FROM b.hash AS differ
  FROM read r FULL JOIN built b ON b.game_id = r.game_id
)
SELECT count(*), coalesce(array_agg(s.game_id) FILTER (WHERE s.differ), '{{}}')
FROM sides s WHERE NOT EXISTS (
  SELECT FROM lanterlog.ledger l
  LEFT JOIN lanterlog.events o ON o.game_id = l.game_id AND o.version = 1
    AND o.body ->> 't' = 'dispute_opened'
  WHERE coalesce((o.body ->> 'game_id')::uuid, l.game_id) = s.game_id
    AND l.position > %s AND l.position <= %s
)"""


class Rebuilt(msgspec.Struct, frozen=True):
    """What a rebuild did: games, events folded, the position it reached, and the games whose rows were
    not the same before; `compared` is how many could be.
    """

    games: int
    events: int
    position: int
    compared: int
    differing: tuple[UUID, ...]


class Built(msgspec.Struct, frozen=True):
    """What came of one chunk: games and events, or the first fault."""

    games: int
    events: int
    fault: Fault | None = None


def rebuild(
    url: str, names: Sequence[str], processes: int = 1, progress: Progress = lambda *_: None
) -> Rebuilt:
    """Make the models of these names anew; *url* is the worker's login.

    Raises ProjectionFailed with the place of an event that no rows can be made with, and ProjectionBusy while
    another rebuild runs or readers do not let go of a table. Then what was there stays as it was.
    """
    with connect(url, _TASK) as conn:
        if not lock(conn, _TASK):
            raise ProjectionBusy("another session is rebuilding, expected one at a time")
        try:
            return _Rebuild(conn, url, models_named(names)).run(processes, progress)
        finally:
            release(conn)


class _Rebuild:
    def __init__(self, conn: Session, url: str, models: Sequence[Model]) -> None:
        self._conn = conn
        self._url = url
        self._models = models
        self._tables = [table for model in models for table in model.tables]

    def run(self, processes: int, progress: Progress) -> Rebuilt:
        position = feed.last_position(self._conn)
        self._make()
        try:
            games, events = self._fill(position, processes, progress)
            self._index()
            position, caught_up = self._catch_up(position)
            compared, differing = self._compare(position)
            position, at_last = self._swap_in(position)
        finally:
            self._clear()
        return Rebuilt(games, events + caught_up + at_last, position, compared, differing)

    def _make(self) -> None:
        """Make empty tables, after whatever a rebuild that died has left."""
        self._clear()
        for table in self._tables:
            for statement in schema.creation(table, BUILDING):
                self._conn.execute(statement.encode())

    def _clear(self) -> None:
        for table in self._tables:
            self._conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(named(BUILDING, table)))

    def _fill(self, upto: int, processes: int, progress: Progress) -> tuple[int, int]:
        sizes = feed.sizes(self._conn, upto)
        total = sum(version for _, version in sizes)
        count = 1 if total < FEW else processes
        names = [model.name for model in self._models]
        oids = {table: self._oid(table) for table in self._tables}
        games = events = 0
        progress(0, total)
        for built in shared(count, builder, (self._url, names, oids, upto), feed.chunks(sizes)):
            if built.fault is not None:
                raise self._failed(built.fault)
            games, events = games + built.games, events + built.events
            progress(built.events, total)
        return games, events

    def _oid(self, table: str) -> int:
        row = self._conn.execute("SELECT %s::regclass::oid", (f"{BUILDING}.{table}",)).fetchone()
        assert row is not None
        return int(row[0])

    def _index(self) -> None:
        for table in self._tables:
            for statement in schema.indexes(table, BUILDING):
                self._conn.execute(statement.encode())
            self._conn.execute(sql.SQL("ANALYZE {}").format(named(BUILDING, table)))

    def _catch_up(self, position: int) -> tuple[int, int]:
        """Take in what was sealed meanwhile; return the new position and how many events were folded."""
        events = 0
        for _ in range(ROUNDS):
            goal = feed.last_position(self._conn)
            if position >= goal:
                break
            position, folded = self._up_to(goal, position)
            events += folded
        return position, events

    def _up_to(self, goal: int, position: int) -> tuple[int, int]:
        events = 0
        while position < goal:
            entries = feed.page(self._conn, position)
            with self._conn.transaction():
                events += self._apply(entries)
            position = entries[-1].position
        return position, events

    def _apply(self, entries: Sequence[feed.Entry]) -> int:
        games = feed.wanted(self._conn, entries)
        found = list(feed.stored(self._conn, games, entries[-1].position))
        rows = []
        for game in found:
            try:
                rows.append(feed.rows_of(self._models, game))
            except Exception as error:
                raise self._failed(feed.fault_in(self._models, game, error)) from error
        for model in self._models:
            tables.replace(self._conn, model, games, [one[model.name] for one in rows], BUILDING)
        return sum(game.head.version for game in found)

    def _compare(self, position: int) -> tuple[int, tuple[UUID, ...]]:
        """Compare, by a hash of each game's rows, what was read so far with what was built.

        Games that either side has not read to the same version are left out, and models whose tables are of
        another version.
        """
        compared, differing = 0, set[UUID]()
        for model in self._models:
            with self._conn.transaction():
                self._conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                live = checkpoints.find(self._conn, model.name)
                if live.version != model.version:
                    continue
                between = sorted((live.position, position))
                for table in model.tables:
                    count, other = self._differences(table, between)
                    compared = max(compared, count)
                    differing.update(other)
        return compared, tuple(sorted(differing))

    def _differences(self, table: str, between: Sequence[int]) -> tuple[int, list[UUID]]:
        statement = sql.SQL(_DIFFERENCES).format(
            read=named(READING, table), built=named(BUILDING, table)
        )
        row = self._conn.execute(statement, between).fetchone()
        assert row is not None
        return row[0], row[1]

    def _swap_in(self, position: int) -> tuple[int, int]:
        """Swap, as often as readers who will not let go of a table make it necessary."""
        attempts = ATTEMPTS
        while True:
            try:
                with self._conn.transaction():
                    return self._swap(position)
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as busy:
                attempts -= 1
                if not attempts:
                    raise ProjectionBusy(f"the tables are read without an end: {busy}") from busy
            time.sleep(0.1)  # readers that queued behind the attempt get their turn

    def _swap(self, position: int) -> tuple[int, int]:
        found = [
            checkpoints.find(self._conn, model.name, locked=True)
            for model in sorted(self._models, key=lambda one: one.name)
        ]
        position, events = self._up_to(feed.last_position(self._conn), position)
        self._conn.execute("SET LOCAL lock_timeout = '1s'")
        for table in self._tables:
            self._conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(named(READING, table)))
            self._conn.execute(
                sql.SQL("ALTER TABLE {} SET SCHEMA {}").format(
                    named(BUILDING, table), sql.Identifier(READING)
                )
            )
        versions = {model.name: model.version for model in self._models}
        for checkpoint in found:
            checkpoints.move(self._conn, checkpoint, position, versions[checkpoint.name])
        return position, events

    def _failed(self, fault: Fault) -> ProjectionFailed:
        position = feed.position_of(self._conn, fault.game_id, fault.version)
        names = ", ".join(model.name for model in self._models)
        return ProjectionFailed(names, position, fault.game_id, fault.version, fault.reason)


@contextmanager
def builder(
    url: str, names: Sequence[str], oids: Mapping[str, int], upto: int
) -> Iterator[Callable[[Chunk], Built]]:
    """Give what builds one chunk in this process, with a session of its own."""
    models = models_named(names)
    with connect(url, _TASK, synchronous_commit="off") as conn:
        yield lambda chunk: _build(conn, models, oids, dict(chunk), upto)


def _build(
    conn: Session,
    models: Sequence[Model],
    oids: Mapping[str, int],
    games: Mapping[UUID, int],
    upto: int,
) -> Built:
    events = 0
    rows = []
    for game in feed.stored(conn, games, upto):
        try:
            rows.append(feed.rows_of(models, game))
        except Exception as error:  # noqa: BLE001 - becomes the fault that the rebuild ends with
            return Built(0, 0, feed.fault_in(models, game, error))
        events += game.head.version
    with conn.transaction():
        _hold(conn, oids)
        for model in models:
            tables.insert(conn, model, [one[model.name] for one in rows], BUILDING)
    return Built(len(rows), events)


def _hold(conn: Session, oids: Mapping[str, int]) -> None:
    """Make sure that the tables are still those of this rebuild: whoever started it may have died, and
    another one begun.
    """
    for table, oid in oids.items():
        conn.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(named(BUILDING, table)))
        found = conn.execute("SELECT %s::regclass::oid", (f"{BUILDING}.{table}",)).fetchone()
        if found is None or found[0] != oid:
            raise ProjectionBusy(f"table {table} belongs to another rebuild by now")
