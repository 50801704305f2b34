"""Takes in games, or parts of them, that come with their times, salts and hashes, as they were recorded elsewhere.

The chain is worked out here, to name the first bad version, and again in the database, which believes nobody.
Never commits.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import Connection

from events.chain import NIL_HEAD, event_hash, inner_hash
from events.errors import AlteredLog, NotStorable
from events.postgres import Call, one, text_columns, to_time, utf8
from events.records import Head, StoredEvent, Text

_IMPORT: Final = """
SELECT lanterlog.import_game(%s, %s, %s, %s, %s, %s, %b::timestamptz[], %b::uuid[], %b::bytea[],
  %b::bytea[], %b::text[], %b::int4[], %b::bytea[], %b::text[], %s)"""
_CONTINUE: Final = """
SELECT lanterlog.continue_game(%s, %s::int4, %b, %b::timestamptz[], %b::uuid[], %b::bytea[],
  %b::bytea[], %b::text[], %b::int4[], %b::bytea[], %b::text[])"""


def import_game(
    conn: Connection,
    head: Head,
    events: Sequence[StoredEvent],
    texts: Iterable[Text],
    imported_by: UUID,
) -> Literal["imported", "present"]:
    """Take in a whole game with its ids, versions, times, salts and hashes, or find it here already.

    Recomputes the chain, here (to name the first bad version) and in the database (which believes
    nobody). A text's `version_offset` counts from version 1. Raises AlteredLog, NotStorable, and
    OtherHead if the game is here with another end.
    """
    check_chain(head, events)
    params = (
        head.game_id,
        head.kind,
        head.game,
        head.mode,
        head.visibility,
        to_time(head.created_at),
        *_arrays(events),
        *text_columns(texts),
        imported_by,
    )
    row = one(conn, _IMPORT, params, Call(head.game_id))
    return "imported" if row is not None and row[0] else "present"


def continue_game(
    conn: Connection,
    head: Head,
    link: tuple[int, bytes],
    events: Sequence[StoredEvent],
    texts: Iterable[Text] = (),
) -> int:
    """Take in a part of a game that came by an import, and return how many of its events are new here.

    The part goes on from *link*, a version and its hash, and ends with *head*; of events that are here already
    it must have the same. A text's `version_offset` counts from the first of *events*. Raises AlteredLog,
    NotStorable, OtherHead, NotContinued if there is a gap before it or the game is recorded here, UnknownGame.
    """
    check_chain(head, events, link)
    params = (head.game_id, *link, *_arrays(events), *text_columns(texts))
    row = one(conn, _CONTINUE, params, Call(head.game_id))
    assert row is not None
    return int(row[0])


def check_chain(
    head: Head, events: Sequence[StoredEvent], link: tuple[int, bytes] = (0, NIL_HEAD)
) -> None:
    """Work a game's chain out again; raise AlteredLog with the first version that cannot be right.

    A part of a game goes on from *link*: the version before it, and that version's hash.
    """
    (after, previous), latest = link, None
    for version, event in enumerate(events, after + 1):
        if event.version != version or event.game_id != head.game_id:
            reason = f"stands as version {event.version} of game {event.game_id}"
            raise AlteredLog(head.game_id, version, reason)
        if len(event.salt) != 16 or event.hash != _hash(event, previous):
            raise AlteredLog(head.game_id, version, "has another hash than follows from it")
        if latest is not None and event.recorded_at < latest:
            raise AlteredLog(head.game_id, version, "has a time before that of the event before it")
        previous, latest = event.hash, event.recorded_at
    last = after + len(events)
    if (head.version, head.head) != (last, previous):
        reason = f"is the last one, expected version {head.version} with head {head.head.hex()}"
        raise AlteredLog(head.game_id, last, reason)


def _hash(event: StoredEvent, previous: bytes) -> bytes:
    if not -(2**63) <= event.recorded_at < 2**63:
        raise NotStorable(f"time {event.recorded_at} us, expected 64 bits")
    inner = inner_hash(event.salt, event.body)
    return event_hash(
        event.game_id, event.version, previous, event.recorded_at, event.recorded_by, inner
    )


def _arrays(events: Sequence[StoredEvent]) -> Sequence[object]:
    """Five arrays: times, recorders, salts, hashes and bodies."""
    return (
        [to_time(event.recorded_at) for event in events],
        [event.recorded_by for event in events],
        [event.salt for event in events],
        [event.hash for event in events],
        [utf8(event.body) for event in events],
    )
