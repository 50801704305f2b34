"""Append-only, whoever asks: rights refuse the program's logins, triggers refuse the owner."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from psycopg import errors as pg
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from api import db
from events import store
from events.chain import event_hash, inner_hash
from events.errors import StoreError
from tests.postgres import Cluster, Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]

INSERT = """
INSERT INTO lanterlog.events (game_id, version, recorded_at, recorded_by, salt, hash, body)
VALUES (%s, %s, 'epoch'::timestamptz + %s * interval '1 microsecond', %s, %s, %s, %s::json)
"""
WRITES = {
    "update events": "UPDATE lanterlog.events SET body = '1'",
    "delete events": "DELETE FROM lanterlog.events",
    "truncate events": "TRUNCATE lanterlog.events",
    "truncate all": "TRUNCATE lanterlog.games CASCADE",
    "upsert events": "INSERT INTO lanterlog.events SELECT * FROM lanterlog.events"
    " ON CONFLICT (game_id, version) DO UPDATE SET body = '1'",
    "merge events": "MERGE INTO lanterlog.events e USING lanterlog.games g ON g.game_id = e.game_id"
    " WHEN MATCHED THEN UPDATE SET body = '1'",
    "move in time": "UPDATE lanterlog.events SET recorded_at = recorded_at - interval '1 day'",
    "delete one of many": "WITH gone AS (DELETE FROM lanterlog.events WHERE version = 2 RETURNING *)"
    " SELECT * FROM gone",
    "truncate only": "TRUNCATE ONLY lanterlog.events, lanterlog.commands",
    "upsert commands": "INSERT INTO lanterlog.commands SELECT * FROM lanterlog.commands"
    " ON CONFLICT (game_id, command_id) DO UPDATE SET last_version = 9",
    "update commands": "UPDATE lanterlog.commands SET last_version = last_version + 1",
    "delete commands": "DELETE FROM lanterlog.commands",
    "truncate commands": "TRUNCATE lanterlog.commands",
    "update ledger": "UPDATE lanterlog.ledger SET position = position + 1",
    "delete ledger": "DELETE FROM lanterlog.ledger",
    "truncate ledger": "TRUNCATE lanterlog.ledger",
}
FOR_THE_APP = {
    "update head": "UPDATE lanterlog.games SET version = 0",
    "delete game": "DELETE FROM lanterlog.games",
    "lock head": "SELECT FROM lanterlog.games FOR UPDATE",
    "lock head a little": "SELECT FROM lanterlog.games FOR NO KEY UPDATE",
    "share head": "SELECT FROM lanterlog.games FOR SHARE",
    "share head's key": "SELECT FROM lanterlog.games FOR KEY SHARE",
    "lock events": "SELECT FROM lanterlog.events FOR UPDATE",
    "lock ledger": "SELECT FROM lanterlog.ledger FOR UPDATE",
    "lock a table": "LOCK TABLE lanterlog.events IN EXCLUSIVE MODE",
    "forge a time": "INSERT INTO lanterlog.events SELECT game_id, 3, '1999-01-01', recorded_by, salt, hash,"
    " body FROM lanterlog.events WHERE version = 2",
    "forge a position": "INSERT INTO lanterlog.ledger (position, game_id, from_version, to_version, head,"
    " previous) SELECT 2, game_id, 3, 3, hash, hash FROM lanterlog.events WHERE version = 2",
    "forge a seal's time": "INSERT INTO lanterlog.ledger SELECT 2, game_id, 3, 3, hash, hash, '1999-01-01'"
    " FROM lanterlog.events WHERE version = 2",
    "insert or nothing": "INSERT INTO lanterlog.events SELECT * FROM lanterlog.events"
    " ON CONFLICT DO NOTHING",
    "insert outbox": "INSERT INTO lanterlog.outbox SELECT game_id, 9 FROM lanterlog.games",
    "insert command": "INSERT INTO lanterlog.commands SELECT * FROM lanterlog.commands",
    "insert import": "INSERT INTO lanterlog.imports SELECT game_id, game_id FROM lanterlog.games",
    "copy in": "COPY lanterlog.events FROM STDIN",
    "change a text": "UPDATE lanterlog.texts SET text = ''",
    "new rule": "CREATE RULE mine AS ON INSERT TO lanterlog.events DO INSTEAD NOTHING",
    "new trigger": "CREATE TRIGGER mine BEFORE INSERT ON lanterlog.events EXECUTE FUNCTION now()",
    "own the table": "ALTER TABLE lanterlog.events OWNER TO CURRENT_USER",
    "insert game": "INSERT INTO lanterlog.games SELECT * FROM lanterlog.games",
    "insert text": "INSERT INTO lanterlog.texts VALUES (gen_random_uuid(), 1, '', '')",
    "rename person": "UPDATE lanterlog.people SET name = 'Eve'",
    "empty outbox": "DELETE FROM lanterlog.outbox",
    "insert ledger": "INSERT INTO lanterlog.ledger SELECT * FROM lanterlog.ledger",
    "put texts": "SELECT lanterlog.put_texts(gen_random_uuid(), 1, 1, '{0}', '{x}', '{x}')",
    "prune": "SELECT lanterlog.prune_commands()",
    "seal": "SELECT lanterlog.seal(10)",
    "disable trigger": "ALTER TABLE lanterlog.events DISABLE TRIGGER ALL",
    "replica": "SET session_replication_role = replica",
    "become owner": "SET ROLE lanterlog_owner",
    "new table": "CREATE TABLE lanterlog.mine (a int)",
    "new function": "CREATE FUNCTION lanterlog.sha256(bytea) RETURNS bytea RETURN NULL",
    "drop": "DROP TABLE lanterlog.events",
    "copy out": "COPY lanterlog.events TO PROGRAM 'cat'",
}


@pytest.fixture
def game(engine: Engine, database: Database) -> UUID:
    return sealed_game(engine, database)


@pytest.fixture(scope="module")
def filled(cluster: Cluster) -> Iterator[Database]:
    """A database with a game in it, for statements that are all refused."""
    with cluster.fresh() as database:
        engine = db.engine(database.config)
        sealed_game(engine, database)
        engine.dispose()
        yield database


def sealed_game(engine: Engine, database: Database) -> UUID:
    """A game with two events, of which one append is in the ledger already."""
    game_id = opened_game(engine, body(1), body(2))
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(10)")
        conn.commit()
    return game_id


def refusal(conn: Connection, statement: str, params: tuple[object, ...] = ()) -> str | None:
    """The SQLSTATE with which a statement is refused."""
    with pytest.raises(DBAPIError) as refused:
        conn.exec_driver_sql(statement, params)
    conn.rollback()
    assert isinstance(refused.value.orig, pg.Error)
    return refused.value.orig.sqlstate


def forged(game_id: UUID, last: store.StoredEvent, **changes: object) -> tuple[object, ...]:
    """The row of a right third event, but for the changes."""
    made = {"version": 3, "at": last.recorded_at, "salt": bytes(16), "body": body(3)} | changes
    version, at, salt = int(str(made["version"])), int(str(made["at"])), bytes(16)
    text = body(3)
    right = event_hash(game_id, version, last.hash, at, UUID(int=7), inner_hash(salt, text))
    return (game_id, version, at, UUID(int=7), salt, made.get("hash", right), text.decode())


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES.keys())
def test_the_owner_cannot_change_what_is_stored(filled: Database, statement: str) -> None:
    with connected(filled.owner_url, "lanterlog_owner") as conn:
        assert refusal(conn, statement) == "LL006"


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES.keys())
def test_triggers_do_not_rest_for_a_replica(filled: Database, statement: str) -> None:
    with connected(filled.superuser_url) as conn:
        conn.exec_driver_sql("SET session_replication_role = replica")
        conn.commit()
        assert refusal(conn, statement) == "LL006"


@pytest.mark.parametrize(
    "statement", [*WRITES.values(), *FOR_THE_APP.values()], ids=[*WRITES.keys(), *FOR_THE_APP]
)
def test_the_program_may_only_read_and_execute(filled: Database, statement: str) -> None:
    with connected(filled.app_url) as conn:
        assert refusal(conn, statement) == "42501"


@pytest.mark.parametrize(
    "statement",
    [sql for name, sql in WRITES.items()]
    + [
        "INSERT INTO lanterlog.events SELECT * FROM lanterlog.events",
        "UPDATE lanterlog.games SET version = 0",
        "UPDATE lanterlog.outbox SET version = 9",
        FOR_THE_APP["empty outbox"],
        FOR_THE_APP["insert ledger"],
        FOR_THE_APP["disable trigger"],
    ],
)
def test_the_worker_may_not_change_the_log(filled: Database, statement: str) -> None:
    with connected(filled.worker_url) as conn:
        assert refusal(conn, statement) == "42501"


def test_the_worker_may_not_append(engine: Engine, database: Database, game: UUID) -> None:
    with connected(database.worker_url) as conn, pytest.raises(StoreError, match="denied"):
        store.append(conn, game, None, uuid4(), bytes(32), UUID(int=7), [body()])


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, None),
        ({"version": 4}, "LL007"),
        ({"version": 2}, "LL008"),
        ({"version": 1}, "LL008"),
        ({"version": 0}, "LL008"),
        ({"hash": bytes(32)}, "LL008"),
        ({"hash": b""}, "LL008"),
        ({"at": 1}, "LL009"),
    ],
    ids=["right", "gap", "again", "first again", "zero", "hash", "no hash", "time"],
)
@pytest.mark.parametrize("role", ["app", "worker", "owner", "replica"])
def test_a_forged_event_is_refused(
    engine: Engine,
    database: Database,
    game: UUID,
    role: str,
    changes: dict[str, object],
    state: str | None,
) -> None:
    with engine.begin() as conn:
        last = store.read(conn, game)[-1]
    row = forged(game, last, **changes)
    if role in {"owner", "replica"}:
        is_owner = role == "owner"
        url = database.owner_url if is_owner else database.superuser_url
        with connected(url, "lanterlog_owner" if is_owner else None) as conn:
            if not is_owner:
                conn.exec_driver_sql("SET session_replication_role = replica")
                conn.commit()
            if state is None:
                conn.exec_driver_sql(INSERT, row)
            else:
                assert refusal(conn, INSERT, row) == state
    else:
        with connected(database.app_url if role == "app" else database.worker_url) as conn:
            assert refusal(conn, INSERT, row) == "42501"


@pytest.mark.usefixtures("game")
def test_a_command_may_go_after_a_month(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.commands DISABLE TRIGGER refuse_change")
        conn.exec_driver_sql(
            "UPDATE lanterlog.commands SET recorded_at = recorded_at - interval '32 days'"
        )
        conn.commit()
    with connected(database.worker_url) as conn:
        assert conn.exec_driver_sql("SELECT lanterlog.prune_commands()").scalar_one() == 1


@pytest.mark.usefixtures("game")
def test_a_young_command_is_not_pruned(database: Database) -> None:
    with connected(database.worker_url) as conn:
        assert conn.exec_driver_sql("SELECT lanterlog.prune_commands()").scalar_one() == 0


LEDGER = (
    "INSERT INTO lanterlog.ledger (position, game_id, from_version, to_version, head, previous)"
    " SELECT {0}, game_id, {1}, {2}, {3}, {4} FROM lanterlog.ledger"
)


@pytest.mark.parametrize(
    "row",
    [
        (1, 3, 3, "head", "previous"),
        (3, 3, 3, "head", "previous"),
        (2, 2, 3, "head", "previous"),
        (2, 3, 3, "head", "previous"),
        (2, 3, 3, "sha256(head)", "previous"),
    ],
    ids=["position again", "position left out", "range", "previous", "head"],
)
@pytest.mark.parametrize("replica", [False, True])
def test_a_forged_row_of_the_ledger_is_refused(
    filled: Database, row: tuple[object, ...], replica: bool
) -> None:
    url = filled.superuser_url if replica else filled.owner_url
    with connected(url, None if replica else "lanterlog_owner") as conn:
        if replica:
            conn.exec_driver_sql("SET session_replication_role = replica")
            conn.commit()
        statement = LEDGER.format(*row)
        assert refusal(conn, statement) == "LL012"
        upsert = " ON CONFLICT (position) DO UPDATE SET head = excluded.head"
        assert refusal(conn, statement + upsert) == "LL012"


def test_no_setting_opens_a_door(database: Database) -> None:
    """Anybody may SET a name of his own making, so nothing of ours may ask for one."""
    with connected(database.app_url) as conn:
        asking = conn.exec_driver_sql(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'lanterlog'::regnamespace"
            " AND pg_get_functiondef(oid) ~* 'current_setting|pg_settings'"
        ).scalars()
        assert asking.all() == []
        whens = conn.exec_driver_sql(
            "SELECT tgname FROM pg_trigger t WHERE NOT tgisinternal"
            " AND pg_get_triggerdef(t.oid) ~* 'current_setting'"
        ).scalars()
        assert whens.all() == []


@pytest.mark.parametrize("name", ["bypass", "importing", "owner", "disable_checks"])
def test_a_setting_of_ones_own_changes_nothing(filled: Database, name: str) -> None:
    with connected(filled.app_url) as conn:
        conn.exec_driver_sql(f"SET lanterlog.{name} = 'on'")
        conn.commit()
        assert refusal(conn, WRITES["update events"]) == "42501"
        assert refusal(conn, FOR_THE_APP["forge a time"]) == "42501"


def test_there_is_no_partition_to_write_to_directly(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        parts = conn.exec_driver_sql("SELECT inhrelid::regclass FROM pg_inherits i"
            " JOIN pg_class c ON c.oid = i.inhparent"
            " WHERE c.relnamespace = 'lanterlog'::regnamespace").scalars()  # fmt: skip
        assert parts.all() == []


def test_every_guard_stands_also_for_a_replica(database: Database) -> None:
    """All our triggers are ENABLE ALWAYS, also those that a later migration adds."""
    with connected(database.superuser_url) as conn:
        found = conn.exec_driver_sql(
            "SELECT tgrelid::regclass || ' ' || tgname, tgenabled FROM pg_trigger t"
            " JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE c.relnamespace = 'lanterlog'::regnamespace AND NOT tgisinternal"
        ).all()
    assert len(found) >= 15
    assert [name for name, enabled in found if enabled != "A"] == []


def test_nobody_executes_by_default(database: Database) -> None:
    """Every function in the schema, also those that a later migration adds."""
    with connected(database.stranger_url) as conn:
        names = conn.exec_driver_sql(
            "SELECT p.oid::regprocedure::text, has_function_privilege(p.oid, 'EXECUTE')"
            " FROM pg_proc p WHERE p.pronamespace = 'lanterlog'::regnamespace"
        ).all()
        assert len(names) >= 10
        assert [name for name, allowed in names if allowed] == []
        assert refusal(conn, "SELECT lanterlog.lock_head(gen_random_uuid())") == "42501"


def test_a_stranger_who_may_use_the_schema_still_executes_nothing(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("GRANT USAGE ON SCHEMA lanterlog TO lanterlog_stranger")
        conn.commit()
    with connected(database.stranger_url) as conn:
        for call in (
            "open_game(gen_random_uuid(), 'game', 'rummy500', 'recorded', 'public')",
            "lock_head(gen_random_uuid())",
            "ensure_people('{}', '{}')",
            "import_game(null, '', '', '', '', now(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null)",
            "append_events(null, 0, null, '', null, '{}', '{}', '{}', '{}')",
        ):
            assert refusal(conn, f"SELECT lanterlog.{call}") == "42501"


def test_definers_look_up_names_where_nobody_else_can_write(database: Database) -> None:
    with connected(database.app_url) as conn:
        found = conn.exec_driver_sql(
            "SELECT proname, proconfig FROM pg_proc"
            " WHERE pronamespace = 'lanterlog'::regnamespace AND prosecdef"
        ).all()
    assert {name for name, _ in found} >= {
        "append_events", "ensure_people", "import_game", "lock_head", "open_game", "prune_commands",
        "seal",
    }  # fmt: skip
    assert {tuple(config) for _, config in found} == {
        ("search_path=pg_catalog, lanterlog, pg_temp",)
    }


def test_a_table_of_the_callers_own_is_not_mistaken_for_ours(engine: Engine) -> None:
    game_id = opened_game(engine)
    with engine.begin() as conn:
        conn.exec_driver_sql("CREATE TEMP TABLE games (LIKE lanterlog.games)")
        conn.exec_driver_sql("CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea RETURN ''::bytea")
        conn.exec_driver_sql("SET LOCAL search_path = pg_temp, lanterlog")
        assert (
            store.append(conn, game_id, 0, uuid4(), bytes(32), UUID(int=7), [body()]).version == 1
        )
