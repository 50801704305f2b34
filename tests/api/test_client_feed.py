"""Following: each event once and none left out, over connections that are lost, cut, or answered with nonsense."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.client import Client
from api.client_answers import Bounds
from api.client_errors import (
    BadAnswer,
    ClientError,
    NotAllowed,
    NotThere,
    Unavailable,
    Unreachable,
)
from api.client_feed import Polling, Streaming
from api.client_messages import messages
from api.client_wire import Retries
from tests.profiles import examples

BASE = "http://127.0.0.1"
GAME = UUID(int=1)
QUICK = Retries(attempts=4, first=0.0, longest=0.0)
SSE = {"Content-Type": "text/event-stream"}
REMARK = {"t": "remarked", "v": 2, "seat": 0, "text": "0" * 64, "about": None}
END = {"t": "game_ended", "v": 1, "winner": None, "abandoned": True}
SUMMARY = {
    "game_id": str(GAME), "game": "rummy500", "mode": "recorded", "visibility": "public",
    "version": 5, "head": "00", "ruleset": "seed", "players": [], "created_at": "",
    "changed_at": "", "links": {}, "opened": {},
}  # fmt: skip


def line(version: int, event: Any = None) -> dict[str, Any]:
    return {
        "version": version, "recorded_at": "", "recorded_by": str(GAME), "hash": "00",
        "event": REMARK if event is None else event,
    }  # fmt: skip


def told(version: int, event: Any = None) -> bytes:
    data = msgspec.json.encode(line(version, event))
    return b"id: %d\nevent: version\ndata: %s\n\n" % (version, data)


class Chunks(httpx.SyncByteStream):
    """A body that comes in pieces; an exception among them is raised."""

    def __init__(self, pieces: list[bytes | Exception]) -> None:
        self._pieces = pieces
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def close(self) -> None:
        self.is_closed = True


class Service:
    """A service that answers the stream with one script after the other, and other requests as a game would be."""

    def __init__(self, *scripts: Any, last: int = 5) -> None:
        self.scripts = list(scripts)
        self.last = last
        self.streams: list[httpx.Request] = []
        self.polls: list[str] = []
        self.bodies: list[Chunks] = []
        self.has_ended = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        match request.url.path.rpartition("/")[2]:
            case "stream":
                self.streams.append(request)
                return self._stream()
            case "events":
                return self._events(int(request.url.params["after"]))
        status = "ended" if self.has_ended else "open"
        return httpx.Response(200, json=SUMMARY | {"status": status})

    def _stream(self) -> httpx.Response:
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        if isinstance(script, Exception):
            raise script
        if isinstance(script, httpx.Response):
            return script
        self.bodies.append(Chunks(script))
        return httpx.Response(200, headers=SSE, stream=self.bodies[-1])

    def _events(self, after: int) -> httpx.Response:
        self.polls.append(str(after))
        self.has_ended = True
        events = [line(v, END if v == self.last else None) for v in range(after + 1, self.last + 1)]
        page = {"game_id": str(GAME), "version": self.last, "viewer": "public", "events": events}
        return httpx.Response(200, json=page | {"next_after": None})


def followed(service: Service, after: int = 0, **settings: Any) -> Iterator[int]:
    feed = Streaming(retries=QUICK, polling=Polling(every=0.0))
    transport = httpx.MockTransport(service)
    with Client(BASE, transport=transport, retries=QUICK, feed=feed, **settings) as client:
        for found in client.follow(GAME, after=after):
            service.has_ended = service.has_ended or found.version == service.last
            yield found.version


def lost() -> Exception:
    return httpx.ReadError("cut")


WHOLE = [told(1), told(2), told(3), told(4), told(5, END)]


def test_it_goes_on_after_the_last_event_that_was_whole():
    half = told(3)[:30]
    service = Service(
        [b"retry: 2000\n\n", told(1), told(2), half, lost()],
        httpx.ConnectError("refused"),
        [told(3), b": still here\n\n", half],
        [told(4), told(5, END)],
    )
    assert list(followed(service)) == [1, 2, 3, 4, 5]
    resumed = [request.headers.get("Last-Event-ID") for request in service.streams]
    assert resumed == [None, "2", "2", "3"]
    assert service.streams[-1].url.params["after"] == "3"


def test_it_begins_where_it_is_told_to_and_ends_with_the_game():
    service = Service([*WHOLE[3:], told(6)])
    assert list(followed(service, after=3)) == [4, 5]
    assert service.bodies[-1].is_closed
    assert service.polls == ["5"], "what came after the end is asked for once"


def test_whoever_leaves_gives_the_stream_back():
    service = Service(WHOLE)
    with (
        Client(BASE, transport=httpx.MockTransport(service)) as client,
        client.follow(GAME) as following,
    ):
        assert next(following).version == 1
        assert not service.bodies[-1].is_closed
        following.close()
        assert service.bodies[-1].is_closed
        assert list(following) == []


def test_an_end_that_was_taken_back_is_not_the_end():
    service = Service([told(1, END), told(2), told(3), told(4), told(5, END)])
    assert list(followed(service)) == [1, 2, 3, 4, 5]


def test_what_comes_twice_is_given_once():
    service = Service([told(1), told(1), told(2)], [told(1), told(2), told(3), *WHOLE[3:]])
    assert list(followed(service)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([told(1), told(3)], "version 3 after 1, expected 2"),
        ([b"id: 2\nevent: version\ndata: " + told(1).partition(b"data: ")[2]], "not its own"),
        ([b"id: 1\nevent: version\ndata: {}\n\n"], "no EventLine"),
        ([b"id: 1\nevent: version\ndata: <html>\n\n"], "no EventLine"),
        ([b"id: 1\nevent: version\ndata: \xff\n\n"], "no EventLine"),
        ([b"id: 1\nevent: version\ndata: " + b"[" * 4000 + b"\n\n"], "no EventLine"),
        ([b"data: " + b"x" * 3000, b"y" * 3000], "a line of more than 5000 bytes"),
        ([b"data: x\n" * 1000], "a message of more than 5000 bytes"),
        ([told(1, 5)], "no _Tagged"),
    ],
    ids=["gap", "id", "fields", "html", "utf8", "deep", "line", "message", "event"],
)
def test_nonsense_is_said_at_once(body: list[bytes | Exception], said: str):
    service = Service(body)
    with pytest.raises(BadAnswer, match=said):
        list(followed(service, bounds=Bounds(line=5000)))
    assert len(service.streams) == 1
    assert service.bodies[-1].is_closed


def test_an_answer_of_another_type_is_no_stream():
    page = httpx.Response(200, headers={"Content-Type": "text/html\x1b[2J; x"}, content=b"hello")
    with pytest.raises(BadAnswer, match=re.escape("a stream of type 'text/html?[2j'")):
        list(followed(Service(page)))


def test_a_redirect_is_not_followed():
    away = httpx.Response(307, headers={"Location": "http://elsewhere.example/"})
    service = Service(away)
    with pytest.raises(
        BadAnswer, match=r"307 to 'http://elsewhere.example/', which is not followed"
    ):
        list(followed(service))
    assert len(service.streams) == 1


def answer(status: int, code: str, **headers: str) -> httpx.Response:
    body = {"code": code, "detail": "so"}
    return httpx.Response(
        status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


@pytest.mark.parametrize(
    "none",
    [
        answer(503, "too_many_streams", Retry_After="1"),
        answer(404, "not_found"),
        answer(405, "method_not_allowed"),
        answer(406, "not_acceptable"),
        httpx.Response(501, content=b"<html>"),
    ],
    ids=lambda one: str(one.status_code),
)
def test_where_there_is_no_stream_it_asks_instead(none: httpx.Response):
    service = Service([told(1), told(2), lost()], none)
    assert list(followed(service)) == [1, 2, 3, 4, 5]
    assert service.polls[0] == "2"


def test_a_service_that_had_too_many_is_asked_for_a_stream_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("api.client_feed._ONE_MORE", 0.03)
    service = Service(answer(503, "too_many_streams"), [told(3), told(4), told(5, END)], last=2)
    service._events = page_without_end  # type: ignore[method-assign]
    feed = Streaming(retries=QUICK, polling=Polling(every=0.01))
    with Client(BASE, transport=httpx.MockTransport(service), feed=feed) as client:
        versions = [one.version for one in islice(client.follow(GAME), 4)]
    assert versions == [1, 2, 3, 4]
    assert len(service.streams) == 2


def page_without_end(after: int) -> httpx.Response:
    events = [line(version) for version in range(after + 1, 3)]
    page = {"game_id": str(GAME), "version": 2, "viewer": "public", "events": events}
    return httpx.Response(200, json=page | {"next_after": None})


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (answer(401, "bad_token"), NotAllowed),
        (answer(404, "unknown_game"), NotThere),
        (answer(400, "bad_query"), ClientError),
        (answer(429, "too_many_requests", Retry_After="999"), Unavailable),
    ],
    ids=["401", "404", "400", "429"],
)
def test_a_refusal_ends_it(refusal: httpx.Response, kind: type[ClientError]):
    ended = b'event: end\ndata: {"code":"bad_token"}\n\n'
    service = Service([told(1), ended, told(2)], refusal)
    seen = followed(service)
    assert next(seen) == 1
    with pytest.raises(kind):
        next(seen)
    assert len(service.streams) == 2


def test_a_busy_service_is_asked_again():
    service = Service(
        answer(503, "store_unavailable", Retry_After="0"),
        answer(429, "too_many_requests", Retry_After="0"),
        httpx.Response(502, content=b"<html>"),
        WHOLE,
    )
    assert list(followed(service)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "nothing",
    [
        [b"retry: 1\n\n"],
        [b"retry: 1\n\n", b'event: end\ndata: {"code":"ended"}\n\n'],
        [],
        httpx.ConnectError("refused"),
    ],
    ids=["closes", "ends", "empty", "refuses"],
)
def test_it_gives_up_when_there_is_no_sign_of_life(nothing: Any):
    service = Service(nothing)
    with pytest.raises(Unreachable) as caught:
        list(followed(service))
    assert caught.value.tries == len(service.streams) == QUICK.attempts


def test_heartbeats_are_signs_of_life():
    quiet: list[bytes | Exception] = [b": still here\n\n", lost()]
    service = Service(*[quiet] * 20, WHOLE)
    assert list(followed(service)) == [1, 2, 3, 4, 5]
    assert len(service.streams) == 21


def test_pauses_are_those_that_the_service_asks_for_within_bounds():
    retries = Retries(attempts=3, first=0.5, longest=4.0)
    failure = Unreachable("GET", "/", 1, "so")
    assert retries.pause(1, failure, least=2.0) == 2.0
    assert retries.pause(1, failure, least=9999.0) == 4.0
    assert retries.pause(3, failure) is None


@given(
    end=st.sampled_from([b"\n", b"\r", b"\r\n"]),
    cuts=st.lists(st.integers(0, 400), max_size=12),
    texts=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20), max_size=3
    ),
)
@examples(60)
def test_messages_are_the_same_wherever_they_are_cut(end: bytes, cuts: list[int], texts: list[str]):
    data = [text.encode() for text in texts]
    sent = [
        b": hello",
        b"",
        b"id: 7",
        b"event: version",
        *(b"data: " + one for one in data),
        b"",
        b"data:x",
        b"",
    ]
    whole = b"".join(part + end for part in sent) + b"data: never ended"
    at = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    found = list(messages((whole[a:b] for a, b in pairwise(at)), 10_000))
    first, second, third = found
    assert (first.data, first.event) == (None, "message")
    assert (second.id, second.event) == ("7", "version")
    assert second.data == (b"\n".join(data) if data else None)
    assert third.data == b"x"
