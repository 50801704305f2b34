"""`lanterlog serve` as a process: it starts its own database, answers what it prints, and leaves nothing."""

import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from api import db
from api.config import Config
from events.samples import __file__ as samples_file
from projections.status import status
from tests.postgres import scratch
from tests.served import Served, children, command, command_of, environment, get
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.store, pytest.mark.http]

SAMPLES = [one for one in Path(samples_file).parent.iterdir() if one.suffix in {".ndjson", ".txt"}]


@pytest.fixture
def home() -> Iterator[Path]:
    folder = scratch() / f"lanterlog-serve-{uuid4().hex[:12]}"
    folder.mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder)


def left_behind(home: Path) -> list[str]:
    """Processes that still have anything to do with the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(home) in line:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGTERM, ["--samples"]), (signal.SIGINT, []), (signal.SIGHUP, [])],
)
def test_every_printed_link_answers_and_nothing_is_left(home: Path, number: int, words: list[str]):
    with Served(home, *words, first=True) as served:
        links = served.links()
        for link in links:
            status, text = get(link)
            assert (status, bool(text)) == (200, True), link
        assert left_behind(home)
        assert served.stop(number) == 0
    assert left_behind(home) == []
    lines = served.err.read_text().splitlines()
    assert len(lines) == len(links), lines
    assert all('"event": "request"' in line for line in lines)


@pytest.mark.skipif(not SAMPLES, reason="no samples are shipped")
def test_samples_go_into_an_empty_store_once(home: Path):
    counts = []
    for first in (True, False):
        with Served(home, "--samples", first=first) as served:
            assert any("/games/" in link for link in served.links())
            counts.append(int(served.out.read_text().split()[2]))
    assert counts[0] >= 6
    assert counts[1] == counts[0]


def test_a_taken_port_is_said_before_anything_starts(home: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = command("serve", "--port", port, env=environment(home))
    assert done.returncode == 2
    assert done.stderr == (
        f"lanterlog: 127.0.0.1 port {port} is taken by another program: "
        "expected a free one (--port, or 0 for any)\n"
    )
    assert not (home / "data").exists()


def test_a_worker_that_died_is_replaced(home: Path):
    with Served(home) as served:
        health = next(link for link in served.links() if link.endswith("/healthz"))
        assert get(health)[0] == 200
        killed = children(served.process.pid)
        assert killed
        for child in killed:
            os.kill(child, signal.SIGKILL)
        assert get(health)[0] == 200
        assert served.stop(signal.SIGTERM) == 0
    assert left_behind(home) == []


def test_a_request_in_work_is_finished(home: Path):
    with Served(home) as served:
        link = next(link for link in served.links() if link.endswith("/v1/games"))
        assert get(link)[0] == 200
        parts = urlsplit(link)
        with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as sent:
            sent.sendall(f"GET /v1/games HTTP/1.1\r\nHost: {parts.netloc}\r\n".encode())
            until(lambda: is_taken(sent))
            os.kill(served.process.pid, signal.SIGTERM)
            time.sleep(0.1)  # most likely it is being stopped by now; it finishes this in any case
            sent.sendall(b"Connection: close\r\n\r\n")
            answer = sent.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert served.process.wait(PATIENCE) == 0


def test_whoever_comes_while_it_stops_is_refused_at_once(home: Path):
    """And does not wait, let in by the system alone, for an answer that nobody will give; told twice, it stops no sooner."""
    with Served(home) as served:
        link = next(link for link in served.links() if link.endswith("/v1/games"))
        assert get(link)[0] == 200
        parts = urlsplit(link)
        where = (parts.hostname, parts.port)
        body = b'{"seats":["Ann","Bob"]}'
        head = (
            f"POST /v1/games HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {len(body)}\r\n"
            "Content-Type: application/json\r\nConnection: close\r\n\r\n"
        )
        with socket.create_connection(where, timeout=PATIENCE) as sent:
            sent.sendall(head.encode() + body[:5])
            assert get(link)[0] == 200  # by now the other one is in work
            os.kill(served.process.pid, signal.SIGTERM)
            until(lambda: is_refused(where))
            os.kill(served.process.pid, signal.SIGTERM)
            sent.sendall(body[5:])
            assert sent.recv(65536).startswith(b"HTTP/1.1 201 ")
        assert served.process.wait(PATIENCE) == 0


def is_refused(where: tuple[str | None, int | None]) -> bool:
    try:
        socket.create_connection(where, timeout=PATIENCE).close()
    except ConnectionRefusedError:
        return True
    return False


def is_taken(sent: socket.socket) -> bool:
    """Whether the other side has taken a connection: then its socket there has an inode."""
    ours, theirs = sent.getsockname()[1], sent.getpeername()[1]
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, own, other, *_, inode = line.split()[:10]
        if [int(one.split(":")[1], 16) for one in (own, other)] == [theirs, ours]:
            return inode != "0"
    return False


def beside(master: int) -> list[int]:
    """The process of the worker beside a service."""
    return [one for one in children(master) if b"api.beside" in command_of(one)]


def is_up_to_date(engine: Engine) -> bool:
    with engine.connect() as conn:
        found = status(conn)
    behind = [one.behind for one in found.projections]
    return found.position > 0 and found.waiting.events == 0 and behind == [0, 0, 0]


def test_a_worker_beside_it_seals_and_keeps_the_read_models(home: Path):
    with Served(home, "--samples") as served:
        served.links()
        with db.opened(Config(home=home / "data")) as engine:
            until(lambda: is_up_to_date(engine))
        [worker] = beside(served.process.pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: beside(served.process.pid) not in ([], [worker]))
        [worker] = beside(served.process.pid)
        assert served.stop(signal.SIGTERM) == 0
        assert command_of(worker) == b""
    assert left_behind(home) == []
    assert "Traceback" not in served.err.read_text()


def test_a_worker_beside_a_service_that_is_killed_leaves(home: Path):
    with Served(home) as served:
        served.links()
        until(lambda: beside(served.process.pid) != [])
        [worker] = beside(served.process.pid)
        served.stop(signal.SIGKILL)
        until(lambda: command_of(worker) == b"")
    with Served(home) as served:
        served.links()
    assert left_behind(home) == []
