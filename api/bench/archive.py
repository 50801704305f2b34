"""The whole archive: taken in, sealed, projected, rebuilt, verified, audited, exported, and how it bears growing.

One archive that grows by a power of ten at a time. A copy of it is kept at each size, so that the sizes are
measured in turns and noise hits all of them alike. Figures are medians of the rounds; what is done once has one.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

import msgspec
from psycopg import sql

from api import files
from api.bench.contest import PLAIN, RIVAL, missing, prepare
from api.bench.disk import disk, singly
from api.bench.group import FULL, LARGE, OURS, QUICK, Group, Means, Row, Target
from api.bench.growing import Game, Grown, engine_of, grow, repertoire
from api.bench.place import Place, folder, served, tidy
from api.bench.probes import Probe, cold, median_row, milliseconds
from api.bench.scripts import LENGTH, scripts
from api.commands import archive, checking
from api.embedded import DATABASE
from events import store
from events.games import RUMMY500
from projections.frames import frames
from projections.models import ALL, MODELS
from projections.rebuild import rebuild
from projections.runner import Runner, State
from projections.sealer import Sealer
from projections.seen import seen_as
from projections.sessions import connect

ONE: Final = "single"
"""The column of one process, where ours is two."""
SMALLEST: Final = "smallest"
"""The column of the smallest archive."""
_JOBS: Final = 2
_RIVALS: Final = 40
"""Games that the other package takes in, to be read through."""
_SIZES: Final = sorted({*FULL.growth, *QUICK.growth, LARGE})
_STREAM: Final = """
SELECT game_id, version, recorded_at, recorded_by, salt, hash, body::text
FROM lanterlog.events ORDER BY game_id, version"""


def measure(means: Means) -> list[Row]:
    """Return every row of the table. Raises BenchError, StoreError, ProjectionError."""
    games = repertoire()
    with folder() as home:
        with served(home) as place:
            run = _Run(means, place, games)
            rows = [*run.built(), *run.through(), *run.growth(), run.framed(), *run.disk()]
            even = run.even[-1]
        means.say("replay after a restart")
        with served(home) as place:
            return [*rows, *cold(place, even[: means.size.replays])]


class _Run:
    def __init__(self, means: Means, place: Place, games: Sequence[Game]) -> None:
        self._size = means.size
        self._say = means.say
        self._place = place
        self._games = games
        self._rounds = 2 if means.size.rounds > 2 else 1
        assert place.config.database_url is not None
        self._url: str = place.config.database_url
        self._worker = place.config.worker_database_url or ""
        self.even: list[list[UUID]] = []
        """At each size the games of `LENGTH` events that are there."""
        self._events = 0

    def built(self) -> Iterator[Row]:
        """Take the archive in, and keep a copy of every size but the last."""
        rates: dict[int, list[float]] = {1: [], _JOBS: []}
        for step, upto in enumerate(self._size.growth):
            self._say(f"taking in {upto:,} events")
            last = upto == self._size.growth[-1]
            grown = self._grow(upto, _JOBS if last else 1)
            if step or last:
                rates[_JOBS if last else 1].append(grown.rate)
            self.even.append([*(self.even[-1] if self.even else []), *grown.even])
            self._events += grown.events
            if not last:
                self._copy(upto)
        tidy(self._place)
        yield median_row("archive_import", "events/s", {OURS: rates[_JOBS], ONE: rates[1]})

    def through(self) -> Iterator[Row]:
        """Go through all of it, for whatever one goes through all of it for."""
        yield self._caught_up()
        yield self._both("rebuild", lambda jobs: rebuild(self._worker, [ALL], jobs))
        yield self._both("verify_store", self._verify)
        audited = self._both("whole_audit", self._audit)
        yield self._beside(audited)
        yield Row("audit_a_core", "events/s", {OURS: audited.figures[ONE]}, {})
        yield self._exported()

    def growth(self) -> Iterator[Row]:
        """Replay and append at each size in turns."""
        self._say("replay and append at every size")
        sizes = self._size.growth
        names = [_copy_name(size) for size in sizes[:-1]] + [DATABASE]
        tidy(self._place)
        replays: list[list[float]] = [[] for _ in sizes]
        appends: list[list[float]] = [[] for _ in sizes]
        probes = [Probe(engine_of(self._url, name)) for name in names]
        for turn in range(self._size.replays // 10):
            for index in random.Random(turn).sample(range(len(sizes)), len(sizes)):  # noqa: S311
                ids = self.even[index]
                some = [ids[(turn * 7919 + number * 31) % len(ids)] for number in range(5)]
                replays[index] += [milliseconds(probes[index].replay, one) for one in some]
                appends[index] += [milliseconds(probes[index].append) for _ in range(2)]
        for probe in probes:
            probe.close()
        for key, found in (("replay_at", replays), ("append_at", appends)):
            for size, took in zip(sizes, found, strict=True):
                yield median_row(
                    f"{key}_{size}", "ms", {OURS: took, SMALLEST: found[0]}, keep=False
                )

    def framed(self) -> Row:
        """Work out the frames of a game for a page."""
        self._say("frames")
        games = [seen_as(RUMMY500, script.events, "public") for script in scripts(2)]

        def work(_: int) -> None:
            for seen in games:
                for _frame in frames(seen):
                    pass

        rates = [len(games) * LENGTH / _seconds(work, 1) for _ in range(self._rounds + 1)]
        return median_row("frames", "events/s", {OURS: rates[1:]})

    def disk(self) -> Iterator[Row]:
        """Return bytes an event."""
        yield from disk(self._place, self._events)
        self._say("events one by one on disk")
        smallest = _copy_name(self._size.growth[0])
        yield from singly(self._place, smallest, 4 * self._size.replays)

    def _grow(self, upto: int, jobs: int) -> Grown:
        engine = engine_of(self._url)
        try:
            return grow(engine, self._games, upto, self._events, jobs)
        finally:
            engine.dispose()

    def _copy(self, size: int) -> None:
        tidy(self._place)
        with self._place.connect("postgres") as conn:
            conn.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(_copy_name(size)), sql.Identifier(DATABASE)
                )
            )

    def _caught_up(self) -> Row:
        """Seal what was taken in, then bring all read models up to it, as the worker does."""
        self._say("sealing, and read models catching up")
        with connect(self._worker, "bench") as session:
            sealer = Sealer(session)
            while (done := sealer.round()) is None or done.rows:
                pass
        with connect(self._worker, "bench") as session:
            shelf_of = Runner(session, MODELS[0])
            runners = [shelf_of, *(Runner(session, one, shelf_of.shelf) for one in MODELS[1:])]
            begun = time.perf_counter()
            moving = True
            while moving:
                steps = [runner.step() for runner in runners]
                moving = any(step.state is State.MOVED for step in steps)
            rate = self._events / (time.perf_counter() - begun)
        return median_row("catch_up", "events/s", {OURS: [rate]})

    def _both(self, key: str, work: Callable[[int], object]) -> Row:
        """Do it with two processes and with one, in turns."""
        self._say(f"{GROUP.titles[key]}, {_JOBS} processes and one")
        found: dict[str, list[float]] = {OURS: [], ONE: []}
        for _ in range(self._rounds):
            found[OURS].append(self._events / _seconds(work, _JOBS))
            found[ONE].append(self._events / _seconds(work, 1))
        return median_row(key, "events/s", found)

    def _verify(self, jobs: int) -> None:
        engine = engine_of(self._url)
        with checking.reading(engine) as conn:
            damages = [one for part in checking.checks(conn, engine, jobs) for one in part.damages]
        engine.dispose()
        assert not damages

    def _audit(self, jobs: int) -> None:
        engine = engine_of(self._url)
        found = archive.audited(engine, jobs)
        engine.dispose()
        assert found.events == self._events, (found.events, self._events)

    def _beside(self, row: Row) -> Row:
        """Add how fast the same is read by others, who judge nothing."""
        self._say("reading alone")
        figures = row.figures | {PLAIN: self._events / _seconds(self._read, 1)}
        if not missing(RIVAL):
            from api.bench.rival import Rival

            prepare(self._place)
            rival = Rival(self._place)
            few = scripts(4)
            rival.bring_in(few * max(1, min(_RIVALS, self._size.games) // len(few)))
            rate = statistics.median(_rate(rival.walk) for _ in range(self._rounds))
            rival.close()
            figures[RIVAL] = rate
        return msgspec.structs.replace(row, figures=figures)

    def _read(self, _: int) -> None:
        with self._place.connect() as conn, conn.transaction(), conn.cursor("bench") as cur:
            cur.execute(_STREAM, binary=True)
            while cur.fetchmany(2000):
                pass

    def _exported(self) -> Row:
        """Write the archive of the size before the last as a file of our own format, to nowhere."""
        self._say("export")
        size = self._size.growth[-2]
        engine = engine_of(self._url, _copy_name(size))
        lines = 0
        with engine.connect() as conn:
            begun = time.perf_counter()
            for _line in files.write_ndjson(files.gather(conn, store.stream_all(conn, "game"))):
                lines += 1
            rate = lines / (time.perf_counter() - begun)
        engine.dispose()
        return median_row("export", "events/s", {OURS: [rate]})


def _seconds(work: Callable[[int], object], jobs: int) -> float:
    begun = time.perf_counter()
    work(jobs)
    return time.perf_counter() - begun


def _rate(walk: Callable[[], int]) -> float:
    begun = time.perf_counter()
    return walk() / (time.perf_counter() - begun)


def _copy_name(size: int) -> str:
    return f"archive_{size}"


GROUP: Final = Group(
    name="archive",
    titles={
        "archive_import": "bulk import into the growing archive",
        "catch_up": "read models catch up, 1 process",
        "rebuild": "rebuild of all read models",
        "verify_store": "verify --store",
        "whole_audit": "audit --all",
        "audit_a_core": "audit --all, 1 process",
        "export": "export --all, 1 process",
        **{
            f"{key}_{size}": f"{what}, {size:,} events there"
            for key, what in (("replay_at", "replay of 250"), ("append_at", "append"))
            for size in _SIZES
        },
        "frames": "frames of a game",
        "disk_events": "on disk, events with their index",
        "disk_store": "on disk, the store but commands",
        "disk_models": "on disk, the read models",
        "disk_singly": "on disk, appended one by one",
        "disk_commands": "on disk, an append's command",
        "replay_cold": "replay of 250, server just started",
        "replay_warm": "replay of 250, the same again",
    },
    heads={
        OURS: "Lanterlog",
        ONE: "1 process",
        SMALLEST: "smallest archive",
        PLAIN: "reading alone",
        RIVAL: "eventsourcing",
    },
    steps=len(FULL.growth) + 10,
    measure=measure,
    needs_server=True,
    targets=(
        Target("whole_audit", ONE, 1.8, "audit --all: 2 processes at least 1.8 times one"),
        Target("audit_a_core", None, 100_000, "audit --all: at least 100,000 events/s a core"),
        Target("rebuild", None, 150_000, "rebuild on two cores: at least 150,000 events/s"),
        Target("replay_at_1000000", SMALLEST, 1 / 1.2, "replay at 10^6 events: at most 1.2 times"),
        Target("disk_events", None, 300, "on disk: at most 300 bytes an event, with its index"),
        Target("disk_store", None, 300, "the whole store on disk: at most 300 bytes an event"),
    ),
    notes=(
        "Lanterlog: 2 processes where 1 process stands beside it. Half 500 Rummy, half Loo, simulated, each game under many ids.",
        "Reading alone: SELECT of all columns through a cursor; eventsourcing reads and decodes, and judges nothing.",
        "One by one: each event sealed by itself, so a row of the ledger each; imported games have one each.",
        "Sizes are measured in turns, each on a database of its own; ms are p50.",
    ),
)
