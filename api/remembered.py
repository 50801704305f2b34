"""An answer that is good for a while: asked for once, however many want it meanwhile.

For what costs the database something and what anybody may ask for again and again. Knows no request.
"""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """What `find` returned less than `seconds` ago; who comes while it is being found waits for it."""

    def __init__(self, find: Callable[[], T], seconds: float) -> None:
        self._find, self._seconds = find, seconds
        self._finding = threading.Lock()
        self._found: tuple[float, T] | None = None

    def get(self) -> T:
        """Return the answer, found anew if it is too old; raises whatever `find` raises."""
        with self._finding:
            if self._found is None or time.monotonic() - self._found[0] > self._seconds:
                answer = self._find()
                self._found = time.monotonic(), answer
            return self._found[1]
