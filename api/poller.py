"""One poller for the process: asks how far the games that somebody follows have come, and wakes who waits.

However many follow, the database gets one question a round, and only while somebody follows. What this process
itself has stored it need not ask for: who follows is woken at once, and the rounds are for what came by other ways. A
game that has grown is read once for all who follow it. Waiting needs no connection. Of who asks it only counts how many
places he has: what he may see is decided where his answer is made.
"""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Literal
from uuid import UUID

import msgspec
import structlog
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from api import db
from api.told import Told
from events.schema import games

ROUND: Final = 0.2
"""Seconds between two questions."""
BREATH: Final = 0.005
"""Seconds from an append here until who follows is woken: its own answer goes first, and what comes at once goes together."""
AT_ONCE: Final = 2
"""How many followers' messages are made at the same time."""
_KEPT: Final = 32
"""Logs that are kept for those who follow; a log of 1,700 events takes about two megabytes."""

Verdict = Literal["yes", "full", "share"]
"""Whether one may follow: not if all places are taken, nor if he has as many as one may have."""

_log = structlog.get_logger("lanterlog.poller")


class _Followed(msgspec.Struct):
    """A game that somebody follows: how many do, how far it is known to have come, and who waits for more."""

    news: threading.Condition
    followers: int = 0
    version: int = 0


class Poller:
    """Who follows which games, and how far these are known to have come."""

    def __init__(
        self, engine: Engine, most: int, share: int | None = None, pause: float = ROUND
    ) -> None:
        self._engine, self._pause = db.autocommit(engine), pause
        self.places = most
        self._share = most if share is None else share
        self._held: Counter[str] = Counter()
        self._changing = threading.Lock()
        self._followed: dict[UUID, _Followed] = {}
        self._stored: dict[UUID, int] = {}
        self._woken = threading.Event()
        self._logs: OrderedDict[UUID, Told] = OrderedDict()
        self._reading = threading.Lock()
        self._asking: threading.Thread | None = None
        self._closed = threading.Event()
        self.turn = threading.BoundedSemaphore(AT_ONCE)
        """Held while a message is made: all who follow wake at once, and requests must not wait for all of them."""

    @property
    def followers(self) -> int:
        """How many follow."""
        with self._changing:
            return self._held.total()

    @contextmanager
    def following(self, game_id: UUID, who: str) -> Iterator[Verdict]:
        """Follow a game for the length of the block, if that may be; the place counts for *who*."""
        verdict = self._join(game_id, who)
        try:
            yield verdict
        finally:
            if verdict == "yes":
                self._leave(game_id, who)

    def wait(self, game_id: UUID, after: int, seconds: float) -> int | None:
        """Wait until a game has come beyond a version; return how far, None if it has not in that time."""
        with self._changing:
            game = self._followed.get(game_id)
            if game is None:
                return None
            game.news.wait_for(lambda: self._closed.is_set() or game.version > after, seconds)
            return game.version if game.version > after else None

    def tell(self, game_id: UUID, version: int) -> None:
        """Say that this process has stored a game up to a version, which is committed."""
        with self._changing:
            game = self._followed.get(game_id)
            if game is not None and game.version < version:
                self._stored[game_id] = max(version, self._stored.get(game_id, 0))
                self._woken.set()

    def rest(self, seconds: float) -> None:
        """Wait for so long, or until the process is about to stop."""
        self._closed.wait(seconds)

    @property
    def is_closed(self) -> bool:
        """Whether the process is about to stop."""
        return self._closed.is_set()

    def close(self) -> None:
        """Wake everybody for the last time."""
        self._closed.set()
        self._woken.set()
        # Called by a signal's handler, which must not wait for a lock that its own thread may hold.
        threading.Thread(target=self._wake, daemon=True).start()

    def log(self, game_id: UUID, version: int, read: Callable[[Told | None], Told]) -> Told:
        """Return a game's log up to this version or beyond, read once for all who follow.

        *read* is given what was read of it before.
        """
        with self._reading:
            known = self._logs.get(game_id)
            if known is None or known.last < version:
                self._logs[game_id] = known = read(known)
            self._logs.move_to_end(game_id)
            while len(self._logs) > _KEPT:
                self._logs.popitem(last=False)
            return known

    def _join(self, game_id: UUID, who: str) -> Verdict:
        with self._changing:
            if self._closed.is_set() or self._held.total() >= self.places:
                return "full"
            if self._held[who] >= self._share:
                return "share"
            self._held[who] += 1
            if game_id not in self._followed:
                self._followed[game_id] = _Followed(threading.Condition(self._changing))
            self._followed[game_id].followers += 1
            if self._asking is None:
                self._asking = threading.Thread(target=self._ask, name="poller", daemon=True)
                self._asking.start()
            return "yes"

    def _leave(self, game_id: UUID, who: str) -> None:
        with self._changing:
            self._held -= Counter({who: 1})  # forgets who has none left
            game = self._followed[game_id]
            game.followers -= 1
            if not game.followers:
                del self._followed[game_id]
                self._stored.pop(game_id, None)
                self._logs.pop(game_id, None)

    def _ask(self) -> None:
        """Ask until nobody follows any more."""
        due = time.monotonic() + self._pause
        while not self._closed.is_set():
            if self._woken.wait(due - time.monotonic()):
                self._closed.wait(BREATH)
                self._take_stored()
            if time.monotonic() < due:
                continue
            with self._changing:
                wanted = list(self._followed)
                if not wanted:
                    self._asking = None
                    return
            self._take(self._heads(wanted))
            due = time.monotonic() + self._pause

    def _take_stored(self) -> None:
        with self._changing:
            self._woken.clear()
            stored, self._stored = self._stored, {}
        self._take(stored)

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
        with self._changing:
            for game_id, version in found.items():
                game = self._followed.get(game_id)
                if game is not None and game.version < version:
                    game.version = version
                    game.news.notify_all()

    def _wake(self) -> None:
        with self._changing:
            for game in self._followed.values():
                game.news.notify_all()
