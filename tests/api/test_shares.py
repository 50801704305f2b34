"""What one asker may hold at the same time: how it is counted, and that others are served beside him."""

import resource
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from msgspec.structs import replace

from api import config as settings
from api import shares
from api.config import Config, default_home
from api.senders import forwarded, network_of
from api.shares import Shares
from api.turns import Turns
from events.errors import BadSetting
from tests.api.test_bad_wire import JSON, get_, rest
from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.postgres import scratch
from tests.served import Served, children, command_of, get
from tests.waiting import PATIENCE, until

HERE = Config(home=default_home())
SOURCES = count(2)
"""The last parts of addresses that this machine has besides."""
HOST = "Host: localhost\r\n"


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:201", "192.0.2.1"),
        ("192.0.2.1:4711", "192.0.2.1"),
        ("[::ffff:192.0.2.1]:4711", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:DB8:0:0:ffff::2", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("[2001:DB8::2]:4711", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("unknown", "unknown"),
        ("_hidden:1:2", "_hidden:1:2"),
        ("", ""),
    ],
)
def test_an_address_is_counted_as_the_same_however_it_is_written(address: str, counted: str):
    """On a socket for both kinds all of IPv4 would be one network, which a single sender uses up for all others."""
    assert network_of(address) == counted


def test_whom_our_proxies_saw_is_read_from_the_head():
    head = b"GET / HTTP/1.1\r\nX-Forwarded-For: 1.1.1.1, 2.2.2.2\r\nx-forwarded-for:3.3.3.3\r\n\r\n"
    assert [forwarded(head, n) for n in range(5)] == [None, "3.3.3.3", "2.2.2.2", "1.1.1.1", None]
    assert forwarded(b"GET /X-Forwarded-For:9.9.9.9 HTTP/1.1\r\n\r\n", 1) is None
    assert (
        forwarded(head + b"\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n", 1) == "3.3.3.3"
    )  # that is a body


def test_turns_are_had_up_to_a_share_and_handed_on_in_order():
    turns: Turns[str] = Turns(2)
    assert [turns.begin("ann", work) for work in "abcd"] == [True, True, False, False]
    assert turns.begin("bob", "e")
    assert [turns.end("ann") for _ in range(4)] == ["c", "d", None, None]
    assert turns.begin("ann", "f")
    assert turns.end("bob") is None
    assert turns._had == {"ann": 1}
    assert turns._waiting == {}


def test_what_waited_least_for_a_turn_is_dropped_first():
    turns: Turns[str] = Turns(1)
    assert turns.drop("ann") is None
    assert [turns.begin("ann", work) for work in "abc"] == [True, False, False]
    assert turns.foremost() == "ann"
    assert [turns.drop("ann"), turns.end("ann"), turns.drop("ann")] == ["c", "b", None]
    assert turns._waiting == {}


def test_what_one_may_hold_is_all_of_it_where_only_this_machine_can_ask():
    whole = Shares(streams=64, threads=1000, connections=1000)
    assert shares.chosen(HERE) == shares.all_of(HERE) == whole
    elsewhere = replace(HERE, host="192.0.2.7")
    assert shares.chosen(elsewhere) == Shares(streams=16, threads=8, connections=250)
    assert shares.chosen(replace(HERE, proxies=1)) == Shares(16, 8, 1000)
    small = replace(elsewhere, max_streams=1, threads=1)
    assert shares.chosen(small) == Shares(1, 1, 250)
    assert shares.chosen(replace(elsewhere, max_streams=0)).streams == 0
    given = replace(elsewhere, shares={"streams": 5, "threads": None})
    assert shares.chosen(given) == Shares(5, 1000, 250)


def test_shares_are_read_from_the_environment():
    def read(text: str) -> dict[str, int | None]:
        return dict(Config.from_environment({"LANTERLOG_SHARES": text}).shares)

    assert settings._SHARED == shares.KINDS
    assert read("") == {}
    assert read("streams=8, threads=off") == {"streams": 8, "threads": None}
    for bad in ("streams", "streams=", "seats=1", "streams=0", "threads=-1", "streams=1/minute"):
        with pytest.raises(BadSetting, match="LANTERLOG_SHARES has"):
            read(bad)


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The address of a service with eight threads, of which nobody may have more than two."""
    folder = scratch() / f"lanterlog-shares-{uuid4().hex[:12]}"
    folder.mkdir(mode=0o755)
    given = {
        "LANTERLOG_THREADS": "4",
        "LANTERLOG_MAX_STREAMS": "4",
        "LANTERLOG_SHARES": "streams=2 threads=2 connections=40",
    }
    with Served(folder, settings=given) as running:
        yield next(link for link in running.links() if link.endswith("/healthz"))
    shutil.rmtree(folder)


def connected(address: str, source: str = "127.0.0.1") -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection(
        (parts.hostname, parts.port), timeout=PATIENCE, source_address=(source, 0)
    )


@pytest.fixture
def many(served: str) -> Iterator[Callable[[int], list[socket.socket]]]:
    """Opens connections from an address of this machine that is not the usual one, and of this test alone."""
    source = f"127.0.0.{next(SOURCES)}"
    with ExitStack() as stack:
        yield lambda count: [stack.enter_context(connected(served, source)) for _ in range(count)]


def worker_of(running: Served) -> int:
    """The process that answers."""
    begun = children(running.process.pid)
    [worker] = [one for one in begun if b"api.beside" not in command_of(one)]
    return worker


def is_open(conn: socket.socket) -> bool:
    """Whether the service has not ended a connection."""
    conn.setblocking(False)
    with suppress(ConnectionResetError):
        try:
            while data := conn.recv(65536):
                assert data
        except BlockingIOError:
            return True
    return False


SLOW = {
    "a body that does not come": f"POST /session HTTP/1.1\r\n{HOST}{JSON}Content-Length: 999\r\n\r\n{{",
    "a body that nobody reads": f"GET /healthz HTTP/1.1\r\n{HOST}Content-Length: 999\r\n\r\n",
    "a part of a chunk": (
        f"POST /session HTTP/1.1\r\n{HOST}{JSON}Transfer-Encoding: chunked\r\n\r\nff\r\n{{"
    ),
    "a part of the next head": f"GET /healthz HTTP/1.1\r\n{HOST}\r\nGET /healthz HT",
    "a part of a head": "GET /healthz HT",
    "a long part of a head": f"GET /healthz HTTP/1.1\r\n{HOST}X-Long: {'x' * 60_000}",
}


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is no address of other systems")
@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_others_are_served_beside_one_who_is_slow_in_many_places(
    served: str, many: Callable[[int], list[socket.socket]], sent: str
):
    slow = many(20)
    for conn in slow:
        conn.sendall(sent.encode())
    for _ in range(3):
        assert get(served)[0] == 200
    # All of it while he was slow: had his threads been waited for, he would have been given up by now.
    assert all(map(is_open, slow))


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is no address of other systems")
@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_others_are_served_beside_many_who_are_slow(served: str, sent: str):
    """From more addresses, each with its share, than there are threads for work and followers together."""
    with ExitStack() as stack:
        addresses = [f"127.0.1.{number}" for number in range(1, 11)]
        slow = [stack.enter_context(connected(served, one)) for one in addresses for _ in range(3)]
        for conn in slow:
            conn.sendall(sent.encode())
        for path in ("/healthz", "/v1/games", "/v1/problems"):
            assert get(served.replace("/healthz", path))[0] == 200
        assert all(map(is_open, slow))


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(sys.platform != "linux", reason="other systems bound no other process")
def test_who_comes_last_gets_in_where_a_few_have_all_connections(home: Path):
    """Whoever has most of them loses one, on which nothing is in work."""
    files = 280  # less what is for other things: not 200 connections
    shares = {"LANTERLOG_SHARES": "threads=2 connections=90"}
    with Served(home, settings=shares) as running:
        resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (files, files))
        health = next(link for link in running.links() if link.endswith("/healthz"))
        assert get(health)[0] == 200
        files_of = Path(f"/proc/{worker_of(running)}/fd")
        usual = len(list(files_of.iterdir()))
        for sent in ("", "GET /healthz HT", SLOW["a body that does not come"]):
            until(lambda: len(list(files_of.iterdir())) < usual + 10)
            with ExitStack() as stack:
                held = [
                    stack.enter_context(connected(health, f"127.0.1.{number}"))
                    for number in (1, 2, 3)
                    for _ in range(80)
                ]
                for conn in held:
                    with suppress(ConnectionError):
                        conn.sendall(sent.encode())
                for _ in range(3):
                    assert get(health)[0] == 200
                # Had he waited till they were given up, hardly any would be there.
                assert sum(map(is_open, held)) > files // 2, sent
        assert "exception" not in running.err.read_text()


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is no address of other systems")
def test_one_who_has_too_many_connections_is_told_so_and_others_are_not(
    served: str, many: Callable[[int], list[socket.socket]]
):
    *held, refused = many(41)
    answer = rest(refused)
    assert answer.startswith(b"HTTP/1.1 429 ")
    assert b'"code":"too_many_connections"' in answer
    assert b"\r\nRetry-After: 10\r\n" in answer
    assert get(served)[0] == 200
    held[0].sendall(get_("/healthz"))
    assert rest(held[0]).startswith(b"HTTP/1.1 200 ")


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(sys.platform != "linux", reason="other systems bound no other process")
def test_a_service_without_files_left_takes_nobody_for_a_while_and_goes_on(home: Path):
    with Served(home) as running:
        health = next(link for link in running.links() if link.endswith("/healthz"))
        assert get(health)[0] == 200
        worker = worker_of(running)
        most = len(list(Path(f"/proc/{worker}/fd").iterdir())) + 10
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (most, hard))
        with ExitStack() as stack:
            for _ in range(30):
                stack.enter_context(connected(health))
            until(lambda: "no connection can be taken" in running.err.read_text())
        assert get(health)[0] == 200
        assert worker in children(running.process.pid)
