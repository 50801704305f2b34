"""A line between the program and PostgreSQL that breaks where a test says: before a statement or after its answer."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import make_url

from tests.postgres import Database

Loss = Literal["request", "answer"]
LOSSES: tuple[Loss, Loss] = ("request", "answer")

_SOCKET = ".s.PGSQL.5432"
_MOST = 65536


class Line:
    """Forwards every connection, and hangs up on one where it is told to."""

    def __init__(self, server: Path, listening: socket.socket) -> None:
        self._server, self._listening = server, listening
        self._wanted: Callable[[bytes], bool] | None = None
        self._loss: Loss = "answer"
        self.lost = 0
        """How often something was lost."""

    def lose(self, loss: Loss, what: Callable[[bytes], bool]) -> None:
        """Hang up once, on whoever next sends something that *what* is true of.

        With the answer lost, the server has done what it was asked before the client hears of the end.
        """
        self._loss, self._wanted = loss, what

    def url(self, url: str) -> str:
        """The same login over this line."""
        host, port = self._listening.getsockname()
        found = make_url(url).set(host=host, port=port, query={})
        return found.render_as_string(hide_password=False)

    def accept(self) -> None:
        """Forward what comes, until the socket is closed."""
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(str(self._server))
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if client in ready:
                    data = client.recv(_MOST)
                    if not data or self._is_lost(data, server):
                        return
                    server.sendall(data)
                if server in ready:
                    data = server.recv(_MOST)
                    if not data:
                        return
                    client.sendall(data)

    def _is_lost(self, data: bytes, server: socket.socket) -> bool:
        if self._wanted is None or not self._wanted(data):
            return False
        self._wanted, self.lost = None, self.lost + 1
        if self._loss == "answer":
            server.sendall(data)
            server.recv(_MOST)
        return True


def is_commit(data: bytes) -> bool:
    """Whether a transaction ends here."""
    return b"COMMIT\0" in data


@contextmanager
def line_to(database: Database) -> Iterator[Line]:
    """A line to the server of a test's database."""
    folder = make_url(database.app_url).query["host"]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        line = Line(Path(str(folder)) / _SOCKET, listening)
        threading.Thread(target=line.accept, daemon=True).start()
        yield line
        listening.shutdown(socket.SHUT_RDWR)  # or accept would go on waiting
