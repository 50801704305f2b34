"""The hash chain of a game, as pure functions: SHA-256 over big-endian fields, nothing else.

`verify` uses it without a database, and it is the oracle for the functions of the same names in
PostgreSQL. What stands here is stored for ever, so it never changes: another scheme gets another
prefix byte. This file must not import anything that talks to the outside.

    inner = SHA-256(0x01 | salt 16 | body UTF-8)
    hash  = SHA-256(0x00 | game_id 16 | version int4 | previous hash 32 | recorded_at int8
                         | recorded_by 16 | inner 32)
    text  = SHA-256(0x02 | salt 16 | text UTF-8)
    row   = SHA-256(0x03 | position int8 | hash of the row before 32 | game_id 16
                         | from version int4 | to version int4 | head 32 | sealed_at int8)

The prefix bytes keep them apart: no event's preimage can be offered as a text's.
"""

from hashlib import sha256
from struct import Struct
from typing import Final
from uuid import UUID

NIL_HEAD: Final = bytes(32)
"""What the first event of a game has as its previous hash, and a game without events as its head."""

MAX_VERSION: Final = 2**31 - 1
"""Versions are four signed bytes in the hash and in the database."""

_EVENT = Struct(">c16si32sq16s32s")
_ROW = Struct(">cq32s16sii32sq")


def inner_hash(salt: bytes, body: bytes) -> bytes:
    """The hash of salt (16 bytes) and body: what stands for an event that may not be seen yet."""
    return sha256(b"\x01" + salt + body).digest()


def event_hash(
    game_id: UUID, version: int, previous: bytes, recorded_at: int, recorded_by: UUID, inner: bytes
) -> bytes:
    """The hash of one event, which is the next one's `previous`.

    `recorded_at` is in microseconds since 1970 UTC; `previous` and `inner` are 32 bytes each, which
    the caller has made sure of. Raises struct.error if a number does not fit its field.
    """
    return sha256(
        _EVENT.pack(
            b"\x00", game_id.bytes, version, previous, recorded_at, recorded_by.bytes, inner
        )
    ).digest()


def text_hash(salt: bytes, text: str) -> bytes:
    """The hash that an event holds in place of a free text, which lies beside the log with its salt."""
    return sha256(b"\x02" + salt + text.encode()).digest()


def ledger_hash(
    position: int,
    previous: bytes,
    game_id: UUID,
    from_version: int,
    to_version: int,
    head: bytes,
    sealed_at: int,
) -> bytes:
    """The hash of one row of the ledger, which is the next one's `previous`; the first has NIL_HEAD.

    `head` is the hash of the game's event at `to_version`, `sealed_at` is in microseconds since 1970 UTC;
    both hashes are 32 bytes each. Raises struct.error if a number does not fit its field.
    """
    return sha256(
        _ROW.pack(
            b"\x03", position, previous, game_id.bytes, from_version, to_version, head, sealed_at
        )
    ).digest()
