"""The store: what the program asks of the database, one function a question.

No rules of any game, no decisions, and never a commit: the caller owns the transaction. What keeps
the log append-only are PostgreSQL's functions, triggers and rights (`migrations/`); this file calls
them and turns their answers into structs and typed errors. Times are microseconds since 1970 UTC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from events.chain import MAX_VERSION
from events.errors import UnknownGame
from events.postgres import EPOCH, Call, Row, every, one, streamed, text_columns, utf8
from events.records import Head as Head  # noqa: PLC0414  (part of what the store offers)
from events.records import StoredEvent as StoredEvent  # noqa: PLC0414  (part of what the store offers)
from events.records import Text as Text  # noqa: PLC0414  (part of what the store offers)


class Appended(msgspec.Struct, frozen=True):
    """The answer to an append; `repeated` if it is a first call's answer, given again."""

    first_version: int
    version: int
    head: bytes
    recorded_at: int
    repeated: bool


class Added(msgspec.Struct, frozen=True):
    """How many events of a game somebody has added, and how many of them are remarks."""

    events: int
    remarks: int


class Command(msgspec.Struct, frozen=True):
    """An append that was answered: which request it was and which versions it made."""

    game_id: UUID
    command_id: UUID
    request_hash: bytes
    first_version: int
    last_version: int
    recorded_at: int


_OPEN: Final = "SELECT lanterlog.open_game(%s, %s, %s, %s, %s)"
# Arrays go in binary (%b): as text, every quote of every body would be escaped one by one.
_APPEND: Final = """
SELECT first_version, last_version, head, recorded_at, repeated FROM lanterlog.append_events(
  %s, %s::int4, %s, %s, %s, %b::text[], %b::int4[], %b::bytea[], %b::text[])"""
_HEADS: Final = """
SELECT game_id, kind, game, mode, visibility, version, head, created_at, changed_at"""
_LOCK: Final = f"{_HEADS} FROM lanterlog.lock_head(%s)"
_ONE_HEAD: Final = f"{_HEADS} FROM lanterlog.games WHERE game_id = %s"
_HEADS_OF: Final = f"{_HEADS} FROM lanterlog.games WHERE game_id = ANY(%s::uuid[])"
_FIRST_HEADS: Final = f"{_HEADS} FROM lanterlog.games ORDER BY game_id LIMIT %s"
_NEXT_HEADS: Final = f"{_HEADS} FROM lanterlog.games WHERE game_id > %s ORDER BY game_id LIMIT %s"
_COMMAND: Final = """
SELECT game_id, command_id, request_hash, first_version, last_version, recorded_at
FROM lanterlog.commands WHERE game_id = %s AND command_id = %s"""
_READ: Final = """
SELECT version, recorded_at, recorded_by, salt, hash, body FROM lanterlog.events
WHERE game_id = %s AND version > %s::int4 AND version <= %s::int4 ORDER BY version LIMIT %s::int8"""
_BODIES: Final = """
SELECT body FROM lanterlog.events WHERE game_id = %s AND version <= %s::int4 ORDER BY version"""
_ADDED_BY: Final = """
SELECT count(*), count(*) FILTER (WHERE body ->> 't' = 'remarked') FROM lanterlog.events
WHERE game_id = %s AND recorded_by = %s"""
_READ_MANY: Final = """
SELECT game_id, version, recorded_at, recorded_by, salt, hash, body FROM lanterlog.events
WHERE game_id = ANY(%s::uuid[]) ORDER BY game_id, version"""
_STREAM: Final = """
SELECT g.game_id, e.version, e.recorded_at, e.recorded_by, e.salt, e.hash, e.body,
  g.kind, g.game, g.mode, g.visibility, g.version, g.head, g.created_at, g.changed_at
FROM lanterlog.games g LEFT JOIN lanterlog.events e ON e.game_id = g.game_id
WHERE %s::text IS NULL OR g.kind = %s ORDER BY g.game_id, e.version"""
_STREAM_BODIES: Final = """
SELECT g.game_id, g.game, e.body FROM lanterlog.games g
JOIN lanterlog.events e ON e.game_id = g.game_id
WHERE g.kind = 'game' ORDER BY g.game_id, e.version"""
_BODIES_OF: Final = """
SELECT g.game_id, g.game, e.body FROM lanterlog.games g
JOIN lanterlog.events e ON e.game_id = g.game_id
WHERE g.game_id = ANY(%b::uuid[]) ORDER BY g.game_id, e.version"""
_TEXTS: Final = """
SELECT version, salt, text FROM lanterlog.texts
WHERE game_id = %s AND version > %s::int4 AND version <= %s::int4"""
_TEXTS_OF: Final = """
SELECT game_id, version, salt, text FROM lanterlog.texts WHERE game_id = ANY(%b::uuid[])"""
_PEOPLE: Final = """
SELECT player_id, name FROM lanterlog.people WHERE player_id = ANY(%b::uuid[])
UNION ALL
SELECT player_id, NULL FROM lanterlog.erased_people WHERE player_id = ANY(%b::uuid[])"""
ERASED_NAME: Final = "(erased)"
"""What is shown of a person whose name was taken out of the store."""
_ENSURE_PEOPLE: Final = "SELECT lanterlog.ensure_people(%s::uuid[], %s::text[])"
_FIRST: Final = itemgetter(0)


def open_game(
    conn: Connection,
    game_id: UUID,
    game: str,
    mode: str,
    visibility: str = "public",
    kind: str = "game",
) -> bool:
    """Make an empty stream; False if that id is there already, so that opening can be retried."""
    row = one(conn, _OPEN, (game_id, kind, game, mode, visibility), Call(game_id))
    return row is not None and bool(row[0])


def append(
    conn: Connection,
    game_id: UUID,
    expected_version: int | None,
    command_id: UUID,
    request_hash: bytes,
    recorded_by: UUID,
    bodies: Sequence[bytes],
    texts: Sequence[Text] = (),
) -> Appended:
    """Add events after `expected_version` (None: after whatever is there), all or none.

    A command id that was answered before gets the same answer again, whatever the version is now,
    provided that `request_hash` (32 bytes) is the same. Holds the game's row lock until the caller
    commits. Raises StaleVersion, CommandReused, UnknownGame, GameFull, NotStorable, StoreBusy, and
    ConnectionLost, after which the same call tells what happened.
    """
    params = (
        game_id,
        expected_version,
        command_id,
        request_hash,
        recorded_by,
        [utf8(body) for body in bodies],
        *text_columns(texts),
    )
    row = one(conn, _APPEND, params, Call(game_id, expected_version, command_id))
    assert row is not None
    return Appended(row[0], row[1], row[2], row[3] + EPOCH, row[4])


def lock_head(conn: Connection, game_id: UUID) -> Head:
    """The head, with its row locked until the caller's transaction ends. Raises UnknownGame."""
    return _known(game_id, one(conn, _LOCK, (game_id,), Call(game_id)))


def head(conn: Connection, game_id: UUID) -> Head:
    """The head as it is now. Raises UnknownGame."""
    return _known(game_id, one(conn, _ONE_HEAD, (game_id,), Call(game_id)))


def heads(conn: Connection, after: UUID | None = None, limit: int = 100) -> list[Head]:
    """The next `limit` heads by game id, from the one after `after`."""
    if after is None:
        rows = every(conn, _FIRST_HEADS, (limit,), Call())
    else:
        rows = every(conn, _NEXT_HEADS, (after, limit), Call())
    return [_head(row) for row in rows]


def heads_of(conn: Connection, game_ids: Iterable[UUID]) -> dict[UUID, Head]:
    """The heads of these streams, as far as they are there, by id."""
    found = map(_head, every(conn, _HEADS_OF, (list(game_ids),), Call()))
    return {head.game_id: head for head in found}


def find_command(conn: Connection, game_id: UUID, command_id: UUID) -> Command | None:
    """The append that a command id stands for, if it was answered and not pruned since."""
    row = one(conn, _COMMAND, (game_id, command_id), Call(game_id))
    return Command(*(*row[:5], row[5] + EPOCH)) if row else None


def added_by(conn: Connection, game_id: UUID, recorded_by: UUID) -> Added:
    """How much of a game was recorded by this token."""
    ((events, remarks),) = every(conn, _ADDED_BY, (game_id, recorded_by), Call(game_id))
    return Added(events, remarks)


def read(
    conn: Connection,
    game_id: UUID,
    after: int = 0,
    limit: int | None = None,
    upto: int | None = None,
) -> list[StoredEvent]:
    """The events of a game in order: from `after` + 1 up to and with `upto`, at most `limit`.

    One query; an unknown game has none.
    """
    last = MAX_VERSION if upto is None else upto
    rows = every(conn, _READ, (game_id, after, last, limit), Call(game_id))
    return [
        StoredEvent(game_id, version, at + EPOCH, by, salt, hash_, body)
        for version, at, by, salt, hash_, body in rows
    ]


def read_bodies(conn: Connection, game_id: UUID, upto: int | None = None) -> list[bytes]:
    """The bodies alone, up to and with version `upto`: all that a replay needs, in half the time."""
    rows = every(conn, _BODIES, (game_id, MAX_VERSION if upto is None else upto), Call(game_id))
    return [body for (body,) in rows]


def read_many(
    conn: Connection, game_ids: Sequence[UUID], batch: int = 50
) -> Iterator[tuple[UUID, list[StoredEvent]]]:
    """Each game with all its events, in the order given; one query for every `batch` games."""
    for start in range(0, len(game_ids), batch):
        wanted = game_ids[start : start + batch]
        rows = every(conn, _READ_MANY, (list(wanted),), Call())
        found = {game: [_event(row) for row in group] for game, group in groupby(rows, _FIRST)}
        for game_id in wanted:
            yield game_id, found.get(game_id, [])


def stream_all(
    conn: Connection, kind: str | None = None, page: int = 2000
) -> Iterator[tuple[Head, list[StoredEvent]]]:
    """Every stream, or every one of a kind, with all its events, by id, as one snapshot, in constant memory.

    One query through a cursor in the server, `page` events at a time.
    """
    for _, group in groupby(streamed(conn, _STREAM, page, (kind, kind)), _FIRST):
        rows = list(group)
        events = [_event(row) for row in rows if row[1] is not None]
        yield _head((rows[0][0], *rows[0][7:])), events


def stream_bodies(conn: Connection, page: int = 2000) -> Iterator[tuple[UUID, str, list[bytes]]]:
    """Every game that has events with its id, its rules' name and its bodies alone: all that an audit needs.

    By game id, as one snapshot and in constant memory, like `stream_all`.
    """
    for _, group in groupby(streamed(conn, _STREAM_BODIES, page), _FIRST):
        rows = list(group)
        yield rows[0][0], rows[0][1], [row[2] for row in rows]


def bodies_of(
    conn: Connection, game_ids: Sequence[UUID]
) -> Iterator[tuple[UUID, str, list[bytes]]]:
    """The same of these games, by id; one query, so ask for a portion."""
    rows = every(conn, _BODIES_OF, (list(game_ids),), Call())
    for game_id, group in groupby(rows, _FIRST):
        found = list(group)
        yield game_id, found[0][1], [row[2] for row in found]


def texts(
    conn: Connection, game_id: UUID, after: int = 0, upto: int = MAX_VERSION
) -> dict[int, Text]:
    """The free texts of a game by version, of those after one up to another; those that were erased are missing."""
    rows = every(conn, _TEXTS, (game_id, after, upto), Call(game_id))
    return {version: Text(version - 1, salt, text) for version, salt, text in rows}


def texts_of(conn: Connection, game_ids: Iterable[UUID]) -> dict[UUID, dict[int, Text]]:
    """The same of many streams, by id; one query. A stream without texts is missing."""
    found: dict[UUID, dict[int, Text]] = {}
    for game_id, version, salt, text in every(conn, _TEXTS_OF, (list(game_ids),), Call()):
        found.setdefault(game_id, {})[version] = Text(version - 1, salt, text)
    return found


def people(conn: Connection, ids: Iterable[UUID]) -> dict[UUID, str]:
    """The names of those people that have one, and ERASED_NAME for those whose name was taken out."""
    wanted = list(ids)
    rows = every(conn, _PEOPLE, (wanted, wanted), Call())
    return {player: ERASED_NAME if name is None else name for player, name in rows}


def ensure_people(conn: Connection, names: Mapping[UUID, str]) -> None:
    """Name the people that have no name yet; those that have one keep it, and an erased one gets none."""
    one(conn, _ENSURE_PEOPLE, (list(names), list(names.values())), Call())


def _event(row: Row) -> StoredEvent:
    return StoredEvent(row[0], row[1], row[2] + EPOCH, row[3], row[4], row[5], row[6])


def _head(row: Row) -> Head:
    return Head(*(*row[:7], row[7] + EPOCH, row[8] + EPOCH))


def _known(game_id: UUID, row: Row | None) -> Head:
    if row is None:
        raise UnknownGame(game_id)
    return _head(row)
