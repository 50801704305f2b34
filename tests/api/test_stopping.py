"""What a service that is told to stop does for whoever is there: in-flight work ends, the rest breaks off so that it shows."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from sqlalchemy import text

from api.client import Client
from api.client_errors import CutOff
from api.client_wire import Retries
from events.chain import text_hash
from events.common import Remarked
from events.formats import ndjson
from projections.sealer import Sealer
from tests.api.disputing import SAMPLE
from tests.api.test_bad_wire import rest
from tests.api.test_client_follows import Process
from tests.api.test_running import BLOCKED
from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.postgres import Cluster, Database, connected
from tests.projections.store import session
from tests.served import Served
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.store, pytest.mark.http]

LONG = "長" * 4000
PARTS = 5
"""Of 2.4 MB each: more than lies between two ends of a connection."""
GRACE = "50"
"""Seconds in which all must have come about that is looked at here."""
QUICK = Retries(attempts=8, first=0.05, longest=0.2)


@pytest.fixture(scope="module")
def database(cluster: Cluster) -> Iterator[Database]:
    with cluster.fresh() as made:
        yield made


@pytest.fixture(scope="module")
def game(database: Database, tmp_path_factory: pytest.TempPathFactory) -> UUID:
    """A game of many long remarks, in the ledger part by part."""
    salt = bytes(16)
    remark = Remarked(seat=0, text=text_hash(salt, LONG).hex())
    settings = {"DATABASE_URL": database.app_url, "LANTERLOG_MAX_BODY": str(2**25)}
    with (
        Served(tmp_path_factory.mktemp("filling"), settings=settings) as served,
        Client(served.links()[0].removesuffix("/")) as client,
    ):
        opened = client.open_game(["Ann", "Bob"], mode="recorded")
        version = opened.version
        for _ in range(PARTS):
            texts = dict.fromkeys(range(200), (salt, LONG))
            acts = [remark] * len(texts)
            version = client.record(opened.game_id, acts, version, texts=texts).version
            with session(database) as own:
                sealer = Sealer(own)
                while (done := sealer.round()) is None or done.rows:
                    pass
    return opened.game_id


def asked(served: Served, request: str, *, slow: bool = False) -> socket.socket:
    """A connection on which something is asked for; a slow one takes little at a time."""
    parts = urlsplit(served.links()[0])
    conn = socket.socket()
    if slow:
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    conn.settimeout(PATIENCE)
    conn.connect((parts.hostname, parts.port))
    conn.sendall(request.encode())
    return conn


def got(path: str, version: str = "1.1") -> str:
    return f"GET {path} HTTP/{version}\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n"


def posted(path: str, size: int, kind: str) -> str:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    return f"{head}Content-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"


EXPORTS = {
    "ndjson": "/v1/export",
    "csv": "/v1/export?format=csv",
    "one game": "/v1/games/{}/export.ndjson",
}


def test_who_is_at_work_is_answered_and_who_is_being_sent_something_sees_that_it_breaks_off(
    home: Path, database: Database, game: UUID
):
    body = {"events": [{"t": "game_ended", "v": 1, "winner": None, "abandoned": True}]}
    settings = {"DATABASE_URL": database.app_url, "LANTERLOG_GRACE": GRACE}
    with ExitStack() as stack:
        served = stack.enter_context(Served(home, settings=settings))
        served.links()

        def ask(request: str, *, slow: bool = False) -> socket.socket:
            return stack.enter_context(asked(served, request, slow=slow))

        holder = stack.enter_context(connected(database.superuser_url))
        looking = stack.enter_context(connected(database.superuser_url))
        looking.execution_options(isolation_level="AUTOCOMMIT")
        exports = {name: ask(got(path.format(game)), slow=True) for name, path in EXPORTS.items()}
        exports["as of old"] = ask(got("/v1/export", "1.0"), slow=True)
        begun = {name: conn.recv(1000) for name, conn in exports.items()}
        follower = ask(got(f"/v1/games/{game}/stream?after=1000"))
        assert follower.recv(1000).startswith(b"HTTP/1.1 200 ")
        idle, half = ask(""), ask("GET /healthz HT")
        holder.execute(
            text("SELECT FROM lanterlog.games WHERE game_id = :game FOR UPDATE"), {"game": game}
        )
        version = holder.execute(
            text("SELECT version FROM lanterlog.games WHERE game_id = :game"), {"game": game}
        ).scalar_one()
        act = json.dumps(body | {"expected_version": version})
        append = ask(posted(f"/v1/games/{game}/events", len(act), "application/json") + act)
        until(lambda: looking.execute(text(BLOCKED)).scalar() == 1)
        upload = ask(posted("/v1/import", len(SAMPLE), "application/x-ndjson"))
        upload.sendall(SAMPLE[: len(SAMPLE) // 2])
        other = ask(got("/healthz"))
        answered = b""
        while not answered.endswith(b"}"):  # so the upload before it has begun
            answered += (piece := other.recv(1000))
            assert piece

        served.process.send_signal(signal.SIGTERM)

        assert rest(follower).endswith(b": come back\n\n\r\n0\r\n\r\n")
        assert [rest(conn) for conn in (idle, other)] == [b"", b""]
        assert b'"code":"too_slow"' in rest(half)
        for name, conn in exports.items():  # of which no more was taken while it might have gone on
            taken = begun[name] + rest(conn)
            assert taken.startswith(b"HTTP/1."), name
            assert not taken.endswith(b"0\r\n\r\n"), name
            assert b'"t":"end"' not in taken[-300:], name
            assert len(taken) < PARTS * 200 * len(LONG.encode()), name
        assert served.process.poll() is None
        upload.sendall(SAMPLE[len(SAMPLE) // 2 :])
        assert rest(upload).startswith(b"HTTP/1.1 201 ")
        holder.rollback()
        assert rest(append).startswith(b"HTTP/1.1 201 ")
        assert served.process.wait(PATIENCE) == 0
        stored = looking.execute(
            text("SELECT version FROM lanterlog.games WHERE game_id = :game"), {"game": game}
        )
        assert stored.scalar() == version + 1
    assert "Traceback" not in served.err.read_text()
    assert '"level": "error"' not in served.err.read_text()


def test_an_export_goes_on_where_a_service_that_stopped_broke_it_off(
    tmp_path: Path, database: Database, game: UUID
):
    process = Process(tmp_path, database)
    try:
        with Client(process.url, retries=QUICK) as client:
            whole = b"".join(client.archive())
            lines = client.archive()
            begun = [next(lines) for _ in range(20)]
            table = client.archive(form="csv", table="events")
            heading = next(table)
            process.stop()
            process.start()
            assert b"".join(begun) + b"".join(lines) == whole
            assert lines.position == ndjson.verify(BytesIO(whole)).position
            assert heading.startswith(b"game_id,")
            with pytest.raises(CutOff):
                b"".join(table)
    finally:
        process.stop()
