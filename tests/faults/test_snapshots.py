"""Something is committed between the statements of a reader: it sees it whole or not at all, and misses nothing."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder, store
from projections import checkpoints, feed, rebuild
from projections.rebuild import Rebuilt
from tests.api.conftest import MakeApp, make_app
from tests.api.table import Client, Table
from tests.postgres import Database, body, both_servers, connected
from tests.projections.store import (
    append,
    equal_to_a_fresh_fold,
    keep,
    log_of,
    opened,
    seal,
    take_in,
)

__all__ = ["make_app"]

pytestmark = [pytest.mark.store, both_servers]


class Growing:
    """A game that grows by a few events whenever somebody is between two statements."""

    def __init__(self, engine: Engine, database: Database) -> None:
        source = take_in(engine, "worked-examples.txt")[0]
        self.log = log_of(engine, source)
        self.game_id = opened(engine)
        self._engine, self._database = engine, database
        self.version = 0
        self.grow()

    def grow(self) -> None:
        """Append and seal two events, by sessions of their own."""
        append(self._engine, self.game_id, *self.log[self.version : self.version + 2])
        self.version += 2
        seal(self._database)

    def before(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, with something committed right before it."""

        def grown(*given: Any, **words: Any) -> Any:
            if self.version + 2 <= len(self.log):
                self.grow()
            return work(*given, **words)

        return grown


@pytest.fixture
def growing(engine: Engine, database: Database) -> Growing:
    return Growing(engine, database)


def test_a_log_ends_where_its_head_says(
    engine: Engine, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the head and the events."""
    monkeypatch.setattr(store, "read", growing.before(store.read))
    with engine.connect() as conn:
        log = recorder.load(conn, growing.game_id)
    assert [event.version for event in log.stored] == list(range(1, log.head.version + 1))
    assert log.stored[-1].hash == log.head.head
    assert growing.version > log.head.version


@pytest.mark.http
def test_an_answer_is_of_one_version(
    make_app: MakeApp, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    client: Client = make_app().test_client()
    table = Table.recorded(client)
    read, version = store.read, table.version

    def late(*given: Any, **words: Any) -> Any:
        remark = body()
        with engine.begin() as conn:
            store.append(conn, UUID(table.game_id), None, uuid4(), bytes(32), uuid4(), [remark])
        return read(*given, **words)

    monkeypatch.setattr(store, "read", late)
    answer = client.get(table.path("/state"))
    assert (answer.status_code, answer.json["version"]) == (200, version)


def test_a_step_reads_no_further_than_it_says(
    engine: Engine, database: Database, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the checkpoint, the page, the logs, and the checkpoint again."""
    for module, name in ((feed, "page"), (feed, "stored"), (checkpoints, "move")):
        monkeypatch.setattr(module, name, growing.before(getattr(module, name)))
    keep(database)
    monkeypatch.undo()
    keep(database)
    equal_to_a_fresh_fold(database)
    assert growing.version == len(growing.log) // 2 * 2


def test_a_rebuild_reads_no_further_than_it_says(
    engine: Engine, database: Database, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last position, the sizes, the logs and the swap."""
    keep(database)
    for name in ("last_position", "sizes", "stored", "page"):
        monkeypatch.setattr(feed, name, growing.before(getattr(feed, name)))
    done: Rebuilt = rebuild.rebuild(database.worker_url, ["all"])
    monkeypatch.undo()
    assert done.differing == ()
    keep(database)
    equal_to_a_fresh_fold(database)


def test_a_rebuild_changes_nothing_but_its_tables(engine: Engine, database: Database) -> None:
    """It has no other effect: not a row of the store is written."""
    take_in(engine)
    keep(database)
    before = contents(database)
    rebuild.rebuild(database.worker_url, ["all"])
    assert contents(database) == before


def contents(database: Database) -> dict[str, str]:
    """A digest of every table of the store."""
    tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'lanterlog' ORDER BY 1"
    digest = "SELECT md5(coalesce(string_agg(t::text || xmin, '' ORDER BY t::text), '')) FROM {} t"
    with connected(database.superuser_url) as conn:
        names = list(conn.exec_driver_sql(tables).scalars())
        return {
            name: conn.exec_driver_sql(digest.format(f"lanterlog.{name}")).scalar_one()
            for name in names
        }
