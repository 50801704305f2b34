"""The worker: the sealer and the runners of all models, until it is told to stop.

Several workers may run at once, on one machine or on many: for every task one does it and the others wait, and
one of them takes over within seconds of the other's end. Killed at any moment, it leaves nothing half done.
"""

import os
import threading
from collections.abc import Callable
from typing import Any, Final, Protocol

import psycopg

from events.errors import LanterlogError, ProjectionError
from projections.feed import Shelf
from projections.models import MODELS
from projections.rebuild import rebuild
from projections.runner import Runner, State, Step
from projections.sealer import BATCH, PATIENCE, Sealer
from projections.sessions import SEALER, Session, connect

PAUSE: Final = 0.2
"""Seconds between two looks for something new."""
RECOVERY: Final = 1.0
"""Seconds after which a lost connection is made again."""


class Tell(Protocol):
    """Takes what has happened to the log of the process."""

    def __call__(self, event: str, /, **fields: Any) -> None: ...


class Worker:
    """Both loops of one process; *url* is the worker's login, *tell* takes what is worth knowing."""

    def __init__(self, url: str, stop: threading.Event, tell: Tell) -> None:
        self._url = url
        self._stop = stop
        self._tell = tell
        self._rebuilding: threading.Thread | None = None
        self._states: dict[str, State] = {}
        self._broken: Exception | None = None

    def run(self) -> None:
        """Work until `stop` is set: at most the step that is being taken is finished.

        What neither the database nor an event is to blame for ends both loops, and is raised.
        """
        sealing = threading.Thread(target=self._keep, args=(SEALER, self._seal), daemon=True)
        sealing.start()
        self._keep("projections", self._project)
        sealing.join()
        if self._rebuilding is not None:
            self._rebuilding.join()
        if self._broken is not None:
            raise self._broken

    def _keep(self, task: str, work: Callable[[], None]) -> None:
        """Do a task again from the start whenever the database goes away."""
        while not self._stop.is_set():
            try:
                work()
            except (psycopg.Error, ProjectionError) as error:
                self._tell("interrupted", task=task, reason=" ".join(str(error).split()))
                self._stop.wait(RECOVERY)
            except Exception as error:  # noqa: BLE001 - raised by `run`, once the other loop has ended
                self._broken = error
                self._stop.set()

    def _seal(self) -> None:
        with connect(self._url, SEALER, idle_session_timeout=PATIENCE) as session:
            sealer = Sealer(session)
            while not self._stop.is_set():
                waited = not sealer.holds
                done = sealer.round()
                if waited and sealer.holds:
                    self._tell("working", task=SEALER)
                if done is None or done.rows < BATCH:
                    self._stop.wait(PAUSE)

    def _project(self) -> None:
        with connect(self._url, "projections", lock_timeout="2s") as session:
            shelf = Shelf()
            runners = [Runner(session, model, shelf) for model in MODELS]
            while not self._stop.is_set():
                moved = [self._advance(session, runner) for runner in runners]
                if not any(moved):
                    self._stop.wait(PAUSE)

    def _advance(self, session: Session, runner: Runner) -> bool:
        """Take one step of a model; True if there may be more to do at once.

        What is in the way of one model, such as a lock on a table of its own, does not keep the others waiting.
        """
        if self._stop.is_set():
            return False
        try:
            step = runner.step()
        except psycopg.OperationalError as error:
            if session.closed:
                raise
            self._tell("held up", task=runner.model.name, reason=" ".join(str(error).split()))
            return False
        self._note(runner.model.name, step)
        if step.state is State.OUTDATED:
            self._rebuild(runner.model.name)
        return step.state is State.MOVED

    def _note(self, name: str, step: Step) -> None:
        if step.failed is not None:
            failed = step.failed
            self._tell(
                "stopped", task=name, position=failed.position, game=str(failed.game_id),
                version=failed.version, reason=failed.reason,
            )  # fmt: skip
        before = self._states.get(name)
        if before is not step.state and step.state in {State.OUTDATED, State.AHEAD}:
            self._tell("not kept", task=name, reason=str(step.state))
        if before in {None, State.WAITING} and step.state is not State.WAITING:
            self._tell("working", task=name)
        self._states[name] = step.state

    def _rebuild(self, name: str) -> None:
        """Rebuild a model in the background, one at a time: the others are kept meanwhile."""
        if self._rebuilding is None or not self._rebuilding.is_alive():
            self._rebuilding = threading.Thread(target=self._rebuilt, args=(name,), daemon=True)
            self._rebuilding.start()

    def _rebuilt(self, name: str) -> None:
        try:
            done = rebuild(self._url, [name], os.cpu_count() or 1, self._unless_stopped)
        except _Stopped:
            return
        except (LanterlogError, psycopg.Error) as error:
            self._tell("not rebuilt", task=name, reason=" ".join(str(error).split()))
            self._stop.wait(60)
        else:
            self._tell("rebuilt", task=name, games=done.games, events=done.events)

    def _unless_stopped(self, _events: int, _total: int) -> None:
        if self._stop.is_set():
            raise _Stopped


class _Stopped(Exception):
    """Ends a rebuild in the middle when the worker is told to stop."""
