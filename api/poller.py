"""One poller for the process: asks how far the games that somebody follows have come, and wakes who waits.

However many follow, the database gets one question a round, and only while somebody follows. A game that has
grown is read once for all who follow it. Waiting needs no connection. Nothing here knows who asks: what he may
see is decided where his answer is made.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from api import db
from events import recorder
from events.schema import games

ROUND: Final = 0.2
"""Seconds between two questions."""
AT_ONCE: Final = 2
"""How many followers' messages are made at the same time."""
_KEPT: Final = 32
"""Logs that are kept for those who follow; a log of 1,700 events takes about two megabytes."""

_log = structlog.get_logger("lanterlog.poller")


class Poller:
    """Who follows which games, and how far these are known to have come."""

    def __init__(
        self, engine: Engine, most: int, pause: float = ROUND, share: int | None = None
    ) -> None:
        """*most* may follow at the same time, and of one sender no more than *share*."""
        self._engine, self._most, self._pause = db.autocommit(engine), most, pause
        self._share = most if share is None else share
        self._senders: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._followed: dict[UUID, int] = {}
        self._versions: dict[UUID, int] = {}
        self._logs: OrderedDict[UUID, recorder.Log] = OrderedDict()
        self._reading = threading.Lock()
        self._asking: threading.Thread | None = None
        self._closed = threading.Event()
        self.turn = threading.BoundedSemaphore(AT_ONCE)
        """Held while a message is made: all who follow wake at once, and requests must not wait for all of them."""

    @property
    def followers(self) -> int:
        """How many follow."""
        with self._changed:
            return self._senders.total()

    @contextmanager
    def following(self, game_id: UUID, sender: str = "") -> Iterator[bool]:
        """Follow a game for the length of the block; gives False if too many follow already, or too many of one sender."""
        taken = self._join(game_id, sender)
        try:
            yield taken
        finally:
            if taken:
                self._leave(game_id, sender)

    def wait(self, game_id: UUID, after: int, seconds: float) -> int | None:
        """Wait until a game has come beyond a version; return how far, None if it has not in that time."""

        def is_news() -> bool:
            return self._closed.is_set() or self._versions.get(game_id, 0) > after

        with self._changed:
            self._changed.wait_for(is_news, seconds)
            version = self._versions.get(game_id, 0)
        return version if version > after else None

    @property
    def is_closed(self) -> bool:
        """Whether the process is about to stop."""
        return self._closed.is_set()

    def close(self) -> None:
        """Wake everybody for the last time."""
        self._closed.set()
        # Called by a signal's handler, which must not wait for a lock that its own thread may hold.
        threading.Thread(target=self._wake, daemon=True).start()

    def log(self, game_id: UUID, version: int, read: Callable[[], recorder.Log]) -> recorder.Log:
        """Return a game's log up to this version or beyond, read once for all who follow."""
        with self._reading:
            known = self._logs.get(game_id)
            if known is None or len(known.events) < version:
                self._logs[game_id] = known = read()
            self._logs.move_to_end(game_id)
            while len(self._logs) > _KEPT:
                self._logs.popitem(last=False)
            return known

    def _join(self, game_id: UUID, sender: str) -> bool:
        with self._changed:
            if self._closed.is_set() or self._senders.total() >= self._most:
                return False
            if self._senders[sender] >= self._share:
                return False
            self._senders[sender] += 1
            self._followed[game_id] = self._followed.get(game_id, 0) + 1
            if self._asking is None:
                self._asking = threading.Thread(target=self._ask, name="poller", daemon=True)
                self._asking.start()
            return True

    def _leave(self, game_id: UUID, sender: str) -> None:
        with self._changed:
            self._senders[sender] -= 1
            if not self._senders[sender]:
                del self._senders[sender]
            self._followed[game_id] -= 1
            if not self._followed[game_id]:
                del self._followed[game_id]
                self._versions.pop(game_id, None)
                self._logs.pop(game_id, None)

    def _ask(self) -> None:
        """Ask until nobody follows any more."""
        while not self._closed.wait(self._pause):
            with self._changed:
                wanted = list(self._followed)
                if not wanted:
                    self._asking = None
                    return
            self._take(self._heads(wanted))

    def _heads(self, wanted: Sequence[UUID]) -> dict[UUID, int]:
        statement = select(games.c.game_id, games.c.version).where(games.c.game_id.in_(wanted))
        try:
            with self._engine.connect() as conn:
                return {row.game_id: row.version for row in conn.execute(statement)}
        except SQLAlchemyError as error:
            # Whoever follows gets heartbeats meanwhile; the next round may reach it again.
            _log.warning("heads not read", reason=str(error).partition("\n")[0][:200])
            return {}

    def _take(self, found: dict[UUID, int]) -> None:
        with self._changed:
            news = {game: version for game, version in found.items() if game in self._followed}
            if any(self._versions.get(game, 0) < version for game, version in news.items()):
                self._versions.update(news)
                self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
