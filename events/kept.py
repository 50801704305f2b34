"""Logs that were read, kept for whoever asks next: of a game that is known only what is new is read.

The hash of a head stands for every event up to it, so what is kept is of the very log that the head ends, whoever has
written meanwhile and through which process; where a head does not go on from it, the log is read anew. Kept are events and the state that
they lead to, which never change. Times, salts, texts and names are not: they are asked for each time.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from events import store
from events.codec import decode_log
from events.common import Retracted
from events.game import fold, fold_from
from events.games import game_named
from events.records import Head

MOST: Final = 100_000
"""Events that are kept in all, some 600 bytes each; a game that has more by itself is not kept."""


class Known(msgspec.Struct):
    """A game as far as its head says."""

    head: Head
    events: Sequence[Any]
    _state: Any = None
    _since: tuple[Any, int] | None = None
    """The state after the first events, and how many these are, if that has been worked out."""
    seen: dict[Any, Any] = {}
    """What the layers above have worked out of these events, or of the first of them: see `api.access.seen`."""

    @property
    def state(self) -> Any:
        """The table after the last event, worked out once; raises NotALogError for a log without a start."""
        if self._state is None:
            self._state = self._folded()
        return self._state

    def with_more(self, head: Head, events: Sequence[Any]) -> "Known":
        """Return the game with the events that lead on to this head."""
        since = self._since if self._state is None else (self._state, len(self.events))
        return Known(head, [*self.events, *events], None, since, self.seen)

    def _folded(self) -> Any:
        game = game_named(self.head.game)
        if self._since is not None:
            state, taken = self._since
            later = self.events[taken:]
            if Retracted not in map(type, later):
                return fold_from(game, state, later)
        return fold(game, self.events)


class Kept:
    """The games that were asked for last, for all threads of a process."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._size = 0
        self._games: OrderedDict[UUID, Known] = OrderedDict()
        self._changing = threading.Lock()

    def head(self, game_id: UUID) -> Head | None:
        """Return a game's head as it was once, if it is known: for what of it never changes."""
        known = self._games.get(game_id)
        return None if known is None else known.head

    def log(self, conn: Connection, head: Head) -> Known:
        """Return a game's log up to this head. At most one query, of what is new; two where that does not fit."""
        known = self._games.get(head.game_id)
        found = None if known is None else _gone_on(conn, known, head)
        if found is None:
            found = Known(
                head, decode_log(head.game, store.read_bodies(conn, head.game_id, head.version))
            )
        self.keep(found)
        return found

    def keep(self, known: Known) -> None:
        """Keep a game in place of what was kept of it: what was read, or was appended and committed."""
        game_id = known.head.game_id
        with self._changing:
            before = self._games.get(game_id)
            if before is not None and before.head.version > known.head.version:
                return  # somebody was faster
            self._games[game_id] = known
            self._games.move_to_end(game_id)
            self._size += len(known.events) - (0 if before is None else len(before.events))
            while self._size > self._most:
                _, oldest = self._games.popitem(last=False)
                self._size -= len(oldest.events)


def _gone_on(conn: Connection, known: Known, head: Head) -> Known | None:
    """Return what is known with what is new up to a head, None where that does not go on from it."""
    last, link = known.head.version, known.head.head
    if (last, link) == (head.version, head.head):
        return known
    if not 0 < last < head.version:
        return None
    rows = store.read(conn, head.game_id, after=last - 1, upto=head.version)
    if (rows[0].hash, rows[-1].hash) != (link, head.head) if rows else True:
        return None
    return known.with_more(head, decode_log(head.game, [row.body for row in rows[1:]]))
