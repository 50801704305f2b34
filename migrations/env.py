"""How migrations run: one at a time, with time limits, as the owner of the tables.

The login comes from the caller (`api.db.migrate` hands over a connection, roles and passwords) or,
for the alembic command, from MIGRATION_DATABASE_URL and LANTERLOG_*_ROLE. Before the first
migration this file makes what belongs to the server rather than to a schema's version: the three
roles and the schemas themselves. Neither is taken away on the way down, since other databases of the same
server may use the roles.
"""

import os
from collections.abc import Mapping
from typing import Any

from alembic import context
from sqlalchemy import Connection, create_engine, pool, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from events.schema import SCHEMA, Roles, metadata
from projections.schema import BUILDING, READING

LOCK = "SELECT {}(hashtext('lanterlog migrations'))"
LIMITS = "SET statement_timeout = '60s'; SET lock_timeout = '4s'"
FITNESS = """
DO $$
BEGIN
  IF current_setting('server_version_num')::integer < 150000 THEN
    RAISE EXCEPTION 'PostgreSQL % is too old: 15 or newer is needed',
      current_setting('server_version') USING ERRCODE = 'LL011';
  ELSIF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'database % is encoded as %: UTF8 is needed, since hashes cover the bytes',
      current_database(), current_setting('server_encoding') USING ERRCODE = 'LL011';
  END IF;
END $$
"""
ALREADY_THERE = {"42710", "23505"}
"""duplicate_object, and unique_violation when another session made the role at the same moment."""


def run_offline() -> None:
    """Write the SQL down for someone who runs it by hand, as the owner and with the roles there."""
    context.configure(dialect_name="postgresql", **_options())
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    connection = context.config.attributes.get("connection")
    if connection is not None:
        _run(connection)
        return
    engine = create_engine(os.environ["MIGRATION_DATABASE_URL"], poolclass=pool.NullPool)
    with engine.connect() as own:
        _run(own)


def _run(connection: Connection) -> None:
    # The wait for another migration comes before the limits, else it would count against them.
    connection.execute(text(LOCK.format("pg_advisory_lock")))
    try:
        connection.execute(text(LIMITS))
        connection.execute(text(FITNESS))
        _become_owner(connection, _roles())
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=metadata,
            transaction_per_migration=True,
            **_options(),
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    finally:
        connection.rollback()
        connection.execute(text("RESET ROLE; RESET statement_timeout; RESET lock_timeout"))
        connection.execute(text(LOCK.format("pg_advisory_unlock")))
        connection.commit()


def _options() -> dict[str, Any]:
    return {
        "roles": _roles(),
        "version_table_schema": SCHEMA,
        "include_schemas": True,
        "include_name": _is_ours,
        "compare_server_default": True,
    }


def _is_ours(name: str | None, kind: str, _parents: Mapping[str, str | None]) -> bool:
    return kind != "schema" or name == SCHEMA


def _roles() -> Roles:
    given = context.config.attributes.get("roles")
    if isinstance(given, Roles):
        return given
    named = {
        "owner": os.environ.get("LANTERLOG_OWNER_ROLE"),
        "app": os.environ.get("LANTERLOG_APP_ROLE"),
        "worker": os.environ.get("LANTERLOG_WORKER_ROLE"),
    }
    return Roles(**{role: name for role, name in named.items() if name})


def _become_owner(connection: Connection, roles: Roles) -> None:
    """Make the roles and the schema where they are missing, and go on as the owner."""
    quote = connection.dialect.identifier_preparer.quote_identifier
    owner, worker = quote(roles.owner), quote(roles.worker)
    _make_role(connection, roles.owner, "NOLOGIN")
    for role in (roles.app, roles.worker):
        _make_role(connection, role, f"LOGIN{_password(connection, role)}")
    for role in (owner, worker):
        if not _may_become(connection, role):
            connection.execute(text(f"GRANT {role} TO CURRENT_USER"))
    for schema, role in ((SCHEMA, owner), (READING, worker), (BUILDING, worker)):
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {schema} AUTHORIZATION {role}"))
    connection.execute(text(f"SET ROLE {owner}"))


def _make_role(connection: Connection, role: str, options: str) -> None:
    found = connection.execute(text("SELECT FROM pg_roles WHERE rolname = :role"), {"role": role})
    if found.first() is not None:
        return
    quote = connection.dialect.identifier_preparer.quote_identifier
    try:
        with connection.begin_nested():
            connection.exec_driver_sql(f"CREATE ROLE {quote(role)} {options}")
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in ALREADY_THERE:
            raise


def _password(connection: Connection, role: str) -> str:
    """The PASSWORD clause for a role that the caller has a password for, never in clear text."""
    password = context.config.attributes.get("passwords", {}).get(role)
    if password is None:
        return ""
    libpq = connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
    secret = libpq.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    return f" PASSWORD '{secret}'"


def _may_become(connection: Connection, role: str) -> bool:
    try:
        with connection.begin_nested():
            connection.execute(text(f"SET LOCAL ROLE {role}"))
            connection.execute(text("RESET ROLE"))
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != "42501":
            raise
        return False
    return True


if context.is_offline_mode():
    run_offline()
else:
    run_online()
