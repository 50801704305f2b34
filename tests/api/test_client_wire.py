"""What the client makes of bodies without end, packed ones, wrong ones, and of addresses and tokens that are none."""

import gzip
import random
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from typing import Any
from uuid import UUID

import httpx
import pytest

from api.client import Client
from api.client_answers import Answer, Bounds
from api.client_errors import (
    BadAnswer,
    BadSettings,
    Problem,
    Refused,
    Unreachable,
)
from api.client_wire import Retries
from tests.api.wired import BASE, served


def packed(data: bytes) -> httpx.Response:
    body = httpx.ByteStream(data)
    return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=body)


SMALL = Bounds(answer=200_000)


class Endless(httpx.SyncByteStream):
    """A body without an end, in pieces."""

    def __init__(self, piece: bytes) -> None:
        self.piece, self.sent, self.is_closed = piece, 0, False

    def __iter__(self) -> Iterator[bytes]:
        while self.sent < 100_000:
            self.sent += 1
            yield self.piece

    def close(self) -> None:
        self.is_closed = True


def test_an_answer_without_an_end_is_left():
    body = Endless(b"x" * 1000)
    wire, _ = served(httpx.Response(200, stream=body), bounds=SMALL)
    with wire, pytest.raises(BadAnswer, match="more than 200000 bytes, expected a smaller one"):
        wire.ask("GET", "/")
    assert (body.sent, body.is_closed) == (201, True)
    body = Endless(b"x" * 1000)
    wire, _ = served(httpx.Response(404, stream=body))
    with wire, pytest.raises(BadAnswer, match="more than 262144 bytes"):
        wire.ask("GET", "/")
    assert body.is_closed


def test_an_answer_that_comes_too_slowly_is_left():
    body = Endless(b"x")
    moments = iter(range(0, 100_000, 10))
    answer = Answer(httpx.Response(200, stream=body), Bounds(seconds=300), lambda: next(moments))
    with answer, pytest.raises(BadAnswer, match="not whole after 300 seconds"):
        answer.whole()
    assert body.sent == 31


def test_what_grows_when_it_is_unpacked_is_unpacked_piece_by_piece():
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    tracemalloc.start()
    try:
        wire, _ = served(packed(bomb), bounds=SMALL)
        with wire, pytest.raises(BadAnswer, match="more than 200000 bytes"):
            wire.ask("GET", "/")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3_000_000


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 131072])
def test_packed_answers_are_unpacked_whole(size: int):
    data = random.Random(size).randbytes(size // 2) + bytes(size - size // 2)
    wire, _ = served(packed(gzip.compress(data)))
    with wire:
        assert wire.ask("GET", "/") == data


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (packed(b"not packed at all"), "cannot be unpacked"),
        (packed(gzip.compress(b"{}") + b"more"), "bytes behind a packed answer"),
        (
            httpx.Response(200, headers={"Content-Encoding": "gzip, gzip"}, stream=Endless(b"")),
            "packed as 'gzip, gzip', expected gzip",
        ),
        (
            httpx.Response(200, headers={"Content-Encoding": "br"}, stream=Endless(b"")),
            "packed as 'br', expected gzip",
        ),
        (
            httpx.Response(302, headers={"Location": "http://elsewhere.example/2J"}),
            "302 to 'http://elsewhere.example/.*', which is not followed",
        ),
        (httpx.Response(304), "304 to '', which is not followed"),
    ],
    ids=["nonsense", "behind", "twice", "brotli", "redirect", "304"],
)
def test_an_answer_that_cannot_be_is_said(answer: httpx.Response, said: str):
    wire, pauses = served(answer)
    with wire, pytest.raises(BadAnswer, match=said) as caught:
        wire.ask("GET", "/")
    assert str(caught.value).isprintable()
    assert pauses == []


def test_a_packed_answer_that_was_cut_off_is_asked_for_again():
    whole = gzip.compress(b'{"a": 1}')
    wire, pauses = served(packed(whole[:-5]), packed(whole))
    with wire:
        assert wire.ask("GET", "/") == b'{"a": 1}'
    assert len(pauses) == 1


def test_what_a_problem_says_can_be_shown_on_a_terminal():
    told = {
        "code": "rule/X\x1b[2J",
        "detail": "a\x1b[31m\n" + "b" * 5000,
        "violations": [{"code": 5}],
    }
    wire, _ = served(httpx.Response(422, json=told))
    with wire, pytest.raises(Problem) as caught:
        wire.ask("GET", "/")
    assert (caught.value.code, str(caught.value).isprintable()) == ("unknown", True)
    assert len(str(caught.value)) < 1100


def test_judgements_that_are_none_are_said():
    told = {"code": "rule/X", "detail": "so", "violations": [{"code": 5}], "recorded": []}
    wire, _ = served(httpx.Response(422, json=told))
    with wire, pytest.raises(Refused) as caught:
        wire.ask("GET", "/")
    with pytest.raises(BadAnswer, match="no list"):
        print(caught.value.violations)
    with pytest.raises(BadAnswer, match="no RecordAnswer"):
        print(caught.value.recorded)


def test_no_cookie_is_kept():
    given = []

    def answer(request: httpx.Request) -> httpx.Response:
        given.append(request.headers.get("Cookie"))
        return httpx.Response(200, json={"status": "ok"}, headers={"Set-Cookie": "a=b; Path=/"})

    with Client(BASE, transport=httpx.MockTransport(answer)) as client:
        client.health()
        client.health()
    assert given == [None, None]


@pytest.mark.parametrize(
    "address",
    [
        "http://me:hunter2@127.0.0.1/",
        "ftp://127.0.0.1/",
        "127.0.0.1:8500",
        "",
        "http://[::1",
        "http:///x",
    ],
)
def test_an_address_that_is_none_is_said_and_not_shown(address: str):
    with pytest.raises(BadSettings, match="address") as caught:
        Client(address)
    assert "hunter2" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize("token", ["", "ll_5f0c\n", "ll_5f0c 1", "ll_\u00e9", "ll_\x00"])
def test_a_token_that_no_header_can_hold_is_said_and_not_shown(token: str):
    with pytest.raises(BadSettings, match="Authorization") as caught:
        Client(BASE, token)
    assert "ll_" not in f"{caught.value!r} {caught.value.__cause__}"


def test_nobody_gets_more_pauses_than_attempts_however_large_they_are():
    retries = Retries(attempts=10**6, first=1.0, longest=5.0)
    failure = Unreachable("GET", "/", 1, "so")
    assert 2.5 <= (retries.pause(10**5, failure) or 0) <= 5.0


@pytest.mark.parametrize(
    "page",
    [
        {"games": [], "next": "again"},
        {"games": [], "next": None, "more": 1},
        {"games": 5},
        [],
    ],
    ids=["empty", "more", "wrong", "list"],
)
def test_pages_that_lead_nowhere_end(page: Any):
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=page))
    with Client(BASE, transport=transport) as client:
        if page == {"games": [], "next": None, "more": 1}:  # a newer service may say more
            assert list(client.games()) == []
        else:
            with pytest.raises(BadAnswer):
                list(client.games())


@pytest.mark.parametrize(
    ("after", "versions"), [(0, []), (1, [1]), (0, [1]), (5, [2]), (1, [1, 1])]
)
def test_pages_of_events_go_on_or_end(after: int, versions: list[int]):
    events = [
        {"version": v, "recorded_at": "", "recorded_by": str(UUID(int=1)), "hash": "", "event": {}}
        for v in versions
    ]
    page = {"game_id": str(UUID(int=1)), "version": 9, "viewer": "all", "events": events}
    asked = httpx.MockTransport(lambda _: httpx.Response(200, json=page | {"next_after": after}))
    with Client(BASE, transport=asked) as client, pytest.raises(BadAnswer):
        list(islice(client.all_events(UUID(int=1)), 50))


def test_a_service_that_is_not_ready_says_what_is_missing_at_once():
    told = {"code": "not_ready", "detail": "so", "checks": {"database": ["no answer"]}}
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(503, json=told, headers={"Retry-After": "1"})

    with Client(BASE, transport=httpx.MockTransport(answer)) as client:
        assert client.readiness().checks == {"database": ["no answer"]}
    assert len(asked) == 1
