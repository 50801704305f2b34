"""How the store's statements are run: on psycopg itself, in binary, with typed errors.

The tables are read on the hot path of every replay, so a statement goes straight to the driver's
connection under the SQLAlchemy one (same transaction, same pool). Values come in PostgreSQL's binary
form: `json` as the bytes that were stored, times as a number, without a detour over text, parsing or
datetime. Only the files beside `events.store` use this one, and it holds no SQL of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg
from psycopg.types.numeric import Int8BinaryLoader
from psycopg.types.string import ByteaBinaryLoader
from sqlalchemy import Connection

from events.errors import (
    AlteredLog,
    CommandReused,
    ConnectionLost,
    GameFull,
    NotContinued,
    NotStorable,
    OtherHead,
    StaleVersion,
    StoreBusy,
    StoreError,
    StoreUnavailable,
    UnknownGame,
)
from events.records import Text

Row = tuple[Any, ...]

EPOCH: Final = 946_684_800_000_000
"""Times come as microseconds since 2000, as PostgreSQL counts them; this makes it since 1970."""

_NIL: Final = UUID(int=0)
_COPY_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END: Final = b"\xff\xff"
_STREAMS: Final = count()
"""Numbers for cursors, so that several can be open on one connection."""
_BUSY: Final = frozenset({"40001", "40P01", "55P03", "57014"})
OUT_OF_MEANS: Final = ("53", "25006")
"""SQLSTATEs of a full disk and the like, and of a database that may only be read, as a standby is."""
_UNFIT: Final = ("22", "23", "54")
_BROKEN_LINKS: Final = {
    "LL007": "follows no event",
    "LL008": "has another hash than follows from it",
    "LL009": "has a time before that of the event before it",
}


class Call(msgspec.Struct, frozen=True):
    """What a statement is about, for the error that it may end in."""

    game_id: UUID = _NIL
    expected: int | None = None
    command_id: UUID = _NIL


def one(conn: Connection, sql: str, params: Sequence[object], call: Call) -> Row | None:
    """The first row of a statement, or None."""
    with _cursor(conn, call) as cur:
        return cur.execute(sql, params, prepare=True, binary=True).fetchone()


def every(conn: Connection, sql: str, params: Sequence[object], call: Call) -> list[Row]:
    """All rows of a statement."""
    with _cursor(conn, call) as cur:
        return cur.execute(sql, params, prepare=True, binary=True).fetchall()


def streamed(conn: Connection, sql: str, page: int, params: Sequence[object] = ()) -> Iterator[Row]:
    """The rows of a statement through a cursor in the server, a page of them in memory at a time.

    The connection may run other statements in between, more of these among them.
    """
    driver = _driver(conn)
    # Without a transaction (AUTOCOMMIT) a cursor in the server would not outlive its declaration.
    block = driver.transaction() if driver.autocommit else nullcontext()
    name = f"lanterlog_stream_{next(_STREAMS)}"
    with _typed_errors(conn, Call()), block, driver.cursor(name=name) as cur:
        _leave_raw(cur)
        cur.itersize = page
        yield from cur.execute(sql, params, binary=True)


def copy_in(conn: Connection, sql: str, parts: Iterable[bytes]) -> None:
    """Send rows in the binary form of COPY, without its beginning and its end, which are added here."""
    with _cursor(conn, Call()) as cur, cur.copy(sql) as copy:
        copy.write(_COPY_HEAD)
        for part in parts:
            copy.write(part)
        copy.write(_COPY_END)


def to_time(microseconds: int) -> datetime:
    """A time for PostgreSQL from microseconds since 1970; NotStorable outside the years 1 to 9999."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    except OverflowError:
        raise NotStorable(
            f"time {microseconds} us since 1970, expected the years 1 to 9999"
        ) from None


@contextmanager
def _cursor(conn: Connection, call: Call) -> Iterator[psycopg.Cursor[Row]]:
    with _typed_errors(conn, call), _driver(conn).cursor() as cur:
        _leave_raw(cur)
        yield cur


def _driver(conn: Connection) -> psycopg.Connection[Row]:
    """The driver's connection, in a transaction that SQLAlchemy knows of, so that it can end it."""
    if not conn.in_transaction():
        conn.begin()
    driver = conn.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


def _leave_raw(cur: psycopg.Cursor[Row] | psycopg.ServerCursor[Row]) -> None:
    cur.adapters.register_loader("json", ByteaBinaryLoader)
    cur.adapters.register_loader("timestamptz", Int8BinaryLoader)


@contextmanager
def _typed_errors(conn: Connection, call: Call) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        if isinstance(error, psycopg.OperationalError) and _driver(conn).closed:
            conn.invalidate(error)
            raise ConnectionLost(f"connection to the database lost: {error}") from error
        raise _typed(error, call) from error
    except UnicodeError as error:
        raise NotStorable(f"text that UTF-8 cannot hold: {error}") from error


def _typed(error: psycopg.Error, call: Call) -> StoreError:
    """The error of ours that stands for one of the database's, by its SQLSTATE."""
    state = error.sqlstate or ""
    message = error.diag.message_primary or str(error)
    version = int(error.diag.message_detail or 0) if state.startswith("LL") else 0
    match state:
        case "LL001":
            return StaleVersion(call.game_id, call.expected or 0, version)
        case "LL002":
            return CommandReused(call.game_id, call.command_id)
        case "LL003":
            return UnknownGame(call.game_id)
        case "LL004":
            return GameFull(message)
        case "LL007" | "LL008" | "LL009":
            return AlteredLog(call.game_id, version, _BROKEN_LINKS[state])
        case "LL010":
            return OtherHead(call.game_id, version)
        case "LL015":
            return NotContinued(call.game_id, version, message)
        case _ if state in _BUSY:
            return StoreBusy(message)
        case _ if state.startswith(OUT_OF_MEANS):
            return StoreUnavailable(message)
        case _ if (
            state in {"LL005", "LL014"}
            or state.startswith(_UNFIT)
            or isinstance(error, psycopg.DataError)
        ):
            return NotStorable(message)
    return StoreError(message)


def utf8(body: bytes) -> str:
    """The text of a body; raises NotStorable if it is none."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise NotStorable(f"body that is not UTF-8: {error}") from error


def text_columns(texts: Iterable[Text]) -> Sequence[object]:
    """Three arrays, or nothing in their place where there is no text, which takes less to send."""
    rows = [(text.version_offset, text.salt, text.text) for text in texts]
    return [list(column) for column in zip(*rows, strict=True)] or [None, None, None]
