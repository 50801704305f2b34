"""Processes that work on a store until they are killed, and the two ways in which they are.

A victim is forked from a server that has everything imported, so that two hundred of them cost little. It dies by
SIGKILL: after a time, or when it waits for the database for the n-th time, which is also right after it has sent
COMMIT. It appends by a script, so that the next one can repeat what had no answer.
"""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import msgspec
import psycopg
from sqlalchemy import Engine

from api import db
from api.config import Config
from events import store
from projections import feed, rebuild
from projections.feed import Shelf
from projections.models import MODELS
from projections.runner import Runner
from projections.sealer import Sealer
from projections.sessions import connect
from tests.waiting import PATIENCE

WHO = UUID(int=7)
MOST_WAITS = 60
LONGEST = 0.15

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([__name__])


class Script(msgspec.Struct, frozen=True):
    """A game that is to be appended piece by piece; every process cuts it into the same pieces."""

    game_id: UUID
    bodies: tuple[bytes, ...]

    def piece(self, after: int) -> Sequence[bytes]:
        """What is appended after a version."""
        count = random.Random(f"{self.game_id} {after}").randint(1, 12)
        return self.bodies[after : after + count]

    def command(self, after: int) -> UUID:
        return uuid5(self.game_id, str(after))


class Journal:
    """What was acknowledged to somebody who may die at any moment: a line for each answer."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, game_id: UUID, version: int, head: bytes) -> None:
        line = f"{game_id} {version} {head.hex()}\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line.encode())
        os.close(file)

    def read(self) -> dict[UUID, dict[int, bytes]]:
        """Every acknowledged version with its head, by game."""
        found: dict[UUID, dict[int, bytes]] = {}
        text = self._path.read_text() if self._path.exists() else ""
        for line in text.splitlines():
            game, version, head = line.split()
            found.setdefault(UUID(game), {})[int(version)] = bytes.fromhex(head)
        return found

    def last(self, game_id: UUID) -> int:
        return max(self.read().get(game_id, {0: b""}))


def killed(chance: random.Random, work: Callable[..., None], *given: Any) -> None:
    """Let a process work and kill it at a random moment, at the latest when its work is done."""
    fuse = chance.choice([0, chance.randint(1, MOST_WAITS)])
    ours, theirs = _processes.Pipe()
    victim = _processes.Process(target=_live, args=(theirs, fuse, work, given))
    victim.start()
    theirs.close()
    try:
        assert ours.poll(PATIENCE), "the victim has not begun in time"
        assert ours.recv() == "begun"
        if not fuse:
            time.sleep(chance.uniform(0, LONGEST))
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
        victim.join(PATIENCE)
        died_of = victim.exitcode
    finally:
        victim.kill()
        ours.close()
    assert died_of is not None, "the victim was not dead in time"
    assert died_of == -signal.SIGKILL


def append(config: Config, scripts: Sequence[Script], journal: Journal, seed: int) -> None:
    """Append the scripts from where their answers end, for ever."""
    engine = db.engine(config)
    chance = random.Random(seed)
    left = {script: journal.last(script.game_id) for script in scripts}
    while left:
        script = chance.choice(list(left))
        after = left[script]
        piece = script.piece(after)
        if not piece:
            del left[script]
            continue
        left[script] = append_one(engine, script, after, piece, journal)


def append_one(
    engine: Engine, script: Script, after: int, piece: Sequence[bytes], journal: Journal
) -> int:
    """Append a piece of a script, note the answer, and return the version."""
    with engine.begin() as conn:
        store.open_game(conn, script.game_id, *_kind(script))
        command = script.command(after)
        answer = store.append(conn, script.game_id, after, command, bytes(32), WHO, piece)
    journal.write(script.game_id, answer.version, answer.head)
    return answer.version


def seal(config: Config, batch: int) -> None:
    """Seal by small rounds."""
    with connect(str(config.worker_database_url), "sealer") as session:
        sealer = Sealer(session, batch)
        while True:
            sealer.round()


def project(config: Config, page: int) -> None:
    """Keep all models, by small steps."""
    feed.PAGE = page  # type: ignore[misc]
    with connect(str(config.worker_database_url), "projections") as session:
        shelf = Shelf()
        runners = [Runner(session, model, shelf) for model in MODELS]
        while True:
            for runner in runners:
                runner.step()


def rebuild_all(config: Config, processes: int) -> None:
    """Rebuild all models again and again."""
    rebuild.FEW = 0  # type: ignore[misc]
    feed.CHUNK = 300  # type: ignore[misc]
    while True:
        rebuild.rebuild(str(config.worker_database_url), ["all"], processes)


def _kind(script: Script) -> tuple[str, str]:
    opened = msgspec.json.decode(script.bodies[0])
    return opened["game"], opened["mode"]


def _live(pipe: Any, fuse: int, work: Callable[..., None], given: Sequence[Any]) -> None:
    if fuse:
        _light(fuse)
    pipe.send("begun")
    work(*given)
    if fuse:  # work that ends before the fuse has burnt down would be waited for in vain
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()  # there was nothing left to do: it is killed while it rests


def _light(fuse: int) -> None:
    """Have this process killed when it waits for the database for the n-th time."""
    left = iter(range(fuse, -1, -1))
    wait = psycopg.Connection.wait

    def burning(steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            wanted = next(steps)
            while True:
                if not next(left):
                    os.kill(os.getpid(), signal.SIGKILL)
                wanted = steps.send((yield wanted))
        except StopIteration as done:
            return done.value

    def waiting(self: Any, steps: Generator[Any, Any, Any], *more: Any, **words: Any) -> Any:
        return wait(self, burning(steps), *more, **words)

    psycopg.Connection.wait = waiting  # type: ignore[assignment, method-assign]
