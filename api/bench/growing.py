"""An archive that grows: games played by bots and by the rules, repeated under new ids, taken in in bulk.

On a server of its own, that can be started again. Measures nothing but how long taking in takes.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec
from sqlalchemy import Engine
from sqlalchemy.engine import make_url

from api import db
from api.bench.chained import whole
from api.bench.scripts import LENGTH, scripts
from api.bench.tables import FORMS, logs
from api.commands import crew
from api.config import Config
from events import bulk
from events.codec import encode
from events.errors import StoreBusy

BATCH: Final = 10_000
"""Events of a transaction, about."""
_ALIKE: Final = 3
"""Of so many different games by bots of each form, and of those of `LENGTH` events, the archive is made."""
_RECORDER: Final = UUID(int=1)

Game = tuple[str, list[bytes]]
"""The name of its rules, and its bodies."""
Batch = list[int]
"""Numbers of games among those that are repeated."""


class Grown(msgspec.Struct, frozen=True):
    """What came in: events, how many a second, and the ids of the games of `LENGTH` events."""

    events: int
    rate: float
    even: list[UUID]


def repertoire() -> list[Game]:
    """Return the games that are repeated: half of the events 500 Rummy, half Loo of three forms."""
    made: list[Game] = [("rummy500", script.bodies) for script in scripts(2 * _ALIKE)]
    for form, one in FORMS.items():
        games = logs(form, _ALIKE)
        made += [(one.game, [encode(event) for event in events]) for events in games]
    return made


def grow(engine: Engine, games: Sequence[Game], upto: int, there: int, jobs: int) -> Grown:
    """Take in games until there are so many events, by so many processes."""
    batches = list(_batches(games, upto - there))
    begun = time.perf_counter()
    if jobs == 1:
        done = [_take_in(engine, games, batch) for batch in batches]
    else:
        url = engine.url.render_as_string(hide_password=False)
        done = list(crew.spread(_task, iter(batches), jobs, _join, (url, list(games))))
    with engine.connect() as conn, suppress(StoreBusy):
        bulk.clear(conn)
        conn.commit()
    events = sum(count for count, _ in done)
    even = [game_id for _, ids in done for game_id in ids]
    return Grown(events, events / (time.perf_counter() - begun), even)


def engine_of(url: str, database: str | None = None) -> Engine:
    """Return an engine with a single connection, as the program makes it, on this or another database."""
    found = make_url(url) if database is None else make_url(url).set(database=database)
    shown = found.render_as_string(hide_password=False)
    return db.engine(Config(database_url=shown, home=Path("/"), pool_size=2))


def _batches(games: Sequence[Game], events: int) -> Iterator[Batch]:
    batch, size, number = Batch(), 0, 0
    while events > 0:
        length = len(games[number % len(games)][1])
        batch.append(number % len(games))
        size, events, number = size + length, events - length, number + 1
        if size >= BATCH or events <= 0:
            yield batch
            batch, size = [], 0


def _take_in(engine: Engine, games: Sequence[Game], batch: Batch) -> tuple[int, list[UUID]]:
    with crew.uncollected():
        wholes = [whole(*games[number]) for number in batch]
        with engine.begin() as conn:
            bulk.take_in(conn, wholes, _RECORDER, is_checked=True)
    even = [one.head.game_id for one in wholes if _is_even(one)]
    return sum(one.head.version for one in wholes), even


def _is_even(one: bulk.Whole) -> bool:
    return one.head.game == "rummy500" and one.head.version == LENGTH


_JOINED: list[tuple[Engine, list[Game]]] = []
"""What a process has that takes games in, which ends with it."""


def _join(url: str, games: list[Game]) -> None:
    _JOINED.append((engine_of(url), games))


def _task(batch: Batch) -> tuple[int, list[UUID]]:
    return _take_in(*_JOINED[0], batch)
