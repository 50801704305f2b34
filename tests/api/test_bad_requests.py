"""Whatever a client gets wrong has a status and a code, and tells nothing of the inside."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from api.problems import CODES
from events.formats import Import, ndjson
from tests import simulate
from tests.api.apps import application
from tests.api.conftest import MakeApp
from tests.api.table import DATA, Answer, Client, Table, discard, draw, post, send_file
from tests.events.formats.helpers import recorded
from tests.postgres import opened_game

pytestmark = [pytest.mark.store, pytest.mark.http]

JSON = "application/json"
NOWHERE = f"/v1/games/{uuid4()}"
SEATS = {"seats": ["Ann", "Bob"]}
Ask = Callable[[Client, Table], Answer]


def raw(data: bytes, content_type: str | None = JSON, **headers: str) -> Ask:
    return lambda client, _: client.post(
        "/v1/games", data=data, content_type=content_type, headers=headers
    )


def opening(**changes: Any) -> Ask:
    return lambda client, _: post(client, "/v1/games", SEATS | changes)


def getting(path: str, **headers: str) -> Ask:
    return lambda client, table: client.get(
        path.replace("GAME", table.path()),
        headers={k.replace("_", "-"): v for k, v in headers.items()},
    )


def recording(body: Any, **headers: str) -> Ask:
    key = {"Idempotency-Key": str(uuid4())}
    return lambda client, table: post(
        client,
        table.path("/events"),
        body,
        key | {k.replace("_", "-"): v for k, v in headers.items()},
    )


def auditing(**asked: Any) -> Ask:
    return lambda client, table: post(client, table.path("/audits"), asked)


def importing(data: bytes) -> Ask:
    return lambda client, _: send_file(client, data)


def filed(kind: str = "game", visibility: str = "public") -> bytes:
    """A file of one game of that kind."""
    game = Import(UUID(int=9), simulate.play(1, 2)[:8], {}, {}, 1)
    head, stored = recorded(game, kind=kind, visibility=visibility)
    out = BytesIO()
    ndjson.write_game(out, head, stored, {})
    return out.getvalue()


EVENTS = {"events": [draw(1)], "expected_version": 5}
CASES: dict[str, tuple[int, str, Ask]] = {
    "no such address": (404, "not_found", getting("/v1/gamez")),
    "an id that is none": (404, "not_found", getting("/v1/games/42")),
    "an unknown game": (404, "unknown_game", getting(NOWHERE)),
    "an unknown game's state": (404, "unknown_game", getting(f"{NOWHERE}/state")),
    "an unknown game's events": (404, "unknown_game", getting(f"{NOWHERE}/events")),
    "a version to come": (404, "unknown_version", getting("GAME/state?at=6")),
    "version 0": (400, "bad_query", getting("GAME/state?at=0")),
    "a version in words": (400, "bad_query", getting("GAME/state?at=last")),
    "a version beyond all bounds": (
        400,
        "bad_query",
        getting("GAME/state?at=99999999999999999999"),
    ),
    "a viewer that is none": (400, "bad_query", getting("GAME/state?viewer=8")),
    "a parameter twice": (400, "bad_query", getting("GAME/state?at=1&at=2")),
    "an unknown parameter": (400, "bad_query", getting("/v1/games?page=2")),
    "too many at once": (400, "bad_query", getting("/v1/games?limit=101")),
    "a status that is none": (400, "bad_query", getting("/v1/games?status=lost")),
    "a made-up cursor": (400, "bad_cursor", getting("/v1/games?cursor=abc")),
    "a cursor in other letters": (400, "bad_cursor", getting("/v1/games?cursor=%C3%A4")),
    "a time as a number": (400, "bad_query", getting("/v1/games?until=0.5")),
    "a time as a whole number": (400, "bad_query", getting("/v1/games?since=1764460800")),
    "NUL in a parameter": (400, "bad_query", getting("/v1/games?cursor=a%00")),
    "a method that is not answered": (
        405,
        "method_not_allowed",
        lambda c, _: c.delete("/v1/games"),
    ),
    "a type that is not there": (406, "not_acceptable", getting("/v1/games", Accept="text/csv")),
    "another type of export": (406, "not_acceptable", getting("GAME/export.txt", Accept=JSON)),
    "no content type": (415, "wrong_media_type", raw(b"{}", None)),
    "a form": (415, "wrong_media_type", raw(b"a=b", "application/x-www-form-urlencoded")),
    "a plain text": (415, "wrong_media_type", raw(b"{}", "text/plain")),
    "no body": (400, "bad_json", raw(b"")),
    "a body that is cut off": (400, "bad_json", raw(b'{"seats":')),
    "a body that is not UTF-8": (400, "bad_json", raw(b'{"seats":["\xff"]}')),
    "a body in UTF-16": (400, "bad_json", raw('{"seats":[]}'.encode("utf-16"))),
    "a lone surrogate": (400, "bad_json", raw(b'{"seats":["\\ud800","b"]}')),
    "a key twice": (400, "bad_json", raw(b'{"seats":["a","b"],"seats":["c","d"]}')),
    "a key twice further in": (400, "bad_json", raw(b'{"seats":[{"name":"a","name":"b"},"c"]}')),
    "not a number": (400, "bad_json", raw(b'{"seats":["a","b"],"first_dealer":NaN}')),
    "a number of 5000 digits": (400, "bad_json", raw(b'{"first_dealer":' + b"9" * 5000 + b"}")),
    "a body nested without end": (400, "bad_json", raw(b"[" * 100_000)),
    "a list for an object": (400, "bad_body", raw(b"[]")),
    "an unknown field": (400, "bad_body", opening(colour="red")),
    "one seat": (400, "bad_body", opening(seats=["Ann"])),
    "nine seats": (400, "bad_body", opening(seats=list("ABCDEFGHI"))),
    "a name without letters": (400, "bad_body", opening(seats=["", "Bob"])),
    "a name with a line end": (400, "bad_body", opening(seats=["Ann\n", "Bob"])),
    "a player who is no id": (400, "bad_body", opening(seats=[{"id": "x"}, "Bob"])),
    "a game that we do not know": (400, "bad_body", opening(game="bridge")),
    "a preset that we do not know": (400, "bad_body", opening(ruleset="house")),
    "an option that we do not know": (
        400,
        "bad_body",
        opening(ruleset={"preset": "seed", "options": {"wild": 1}}),
    ),
    "an option out of range": (
        400,
        "bad_body",
        opening(ruleset={"preset": "seed", "options": {"packs": 3}}),
    ),
    "a preset among the options": (
        400,
        "bad_body",
        opening(ruleset={"preset": "seed", "options": {"preset": "x"}}),
    ),
    "a source of several lines": (400, "bad_body", opening(source="a\nb")),
    "a file with a private game": (
        403,
        "open_table_needed",
        importing(filed(visibility="private")),
    ),
    "a file with a stream that is no game": (
        422,
        "bad_file",
        importing(filed(kind="admin")),
    ),
    "a private game that nobody could read": (
        403,
        "open_table_needed",
        opening(visibility="private"),
    ),
    "an option that cannot be played": (
        422,
        "ruleset/OPTIONS_CONTRADICT",
        opening(
            ruleset={
                "preset": "seed",
                "options": {"run_two_aces": True, "runs": "around_corner"},
            }
        ),
    ),
    "a dealer who does not sit there": (422, "ruleset/DEALER_UNKNOWN", opening(first_dealer=2)),
    "a page of another origin": (403, "other_origin", raw(b"{}", Origin="http://evil.example")),
    "a page without an origin": (403, "other_origin", raw(b"{}", Origin="null")),
    "a page of another site": (403, "other_origin", raw(b"{}", **{"Sec-Fetch-Site": "cross-site"})),
    "another host": (421, "wrong_host", getting("/v1/games", Host="evil.example")),
    "another host that looks like ours": (
        421,
        "wrong_host",
        getting("/v1/games", Host="localhost.evil.example:8500"),
    ),
    "a host with a user": (421, "wrong_host", getting("/v1/games", Host="a@localhost")),
    "a body of a mebibyte and more": (413, "body_too_large", raw(b" " * (1024 * 1024 + 1))),
    "a command id with nothing in it": (
        400,
        "bad_idempotency_key",
        recording(EVENTS, Idempotency_Key=""),
    ),
    "a command id that goes on and on": (
        400,
        "bad_idempotency_key",
        recording(EVENTS, Idempotency_Key="k" * 201),
    ),
    "no events": (400, "bad_body", recording({"events": [], "expected_version": 5})),
    "an act without a version": (400, "expected_version_missing", recording({"events": [draw(1)]})),
    "a negative version": (400, "bad_body", recording(EVENTS | {"expected_version": -1})),
    "an event with a field too many": (
        400,
        "bad_event",
        recording(EVENTS | {"events": [draw(1) | {"note": ""}]}),
    ),
    "an event with a field missing": (
        400,
        "bad_event",
        recording(EVENTS | {"events": [{"t": "stock_drawn", "seat": 1, "card": "??"}]}),
    ),
    "an event of a later shape": (
        400,
        "bad_event",
        recording(EVENTS | {"events": [draw(1) | {"v": 2}]}),
    ),
    "an event that there is not": (
        400,
        "bad_event",
        recording(EVENTS | {"events": [draw(1) | {"t": "cheated"}]}),
    ),
    "a card that there is not": (
        400,
        "bad_event",
        recording(EVENTS | {"events": [discard(1, "1S")]}),
    ),
    "an event that is a number": (400, "bad_event", recording(EVENTS | {"events": [7]})),
    "a text for no event": (
        400,
        "bad_body",
        recording(EVENTS | {"texts": {"1": {"salt": "00" * 16, "text": "a"}}}),
    ),
    "an unknown game's recording": (
        404,
        "unknown_game",
        lambda client, _: post(
            client, f"{NOWHERE}/events", EVENTS, {"Idempotency-Key": str(uuid4())}
        ),
    ),
    "an old version": (409, "stale_version", recording(EVENTS | {"expected_version": 4})),
    "an act out of turn": (422, "rule/NOT_YOUR_TURN", recording(EVENTS | {"events": [draw(0)]})),
    "a card that only the service knows": (
        422,
        "rule/OUTCOME_NAMED",
        recording(EVENTS | {"events": [draw(1) | {"card": "AS"}]}),
    ),
    "an audit of a deal that is not there": (404, "unknown_deal", auditing(deal=7)),
    "an audit under unknown rules": (400, "bad_body", auditing(ruleset="house")),
    "an audit for nobody": (400, "bad_body", auditing(viewer=9)),
    "a file of no known format": (422, "bad_file", importing(b"hello\n")),
    "an empty file": (422, "bad_file", importing(b"")),
    "a file as JSON": (
        415,
        "wrong_media_type",
        lambda client, _: client.post("/v1/import", data=b"{}", content_type=JSON),
    ),
}


@pytest.fixture(scope="module")
def asked(cluster: Any) -> Any:
    """One application and game for all of them: none of these requests changes anything."""
    with cluster.fresh() as database, application(database.config) as app:
        client = app.test_client()
        yield client, Table.opened(client)


@pytest.mark.parametrize(("status", "code", "ask"), CASES.values(), ids=CASES)
def test_refused(asked: tuple[Client, Table], status: int, code: str, ask: Ask):
    client, table = asked
    answer = ask(client, table)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    assert answer.content_type == "application/problem+json"
    problem = answer.json
    assert problem["status"] == status
    assert problem["type"] == f"/v1/problems#{code.partition('/')[0]}"
    assert problem["detail"]
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert "Traceback" not in answer.text
    assert str(DATA.parents[1]) not in answer.text
    assert client.get(table.path()).json["version"] == 5


def test_every_code_is_described(client: Client):
    codes = {one["code"] for one in client.get("/v1/problems").json["problems"]}
    assert codes == set(CODES)
    assert {code.partition("/")[0] for _, code, _ in CASES.values()} <= codes


def test_an_unforeseen_error_says_nothing_of_the_inside(
    client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret of /etc/passwd")

    monkeypatch.setattr("api.listing.page", fail)
    answer = client.get("/v1/games")
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert answer.json["request_id"] in capsys.readouterr().out


def test_a_stored_event_that_cannot_be_read_is_our_own_fault(client: Client, engine: Engine):
    game_id = opened_game(engine, b'{"t":"of a later program","v":1}')
    answer = client.get(f"/v1/games/{game_id}/state")
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")


def test_a_database_that_is_away_is_said_to_be(client: Client, make_app: MakeApp):
    lost: Client = make_app(
        database_url="postgresql+psycopg://nobody@127.0.0.1:9/none"
    ).test_client()
    answer = lost.get("/v1/games")
    assert (answer.status_code, answer.json["code"]) == (503, "store_unavailable")
    assert answer.headers["Retry-After"]
    assert "127.0.0.1" not in answer.text
    assert lost.get("/healthz").status_code == 200
    assert lost.get("/readyz").status_code == 503


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:8500", "127.8.9.1", "[::1]:80"]
)
def test_loopback_names_are_answered(client: Client, host: str):
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_a_page_of_our_own_may_write(client: Client):
    headers = {"Host": "127.0.0.1:8500", "Origin": "http://127.0.0.1:8500"}
    assert post(client, "/v1/games", SEATS, headers).status_code == 201


def test_a_body_without_a_length_has_the_same_bounds(make_app: MakeApp):
    client = make_app(max_body=1000, max_import=2000).test_client()
    cut = b'{"seats":["Ann","Bob"]}'

    def chunked(path: str, data: bytes, content_type: str) -> Answer:
        from io import BytesIO

        environ = {"wsgi.input_terminated": True}
        return client.post(
            path, input_stream=BytesIO(data), content_type=content_type, environ_overrides=environ
        )

    assert chunked("/v1/games", cut, JSON).status_code == 201
    assert chunked("/v1/games", cut + b" " * 1000, JSON).json["code"] == "body_too_large"
    assert chunked("/v1/import", b"#" * 2001, "text/plain").json["code"] == "body_too_large"


@pytest.mark.parametrize("address", ["/v1{}/export.html?viewer=7", "{}?seat=8", "{}/steps?seat=8"])
def test_a_seat_where_nobody_sits_sees_what_the_public_sees(
    open_client: Client, table: Table, address: str
):
    game = table.path().removeprefix("/v1")
    answer = open_client.get(address.format(game))
    assert answer.status_code == 200, answer.text
