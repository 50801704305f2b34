"""gunicorn's threads, guarded from clients that are slow, many, or speak no HTTP.

A request gets a thread when the whole of its head has come: till then it waits with all others in one place, and
not for ever. What comes after that, too, has to come at some pace, and nobody has more than his share of threads
and connections (`api.shares`). Whatever is wrong with a request that gunicorn cannot even read is said as a
problem, like everything else. Nothing here knows any address of the interface.
"""

import errno
import socket
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import msgspec
from flask import Flask
from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers import gthread  # type: ignore[import-untyped]

from api import problems, senders, shares
from api.sockets import LOOK, PatientSocket
from api.turns import Turns

HEAD: Final = 10.0
"""Seconds in which the head of a request has to come."""
_PAUSE: Final = 0.05
"""Seconds between two looks at heads of which a part has come."""
_STOPPING: Final = 2.0
_LINGER: Final = 2.0
_ENDS: Final = (b"\r\n\r\n", b"\n\n")
_FULL: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_SAY_AGAIN: Final = 10.0
"""Seconds between two lines of the log about the same want."""

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


def check(_worker: Any, request: Any) -> None:
    """Refuse, before the application sees it, what another program on the way might read otherwise than gunicorn."""
    if request.version > (1, 1):
        raise errors.InvalidHTTPVersion(request.version)
    said = [(name, value.lower()) for name, value in request.headers]
    codings = {value.strip() for name, value in said if name == "TRANSFER-ENCODING"}
    if codings - {"chunked"}:
        raise errors.UnsupportedTransferCoding(", ".join(codings))
    options = ",".join(value for name, value in said if name == "CONNECTION").split(",")
    if "close" in map(str.strip, options):
        request.force_close()


def register(app: Flask) -> None:
    """Answer a body whose chunks cannot be read, which shows only while the application reads it."""
    app.register_error_handler(
        errors.ParseException,
        lambda _: problems.problem("bad_request", problems.CODES["bad_request"][1]),
    )


class PatientConn(gthread.TConn):  # type: ignore[misc]
    """A connection whose end nobody waits for: gunicorn's own holds up everybody till its client has closed it, too."""

    def __init__(
        self,
        *args: Any,
        leave: Callable[["PatientConn"], None],
        closed: Callable[[], object],
    ) -> None:
        super().__init__(*args)
        self._leave, self._closed = leave, closed
        self._is_closed = False
        self.drained = 0
        self.whose: str | None = None
        """Who has a turn for it."""

    @property
    def read_ahead(self) -> bytes:
        """What came behind the last request, and is read already."""
        buffered: bytes = self.parser.unreader.buf.getvalue() if self.initialized else b""
        return buffered

    def close(self, graceful: bool = False) -> None:
        """Close it or, gracefully, as soon as its client has read what it was sent."""
        if graceful:
            self._leave(self)
            return
        super().close()
        if not self._is_closed:
            self._is_closed = True
            self._closed()


class PatientWorker(gthread.ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker; only its main thread calls what is overridden here, but for `handle_error`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._until: dict[PatientConn, float] = {}
        """Connections of whose requests the head has not come, and until when it has to."""
        self._begun: list[PatientConn] = []
        """Those of which a part has come."""
        self._leaving: dict[PatientConn, float] = {}
        """Those that are over for us, and until when their clients may close them, too."""
        config = self.app.config
        share = shares.chosen(config)
        self._proxies: int = config.proxies
        self._open: Turns[None] = Turns(share.connections)
        self._turns: Turns[PatientConn] = Turns(share.threads)
        self._said = 0.0

    def accept(self, listener: Any) -> None:
        try:
            plain, client = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno == errno.EINVAL:  # it listens no longer: we are about to be stopped
                return
            if error.errno not in _FULL:
                raise
            self._want(error)
            return
        sock, who = PatientSocket.of(plain), senders.network_of(client[0])
        if not self._open.take(who):
            _write(sock, "too_many_connections")
            sock.close()
            return
        self.nr_conns += 1
        conn = PatientConn(
            *(self.cfg, sock, client, listener.getsockname()),
            leave=self._linger,
            closed=lambda: self._open.end(who),
        )
        sock.staying = lambda: self.method_queue.defer(self._give_back, conn)
        self.enqueue_req(conn)

    def _want(self, error: OSError) -> None:
        """Wait a moment for what the machine lacks: whoever is here already goes on, and frees it."""
        now = time.monotonic()
        if now - self._said > _SAY_AGAIN:
            self._said = now
            self.log.warning("no connection can be taken: %s", error.strerror)
        time.sleep(_PAUSE)

    def enqueue_req(self, conn: PatientConn) -> None:
        conn.sock.begin()
        conn.sock.setblocking(False)
        self._until[conn] = time.monotonic() + HEAD
        self._look(conn, is_watched=False)

    def _look(self, conn: PatientConn, *, is_watched: bool) -> None:
        """Give a connection a thread if its head has come; else see that it is looked at again."""
        came = conn.sock.peeked()
        head = conn.read_ahead + (came or b"")
        is_whole = len(head) >= LOOK or any(end in head for end in _ENDS)
        if came is None and not is_whole:
            if not is_watched:
                self.poller.register(conn.sock, gthread.selectors.EVENT_READ, self._on_part(conn))
            return
        if is_watched:
            self.poller.unregister(conn.sock)
        if came and not is_whole:
            self._begun.append(conn)
            return
        self._until.pop(conn)
        conn.data_ready = True
        told = senders.forwarded(head, self._proxies)
        conn.whose = senders.network_of(told or conn.client[0])
        if self._turns.begin(conn.whose, conn):
            super().enqueue_req(conn)

    def _on_part(self, conn: PatientConn) -> Any:
        return lambda _: self._look(conn, is_watched=True)

    def _give_back(self, conn: PatientConn) -> None:
        """Count a connection's thread no longer, and let another of the same asker have his turn."""
        whose, conn.whose = conn.whose, None
        waiting = None if whose is None else self._turns.end(whose)
        if waiting is not None:
            super().enqueue_req(waiting)

    def finish_request(self, conn: PatientConn, fs: Any) -> None:
        self._give_back(conn)
        super().finish_request(conn, fs)

    def _linger(self, conn: PatientConn) -> None:
        """Say that nothing follows, and read what still comes: closing at once would cut off the answer."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            conn.close()
            return
        self.nr_conns += 1  # gunicorn has taken it off; while it is open it counts
        conn.sock.setblocking(False)
        self._leaving[conn] = time.monotonic() + _LINGER
        self.poller.register(conn.sock, gthread.selectors.EVENT_READ, lambda _: self._drain(conn))

    def _drain(self, conn: PatientConn) -> None:
        data = conn.sock.taken()
        conn.drained += len(data or b"")
        if data == b"" or conn.drained > LOOK:
            self._part(conn)

    def _part(self, conn: PatientConn) -> None:
        del self._leaving[conn]
        self.nr_conns -= 1
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

    def _give_up(self, conn: PatientConn) -> None:
        del self._until[conn]
        has_begun = conn in self._begun
        if has_begun:
            self._begun.remove(conn)
        else:
            self.poller.unregister(conn.sock)
        if has_begun or conn.read_ahead:
            _write(conn.sock, "too_slow")
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


def _write(client: PatientSocket, code: str) -> None:
    """Send the problem of a code and say that nothing follows; waits for nobody who does not take it."""
    status, title = problems.CODES[code]
    request_id = uuid4().hex[:16]
    body = msgspec.json.encode(problems.body_of(code, title, request_id))
    again = {"Retry-After": f"{HEAD:.0f}"} if status == HTTPStatus.TOO_MANY_REQUESTS else {}
    of_it = {"Content-Length": str(len(body)), "X-Request-Id": request_id}
    head = _head(status, of_it | again)
    client.say(head + body)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    fixed = {
        "Server": "lanterlog",
        "Date": util.http_date(),
        "Content-Type": problems.MEDIA_TYPE,
        "Content-Language": "en",
        "Connection": "close",
        "Cache-Control": "no-store",
    }
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [
        f"{name}: {value}" for name, value in {**fixed, **problems.GUARDED, **headers}.items()
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
