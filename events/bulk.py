"""Takes in many whole games at once: COPY into the staging table, then one call that checks and keeps them.

The chain is worked out here, to name what is wrong, and again in the database, which believes nobody. A batch is
one transaction, which the caller ends. Files and formats are no affair of this file's.
"""

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import Final, Literal, cast
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import Connection

from events import intake, store
from events.postgres import EPOCH, Call, copy_in, every, one, to_time
from events.records import Head, StoredEvent, Text

Outcome = Literal["imported", "present", "other"]
"""New; here with the same head; here with another one, and left as it is."""

_COPY: Final = """
COPY lanterlog.staged_events
  (batch_id, game_id, version, recorded_at, recorded_by, salt, hash, body)
FROM STDIN (FORMAT binary)"""
_ROW: Final = Struct(">hi16si16siiiqi16si16si32si")
_IMPORT: Final = """
SELECT game_id, outcome FROM lanterlog.import_staged(%s, %s, %b::uuid[], %b::text[], %b::text[],
  %b::text[], %b::text[], %b::int4[], %b::bytea[], %b::timestamptz[],
  %b::uuid[], %b::int4[], %b::bytea[], %b::text[])"""
_HERE: Final = """
SELECT game_id, version, head FROM lanterlog.games WHERE game_id = ANY(%b::uuid[])"""
_CLEAR: Final = "SELECT lanterlog.clear_staging()"


class Whole(msgspec.Struct, frozen=True):
    """A game with everything that belongs to it; a text's `version_offset` counts from version 1."""

    head: Head
    events: Sequence[StoredEvent]
    texts: Sequence[Text] = ()
    names: Mapping[str, str] = {}


def take_in(
    conn: Connection, games: Sequence[Whole], imported_by: UUID, *, is_checked: bool = False
) -> dict[UUID, Outcome]:
    """Store a batch of games, all or none, and say what became of each; the ids must differ.

    `is_checked` says that whoever read the games has followed their chains already. Raises AlteredLog and
    NotStorable, after which the caller rolls back and tries one game at a time.
    """
    if not is_checked:
        for game in games:
            intake.check_chain(game.head, game.events)
    batch = uuid4()
    copy_in(conn, _COPY, (_rows(batch, game) for game in games))
    names = {UUID(player): name for game in games for player, name in game.names.items()}
    if names:
        store.ensure_people(conn, names)
    params = (batch, imported_by, *_heads(games), *_texts(games))
    rows = every(conn, _IMPORT, params, Call())
    return {game_id: cast("Outcome", outcome) for game_id, outcome in rows}


def here(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
    """Return version and head of those games that are in the store."""
    return {row[0]: (row[1], row[2]) for row in every(conn, _HERE, (list(ids),), Call())}


def clear(conn: Connection) -> None:
    """Empty the staging table; waits for those who are using it. Only between two batches."""
    one(conn, _CLEAR, (), Call())


def _rows(batch: UUID, game: Whole) -> bytes:
    """Return the rows of one game as COPY takes them."""
    pack, ids = _ROW.pack, (8, 16, batch.bytes, 16, game.head.game_id.bytes, 4)
    parts: list[bytes] = []
    for event in game.events:
        at = event.recorded_at - EPOCH
        body, by = event.body, event.recorded_by.bytes
        parts.append(
            pack(*ids, event.version, 8, at, 16, by, 16, event.salt, 32, event.hash, len(body))
        )
        parts.append(body)
    return b"".join(parts)


def _heads(games: Sequence[Whole]) -> Iterator[list[object]]:
    heads = [game.head for game in games]
    for name in ("game_id", "kind", "game", "mode", "visibility", "version", "head"):
        yield [getattr(head, name) for head in heads]
    yield [to_time(head.created_at) for head in heads]


def _texts(games: Sequence[Whole]) -> Sequence[object]:
    """Return four columns, or nothing in their place where there is no text."""
    rows = [
        (game.head.game_id, text.version_offset + 1, text.salt, text.text)
        for game in games
        for text in game.texts
    ]
    return [list(column) for column in zip(*rows, strict=True)] or [None] * 4
