"""The worker's sessions with the database: connections of its own, outside every pool, and their locks.

A lock belongs to a session and ends with it, however the process ends, so a connection must go straight to
PostgreSQL: a pooler that hands sessions round would hand the locks round, too.
"""

import struct
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import psycopg
from psycopg import sql
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types.string import ByteaBinaryLoader
from sqlalchemy.engine import make_url

from events.errors import ProjectionError
from events.postgres import EPOCH

Session = psycopg.Connection[tuple[Any, ...]]

SEALER: Final = "sealer"

_OPTIONS: Final = {
    "statement_timeout": "10min",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "10min",
    # A process or machine that vanished gives its locks back within seconds.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "work_mem": "64MB",
    "jit": "off",
}
_TIMESTAMPTZ: Final = 1184
_JSON: Final = 114
_INT8: Final = struct.Struct(">q")
_ENCODER: Final = msgspec.json.Encoder()


def connect(url: str, task: str, **options: str) -> Session:
    """Return a new session in autocommit, named after its task; *options* are server settings for it.

    Values are as read models have them: times as microseconds since 1970 UTC, json as anything that can be
    written as such; json is read as its bytes. Raises ProjectionError where a pooler is in between.
    """
    settings = " ".join(f"-c {name}={value}" for name, value in (_OPTIONS | options).items())
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    conn: Session = psycopg.connect(
        plain,
        autocommit=True,
        application_name=f"lanterlog {task}",
        client_encoding="utf8",
        connect_timeout=10,
        options=settings,
    )
    adapt(conn)
    _check_is_direct(conn)
    return conn


def take(conn: Session, task: str, name: str | None = None) -> bool:
    """Take a task's lock for this session, or return False at once if another session has it.

    Whoever asks who holds a lock sees since when in the session's name: *name*, or the task's.
    """
    if not lock(conn, task):
        return False
    since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    conn.execute(
        "SELECT set_config('application_name', %s, false)",
        (f"lanterlog {name or task} since {since}",),
    )
    return True


def lock(conn: Session, task: str) -> bool:
    """Take a task's lock as `take` does, without saying so in the session's name."""
    row = conn.execute(
        "SELECT pg_try_advisory_lock(hashtext('lanterlog'), hashtext(%s))", (task,)
    ).fetchone()
    return row is not None and bool(row[0])


def release(conn: Session) -> None:
    """Give back every lock of a session that goes on, or is about to end: the server may notice that later."""
    if not conn.closed:
        conn.execute("SELECT pg_advisory_unlock_all()")


def named(schema: str, table: str) -> sql.Identifier:
    """Return a table's full name for a statement."""
    return sql.Identifier(schema, table)


def _check_is_direct(conn: Session) -> None:
    """Refuse a pooler, which tells its client a process number of its own making."""
    if conn.execute("SELECT pg_backend_pid()").fetchone() != (conn.info.backend_pid,):
        conn.close()
        raise ProjectionError("the worker's login leads through a pooler, expected a server itself")


def adapt(context: Session) -> None:
    """Have times as numbers and json as bytes on a connection."""
    context.adapters.register_dumper(None, _TimeDumper)
    context.adapters.register_dumper(None, _JsonDumper)
    context.adapters.register_loader("timestamptz", _TimeLoader)
    context.adapters.register_loader("json", ByteaBinaryLoader)


class _TimeDumper(Dumper):
    format = Format.BINARY
    oid = _TIMESTAMPTZ

    def dump(self, obj: int) -> Buffer:
        return _INT8.pack(obj - EPOCH)


class _TimeLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        found: int = _INT8.unpack(data)[0]
        return found + EPOCH


class _JsonDumper(Dumper):
    format = Format.BINARY
    oid = _JSON

    def __init__(self, cls: type, context: AdaptContext | None = None) -> None:
        super().__init__(cls, context)

    def dump(self, obj: Any) -> Buffer:
        return _ENCODER.encode(obj)
