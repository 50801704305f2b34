"""Fixtures for tests through HTTP: the application over a database of the test's own, and its clients."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from flask import Flask
from msgspec.structs import replace

from api import create_app, db
from api.access import NOBODY
from events import recorder
from events.formats.detect import read_file
from tests.api.apps import end
from tests.api.documented import watch
from tests.api.table import CORPUS, Client, Table
from tests.postgres import Cluster, Database

MakeApp = Callable[..., Flask]


@pytest.fixture
def make_app(database: Database) -> Iterator[MakeApp]:
    """Makes applications over the test's database, each with its own settings."""
    made: list[Flask] = []

    def make(**settings: object) -> Flask:
        made.append(create_app(replace(database.config, **settings)))
        watch(made[-1])
        return made[-1]

    yield make
    for app in made:
        end(app)


@pytest.fixture(scope="module")
def sixty_games(cluster: Cluster) -> Iterator[Database]:
    """A store with sixty games that no test changes."""
    with cluster.fresh() as database:
        engine = db.engine(database.config)
        with engine.begin() as conn, CORPUS.open("rb") as file:
            recorder.import_games(conn, read_file(file), NOBODY)
        engine.dispose()
        yield database


@pytest.fixture
def client(make_app: MakeApp) -> Client:
    """The public."""
    return make_app().test_client()


@pytest.fixture
def open_client(make_app: MakeApp) -> Client:
    """The table client of an open table, over the same database."""
    return make_app(open_table=True).test_client()


@pytest.fixture
def table(client: Client) -> Table:
    """A refereed game for two that has just been dealt."""
    return Table.opened(client)


@pytest.fixture
def key() -> dict[str, str]:
    """A header with a command id of its own."""
    return {"Idempotency-Key": str(uuid4())}
