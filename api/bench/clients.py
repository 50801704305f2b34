"""Several clients at once: processes, since threads of one Python would wait for one another.

Each has its own connections and its own games. They wait for orders in between, so that all contestants
are measured with the same processes, in turns. None outlives the block, also after Ctrl-C.
"""

import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Final

from api.bench.contest import Contestant, Kind, Name, enter
from api.bench.place import Place
from api.bench.scripts import Script, scripts
from events.errors import BenchError

_SPAWN: Final = multiprocessing.get_context("spawn")
_PATIENCE: Final = 60.0
"""Seconds beyond the measured ones that a client may take to answer."""

Order = tuple[Name, Kind, float]
Answer = tuple[int, float] | str


class Clients:
    """Client processes that wait for orders."""

    def __init__(self, pipes: list["Connection[Order | None, Answer]"]) -> None:
        self._pipes = pipes

    def rate(self, name: Name, kind: Kind, number: int, seconds: float) -> float:
        """Events a second that so many clients have stored together. Raises BenchError."""
        busy = self._pipes[:number]
        for pipe in busy:
            pipe.send((name, kind, seconds))
        return sum(done / elapsed for done, elapsed in [_answer(pipe, seconds) for pipe in busy])


@contextmanager
def clients(place: Place, number: int) -> Iterator[Clients]:
    """So many clients, ready; their processes have ended when the block is left."""
    pairs = [_SPAWN.Pipe() for _ in range(number)]
    processes = [
        _SPAWN.Process(target=_serve, args=(theirs, place, seed), daemon=True)
        for seed, (_, theirs) in enumerate(pairs)
    ]
    try:
        with _without_interrupts():
            for process in processes:
                process.start()
        for _, theirs in pairs:
            theirs.close()
        for ours, _ in pairs:
            _answer(ours, 0)
        yield Clients([ours for ours, _ in pairs])
        for ours, _ in pairs:
            ours.send(None)
        for process in processes:
            process.join(5)
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C for ever: their parent ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(pipe: "Connection[Order | None, Answer]", seconds: float) -> tuple[int, float]:
    """What a client says; raises BenchError for its error, its end, or its silence."""
    try:
        if not pipe.poll(seconds + _PATIENCE):
            raise BenchError(f"a client silent for {seconds + _PATIENCE:.0f} s, expected an answer")
        answer = pipe.recv()
    except EOFError:
        raise BenchError("a client has ended, expected an answer") from None
    if isinstance(answer, str):
        raise BenchError(f"a client failed: {answer}")
    return answer


def _serve(pipe: "Connection[Answer, Order | None]", place: Place, seed: int) -> None:
    """A client's life: play the next events of its games whenever it is told to."""
    running: dict[tuple[Name, Kind], Iterator[None]] = {}
    entered: dict[Name, Contestant] = {}
    try:
        script = scripts(1, seed)[0]
        pipe.send((0, 1.0))
        while (order := pipe.recv()) is not None:
            name, kind, seconds = order
            if name not in entered:
                entered[name] = enter(name, place)
            if (name, kind) not in running:
                running[name, kind] = _endless(entered[name], kind, script)
            pipe.send(_timed(running[name, kind], seconds))
    except EOFError:
        pass  # the parent has gone
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
        pipe.send(f"{type(error).__name__}: {error}")
    for contestant in entered.values():
        contestant.close()


def _endless(contestant: Contestant, kind: Kind, script: Script) -> Iterator[None]:
    play = contestant.appends if kind == "append" else contestant.records
    while True:
        yield from play(script)


def _timed(steps: Iterator[None], seconds: float) -> tuple[int, float]:
    """Take steps for so long; return how many, and the seconds they took."""
    begun = now = time.perf_counter()
    done = 0
    while now - begun < seconds:
        next(steps)
        done, now = done + 1, time.perf_counter()
    return done, now - begun
