"""The migration of the read models: the worker's own tables, as the program thinks of them."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from api import db
from projections import schema
from tests.migrations.test_store import SHAPE
from tests.postgres import Database, both_servers, connected

pytestmark = [pytest.mark.store, both_servers]

NAMES = sorted(table.name for table in schema.metadata.tables.values())


def shape(conn: Connection, name: str) -> set[tuple[str, ...]]:
    """Like that of the store; names of the schema itself are left out."""
    rows = conn.exec_driver_sql(SHAPE.replace("'lanterlog'", f"'{name}'")).all()
    return {tuple(str(cell).replace(name, "") for cell in row) for row in rows}


def test_the_migrated_tables_are_what_a_rebuild_makes(database: Database) -> None:
    with connected(database.worker_url) as conn:
        for name in NAMES:
            for make in (schema.creation, schema.indexes):
                for statement in make(name, schema.BUILDING):
                    conn.exec_driver_sql(statement)
        assert shape(conn, schema.BUILDING) == shape(conn, schema.READING)
        assert len(shape(conn, schema.READING)) > 50


def test_the_worker_owns_them_and_the_program_reads_them(database: Database) -> None:
    with connected(database.superuser_url) as conn:
        owners = conn.exec_driver_sql(
            "SELECT tableowner::text FROM pg_tables WHERE schemaname = 'lanterlog_read' UNION"
            " SELECT nspowner::regrole::text FROM pg_namespace"
            " WHERE nspname IN ('lanterlog_read', 'lanterlog_build')"
        )
        assert owners.scalars().all() == ["lanterlog_worker"]
    with connected(database.app_url) as conn:
        for name in NAMES:
            conn.exec_driver_sql(f"SELECT * FROM lanterlog_read.{name}").all()
            for write in (f"DELETE FROM lanterlog_read.{name}", f"TRUNCATE lanterlog_read.{name}"):
                with pytest.raises(DBAPIError, match="permission denied"):
                    conn.exec_driver_sql(write)
                conn.rollback()


def test_what_a_rebuild_left_goes_with_the_rest(database: Database) -> None:
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("CREATE TABLE lanterlog_build.findings (left_over int)")
        conn.commit()
    db.downgrade(database.config, "base")
    with connected(database.superuser_url) as conn:
        left = conn.exec_driver_sql(
            "SELECT tablename FROM pg_tables WHERE schemaname LIKE 'lanterlog@_%%' ESCAPE '@'"
        )
        assert left.all() == []
