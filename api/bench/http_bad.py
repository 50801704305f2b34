"""Bad input for the bench: some seventy kinds of requests that nobody should send, each as bytes on a socket.

How long each takes, and what others have to wait meanwhile. What each gets is asked by the tests.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Final

_GAMES: Final = "/v1/games"
_NOBODY: Final = f"{_GAMES}/00000000-0000-7000-8000-000000000000"


def _post(body: bytes, path: str = _GAMES, kind: str = "application/json", more: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def _get(path: str, more: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{more}Connection: close\r\n\r\n".encode()


_EVENTS: Final = f"{_NOBODY}/events"
KINDS: Final[dict[str, bytes]] = {
    "broken JSON": _post(b'{"seats": ['),
    "no UTF-8": _post(b'{"seats": ["\xff"]}'),
    "a key twice": _post(b'{"seats": [], "seats": []}'),
    "wrong types": _post(b'{"seats": 5}'),
    "a field that is unknown": _post(b'{"seats": ["A", "B"], "x": 1}'),
    "a huge number": _post(b'{"seats": ["A", "B"], "first_dealer": 1' + b"0" * 4000 + b"}"),
    "a lone surrogate": _post(b'{"seats": ["\\ud800", "B"]}'),
    "NUL in a name": _post(b'{"seats": ["A\\u0000", "B"]}'),
    "nested deep": _post(b"[" * 500_000),
    "a megabyte of spaces": _post(b" " * 1_000_000),
    "ten thousand keys": _post(
        b"{" + b",".join(b'"k%d":1' % number for number in range(10_000)) + b"}"
    ),
    "a number like Infinity": _post(b'{"seats": [Infinity]}'),
    "another content type": _post(b"{}", kind="text/xml"),
    "larger than is taken": _post(b"x" * 1_100_000),
    "length that is no number": b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "unknown tag": _post(b'{"expected_version": 1, "events": [{"t": "no", "v": 1}]}', _EVENTS),
    "negative version": _post(b'{"expected_version": -1, "events": []}', _EVENTS),
    "two idempotency keys": _post(
        b"{}", _EVENTS, more="Idempotency-Key: a\r\nIdempotency-Key: b\r\n"
    ),
    "forged cursor": _get(f"{_GAMES}?cursor={'A' * 3000}"),
    "parameter twice": _get(f"{_GAMES}?limit=1&limit=2"),
    "version out of range": _get(f"{_NOBODY}/state?at={'9' * 3000}"),
    "path with dots": _get("/static/../../../../etc/passwd"),
    "path with dots, escaped": _get("/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd"),
    "no such method": b"BREW / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "a stranger's host": b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "a long request line": _get("/" + "x" * 8000),
    "a long header": _get("/", more=f"X-Long: {'x' * 9000}\r\n"),
    "many headers": _get("/", more="".join(f"X-{number}: 1\r\n" for number in range(200))),
    "a wrong token": _get(_GAMES, more=f"Authorization: Bearer ll_{'x' * 43}\r\n"),
    "no HTTP at all": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a file that is none": _post(b"x\n" * 100_000, "/v1/import", "application/x-ndjson"),
    "a body that is no object": _post(b"[]"),
    "a body that is null": _post(b"null"),
    "no body": _post(b""),
    "a number like NaN": _post(b'{"seats": [NaN]}'),
    "numbers beyond any integer": _post(b'{"seats": ["A", "B"], "first_dealer": 1e999}'),
    "one seat": _post(b'{"seats": ["A"]}'),
    "a hundred seats": _post(b'{"seats": [' + b",".join([b'"A"'] * 100) + b"]}"),
    "a name of a megabyte": _post(b'{"seats": ["' + b"A" * 900_000 + b'", "B"]}'),
    "a game that is none": _post(b'{"game": "chess", "seats": ["A", "B"]}'),
    "a ruleset that is none": _post(b'{"seats": ["A", "B"], "ruleset": {"preset": "x"}}'),
    "UTF-16": _post('{"seats": ["A", "B"]}'.encode("utf-16")),
    "another letters' set": _post(b"{}", kind="application/json; charset=latin-1"),
    "a body that is compressed": _post(b"x", more="Content-Encoding: gzip\r\n"),
    "a hundred megabytes announced": (
        b"POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
        b"Content-Length: 100000000\r\nConnection: close\r\n\r\n"
    ),
    "a negative length": b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    "two lengths": (
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "
    ),
    "chunks that are none": (
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
    ),
    "a coding that is unknown": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: brew\r\n\r\n",
    "an idempotency key of ten thousand letters": _post(
        b"{}", _EVENTS, more=f"Idempotency-Key: {'a' * 8000}\r\n"
    ),
    "too many events": _post(
        b'{"expected_version": 1, "events": ['
        + b",".join([b'{"t": "remarked", "v": 1}'] * 5000)
        + b"]}",
        _EVENTS,
    ),
    "a version in words": _post(b'{"expected_version": "last", "events": []}', _EVENTS),
    "a parameter that is unknown": _get(f"{_GAMES}?colour=red"),
    "a status that is none": _get(f"{_GAMES}?status=lost"),
    "a limit of zero": _get(f"{_GAMES}?limit=0"),
    "a limit in letters": _get(f"{_GAMES}?limit=many"),
    "a time that is none": _get(f"{_GAMES}?since=yesterday"),
    "NUL in a parameter": _get(f"{_GAMES}?search=%00"),
    "bytes that are no UTF-8 in a parameter": _get(f"{_GAMES}?cursor=%ff%fe"),
    "an id that is none": _get(f"{_GAMES}/x"),
    "a game that is not there": _get(_NOBODY),
    "a viewer that is none": _get(f"{_NOBODY}/state?viewer=9"),
    "an export that is none": _get("/v1/export?format=doc"),
    "a method that is not for it": b"DELETE /v1/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "a header put into an address": _get("/%0d%0aSet-Cookie:%20a=b"),
    "a header with a line of its own": _get("/", more="X-A: 1\n X-B: 2\r\n"),
    "no host": b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "a type that nothing has": _get(_GAMES, more="Accept: image/png\r\n"),
    "a token that is none": _get(_GAMES, more="Authorization: Basic Og==\r\n"),
    "HTTP 3": b"GET / HTTP/3.0\r\nHost: localhost\r\nConnection: close\r\n\r\n",
}


def is_refused(status: int) -> bool:
    """Tell whether an answer says that the request is at fault; an unknown coding of a body is 501 in HTTP."""
    return 400 <= status < 500 or status == HTTPStatus.NOT_IMPLEMENTED


def send(port: int, data: bytes) -> tuple[int, float]:
    """Send one as it is; return the status of the answer, 0 if there was none, and the seconds until its end."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 20) as sent:
        found = b"".join(_exchanged(sent, data))
    words = found.split(None, 2)
    return (int(words[1]) if len(words) > 1 else 0), time.monotonic() - begun


def _exchanged(sent: socket.socket, data: bytes) -> Iterator[bytes]:
    with suppress(OSError):  # answered before all of it was taken
        sent.sendall(data)
    try:
        while more := sent.recv(65536):
            yield more
    except ConnectionError:
        return
