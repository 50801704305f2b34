"""A backup is worth what its restore is: into a fresh cluster, and the store goes on where it was."""

import shutil
import subprocess
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from api import db
from api.cli import main
from api.config import Config
from api.embedded import SUPERUSER, Embedded
from api.placement import account, programs
from events import erasure, store
from events.errors import StaleVersion
from tests.postgres import CARELESS, Cluster, Database, body, connected, opened_game, scratch
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store

ZED = UUID(int=0x2ED)
ROLES = (
    "CREATE ROLE lanterlog_owner NOLOGIN",
    "CREATE ROLE lanterlog_app LOGIN",
    "CREATE ROLE lanterlog_worker LOGIN",
)


def run(program: str, server: Embedded, database: str, *words: str) -> None:
    """One of PostgreSQL's own programs, as an operator runs it."""
    where = ("-h", str(server.sockets), "-U", SUPERUSER, "-d", database)
    folder = programs(server.home, account(server.data))
    subprocess.run([str(folder / program), *where, *words], check=True, timeout=PATIENCE)


def seal(url: str) -> int:
    with connected(url) as conn:
        position = conn.exec_driver_sql("SELECT last_position FROM lanterlog.seal(1000)")
        found = int(position.scalar_one())
        conn.commit()
    return found


def test_a_restored_store_is_sound_and_goes_on(
    engine: Engine,
    database: Database,
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    games = [opened_game(engine, *map(body, range(count))) for count in (0, 1, 5, 30)]
    with engine.begin() as conn:
        store.ensure_people(conn, {ZED: "Zed", UUID(int=1): "Ann"})
    with db.as_owner(database.config) as owner, owner.begin() as conn:
        erasure.erase(conn, ZED, "games", ZED)
    assert seal(database.worker_url) == 4
    waiting = opened_game(engine, body())
    anchors, dump = tmp_path / "anchors.ndjson", tmp_path / "store.dump"
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    assert main(["anchor", "-o", str(anchors)]) == 0
    with engine.begin() as conn:
        before = list(store.stream_all(conn))
    run("pg_dump", cluster.server, database.name, "--format", "custom", "--file", str(dump))

    home = scratch() / f"lanterlog-restore-{uuid4().hex[:8]}"
    try:
        with Embedded(home, settings=CARELESS) as fresh:
            config = restored(fresh, dump)
            monkeypatch.setenv("DATABASE_URL", str(config.database_url))
            capfd.readouterr()
            assert main(["verify", "--store", "--anchors", str(anchors)]) == 0
            assert capfd.readouterr().out.startswith("sound: 6 games, 38 events")
            resumes(config, before, games[2], waiting)
    finally:
        shutil.rmtree(home)


def restored(server: Embedded, dump: Path) -> Config:
    """The configuration of a fresh cluster into which the dump was restored, by the book of operations."""
    with server.connect() as conn:
        for role in ROLES:
            conn.execute(role.encode())
        conn.execute(b"CREATE DATABASE restored")
    run("pg_restore", server, "restored", "--exit-on-error", str(dump))
    return Config(
        home=server.home,
        database_url=server.url("lanterlog_app", "restored"),
        worker_database_url=server.url("lanterlog_worker", "restored"),
        migration_database_url=server.url(SUPERUSER, "restored"),
    )


def resumes(
    config: Config,
    before: list[tuple[store.Head, list[store.StoredEvent]]],
    game: UUID,
    waiting: UUID,
) -> None:
    """Everything is there, what comes next comes after it, and rights, triggers and memory hold."""
    assert db.schema_differences(config) == []
    engine = db.engine(config)
    with engine.connect() as conn:
        db.check_login_rights(conn)
        db.check_schema_version(conn)
        assert list(store.stream_all(conn)) == before
        with pytest.raises(StaleVersion):
            store.append(conn, game, 4, uuid4(), bytes(32), ZED, [body()])
        conn.rollback()
        store.append(conn, game, 5, uuid4(), bytes(32), ZED, [body()])
        store.ensure_people(conn, {ZED: "Zed"})
        assert store.people(conn, [ZED]) == {ZED: store.ERASED_NAME}
        conn.commit()
        assert seal(str(config.worker_database_url)) == 6
        rows = conn.exec_driver_sql(
            "SELECT position, game_id FROM lanterlog.ledger WHERE position > 4 ORDER BY position"
        ).all()
    assert {row.game_id for row in rows} == {game, waiting}
    assert [row.position for row in rows] == [5, 6]
    with (
        connected(str(config.migration_database_url), "lanterlog_owner") as conn,
        pytest.raises(Exception, match="append-only"),
    ):
        conn.exec_driver_sql("DELETE FROM lanterlog.events")
    engine.dispose()
    assert main(["verify", "--store"]) == 0
