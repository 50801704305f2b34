"""PostgreSQL itself is killed under load and started again: nothing acknowledged is lost, everybody goes on.

With fsync, unlike the other tests: the server has to find what it promised on the disk.
"""

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from api import db
from api.client import Client
from api.client_wire import Retries
from api.config import Config
from api.embedded import DATABASE, SUPERUSER, Embedded
from events.errors import StoreError
from events.rummy500.events import StockDrawn
from tests.api.apps import application
from tests.faults import victims, witness
from tests.faults.victims import Journal, Script
from tests.postgres import SYSTEM_15, Database, scratch
from tests.projections.store import equal_to_a_fresh_fold, keep, log_of, take_in
from tests.served import Served, get, running
from tests.waiting import joined, until

pytestmark = pytest.mark.store

WRITERS = 4
AWAY = (DBAPIError, StoreError)
"""What somebody gets whose database is away; he tries again."""
PATIENT = Retries(attempts=30, first=0.05, longest=2.0)

Server = pytest.mark.parametrize(
    "binaries",
    [
        pytest.param(None, id="pg18"),
        pytest.param(
            SYSTEM_15,
            id="pg15",
            marks=[
                pytest.mark.nightly,
                pytest.mark.skipif(not (SYSTEM_15 / "initdb").exists(), reason="no PostgreSQL 15"),
            ],
        ),
    ],
)


class Own:
    """A server of the test's own, which can be killed, and its migrated database."""

    def __init__(self, home: Path, binaries: Path | None) -> None:
        self._home, self._binaries = home, binaries
        self.server = self._share()
        self.server.start()
        url = self.server.url
        self.config = Config(
            home=home,
            database_url=url("lanterlog_app"),
            worker_database_url=url("lanterlog_worker"),
            migration_database_url=url(SUPERUSER),
        )
        db.migrate(self.config)

    @property
    def database(self) -> Database:
        return Database(DATABASE, self.config, "", "")

    def kill(self) -> None:
        """The postmaster alone, by SIGKILL, as the system does when memory runs out."""
        kill(self._home)

    def restart(self) -> None:
        """What the system's service manager does, or the next command."""
        before, self.server = self.server, self._share()
        self.server.start()
        before.stop()

    def _share(self) -> Embedded:
        settings = {"fsync": "on", "synchronous_commit": "on", "autovacuum": "off"}
        return Embedded(self._home, binaries=self._binaries, settings=settings)


@pytest.fixture
def own(binaries: Path | None) -> Iterator[Own]:
    home = scratch() / f"lanterlog-killed-{uuid4().hex[:8]}"
    found = Own(home, binaries)
    try:
        yield found
    finally:
        found.server.stop()
        shutil.rmtree(home)


def kill(home: Path) -> None:
    note = home / "data" / "postmaster.pid"
    os.kill(int(note.read_text().split("\n", 1)[0]), signal.SIGKILL)


class Writer(threading.Thread):
    """Appends scripts from where their answers end, whatever happens to the database, until it is told to stop."""

    def __init__(self, config: Config, logs: list[tuple[bytes, ...]], journal: Journal) -> None:
        super().__init__(daemon=True)
        self.scripts: list[Script] = []
        self.failed = 0
        self.raised: BaseException | None = None
        self._engine = db.engine(replace(config, pool_size=1))
        self._logs, self._journal = logs, journal
        self._stop_asked = threading.Event()

    def run(self) -> None:
        try:
            for number in count():
                script = Script(uuid4(), self._logs[number % len(self._logs)])
                self.scripts.append(script)
                self._append(script)
                if self._stop_asked.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - raised by `finish`
            self.raised = error

    def _append(self, script: Script) -> None:
        after = 0
        while (piece := script.piece(after)) and not self._stop_asked.is_set():
            try:
                after = victims.append_one(self._engine, script, after, piece, self._journal)
            except AWAY:
                self.failed += 1
                self._stop_asked.wait(0.02)

    def finish(self) -> None:
        self._stop_asked.set()
        joined(self)
        self._engine.dispose()
        if self.raised is not None:
            raise self.raised


@contextmanager
def working(config: Config, log: Path) -> Iterator[None]:
    environment = os.environ | {
        "DATABASE_URL": str(config.database_url),
        "WORKER_DATABASE_URL": str(config.worker_database_url),
        "MIGRATION_DATABASE_URL": "",
    }
    with running("worker", env=environment, err=log) as process:
        yield
        assert process.poll() is None, log.read_text()


@Server
@pytest.mark.parametrize(
    "times", [pytest.param(2, id="twice"), pytest.param(20, id="often", marks=pytest.mark.nightly)]
)
def test_nothing_acknowledged_is_lost_and_everybody_goes_on(
    own: Own, times: int, tmp_path: Path
) -> None:
    """Writers, a worker as a process of its own, and the service with a client that repeats what was lost."""
    engine = db.engine(own.config)
    journal = Journal(tmp_path / "journal")
    logs = [tuple(log_of(engine, game)) for game in take_in(engine)]
    writers = [Writer(own.config, logs, journal) for _ in range(WRITERS)]
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        stack.enter_context(working(own.config, tmp_path / "worker"))
        until(lambda: witness.is_up_to_date(engine))
        client = stack.enter_context(served(own.config))
        for writer in writers:
            writer.start()
            stack.callback(writer.finish)
        for _ in range(times):
            before = len(journal.read())
            game = client.open_game(["Ann", "Bob"])
            until(lambda before=before: len(journal.read()) > before)  # type: ignore[misc]
            own.kill()
            restarting = threading.Thread(target=own.restart, daemon=True)
            restarting.start()
            answer = client.record(
                game.game_id, [StockDrawn(seat=1, card="??")], expected_version=game.version
            )
            joined(restarting)
            assert answer.version == game.version + 1
            before = len(journal.read())
            until(lambda before=before: len(journal.read()) > before)  # type: ignore[misc]
        for writer in writers:
            writer.finish()
        until(lambda: witness.is_up_to_date(engine))
        scripts = [script for writer in writers for script in writer.scripts]
        assert witness.accepted_is_there_once(engine, journal, scripts) > 0
        assert sum(writer.failed for writer in writers) > 0
    holds(engine, own.database)


@contextmanager
def served(config: Config) -> Iterator[Client]:
    with application(config) as app:
        transport = httpx.WSGITransport(app=app)
        with Client("http://127.0.0.1", retries=PATIENT, transport=transport) as client:
            yield client


def holds(engine: Engine, database: Database) -> None:
    witness.nobody_works(database)
    keep(database)
    witness.sound(engine)
    witness.ledger_covers_all(engine)
    equal_to_a_fresh_fold(database)
    engine.dispose()


@pytest.mark.http
def test_a_service_brings_its_own_server_back() -> None:
    """The PostgreSQL that comes with the program has nobody else to start it again."""
    home = scratch() / f"lanterlog-revived-{uuid4().hex[:8]}"
    home.mkdir(mode=0o755)
    try:
        with Served(home) as service:
            links = service.links()
            games = next(link for link in links if link.endswith("/v1/games"))
            assert get(games)[0] == 200
            kill(home / "data")
            until(lambda: "started again" in service.err.read_text())
            until(lambda: get(games)[0] == 200)
            assert service.stop(signal.SIGTERM) == 0
        assert not (home / "data" / "data" / "postmaster.pid").exists()
    finally:
        shutil.rmtree(home)
