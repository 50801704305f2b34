"""A soak: simulated tables play over HTTP for minutes while workers are killed and read models are rebuilt.

At the end every acknowledged event must be there once, in the ledger, in the feed that somebody followed all
the time, and in the read models. Everything on loopback; what is started here is stopped here.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from api import db
from api.client import Client, event_of
from api.client_wire import Retries
from api.scopes import KINDS
from api.wire import RecordAnswer
from events import store
from events.common import GameEnded
from events.games import GAMES, game_named
from projections.verify import verify
from tests.faults import witness
from tests.faults.test_writers import Reader, read_in_order
from tests.postgres import Database
from tests.served import ROOT, command, running
from tests.waiting import PATIENCE, joined, until

TABLES = 4
WORKERS = 2
KILL_EVERY = 15.0
REBUILD_EVERY = 45.0
REBUILDS = 200.0
"""Seconds that a rebuild may take beside all the rest."""
LONGEST = 400
"""Versions after which a game is abandoned, so that many games are played."""
TWICE_AWAY = Retries(attempts=20, first=0.05, longest=2.0)


class Figures(msgspec.Struct):
    """What a soak came to."""

    seconds: float = 0
    acts: int = 0
    events: int = 0
    games: int = 0
    workers_killed: int = 0
    rebuilds: int = 0
    lost: int = 0
    doubled: int = 0
    lag_at_end: float = 0
    """Seconds from the last act until everything was sealed and read."""
    slowest_act: float = 0


class Table(threading.Thread):
    """Plays game after game with a client of its own; remembers every answer."""

    def __init__(self, base: str, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.acts, self.slowest = 0, 0.0
        self.told: dict[UUID, dict[int, bytes]] = {}
        self.raised: BaseException | None = None
        self._client = Client(base, retries=TWICE_AWAY)
        self._chance = random.Random(seed)
        self._stop_asked = stop

    def run(self) -> None:
        try:
            with self._client:
                while not self._stop_asked.is_set():
                    self._play(self._chance.choice(list(GAMES)))
        except BaseException as error:  # noqa: BLE001 - raised by `finish`
            self.raised = error
            self._stop_asked.set()

    def finish(self) -> None:
        joined(self)
        if self.raised is not None:
            raise self.raised

    def _play(self, name: str) -> None:
        game = game_named(name)
        preset = self._chance.choice([one for one in game.presets if one.startswith("seed")])
        seats = ["Ann", "Bob", "Cid"]
        answer = self._client.open_game(seats, game=name, ruleset=preset)
        opened = self._client.events(answer.game_id, viewer="all", limit=100)
        events = [event_of(name, line.event) for line in opened.events]
        state: Any = game.initial(events[0])
        bot = self._chance.choice(list(game.bots.values()))
        fresh = events[1:]
        self._note(answer)
        while True:
            for event in fresh:
                state = game.evolve(state, event)
            if state.phase == "ended":
                return
            is_long = answer.version > LONGEST or self._stop_asked.is_set()
            act = (
                GameEnded(winner=None, abandoned=True)
                if is_long
                else game.next_act(state, bot, self._chance)
            )
            begun = time.monotonic()
            answer = self._client.record(
                answer.game_id, [act], expected_version=answer.version, viewer="all"
            )
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self._note(answer)
            fresh = [event_of(name, added.event) for added in answer.events]

    def _note(self, answer: RecordAnswer) -> None:
        self.acts += 1
        self.told.setdefault(answer.game_id, {})[answer.version] = bytes.fromhex(answer.head)


def soak(database: Database, folder: Path, seconds: float) -> Figures:
    """Play for so long, then wait until nothing is behind, and check everything."""
    figures, stop, begun = Figures(), threading.Event(), time.monotonic()
    engine = db.engine(database.config)
    environment = _environment(database)
    reader = Reader(database, seals=False)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        workers = [stack.enter_context(running("worker", env=environment)) for _ in range(WORKERS)]
        base = stack.enter_context(_served(environment, folder))
        tables = [Table(base, seed, stop) for seed in range(TABLES)]
        for thread in (*tables, reader):
            thread.start()
        stack.callback(stop.set)
        stack.callback(reader.stop)
        try:
            killed_at = rebuilt_at = time.monotonic()
            while not stop.wait(0.5) and time.monotonic() - begun < seconds:
                if time.monotonic() - killed_at > KILL_EVERY:
                    _replace(workers, stack, environment)
                    figures.workers_killed += 1
                    killed_at = time.monotonic()
                if time.monotonic() - rebuilt_at > REBUILD_EVERY:
                    _rebuild(environment)
                    figures.rebuilds += 1
                    rebuilt_at = time.monotonic()
        finally:
            stop.set()
        for table in tables:
            table.finish()
        ended = time.monotonic()
        until(lambda: witness.is_up_to_date(engine))
        figures.lag_at_end = time.monotonic() - ended
        reader.stop()
        joined(reader)
        figures.seconds = ended - begun
        figures.acts = sum(table.acts for table in tables)
        figures.slowest_act = max(table.slowest for table in tables)
        _count(figures, engine, tables)
        read_in_order(engine, reader.seen)
        witness.sound(engine)
        witness.ledger_covers_all(engine)
        done = verify(database.worker_url, ["all"])
        assert (done.outdated, any(done.differing.values())) == ((), False)
    return figures


def _count(figures: Figures, engine: Any, tables: list[Table]) -> None:
    """Compare what the tables were told with what there is: nobody else has written."""
    told = {game_id: heads for table in tables for game_id, heads in table.told.items()}
    with engine.connect() as conn:
        stored = {head.game_id: (head, events) for head, events in store.stream_all(conn)}
    figures.games = len(stored)
    figures.events = sum(len(events) for _, events in stored.values())
    for game_id, heads in told.items():
        _, events = stored.get(game_id, (None, []))
        hashes = {event.version: event.hash for event in events}
        figures.lost += sum(hashes.get(version) != head for version, head in heads.items())
        figures.doubled += max(len(events) - max(heads), 0)
    figures.doubled += len(stored.keys() - told.keys())


def _environment(database: Database) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": database.app_url,
        "WORKER_DATABASE_URL": database.worker_url,
        "MIGRATION_DATABASE_URL": "",
        "LANTERLOG_OPEN_TABLE": "1",
        "LANTERLOG_LIMITS": " ".join(f"{kind}=off" for kind in KINDS),
    }


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "api.cli", *words]


@contextmanager
def _served(environment: dict[str, str], folder: Path) -> Iterator[str]:
    out = folder / "serve.out"
    with out.open("w") as file, (folder / "serve.err").open("w") as err:
        process = subprocess.Popen(
            _command("serve", "--port", "0"), cwd=ROOT, env=environment, stdout=file, stderr=err
        )
    try:
        until(lambda: "/healthz" in out.read_text())
        found = re.search(r"http://[^/\s]+", out.read_text())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _replace(
    workers: list[subprocess.Popen[bytes]], stack: ExitStack, environment: dict[str, str]
) -> None:
    """Kill the worker that has been there longest, and begin another."""
    oldest = workers.pop(0)
    oldest.send_signal(signal.SIGKILL)
    oldest.wait(PATIENCE)
    workers.append(stack.enter_context(running("worker", env=environment)))


def _rebuild(environment: dict[str, str]) -> None:
    done = command("projections", "rebuild", "all", "--json", env=environment, patience=REBUILDS)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["differing"] == []
