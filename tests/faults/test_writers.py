"""Many who write at once while all is sealed and read: every accepted event is found once, in order."""

import itertools
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api import db
from events import store
from projections import feed
from projections.feed import Entry
from projections.sealer import Sealer
from projections.sessions import Session
from tests.faults import witness
from tests.postgres import Database, body, both_servers
from tests.projections.store import session
from tests.waiting import joined

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
WRITERS = 8
HOT, COLD = 5, 500


class Accepted(msgspec.Struct, frozen=True):
    """What a writer was told: these numbers were stored in this game, from this version on."""

    game_id: UUID
    first_version: int
    numbers: tuple[int, ...]


@pytest.fixture
def engine(database: Database) -> Iterator[Engine]:
    made = db.engine(replace(database.config, pool_size=2 * WRITERS))
    yield made
    made.dispose()


def opened(engine: Engine, count: int) -> list[UUID]:
    ids = [uuid4() for _ in range(count)]
    with engine.begin() as conn:
        for game_id in ids:
            store.open_game(conn, game_id, "rummy500", "recorded")
    return ids


class Reader(threading.Thread):
    """Reads the feed on from where it was, like any consumer, and seals unless others do."""

    def __init__(self, database: Database, *, seals: bool = True) -> None:
        super().__init__(daemon=True)
        self.seen: list[Entry] = []
        self._database, self._seals = database, seals
        self._stop_asked = threading.Event()

    def run(self) -> None:
        with session(self._database) as own:
            sealer = Sealer(own, 50)
            while True:
                is_last = self._stop_asked.is_set()
                rows = 0
                if self._seals:
                    done = sealer.round()
                    assert done is not None
                    rows = done.rows
                else:
                    self._stop_asked.wait(0.1)
                self._read(own)
                if is_last and not rows:
                    return

    def _read(self, own: Session) -> None:
        while page := feed.page(own, self.seen[-1].position if self.seen else 0, 20):
            self.seen += page

    def stop(self) -> None:
        self._stop_asked.set()


def write(
    engine: Engine,
    games: Sequence[UUID],
    numbers: Iterator[int],
    goes_on: Callable[[], bool],
    seed: int,
) -> list[Accepted]:
    """Append to games by chance; remember what was acknowledged."""
    chance, accepted = random.Random(seed), []
    while goes_on():
        game_id = chance.choice(games)
        mine = tuple(next(numbers) for _ in range(chance.randint(1, 3)))
        with engine.begin() as conn:
            answer = store.append(
                conn, game_id, None, uuid4(), bytes(32), WHO, [body(n) for n in mine]
            )
        accepted.append(Accepted(game_id, answer.first_version, mine))
    return accepted


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(lambda: Turns(25), id="quick"),
        pytest.param(lambda: Minute(60), id="minute", marks=pytest.mark.nightly),
    ],
)
def test_every_accepted_event_is_found_once_and_in_order(
    engine: Engine, database: Database, limit: Callable[[], Callable[[], bool]]
) -> None:
    hot, cold = opened(engine, HOT), opened(engine, COLD)
    numbers = itertools.count()
    reader = Reader(database)
    reader.start()
    try:
        with ThreadPoolExecutor(2 * WRITERS) as threads:
            writers = [
                threads.submit(write, engine, games, numbers, limit(), seed)
                for games in (hot, cold)
                for seed in range(WRITERS)
            ]
            accepted = [one for writer in writers for one in writer.result()]
    finally:
        reader.stop()
        joined(reader)
    found_once(engine, accepted)
    read_in_order(engine, reader.seen)
    witness.sound(engine)
    witness.ledger_covers_all(engine)


def found_once(engine: Engine, accepted: Sequence[Accepted]) -> None:
    with engine.connect() as conn:
        stored = {head.game_id: events for head, events in store.stream_all(conn)}
    for one in accepted:
        events = stored[one.game_id][one.first_version - 1 :]
        assert [event.body for event in events[: len(one.numbers)]] == [*map(body, one.numbers)]
    bodies = Counter(event.body for events in stored.values() for event in events)
    assert bodies == Counter(body(n) for one in accepted for n in one.numbers)
    assert set(bodies.values()) == {1}


def read_in_order(engine: Engine, seen: Sequence[Entry]) -> None:
    """What the reader saw while it went on is each game's versions from 1 to its last, in order."""
    versions: dict[UUID, list[int]] = defaultdict(list)
    for entry in seen:
        versions[entry.game_id] += range(entry.from_version, entry.to_version + 1)
    with engine.connect() as conn:
        last = {head.game_id: head.version for head, _ in store.stream_all(conn) if head.version}
    assert versions == {game_id: [*range(1, version + 1)] for game_id, version in last.items()}


class Turns:
    """Goes on for so many turns."""

    def __init__(self, turns: int) -> None:
        self._left = iter(range(turns))

    def __call__(self) -> bool:
        return next(self._left, None) is not None


class Minute:
    """Goes on for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def __call__(self) -> bool:
        return time.monotonic() < self._end
