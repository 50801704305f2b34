"""The client before something that is no service of ours, over a real connection: a clear error, soon, of its own tree."""

import tracemalloc
from collections.abc import Callable
from uuid import UUID

import pytest

from api.client import Client
from api.client_answers import Bounds
from api.client_errors import BadAnswer, ClientError, Unreachable
from api.client_feed import Halt, Streaming
from api.client_wire import Retries
from tests.api.lines import Nonsense

TWICE = Retries(attempts=2, first=0.0, longest=0.0)
GAME = UUID(int=1)
OK = b"HTTP/1.1 200 OK\r\n"
MEGABYTE = b"x" * 2**20

SAID: dict[str, tuple[bytes, int, type[ClientError]]] = {
    "nothing": (b"", 1, Unreachable),
    "no http": (b"SSH-2.0-OpenSSH_9.2\r\n", 1, Unreachable),
    "half a head": (OK + b"Content-Ty", 1, Unreachable),
    "a head without end": (OK + b"A: " + MEGABYTE, 50, Unreachable),
    "headers without end": (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000, 1, Unreachable),
    "less than it says": (OK + b"Content-Length: 50\r\n\r\n{}", 1, Unreachable),
    "two lengths": (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", 1, Unreachable),
    "a negative length": (OK + b"Content-Length: -5\r\n\r\n{}", 1, Unreachable),
    "no chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 1, Unreachable),
    "a cut chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n50\r\n{}", 1, Unreachable),
    "bytes without end": (OK + b"\r\n" + MEGABYTE, 50, BadAnswer),
    "a page": (OK + b"Content-Type: text/html\r\n\r\n<html>", 1, BadAnswer),
    "nothing in it": (b"HTTP/1.1 204 No Content\r\n\r\n", 1, BadAnswer),
    "elsewhere": (b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", 1, BadAnswer),
    "no packed one": (OK + b"Content-Encoding: gzip\r\n\r\nhello", 1, BadAnswer),
    "a bad gateway": (b"HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n", 1, ClientError),
    "a strange status": (b"HTTP/1.1 799 So\r\nContent-Length: 0\r\n\r\n", 1, ClientError),
}
CALLS: list[Callable[[Client], object]] = [
    lambda client: client.game(GAME),
    lambda client: client.record(GAME, [{"t": "x"}], 1),
    lambda client: list(client.games()),
    lambda client: client.timeline(GAME),
    lambda client: client.export_all(),
    lambda client: list(client.archive(form="csv")),
    lambda client: list(client.follow(GAME)),
]


@pytest.mark.parametrize("name", SAID)
def test_nonsense_is_an_error_of_the_clients_own(name: str):
    said, times, kind = SAID[name]
    with Nonsense(said, times) as there:
        for call in CALLS:
            with (
                Client(there.url, retries=TWICE, bounds=Bounds(answer=2**22), timeout=30) as client,
                pytest.raises(ClientError) as caught,
            ):
                call(client)
            assert str(caught.value).isprintable()
            assert isinstance(caught.value, kind) or call in CALLS[4:6], caught.value
        assert there.asked <= 3 * len(CALLS)


def test_what_is_held_of_an_answer_without_end_is_bounded():
    with Nonsense(OK + b"\r\n" + MEGABYTE, 200) as there:
        tracemalloc.start()
        try:
            with (
                Client(there.url, retries=TWICE, bounds=Bounds(answer=2**22)) as client,
                pytest.raises(BadAnswer, match="more than 4194304 bytes"),
            ):
                client.game(GAME)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 5 * 2**22


def test_a_stream_of_nonsense_is_left():
    stream = OK + b"Content-Type: text/event-stream\r\n\r\n"
    for said, kind in ((stream + MEGABYTE, BadAnswer), (stream + b"event: version\ndata: {}\n\n", BadAnswer), (stream, Unreachable)):  # fmt: skip
        with (
            Nonsense(said, 3) as there,
            Client(there.url, retries=TWICE) as client,
            pytest.raises(kind) as caught,
        ):
            list(Streaming(retries=TWICE)(client, GAME, 0, None, Halt()))
        assert str(caught.value).isprintable()
