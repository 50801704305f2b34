"""Counts of requests in this process's memory: a number and an end for each sender and kind.

In place of the memory store of `limits`, which starts a thread for nearly every request to look for counts that are
over; here whoever counts does that, once a minute.
"""

import time
from threading import Lock
from typing import Any, Final

from limits.storage import Storage

SWEEP: Final = 60.0
"""Seconds between two looks for counts that are over."""


class Counts(Storage):
    """One process's counts; threads may share it."""

    STORAGE_SCHEME = ["counts"]  # noqa: RUF012 - as its base has it

    def __init__(self, uri: str | None = None, **options: Any) -> None:
        super().__init__(uri, **options)
        self._lock = Lock()
        self._counts: dict[str, tuple[int, float]] = {}
        self._swept = time.time()

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count, and return how many it makes; the first one says when they all are over, in seconds."""
        now = time.time()
        with self._lock:
            if now - self._swept > SWEEP:
                self._sweep(now)
            count, end = self._counts.get(key, (0, 0.0))
            count, end = (count + amount, end) if end > now else (amount, now + expiry)
            self._counts[key] = count, end
        return count

    def get(self, key: str) -> int:
        """Return how many there are."""
        count, end = self._counts.get(key, (0, 0.0))
        return count if end > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """Return when they are over, as a Unix time; now if there are none."""
        return max(self._counts.get(key, (0, 0.0))[1], time.time())

    def check(self) -> bool:
        """Tell whether counting works: it does as long as the process does."""
        return True

    def reset(self) -> int:
        """Forget everything; return how much it was."""
        with self._lock:
            found = len(self._counts)
            self._counts.clear()
        return found

    def clear(self, key: str) -> None:
        """Forget one count."""
        with self._lock:
            self._counts.pop(key, None)

    def _sweep(self, now: float) -> None:
        self._swept = now
        self._counts = {key: one for key, one in self._counts.items() if one[1] > now}
