"""A dump in the middle of everything, restored into a fresh cluster with its roles: all goes on where it was."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from api import db
from api.config import Config
from api.embedded import SUPERUSER, Embedded
from api.placement import account, programs
from events import store
from projections.model import Model
from projections.models import MODELS
from projections.runner import State
from tests.faults import witness
from tests.postgres import CARELESS, Cluster, Database, scratch
from tests.projections.store import (
    append,
    checkpoint,
    equal_to_a_fresh_fold,
    keep,
    log_of,
    opened,
    seal,
    take_in,
)
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store

DONE = {model.name: State.DONE for model in MODELS}


def run(program: str, server: Embedded, *words: str) -> None:
    folder = programs(server.home, account(server.data))
    where = ("-h", str(server.sockets), "-U", SUPERUSER)
    subprocess.run(
        [str(folder / program), *where, *words],
        check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE,
    )  # fmt: skip


@pytest.fixture
def fresh() -> Iterator[Embedded]:
    home = scratch() / f"lanterlog-restored-{uuid4().hex[:8]}"
    try:
        with Embedded(home, settings=CARELESS) as server:
            yield server
    finally:
        shutil.rmtree(home)


def test_everything_goes_on(
    engine: Engine, database: Database, cluster: Cluster, fresh: Embedded, tmp_path: Path
) -> None:
    """At the dump one model has read all, two lag behind, and some events are not sealed."""
    log = log_of(engine, take_in(engine, "evening-of-loo.txt")[0])
    keep(database)
    take_in(engine, "worked-examples.txt")
    some: list[Model] = [MODELS[0]]
    keep(database, some)
    waiting = opened(engine, "lanterloo")
    append(engine, waiting, *log[:100])
    marks = {model.name: checkpoint(database, model.name)["position"] for model in MODELS}
    assert len(set(marks.values())) == 2
    with engine.begin() as conn:
        before = list(store.stream_all(conn))

    roles, dump = tmp_path / "roles.sql", tmp_path / "store.dump"
    run("pg_dumpall", cluster.server, "--roles-only", "--file", str(roles))
    run("pg_dump", cluster.server, "--format", "custom", "--file", str(dump), database.name)
    # The superuser is there already; everything else of the roles comes with the file.
    lines = roles.read_text().splitlines(keepends=True)
    roles.write_text("".join(line for line in lines if f" ROLE {SUPERUSER}" not in line))
    run("psql", fresh, "-v", "ON_ERROR_STOP=1", "--quiet", "-f", str(roles), "postgres")
    run("createdb", fresh, "restored")
    run("pg_restore", fresh, "--exit-on-error", "--dbname", "restored", str(dump))

    found = place(fresh)
    again = db.engine(found.config)
    try:
        with db.opened(found.config) as checked, checked.begin() as conn:
            assert list(store.stream_all(conn)) == before
        assert {name: checkpoint(found, name)["position"] for name in marks} == marks
        append(again, waiting, *log[100:])
        later = opened(again, "lanterloo")
        append(again, later, *log)
        assert keep(found) == DONE
        assert seal(found) == max(marks.values()) + 2
        witness.sound(again)
        witness.ledger_covers_all(again)
        equal_to_a_fresh_fold(found)
        assert db.schema_differences(found.config) == []
    finally:
        again.dispose()


def place(server: Embedded) -> Database:
    """The restored database and everybody's way into it."""
    config = Config(
        home=server.home,
        database_url=server.url("lanterlog_app", "restored"),
        worker_database_url=server.url("lanterlog_worker", "restored"),
        migration_database_url=server.url(SUPERUSER, "restored"),
    )
    return Database("restored", config, "", "")
