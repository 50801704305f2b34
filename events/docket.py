"""The docket: disputes in the store, opened, gone on with and read.

The shell around `events.disputing`, as the recorder is around a game's rules: functions take a Connection and never
commit. The row lock on a dispute's head puts its events in order, so of two rulings the second is told. A text's
salt is made here and goes with the text.
"""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar
from uuid import UUID, uuid5

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection
from uuid_utils.compat import uuid7

from events import store
from events.chain import text_hash
from events.codec import decode, decode_log, encode
from events.disputes import NAME, DisputeEvent, DisputeOpened, EvidenceLinked, StatementAdded
from events.disputing import Actor, Dispute, Table, fold, refused, too_much
from events.errors import (
    CommandReused,
    DisputeError,
    StaleVersion,
    UnknownDispute,
    UnknownGame,
)
from events.postgres import Call, every

E = TypeVar("E", bound=DisputeEvent)

NO_TEXT: Final = "0" * 64
"""What an event that is to be recorded has in the place of its text's hash, which is made here."""

_ABOUT: Final = """
SELECT game_id, body ->> 'game_id' FROM lanterlog.events
WHERE version = 1 AND body ->> 't' = 'dispute_opened' AND body ->> 'game_id' = ANY(%s::text[])
ORDER BY game_id"""

_OPENED_FOR: Final = """
SELECT count(*) FROM lanterlog.events
WHERE version = 1 AND body ->> 't' = 'dispute_opened' AND body ->> 'game_id' = %s AND body ->> 'by' = %s"""

_GAMES: Final = """
SELECT o.game_id, (o.body ->> 'game_id')::uuid FROM lanterlog.events o
WHERE o.game_id = ANY(%s::uuid[]) AND o.version = 1 AND o.body ->> 't' = 'dispute_opened'"""


class Entry(msgspec.Struct, frozen=True):
    """A dispute as it was read: its head, its stored events, what they say, and how it stands."""

    head: store.Head
    stored: Sequence[store.StoredEvent]
    events: Sequence[DisputeEvent]
    dispute: Dispute

    @property
    def dispute_id(self) -> UUID:
        return self.head.game_id

    @property
    def disputed(self) -> UUID:
        """The game that it is about."""
        return UUID(self.dispute.opened.game_id)


class Done(msgspec.Struct, frozen=True):
    """What an act came to: the dispute after it, the version made, and whether it is a first answer again."""

    entry: Entry
    version: int
    repeated: bool


def load(conn: Connection, dispute_id: UUID) -> Entry:
    """Read a dispute; raise UnknownDispute, also for a stream of another kind. Two queries."""
    try:
        head = store.head(conn, dispute_id)
    except UnknownGame as error:
        raise UnknownDispute(dispute_id) from error
    return _entry(head, store.read(conn, dispute_id))


def about(conn: Connection, game_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
    """Return the ids of the disputes about each of these games, by id. One query."""
    found: dict[UUID, list[UUID]] = {}
    for dispute_id, game_id in every(conn, _ABOUT, ([str(one) for one in game_ids],), Call()):
        found.setdefault(UUID(game_id), []).append(dispute_id)
    return found


def games_of(conn: Connection, dispute_ids: Iterable[UUID]) -> dict[UUID, store.Head]:
    """Return the heads of the games that these disputes are about, by the dispute's id. Two queries."""
    pairs: dict[UUID, UUID] = dict(every(conn, _GAMES, (list(dispute_ids),), Call()))
    heads = store.heads_of(conn, set(pairs.values()))
    return {dispute: heads[game] for dispute, game in pairs.items() if game in heads}


def of_game(conn: Connection, game_id: UUID) -> list[Entry]:
    """Return all disputes about a game, the oldest first."""
    # The id of one that was opened with a key says nothing of its age.
    entries = many(conn, about(conn, [game_id]).get(game_id, []))
    return sorted(entries, key=lambda one: (one.stored[0].recorded_at, one.head.game_id))


def many(conn: Connection, dispute_ids: Sequence[UUID]) -> list[Entry]:
    """Return disputes in this order. Two queries for every few dozen, none for none."""
    if not dispute_ids:
        return []
    heads = store.heads_of(conn, dispute_ids)
    read = store.read_many(conn, dispute_ids)
    return [_entry(heads[one], stored) for one, stored in read]


def file(
    conn: Connection,
    opened: DisputeOpened,
    words: str,
    *,
    game: store.Head,
    table: Table,
    actor: Actor,
    command_id: UUID | None = None,
) -> Done:
    """Open a dispute about a game, which its head tells; `at` and `head` of the event are taken from there.

    Raises DisputeError with the reasons, CommandReused.
    """
    dispute_id = uuid7() if command_id is None else uuid5(command_id, NAME)
    request = _digest(opened, words, None)
    command_id = command_id or uuid5(dispute_id, "open")
    store.open_game(conn, dispute_id, NAME, "recorded", game.visibility, kind=NAME)
    store.lock_head(conn, dispute_id)
    again = _answered_before(conn, dispute_id, command_id, request)
    if again is not None:
        return again
    opened = replace(opened, at=game.version, head=game.head.hex())
    _check(
        (*refused(None, opened, table, actor), *too_much(opened, _opened_for(conn, opened), actor))
    )
    return _append(conn, dispute_id, 0, command_id, request, actor, opened, words)


def record(
    conn: Connection,
    dispute_id: UUID,
    event: DisputeEvent,
    words: str | None,
    *,
    expected_version: int,
    table: Table,
    actor: Actor,
    command_id: UUID,
) -> Done:
    """Add one event to a dispute, with its text if it has one.

    Raises StaleVersion if somebody else was first, DisputeError with the reasons, CommandReused, UnknownDispute.
    """
    try:
        head = store.lock_head(conn, dispute_id)
    except UnknownGame as error:
        raise UnknownDispute(dispute_id) from error
    entry = _entry(head, store.read(conn, dispute_id))
    request = _digest(event, words, expected_version)
    again = _answered_before(conn, dispute_id, command_id, request)
    if again is not None:
        return again
    if expected_version != head.version:
        raise StaleVersion(dispute_id, expected_version, head.version)
    said = [_speaker(before) for before in entry.events].count(_speaker(event))
    _check((*refused(entry.dispute, event, table, actor), *too_much(event, said, actor)))
    return _append(conn, dispute_id, head.version, command_id, request, actor, event, words)


def _opened_for(conn: Connection, opened: DisputeOpened) -> int:
    """Return how many disputes about this game were opened for the same player. One query."""
    ((count,),) = every(conn, _OPENED_FOR, (opened.game_id, opened.by), Call())
    return int(count)


def _speaker(event: DisputeEvent) -> str | None:
    """Return the player who says something or points to it."""
    return event.by if isinstance(event, StatementAdded | EvidenceLinked) else None


def _check(violations: Sequence[object]) -> None:
    if violations:
        raise DisputeError(violations)


def _append(
    conn: Connection,
    dispute_id: UUID,
    version: int,
    command_id: UUID,
    request: bytes,
    actor: Actor,
    event: DisputeEvent,
    words: str | None,
) -> Done:
    texts: list[store.Text] = []
    if words is not None:
        salt = secrets.token_bytes(16)
        event = _with_text(event, text_hash(salt, words).hex())
        texts = [store.Text(0, salt, words)]
    body = encode(event)
    decode(NAME, body)  # what could never be read again is not stored
    done = store.append(
        conn, dispute_id, version, command_id, request, actor.identity, [body], texts
    )
    return Done(load(conn, dispute_id), done.version, done.repeated)


def _with_text(event: E, text: str) -> E:
    return replace(event, text=text)


def _answered_before(
    conn: Connection, dispute_id: UUID, command_id: UUID, request: bytes
) -> Done | None:
    command = store.find_command(conn, dispute_id, command_id)
    if command is None:
        return None
    if command.request_hash != request:
        raise CommandReused(dispute_id, command_id)
    return Done(load(conn, dispute_id), command.last_version, True)


def _entry(head: store.Head, stored: Sequence[store.StoredEvent]) -> Entry:
    if head.kind != NAME or not stored:
        raise UnknownDispute(head.game_id)
    stored = stored[: head.version]  # what was appended between the two statements is left out
    events = decode_log(head.game, [event.body for event in stored])
    return Entry(head, stored, events, fold(events, (event.recorded_by for event in stored)))


def _digest(event: DisputeEvent, words: str | None, expected: int | None) -> bytes:
    """Return a hash that tells one request from another, before the text has its salt."""
    digest = hashlib.sha256()
    for part in (
        encode(event),
        repr(words).encode("utf-8", "surrogatepass"),
        repr(expected).encode(),
    ):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
