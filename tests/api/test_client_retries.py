"""What the client asks again, how long it pauses, and what goes out each time."""

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from uuid import uuid4

import httpx
import msgspec
import pytest

from api.client import Client
from api.client_errors import (
    ClientError,
    NotAllowed,
    Problem,
    Unavailable,
    Unreachable,
)
from api.client_wire import Retries
from events.rummy500.events import Discarded
from tests.api.wired import BASE, OK, QUICK, TOKEN, problem, served


@pytest.mark.parametrize("status", [502, 503, 504])
def test_what_may_pass_is_tried_again(status: int):
    wire, pauses = served(problem(status), problem(status), OK)
    with wire:
        assert wire.ask("GET", "/") == b"{}"
    assert len(pauses) == 2


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("cut off"),
        httpx.ConnectTimeout(""),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_lost_connection_is_tried_again_and_then_said(error: Exception):
    wire, pauses = served(error, OK)
    with wire:
        assert wire.ask("GET", "/healthz") == b"{}"
    wire, pauses = served(error, error, error)
    with wire, pytest.raises(Unreachable) as caught:
        wire.ask("GET", "/healthz")
    assert caught.value.tries == 3
    assert str(caught.value).startswith("GET /healthz: no answer after 3 attempts: ")
    assert len(pauses) == 2


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422, 429, 500])
def test_what_does_not_pass_is_said_at_once(status: int):
    wire, pauses = served(problem(status))
    with wire, pytest.raises(Problem) as caught:
        wire.ask("GET", "/")
    assert caught.value.status == status
    assert pauses == []


def test_too_many_requests_wait_as_long_as_they_are_told():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
    wire, pauses = served(problem(429, Retry_After="2"), problem(429, Retry_After=soon), OK)
    with wire:
        wire.ask("GET", "/")
    assert pauses[0] == 2
    assert 0 < pauses[1] <= 3


@pytest.mark.parametrize("asked", ["6", "999999999999", "soon"])
def test_nobody_waits_longer_than_is_sensible(asked: str):
    wire, pauses = served(problem(429, Retry_After=asked))
    with wire, pytest.raises(Unavailable):
        wire.ask("GET", "/")
    assert pauses == []


def test_pauses_grow_with_chance_and_have_a_ceiling():
    retries = Retries(attempts=9, first=0.1, longest=1.0)
    seen = []
    for _ in range(5):
        wire, pauses = served(*[problem(503)] * 9, retries=retries)
        with wire, pytest.raises(Unavailable):
            wire.ask("GET", "/")
        seen.append(pauses)
        for attempt, pause in enumerate(pauses, 1):
            most = min(0.1 * 2**attempt, 1.0)
            assert most / 2 <= pause <= most
    assert len({tuple(pauses) for pauses in seen}) == 5


def test_the_same_command_goes_out_each_time():
    keys = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["Idempotency-Key"])
        return problem(503, Retry_After="0")

    with Client(BASE, transport=httpx.MockTransport(answer), retries=QUICK) as client:
        for _ in range(2):
            with pytest.raises(Unavailable):
                client.open_game(["Ann", "Bob"])
    assert len(keys) == 8
    assert len(set(keys)) == 2


def test_a_token_is_sent_and_shown_nowhere(caplog: pytest.LogCaptureFixture):
    given = []

    def answer(request: httpx.Request) -> httpx.Response:
        given.append(request.headers.get("Authorization"))
        return httpx.Response(401, json={"code": "bad_token", "detail": "no such token"})

    caplog.set_level(logging.DEBUG)
    with Client(BASE, TOKEN, transport=httpx.MockTransport(answer)) as client:
        with pytest.raises(NotAllowed) as caught:
            client.game(uuid4())
        shown = [repr(client), repr(vars(client)), str(caught.value), repr(caught.value)]
        shown += [repr(vars(client._wire)), caplog.text, repr(caught.value.__dict__)]
    assert given == [f"Bearer {TOKEN}"]
    assert caplog.records
    assert all(TOKEN not in one for one in shown)
    with (
        pytest.raises(Unreachable) as lost,
        Client(BASE, TOKEN, transport=httpx.MockTransport(_down), retries=QUICK) as client,
    ):
        client.game(uuid4())
    assert TOKEN not in f"{lost.value} {lost.value.__cause__!r}"


def _down(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


@pytest.mark.parametrize(
    "body", [b"<html>bad gateway</html>", b"", b"[]", b'{"code": 7}', b"\xff"], ids=repr
)
def test_an_answer_of_something_else_is_a_problem_all_the_same(body: bytes):
    wire, _ = served(httpx.Response(500, content=body))
    with wire, pytest.raises(Unavailable) as caught:
        wire.ask("GET", "/")
    assert caught.value.status == 500


def test_a_success_that_is_none_is_said():
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text="hello"))
    with (
        Client(BASE, transport=transport) as client,
        pytest.raises(ClientError, match="GameShown"),
    ):
        client.game(uuid4())


def test_an_event_goes_out_as_it_is_written():
    sent = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(msgspec.json.decode(request.content))
        return httpx.Response(500, json={})

    with Client(BASE, transport=httpx.MockTransport(answer)) as client, pytest.raises(Unavailable):
        client.record(uuid4(), [Discarded(seat=1, card="AS"), {"t": "x"}], 7)
    written = {"t": "discarded", "v": 1, "seat": 1, "card": "AS"}
    assert sent == [{"events": [written, {"t": "x"}], "expected_version": 7, "texts": {}}]
