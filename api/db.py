"""The database as the program sees it: its pool of connections, its schema, its login's rights.

No table is read or written here but the catalogues.
"""

import select as polling
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import Connection, Engine, column, create_engine, event, pool, select, table, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError

import migrations
from api.config import Config
from api.embedded import running
from events.errors import BadSetting, NotMigrated, StoreError, TooManyRights
from events.schema import SCHEMA, metadata

if (
    TYPE_CHECKING
):  # Alembic is a fifth of what a command has to read in, and few commands change a schema
    from alembic.config import Config as AlembicConfig

_VERSIONS: Final = table("alembic_version", schema=SCHEMA)
_RIGHTS: Final = """
SELECT session_user::text, array_remove(ARRAY[
  CASE WHEN r.rolsuper THEN 'is a superuser' END,
  CASE WHEN r.rolcreaterole THEN 'can make roles' END,
  CASE WHEN r.rolbypassrls THEN 'bypasses row security' END,
  CASE WHEN r.rolreplication THEN 'can replicate' END,
  CASE WHEN EXISTS (
    SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace(:schema)
      AND pg_has_role(session_user, c.relowner, 'MEMBER')
  ) THEN 'owns the tables' END,
  CASE WHEN EXISTS (
    SELECT FROM pg_namespace n WHERE n.nspname = :schema
      AND has_schema_privilege(session_user, n.oid, 'CREATE')
  ) THEN 'can create in the schema' END,
  CASE WHEN EXISTS (
    SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r'
      AND has_table_privilege(session_user, c.oid, CASE WHEN c.relname = 'staged_events'
        THEN 'SELECT, UPDATE, DELETE, TRUNCATE, TRIGGER'
        ELSE 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER' END)
  ) THEN 'can write the tables' END,
  CASE WHEN EXISTS (
    SELECT FROM pg_roles g WHERE pg_has_role(session_user, g.oid, 'MEMBER') AND g.rolname IN
      ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
  ) THEN 'can write behind the server' END
], NULL) FROM pg_roles r WHERE r.rolname = session_user
"""


@contextmanager
def opened(config: Config) -> Iterator[Engine]:
    """The program's engine, ready for use: started and migrated if the server is ours, and checked.

    Raises EmbeddedError, NotMigrated, TooManyRights.
    """
    ours = config.database_url is None
    with running(config) as settled:
        if ours:
            keep_up(settled)
        made = engine(settled)
        try:
            with made.connect() as conn:
                if not config.pooler:
                    check_is_direct(conn, "DATABASE_URL", "or LANTERLOG_POOLER=1")
                check_login_rights(conn)
                check_schema_version(conn)
            yield made
        finally:
            made.dispose()


def engine(config: Config) -> Engine:
    """A pool of the program's login; `config.database_url` must be set (see `opened`).

    Statements are prepared when they are first run, and no connection needs a SET. Through a pooler neither
    may be: the next transaction may find itself in another session.
    """
    if config.database_url is None:
        raise BadSetting("no DATABASE_URL, expected one or the embedded server's")
    options = f"-c statement_timeout={config.statement_timeout}s -c lock_timeout=10s"
    session: dict[str, Any] = {"options": options, "prepare_threshold": 1}
    made = create_engine(
        config.database_url,
        pool_size=config.pool_size,
        max_overflow=config.pool_size,
        pool_timeout=10,
        connect_args={
            "application_name": "lanterlog",
            "client_encoding": "utf8",
            "connect_timeout": 10,
            **({"prepare_threshold": None} if config.pooler else session),
        },
    )
    event.listen(made, "checkout", _refuse_dead)
    return made


def autocommit(engine: Engine) -> Engine:
    """The same pool without transactions: one round trip a statement, each on its own."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def check_login_rights(conn: Connection) -> None:
    """Refuse to work with a login that could bypass the append-only log. Raises TooManyRights.

    The login counts, not the role in force: whoever logs in as a superuser can RESET ROLE.
    """
    login, reasons = conn.execute(text(_RIGHTS), {"schema": SCHEMA}).one()
    if reasons:
        raise TooManyRights(login, tuple(reasons))


def check_is_direct(conn: Connection, name: str, way_out: str = "") -> None:
    """Refuse a pooler in between where settings or locks must stay with the session.

    Raises BadSetting with the *name* of the variable.
    """
    driver = conn.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    _check_is_direct(driver, name, way_out)


def check_schema_version(conn: Connection) -> None:
    """Refuse a database that is not migrated to what this program needs. Raises NotMigrated."""
    found = _version(conn)
    if found != head():
        raise NotMigrated(
            f"database at schema version {found or 'none'}, expected {head()}: run lanterlog migrate"
        )


@cache
def head() -> str:
    """Return the schema version that this program needs."""
    return migrations.head()


def keep_up(config: Config) -> None:
    """Migrate a server of ours, unless it is at this program's version already."""
    with _migrator(config).connect() as conn:
        found = _version(conn)
    if found != head():
        migrate(config)


def migrate(config: Config) -> None:
    """Bring the schema up to this program's, as the migration login; nothing to do is no error.

    Roles that are missing are made, with the passwords of the configured URLs. Raises BadSetting
    without `migration_database_url`, StoreError if the server refuses.
    """
    import alembic.command

    with _migrating(config) as settings:
        alembic.command.upgrade(settings, "head")


def downgrade(config: Config, revision: str) -> None:
    """Take the schema back to an older revision ("base": none); refused where events would go."""
    import alembic.command

    with _migrating(config) as settings:
        alembic.command.downgrade(settings, revision)


@contextmanager
def as_owner(config: Config) -> Iterator[Engine]:
    """Connections that act as the owner of the tables, for what the program's own login must not do.

    Through the migration login; raises BadSetting without `migration_database_url`.
    """
    if config.migration_database_url is None:
        raise BadSetting("no MIGRATION_DATABASE_URL, expected a login that may become the owner")
    made = create_engine(
        config.migration_database_url,
        poolclass=pool.NullPool,
        connect_args={"application_name": "lanterlog owner", "client_encoding": "utf8"},
    )
    become = sql.SQL("SET ROLE {}").format(sql.Identifier(config.roles.owner))

    @event.listens_for(made, "connect")
    def become_owner(driver: psycopg.Connection[Any], _record: object) -> None:
        _check_is_direct(driver, "MIGRATION_DATABASE_URL")
        driver.execute(become)
        driver.commit()

    yield made


def schema_differences(config: Config) -> list[Any]:
    """What `alembic check` would find between the migrated schema and `events/schema.py`."""
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with _migrating(config) as settings:
        context = MigrationContext.configure(
            settings.attributes["connection"],
            opts={
                "version_table_schema": SCHEMA,
                "include_schemas": True,
                "include_name": lambda name, kind, _: kind != "schema" or name == SCHEMA,
                "compare_server_default": True,
            },
        )
        return list(compare_metadata(context, metadata))


@contextmanager
def _migrating(config: Config) -> Iterator["AlembicConfig"]:
    try:
        with _migrator(config).connect() as conn:
            check_is_direct(conn, "MIGRATION_DATABASE_URL")
            settings = _alembic()
            settings.attributes.update(
                connection=conn, roles=config.roles, passwords=_passwords(config)
            )
            yield settings
    except DBAPIError as error:
        raise StoreError(f"migration refused: {error.orig}") from error


def _migrator(config: Config) -> Engine:
    url = config.migration_database_url
    if url is None:
        raise BadSetting("no MIGRATION_DATABASE_URL, expected a login that may change the schema")
    return create_engine(
        url,
        poolclass=pool.NullPool,
        connect_args={"application_name": "lanterlog migrate", "client_encoding": "utf8"},
    )


def _alembic() -> "AlembicConfig":
    from alembic.config import Config as AlembicConfig

    settings = AlembicConfig()
    settings.set_main_option("script_location", str(Path(migrations.__file__).parent))
    settings.set_main_option("path_separator", "os")
    return settings


def _version(conn: Connection) -> str | None:
    """The schema version of a database, None before the first migration."""
    if not conn.dialect.has_table(conn, "alembic_version", schema=SCHEMA):
        return None
    found: str | None = conn.execute(select(column("version_num")).select_from(_VERSIONS)).scalar()
    return found


def _passwords(config: Config) -> dict[str, str]:
    urls = [make_url(url) for url in (config.database_url, config.worker_database_url) if url]
    return {
        url.username: str(url.password)
        for url in urls
        if url.username in {config.roles.app, config.roles.worker} and url.password
    }


def _check_is_direct(driver: psycopg.Connection[Any], name: str, way_out: str = "") -> None:
    """A pooler tells its client a process number of its own making."""
    if driver.execute("SELECT pg_backend_pid()").fetchone() != (driver.info.backend_pid,):
        wanted = f"the PostgreSQL server itself {way_out}".strip()
        raise BadSetting(f"{name} leads through a pooler, expected {wanted}")


def _refuse_dead(
    driver: psycopg.Connection[Any], _record: object, _proxy: pool.PoolProxiedConnection
) -> None:
    """Replace a connection that the server has hung up on, without a round trip to find out.

    Nobody speaks to an idle client except to say goodbye; all that waited with it are dead too.
    """
    waiting = polling.poll()
    waiting.register(driver.fileno(), polling.POLLIN)
    if driver.closed or waiting.poll(0):
        raise InvalidatePoolError("the server has hung up")
