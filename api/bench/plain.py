"""PostgreSQL alone: the same rows in a plain table by psycopg, in binary, prepared, nothing else.

No chain, no rules, no objects made of the rows: what no store on this server can go below.
"""

import time
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any, Final
from uuid import UUID, uuid4

from uuid_utils.compat import uuid7

from api.bench.place import Place
from api.bench.scripts import Script
from events.postgres import EPOCH

_INSERT: Final = """
INSERT INTO public.plain (game_id, version, recorded_at, recorded_by, salt, hash, body)
VALUES (%b, %b, clock_timestamp(), %b, %b, %b, %s)"""
_COPY: Final = """
COPY public.plain (game_id, version, recorded_at, recorded_by, salt, hash, body)
FROM STDIN (FORMAT binary)"""
_ROW: Final = Struct(">hi16siiiqi16si16si32si")
_COPY_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
# The text of a body, since psycopg would parse a json column; and no more than ours reads for a replay.
_SELECT: Final = "SELECT body::text FROM public.plain WHERE game_id = %b ORDER BY version"
_STREAM: Final = """
SELECT game_id, version, recorded_at, recorded_by, salt, hash, body::text FROM public.plain
ORDER BY game_id, version"""
_PAGE: Final = 2000
_RECORDER: Final = UUID(int=1)
_HASH: Final = bytes(range(32))
_SALT: Final = bytes(range(16))


class Plain:
    """One connection in autocommit."""

    def __init__(self, place: Place) -> None:
        self._conn = place.connect()

    def appends(self, script: Script) -> Iterator[None]:
        """One INSERT an event; salt and hash are taken as known."""
        game_id = uuid7()
        for version, body in enumerate(script.bodies, 1):
            row = (game_id, version, _RECORDER, uuid4().bytes, _HASH, body.decode())
            self._conn.execute(_INSERT, row, prepare=True)
            yield

    def records(self, script: Script) -> Iterator[None]:
        """There is nothing to read before an INSERT."""
        return self.appends(script)

    def bring_in(self, games: Sequence[Script]) -> list[UUID]:
        """One COPY in binary, its rows packed by hand; salt and hash are taken as known."""
        ids = [uuid7() for _ in games]
        now = time.time_ns() // 1000 - EPOCH
        with self._conn.transaction(), self._conn.cursor() as cur, cur.copy(_COPY) as copy:
            copy.write(_COPY_HEAD)
            for game_id, script in zip(ids, games, strict=True):
                copy.write(_packed(game_id, now, script.bodies))
            copy.write(b"\xff\xff")
        return ids

    def replay(self, game_id: UUID) -> list[tuple[Any, ...]]:
        """The bare SELECT of the bodies."""
        return self._conn.execute(_SELECT, (game_id,), prepare=True, binary=True).fetchall()

    def walk(self) -> int:
        """The bare SELECT of all rows through a cursor in the server."""
        rows = 0
        with self._conn.transaction(), self._conn.cursor(name="bench") as cur:
            cur.itersize = _PAGE
            for _ in cur.execute(_STREAM, binary=True):
                rows += 1
        return rows

    def close(self) -> None:
        self._conn.close()


def _packed(game_id: UUID, at: int, bodies: Sequence[bytes]) -> bytes:
    pack, own, by = _ROW.pack, game_id.bytes, _RECORDER.bytes
    parts: list[bytes] = []
    for version, body in enumerate(bodies, 1):
        parts.append(pack(7, 16, own, 4, version, 8, at, 16, by, 16, _SALT, 32, _HASH, len(body)))
        parts.append(body)
    return b"".join(parts)
