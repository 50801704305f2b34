"""Text formats that games are read from and written to, one module each."""

from typing import Any
from uuid import UUID

import msgspec

from events.store import Head, StoredEvent


class Import(msgspec.Struct, frozen=True):
    """One game read from a file, `game_opened` first.

    `names` are the people's labels by player id; `remarks` a version's (salt, text). Our own NDJSON also
    gives `head` and `stored`, the chain as it was written; a foreign log has neither. `line` is where the
    game begins in its file.
    """

    game_id: UUID
    events: list[Any]
    names: dict[str, str]
    remarks: dict[int, tuple[bytes, str]]
    line: int
    head: Head | None = None
    stored: list[StoredEvent] | None = None
