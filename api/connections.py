"""A connection of gunicorn's on which the heads of requests are awaited without a thread, and whose end nobody waits for.

Only the main thread calls what is here.
"""

from collections.abc import Callable
from typing import Any, Final

from gunicorn.workers import gthread  # type: ignore[import-untyped]

MOST: Final = 64 * 1024
"""Bytes of a head, and of what a client still sends that is told to stop."""
_ENDS: Final = (b"\r\n\r\n", b"\n\n")


class PatientConn(gthread.TConn):  # type: ignore[misc]
    """A connection whose end nobody waits for: gunicorn's own holds up everybody till its client has closed it, too."""

    def __init__(
        self,
        *args: Any,
        origin: str,
        leave: Callable[["PatientConn"], None],
        closed: Callable[[], object],
    ) -> None:
        super().__init__(*args)
        self.origin = origin
        """The address that it comes from, as it is counted."""
        self._leave, self._closed = leave, closed
        self._is_closed = False
        self._head = bytearray()
        self._sought = 0
        self.drained = 0
        self.whose: str | None = None
        """Who has a turn for it."""

    @property
    def head(self) -> bytes:
        """What has come of a request whose head is not whole yet, or not known to be."""
        return bytes(self._head)

    @property
    def is_too_large(self) -> bool:
        """Whether that is more than any head that is read."""
        return len(self._head) >= MOST

    def await_head(self) -> None:
        """Wait for the head of the next request, of which a part may have come behind the last one."""
        self.init()
        self.sock.setblocking(False)
        self._head[:], self._sought = self.parser.unreader.take_buffered(), 0

    def take(self) -> bool:
        """Take what has come of the head; tell whether more may come."""
        data: bytes | None = self.sock.taken(MOST)
        self._head += data or b""
        return data != b""

    def is_whole(self) -> bool:
        """Tell whether the head has come; each byte is looked at once, however few come at a time."""
        since = max(0, self._sought - len(_ENDS[0]) + 1)
        self._sought = len(self._head)
        return any(self._head.find(end, since) >= 0 for end in _ENDS)

    def hand_over(self) -> None:
        """Give what has come to who reads requests."""
        self.parser.unreader.unread(self.head)
        self._head.clear()

    def close(self, graceful: bool = False) -> None:
        """Close it or, gracefully, as soon as its client has read what it was sent."""
        if graceful:
            self._leave(self)
            return
        super().close()
        if not self._is_closed:
            self._is_closed = True
            self._closed()
