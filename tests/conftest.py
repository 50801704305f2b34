"""Fixtures for every test that needs PostgreSQL: one cluster a run, one database a test.

All processes of one run share a cluster that does not care for power cuts. A migrated database is
made once and copied for each test, which takes a few hundredths of a second.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import Engine

from api import db
from api.config import Config
from api.embedded import SUPERUSER, Embedded
from events.schema import Roles

TEMPLATE = "lanterlog_template"
MEDDLER = "lanterlog_meddler"
"""A login with more rights than the program may have: it may become the owner."""

CARELESS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_wal_size": "4GB",
}


class Cluster:
    """A running server of this test run, with a migrated template."""

    def __init__(self, server: Embedded) -> None:
        self.server = server
        self.roles = Roles()

    def config(self, database: str) -> Config:
        return Config(
            home=self.server.home,
            database_url=self.server.url(self.roles.app, database),
            worker_database_url=self.server.url(self.roles.worker, database),
            migration_database_url=self.server.url(SUPERUSER, database),
            roles=self.roles,
        )

    def create(self, options: str = "") -> str:
        name = f"test_{uuid4().hex}"
        self._run(f"CREATE DATABASE {name} {options}")
        return name

    def drop(self, name: str) -> None:
        self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    @contextmanager
    def empty(self, options: str = "") -> Iterator[Config]:
        """A database without our schema, gone afterwards."""
        name = self.create(options)
        try:
            yield self.config(name)
        finally:
            self.drop(name)

    @contextmanager
    def fresh(self) -> Iterator["Database"]:
        """A migrated database, gone afterwards."""
        name = self.create(f"TEMPLATE {TEMPLATE}")
        try:
            yield Database(name, self.config(name), self.server.url(MEDDLER, name))
        finally:
            self.drop(name)

    def make_template(self) -> None:
        with self.server.connect() as conn:
            if conn.execute("SELECT FROM pg_database WHERE datname = %s", (TEMPLATE,)).fetchone():
                return
        name = self.create()
        db.migrate(self.config(name))
        self._run(f"CREATE ROLE {MEDDLER} LOGIN IN ROLE {self.roles.owner}")
        self._run(f"ALTER DATABASE {name} RENAME TO {TEMPLATE}")

    def _run(self, statement: str) -> None:
        with self.server.connect() as conn:
            conn.execute(statement.encode())


class Database(msgspec.Struct, frozen=True):
    """A migrated database of one test and everyone's way into it."""

    name: str
    config: Config
    owner_url: str
    """Of a login that may `SET ROLE` to the owner, and is no superuser."""

    @property
    def app_url(self) -> str:
        return str(self.config.database_url)

    @property
    def worker_url(self) -> str:
        return str(self.config.worker_database_url)

    @property
    def superuser_url(self) -> str:
        return str(self.config.migration_database_url)


@contextmanager
def running_cluster(name: str, binaries: Path | None = None) -> Iterator[Cluster]:
    """The run's cluster, shared with the run's other processes; the last one takes it away."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))[:12]
    home = Path(tempfile.gettempdir()) / f"lanterlog-test-{os.geteuid()}-{run}-{name}"
    with Embedded(home, binaries=binaries, settings=CARELESS, logins=(MEDDLER,)) as server:
        with (home / "template.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            Cluster(server).make_template()
        yield Cluster(server)
        if server.stop():
            shutil.rmtree(home)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The PostgreSQL that comes with the program."""
    with running_cluster("own") as found:
        yield found


@pytest.fixture
def database(cluster: Cluster) -> Iterator[Database]:
    """A migrated database of the test's own."""
    with cluster.fresh() as found:
        yield found


@pytest.fixture
def engine(database: Database) -> Iterator[Engine]:
    """The program's own pool into the test's database."""
    made = db.engine(database.config)
    yield made
    made.dispose()
