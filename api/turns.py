"""Whose turn it is, where nobody may have more than his share at the same time: whoever has it waits for himself.

For one thread only. Pure.
"""

from collections import Counter, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Turns that askers have, at most *share* each, and what waits for one."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._had: Counter[str] = Counter()
        self._waiting: dict[str, deque[T]] = {}

    def take(self, who: str) -> bool:
        """Give a turn if there is one for him."""
        if self._had[who] >= self._share:
            return False
        self._had[who] += 1
        return True

    def foremost(self) -> str:
        """Return who has most, of those who have any."""
        return max(self._had, key=self._had.__getitem__)

    def drop(self, who: str) -> T | None:
        """Return what has waited least of what waits for him, which gets no turn any more."""
        waiting = self._waiting.get(who)
        if waiting is None:
            return None
        work = waiting.pop()
        if not waiting:
            del self._waiting[who]
        return work

    def begin(self, who: str, work: T) -> bool:
        """Give a turn if there is one for him, else keep the work until he gives one back."""
        if self.take(who):
            return True
        self._waiting.setdefault(who, deque()).append(work)
        return False

    def end(self, who: str) -> T | None:
        """Take a turn back; return what has it now, of those that waited."""
        waiting = self._waiting.get(who)
        if waiting is None:
            self._had -= Counter({who: 1})  # forgets who has none left
            return None
        work = waiting.popleft()
        if not waiting:
            del self._waiting[who]
        return work
