"""Where it is measured: a PostgreSQL of its own with durable defaults, gone when the block is left.

Never the user's store: neither its folder nor its settings are looked at.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString

import msgspec
import psycopg
from msgspec.structs import replace

from api import db
from api.config import Config
from api.embedded import DATABASE, SUPERUSER, Embedded, running

PLAIN: Final = """
CREATE TABLE IF NOT EXISTS public.plain (
  game_id uuid NOT NULL, version integer NOT NULL, recorded_at timestamptz NOT NULL,
  recorded_by uuid NOT NULL, salt bytea NOT NULL, hash bytea NOT NULL, body json NOT NULL,
  PRIMARY KEY (game_id, version)
)"""
_SETTINGS: Final = ("server_version", "fsync", "synchronous_commit", "full_page_writes")


class Place(msgspec.Struct, frozen=True):
    """The way to the server, for this process and for the clients."""

    config: Config
    sockets: str
    settings: dict[str, str]
    """The server's version and how durable it is."""

    def connect(self, database: str = DATABASE) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of psycopg's own, in autocommit, as the tables' owner."""
        return connect(self.sockets, database)


def connect(sockets: str, database: str = DATABASE) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection to a database, the bench's if none is named, on the server that listens in this folder."""
    return psycopg.connect(host=sockets, user=SUPERUSER, dbname=database, autocommit=True)


@contextmanager
def temporary() -> Iterator[Place]:
    """A running server with a migrated store and a plain table of the same columns beside it.

    Its folder lies where temporary files lie (TMPDIR). Raises EmbeddedError.
    """
    with folder() as home, served(home) as place:
        yield place


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for a server, gone with all that is in it when the block is left."""
    home = Path(tempfile.mkdtemp(prefix="lanterlog-bench-"))
    try:
        yield home
    finally:
        shutil.rmtree(home)


@contextmanager
def served(home: Path) -> Iterator[Place]:
    """The server of a folder, started with nothing in its memory, and stopped when the block is left."""
    # Two shares in one server: `running` knows the URLs, `Embedded` the socket.
    with Embedded(home) as server, running(Config(home=home)) as config:
        db.migrate(config)
        with connect(str(server.sockets)) as conn:
            conn.execute(PLAIN)
            settings = {name: _setting(conn, name) for name in _SETTINGS}
        # Clients are other processes, to which a view of a mapping cannot be sent; none asks by HTTP.
        yield Place(replace(config, limits={}), str(server.sockets), settings)


def tidy(place: Place, *statements: LiteralString) -> None:
    """Run statements of the bench's own, then leave statistics and disk as they are after a while."""
    with place.connect() as conn:
        for statement in (*statements, "VACUUM ANALYZE", "CHECKPOINT"):
            conn.execute(statement)


def _setting(conn: psycopg.Connection[tuple[Any, ...]], name: str) -> str:
    row = conn.execute("SELECT current_setting(%s)", (name,)).fetchone()
    assert row is not None
    return str(row[0])
