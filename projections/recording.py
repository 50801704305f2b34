"""Who recorded a game and when, and whether its chain of hashes holds, from the stored events alone.

Pure: reads no database. The hashes are computed anew from every event's own bytes, by `events.chain`.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from events.chain import NIL_HEAD, event_hash, inner_hash
from events.records import Head, StoredEvent


class Recorder(msgspec.Struct, frozen=True):
    """One identity that recorded events: how many, the first and last version, and the times of those.

    Times are in microseconds since 1970 UTC.
    """

    recorded_by: UUID
    events: int
    first: int
    last: int
    first_at: int
    last_at: int


class Chain(msgspec.Struct, frozen=True):
    """The chain up to `version`: whether every hash is the one computed here, else the first that is `wrong`.

    `head` is the hash that the last event has by this computation; one that is not the stream's makes its
    version wrong.
    """

    version: int
    head: bytes
    wrong: int | None

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return self.wrong is None


class Recording(msgspec.Struct, frozen=True):
    """Who recorded a game, in the order in which they began, and its chain."""

    recorders: tuple[Recorder, ...]
    chain: Chain


def recording(head: Head, stored: Sequence[StoredEvent]) -> Recording:
    """Return who recorded these events, which are a whole stream from version 1, and what its chain is like."""
    found: dict[UUID, Recorder] = {}
    for one in stored:
        known = found.get(one.recorded_by)
        found[one.recorded_by] = _one_more(known, one)
    return Recording(tuple(found.values()), checked(head, stored))


def checked(head: Head, stored: Sequence[StoredEvent]) -> Chain:
    """Return what a stream's chain is like, every hash computed anew."""
    previous, wrong = NIL_HEAD, None
    for version, one in enumerate(stored, 1):
        made = event_hash(
            head.game_id,
            version,
            previous,
            one.recorded_at,
            one.recorded_by,
            inner_hash(one.salt, one.body),
        )
        if wrong is None and (made != one.hash or one.version != version):
            wrong = version
        previous = made
    if wrong is None and (len(stored), previous) != (head.version, head.head):
        wrong = len(stored)
    return Chain(len(stored), previous, wrong)


def _one_more(known: Recorder | None, one: StoredEvent) -> Recorder:
    if known is None:
        at, version = one.recorded_at, one.version
        return Recorder(one.recorded_by, 1, version, version, at, at)
    return msgspec.structs.replace(
        known, events=known.events + 1, last=one.version, last_at=one.recorded_at
    )
