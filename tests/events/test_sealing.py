"""`seal` in the database: one order without gaps, chained, and nobody can write another."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import psycopg as pg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from events import intake, store
from events.chain import NIL_HEAD, ledger_hash
from events.errors import StaleVersion
from tests.postgres import Cluster, Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]

LEDGER = """
SELECT position, previous, game_id, from_version, to_version, head,
  (extract(epoch FROM sealed_at) * 1000000)::bigint FROM lanterlog.ledger ORDER BY position"""
INSERT = """
INSERT INTO lanterlog.ledger (position, previous, game_id, from_version, to_version, head, sealed_at)
VALUES (%s, %s, %s, %s, %s, %s, to_timestamp(%s / 1000000.0))"""


def seal(database: Database, limit: int = 1000) -> tuple[int, int, int]:
    """One round: rows, events, last position."""
    with connected(database.worker_url) as conn:
        row = conn.exec_driver_sql("SELECT * FROM lanterlog.seal(%s)", (limit,)).one()
        conn.commit()
        return row[0], row[1], row[2]


def ledger(database: Database) -> list[Any]:
    with connected(database.worker_url) as conn:
        return [tuple(row) for row in conn.exec_driver_sql(LEDGER)]


def append(engine: Engine, game_id: UUID, *bodies: bytes) -> None:
    with engine.begin() as conn:
        store.append(conn, game_id, None, uuid4(), bytes(32), uuid4(), bodies)


def check(engine: Engine, database: Database) -> list[Any]:
    """Positions, links and ranges of the whole ledger; return its rows."""
    rows = ledger(database)
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    assert [row[1] for row in rows] == [NIL_HEAD, *(ledger_hash(*row) for row in rows)][: len(rows)]
    with engine.begin() as conn:
        for game_id in {row[2] for row in rows}:
            own = [row for row in rows if row[2] == game_id]
            assert own[0][3] == 1
            assert all(a[4] + 1 == b[3] for a, b in pairwise(own))
            hashes = {event.version: event.hash for event in store.read(conn, game_id)}
            assert [row[5] for row in own] == [hashes[row[4]] for row in own]
    return rows


def test_every_append_is_found_once_and_in_order(engine: Engine, database: Database) -> None:
    first, second = opened_game(engine, body(), body()), opened_game(engine, body())
    append(engine, first, body())
    assert seal(database) == (2, 4, 2)
    append(engine, second, body(), body())
    assert seal(database) == (1, 2, 3)
    rows = check(engine, database)
    assert {(row[2], row[3], row[4]) for row in rows} == {
        (first, 1, 3),
        (second, 1, 1),
        (second, 2, 3),
    }
    with connected(database.worker_url) as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM lanterlog.outbox").scalar_one() == 0


def test_nothing_to_seal_is_no_row(database: Database) -> None:
    assert seal(database) == (0, 0, 0)


def test_a_round_takes_no_more_than_it_is_told(engine: Engine, database: Database) -> None:
    games = [opened_game(engine, body()) for _ in range(7)]
    assert seal(database, 3) == (3, 3, 3)
    for _ in range(3):
        seal(database, 3)
    assert sorted(row[2] for row in check(engine, database)) == sorted(games)


def test_a_hot_game_keeps_no_other_waiting(engine: Engine, database: Database) -> None:
    low, high = sorted([opened_game(engine, body()), opened_game(engine, body())])
    for _ in range(3):
        append(engine, low, body())
        seal(database, 1)
    assert high in {row[2] for row in check(engine, database)[:2]}


@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_a_dispute_comes_after_the_log_that_it_is_about(
    engine: Engine, database: Database, limit: int
) -> None:
    """Whatever their ids, and however few rows a round takes."""
    games = [opened_game(engine, body()) for _ in range(2)]
    seal(database)
    games += [opened_game(engine, body(), body()) for _ in range(3)]
    disputed: dict[UUID, tuple[UUID, int]] = {}
    for number, game_id in enumerate(games, 1):
        append(engine, game_id, body())
        with engine.begin() as conn:
            at = store.head(conn, game_id).version
        for dispute in (UUID(int=number), UUID(int=2**128 - number)):
            disputed[dispute] = game_id, at
            with engine.begin() as conn:
                store.open_game(conn, dispute, "dispute", "recorded", kind="dispute")
            about = json.dumps({"t": "dispute_opened", "game_id": str(game_id)}).encode()
            append(engine, dispute, about)
            append(engine, dispute, body())
    while seal(database, limit)[0]:
        pass
    sealed: dict[UUID, int] = {}
    for row in check(engine, database):
        game, at = disputed.get(row[2], (row[2], 0))
        assert sealed.get(game, 0) >= at
        sealed[row[2]] = row[4]
    assert disputed.keys() <= sealed.keys()


def test_a_long_append_in_parts_stays_in_order(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine)
    for _ in range(9):
        append(engine, game_id, body(), body())
    while seal(database, 2)[0]:
        pass
    assert [row[4] for row in check(engine, database)] == [4, 8, 12, 16, 18]


def test_an_appender_idle_in_transaction_is_not_waited_for(
    engine: Engine, database: Database
) -> None:
    parked, other = opened_game(engine), opened_game(engine)
    with engine.connect() as conn:
        store.append(conn, parked, 0, uuid4(), bytes(32), uuid4(), [body()])
        append(engine, other, body())
        assert seal(database) == (1, 1, 1)
        conn.commit()
    assert seal(database) == (1, 1, 2)
    check(engine, database)


def test_an_appender_does_not_wait_for_a_round(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine, body())
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(10)")
        append(engine, game_id, body())
        append(engine, opened_game(engine), body())
        conn.commit()
    assert seal(database)[1] == 2
    check(engine, database)


def test_what_commits_late_comes_late_and_is_not_lost(engine: Engine, database: Database) -> None:
    """Writes game A, then B, which another session wrote in between."""
    a, b = opened_game(engine), opened_game(engine)
    with engine.connect() as conn:
        store.append(conn, a, None, uuid4(), bytes(32), uuid4(), [body()])
        append(engine, b, body())
        seal(database)
        store.append(conn, b, None, uuid4(), bytes(32), uuid4(), [body()])
        conn.commit()
    seal(database)
    assert len(check(engine, database)) == 3


def test_another_database_holds_nothing_up(
    engine: Engine, database: Database, cluster: Cluster
) -> None:
    """A transaction left open elsewhere on the server, writing: feeds that go by its number stand still."""
    with cluster.empty() as other, connected(str(other.migration_database_url)) as conn:
        conn.exec_driver_sql("CREATE TABLE anything AS SELECT 1")
        opened_game(engine, body())
        assert seal(database) == (1, 1, 1)
        conn.rollback()


def test_refused_appends_burn_no_position(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine, body())
    for _ in range(50):
        with engine.connect() as conn, pytest.raises(StaleVersion):
            store.append(conn, game_id, 0, uuid4(), bytes(32), uuid4(), [body()])
        with engine.connect() as conn:
            store.append(conn, game_id, 1, uuid4(), bytes(32), uuid4(), [body()])
            conn.rollback()
    append(engine, game_id, body())
    assert seal(database) == (1, 2, 1)
    check(engine, database)


def test_writers_and_rounds_at_once(engine: Engine, database: Database) -> None:
    """Every event that was accepted is found once and in order, while hot games are written by several."""
    games = [opened_game(engine) for _ in range(3)]
    accepted: list[int] = []

    def write(number: int) -> None:
        for turn in range(25):
            append(engine, games[(number + turn) % 3], body(), body())
            accepted.append(2)

    with ThreadPoolExecutor(5) as threads:
        writers = [threads.submit(write, number) for number in range(4)]
        while not all(writer.done() for writer in writers):
            seal(database, 7)
        for writer in writers:
            writer.result()
    while seal(database)[0]:
        pass
    rows = check(engine, database)
    assert sum(row[4] - row[3] + 1 for row in rows) == sum(accepted) == 200


def test_an_import_is_sealed_like_an_append(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine, body(), body())
    with engine.begin() as conn:
        head, events = store.head(conn, game_id), store.read(conn, game_id)
    with connected(database.superuser_url) as conn:
        for table in ("outbox", "commands", "events", "games"):
            conn.exec_driver_sql(f"ALTER TABLE lanterlog.{table} DISABLE TRIGGER ALL")
            conn.exec_driver_sql(f"DELETE FROM lanterlog.{table}")
            conn.exec_driver_sql(f"ALTER TABLE lanterlog.{table} ENABLE TRIGGER ALL")
        conn.commit()
    with engine.begin() as conn:
        intake.import_game(conn, head, events, [], uuid4())
    assert seal(database) == (1, 2, 1)
    check(engine, database)


def test_a_round_undone_leaves_no_gap(engine: Engine, database: Database) -> None:
    opened_game(engine, body())
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(10)")
        conn.rollback()
    assert seal(database) == (1, 1, 1)
    check(engine, database)


def test_only_one_session_seals(engine: Engine, database: Database) -> None:
    opened_game(engine, body())
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql(
            "SELECT pg_advisory_lock(hashtext('lanterlog'), hashtext('sealer'))"
        ).one()
        with pytest.raises(DBAPIError, match="another session is sealing"):
            seal(database)
    assert seal(database) == (1, 1, 1)


def test_positions_go_past_31_bits(engine: Engine, database: Database) -> None:
    """The row before is written by a superuser without triggers, as no test can seal for so long."""
    game_id = opened_game(engine, body())
    row = (2**31 - 1, NIL_HEAD, uuid4(), 1, 1, NIL_HEAD, 1_700_000_000_000_000)
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger DISABLE TRIGGER check_ledger")
        conn.exec_driver_sql(INSERT, row)
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER check_ledger")
        conn.commit()
    assert seal(database) == (1, 1, 2**31)
    append(engine, game_id, body())
    assert seal(database) == (1, 1, 2**31 + 1)
    rows = ledger(database)
    assert [row[1] for row in rows[1:]] == [ledger_hash(*row) for row in rows[:-1]]


def test_a_clock_set_back_does_not_turn_times_round(engine: Engine, database: Database) -> None:
    """Like a clock set back: the row before is from tomorrow."""
    opened_game(engine, body())
    late = 4_000_000_000_000_000
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger DISABLE TRIGGER check_ledger")
        conn.exec_driver_sql(INSERT, (1, NIL_HEAD, uuid4(), 1, 1, NIL_HEAD, late))
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER check_ledger")
        conn.commit()
    assert seal(database) == (1, 1, 2)
    assert ledger(database)[1][6] == late


def refused(conn: Connection, row: tuple[object, ...]) -> str | None:
    with pytest.raises(DBAPIError) as error:
        conn.exec_driver_sql(INSERT, row)
    conn.rollback()
    assert isinstance(error.value.orig, pg.Error)
    return error.value.orig.sqlstate


@pytest.mark.parametrize("replica", [False, True])
def test_a_row_that_does_not_follow_is_refused(
    engine: Engine, database: Database, replica: bool
) -> None:
    game_id = opened_game(engine, body(), body())
    seal(database)
    append(engine, game_id, body())
    [last] = ledger(database)
    with engine.begin() as conn:
        head = store.head(conn, game_id)
    right = (2, ledger_hash(*last), game_id, 3, 3, head.head, last[6] + 1)
    wrong: list[dict[int, object]] = [
        {0: 3}, {0: 1}, {1: NIL_HEAD}, {2: uuid4()}, {3: 2}, {3: 4, 4: 4}, {4: 4}, {5: NIL_HEAD},
        {6: last[6] - 1},
    ]  # fmt: skip
    url = database.superuser_url if replica else database.owner_url
    with connected(url, None if replica else "lanterlog_owner") as conn:
        if replica:
            conn.exec_driver_sql("SET session_replication_role = replica")
            conn.commit()
        for changes in wrong:
            row = tuple(changes.get(at, value) for at, value in enumerate(right))
            assert refused(conn, row) == "LL012", changes
        conn.exec_driver_sql(INSERT, right)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_hash_has_a_twin_in_the_database(database: Database, data: st.DataObject) -> None:
    int4, int8 = st.integers(1, 2**31 - 1), st.integers(1, 2**63 - 1)
    hash32 = st.binary(min_size=32, max_size=32)
    times = st.integers(0, 4_000_000_000).map(lambda seconds: seconds * 1_000_000)
    row = data.draw(st.tuples(int8, hash32, st.uuids(), int4, int4, hash32, times))
    with connected(database.app_url) as conn:
        twin = conn.exec_driver_sql(
            "SELECT lanterlog.ledger_hash(%s, %s, %s, %s, %s, %s, to_timestamp(%s / 1000000))", row
        )
        assert twin.scalar_one() == ledger_hash(*row)
