"""What comes over the wire to a real server and is no sound request: each has a status and a code, and nobody waits."""

import json
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from api import patient, problems
from api.bench.http_bad import KINDS, is_refused, send
from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.postgres import scratch
from tests.served import Served, get
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.store, pytest.mark.http]

NOBODY = "/v1/games/00000000-0000-7000-8000-000000000000"
JSON = "Content-Type: application/json\r\n"
LONG = 5_000


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The address of a service for all of them: nothing here changes it."""
    folder = scratch() / f"lanterlog-wire-{uuid4().hex[:12]}"
    folder.mkdir(mode=0o755)
    with Served(folder) as running:
        yield next(link for link in running.links() if link.endswith("/healthz"))
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_bench_takes_the_time_of_is_refused(served: str, kind: str):
    status, _ = send(urlsplit(served).port or 0, KINDS[kind])
    assert is_refused(status), status


def head(line: str, *headers: str, host: str = "Host: localhost") -> bytes:
    return ("\r\n".join((line, *([host] if host else []), *headers, "", ""))).encode()


def get_(path: str, *headers: str) -> bytes:
    return head(f"GET {path} HTTP/1.1", *headers, "Connection: close")


def post(body: bytes, *headers: str, path: str = "/v1/games", length: str | None = None) -> bytes:
    size = f"Content-Length: {len(body) if length is None else length}"
    return head(f"POST {path} HTTP/1.1", size, JSON.strip(), *headers, "Connection: close") + body


def chunked(body: bytes, *headers: str) -> bytes:
    line = "POST /v1/games HTTP/1.1"
    return (
        head(line, "Transfer-Encoding: chunked", JSON.strip(), *headers, "Connection: close") + body
    )


WIRE: dict[str, tuple[int, str, bytes]] = {
    "no HTTP at all": (400, "bad_request", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    "a line of words": (400, "bad_request", b"hello there everybody\r\n\r\n"),
    "a line of one word": (400, "bad_request", b"GET\r\n\r\n"),
    "no version": (400, "bad_request", b"GET /\r\n\r\n"),
    "version 3": (400, "bad_request", b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n"),
    "version of letters": (400, "bad_request", b"GET / HTTP/a.b\r\nHost: localhost\r\n\r\n"),
    "a method in small letters": (400, "bad_request", head("get / HTTP/1.1")),
    "a method with a brace": (400, "bad_request", head("G{T / HTTP/1.1")),
    "a method of its own": (405, "method_not_allowed", head("BREW /v1/games HTTP/1.1", "Connection: close")),
    "TRACE": (405, "method_not_allowed", head("TRACE /v1/games HTTP/1.1", "Connection: close")),
    "CONNECT": (421, "wrong_host", head("CONNECT example.org:443 HTTP/1.1", "Connection: close")),
    "a long address": (414, "address_too_long", get_("/" + "x" * LONG)),
    "a long header": (431, "headers_too_large", get_("/", f"X-Long: {'x' * 9000}")),
    "a hundred headers": (431, "headers_too_large", get_("/", *(f"X-{n}: 1" for n in range(100)))),
    "a head without an end": (431, "headers_too_large", b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 70_000),
    "a header without a colon": (400, "bad_request", get_("/", "X-Header")),
    "a header without a name": (400, "bad_request", get_("/", ": value")),
    "a name with a space": (400, "bad_request", get_("/", "X Header: 1")),
    "a space before the colon": (400, "bad_request", get_("/", "X-Header : 1")),
    "a header with NUL": (400, "bad_request", get_("/", "X-Header: a\x00b")),
    "a folded header": (400, "bad_request", get_("/", "X-Header: a\r\n  b")),
    "a bare carriage return": (400, "bad_request", get_("/", "X-Header: a\rX-Other: b")),
    "no host": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="")),
    "two hosts": (400, "bad_request", get_("/", "Host: localhost")),
    "a stranger's host": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host: evil.example")),
    "a stranger's host in the line": (421, "wrong_host", get_("http://evil.example/v1/games")),
    "a user in the line": (421, "wrong_host", get_("http://a@localhost/v1/games")),
    "another scheme in the line": (421, "wrong_host", get_("ftp://localhost/v1/games")),
    "a host of several": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host: localhost, evil.example")),
    "a host with a path": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host: localhost/evil")),
    "a host with a port of letters": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host: localhost:x")),
    "a host as a number": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host: 2130706433")),
    "a host that is empty": (421, "wrong_host", head("GET /v1/games HTTP/1.1", "Connection: close", host="Host:")),
    "no host, as of old": (421, "wrong_host", b"GET /v1/games HTTP/1.0\r\n\r\n"),
    "a length that is no number": (400, "bad_request", post(b"{}", length="x")),
    "a length with a sign": (400, "bad_request", post(b"{}", length="+2")),
    "a negative length": (400, "bad_request", post(b"{}", length="-1")),
    "two lengths": (400, "bad_request", post(b"{}", "Content-Length: 3")),
    "a length and chunks": (400, "bad_request", chunked(b"0\r\n\r\n", "Content-Length: 3")),
    "a hundred megabytes": (413, "body_too_large", post(b"", length=str(100 * 1024 * 1024))),
    "a length beyond all bounds": (413, "body_too_large", post(b"", length="9" * 18)),
    "a chunk of no number": (400, "bad_request", chunked(b"zz\r\n{}\r\n0\r\n\r\n")),
    "a negative chunk": (400, "bad_request", chunked(b"-2\r\n{}\r\n0\r\n\r\n")),
    "a chunk longer than said": (400, "bad_request", chunked(b"1\r\n{}\r\n0\r\n\r\n")),
    "a chunk of many digits": (400, "bad_request", chunked(b"0" * 200_000 + b"2\r\n{}\r\n0\r\n\r\n")),
    "a chunk in hex of C": (400, "bad_request", chunked(b"0x2\r\n{}\r\n0\r\n\r\n")),
    "a chunk's bad extension": (400, "bad_request", chunked(b"2;a\nb\r\n{}\r\n0\r\n\r\n")),
    "a chunk's long extension": (400, "bad_request", chunked(b"2;a=" + b"b" * 200_000 + b"\r\n{}\r\n0\r\n\r\n")),
    "a host behind the chunks": (400, "bad_request", chunked(b"2\r\n{}\r\n0\r\nHost: evil.example\r\n\r\n")),
    "a hundred headers behind the chunks": (400, "bad_request", chunked(b"2\r\n{}\r\n0\r\n" + b"X: 1\r\n" * 100 + b"\r\n")),
    "chunks as of old": (400, "bad_request", chunked(b"2\r\n{}\r\n0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0")),
    "chunks twice": (400, "bad_request", chunked(b"2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked")),
    "chunks of a coding": (501, "unknown_coding", chunked(b"2\r\n{}\r\n0\r\n\r\n").replace(b" chunked", b" gzip, chunked")),
    "chunks as they are": (501, "unknown_coding", chunked(b"2\r\n{}\r\n0\r\n\r\n").replace(b" chunked", b" identity, chunked")),
    "a length in another's digits": (400, "bad_request", post(b"{}", length="\u00b2")),
    "a length of 5000 digits": (400, "bad_request", post(b"{}", length="9" * 5000)),
    "the same length twice": (400, "bad_request", post(b"{}", "Content-Length: 2")),
    "two types of a body": (400, "bad_request", post(b"{}", JSON.strip())),
    "line ends of one character": (400, "bad_request", b"GET /healthz HTTP/1.1\nHost: localhost\n\n"),
    "two lines of nothing first": (400, "bad_request", b"\r\n\r\n" + get_("/healthz")),
    "version 1.9": (400, "bad_request", head("GET /healthz HTTP/1.9")),
    "HTTP/2 without asking": (400, "bad_request", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "two spaces in the line": (400, "bad_request", head("GET  /healthz HTTP/1.1")),
    "a space behind the line": (400, "bad_request", head("GET /healthz HTTP/1.1 ")),
    "letters in the address that are no ASCII": (400, "bad_request", head("GET /\u00e9 HTTP/1.1")),
    "a fragment": (400, "bad_request", get_("/healthz#top")),
    "an asterisk": (400, "bad_request", get_("*")),
    "all of the service's options": (404, "not_found", head("OPTIONS * HTTP/1.1", "Connection: close")),
    "another protocol": (400, "bad_request", get_(f"{NOBODY}/stream", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")),
    "a coding that is unknown": (501, "unknown_coding", chunked(b"", "Transfer-Encoding: br")),
    "a body that is compressed": (415, "wrong_media_type", post(b"\x1f\x8b\x08", "Content-Encoding: gzip")),
    "a file that is compressed": (415, "wrong_media_type", post(b"\x1f\x8b\x08", "Content-Encoding: gzip", path="/v1/import")),
    "Expect of something else": (417, "expectation_failed", post(b"{}", "Expect: 200-ok")),
    "two idempotency keys": (
        400, "bad_idempotency_key",
        post(b'{"events":[{}],"expected_version":1}', "Idempotency-Key: a", "Idempotency-Key: b", path=f"{NOBODY}/events"),
    ),
    "an idempotency key of 300": (400, "bad_idempotency_key", post(b'{"seats":["A","B"]}', f"Idempotency-Key: {'k' * 300}")),
    "another method in a header": (400, "bad_body", post(b"{}", "X-HTTP-Method-Override: DELETE")),
    "dots": (404, "not_found", get_("/static/../../../../etc/passwd")),
    "dots, escaped": (404, "not_found", get_("/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd")),
    "dots, escaped twice": (404, "not_found", get_("/static/%252e%252e%252fetc%252fpasswd")),
    "backslashes": (404, "not_found", get_("/static/..\\..\\etc\\passwd")),
    "dots with a semicolon": (404, "not_found", get_("/v1/..;/healthz")),
    "a slash twice": (404, "not_found", get_("//v1/games")),
    "a slash twice further in": (404, "not_found", get_("/v1//games")),
    "a stranger's host behind two slashes": (404, "not_found", get_("//evil.example/v1/games")),
    "a slash, escaped": (404, "not_found", get_("/v1%2fgames")),
    "letters longer than they are": (404, "not_found", get_("/static/%c0%ae%c0%ae%c0%afpage.css")),
    "NUL in the address": (404, "not_found", get_("/static/page.css%00.js")),
    "no UTF-8 in the address": (404, "not_found", get_("/v1/games/%ff%fe")),
    "a line end in the address": (404, "not_found", get_("/v1/games/%0d%0aX-Header:%201")),
    "a line end in a parameter": (400, "bad_cursor", get_("/v1/games?cursor=%0d%0aSet-Cookie:%20a=b")),
    "no UTF-8 in a parameter": (400, "bad_cursor", get_("/v1/games?cursor=%ff")),
    "a lone surrogate in a parameter": (400, "bad_cursor", get_("/v1/games?cursor=%ed%a0%80")),
    "a negative version": (400, "bad_query", get_(f"{NOBODY}/state?at=-1")),
    "a version of 3000 digits": (400, "bad_query", get_(f"{NOBODY}/state?at={'9' * 3000}")),
    "a version in Arabic digits": (400, "bad_query", get_(f"{NOBODY}/state?at=%D9%A3")),
    "a cursor of another list": (400, "bad_cursor", get_("/v1/standings?cursor=WyJnYW1lcyJd")),
    "a cursor of 3000 letters": (400, "bad_cursor", get_(f"/v1/games?cursor={'A' * 3000}")),
    "nested deep": (400, "bad_json", post(b"[" * 500_000)),
    "ten thousand keys": (400, "bad_body", post(b"{" + b",".join(b'"k%d":1' % n for n in range(10_000)) + b"}")),
    "a wrong token": (401, "bad_token", get_("/v1/games", f"Authorization: Bearer ll_{'x' * 43}")),
    "two tokens": (401, "bad_token", get_("/v1/games", "Authorization: Bearer a", "Authorization: Bearer b")),
    "a token in the address": (400, "token_in_url", get_(f"/v1/games?token=ll_{'x' * 43}")),
    "a type that is none": (406, "not_acceptable", get_("/v1/games", "Accept: image/png")),
}  # fmt: skip


def connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def sent(address: str, data: bytes) -> bytes:
    """Send bytes and return all that comes back."""
    with connected(address) as conn:
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was there
            conn.sendall(data)
        return rest(conn)


def rest(conn: socket.socket) -> bytes:
    """Return all that comes until the service ends the connection: a head may come before its body."""
    found = b""
    with suppress(ConnectionResetError):
        while data := conn.recv(65536):
            found += data
    return found


@pytest.mark.parametrize(("status", "code", "data"), WIRE.values(), ids=WIRE)
def test_refused(served: str, status: int, code: str, data: bytes):
    answer = sent(served, data)
    top, _, body = answer.partition(b"\r\n\r\n")
    version = b"HTTP/1.0" if b" HTTP/1.0\r\n" in data and status == 421 else b"HTTP/1.1"
    assert top.startswith(b"%s %d " % (version, status)), answer[:600]
    assert b"\r\nContent-Type: application/problem+json\r\n" in top
    assert b"Set-Cookie" not in top
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (status, code)
    assert f"X-Request-Id: {problem['request_id']}".encode() in top
    assert b"Traceback" not in body
    assert b"gunicorn" not in answer.lower()
    for name, value in problems.GUARDED.items():
        assert f"\r\n{name}: {value}\r\n".encode() in top


@pytest.mark.parametrize("options", ["close", "TE, close", "Close", "keep-alive, close"])
def test_a_connection_is_closed_for_whoever_wants_it(served: str, options: str):
    answer = sent(served, head("GET /healthz HTTP/1.1", f"Connection: {options}"))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"\r\nConnection: close\r\n" in answer


def test_no_other_protocol_is_gone_over_to(served: str):
    h2c = ("Connection: Upgrade, HTTP2-Settings, close", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    assert sent(served, head("GET /healthz HTTP/1.1", *h2c)).startswith(b"HTTP/1.1 200 ")


def test_requests_that_come_together_are_answered_one_after_another(served: str):
    """Also where a head is cut between two looks at what has come, at any byte."""
    both = head("GET /healthz HTTP/1.1") + get_("/v1/games")
    for cut in range(0, len(both), 7):
        with connected(served) as conn:
            conn.sendall(both[:cut])
            conn.sendall(both[cut:])
            answers = rest(conn)
        assert answers.count(b"HTTP/1.1 200 OK") == 2, cut
        assert answers.index(b'"status"') < answers.index(b'"games"')


def test_a_client_that_waits_to_be_told_is_told(served: str):
    body = b'{"seats": ["A"]}'
    with connected(served) as conn:
        conn.sendall(post(body, "Expect: 100-continue")[: -len(body)])
        assert conn.recv(100).startswith(b"HTTP/1.1 100 ")
        conn.sendall(body)
        assert b'"code":"bad_body"' in rest(conn)


TOLD = {
    "a body too large": (413, "body_too_large", post(b"", length="1048577")),
    "a file too large": (413, "body_too_large", post(b"", path="/v1/import", length=str(64 * 1024 * 1024 + 1)).replace(b"application/json", b"application/x-ndjson")),
    "a wrong token": (401, "bad_token", post(b"", f"Authorization: Bearer ll_{'x' * 43}", length="9")),
    "a method that is none": (405, "method_not_allowed", post(b"", length="9").replace(b"POST", b"PUT")),
    "no address": (404, "not_found", post(b"", path="/v1/nothing", length="9")),
    "no game": (404, "not_found", post(b"", path="/v1/games/x/events", length="9")),
    "another type": (415, "wrong_media_type", post(b"", length="9").replace(b"application/json", b"text/html")),
    "another page": (403, "other_origin", post(b"", "Origin: https://evil.example", length="9")),
    "another host": (421, "wrong_host", post(b"", length="9").replace(b"localhost", b"evil.example")),
}  # fmt: skip


@pytest.mark.parametrize(("status", "code", "data"), TOLD.values(), ids=TOLD)
def test_nobody_is_told_to_send_a_body_that_is_refused_by_its_head(
    served: str, status: int, code: str, data: bytes
):
    answer = sent(served, data.replace(b"Host:", b"Expect: 100-continue\r\nHost:"))
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:200]
    assert b'"code":"%s"' % code.encode() in answer
    assert b"\r\nConnection: close\r\n" in answer


def test_what_is_sent_without_waiting_to_be_told_is_no_next_request(served: str):
    """Where a body is refused, its client may have begun to send it."""
    smuggled = get_("/v1/problems")
    head = post(b"", "Expect: 100-continue", length="2000000").replace(b"close", b"keep-alive")
    assert sent(served, head + smuggled).count(b"HTTP/1.1 ") == 1


def test_good_requests_are_answered_while_bad_ones_are_in_flight(served: str):
    """More half-sent heads than there are threads, bodies that do not come, and one who takes nothing."""
    with ExitStack() as stack:
        slow = [stack.enter_context(connected(served)) for _ in range(150)]
        for number, conn in enumerate(slow):
            if number < 120:
                conn.sendall(b"GET /v1/games HTTP/1.1\r\nHost: local")
            elif number < 140:
                conn.sendall(post(b'{"seats":', length="1000"))
            elif number < 145:
                conn.sendall(post(b"[" * 400_000))
        for _ in range(5):
            assert get(served)[0] == 200
            assert get(served.replace("/healthz", "/v1/games"))[0] == 200
        slow[0].sendall(b"host\r\nConnection: close\r\n\r\n")
        assert slow[0].recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.nightly
def test_whoever_sends_too_slowly_is_told_so(served: str):
    with connected(served) as first, connected(served) as second:
        first.sendall(b"GET / HTTP/1.1\r\n")
        second.sendall(post(b'{"seats":', length="1000"))
        end = time.monotonic() + 2 * patient.HEAD + PATIENCE
        for conn in (first, second):
            conn.settimeout(max(1, end - time.monotonic()))
            answer = rest(conn)
            assert answer.startswith(b"HTTP/1.1 408 "), answer
            assert b'"code":"too_slow"' in answer


def test_every_file_of_a_service_is_where_it_was(served: str, home: Path):
    """Nothing of all that has stored anything."""
    assert json.loads(get(served.replace("/healthz", "/v1/games"))[1])["games"] == []
    assert list(home.iterdir()) == []
