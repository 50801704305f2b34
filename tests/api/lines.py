"""A line to a service that is bad on purpose: it carries bytes both ways, and cuts what the service says anywhere."""

import random
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

PATIENCE = 30


class Cutting:
    """Listens on loopback and leads to *url*; every answer is cut after a number of bytes, chance says how many.

    It stops cutting when it is told to, and cuts what is open then.
    """

    def __init__(self, url: str, seed: int, most: int) -> None:
        parts = urlsplit(url)
        self._to = (str(parts.hostname), int(parts.port or 80))
        self._chance, self._most = random.Random(seed), most
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.cuts = 0
        self.is_cutting = True
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> "Cutting":
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        self.cut()

    def cut(self) -> None:
        """Cut all that is open."""
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(self._to, PATIENCE)
        except OSError:
            near.close()
            return
        with near, far, self._kept(near, far):
            asking = threading.Thread(target=_pump, args=(near, far, None), daemon=True)
            asking.start()
            left = self._chance.randint(1, self._most) if self.is_cutting else None
            self.cuts += _pump(far, near, left)
            for one in (near, far):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            asking.join(PATIENCE)

    def _kept(self, *both: socket.socket) -> "_Kept":
        return _Kept(self._open, self._lock, both)


class _Kept:
    def __init__(
        self, those: set[socket.socket], lock: threading.Lock, both: tuple[socket.socket, ...]
    ) -> None:
        self._those, self._lock, self._both = those, lock, both

    def __enter__(self) -> None:
        with self._lock:
            self._those.update(self._both)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._those.difference_update(self._both)


def _pump(source: socket.socket, target: socket.socket, left: int | None) -> bool:
    """Carry bytes until there are no more, or so many were carried; tell whether it was cut."""
    with suppress(OSError):
        while left is None or left > 0:
            found = source.recv(65536)
            if not found:
                return False
            found = found if left is None else found[:left]
            target.sendall(found)
            left = None if left is None else left - len(found)
        return True
    return False


class Nonsense:
    """Listens on loopback and says the same bytes to whoever asks anything, then hangs up."""

    def __init__(self, said: bytes, times: int = 1) -> None:
        self._said, self._times = said, times
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.asked = 0
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> "Nonsense":
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                self.asked += 1
                with near, suppress(OSError):
                    near.settimeout(PATIENCE)
                    near.recv(65536)
                    for _ in range(self._times):
                        near.sendall(self._said)
                    # What was not read would be answered with a reset, which may overtake what was said.
                    near.shutdown(socket.SHUT_WR)
                    while near.recv(65536):
                        pass
