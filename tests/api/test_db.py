"""The program's way into the database: who is let in, what is checked, how the pool behaves."""

import msgspec
import pytest
from sqlalchemy import Engine, make_url

from api import db
from events import store
from events.errors import BadSetting, NotMigrated, TooManyRights
from tests.postgres import Cluster, Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]


def test_the_programs_own_login_is_let_in(database: Database) -> None:
    for url in (database.app_url, database.stranger_url):
        with connected(url) as conn:
            db.check_login_rights(conn)


@pytest.mark.parametrize(
    ("login", "reason"),
    [
        ("superuser", "is a superuser"),
        ("owner", "owns the tables"),
    ],
)
def test_a_login_with_too_many_rights_is_refused(
    database: Database, login: str, reason: str
) -> None:
    url = {
        "superuser": database.superuser_url,
        "owner": database.owner_url,
    }[login]
    with connected(url) as conn, pytest.raises(TooManyRights, match=reason) as refused:
        db.check_login_rights(conn)
    assert refused.value.login == make_url(url).username


def test_a_superuser_cannot_hide_behind_a_role(database: Database) -> None:
    with (
        connected(database.superuser_url, "lanterlog_app") as conn,
        pytest.raises(TooManyRights, match="'postgres' is a superuser"),
    ):
        db.check_login_rights(conn)


@pytest.mark.parametrize(
    ("grant", "reason"),
    [
        ("GRANT UPDATE ON lanterlog.games TO lanterlog_app", "can write the tables"),
        ("GRANT TRUNCATE ON lanterlog.events TO PUBLIC", "can write the tables"),
        ("GRANT CREATE ON SCHEMA lanterlog TO lanterlog_app", "can create in the schema"),
    ],
    ids=["update", "truncate for all", "create"],
)
def test_a_right_too_many_is_found(database: Database, grant: str, reason: str) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql(grant)
        conn.commit()
    with connected(database.app_url) as conn, pytest.raises(TooManyRights, match=reason):
        db.check_login_rights(conn)


def test_opening_refuses_such_a_login(database: Database) -> None:
    config = msgspec.structs.replace(database.config, database_url=database.superuser_url)
    with pytest.raises(TooManyRights), db.opened(config):
        pass


def test_opening_refuses_a_database_that_is_not_migrated(cluster: Cluster) -> None:
    with (
        cluster.empty() as config,
        pytest.raises(NotMigrated, match="schema version none, expected 0"),
        db.opened(config),
    ):
        pass


def test_opening_refuses_another_programs_schema(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("UPDATE lanterlog.alembic_version SET version_num = '9999'")
        conn.commit()
    with pytest.raises(NotMigrated, match="9999"), db.opened(database.config):
        pass


def test_an_opened_database_is_ready_for_use(database: Database) -> None:
    with db.opened(database.config) as engine:
        game_id = opened_game(engine, body())
        with engine.connect() as conn:
            assert store.head(conn, game_id).version == 1


def test_an_engine_needs_a_database(database: Database) -> None:
    with pytest.raises(BadSetting, match="DATABASE_URL"):
        db.engine(msgspec.structs.replace(database.config, database_url=None))


def test_connections_carry_their_name_and_limits(engine: Engine) -> None:
    with engine.connect() as conn:
        found = conn.exec_driver_sql(
            "SELECT current_setting('application_name'), current_setting('statement_timeout'),"
            " current_setting('lock_timeout'), current_setting('client_encoding')"
        ).one()
    assert tuple(found) == ("lanterlog", "1min", "10s", "UTF8")


def test_connections_that_the_server_hung_up_are_replaced(
    engine: Engine, database: Database
) -> None:
    """As after a restart of the server: nobody sees an error, whatever the pool held."""
    held = [engine.connect() for _ in range(3)]
    pids = [conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one() for conn in held]
    for conn in held:
        conn.close()
    with connected(database.superuser_url) as killer:
        for pid in pids:
            killer.exec_driver_sql("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    for _ in range(4):
        with engine.connect() as conn:
            assert conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one() not in pids


def test_without_transactions_each_append_stands_by_itself(engine: Engine) -> None:
    game_id = opened_game(engine, body())
    with db.autocommit(engine).connect() as conn:
        store.append(conn, game_id, 1, game_id, bytes(32), game_id, [body()])
        conn.rollback()
    with engine.connect() as conn:
        assert store.head(conn, game_id).version == 2
