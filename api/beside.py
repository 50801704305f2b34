"""A worker beside the service: a process of its own, alive exactly as long as the service is.

The service holds one end of a pipe to it. However the service ends, the pipe ends with it, and then the worker
leaves, too; signals from a terminal do not reach it. Killed at any moment, a worker leaves nothing half done.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from types import TracebackType
from typing import Final, Self

from api import logs
from projections.worker import Worker

PATIENCE: Final = 5
"""Seconds that a worker may take to leave before it is killed."""
HEAD_START: Final = 1
"""Seconds that the service has the machine to itself at first, to answer the sooner."""
PAUSE: Final = 5
"""Seconds that a worker has to live before one that died is replaced."""


class Beside:
    """The service's hold on its worker; *url* is the worker's login."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._process: subprocess.Popen[bytes] | None = None
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        self._since = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.forget()
        if self._process is None:
            return
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def keep(self) -> None:
        """Begin a worker once the service is up, and another one if it has died, unless it died at once."""
        age = time.monotonic() - self._since
        if self._process is None:
            if age > HEAD_START:
                self._begin()
        elif self._process.poll() is not None and age > PAUSE:
            self.forget()
            self._begin()

    def forget(self) -> None:
        """Let go of the pipe: the worker leaves when nobody holds it any more."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _begin(self) -> None:
        self._since = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "api.beside"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        # Through the pipe, not among the words: the URL may hold a password.
        self._process.stdin.write(self._url.encode() + b"\n")
        self._process.stdin.flush()


def main() -> None:
    """Work until standard input ends."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    logs.configure()
    url = sys.stdin.buffer.readline().decode().strip()
    threading.Thread(target=_wait_for_the_end, args=(stop,), daemon=True).start()
    if url:
        Worker(url, stop, logs.tell_troubles).run()
    sys.stderr.flush()
    os._exit(0)  # what a process does to end in order takes longer than all of its work here


def _wait_for_the_end(stop: threading.Event) -> None:
    sys.stdin.buffer.read()
    stop.set()


if __name__ == "__main__":
    main()
