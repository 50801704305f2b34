"""The client has a method for every address, and every parameter and field that it takes.

Each method is called with all that it takes, against nothing: what is looked at is what it would send.
"""

import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest
from flask import Flask

from api import create_app, described, problems
from api import disputes_wire as wire
from api.client import Client
from api.client_disputes import Disputes
from api.client_errors import (
    BadFile,
    BadOptions,
    BadRequest,
    ClientError,
    CommandReused,
    NoStream,
    NotAllowed,
    NotNow,
    NotThere,
    OtherGame,
    OtherHead,
    Refused,
    StaleVersion,
    Unavailable,
    kind_of,
)
from api.client_wire import Retries
from api.config import Config
from api.disputes_wire import Found, Link, Points
from api.wire import Person, RulesetChoice
from tests.served import ROOT

BASE = "http://127.0.0.1"
GAME, DISPUTE, WHO = UUID(int=1), UUID(int=2), UUID(int=3)
NOW = datetime(2026, 11, 30, tzinfo=UTC)
POINTS, FOUND = (Points(deal=1, seat=0, points=5),), (Found(version=5, code="NOT_YOUR_TURN"),)
SPEAKER: dict[str, Any] = {"seat": 1, "by": WHO}
DECIDED: dict[str, Any] = {"facts": FOUND, "rules": ["R-6.7"], "adjustments": POINTS, "by": WHO}

NEVER = Path(tempfile.gettempdir()) / f"lanterlog-never-{uuid4().hex}"


def each(*calls: Callable[[], Any]) -> None:
    """Make all calls, and fail as the last one does."""
    for call in calls[:-1]:
        with suppress(ClientError):
            call()
    calls[-1]()


CALLS: dict[str, Callable[[Client], Any]] = {
    "open_game": lambda c: c.open_game(
        ["Ann", Person(name="Bob")], game="rummy500", ruleset="seed", mode="recorded",
        first_dealer=1, visibility="unlisted", source="a book", game_id=GAME, command_id=WHO,
        viewer="all",
    ),
    "record": lambda c: c.record(
        GAME, [{"t": "x"}], 5, texts={0: (bytes(16), "so")}, command_id=WHO, viewer=1, dry_run=True
    ),
    "call": lambda c: c.call(GAME, {"t": "rummy_called"}, viewer=1),
    "import_file": lambda c: c.import_file(b"a file", check=True),
    "follow": lambda c: next(c.follow(GAME, after=2, viewer=1)),
    "game": lambda c: c.game(GAME, scores=True),
    "events": lambda c: c.events(GAME, after=2, limit=3, viewer=1),
    "all_events": lambda c: next(c.all_events(GAME, after=2, viewer=1)),
    "stream": lambda c: c.stream(GAME, after=2, viewer=1, silence=1.0),
    "state": lambda c: c.state(GAME, at=2, viewer=1),
    "frames": lambda c: c.frames(GAME, 2, 3, viewer=1),
    "all_frames": lambda c: next(c.all_frames(GAME, 2, 3, viewer=1)),
    "card": lambda c: c.card(GAME, "7H'", viewer=1),
    "timeline": lambda c: c.timeline(GAME, viewer=1),
    "legal": lambda c: c.legal(GAME, seat=1, at=2, limit=3, viewer=1),
    "deals": lambda c: next(c.deals(GAME)),
    "audit": lambda c: c.audit(
        GAME, deal=1, ruleset=RulesetChoice(), beside="seed", engine="recorded", calls=True,
        viewer=1,
    ),
    "report": lambda c: c.report(GAME, deal=1, first=2, last=3, ruleset="seed", viewer=1),
    "games": lambda c: next(
        c.games(
            game="rummy500", status="open", mode="refereed", player=WHO, search="An",
            ruleset="seed", findings=True, since=NOW, until=NOW,
        )
    ),
    "standings": lambda c: next(c.standings(game="rummy500", player=WHO, by="wins")),
    "findings": lambda c: next(
        c.findings(game="rummy500", game_id=GAME, code="X", rule="R-1", severity="breach")
    ),
    "chances": lambda c: c.chances(
        game="rummy500", game_id=GAME, ruleset="seed", players=[WHO, GAME], dealer=WHO, since=NOW,
        until=NOW, bias=0.5, edge=0.1,
    ),
    "export": lambda c: each(
        lambda: c.export(GAME, "ndjson", viewer=1),
        lambda: c.export(GAME, "txt", viewer=1),
        lambda: c.export(GAME, "csv", table="deals", viewer=1),
    ),
    "export_pieces": lambda c: next(c.export_pieces(GAME, "html", lang="ja", viewer=1)),
    "export_to": lambda c: c.export_to(NEVER, GAME, "txt", viewer=1),
    "archive": lambda c: each(
        lambda: next(c.archive(5, 9, form="html", lang="ja", game="rummy500", viewer="public")),
        lambda: next(c.archive(5, 9, form="csv", table="deals", game="rummy500", viewer="public")),
    ),
    "archive_to": lambda c: c.archive_to(NEVER, 5, 9, form="txt", game=GAME, viewer=1),
    "parts": lambda c: next(c.parts(5, 9, game=GAME, viewer=1)),
    "export_all": lambda c: c.export_all(5, viewer=1),
    "whoami": lambda c: c.whoami(),
    "health": lambda c: c.health(),
    "readiness": lambda c: c.readiness(),
    "metrics": lambda c: c.metrics(),
    "problems": lambda c: c.problems(),
    "openapi": lambda c: c.openapi(),
    "disputes.open": lambda c: c.disputes.open(
        GAME, [5], "so", rules=["R-6.7"], remedy="note", demanded=POINTS, command_id=WHO, **SPEAKER
    ),
    "disputes.of_game": lambda c: c.disputes.of_game(GAME),
    "disputes.show": lambda c: c.disputes.show(DISPUTE),
    "disputes.search": lambda c: next(
        c.disputes.search(
            rule="R-6.7", code="X", words="so", tag="deep", game_id=GAME, standing="ruled"
        )
    ),
    "disputes.say": lambda c: c.disputes.say(DISPUTE, 1, "so", **SPEAKER),
    "disputes.link": lambda c: c.disputes.link(
        DISPUTE, 1, Link(version=2, game_id=GAME, report="0" * 64, text="so", **SPEAKER)
    ),
    "disputes.withdraw": lambda c: c.disputes.withdraw(DISPUTE, 1, "so", **SPEAKER),
    "disputes.rule": lambda c: c.disputes.rule(DISPUTE, 1, "partly", "so", **DECIDED),
    "disputes.appeal": lambda c: c.disputes.appeal(DISPUTE, 1, "so", **SPEAKER),
    "disputes.decide": lambda c: c.disputes.decide(
        DISPUTE, 1, "changed", "so", decision="upheld", **DECIDED
    ),
    "disputes.tag": lambda c: c.disputes.tag(DISPUTE, 1, ["deep"]),
    "disputes.act": lambda c: c.disputes.act(DISPUTE, 1, wire.Say(text="so")),
}  # fmt: skip

NOT_OFFERED = {
    "session.open_session": "for a page's cookie: a program sends its token with every request",
    "session.close_session": "for a page's cookie",
}
"""Addresses for programs that the client leaves out, and why; pages for people are none of its business."""
ALWAYS_ASKED = frozenset({"cursor", "limit"})
"""What the client itself gives to lists."""


class Sent(httpx.BaseTransport):
    """Remembers what was sent, and answers that there is an inner error; only a game is there."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.url.path == f"/v1/games/{GAME}" and not request.url.query:
            return httpx.Response(200, json=SUMMARY)
        return httpx.Response(500, json={})


SUMMARY = {
    "game_id": str(GAME), "game": "rummy500", "mode": "refereed", "visibility": "public",
    "status": "open", "version": 5, "head": "00", "ruleset": "seed", "players": [],
    "created_at": "", "changed_at": "", "links": {}, "opened": {},
}  # fmt: skip


@pytest.fixture(scope="module")
def app() -> Iterator[Flask]:
    nothing = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    made = create_app(Config(home=Path("/nowhere"), database_url=nothing))
    yield made
    made.extensions["lanterlog"].engine.dispose()


@pytest.fixture(scope="module")
def sent() -> dict[str, list[httpx.Request]]:
    return {name: _sent_by(call) for name, call in CALLS.items()}


def _sent_by(call: Callable[[Client], Any]) -> list[httpx.Request]:
    transport = Sent()
    with (
        Client(BASE, transport=transport, retries=Retries(attempts=1)) as client,
        pytest.raises(ClientError),
    ):
        call(client)
    assert not NEVER.exists()
    assert transport.requests
    return transport.requests


def endpoint_of(app: Flask, request: httpx.Request) -> str:
    found, _ = app.url_map.bind("127.0.0.1").match(request.url.path, request.method)
    assert isinstance(found, str)
    return found


def for_programs() -> set[str]:
    """Endpoints that answer with something else than a page."""
    parts = ("viewer.", "reporting.", "signing.", "reference.docs_page")
    return {endpoint for endpoint in described.TABLE if not endpoint.startswith(parts)}


def test_every_address_for_programs_has_a_method(app: Flask, sent: dict[str, list[httpx.Request]]):
    reached = {endpoint_of(app, one) for requests in sent.values() for one in requests}
    assert reached.isdisjoint(NOT_OFFERED)
    assert reached | NOT_OFFERED.keys() == for_programs()


def test_every_method_is_called_here():
    there = {name for name in vars_of(Client) if name not in {"close", "disputes"}}
    assert there | {f"disputes.{name}" for name in vars_of(Disputes)} == set(CALLS)


def vars_of(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_parameter_and_field_can_be_given(app: Flask, sent: dict[str, list[httpx.Request]]):
    asked: dict[str, set[str]] = {}
    written: dict[str, set[str]] = {}
    for request in (one for requests in sent.values() for one in requests):
        endpoint = endpoint_of(app, request)
        asked.setdefault(endpoint, set()).update(request.url.params.keys())
        if described.TABLE[endpoint].body is not None:
            written.setdefault(endpoint, set()).update(given_in(request.content))
    for endpoint in for_programs() - NOT_OFFERED.keys():
        wanted = {
            field.encode_name for field in msgspec.structs.fields(described.TABLE[endpoint].query)
        }
        assert asked[endpoint] | (ALWAYS_ASKED & wanted) == wanted, endpoint
        body = described.TABLE[endpoint].body
        if body is not None:
            fields = {field.encode_name for field in msgspec.structs.fields(body)}
            assert written[endpoint] == fields, endpoint


def given_in(content: bytes) -> set[str]:
    return {name for name, value in msgspec.json.decode(content).items() if value is not None}


@pytest.mark.parametrize("kind", [wire.Say, wire.Link, wire.Withdraw, wire.Rule_, wire.Appeal, wire.Decide, wire.Tag_])  # fmt: skip
def test_every_field_of_an_act_in_a_dispute_can_be_given(
    sent: dict[str, list[httpx.Request]], kind: type[msgspec.Struct]
):
    tag = kind.__struct_config__.tag
    (request,) = sent[f"disputes.{tag}"]
    act = msgspec.json.decode(request.content)["act"]
    assert act.keys() == {"do", *(field.encode_name for field in msgspec.structs.fields(kind))}
    assert None not in act.values()


def test_commands_carry_an_id_of_the_callers_choice_or_of_their_own(
    app: Flask, sent: dict[str, list[httpx.Request]]
):
    for name, requests in sent.items():
        for request in requests:
            wants = "Idempotency-Key" in described.TABLE[endpoint_of(app, request)].headers
            assert ("Idempotency-Key" in request.headers) == wants, name
    for name in CALLS:
        method: Any = Client
        for part in name.split("."):
            method = Disputes if part == "disputes" else getattr(method, part)
        if "command_id" in signature(method).parameters and name in {
            "record",
            "open_game",
            "disputes.open",
        }:
            assert sent[name][0].headers["Idempotency-Key"] == str(WHO)


KINDS: dict[type[ClientError], set[str]] = {
    NotAllowed: {"token_needed", "bad_token", "not_allowed", "other_origin", "open_table_needed"},
    NotThere: {"not_found", "unknown_game", "unknown_dispute", "unknown_version", "unknown_deal", "unknown_card"},
    StaleVersion: {"stale_version"},
    OtherGame: {"other_game"},
    OtherHead: {"other_head"},
    Refused: {"rule"},
    BadOptions: {"ruleset"},
    NotNow: {"dispute"},
    CommandReused: {"command_reused"},
    BadFile: {"bad_file", "altered_log"},
    NoStream: {"too_many_streams", "too_many_own_streams"},
    Unavailable: {"too_many_requests", "too_many_connections", "too_many_at_once", "internal_error", "store_busy", "connection_lost", "store_unavailable", "not_ready"},
}  # fmt: skip


@pytest.mark.parametrize("code", [*problems.CODES, "rule/NOT_YOUR_TURN", "dispute/RULED"])
def test_every_code_is_raised_as_what_it_means(code: str):
    status, _ = problems.CODES[code.partition("/")[0]]
    found = kind_of(status, code)
    named = {one for one, codes in KINDS.items() if code.partition("/")[0] in codes}
    if code == "game_full":
        assert found.__name__ == "Clash"
    else:
        assert {found} == (named or {BadRequest})


def test_whoever_uses_it_gets_its_types():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"][
        "package-data"
    ]
    for package in ("api", "events", "projections"):
        assert "py.typed" in data[package]
        assert (ROOT / package / "py.typed").is_file()
