"""The migration of the store: up, down, again, beside others, on servers that are not ours."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from alembic.config import Config as Settings
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from msgspec.structs import replace
from sqlalchemy import Connection, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateSchema

import migrations
from api import db
from api.config import Config
from events import store
from events.errors import BadSetting, StoreError
from events.schema import Roles, metadata
from tests.postgres import (
    MIGRATOR,
    STRANGER,
    Cluster,
    Database,
    body,
    both_servers,
    connected,
    opened_game,
)
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.store, both_servers]

SHAPE = """
SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
  pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relnamespace = 'lanterlog'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
  AND c.relname <> 'alembic_version'
UNION ALL
SELECT 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid), '', ''
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE c.relnamespace = 'lanterlog'::regnamespace AND k.contype <> 'n'
  AND c.relname <> 'alembic_version'
UNION ALL
SELECT 'table', c.relname, array_to_string(c.reloptions, ' '), obj_description(c.oid), '', ''
FROM pg_class c WHERE c.relnamespace = 'lanterlog'::regnamespace AND c.relkind = 'r'
  AND c.relname <> 'alembic_version'
UNION ALL
SELECT 'index', '', '', pg_get_indexdef(i.indexrelid), '', ''
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'lanterlog'::regnamespace AND c.relname <> 'alembic_version'
"""


def shape(conn: Connection) -> set[tuple[str, ...]]:
    """Tables, columns, constraints and indexes as the catalogues have them."""
    return {tuple(row) for row in conn.exec_driver_sql(SHAPE)}


def tables(conn: Connection) -> list[str]:
    rows = conn.exec_driver_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'lanterlog'")
    return sorted(rows.scalars())


def test_the_migrated_schema_is_what_the_program_thinks(database: Database) -> None:
    assert db.schema_differences(database.config) == []


def test_the_version_that_is_needed_is_the_last_one(database: Database) -> None:
    settings = Settings()
    settings.set_main_option("script_location", str(Path(migrations.__file__).parent))
    settings.set_main_option("path_separator", "os")

    assert [migrations.head()] == ScriptDirectory.from_config(settings).get_heads()
    with connected(database.superuser_url) as conn:
        db.check_schema_version(conn)


def test_a_difference_would_be_found(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.people ADD COLUMN nickname text")
        conn.commit()
    assert [difference[0] for difference in db.schema_differences(database.config)] == [
        "remove_column"
    ]


def test_it_is_so_down_to_constraints_and_comments(cluster: Cluster, database: Database) -> None:
    """What `alembic check` does not compare."""
    with cluster.empty() as config, connected(str(config.migration_database_url)) as conn:
        conn.execute(CreateSchema("lanterlog"))
        metadata.create_all(conn)
        thought = shape(conn)
    with connected(database.superuser_url) as conn:
        assert shape(conn) == thought


def test_going_down_and_up_again_ends_at_the_same(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        before = shape(conn)
    db.downgrade(database.config, "base")
    with connected(database.superuser_url) as conn:
        assert tables(conn) == ["alembic_version"]
        functions = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'lanterlog'::regnamespace"
        assert conn.exec_driver_sql(functions).scalar_one() == 0
    db.migrate(database.config)
    with connected(database.superuser_url) as conn:
        assert shape(conn) == before
    engine = db.engine(database.config)
    with engine.begin() as conn:
        assert store.open_game(conn, uuid4(), "rummy500", "recorded")
    engine.dispose()


def test_a_server_of_ours_is_migrated_only_if_it_needs_it(
    cluster: Cluster, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster.empty() as config:
        db.keep_up(config)
        assert db.schema_differences(config) == []
    db.downgrade(database.config, "-1")
    db.keep_up(database.config)
    with connected(database.superuser_url) as conn:
        db.check_schema_version(conn)

    monkeypatch.setattr(db, "migrate", None)
    db.keep_up(database.config)


def test_migrating_again_changes_nothing(database: Database) -> None:
    db.migrate(database.config)
    assert db.schema_differences(database.config) == []


def test_going_down_is_refused_while_events_would_be_lost(database: Database) -> None:
    engine = db.engine(database.config)
    game_id = opened_game(engine, body())
    with pytest.raises(StoreError, match="events are stored"):
        db.downgrade(database.config, "base")
    with engine.begin() as conn:
        assert len(store.read(conn, game_id)) == 1
    engine.dispose()


def test_an_unknown_revision_is_refused(database: Database) -> None:
    with pytest.raises(CommandError, match="9999"):
        db.downgrade(database.config, "9999")


def test_everything_belongs_to_the_owner(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        owners = conn.exec_driver_sql(
            "SELECT tableowner::text FROM pg_tables WHERE schemaname = 'lanterlog' UNION"
            " SELECT proowner::regrole::text FROM pg_proc"
            " WHERE pronamespace = 'lanterlog'::regnamespace UNION"
            " SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'lanterlog'"
        )
        assert owners.scalars().all() == ["lanterlog_owner"]
        login = "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'lanterlog_owner'"
        assert conn.exec_driver_sql(login).scalar_one() is False


def test_a_database_that_is_not_utf8_is_refused(cluster: Cluster) -> None:
    with (
        cluster.empty("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'") as config,
        pytest.raises(StoreError, match="encoded as LATIN1: UTF8 is needed"),
    ):
        db.migrate(config)


def test_without_a_login_for_it_there_is_no_migration(database: Database) -> None:
    with pytest.raises(BadSetting, match="MIGRATION_DATABASE_URL"):
        db.migrate(replace(database.config, migration_database_url=None))


@pytest.fixture
def roles(cluster: Cluster) -> Iterator[Roles]:
    """Names that the cluster does not know yet, with what a name may hold."""
    mark = uuid4().hex[:8]
    found = Roles(f'Owner "{mark}"', f"app {mark}", f"worker-{mark}")
    yield found
    for role in (found.owner, found.app, found.worker):
        cluster.run('DROP ROLE IF EXISTS "{}"'.format(role.replace('"', '""')))


def migrate_apart(config: Config) -> str:
    """Migrate in a process of its own (Alembic knows one migration a process); what it complains."""
    environment = {
        "MIGRATION_DATABASE_URL": str(config.migration_database_url),
        "LANTERLOG_OWNER_ROLE": config.roles.owner,
        "LANTERLOG_APP_ROLE": config.roles.app,
        "LANTERLOG_WORKER_ROLE": config.roles.worker,
    }
    program = "from api import config, db; db.migrate(config.Config.from_environment())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        cwd=Path(migrations.__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.stderr


def test_several_at_once_on_one_database_take_turns(cluster: Cluster) -> None:
    with cluster.empty() as config, ThreadPoolExecutor(3) as threads:
        assert list(threads.map(migrate_apart, [config] * 3)) == [""] * 3
        assert db.schema_differences(config) == []


def test_several_databases_may_make_their_roles_at_once(cluster: Cluster, roles: Roles) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        configs = [replace(stack.enter_context(cluster.empty()), roles=roles) for _ in range(3)]
        assert list(threads.map(migrate_apart, configs)) == [""] * 3


def test_role_names_and_passwords_come_from_the_configuration(
    cluster: Cluster, roles: Roles
) -> None:
    with cluster.empty() as empty:
        url = make_url(str(empty.database_url)).set(username=roles.app, password="let me in")
        text = url.render_as_string(hide_password=False)
        db.migrate(replace(empty, roles=roles, database_url=text))
        with connected(str(empty.migration_database_url)) as conn:
            found = conn.exec_driver_sql(
                "SELECT rolname, rolcanlogin, rolpassword LIKE 'SCRAM-SHA-256$%%' FROM pg_authid"
                " WHERE rolname IN (%s, %s, %s) ORDER BY 1",
                (roles.owner, roles.app, roles.worker),
            )
            assert [tuple(row) for row in found] == [
                (roles.owner, False, None),
                (roles.app, True, True),
                (roles.worker, True, None),
            ]


def test_a_login_that_is_no_superuser_can_migrate(cluster: Cluster, roles: Roles) -> None:
    """As on a hosted server: it may make roles and owns the database, no more."""
    with cluster.empty(f"OWNER {MIGRATOR}") as empty:
        url = make_url(str(empty.migration_database_url)).set(username=MIGRATOR)
        config = replace(empty, roles=roles, migration_database_url=url.render_as_string())
        db.migrate(config)
        assert db.schema_differences(config) == []
        db.downgrade(config, "base")


def test_a_login_without_the_rights_is_told_so(cluster: Cluster, roles: Roles) -> None:
    with cluster.empty() as empty:
        url = make_url(str(empty.migration_database_url)).set(username=STRANGER)
        config = replace(empty, roles=roles, migration_database_url=url.render_as_string())
        with pytest.raises(StoreError, match="permission denied to create role"):
            db.migrate(config)


def test_an_older_server_is_refused(database: Database) -> None:
    """No such server is at hand: the number that the migration asks for is moved instead."""
    with connected(database.superuser_url) as conn:
        number = int(conn.exec_driver_sql("SHOW server_version_num").scalar_one())
    text = Path(migrations.__file__).with_name("env.py").read_text()
    check = text.split('FITNESS = """')[1].split('"""')[0]
    assert "< 150000 THEN" in check
    raised = check.replace("150000", str(number + 1))
    with (
        connected(database.superuser_url) as conn,
        pytest.raises(DBAPIError, match="15 or newer is needed"),
    ):
        conn.exec_driver_sql(raised)
