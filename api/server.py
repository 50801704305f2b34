"""gunicorn around the application: one process with threads, on a socket that is already listening.

The master holds the database's share and nothing else; the worker makes the application after the fork,
so that no connection is shared.
"""

import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Final

import structlog
from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http import wsgi  # type: ignore[import-untyped]

from api import create_app, logs, shares, streams, unread
from api.beside import Beside
from api.config import Config
from api.embedded import Embedded
from events.errors import EmbeddedError

SILENCE: Final = 120
"""Seconds after which a process whose main thread hangs is killed and replaced; requests may take longer."""
KEEPALIVE: Final = 5
"""Seconds for which a connection is kept for another request: longer than a proxy's own is of no use."""
LIMITS: Final = {
    "limit_request_line": 4094,
    "limit_request_fields": 64,
    "limit_request_field_size": 8190,
}
"""Bytes of the request line, how many headers, bytes of each."""
_FILES: Final = 64
"""Files that a process has open besides its connections, those to the database, and imports."""
_NAME: Final = "lanterlog"
"""What answers say of who gave them: not which program of which version."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - for the heartbeat: a slow disk must not look like a process that hangs


class Server(BaseApplication):  # type: ignore[misc]
    """The service, from the moment its links are printed until it has stopped."""

    def __init__(
        self,
        config: Config,
        listening: socket.socket,
        lines: Sequence[str],
        beside: Beside | None = None,
        own: Embedded | None = None,
    ) -> None:
        self._config = config
        self._beside = beside
        self._own = own
        self.listening = listening
        self._lines = lines
        # Not so under nohup.
        self._ends_with_terminal = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
        super().__init__()

    @property
    def config(self) -> Config:
        """The settings of the service, for the worker."""
        return self._config

    def serve(self) -> int:
        """Serve until SIGTERM, SIGINT or SIGHUP; return the exit code."""
        logs.configure()
        wsgi.SERVER = _NAME  # there is no setting for it
        with self._beside or nullcontext():
            try:
                _Master(self).run()
            except SystemExit as stop:
                return stop.code if isinstance(stop.code, int) else 1
        return 0

    def keep(self) -> None:
        """See that the worker beside the service and a database of ours are alive; called every second."""
        if self._own is not None:
            self._revive(self._own)
        if self._beside is not None:
            self._beside.keep()

    def let_go(self) -> None:
        """Let the worker beside the service leave, while the service itself stops."""
        if self._beside is not None:
            self._beside.forget()

    def _revive(self, own: Embedded) -> None:
        try:
            if own.revive():
                structlog.get_logger().warning("the database had died and was started again")
        except EmbeddedError as error:
            structlog.get_logger().error("the database has died", reason=str(error)[:300])

    def load_config(self) -> None:
        settings: dict[str, Any] = {
            # The socket's own descriptor: gunicorn closes the copy that it is given.
            "bind": f"fd://{os.dup(self.listening.fileno())}",
            "worker_class": "api.patient.PatientWorker",
            "workers": 1,
            "threads": self._config.threads,
            "worker_connections": _held(self._config),
            "pre_request": unread.check,
            "graceful_timeout": self._config.grace,
            "timeout": SILENCE,
            "keepalive": KEEPALIVE,
            # What a proxy tells is taken by the application, from as many as it is told of, and nowhere else.
            "secure_scheme_headers": {},
            "forwarded_allow_ips": "",
            "worker_tmp_dir": str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None,
            **LIMITS,
            "loglevel": "warning",
            "logger_class": _Log,
            "proc_name": "lanterlog",
            "control_socket_disable": True,
            "when_ready": self._ready,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Make the application, in the worker."""
        # The master hears these too, and sees to an orderly end. A worker that began to leave by itself could
        # be hit by the master's signal halfway, and be reported as killed.
        for number in (signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        self.let_go()
        app = create_app(self._config)
        unread.register(app)
        _end_streams_on_stop(app)
        return app

    def _ready(self, arbiter: Any) -> None:
        if self._ends_with_terminal:
            # gunicorn would load its settings anew; ours went away with the terminal.
            signal.signal(signal.SIGHUP, lambda *_: arbiter.signal(signal.SIGTERM, None))
        else:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        sys.stdout.write("\n".join(self._lines) + "\n")
        sys.stdout.flush()


def _held(config: Config) -> int:
    """Return how many connections this process can hold: as many as it should, if the system lets it have the files."""
    wanted = shares.all_of(config).connections
    besides = _FILES + 2 * config.pool_size + config.threads
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted + besides:
        most = wanted + besides
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, min(wanted, soft - besides))
    return wanted


class _Log(Logger):  # type: ignore[misc]
    """gunicorn's own messages, in the log of the service: as lines of the same form, without secrets."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in list(self.error_log.handlers):
            self.error_log.removeHandler(handler)
        self.error_log.addHandler(logs.Through())


class _Master(Arbiter):  # type: ignore[misc]
    def stop(self, graceful: bool = True) -> None:
        # Whoever comes now is refused by the system at once, and asks another process: as long as anybody has the
        # socket open he would be let in, and never be answered. Not every system does that for a listening one.
        with suppress(OSError):
            self.app.listening.shutdown(socket.SHUT_RDWR)
        self.app.let_go()
        super().stop(graceful)

    def manage_workers(self) -> None:
        super().manage_workers()
        self.app.keep()


def _end_streams_on_stop(app: Flask) -> None:
    """Let those who follow games go as soon as the worker is told to stop: they would wait out its grace."""
    stop = signal.getsignal(signal.SIGTERM)

    def stopping(number: int, frame: Any) -> None:
        app.extensions[streams.KEY].close()
        if callable(stop):
            stop(number, frame)

    signal.signal(signal.SIGTERM, stopping)
