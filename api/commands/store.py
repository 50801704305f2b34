"""The database commands' way in: the program's own PostgreSQL or a server of the user's, ready for use."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, func, select

from api import db
from api.config import Config
from events.schema import games


@contextmanager
def connected() -> Iterator[Connection]:
    """Give a connection that sees one snapshot of the archive, and never writes."""
    with db.opened(Config.from_environment()) as engine:
        snapshot = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        with snapshot.connect() as conn:
            yield conn


def count_games(conn: Connection) -> int:
    """Return how many games there are."""
    return conn.execute(select(func.count()).where(games.c.kind == "game")).scalar_one()
