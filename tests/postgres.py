"""PostgreSQL for tests: one cluster a run, one database a test.

All processes of one run share a cluster that does not care for power cuts. A migrated database is
made once in it and copied for each test, which takes a few hundredths of a second.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from uuid import UUID, uuid4

import msgspec
import pytest
from psycopg import pq
from sqlalchemy import Connection, Engine, create_engine, pool

from api import db
from api.config import Config
from api.embedded import SUPERUSER, Embedded
from events import store
from events.schema import Roles

SYSTEM_15 = Path("/usr/lib/postgresql/15/bin")
TEMPLATE = "lanterlog_template"
MEDDLER = "lanterlog_meddler"
"""A login with more rights than the program may have: it may become the owner."""
STRANGER = "lanterlog_stranger"
"""A login without any rights."""
MIGRATOR = "lanterlog_migrator"
"""A login as a hosted server gives it: it may make roles, and is no superuser."""

CARELESS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_wal_size": "4GB",
}

both_servers = pytest.mark.parametrize(
    "cluster",
    [
        pytest.param("own", id="pg18"),
        pytest.param(
            "system15",
            id="pg15",
            marks=pytest.mark.skipif(
                not (SYSTEM_15 / "initdb").exists(),
                reason=f"no PostgreSQL 15, the oldest that we promise, in {SYSTEM_15}",
            ),
        ),
    ],
    indirect=True,
)
"""Run the test on the PostgreSQL that comes with the program and on the oldest that we promise."""


class Database(msgspec.Struct, frozen=True):
    """A migrated database of one test and everyone's way into it."""

    name: str
    config: Config
    owner_url: str
    """Of a login that may `SET ROLE` to the owner, and is no superuser."""
    stranger_url: str

    @property
    def app_url(self) -> str:
        return str(self.config.database_url)

    @property
    def worker_url(self) -> str:
        return str(self.config.worker_database_url)

    @property
    def superuser_url(self) -> str:
        return str(self.config.migration_database_url)


class Cluster:
    """A running server of this test run, with a migrated template."""

    def __init__(self, server: Embedded) -> None:
        self.server = server
        self.roles = Roles()

    @contextmanager
    def empty(self, options: str = "") -> Iterator[Config]:
        """A database without our schema, gone afterwards."""
        name = self._create(options)
        try:
            yield self._config(name)
        finally:
            self._drop(name)

    @contextmanager
    def fresh(self) -> Iterator[Database]:
        """A migrated database, gone afterwards."""
        name = self._copy(TEMPLATE)
        url = self.server.url
        try:
            yield Database(name, self._config(name), url(MEDDLER, name), url(STRANGER, name))
        finally:
            self._drop(name)

    def run(self, statement: str) -> None:
        """As the superuser, for the whole cluster."""
        with self.server.connect() as conn:
            conn.execute(statement.encode())

    def make_template(self) -> None:
        with self.server.connect() as conn:
            there = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", (TEMPLATE,))
            if there.fetchone() is not None:
                return
        name = self._create()
        db.migrate(self._config(name))
        self.run(f"CREATE ROLE {MEDDLER} LOGIN IN ROLE {self.roles.owner}")
        self.run(f"CREATE ROLE {STRANGER} LOGIN")
        self.run(f"CREATE ROLE {MIGRATOR} LOGIN CREATEROLE")
        self.run(f"ALTER DATABASE {name} RENAME TO {TEMPLATE}")

    def _config(self, database: str) -> Config:
        return Config(
            home=self.server.home,
            database_url=self.server.url(self.roles.app, database),
            worker_database_url=self.server.url(self.roles.worker, database),
            migration_database_url=self.server.url(SUPERUSER, database),
        )

    def _create(self, options: str = "") -> str:
        name = f"test_{uuid4().hex}"
        self.run(f"CREATE DATABASE {name} {options}")
        return name

    def _copy(self, template: str) -> str:
        # File by file: in a cluster that does not care for power cuts, no detour through its log is needed.
        return self._create(f"TEMPLATE {template} STRATEGY FILE_COPY")

    def _drop(self, name: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def scratch() -> Path:
    """An open folder for clusters: in memory where there is plenty of it."""
    memory = Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > 4 * 2**30:
        return memory
    return Path(tempfile.gettempdir())


@contextmanager
def running_cluster(name: str, binaries: Path | None = None) -> Iterator[Cluster]:
    """The run's cluster, shared with the run's other processes; the last one takes it away."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))[:12]
    home = scratch() / f"lanterlog-test-{os.geteuid()}-{run}-{name}"
    logins = (MEDDLER, STRANGER, MIGRATOR)
    with Embedded(home, binaries=binaries, settings=CARELESS, logins=logins) as server:
        with (home / "template.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            Cluster(server).make_template()
        try:
            yield Cluster(server)
        finally:
            if server.stop():
                shutil.rmtree(home)


@contextmanager
def connected(url: str, role: str | None = None) -> Iterator[Connection]:
    """A connection of its own, outside every pool, as a login that may then become `role`."""
    made = create_engine(url, poolclass=pool.NullPool)
    with made.connect() as conn:
        if role is not None:
            conn.exec_driver_sql(f"SET ROLE {role}")
            conn.commit()
        yield conn


@contextmanager
def statements(conn: Connection, log: TextIO) -> Iterator[list[str]]:
    """Filled at the end with the requests that crossed the wire: one entry a statement run."""
    found: list[str] = []
    libpq = conn.connection.driver_connection.pgconn  # type: ignore[union-attr]
    libpq.trace(log.fileno())
    libpq.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS)
    try:
        yield found
    finally:
        libpq.untrace()
        log.seek(0)
        sent = [line.split("\t") for line in log.read().splitlines() if line.startswith("F\t")]
        found += [line[2] for line in sent if line[2] in {"Execute", "Query"}]


def body(number: int = 0, note: str = "") -> bytes:
    """Some JSON text; the store does not know what stands in it."""
    return msgspec.json.encode({"t": "remarked", "v": 1, "number": number, "note": note})


def opened_game(engine: Engine, *bodies: bytes) -> UUID:
    """A game with these events, committed."""
    game_id = uuid4()
    with engine.begin() as conn:
        store.open_game(conn, game_id, "rummy500", "recorded")
        if bodies:
            store.append(conn, game_id, 0, uuid4(), bytes(32), uuid4(), bodies)
    return game_id
