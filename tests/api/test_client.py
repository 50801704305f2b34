"""The Python client: through the real application, and over a wire that loses things."""

import gzip
import logging
import random
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from api.client import Client, event_of
from api.client_answers import Answer, Bounds
from api.client_errors import (
    BadAnswer,
    BadFile,
    BadOptions,
    BadRequest,
    BadSettings,
    ClientError,
    CommandReused,
    NotAllowed,
    NotThere,
    Problem,
    Refused,
    StaleVersion,
    Unavailable,
    Unreachable,
)
from api.client_feed import Halt, Polling
from api.client_wire import Retries, Wire
from api.wire import EventLine, RulesetChoice
from events.chain import text_hash
from events.common import GameEnded, Remarked
from events.rummy500.events import Discarded, RummyCalled, StockDrawn
from tests.api.conftest import MakeApp
from tests.api.table import DATA

BASE = "http://127.0.0.1"
TOKEN = "lt_5f0c1d2e3b4a59687766554433221100"
QUICK = Retries(attempts=4, first=0.0)
ABANDONED = GameEnded(winner=None, abandoned=True)


class Losing(httpx.BaseTransport):
    """Carries a request to the application and loses some answers on the way back, or requests on the way there."""

    def __init__(self, app: Any, *, requests: int = 0, answers: int = 0) -> None:
        self._through = httpx.WSGITransport(app=app)
        self.requests, self.answers = requests, answers
        self.arrived = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.requests:
            self.requests -= 1
            raise httpx.ConnectError("refused")
        answer = self._through.handle_request(request)
        self.arrived += 1
        if self.answers:
            self.answers -= 1
            answer.close()
            raise httpx.ReadError("connection reset")
        return answer


@pytest.fixture
def connected(make_app: MakeApp) -> Iterator[Callable[..., Client]]:
    """Makes clients of applications over the test's database."""
    made = []

    def connect(*, open_table: bool = True, **lost: int) -> Client:
        transport = Losing(make_app(open_table=open_table), **lost)
        made.append(Client(BASE, transport=transport, retries=QUICK, feed=Polling(every=0)))
        return made[-1]

    yield connect
    for client in made:
        client.__exit__(None, None, None)


@pytest.mark.store
@pytest.mark.http
class TestThroughTheApplication:
    def test_a_game_is_opened_recorded_and_read_back(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        drawn = client.record(
            opened.game_id, [StockDrawn(seat=1, card="??")], opened.version, viewer=1
        )
        card = event_of("rummy500", drawn.events[0].event)
        assert isinstance(card, StockDrawn)
        assert (card.seat, card.card == "??", drawn.version) == (1, False, opened.version + 1)
        done = client.record(
            opened.game_id, [{"t": "discarded", "v": 1, "seat": 1, "card": card.card}, ABANDONED],
            drawn.version,
        )  # fmt: skip
        game = client.game(opened.game_id)
        assert (game.version, game.status) == (done.version, "ended")
        assert [player.name for player in game.players] == ["Ann", "Bob"]
        assert client.state(opened.game_id).state["phase"] == "ended"
        assert client.state(opened.game_id, at=2, viewer="public").at == 2
        assert client.timeline(opened.game_id).timeline.deals
        report = client.audit(opened.game_id, calls=True)
        assert (report.findings, report.events) == ([], done.version)
        assert client.audit(opened.game_id, ruleset=RulesetChoice(preset="seed")).findings == []

    def test_pages_follow_one_another_without_gap(self, connected: Callable[..., Client]):
        client = connected()
        client.import_file((DATA / "rummy500-engine-b.ndjson").read_bytes())
        games = list(client.games(status="ended"))
        assert len({game.game_id for game in games}) == len(games) > 2
        longest = max(games, key=lambda game: game.version)
        first = client.events(longest.game_id, limit=7)
        assert [line.version for line in first.events] == [*range(1, 8)]
        assert first.next_after == 7
        versions = [line.version for line in client.all_events(longest.game_id, after=3)]
        assert versions == [*range(4, longest.version + 1)]

    def test_an_export_is_taken_in_elsewhere_unchanged(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"])
        client.record(opened.game_id, [ABANDONED], opened.version)
        raw = client.export(opened.game_id)
        done = client.import_file(raw, check=True)
        assert (done.present, done.imported, done.stored) == ([opened.game_id], [], False)
        assert client.export(opened.game_id, "txt").startswith(b"lanterlog table notation")
        assert client.export(opened.game_id, "csv").startswith(b"game_id,game,version")
        assert client.export(opened.game_id, "html").lstrip().startswith(b"<!doctype html>")
        assert client.export_all(since=3)[1] >= 3

    def test_a_remark_goes_with_its_text(self, connected: Callable[..., Client]):
        client, salt = connected(), bytes(range(16))
        opened = client.open_game(["Ann", "Bob"])
        remark = Remarked(seat=0, text=text_hash(salt, "a fine hand").hex())
        client.record(opened.game_id, [remark], opened.version, texts={0: (salt, "a fine hand")})
        assert [*client.all_events(opened.game_id)][-1].remark == "a fine hand"

    def test_what_a_seat_may_do_comes_as_events(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        found = client.legal(opened.game_id, viewer=1)
        acts = [event_of("rummy500", raw) for raw in found.acts]
        assert StockDrawn(seat=1, card="??") in acts
        done = client.record(opened.game_id, acts[:1], opened.version, dry_run=True)
        assert (done.dry_run, done.version) == (True, opened.version + 1)

    def test_a_follower_sees_each_event_once_and_stops_at_the_end(
        self, connected: Callable[..., Client]
    ):
        client, seen = connected(), []
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        for line in client.follow(opened.game_id, after=2, viewer=1):
            seen.append(line.version)
            if line.version == opened.version:
                act = StockDrawn(seat=1, card="??")
                version = client.record(opened.game_id, [act], opened.version).version
                client.record(opened.game_id, [ABANDONED], version)
        assert seen == [*range(3, opened.version + 3)]

    def test_a_follower_who_comes_late_does_not_wait_for_more(
        self, connected: Callable[..., Client]
    ):
        client = connected()
        opened = client.open_game(["Ann", "Bob"])
        end = client.record(opened.game_id, [ABANDONED], opened.version).version
        for after, versions in ((0, [*range(1, end + 1)]), (end - 1, [end]), (end, [])):
            assert [one.version for one in client.follow(opened.game_id, after=after)] == versions

    def test_a_follower_takes_another_feed(self, make_app: MakeApp):
        asked = []

        def feed(
            source: Any, game_id: UUID, after: int, viewer: Any, halt: Halt
        ) -> Iterator[EventLine]:
            asked.append((game_id, after, viewer))
            yield from source.events(game_id, after=after, viewer=viewer).events

        transport = httpx.WSGITransport(app=make_app())
        with Client(BASE, transport=transport, feed=feed) as client:
            opened = client.open_game(["Ann", "Bob"])
            lines = list(islice(client.follow(opened.game_id, after=1, viewer="public"), 2))
        assert asked == [(opened.game_id, 1, "public")]
        assert [line.version for line in lines] == [2, 3]

    @pytest.mark.parametrize("lost", [{"answers": 1}, {"answers": 3}, {"requests": 3}], ids=str)
    def test_a_command_whose_answer_was_lost_counts_once(
        self, connected: Callable[..., Client], lost: dict[str, int]
    ):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        shaky = connected(**lost)
        act = StockDrawn(seat=1, card="??")
        done = shaky.record(opened.game_id, [act], opened.version)
        assert (done.version, done.repeated) == (opened.version + 1, "answers" in lost)
        assert client.game(opened.game_id).version == opened.version + 1

    def test_a_game_whose_opening_was_not_answered_is_there_once(
        self, connected: Callable[..., Client]
    ):
        opened = connected(answers=2).open_game(["Ann", "Bob"])
        assert [game.game_id for game in connected().games()] == [opened.game_id]

    def test_a_call_that_fell_is_put_on_record_once(self, connected: Callable[..., Client]):
        client = connected(answers=0)
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        shaky = connected(answers=1)
        call = RummyCalled(seat=0, card="AS", accepted=True, code=None, cards=("AS",), lay=None)
        with pytest.raises(Refused) as caught:
            shaky.call(opened.game_id, call)
        error = caught.value
        assert error.code.startswith("rule/")
        assert error.violations[0].text
        assert error.recorded is not None
        assert error.recorded.version == opened.version + 1 == error.version
        assert client.game(opened.game_id).version == opened.version + 1

    def test_errors_are_what_they_mean(self, connected: Callable[..., Client]):
        client = connected(open_table=False)
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        act, key = StockDrawn(seat=1, card="??"), uuid4()
        client.record(opened.game_id, [act], opened.version, command_id=key)
        with pytest.raises(StaleVersion) as stale:
            client.record(opened.game_id, [act], opened.version)
        assert stale.value.current == opened.version + 1
        with pytest.raises(CommandReused):
            client.record(opened.game_id, [act], opened.version + 1, command_id=key)
        with pytest.raises(Refused) as refused:
            client.record(opened.game_id, [Discarded(seat=0, card="AS")], opened.version + 1)
        assert refused.value.violations[0].code == "NOT_YOUR_TURN"
        assert refused.value.recorded is None
        with pytest.raises(NotThere):
            client.game(uuid4())
        with pytest.raises(NotThere) as version:
            client.state(opened.game_id, at=99)
        assert version.value.version == opened.version + 1
        with pytest.raises(NotAllowed):
            client.open_game(["Ann", "Bob"], visibility="private")
        with pytest.raises(BadOptions) as options:
            client.open_game(
                ["Ann", "Bob"], ruleset=RulesetChoice(options={"floater_calls": False})
            )
        assert options.value.violations[0].code == "OPTIONS_CONTRADICT"
        with pytest.raises(BadFile) as file:
            client.import_file(b"no log at all")
        assert file.value.line == 1
        with pytest.raises(Problem) as bad:
            client.events(opened.game_id, limit=0)
        assert (bad.value.code, type(bad.value)) == ("bad_query", BadRequest)


def served(*answers: httpx.Response | Exception, **settings: Any) -> tuple[Wire, list[float]]:
    """A wire whose service gives these answers in turn, and the pauses that it made."""
    left, pauses = list(answers), list[float]()

    def answer(request: httpx.Request) -> httpx.Response:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    made: dict[str, Any] = {"retries": Retries(attempts=3), "sleep": pauses.append} | settings
    return Wire(BASE, transport=httpx.MockTransport(answer), **made), pauses


def problem(status: int, **headers: str) -> httpx.Response:
    told = {"code": "store_busy", "detail": "try again"}
    return httpx.Response(
        status, json=told, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


OK = httpx.Response(200, content=b"{}")


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
