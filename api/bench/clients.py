"""The clients: processes, since threads of one Python would wait for one another, and since one that hangs
in a driver can be ended from outside.

Each has its own connections and its own games. They wait for orders in between, so that all contestants
are measured with the same processes, in turns. None outlives the block, also after Ctrl-C.
"""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, TypeAlias

import msgspec

from api.bench.contest import Kind, Name
from api.bench.place import Place
from api.bench.scripts import scripts as scripts_of
from api.bench.worker import Order, serve
from events.errors import BenchError

PATIENCE: Final = 120.0
"""Seconds that a client may take to answer."""
STAYING: Final = 8
"""Clients that keep their connections to everybody; the server takes a hundred in all."""
_FORKS: Final = multiprocessing.get_context("forkserver")
_LOADED: Final = ("api.bench.worker", "api.bench.ours", "api.bench.plain", "api.bench.rival")
"""What all clients need, loaded once for all of them."""

Pipe: TypeAlias = "Connection[Any, Any]"


class Burst(msgspec.Struct, frozen=True):
    """What some clients stored together: events that were acknowledged, events a second, milliseconds of each."""

    acknowledged: int
    rate: float
    took: list[float]


class Clients:
    """Client processes that wait for orders. Every method raises BenchError if one fails or is silent."""

    def __init__(self, pipes: list[Pipe]) -> None:
        self._pipes = pipes

    def burst(self, name: Name, kind: Kind, number: int, seconds: float) -> Burst:
        """Let so many clients store events together; they leave afterwards, if they are more than may stay."""
        found = self._all(number, ("steps", name, (kind, seconds)))
        if number > STAYING:
            self._all(number, ("leave", name, ()))
        rates = [len(took) * 1000 / sum(took) for _, took in found]
        return Burst(
            sum(stored for stored, _ in found),
            sum(rates),
            [one for _, took in found for one in took],
        )

    def bring_in(self, name: Name, games: int, number: int = 1) -> float:
        """Events a second that so many clients import together, each so many games."""
        return sum(map(float, self._all(number, ("bring_in", name, (games,)))))

    def replays(self, name: Name, first: int, runs: int) -> list[float]:
        """Milliseconds that the first client takes for one replay after another, of games imported before."""
        found: list[float] = self._alone(("replays", name, (first, runs)))
        return found

    def walk(self, name: Name) -> float:
        """Events a second at which the first client goes through the archive."""
        return float(self._alone(("walk", name, ())))

    def _all(self, number: int, order: Order) -> list[Any]:
        busy = self._pipes[:number]
        for pipe in busy:
            pipe.send(order)
        return [_answer(pipe) for pipe in busy]

    def _alone(self, order: Order) -> Any:
        self._pipes[0].send(order)
        return _answer(self._pipes[0])


@contextmanager
def clients(place: Place, number: int, scripts: int) -> Iterator[Clients]:
    """So many clients, ready; their processes have ended when the block is left.

    The first one has `scripts` different games to import.
    """
    _FORKS.set_forkserver_preload(list(_LOADED))
    pairs = [_FORKS.Pipe() for _ in range(number)]
    own = scripts_of(min(number, STAYING))
    processes = [
        _FORKS.Process(
            target=serve, args=(theirs, place, own[seed % len(own)], scripts), daemon=True
        )
        for seed, (_, theirs) in enumerate(pairs)
    ]
    try:
        with _interrupted_later():
            for process in processes:
                process.start()
        for _, theirs in pairs:
            theirs.close()
        for ours, _ in pairs:
            _answer(ours)
        yield Clients([ours for ours, _ in pairs])
        for ours, _ in pairs:
            ours.send(None)
        for process in processes:
            process.join(5)
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Have what ends a run wait until the block is left, so that no process is started and not known; none is lost."""
    came: list[int] = []
    before = {
        one: signal.signal(one, lambda number, _: came.append(number))
        for one in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _answer(pipe: Pipe) -> Any:
    """What a client says; raises BenchError for its error, its end, or its silence."""
    try:
        if not pipe.poll(PATIENCE):
            raise BenchError(f"a client silent for {PATIENCE:.0f} s, expected an answer")
        good, answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise BenchError("a client has ended, expected an answer") from None
    if not good:
        raise BenchError(f"a client failed: {answer}")
    return answer
