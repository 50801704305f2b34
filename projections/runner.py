"""Keeps a read model up to date: reads the ledger on from its checkpoint, and writes rows and checkpoint at once.

One step is one transaction. For every game that a page of the ledger names, the whole log up to there is folded
and the game's rows are replaced, so a step costs what its games cost and never what the archive holds. An event
that no rows can be made with stops this model alone, right before it: nothing is ever passed over.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec
import psycopg

from events.errors import ProjectionFailed, ProjectionMoved
from projections import checkpoints, feed, tables
from projections.checkpoints import Checkpoint
from projections.feed import Entry, Shelf
from projections.model import Model
from projections.schema import READING
from projections.sessions import Session, take

ELSEWHERE: Final = (psycopg.OperationalError, psycopg.InterfaceError)
"""Errors of the connection, of locks and of time limits: no event's fault, to be tried again."""


class State(StrEnum):
    """What came of a step."""

    WAITING = "another session has the lock"
    DONE = "nothing left to do"
    MOVED = "moved on"
    FAILED = "stopped on an error"
    OUTDATED = "the tables are an older version's"
    AHEAD = "the tables are a newer version's"


class Step(msgspec.Struct, frozen=True):
    """What a step did: events folded, and the position that the checkpoint now has."""

    state: State
    position: int = 0
    events: int = 0
    failed: ProjectionFailed | None = None


class Runner:
    """One session's attempt to keep a model; another session's runner waits until this session ends.

    `shelf` is where runners of one process find what another of them has just read.
    """

    def __init__(self, session: Session, model: Model, shelf: Shelf | None = None) -> None:
        self._session = session
        self.shelf = shelf or Shelf()
        self._holds = False
        self._singly = 0
        """Rows of the ledger that are to be taken one by one, since together they failed."""
        self._stopped_at: int | None = None
        self.model = model

    def step(self) -> Step:
        """Take the next page; raise what the database refuses for no event's sake (ELSEWHERE).

        A model that has stopped is tried again once by a new runner, and when someone has moved its checkpoint.
        """
        if not self._holds:
            self._holds = take(self._session, self.model.name, "projections")
        if not self._holds:
            return Step(State.WAITING)
        found = checkpoints.find(self._session, self.model.name)
        if (standing := self._standing(found)) is not None:
            return standing
        try:
            with self._session.transaction():
                found = checkpoints.find(self._session, self.model.name, locked=True)
                return self._standing(found) or self._advance(found)
        except _Stuck as stuck:
            return self._stop(stuck)

    def _standing(self, found: Checkpoint) -> Step | None:
        """Return why there is nothing to do at this checkpoint, None if there is."""
        if found.version != self.model.version:
            older = found.version < self.model.version
            return Step(State.OUTDATED if older else State.AHEAD, found.position)
        if found.failed and found.position == self._stopped_at:
            return Step(State.FAILED, found.position)
        if not feed.page(self._session, found.position, 1):
            return Step(State.DONE, found.position)
        return None

    def _advance(self, found: Checkpoint) -> Step:
        entries = feed.page(self._session, found.position, 1 if self._singly else feed.PAGE)
        try:
            games = feed.wanted(self._session, entries)
            events = self._write(games, entries[-1].position)
            checkpoints.move(self._session, found, entries[-1].position)
        except (*ELSEWHERE, ProjectionMoved):
            raise
        except Exception as error:
            raise _Stuck(found, entries, error) from error
        self._singly = max(self._singly - 1, 0)
        self._stopped_at = None
        return Step(State.MOVED, entries[-1].position, events)

    def _write(self, games: Mapping[UUID, int], position: int) -> int:
        found = self.shelf.take(self._session, games, position)
        rows = [feed.rows_of([self.model], game)[self.model.name] for game in found]
        tables.replace(self._session, self.model, games, rows, READING)
        return sum(game.head.version for game in found)

    def _stop(self, stuck: "_Stuck") -> Step:
        """Go on one by one up to the row that is at fault, and there note what is wrong with it."""
        if len(stuck.entries) > 1:
            self._singly = len(stuck.entries)
            return Step(State.MOVED, stuck.found.position)
        entry = stuck.entries[0]
        fault = feed.fault(self._session, [self.model], entry, stuck.error)
        failed = ProjectionFailed(
            self.model.name, entry.position, fault.game_id, fault.version, fault.reason
        )
        checkpoints.fail(self._session, stuck.found, failed)
        self._stopped_at = stuck.found.position
        return Step(State.FAILED, stuck.found.position, failed=failed)


class _Stuck(Exception):
    """Carries what a page failed on out of its transaction."""

    def __init__(self, found: Checkpoint, entries: Sequence[Entry], error: Exception) -> None:
        super().__init__(str(error))
        self.found = found
        self.entries = entries
        self.error = error
