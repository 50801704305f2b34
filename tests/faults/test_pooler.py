"""Through PgBouncer in transaction mode: the service works, and whatever needs a session of its own says so."""

import io
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest
from msgspec.structs import replace
from sqlalchemy import create_engine, pool
from sqlalchemy.engine import make_url

from api import db, simulation
from api.client import Client
from api.config import Config
from api.simulation import Order
from events import bulk, recorder, store
from events.errors import BadSetting, ProjectionError
from events.formats.detect import read_file
from events.rummy500.ruleset import SEED
from projections import sessions
from projections.status import status
from tests.api.apps import application
from tests.events.test_bulk import whole
from tests.faults import witness
from tests.postgres import Database, both_servers, connected, scratch
from tests.projections.store import WHO, equal_to_a_fresh_fold, keep
from tests.served import command
from tests.waiting import PATIENCE, until

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = [
    pytest.mark.store,
    both_servers,
    pytest.mark.skipif(PGBOUNCER is None, reason="no pgbouncer: apt-get install pgbouncer"),
]

SETTINGS = """
[databases]
* = host={sockets}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = {ignored}
logfile = {log}
"""
LOGINS = ("lanterlog_app", "lanterlog_worker", "postgres")
TABLES = 6


@contextmanager
def pgbouncer(database: Database, ignored: str) -> Iterator[int]:
    """A pooler before a test's server, which lends out three sessions; its port."""
    sockets = Path(str(make_url(database.app_url).query["host"]))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = scratch() / f"lanterlog-pooler-{uuid4().hex[:8]}"
    home.mkdir(mode=0o755)
    owner = pwd.getpwuid(sockets.stat().st_uid)
    try:
        users, log, settings = home / "users.txt", home / "log", home / "pgbouncer.ini"
        users.write_text("".join(f'"{login}" ""\n' for login in LOGINS))
        log.touch()
        settings.write_text(
            SETTINGS.format(sockets=sockets, port=port, users=users, log=log, ignored=ignored)
        )
        if os.geteuid() == 0:
            os.chown(log, owner.pw_uid, owner.pw_gid)
        assert PGBOUNCER is not None
        process = subprocess.Popen(
            [PGBOUNCER, "-q", str(settings)],
            user=owner.pw_uid if os.geteuid() == 0 else None,
            extra_groups=() if os.geteuid() == 0 else None,
            cwd=home,
        )
        try:
            until(lambda: is_up(port) or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(home)


def is_up(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE):
            return True
    except ConnectionRefusedError:
        return False


def through(url: str, port: int) -> str:
    found = make_url(url).set(host="127.0.0.1", port=port, query={})
    return found.render_as_string(hide_password=False)


@pytest.fixture
def pooled(database: Database) -> Iterator[Config]:
    """The test's database, of which the program knows only the pooler."""
    with pgbouncer(database, "extra_float_digits") as port:
        url = through(database.app_url, port)
        yield replace(database.config, database_url=url, pooler=True)


def play(config: Config, seed: int) -> None:
    """A game of bots at a refereed table, a transaction an act."""
    order = Order("rummy500", 2, seed, "greedy", SEED, 1)
    with db.opened(config) as engine, engine.begin() as conn:
        simulation.record_game(conn, order, seed)


@pytest.mark.http
def test_the_service_works(pooled: Config, database: Database) -> None:
    """Several clients share three sessions: tables are opened and played, read, exported and imported."""
    with ThreadPoolExecutor(TABLES) as threads:
        list(threads.map(lambda seed: play(pooled, seed), range(TABLES)))
    with application(pooled) as app:
        transport = httpx.WSGITransport(app=app)
        with Client("http://127.0.0.1", transport=transport) as client:
            games = list(client.games())
            assert len(games) == TABLES
            for game in games:
                assert client.timeline(game.game_id).version == game.version
                assert client.audit(game.game_id).findings == []
            again = client.export(games[0].game_id)
            answer = client.import_file(again)
            assert (len(answer.imported), len(answer.present)) == (0, 1)


def test_what_the_store_does(pooled: Config, database: Database) -> None:
    """Streams through a cursor, COPY, snapshots, the state of things; no session is left with anything."""
    with db.opened(pooled) as engine:
        with files("events.samples").joinpath("evening-of-loo.txt").open("rb") as file:
            text = io.BytesIO(file.read())
        with engine.begin() as conn:
            [game_id] = recorder.import_games(conn, read_file(text), WHO).imported
            games = [whole() for _ in range(5)]
            assert set(bulk.take_in(conn, games, WHO).values()) == {"imported"}
        with engine.connect() as conn:
            assert len(list(store.stream_all(conn, page=50))) == 6
        with db.autocommit(engine).connect() as conn:
            assert len(list(store.stream_all(conn, page=50))) == 6
            assert len(store.read(conn, game_id)) == 373
            assert status(conn).waiting.games == 6
        witness.sound(engine)
    with connected(database.superuser_url) as conn:
        locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        assert conn.exec_driver_sql(locks).scalar_one() == 0
    for url in [str(pooled.database_url)] * 3:
        with connected(url) as conn:
            left = conn.exec_driver_sql("SELECT name FROM pg_prepared_statements").all()
            assert left == []


def test_what_came_through_is_kept_by_a_worker_beside_it(
    pooled: Config, database: Database
) -> None:
    play(pooled, 1)
    keep(database)
    equal_to_a_fresh_fold(database)


@pytest.mark.parametrize("ignored", ["extra_float_digits", "options"])
def test_whatever_needs_a_session_of_its_own_refuses(database: Database, ignored: str) -> None:
    """With both ways in which a PgBouncer treats settings that it does not know."""
    with pgbouncer(database, ignored) as port:
        worker = through(database.worker_url, port)
        owner = through(database.superuser_url, port)
        with pytest.raises((ProjectionError, psycopg.OperationalError), match=r"pooler|options"):
            sessions.connect(worker, "test")
        config = replace(
            database.config,
            database_url=through(database.app_url, port),
            worker_database_url=worker,
            migration_database_url=owner,
        )
        with pytest.raises(BadSetting, match="MIGRATION_DATABASE_URL leads through a pooler"):
            db.migrate(config)
        with (
            pytest.raises(BadSetting, match="MIGRATION_DATABASE_URL leads through a pooler"),
            db.as_owner(config) as engine,
        ):
            engine.connect()
        with (
            pytest.raises(Exception, match=r"LANTERLOG_POOLER=1|unsupported startup parameter"),
            db.opened(config),
        ):
            pass


def test_the_worker_says_what_it_needs(database: Database) -> None:
    with pgbouncer(database, "extra_float_digits") as port:
        settings = {
            "DATABASE_URL": through(database.app_url, port),
            "WORKER_DATABASE_URL": through(database.worker_url, port),
            "LANTERLOG_POOLER": "1",
        }
        done = command("worker", env=os.environ | settings)
    assert done.returncode == 2
    assert done.stderr == (
        "lanterlog: WORKER_DATABASE_URL leads through a pooler, "
        "expected the PostgreSQL server itself\n"
    )


def test_a_direct_login_is_told_from_a_pooled_one(database: Database) -> None:
    made = create_engine(database.app_url, poolclass=pool.NullPool)
    with made.connect() as conn:
        db.check_is_direct(conn, "DATABASE_URL")
