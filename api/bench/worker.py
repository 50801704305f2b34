"""A client's life: wait for an order, carry it out against the clock, answer.

Runs in a process of its own; every measured second passes here.
"""

import signal
import time
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing.connection import Connection
from typing import Any, Final
from uuid import UUID

from api.bench.contest import LANTERLOG, PLAIN, Contestant, Kind, Name, enter
from api.bench.place import Place
from api.bench.scripts import LENGTH, Script, scripts

TOGETHER: Final = 40
"""Games that an import stores in one transaction."""

Order = tuple[str, Name, tuple[Any, ...]]


def serve(pipe: "Connection[Any, Any]", place: Place, own: Script, number: int) -> None:
    """Carry out orders until None comes or the parent is gone; answers are (True, figure) or (False, why).

    Ctrl-C is the parent's affair, who ends his clients.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = _Worker(place, own, number)
    orders: dict[str, Callable[..., Any]] = {
        "steps": worker.steps,
        "leave": worker.leave,
        "bring_in": worker.bring_in,
        "replays": worker.replays,
        "walk": worker.walk,
    }
    try:
        pipe.send((True, None))
        while (order := pipe.recv()) is not None:
            what, name, details = order
            pipe.send((True, orders[what](name, *details)))
    except (EOFError, ConnectionError):
        pass  # the parent is gone
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
        pipe.send((False, f"{type(error).__name__}: {error}"))
    worker.close()


class _Worker:
    def __init__(self, place: Place, own: Script, number: int) -> None:
        self._place = place
        self._own = own
        self._number = number
        self._entered: dict[Name, Contestant] = {}
        self._running: dict[tuple[Name, Kind], Iterator[None]] = {}
        self._ids: dict[Name, list[UUID]] = {}

    def steps(self, name: Name, kind: Kind, seconds: float) -> tuple[int, list[float]]:
        """Store an event, and then events for so long; return how many in all, and the milliseconds of the others.

        The next call goes on with the same game.
        """
        key = (name, kind)
        if key not in self._running:
            self._running[key] = _endless(self._contestant(name), kind, self._own)
        next(self._running[key])
        took = _paced(self._running[key], seconds)
        return 1 + len(took), took

    def leave(self, name: Name) -> None:
        """Give a contestant's connections back, which comes again with new ones."""
        self._running = {key: one for key, one in self._running.items() if key[0] != name}
        if (found := self._entered.pop(name, None)) is not None:
            found.close()

    def bring_in(self, name: Name, games: int) -> float:
        """Import so many games; return events a second."""
        known = _games(self._number)
        batch = [known[index % len(known)] for index in range(games)]
        contestant, ids = self._contestant(name), self._ids.setdefault(name, [])
        begun = time.perf_counter()
        for first in range(0, games, TOGETHER):
            ids += contestant.bring_in(batch[first : first + TOGETHER])
        return games * LENGTH / (time.perf_counter() - begun)

    def replays(self, name: Name, first: int, runs: int) -> list[float]:
        """Replay imported games in turn, each contestant the same; return milliseconds of each.

        The plain table is a copy of the store's rows by now.
        """
        ids = self._ids[LANTERLOG if name == PLAIN else name]
        replay = self._contestant(name).replay
        return [_milliseconds(replay, ids[run % len(ids)]) for run in range(first, first + runs)]

    def walk(self, name: Name) -> float:
        """Go through the archive; return events a second."""
        contestant = self._contestant(name)
        begun = time.perf_counter()
        return contestant.walk() / (time.perf_counter() - begun)

    def close(self) -> None:
        for contestant in self._entered.values():
            contestant.close()

    def _contestant(self, name: Name) -> Contestant:
        if name not in self._entered:
            self._entered[name] = enter(name, self._place)
        return self._entered[name]


@cache
def _games(number: int) -> list[Script]:
    return scripts(number)


def _endless(contestant: Contestant, kind: Kind, script: Script) -> Iterator[None]:
    play = contestant.appends if kind == "append" else contestant.records
    while True:
        yield from play(script)


def _paced(steps: Iterator[None], seconds: float) -> list[float]:
    """Take steps for so long; return the milliseconds of each."""
    begun = now = time.perf_counter()
    took: list[float] = []
    while now - begun < seconds:
        next(steps)
        before, now = now, time.perf_counter()
        took.append((now - before) * 1000)
    return took


def _milliseconds(replay: Callable[[UUID], object], game_id: UUID) -> float:
    begun = time.perf_counter()
    replay(game_id)
    return (time.perf_counter() - begun) * 1000
