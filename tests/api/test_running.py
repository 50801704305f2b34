"""The service as an operator runs it, over a database of his own: its stop, its limits, its log."""

import json
import logging
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import structlog
from sqlalchemy import text

from api import logs, tokens
from api.server import LIMITS
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.postgres import Database, connected
from tests.served import Served, children
from tests.waiting import PATIENCE, joined, until

pytestmark = [pytest.mark.store, pytest.mark.http]

BLOCKED = """SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'"""


@pytest.fixture
def served(home: Path, database: Database) -> Iterator[Served]:
    """The service over the test's database."""
    with Served(home, settings={"DATABASE_URL": database.app_url}) as running:
        running.links()
        yield running


def place(served: Served) -> str:
    return urlsplit(served.links()[0]).netloc


def ask(served: Served, method: str, path: str, body: object = None) -> tuple[int, Any]:
    connection = HTTPConnection(place(served), timeout=PATIENCE)
    headers = {"Content-Type": "application/json"}
    connection.request(method, path, json.dumps(body) if body else None, headers)
    answer = connection.getresponse()
    status, told = answer.status, json.loads(answer.read())
    connection.close()
    return status, told


def opened(served: Served) -> str:
    status, told = ask(served, "POST", "/v1/games", {"seats": ["Ann", "Bob"]})
    assert status == 201
    return str(told["game_id"])


def raw(served: Served, *parts: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back."""
    host, port = place(served).split(":")
    with socket.create_connection((host, int(port)), PATIENCE) as sent:
        for part in parts:
            sent.sendall(part)
        found = b""
        while more := sent.recv(65536):
            found += more
        return found


def test_an_append_that_waits_is_finished_and_streams_end(served: Served, database: Database):
    game = opened(served)
    body = {
        "events": [{"t": "stock_drawn", "v": 1, "seat": 1, "card": "??"}],
        "expected_version": 5,
    }
    answers: list[Any] = []
    path = f"/v1/games/{game}/events"
    append = threading.Thread(
        target=lambda: answers.append(ask(served, "POST", path, body)), daemon=True
    )
    request = f"GET /v1/games/{game}/stream?after=5 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    ended: list[bytes] = []
    stream = threading.Thread(target=lambda: ended.append(raw(served, request)), daemon=True)
    with connected(database.superuser_url) as holder, connected(database.superuser_url) as looking:
        looking.execution_options(isolation_level="AUTOCOMMIT")
        one = {"game": game}
        holder.execute(text("SELECT FROM lanterlog.games WHERE game_id = :game FOR UPDATE"), one)
        stream.start()
        append.start()
        until(lambda: looking.execute(text(BLOCKED)).scalar() == 1)
        served.process.send_signal(signal.SIGTERM)
        # Told to stop: who follows is let go, while the append still waits for its game.
        joined(stream)
        assert append.is_alive()
        assert served.process.poll() is None
        holder.rollback()
        joined(append)
        assert served.process.wait(PATIENCE) == 0
        stored = looking.execute(
            text("SELECT version FROM lanterlog.games WHERE game_id = :game"), one
        )
        version = stored.scalar()
    (status, told), (following,) = answers[0], ended
    assert (status, told["version"], version) == (201, 6, 6)
    assert following.endswith(b"0\r\n\r\n")
    assert "Traceback" not in served.err.read_text()


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        (b"GET /" + b"x" * LIMITS["limit_request_line"] + b" HTTP/1.1", b"", b"414"),
        (b"GET /healthz HTTP/1.1", b"X-Long: " + b"x" * LIMITS["limit_request_field_size"] + b"\r\n", b"431"),
        (
            b"GET /healthz HTTP/1.1",
            b"".join(b"X-%d: 1\r\n" % n for n in range(LIMITS["limit_request_fields"] + 1)),
            b"431",
        ),
    ],
)  # fmt: skip
def test_requests_have_limits(served: Served, request_line: bytes, headers: bytes, status: bytes):
    answer = raw(served, request_line + b"\r\nHost: localhost\r\n" + headers + b"\r\n")
    assert answer.split()[1] == status
    assert ask(served, "GET", "/healthz")[0] == 200


def test_a_connection_is_kept_for_another_request(served: Served):
    connection = HTTPConnection(place(served), timeout=PATIENCE)
    for _ in range(3):
        connection.request("GET", "/healthz")
        before = connection.sock
        assert connection.getresponse().read()
        assert connection.sock is before
    connection.close()


def test_what_a_client_says_of_a_proxy_counts_for_nothing(served: Served):
    answer = raw(
        served,
        b"GET /v1/games HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
        b"X-Forwarded-Ssl: off\r\nSCRIPT_NAME: /elsewhere\r\nConnection: close\r\n\r\n",
    )
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_every_line_of_the_log_is_json_also_gunicorns_own(served: Served):
    secret = tokens.new_secret()
    line = f"GET / HTTP/1.1\r\nHost: localhost\r\nBad({secret}: 1\r\n\r\n"
    assert raw(served, line.encode()).split()[1] == b"400"
    master = served.process.pid
    for child in Path(f"/proc/{master}/task/{master}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    assert ask(served, "GET", "/healthz")[0] == 200
    served.stop(signal.SIGTERM)
    written = served.err.read_text()
    assert secret[3:] not in written
    lines = [json.loads(one) for one in written.splitlines()]
    assert "gunicorn.error" in {one.get("source") for one in lines}, lines
    assert {"event", "level", "timestamp"} <= set.intersection(*map(set, lines))


def test_what_others_log_is_masked_and_has_its_traceback(capfd: pytest.CaptureFixture[str]):
    secret = tokens.new_secret()
    other = logging.getLogger("tests.other")
    other.propagate = False
    other.addHandler(logs.Through())
    with logged(capfd) as lines:
        try:
            raise OSError(secret)
        except OSError:
            other.exception("lost %s", secret)
    other.handlers.clear()
    (line,) = lines
    assert (line["level"], line["source"], line["event"]) == ("error", "tests.other", "lost ll_...")
    assert "OSError: ll_..." in line["exception"]
    assert secret[3:] not in json.dumps(line)


@contextmanager
def logged(capfd: pytest.CaptureFixture[str]) -> Iterator[list[dict[str, Any]]]:
    """Log as the service does; filled with the lines at the end."""
    lines: list[dict[str, Any]] = []
    capfd.readouterr()
    logs.configure()
    try:
        yield lines
    finally:
        lines += [json.loads(line) for line in capfd.readouterr().err.splitlines()]
        structlog.reset_defaults()


def test_a_line_names_the_request_and_the_token_and_no_secret(
    make_app: MakeApp, database: Database, capfd: pytest.CaptureFixture[str]
):
    given = passes.made(database, "games:read")
    client = make_app().test_client()
    with logged(capfd) as lines:
        answer = Bearer(client, given).get("/v1/games?limit=x")
        assert client.get("/v1/games").status_code == 200
    bearer, public = lines
    assert bearer["request_id"] == answer.headers["X-Request-Id"] == answer.json["request_id"]
    assert (bearer["token"], public["token"]) == (str(given.token_id), None)
    assert (bearer["code"], public["code"]) == ("bad_query", None)
    assert (bearer["method"], bearer["path"], bearer["status"]) == ("GET", "/v1/games", 400)
    assert given.secret[3:] not in json.dumps(lines)


IDS = ["a1b2c3d4", "0197c3a2-5d1e-7f00-8a44-3f1d2c9b7e10", "edge:1.2_x-Y" * 5]
NO_IDS = [
    "",
    "short",
    "x" * 65,
    "has space in",
    "-leading-dash",
    "tab\tinside",
    "ll_" + 43 * "s",
]


@pytest.mark.parametrize("given", [*IDS, *NO_IDS])
def test_a_request_id_is_taken_from_a_proxy_alone_and_only_in_its_form(
    make_app: MakeApp, given: str
):
    headers = {"X-Request-Id": given}
    behind = make_app(proxies=1).test_client().get("/healthz", headers=headers)
    alone = make_app().test_client().get("/healthz", headers=headers)
    assert (behind.headers["X-Request-Id"] == given) == (given in IDS)
    assert re.fullmatch("[0-9a-f]{16}", alone.headers["X-Request-Id"])


def test_as_many_requests_at_once_as_the_operator_says(home: Path, database: Database):
    """Threads come with connections; work is what is bounded."""
    settings = {
        "DATABASE_URL": database.app_url, "LANTERLOG_THREADS": "2", "LANTERLOG_MAX_STREAMS": "0",
    }  # fmt: skip
    with Served(home, settings=settings) as running, connected(database.superuser_url) as holder:
        game, path = opened(running), "/v1/games/{}/events"
        body = {"events": [{"t": "stock_drawn", "v": 1, "seat": 1, "card": "??"}], "expected_version": 5}  # fmt: skip
        holder.execute(text("SELECT FROM lanterlog.games FOR UPDATE"))
        append = (running, "POST", path.format(game), body)
        appends = [threading.Thread(target=ask, args=append, daemon=True) for _ in range(2)]
        for one in appends:
            one.start()
        with connected(database.superuser_url) as looking:
            looking.execution_options(isolation_level="AUTOCOMMIT")
            until(lambda: looking.execute(text(BLOCKED)).scalar() == 2)
        before = threads_of(running)
        third = threading.Thread(target=ask, args=(running, "GET", "/healthz"), daemon=True)
        third.start()
        until(lambda: threads_of(running) > before)
        assert third.is_alive()
        assert "/healthz" not in running.err.read_text()
        holder.rollback()
        joined(third, *appends)
        assert '"/healthz"' in running.err.read_text()


def threads_of(served: Served) -> int:
    """How many threads the processes of a service have."""
    return sum(
        len(list(Path(f"/proc/{child}/task").iterdir())) for child in children(served.process.pid)
    )
