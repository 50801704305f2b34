"""Whoever reads the feed sees every event once and in order, whichever way it came and however late it committed."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, Thread
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from api import db
from events import bulk, erasure, intake, recorder, store
from events.common import GameOpened
from events.errors import StaleVersion
from events.rummy500.ruleset import SEED
from events.version import ENGINE
from projections import feed
from projections.worker import Worker
from tests.events.test_bulk import whole
from tests.events.test_store_concurrency import append, at_once
from tests.faults import witness
from tests.postgres import Cluster, Database, body, both_servers, connected, opened_game
from tests.projections.store import log_of, rows, seal, session, take_in
from tests.waiting import PATIENCE, joined, until

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
MANY = 20


@pytest.fixture
def engine(database: Database) -> Iterator[Engine]:
    """A pool that holds a connection for everybody."""
    made = db.engine(replace(database.config, pool_size=MANY))
    yield made
    made.dispose()


def one(conn: Connection, game_id: UUID) -> None:
    store.append(conn, game_id, None, uuid4(), bytes(32), WHO, [body()])


def several(conn: Connection, game_id: UUID) -> None:
    store.append(conn, game_id, None, uuid4(), bytes(32), WHO, [body(n) for n in range(9)])


def opening(conn: Connection, _: UUID) -> None:
    seats = (str(uuid4()), str(uuid4()))
    opened = GameOpened(
        game="rummy500", ruleset=SEED, engine=ENGINE, seats=seats, first_dealer=0,
        mode="refereed", source=None,
    )  # fmt: skip
    recorder.open_game(conn, opened, recorded_by=WHO)


def imported(conn: Connection, _: UUID) -> None:
    game = whole()
    intake.import_game(conn, game.head, game.events, [], WHO)


def imported_in_bulk(conn: Connection, _: UUID) -> None:
    bulk.take_in(conn, [whole()], WHO)


def administration(conn: Connection, _: UUID) -> None:
    erasure.erase(conn, uuid4(), "own", WHO)


WAYS = (one, several, opening, imported, imported_in_bulk, administration)


@contextmanager
def transaction(
    way: Callable[..., None], engine: Engine, database: Database
) -> Iterator[Connection]:
    if way is administration:
        with db.as_owner(database.config) as owner, owner.connect() as conn:
            yield conn
    else:
        with engine.connect() as conn:
            yield conn


@pytest.mark.parametrize("way", WAYS)
def test_what_commits_late_is_read_late_and_never_passed_over(
    engine: Engine, database: Database, way: Callable[..., None]
) -> None:
    """By every way in which events come: a reader that was past it already would lose it for ever."""
    game_id = opened_game(engine)
    with transaction(way, engine, database) as late, session(database) as own:
        way(late, game_id)
        quick = opened_game(engine, body())
        seal(database)
        first = feed.page(own, 0)
        assert [entry.game_id for entry in first] == [quick]
        late.commit()
        seal(database)
        second = feed.page(own, first[-1].position)
        assert len(second) == 1
        assert second[0].game_id != quick
    witness.ledger_covers_all(engine)


@pytest.mark.parametrize("way", WAYS)
def test_whoever_rests_in_a_transaction_holds_nobody_up(
    engine: Engine, database: Database, way: Callable[..., None]
) -> None:
    """Neither others who append, nor the sealer, nor the read models; only the same game waits."""
    game_id = opened_game(engine)
    log = log_of(engine, take_in(engine, "worked-examples.txt")[0])
    stop = Event()
    worker = Thread(
        target=Worker(database.worker_url, stop, lambda *_, **__: None).run, daemon=True
    )
    worker.start()
    try:
        with transaction(way, engine, database) as late:
            way(late, game_id)
            games = [opened_game(engine, *log) for _ in range(3)]
            until(lambda: witness.is_up_to_date(engine))
            found = {row[0] for row in rows(database, "catalogue_games")}
            assert found >= set(games)
            late.commit()
    finally:
        stop.set()
        joined(worker)
    witness.seal_all(database)
    witness.ledger_covers_all(engine)


def test_another_databases_transaction_holds_up_no_reader(
    engine: Engine, database: Database, cluster: Cluster
) -> None:
    with (
        cluster.empty() as other,
        connected(str(other.migration_database_url)) as conn,
        session(database) as own,
    ):
        conn.exec_driver_sql("CREATE TABLE anything AS SELECT txid_current()")
        game_id = opened_game(engine, body())
        seal(database)
        assert [entry.game_id for entry in feed.page(own, 0)] == [game_id]
        conn.rollback()


def test_twenty_at_once_after_whatever_is_there(engine: Engine) -> None:
    game_id = opened_game(engine)
    answers = at_once(
        *(lambda n=n: append(engine, game_id, None, uuid4(), body(n)) for n in range(MANY))
    )
    assert all(isinstance(answer, store.Appended) for answer in answers)
    with engine.connect() as conn:
        stored = store.read(conn, game_id)
    assert sorted(event.body for event in stored) == sorted(body(n) for n in range(MANY))


def test_twenty_at_once_after_one_version(engine: Engine) -> None:
    game_id = opened_game(engine, body())
    answers = at_once(
        *(lambda n=n: append(engine, game_id, 1, uuid4(), body(n)) for n in range(MANY))
    )
    assert [isinstance(answer, store.Appended) for answer in answers].count(True) == 1
    assert [isinstance(answer, StaleVersion) for answer in answers].count(True) == MANY - 1
    with engine.connect() as conn:
        assert len(store.read(conn, game_id)) == 2


def test_a_thousand_refused_appends_leave_no_hole(engine: Engine, database: Database) -> None:
    """Four who race for every version: each is taken once, and positions stay without a gap."""
    game_id, rounds = opened_game(engine, body()), 250
    together = Barrier(4)

    def race() -> int:
        refused = 0
        for version in range(1, rounds + 1):
            together.wait(PATIENCE)
            answer = append(engine, game_id, version, uuid4(), body(version))
            refused += isinstance(answer, StaleVersion)
            # The one that won must not be ahead of those that are still to be refused.
            together.wait(PATIENCE)
            stale = append(engine, game_id, version - 1, uuid4(), body(version))
            refused += isinstance(stale, StaleVersion)
        return refused

    with ThreadPoolExecutor(4) as threads:
        racing = [threads.submit(race) for _ in range(4)]
        seen, after = [], 0
        with session(database) as own:
            while not all(one.done() for one in racing):
                seal(database)
                for entry in feed.page(own, after):
                    seen.append((entry.from_version, entry.to_version))
                    after = entry.position
    assert sum(one.result() for one in racing) == 7 * rounds
    seal(database)
    witness.ledger_covers_all(engine)
    with engine.connect() as conn:
        assert store.head(conn, game_id).version == rounds + 1
    versions = [version for first, last in seen for version in range(first, last + 1)]
    assert versions == list(range(1, len(versions) + 1))
