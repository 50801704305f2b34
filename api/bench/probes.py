"""One connection to an archive, asked for one thing at a time: a game replayed, an event appended. Measures nothing else."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, Engine
from uuid_utils.compat import uuid7

from api import db
from api.bench.group import OURS, Row, Unit
from api.bench.growing import engine_of
from api.bench.place import Place
from api.bench.scripts import LENGTH, scripts
from events import store
from events.codec import decode_log
from events.game import fold
from events.games import RUMMY500

_REQUEST: Final = bytes(32)
_RECORDER: Final = UUID(int=1)


class Probe:
    """One connection to one of the archives: replays a game, or appends an event to a new one."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._conn: Connection = db.autocommit(engine).connect()
        self.game_id = uuid7()
        self._bodies = scripts(1)[0].bodies
        self._version = 0
        store.open_game(self._conn, self.game_id, RUMMY500.name, "recorded")

    def hasten(self) -> None:
        """Wait for no disk from now on."""
        self._conn.exec_driver_sql("SET synchronous_commit = off")

    def replay(self, game_id: UUID) -> Any:
        """Read, decode, fold."""
        bodies = store.read_bodies(self._conn, game_id)
        return fold(RUMMY500, decode_log(RUMMY500.name, bodies))

    def append(self) -> None:
        """Append the next event to this probe's own game."""
        body, version = self._bodies[self._version % LENGTH], self._version
        self._version += 1
        store.append(self._conn, self.game_id, version, uuid4(), _REQUEST, _RECORDER, [body])

    def close(self) -> None:
        """Give the connection back."""
        self._conn.close()
        self._engine.dispose()


def cold(place: Place, ids: Sequence[UUID]) -> Iterator[Row]:
    """Replay each game for the first time since the server started, then again."""
    assert place.config.database_url is not None
    probe = Probe(engine_of(place.config.database_url))
    probe.append()
    probe.replay(probe.game_id)  # has the statement prepared, and the program warm
    for key in ("replay_cold", "replay_warm"):
        took = [milliseconds(probe.replay, one) for one in ids]
        yield median_row(key, "ms", {OURS: took}, keep=False)
    probe.close()


def milliseconds(work: Callable[..., object], *given: object) -> float:
    """Return how long something takes."""
    begun = time.perf_counter()
    work(*given)
    return (time.perf_counter() - begun) * 1000


def median_row(key: str, unit: Unit, found: dict[str, list[float]], *, keep: bool = True) -> Row:
    """Return a row of medians."""
    medians = {name: statistics.median(figures) for name, figures in found.items() if figures}
    return Row(key, unit, medians, found if keep else {})
