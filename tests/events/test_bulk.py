"""Many games at once: kept as they are or refused, by a database that believes nobody."""

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from psycopg import errors as pg
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from api import db
from events import bulk, scan, store
from events.bulk import Whole
from events.chain import NIL_HEAD, text_hash
from events.errors import AlteredLog, NotStorable
from tests.events.test_store_import import ALTERATIONS, ended, exported, rechained
from tests.postgres import Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
SALT = b"s" * 16


def whole(count: int = 4) -> Whole:
    head, events = exported(count)
    return Whole(head, events)


def take_in(engine: Engine, *games: Whole) -> list[bulk.Outcome]:
    with engine.begin() as conn:
        found = bulk.take_in(conn, games, WHO)
    return [found[game.head.game_id] for game in games]


def archive(engine: Engine) -> list[tuple[store.Head, list[store.StoredEvent]]]:
    with engine.begin() as conn:
        return list(store.stream_all(conn))


def test_games_are_kept_as_they_were(engine: Engine, database: Database) -> None:
    games = [whole(count) for count in (0, 1, 4, 300)]
    assert take_in(engine, *games) == ["imported"] * 4
    here = {head.game_id: (head, events) for head, events in archive(engine)}
    assert here == {game.head.game_id: (game.head, game.events) for game in games}
    with connected(database.worker_url) as conn:
        for table, versions in (("imports", {0, 1, 4, 300}), ("outbox", {1, 4, 300})):
            rows = conn.exec_driver_sql(f"SELECT version FROM lanterlog.{table}").scalars()
            assert set(rows) == versions


def test_what_is_here_is_left_alone(engine: Engine) -> None:
    first, second = whole(), whole()
    assert take_in(engine, first) == ["imported"]
    longer = rechained([*second.events, replace(second.events[-1], version=5)])
    assert take_in(engine, first, second) == ["present", "imported"]
    again = Whole(ended(second.head.game_id, longer), longer)
    assert take_in(engine, again, first, whole()) == ["other", "present", "imported"]
    assert len(archive(engine)) == 3


def test_texts_and_names_come_along(engine: Engine) -> None:
    game_id, salt = uuid4(), SALT
    told = body(note=text_hash(salt, "hush").hex())
    events = rechained(
        [store.StoredEvent(game_id, n, n, WHO, salt, b"", told) for n in range(1, 4)]
    )
    text = store.Text(1, salt, "hush")
    game = Whole(ended(game_id, events), events, [text], {str(WHO): "Ann"})
    assert take_in(engine, game, whole()) == ["imported", "imported"]
    assert take_in(engine, game) == ["present"]
    with engine.connect() as conn:
        assert store.texts(conn, game_id) == {2: text}
        assert store.people(conn, [WHO]) == {WHO: "Ann"}


def test_a_store_filled_in_bulk_is_sound_and_goes_on(engine: Engine, database: Database) -> None:
    games = [whole(5) for _ in range(20)]
    take_in(engine, *games)
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(1000)")
        conn.commit()
    with engine.begin() as conn:
        store.append(conn, games[3].head.game_id, 5, uuid4(), bytes(32), WHO, [body()])
    with engine.connect() as conn:
        parts = [scan.check(conn, one) for one in scan.stretches(conn, 30, 3)]
    assert [damage for part in parts for damage in part.damages] == []
    assert sum(part.events for part in parts) == 101


# Rows say their version, so their order means nothing; and their game is the head's.
MEANINGLESS = {"swapped", "of another game"}


@pytest.mark.parametrize("name", sorted(ALTERATIONS.keys() - MEANINGLESS))
def test_the_database_believes_nobody(engine: Engine, name: str) -> None:
    """Without our own check: whatever is wrong with one game, nothing of its batch is stored."""
    head, events = exported()
    altered = ALTERATIONS[name](events)
    game = Whole(ended(head.game_id, altered), altered)
    with engine.connect() as conn, pytest.raises((AlteredLog, NotStorable)):
        bulk.take_in(conn, [whole(), game, whole()], WHO, is_checked=True)
    assert archive(engine) == []


@pytest.mark.parametrize("name", sorted(ALTERATIONS))
def test_our_own_check_names_the_first_wrong_version(engine: Engine, name: str) -> None:
    head, events = exported()
    altered = ALTERATIONS[name](events)
    with engine.connect() as conn, pytest.raises(AlteredLog) as refused:
        bulk.take_in(conn, [Whole(head, altered)], WHO)
    assert (refused.value.game_id, refused.value.version) == (head.game_id, 2)


Lie = Callable[[Whole, Whole], Sequence[Whole]]
LIES: dict[str, Lie] = {
    "too short a head": lambda one, _: [
        Whole(ended(one.head.game_id, one.events[:-1]), one.events)
    ],
    "too long a head": lambda one, _: [Whole(one.head, one.events[:-1])],
    "another head": lambda one, _: [Whole(replace(one.head, head=bytes(32)), one.events)],
    "no events": lambda one, _: [Whole(one.head, [])],
    "events without a head": lambda one, other: [
        Whole(one.head, [*one.events, *other.events]), whole()
    ],
    "no game, but events": lambda one, _: [
        Whole(replace(one.head, version=0, head=NIL_HEAD), one.events)
    ],
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_heads_and_events_must_be_the_same_games(engine: Engine, lie: Lie) -> None:
    with engine.connect() as conn, pytest.raises((AlteredLog, NotStorable)):
        bulk.take_in(conn, [*lie(whole(), whole()), whole()], WHO, is_checked=True)
    assert archive(engine) == []


def test_one_batch_does_not_see_anothers_rows(engine: Engine) -> None:
    first, second = whole(), whole()
    with engine.connect() as one, engine.connect() as other:
        assert bulk.take_in(one, [first], WHO) == {first.head.game_id: "imported"}
        assert bulk.take_in(other, [second], WHO) == {second.head.game_id: "imported"}
        other.commit()
        one.rollback()
    assert [head.game_id for head, _ in archive(engine)] == [second.head.game_id]


def test_the_same_game_in_two_batches_at_once_is_stored_once(engine: Engine) -> None:
    game = whole()
    with engine.connect() as one, engine.connect() as other:
        bulk.take_in(one, [game], WHO)
        other.exec_driver_sql("SET LOCAL lock_timeout = '100ms'")
        with pytest.raises(Exception, match="lock timeout"):
            bulk.take_in(other, [game], WHO)
        other.rollback()
        one.commit()
        assert bulk.take_in(other, [game], WHO) == {game.head.game_id: "present"}


def test_the_staging_table_is_emptied(engine: Engine, database: Database) -> None:
    take_in(engine, whole(), whole())
    with engine.begin() as conn:
        bulk.clear(conn)
    with connected(database.superuser_url) as conn:
        for table in ("staged_events", "staged_games"):
            assert conn.exec_driver_sql(f"SELECT count(*) FROM lanterlog.{table}").scalar_one() == 0


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT FROM lanterlog.staged_events",
        "SELECT batch_id FROM lanterlog.staged_games",
        "COPY lanterlog.staged_events TO STDOUT",
        "UPDATE lanterlog.staged_events SET version = 1",
        "DELETE FROM lanterlog.staged_events",
        "TRUNCATE lanterlog.staged_events",
        "INSERT INTO lanterlog.staged_games SELECT FROM generate_series(1, 0)",
        "INSERT INTO lanterlog.staged_events (version) VALUES (1) RETURNING batch_id",
        "CREATE TRIGGER mine AFTER INSERT ON lanterlog.staged_events EXECUTE FUNCTION now()",
    ],
)
def test_the_program_puts_rows_in_and_no_more(engine: Engine, statement: str) -> None:
    with engine.connect() as conn, pytest.raises(DBAPIError) as refused:
        conn.exec_driver_sql(statement)
    assert isinstance(refused.value.orig, pg.InsufficientPrivilege)


def test_the_right_to_stage_is_not_taken_for_too_many_rights(engine: Engine) -> None:
    with engine.connect() as conn:
        db.check_login_rights(conn)


FORGED = """
INSERT INTO lanterlog.events SELECT game_id, 2, recorded_at, recorded_by, salt, hash, body
FROM lanterlog.events"""
GAMELESS = """
INSERT INTO lanterlog.events
  SELECT gen_random_uuid(), 1, recorded_at, recorded_by, salt, hash, body FROM lanterlog.events"""
STAGED = """
INSERT INTO lanterlog.staged_games
  SELECT gen_random_uuid(), gen_random_uuid(), kind, game, mode, visibility, version, head, created_at,
    game_id, true
  FROM lanterlog.games"""


@pytest.mark.parametrize(
    "statement",
    [
        FORGED,
        f"DO $$ BEGIN {FORGED}; END $$",
        f"WITH forged AS ({FORGED} RETURNING 1) SELECT * FROM forged",
        STAGED,
        GAMELESS,
    ],
    ids=["plain", "block", "with", "staged", "no game"],
)
@pytest.mark.parametrize("replica", [False, True])
def test_the_owner_finds_no_way_round_the_check(
    engine: Engine, database: Database, statement: str, replica: bool
) -> None:
    opened_game(engine, body())
    url = database.superuser_url if replica else database.owner_url
    with connected(url, None if replica else "lanterlog_owner") as conn:
        if replica:
            conn.exec_driver_sql("SET session_replication_role = replica")
        with pytest.raises(DBAPIError) as refused:
            conn.exec_driver_sql(statement)
    assert isinstance(refused.value.orig, pg.Error)
    assert refused.value.orig.sqlstate in {"LL003", "LL008", "LL014"}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM lanterlog.games",
        "TRUNCATE lanterlog.games CASCADE",
        "UPDATE lanterlog.games SET game_id = gen_random_uuid()",
        "UPDATE lanterlog.games SET game = 'lanterloo'",
        "UPDATE lanterlog.games SET mode = 'refereed'",
    ],
)
@pytest.mark.parametrize("replica", [False, True])
def test_a_game_stays_and_stays_what_it_is(
    engine: Engine, database: Database, statement: str, replica: bool
) -> None:
    opened_game(engine, body())
    url = database.superuser_url if replica else database.owner_url
    with connected(url, None if replica else "lanterlog_owner") as conn:
        if replica:
            conn.exec_driver_sql("SET session_replication_role = replica")
        with pytest.raises(DBAPIError) as refused:
            conn.exec_driver_sql(statement)
    assert isinstance(refused.value.orig, pg.Error)
    assert refused.value.orig.sqlstate == "LL006"
