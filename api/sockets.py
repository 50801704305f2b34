"""The service's end of a connection: bounds how slowly the other end may send and take, and notices that it is gone.

Whatever is lost here is a ConnectionResetError, which gunicorn passes over in silence: a client that is gone is
no fault of the service's. Knows no HTTP.
"""

import errno
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Final, TypeVar

GRACE: Final = 10.0
"""Seconds that a body may take at least, and that may pass without any of it."""
PACE: Final = 16 * 1024
"""Bytes a second that are expected of a body, and taken of an answer, beyond that."""
TAKING: Final = 60.0
"""Seconds for which a client may keep us waiting, in all, while it takes an answer."""
STAYING: Final = 20.0
"""Seconds for which whoever stays may leave what he was sent where it is, before he counts as gone."""
_WAITING: Final = 32 * 1024
"""Bytes, which Linux doubles, that wait here for one who stays and does not take them."""
# macOS has none: there one who is gone without a word shows only when TCP gives him up.
_UNANSWERED: Final[int | None] = getattr(socket, "TCP_USER_TIMEOUT", None)

S = TypeVar("S", bound="PatientSocket")


def _nothing() -> None:
    """Do nothing: what follows from staying where nobody asked."""


class PatientSocket(socket.socket):
    """A connection whose other end has to send and to take at some pace."""

    _since = 0.0
    _came = 0
    _kept = 0.0
    _took = 0
    _stays = False
    staying: Callable[[], None] = staticmethod(_nothing)
    """Called once it is known that the other end stays."""
    waiting: Callable[[], AbstractContextManager[None]] = staticmethod(nullcontext)
    """What holds while the other end is waited for, unless it stays."""

    @classmethod
    def of(cls: type[S], plain: socket.socket) -> S:
        """Return the same connection; the one given is used up."""
        family, kind, proto = plain.family, plain.type, plain.proto
        return cls(family, kind, proto, fileno=plain.detach())

    def begin(self) -> None:
        """Begin to count anew: a request comes."""
        self._since, self._came = time.monotonic(), 0
        self._kept, self._took = 0.0, 0
        self._stays = False

    @property
    def stays(self) -> bool:
        """Whether the other end is expected to be there for long."""
        return self._stays

    def stay(self) -> None:
        """Expect a client that is sent a little now and then, for long: one that is gone shows soon.

        One that does not read shows once its own buffer is full and this one, too, which is kept small.
        """
        self._stays = True
        self.staying()
        try:
            if _UNANSWERED is not None:
                self.setsockopt(socket.IPPROTO_TCP, _UNANSWERED, int(STAYING * 1000))
            self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WAITING)
        except OSError as error:
            raise _lost(error) from error

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        """Return what has come; raise ConnectionResetError if that was too slow."""
        try:
            data = self._come(bufsize, flags)
        except OSError as error:
            raise _lost(error) from error
        finally:
            self.settimeout(TAKING)
        self._came += len(data)
        return data

    def _come(self, bufsize: int, flags: int) -> bytes:
        left = self._since + GRACE + self._came / PACE - time.monotonic()
        if left > 0:
            self.settimeout(0.0)
            with suppress(BlockingIOError):
                return super().recv(bufsize, flags)
        with self._away():
            self.settimeout(min(max(left, 0.001), GRACE))
            return super().recv(bufsize, flags)

    def sendall(self, data: bytes, flags: int = 0, /) -> None:  # type: ignore[override]
        """Send all of it; raise ConnectionResetError if it is taken too slowly, by all that was kept waiting so far."""
        self._took += len(data)
        try:
            self.settimeout(0.0)
            sent = self._sent(data, flags)
            if sent < len(data):
                with self._away():
                    self._send_rest(memoryview(data)[sent:], flags)
        except OSError as error:
            raise _lost(error) from error
        finally:
            self.settimeout(TAKING)

    def _sent(self, data: bytes, flags: int) -> int:
        """Send what can be sent at once; return how much that was."""
        try:
            return super().send(data, flags)
        except BlockingIOError:
            return 0

    def _send_rest(self, data: memoryview, flags: int) -> None:
        left = STAYING if self._stays else TAKING + self._took / PACE - self._kept
        self.settimeout(max(left, 0.001))
        began = time.monotonic()
        super().sendall(data, flags)
        self._kept += time.monotonic() - began

    def _away(self) -> AbstractContextManager[None]:
        return nullcontext() if self._stays else self.waiting()

    def say(self, data: bytes) -> None:
        """Send what can be sent at once: never waits, and whoever is gone is not told."""
        try:
            self.settimeout(0.0)
            self.send(data)
        except OSError:
            return

    def cut(self) -> None:
        """Break off an answer that has begun, so that whoever reads it sees that it is not whole; for any thread."""
        if self._took:
            with suppress(OSError):
                self.shutdown(socket.SHUT_RDWR)

    def setblocking(self, flag: bool, /) -> None:
        """Block, but for no longer than a client may take for a part of an answer."""
        self.settimeout(TAKING if flag else 0.0)

    def taken(self, most: int, flags: int = 0) -> bytes | None:
        """Return what has come, None if nothing has, nothing if nothing will; never waits if it does not block."""
        try:
            return super().recv(most, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def is_gone(self) -> bool:
        """Tell whether the other end has closed, or counts as gone; never waits."""
        self.setblocking(False)
        try:
            return self.taken(1, socket.MSG_PEEK) == b""
        finally:
            self.setblocking(True)


def _lost(error: OSError) -> ConnectionResetError:
    return ConnectionResetError(errno.ECONNRESET, str(error) or "too slow")
