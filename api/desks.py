"""How many requests are worked on at the same time: whoever waits for his client works on nothing.

A request has a thread for itself from its head on, and threads that wait cost little. Work is what is scarce, and
has so many desks. Knows no HTTP.
"""

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import structlog

_log = structlog.get_logger("lanterlog.desks")


class Desks:
    """So many desks; who waits for one gets it in the order of coming."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._changing = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def take(self) -> None:
        """Wait for a desk and take it."""
        with self._changing:
            if self._free > 0:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def leave(self) -> None:
        """Give a desk back, to who waits longest if there is one to spare."""
        with self._changing:
            self._free += 1
            if self._free > 0 and self._waiting:
                self._free -= 1
                self._waiting.popleft().release()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Leave a desk for the length of the block.

        Who comes back waits for nobody: he may hold what those who sit at the desks wait for.
        """
        self.leave()
        try:
            yield
        finally:
            with self._changing:
                self._free -= 1


class Threads(ThreadPoolExecutor):
    """Threads for all who may wait; where the system gives no more of them, those that are there see to the work."""

    def _adjust_thread_count(self) -> None:
        try:
            super()._adjust_thread_count()
        except RuntimeError as error:
            if not self._threads:
                raise
            _log.warning("no thread more", threads=len(self._threads), reason=str(error))
