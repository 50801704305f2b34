"""gunicorn's threads, guarded from clients that are slow, many, or speak no HTTP.

A request gets a thread when the whole of its head has come: till then it waits with all others in one place, and
not for ever. What comes after that, too, has to come at some pace, and nobody has more than his share of threads
and connections (`api.shares`). Nothing here knows any address of the interface.
"""

import errno
import os
import socket
import sys
import time
from typing import Any, Final

from gunicorn.workers import gthread  # type: ignore[import-untyped]

from api import senders, shares, unread
from api.connections import MOST, PatientConn
from api.desks import Desks, Threads
from api.sockets import PatientSocket
from api.turns import Turns

HEAD: Final = unread.AGAIN
"""Seconds in which the head of a request has to come."""
_PAUSE: Final = 0.05
"""Seconds till another connection is taken, where the machine lacks something."""
_LINGER: Final = 2.0
_IDLE: Final = 0.5
"""Seconds that one who has asked for nothing gets once the service stops: his request may be on its way."""
_LAST: Final = 2.0
"""Seconds that a head which has begun to come gets then to be whole, and an answer which has begun to be given."""
_STEP: Final = 0.1
_FULL: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_SAY_AGAIN: Final = 10.0
"""Seconds between two lines of the log about the same want."""


class PatientWorker(gthread.ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker; only its main thread calls what is overridden here, but for `handle` and what it calls."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._until: dict[PatientConn, float] = {}
        """Connections of whose requests the head has not come, and until when it has to: who waits longest is first."""
        self._leaving: dict[PatientConn, float] = {}
        """Those that are over for us, and until when their clients may close them, too."""
        self._at_work: set[PatientConn] = set()
        self._stops: float | None = None
        """Since when it stops."""
        config = self.app.config
        share = shares.chosen(config)
        self._proxies: int = config.proxies
        self._open: Turns[None] = Turns(share.connections)
        self._is_shared = share.connections < self.worker_connections
        self._turns: Turns[PatientConn] = Turns(share.threads)
        self._desks = Desks(config.threads)
        self._said = 0.0
        self.max_keepalived = self.worker_connections

    def get_thread_pool(self) -> Threads:
        """Return a thread for every connection: whoever waits for his client must keep nobody else waiting."""
        return Threads(max_workers=self.worker_connections)

    def init_process(self) -> None:
        """Work till it is told to stop, and end the process: a copy of the master's, whose way out is not its own."""
        super().init_process()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

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
            unread.write(sock, "too_many_connections")
            sock.close()
            return
        self.nr_conns += 1
        conn = PatientConn(
            *(self.cfg, sock, client, listener.getsockname()),
            origin=who,
            leave=self._linger,
            closed=lambda: self._open.end(who),
        )
        sock.staying = lambda: self._see_off(conn)
        sock.waiting = self._desks.away
        self.enqueue_req(conn)

    def _make_room(self) -> None:
        """End a connection with nothing in work, of who has most of them, so that whoever comes next gets in."""
        who = self._open.foremost()
        idle = next((conn for conn in self.keepalived_conns if conn.origin == who), None)
        slow = next((conn for conn in self._until if conn.origin == who), None)
        if idle is not None:
            self.keepalived_conns.remove(idle)
            self.poller.unregister(idle.sock)
        elif slow is not None:
            self._forget(slow)
        ended = idle or slow or self._turns.drop(who)
        if ended is not None:
            self.nr_conns -= 1
            if ended is not idle:
                unread.write(ended.sock, "too_many_connections")
            ended.close()

    def _want(self, error: OSError) -> None:
        """Wait a moment for what the machine lacks: whoever is here already goes on, and frees it."""
        now = time.monotonic()
        if now - self._said > _SAY_AGAIN:
            self._said = now
            self.log.warning("no connection can be taken: %s", error.strerror)
        time.sleep(_PAUSE)

    def enqueue_req(self, conn: PatientConn) -> None:
        """Give a connection a thread as soon as the head of its next request has come."""
        conn.await_head()
        if conn.is_whole():  # what is read ahead is used up before more of it is taken
            self._begin(conn)
            return
        self._until[conn] = time.monotonic() + HEAD
        self.poller.register(conn.sock, gthread.selectors.EVENT_READ, lambda _: self._take(conn))
        self._take(conn)

    def _take(self, conn: PatientConn) -> None:
        more = conn.take()
        if conn.is_whole():
            self._forget(conn)
            self._begin(conn)
        elif not more:
            self._forget(conn)
            self.nr_conns -= 1
            conn.close()
        elif conn.is_too_large:
            self._give_up(conn, "headers_too_large")

    def _begin(self, conn: PatientConn) -> None:
        told = senders.forwarded(conn.head, self._proxies) if self._proxies else None
        conn.hand_over()
        conn.whose = senders.network_of(told or conn.client[0])
        if self._turns.begin(conn.whose, conn):
            self._work(conn)

    def _work(self, conn: PatientConn) -> None:
        conn.sock.begin()  # what it was sent before is not of this answer
        self._at_work.add(conn)
        super().enqueue_req(conn)

    def _forget(self, conn: PatientConn) -> None:
        del self._until[conn]
        self.poller.unregister(conn.sock)

    def handle(self, conn: PatientConn) -> Any:
        """Handle a request, from whose turn on its body has to come; in a thread."""
        self._desks.take()
        conn.sock.begin()
        try:
            return super().handle(conn)
        finally:
            if not conn.sock.stays:
                self._desks.leave()

    def _see_off(self, conn: PatientConn) -> None:
        """Count one no longer who stays to follow a game; in his thread."""
        self._desks.leave()
        self.method_queue.defer(self._give_back, conn)

    def _give_back(self, conn: PatientConn) -> None:
        """Count a connection's thread no longer, and let another of the same asker have his turn."""
        whose, conn.whose = conn.whose, None
        waiting = None if whose is None else self._turns.end(whose)
        if waiting is not None:
            self._work(waiting)

    def finish_request(self, conn: PatientConn, fs: Any) -> None:
        self._at_work.discard(conn)
        self._give_back(conn)
        super().finish_request(conn, fs)
        if not self.alive:
            self._cap_keepalive(time.monotonic() + _IDLE)

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
        data = conn.sock.taken(MOST)
        conn.drained += len(data or b"")
        if data == b"" or conn.drained > MOST:
            self._part(conn)

    def _part(self, conn: PatientConn) -> None:
        del self._leaving[conn]
        self.nr_conns -= 1
        self.poller.unregister(conn.sock)
        conn.close()

    def murder_pending(self) -> None:
        super().murder_pending()
        now = time.monotonic()
        if not self.alive:
            self._hurry(now)
        for conn in [conn for conn, until in self._until.items() if until <= now]:
            self._give_up(conn, "too_slow" if conn.head else None)
        for conn in [conn for conn, until in self._leaving.items() if until <= now]:
            self._part(conn)
        # Not where one is taken: what has come on the one that is ended may be about to be looked at.
        if self._is_shared and self.nr_conns >= self.worker_connections:
            self._make_room()

    def _hurry(self, now: float) -> None:
        """See that nobody holds up a service that stops, but for who is in work and has no answer yet."""
        if self._stops is None:
            self._stops = now
        last = self._stops + _LAST
        self._until = {
            conn: min(until, last if conn.head else now + _IDLE)
            for conn, until in self._until.items()
        }
        self._leaving = {conn: min(until, last) for conn, until in self._leaving.items()}
        if now >= last:
            for conn in self._at_work:
                conn.sock.cut()

    def _cap_keepalive(self, deadline: float) -> None:
        super()._cap_keepalive(min(deadline, time.monotonic() + _IDLE))

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        super().wait_for_and_dispatch_events(timeout if self.alive else min(timeout, _STEP))

    def _give_up(self, conn: PatientConn, code: str | None) -> None:
        """Close a connection whose head does not come, and say why if any of it has."""
        self._forget(conn)
        self.nr_conns -= 1
        if code is None:
            conn.close()
            return
        unread.write(conn.sock, code)
        conn.close(graceful=True)

    def handle_error(self, _req: Any, client: Any, _addr: Any, exc: BaseException) -> None:
        """Say what is wrong with a request that never got as far as the application."""
        code = unread.code_of(exc)
        if code is None:
            self.log.error("a request failed outside of the application", exc_info=exc)
            code = "internal_error"
        unread.write(client, code)
