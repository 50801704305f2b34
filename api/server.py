"""gunicorn around the application: one process with threads, on a socket that is already listening.

The master holds the database's share and nothing else; the worker makes the application after the fork,
so that no connection is shared.
"""

import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]

from api import create_app, logs, streams
from api.beside import Beside
from api.config import Config

THREADS = 16
"""For requests that end by themselves; each stream that may be followed takes one more."""
GRACE = 10
"""Seconds that requests get to finish after SIGTERM."""


class Server(BaseApplication):  # type: ignore[misc]
    """The service, from the moment its links are printed until it has stopped."""

    def __init__(
        self,
        config: Config,
        listening: socket.socket,
        lines: Sequence[str],
        beside: Beside | None = None,
    ) -> None:
        self._config = config
        self._beside = beside
        self._listening = listening
        self._lines = lines
        # Not so under nohup.
        self._ends_with_terminal = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
        super().__init__()

    def serve(self) -> int:
        """Serve until SIGTERM, SIGINT or SIGHUP; return the exit code."""
        with self._beside or nullcontext():
            try:
                _Master(self).run()
            except SystemExit as stop:
                return stop.code if isinstance(stop.code, int) else 1
        return 0

    def keep(self) -> None:
        """See that the worker beside the service is alive; called every second."""
        if self._beside is not None:
            self._beside.keep()

    def load_config(self) -> None:
        settings = {
            # The socket's own descriptor: gunicorn closes the copy that it is given.
            "bind": f"fd://{os.dup(self._listening.fileno())}",
            "worker_class": "gthread",
            "workers": 1,
            "threads": THREADS + self._config.max_streams,
            "graceful_timeout": GRACE,
            "timeout": 120,
            "keepalive": 5,
            "loglevel": "warning",
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
        if self._beside is not None:
            self._beside.forget()
        logs.configure()
        app = create_app(self._config)
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


class _Master(Arbiter):  # type: ignore[misc]
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
