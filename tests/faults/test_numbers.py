"""Clocks that go wrong and numbers that grow large: order never depends on a time, and no id loses a digit."""

from typing import Any
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import Engine

from events import scan, store
from projections import feed
from projections.status import status
from tests.api.conftest import MakeApp, make_app
from tests.api.table import Client, Table
from tests.postgres import Database, body, both_servers, connected, opened_game
from tests.projections.store import append, checkpoint, keep, log_of, opened, seal, session, take_in

__all__ = ["make_app"]

pytestmark = [pytest.mark.store, both_servers]

FUTURE = 4_102_444_800_000_000
"""The year 2100, in microseconds since 1970."""
EXACT = 2**53
"""The largest number that every reader of JSON keeps."""


def test_a_game_from_the_future_keeps_its_order_and_holds_up_no_other(
    engine: Engine, database: Database
) -> None:
    """As after a clock was set back: what a game has is late, what comes is early."""
    early, late = opened_game(engine, body(1)), opened_game(engine, body(1))
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql(
            "UPDATE lanterlog.games SET changed_at = to_timestamp(%s) WHERE game_id = %s",
            (FUTURE / 1_000_000, late),
        )
        conn.commit()
    append(engine, late, body(2))
    append(engine, early, body(2))
    append(engine, late, body(3))
    with engine.connect() as conn:
        assert [event.body for event in store.read(conn, late)] == [body(1), body(2), body(3)]
        assert [event.recorded_at for event in store.read(conn, late)][1:] == [FUTURE] * 2
        assert store.head(conn, early).changed_at < FUTURE
        pages = [store.heads(conn, limit=1)]
        while pages[-1]:
            pages.append(store.heads(conn, after=pages[-1][-1].game_id, limit=1))
    assert [head.game_id for page in pages for head in page] == sorted([early, late])
    seal(database)
    append(engine, early, body(3))
    seal(database)
    with session(database) as own:
        entries = feed.page(own, 0)
    assert [entry.position for entry in entries] == [1, 2, 3]
    assert (entries[-1].game_id, entries[-1].to_version) == (early, 3)


def test_a_transaction_that_began_long_ago_is_not_taken_for_old(engine: Engine) -> None:
    """The time of an event is taken under the lock of its game, not at the start of the transaction."""
    game_id = opened_game(engine)
    with engine.connect() as old:
        old.exec_driver_sql("SELECT now()")
        append(engine, game_id, body(1))
        store.append(old, game_id, None, uuid4(), bytes(32), uuid4(), [body(2)])
        old.commit()
    with engine.connect() as conn:
        first, second = store.read(conn, game_id)
    assert first.recorded_at < second.recorded_at


def test_positions_that_json_would_round_are_exact(engine: Engine, database: Database) -> None:
    take_in(engine, "worked-examples.txt")
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger DISABLE TRIGGER check_ledger")
        conn.exec_driver_sql(
            "INSERT INTO lanterlog.ledger (position, previous, game_id, from_version, to_version, head)"
            " VALUES (%s, %s, gen_random_uuid(), 1, 1, %s)",
            (EXACT, bytes(32), bytes(32)),
        )
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER check_ledger")
        conn.commit()
    last = seal(database)
    assert last > EXACT
    keep(database)
    with engine.connect() as conn:
        assert status(conn).position == last
        anchor = scan.anchor_now(conn, "2026-01-01T00:00:00Z")
    assert checkpoint(database, "catalogue")["position"] == last
    assert msgspec.json.decode(msgspec.json.encode(anchor), type=type(anchor)) == anchor


@pytest.mark.http
def test_no_answer_has_an_id_that_is_a_number(
    make_app: MakeApp, engine: Engine, database: Database
) -> None:
    """Ids are texts, so that no reader of JSON rounds them; no other number comes near to what it rounds."""
    take_in(engine)
    keep(database)
    client: Client = make_app(open_table=True).test_client()
    table = Table.opened(client)
    paths = ["/v1/games", "/v1/standings", "/v1/findings", table.path(), table.path("/events")]
    paths += [table.path(f"/{name}") for name in ("state", "timeline", "deals", "legal")]
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        check_numbers(answer.json, path)


def check_numbers(found: Any, where: str) -> None:
    match found:
        case dict():
            for name, value in found.items():
                assert not (name.endswith("_id") and isinstance(value, int)), (where, name)
                check_numbers(value, f"{where} {name}")
        case list():
            for value in found:
                check_numbers(value, where)
        case bool() | float() | str() | None:
            pass
        case int():
            assert abs(found) < EXACT, (where, found)


def test_the_same_numbers_in_two_games_are_two_things(engine: Engine, database: Database) -> None:
    """Versions count in each game alone: what is asked for by version is asked for by game, too."""
    log = log_of(engine, take_in(engine, "worked-examples.txt")[0])
    one, other = opened(engine), opened(engine)
    for game_id in (one, other):
        append(engine, game_id, *log)
    with engine.connect() as conn:
        first, second = store.read(conn, one), store.read(conn, other)
    assert [event.body for event in first] == [event.body for event in second]
    assert {event.game_id for event in first} == {one}
    assert not {event.hash for event in first} & {event.hash for event in second}
