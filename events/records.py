"""What is stored of a game, as plain structs: events, heads and free texts.

Here, and not in the store, because files are written and verified without any database. No functions.
"""

from uuid import UUID

import msgspec


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """One event as it was recorded; `body` is its canonical text, the very bytes that were hashed."""

    game_id: UUID
    version: int
    recorded_at: int
    recorded_by: UUID
    salt: bytes
    hash: bytes
    body: bytes


class Head(msgspec.Struct, frozen=True):
    """What a stream is and where it stands; `head` is its last event's hash, or NIL_HEAD.

    Times are in microseconds since 1970 UTC.
    """

    game_id: UUID
    kind: str
    game: str
    mode: str
    visibility: str
    version: int
    head: bytes
    created_at: int
    changed_at: int


class Text(msgspec.Struct, frozen=True):
    """A free text with its salt (16 bytes), for the event that stands `version_offset` after the
    first one appended or read; the event itself holds only `chain.text_hash` of the two.
    """

    version_offset: int
    salt: bytes
    text: str
