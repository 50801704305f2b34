"""Games as an archive brings them: the same bodies under a new id, with times, salts and a chain of their own."""

import os
import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from events.bulk import Whole
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.records import Head, StoredEvent

_RECORDER: Final = UUID(int=1)


def whole(game: str, bodies: Sequence[bytes], mode: str = "recorded") -> Whole:
    """Return a new game with these bodies, recorded just now, an event a microsecond."""
    game_id, at = uuid7(), time.time_ns() // 1000 - len(bodies)
    salts = os.urandom(16 * len(bodies))
    began, previous, stored = at, NIL_HEAD, list[StoredEvent]()
    for version, body in enumerate(bodies, 1):
        salt, at = salts[16 * version - 16 : 16 * version], at + 1
        previous = event_hash(game_id, version, previous, at, _RECORDER, inner_hash(salt, body))
        stored.append(StoredEvent(game_id, version, at, _RECORDER, salt, previous, body))
    head = Head(game_id, "game", game, mode, "public", len(stored), previous, began, at)
    return Whole(head, stored)
