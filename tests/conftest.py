"""What every test has: the Hypothesis profile, and fixtures for those that need PostgreSQL (tests/postgres.py)."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import Engine

from api import db
from tests import luck, profiles
from tests.postgres import SYSTEM_15, Cluster, Database, running_cluster

__all__ = ["profiles"]  # loaded before any test is read


def pytest_runtest_setup(item: pytest.Item) -> None:
    luck.begin(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say by which seed a test has failed."""
    report = yield
    if report.failed:
        report.sections.append(("luck", f"LANTERLOG_TEST_SEED={luck.SEED}"))
    return report


@pytest.fixture(scope="session")
def clusters() -> Iterator[Callable[[str], Cluster]]:
    """The run's clusters by name, each started when it is first asked for."""
    known: dict[str, Cluster] = {}
    places = {"own": None, "system15": SYSTEM_15}
    with ExitStack() as stack:

        def find(name: str) -> Cluster:
            if name not in known:
                known[name] = stack.enter_context(running_cluster(name, places[name]))
            return known[name]

        yield find


@pytest.fixture(scope="session")
def cluster(clusters: Callable[[str], Cluster], request: pytest.FixtureRequest) -> Cluster:
    """The PostgreSQL that comes with the program, or what `both_servers` says."""
    return clusters(getattr(request, "param", "own"))


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
