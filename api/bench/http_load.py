"""The load: recorders who write acts down and look at the table, followers who are told, each in a process of its own.

Speaks plain HTTP through the standard library and not through `api.client`: what is measured is the service, on
the same two cores, and an attempt that a client repeats by itself would hide an error. Whatever
is no answer as expected ends the run with a BenchError: figures are of runs without an error.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse
from multiprocessing.connection import Connection
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

import msgspec

from api.bench.scripts import SEATS, Script, scripts
from events.errors import BenchError

RECORDERS: Final = 8
FOLLOWERS: Final = 50
PACE: Final = 0.25
"""Seconds between two acts of a table: people take several."""
PATIENCE: Final = 20
"""Seconds that any answer may take: a stream says something every 15."""
_JSON: Final = {"Content-Type": "application/json"}

Pipe: TypeAlias = "Connection[Any, Any]"


class Took(msgspec.Struct):
    """Seconds that appends and looks at the table took, and when each version of a game was sent."""

    appends: list[float] = []
    states: list[float] = []
    sent: dict[tuple[str, int], float] = {}


def record(pipe: Pipe, port: int, *, plain: bool) -> None:
    """Be the recorders: tell which games there are, wait to be told for how long, tell what it took."""
    tables = [_Table(port, script, plain=plain) for script in scripts(RECORDERS)]
    pipe.send([table.game_id for table in tables])
    seconds: float = pipe.recv()
    pipe.send(_each(tables, lambda number, table: table.play(seconds, PACE * number / RECORDERS)))


def follow(pipe: Pipe, port: int, games: Sequence[str]) -> None:
    """Be the followers: tell when all listen, wait to be told which version of each game is the last, tell when
    each version came to whom.
    """
    followers = [_Follower(port, games[number % len(games)]) for number in range(FOLLOWERS)]
    pipe.send(True)
    threading.Thread(target=_stop_at_the_last, args=(pipe, followers), daemon=True).start()
    pipe.send(_each(followers, lambda _, follower: follower.listen()))


class _Table:
    def __init__(self, port: int, script: Script, *, plain: bool) -> None:
        self._port, self._script, self._plain = port, script, plain
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.game_id = str(uuid4())
        seats = [{"id": str(UUID(int=1 + n)), "name": f"Player {n}"} for n in range(SEATS)]
        body = {"seats": seats, "mode": "recorded", "first_dealer": 0, "game_id": self.game_id}
        self._ask("POST", "/v1/games", json.dumps(body).encode())

    def play(self, seconds: float, later: float) -> Took:
        """Write the script down, an act a pace, and look at the table after each, for so long."""
        took = Took()
        # The server has let go of a connection that was silent while the followers came.
        self._connection.close()
        time.sleep(later)
        begun = time.monotonic()
        for version, body in enumerate(self._script.bodies[1:], 2):
            time.sleep(max(0.0, begun + (version - 2) * PACE - time.monotonic()))
            if time.monotonic() - begun > seconds:
                break
            took.sent[self.game_id, version] = time.monotonic()
            act = b'{"expected_version":%d,"events":[%s]}' % (version - 1, body)
            took.appends.append(self._ask("POST", f"/v1/games/{self.game_id}/events", act))
            took.states.append(self._ask("GET", f"/v1/games/{self.game_id}/state"))
        return took

    def _ask(self, method: str, path: str, body: bytes | None = None) -> float:
        begun = time.monotonic()
        headers = {**_JSON, "Idempotency-Key": str(uuid4())} if body else {}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != (201 if body and not self._plain else 200):
            raise BenchError(f"{method} {path} gave {answer.status}: {text[:200]!r}")
        return time.monotonic() - begun


class _Follower:
    def __init__(self, port: int, game_id: str) -> None:
        self.game_id = game_id
        self.version = 0
        """The last that has come."""
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.request("GET", f"/v1/games/{game_id}/stream")
        self._answer: HTTPResponse = self._connection.getresponse()
        self._stopped = False
        if self._answer.status != 200:
            raise BenchError(f"a stream gave {self._answer.status}")

    def listen(self) -> dict[tuple[str, int], float]:
        """Return when each version came, until stopped; raise BenchError for a gap or an end."""
        came: dict[tuple[str, int], float] = {}
        while line := self._line():
            if line.startswith(b"id: "):
                version = int(line[4:])
                if version != self.version + 1:
                    raise BenchError(
                        f"a stream went on with {version}, expected {self.version + 1}"
                    )
                came[self.game_id, version] = time.monotonic()
                self.version = version
        if not self._stopped:
            raise BenchError("a stream ended before it was stopped")
        return came

    def stop(self) -> None:
        """Hang up."""
        self._stopped = True
        if self._connection.sock is not None:
            self._connection.sock.shutdown(socket.SHUT_RDWR)

    def _line(self) -> bytes:
        try:
            return self._answer.readline()
        except OSError:
            return b""


def _stop_at_the_last(pipe: Pipe, followers: Sequence[_Follower]) -> None:
    """Hang up once the last version has come to everybody, or has taken longer than any may."""
    last: dict[str, int] = {}
    with suppress(EOFError):  # whoever would have told is gone
        last = pipe.recv()
    end = time.monotonic() + PATIENCE
    for follower in followers:
        while follower.version < last.get(follower.game_id, 0) and time.monotonic() < end:
            time.sleep(0.01)
        follower.stop()


def _each(those: Sequence[Any], work: Callable[[int, Any], Any]) -> list[Any]:
    """Return what each has done, all at the same time; raise the first error of any."""
    done: list[Any] = [None] * len(those)

    def run(number: int) -> None:
        try:
            done[number] = work(number, those[number])
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
            done[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(those))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for found in done:
        if isinstance(found, Exception):
            raise BenchError(f"{type(found).__name__}: {found}") from found
    return done
