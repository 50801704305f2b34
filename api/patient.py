"""gunicorn's threads, guarded from clients that are slow or speak no HTTP.

A request gets a thread when the whole of its head has come: till then it waits with all others in one place,
and not for ever. What comes after that, too, has to come at some pace. Whatever is wrong with a request that
gunicorn cannot even read is said as a problem, like everything else. Nothing here knows any address.
"""

import socket
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec
from flask import Flask
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers import gthread  # type: ignore[import-untyped]

from api import problems

HEAD: Final = 10.0
"""Seconds in which the head of a request has to come."""
GRACE: Final = 10.0
"""Seconds that a body may take at least, and that may pass without any of it."""
PACE: Final = 16 * 1024
"""Bytes a second that are expected of a body beyond that."""
TAKING: Final = 60.0
"""Seconds in which a client has to take a part of an answer."""
_LOOK: Final = 64 * 1024
_PAUSE: Final = 0.05
"""Seconds between two looks at heads of which a part has come."""
_STOPPING: Final = 2.0
_LINGER: Final = 2.0
_ENDS: Final = (b"\r\n\r\n", b"\n\n")

_CODES: Final[tuple[tuple[type[Exception], str], ...]] = (
    (errors.LimitRequestLine, "address_too_long"),
    (errors.LimitRequestHeaders, "headers_too_large"),
    (errors.ExpectationFailed, "expectation_failed"),
    (errors.UnsupportedTransferCoding, "unknown_coding"),
)
_UNREADABLE: Final = (
    *(errors.InvalidRequestLine, errors.InvalidRequestMethod, errors.InvalidHTTPVersion),
    *(errors.InvalidHeader, errors.InvalidHeaderName, errors.ObsoleteFolding),
    *(errors.InvalidChunkSize, errors.ChunkMissingTerminator, errors.InvalidChunkExtension),
    *(errors.InvalidProxyLine, errors.InvalidSchemeHeaders, errors.InvalidH2CPreface),
)

S = TypeVar("S", bound="PatientSocket")


def register(app: Flask) -> None:
    """Answer a body whose chunks cannot be read, which shows only while the application reads it."""
    app.register_error_handler(
        errors.ParseException,
        lambda _: problems.problem("bad_request", problems.CODES["bad_request"][1]),
    )


class PatientSocket(socket.socket):
    """A connection whose other end has to send and to take at some pace."""

    _since = 0.0
    _came = 0

    @classmethod
    def of(cls: type[S], plain: socket.socket) -> S:
        """Return the same connection; the one given is used up."""
        family, kind, proto = plain.family, plain.type, plain.proto
        return cls(family, kind, proto, fileno=plain.detach())

    def begin(self) -> None:
        """Begin to count anew: a request comes."""
        self._since, self._came = time.monotonic(), 0

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        """Return what has come; raise ConnectionResetError if that was too slow."""
        left = self._since + GRACE + self._came / PACE - time.monotonic()
        try:
            self.settimeout(min(max(left, 0.001), GRACE))
            data = super().recv(bufsize, flags)
        except TimeoutError as error:
            raise ConnectionResetError(104, "too slow") from error
        finally:
            self.settimeout(TAKING)
        self._came += len(data)
        return data

    def setblocking(self, flag: bool, /) -> None:
        """Block, but for no longer than a client may take for a part of an answer."""
        self.settimeout(TAKING if flag else 0.0)

    def peeked(self) -> bytes | None:
        """Return what has come and is not read yet, None if nothing has; never waits."""
        return self.taken(socket.MSG_PEEK)

    def taken(self, flags: int = 0) -> bytes | None:
        """Return what has come, None if nothing has, nothing if nothing will; never waits."""
        try:
            return super().recv(_LOOK, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class PatientConn(gthread.TConn):  # type: ignore[misc]
    """A connection whose end nobody waits for: gunicorn's own holds up everybody till its client has closed it, too."""

    def __init__(self, *args: Any, leave: Callable[["PatientConn"], None]) -> None:
        super().__init__(*args)
        self._leave = leave
        self.drained = 0

    def close(self, graceful: bool = False) -> None:
        """Close it or, gracefully, as soon as its client has read what it was sent."""
        if graceful:
            self._leave(self)
        else:
            super().close()


class PatientWorker(gthread.ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker; only its main thread calls what is overridden here, but for `handle_error`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._until: dict[Any, float] = {}
        """Connections of whose requests the head has not come, and until when it has to."""
        self._begun: list[Any] = []
        """Those of which a part has come."""
        self._leaving: dict[PatientConn, float] = {}
        """Those that are over for us, and until when their clients may close them, too."""

    def accept(self, listener: Any) -> None:
        try:
            plain, client = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        sock = PatientSocket.of(plain)
        self.enqueue_req(
            PatientConn(self.cfg, sock, client, listener.getsockname(), leave=self._linger)
        )

    def enqueue_req(self, conn: Any) -> None:
        conn.sock.begin()
        if conn.initialized and conn.parser.unreader.buf.getvalue():
            super().enqueue_req(conn)
            return
        self._until[conn] = time.monotonic() + HEAD
        self._look(conn, is_watched=False)

    def _look(self, conn: Any, *, is_watched: bool) -> None:
        """Give a connection a thread if its head has come; else see that it is looked at again."""
        came = conn.sock.peeked()
        if came is None:
            if not is_watched:
                conn.sock.setblocking(False)
                self.poller.register(conn.sock, gthread.selectors.EVENT_READ, self._on_part(conn))
            return
        if is_watched:
            self.poller.unregister(conn.sock)
        if came and len(came) < _LOOK and not any(end in came for end in _ENDS):
            self._begun.append(conn)
            return
        self._until.pop(conn)
        conn.data_ready = True
        super().enqueue_req(conn)

    def _on_part(self, conn: Any) -> Any:
        return lambda _: self._look(conn, is_watched=True)

    def _linger(self, conn: PatientConn) -> None:
        """Say that nothing follows, and read what still comes: closing at once would cut off the answer."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            conn.close()
            return
        conn.sock.setblocking(False)
        self._leaving[conn] = time.monotonic() + _LINGER
        self.poller.register(conn.sock, gthread.selectors.EVENT_READ, lambda _: self._drain(conn))

    def _drain(self, conn: PatientConn) -> None:
        data = conn.sock.taken()
        conn.drained += len(data or b"")
        if data == b"" or conn.drained > _LOOK:
            self._part(conn)

    def _part(self, conn: PatientConn) -> None:
        del self._leaving[conn]
        self.poller.unregister(conn.sock)
        conn.close()

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        super().wait_for_and_dispatch_events(min(timeout, _PAUSE) if self._begun else timeout)
        begun, self._begun = self._begun, []
        for conn in begun:
            self._look(conn, is_watched=False)

    def murder_pending(self) -> None:
        super().murder_pending()
        now = time.monotonic()
        if not self.alive:
            # An idle connection must not hold up a service that stops.
            latest = now + _STOPPING
            self._until = {conn: min(until, latest) for conn, until in self._until.items()}
        for conn in [conn for conn, until in self._until.items() if until <= now]:
            self._give_up(conn)
        for conn in [conn for conn, until in self._leaving.items() if until <= now]:
            self._part(conn)

    def _give_up(self, conn: Any) -> None:
        del self._until[conn]
        if conn in self._begun:
            self._begun.remove(conn)
            conn.sock.setblocking(False)
            _write(conn.sock, "too_slow")
        else:
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def handle_error(self, _req: Any, client: Any, _addr: Any, exc: BaseException) -> None:
        """Say what is wrong with a request that never got as far as the application."""
        code = next((code for kind, code in _CODES if isinstance(exc, kind)), None)
        if code is None and isinstance(exc, _UNREADABLE):
            code = "bad_request"
        if code is None:
            self.log.error("a request failed outside of the application", exc_info=exc)
            code = "internal_error"
        _write(client, code)


def _write(client: Any, code: str) -> None:
    """Send the problem of a code and say that nothing follows; whoever is gone is not told."""
    status, title = problems.CODES[code]
    request_id = uuid4().hex[:16]
    body = msgspec.json.encode(problems.body_of(code, title, request_id))
    head = _head(status, {"Content-Length": str(len(body)), "X-Request-Id": request_id})
    try:
        client.sendall(head + body)
    except OSError:
        return


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    fixed = {
        "Content-Type": problems.MEDIA_TYPE,
        "Connection": "close",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in {**fixed, **headers}.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
