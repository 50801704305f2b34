"""Bad input for the bench: a few dozen kinds of requests that nobody should send, each as bytes on a socket.

How long each takes, and what others have to wait meanwhile. What each gets is asked by the tests.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
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
}


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
