"""Values that one reader takes for another's: each is refused by name, or is what it says (tests/api/test_bad_requests.py)."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from api.paging import cursor
from tests.api.apps import application
from tests.api.conftest import MakeApp
from tests.api.table import Answer, Client, Table, draw, post
from tests.api.test_bad_requests import (
    JSON,
    Ask,
    auditing,
    getting,
    opening,
    raw,
    recording,
)
from tests.postgres import Cluster

pytestmark = [pytest.mark.store, pytest.mark.http]

SEATED = b'{"seats":["Ann","Bob"]'
LAST = 2**31 - 1
MOMENT = "2026-01-01T00:00:00Z"


def dealer(text: str) -> Ask:
    return raw(SEATED + b',"first_dealer":' + text.encode() + b"}")


def seen(text: str) -> Ask:
    """An act after a version that is written like that."""
    event = json.dumps(draw(1))
    return recording(f'{{"expected_version":{text},"events":[{event}]}}'.encode())


def acting(**changes: Any) -> Ask:
    return recording({"expected_version": 5, "events": [draw(1) | changes]})


def asking(method: str, path: str = "/v1/games", **headers: str) -> Ask:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda client, table: client.open(
        path.replace("GAME", table.path()), method=method, headers=named
    )


def nested(depth: int) -> bytes:
    return SEATED + b',"ruleset":{"options":' + b'{"a":' * depth + b"1" + b"}" * (depth + 2)


BODIES: dict[str, tuple[int, str, Ask]] = {
    "a byte order mark": (400, "bad_json", raw(b"\xef\xbb\xbf" + SEATED + b"}")),
    "UTF-16 without a mark": (400, "bad_json", raw(SEATED.decode().encode("utf-16-le"))),
    "UTF-32": (400, "bad_json", raw(SEATED.decode().encode("utf-32"))),
    "surrogates as bytes": (400, "bad_json", raw(b'{"seats":["\xed\xa0\x80","Bob"]}')),
    "surrogates the wrong way round": (400, "bad_json", raw(b'{"seats":["\\ude00\\ud83d","b"]}')),
    "a slash in two bytes": (400, "bad_json", raw(b'{"seats":["\xc0\xaf","Bob"]}')),
    "a control character": (400, "bad_json", raw(b'{"seats":["a\x01","Bob"]}')),
    "NUL, escaped": (400, "bad_body", raw(b'{"seats":["a\\u0000","Bob"]}')),
    "words after the end": (400, "bad_json", raw(SEATED + b"} x")),
    "two documents": (400, "bad_json", raw(SEATED + b"}" + SEATED + b"}")),
    "two lines of JSON": (400, "bad_json", raw(SEATED + b"}\n" + SEATED + b"}\n")),
    "a comma too many": (400, "bad_json", raw(SEATED + b",}")),
    "a comment": (400, "bad_json", raw(b"/* a table */" + SEATED + b"}")),
    "single quotes": (400, "bad_json", raw(b"{'seats':['a','b']}")),
    "only spaces": (400, "bad_json", raw(b"   ")),
    "null for an object": (400, "bad_body", raw(b"null")),
    "a text for an object": (400, "bad_body", raw(b'"x"')),
    "a number for an object": (400, "bad_body", raw(b"7")),
    "nested a little": (400, "bad_body", raw(nested(900))),
    "nested in a field": (400, "bad_json", raw(nested(20_000))),
    "a key of every object there is": (400, "bad_body", opening(__proto__={})),
    "a name of a megabyte": (400, "bad_body", opening(seats=["A" * 1_000_000, "Bob"])),
    "a key of a megabyte": (400, "bad_body", opening(**{"k" * 1_000_000: 1})),
    "a mode of a megabyte": (400, "bad_body", opening(mode="m" * 1_000_000)),
    "a source of a megabyte": (400, "bad_body", opening(source="s" * 1_000_000)),
    "a body that is said to be Latin-1": (
        415, "wrong_media_type", raw(SEATED + b"}", f"{JSON}; charset=iso-8859-1"),
    ),
    "a body that is said to be UTF-16": (
        415, "wrong_media_type", raw(SEATED + b"}", f"{JSON}; charset=utf-16"),
    ),
    "a type of semicolons": (415, "wrong_media_type", raw(SEATED + b"}", ";;;")),
    "a kind of JSON": (415, "wrong_media_type", raw(SEATED + b"}", "application/vnd.x+json")),
    "a problem for a body": (415, "wrong_media_type", raw(SEATED + b"}", "application/problem+json")),
    "an audit of a list": (400, "bad_body", lambda client, table: post(client, table.path("/audits"), b"[]")),
    "a file that is compressed": (
        415, "wrong_media_type",
        lambda client, _: client.post("/v1/import", data=b"\x1f\x8b\x08", content_type="text/plain", headers={"Content-Encoding": "gzip"}),
    ),
    "a file that is said to be Latin-1": (
        415, "wrong_media_type",
        lambda client, _: client.post("/v1/import", data=b"#", content_type="text/plain; charset=latin-1"),
    ),
}  # fmt: skip
NUMBERS: dict[str, tuple[int, str, Ask]] = {
    "a number of a million digits": (400, "bad_json", dealer("9" * 1_000_000)),
    "a fraction of a million digits": (400, "bad_body", dealer("0." + "9" * 1_000_000)),
    "a number that no double holds": (400, "bad_body", dealer("1e400")),
    "an exponent without end": (400, "bad_body", dealer("1e99999999999")),
    "Infinity": (400, "bad_json", dealer("Infinity")),
    "-Infinity": (400, "bad_json", dealer("-Infinity")),
    "a leading zero": (400, "bad_json", dealer("01")),
    "a plus sign": (400, "bad_json", dealer("+1")),
    "hexadecimal": (400, "bad_json", dealer("0x1")),
    "1.0 for 1": (400, "bad_body", dealer("1.0")),
    "1e0 for 1": (400, "bad_body", dealer("1e0")),
    "a text for 1": (400, "bad_body", dealer('"1"')),
    "true for 1": (400, "bad_body", dealer("true")),
    "version 5.0": (400, "bad_body", seen("5.0")),
    'version "5"': (400, "bad_body", seen('"5"')),
    "version true": (400, "bad_body", seen("true")),
    "version null": (400, "expected_version_missing", seen("null")),
    "version -0.0": (400, "bad_body", seen("-0.0")),
    "version -0, which is 0": (409, "stale_version", seen("-0")),
    "the last version that there can be": (409, "stale_version", seen(str(LAST))),
    "version 2^31": (400, "bad_body", seen(str(LAST + 1))),
    "version 2^63": (400, "bad_body", seen(str(2**63))),
    "version 2^64": (400, "bad_body", seen(str(2**64))),
    "an option of 2^64": (400, "bad_body", auditing(ruleset={"preset": "seed", "options": {"target": 2**64}})),
    "an option of 500.0": (400, "bad_body", auditing(ruleset={"preset": "seed", "options": {"target": 500.0}})),
}  # fmt: skip
EVENTS: dict[str, tuple[int, str, Ask]] = {
    "an event of the other game": (400, "bad_event", acting(t="bid")),
    "an event of a dispute": (400, "bad_event", acting(t="dispute_opened")),
    "an event that opens a game": (400, "bad_event", acting(t="game_opened")),
    "an event without a tag": (400, "bad_event", recording({"expected_version": 5, "events": [{"v": 1}]})),
    "a tag of null": (400, "bad_event", acting(t=None)),
    "a tag that is a list": (400, "bad_event", acting(t=[])),
    "shape 0": (400, "bad_event", acting(v=0)),
    "shape 99": (400, "bad_event", acting(v=99)),
    'shape "1"': (400, "bad_event", acting(v="1")),
    "shape 1.0": (400, "bad_event", acting(v=1.0)),
    "shape true": (400, "bad_event", acting(v=True)),
    "a seat of true": (400, "bad_event", acting(seat=True)),
    "seat 1.0": (400, "bad_event", acting(seat=1.0)),
    "seat 2^64": (400, "bad_event", acting(seat=2**64)),
    "a card in small letters": (400, "bad_event", acting(card="7h")),
    "a card of a megabyte": (400, "bad_event", acting(card="7" * 900_000)),
    "an event of null": (400, "bad_event", recording({"expected_version": 5, "events": [None]})),
    "an object of events": (400, "bad_body", recording({"expected_version": 5, "events": {}})),
    "1001 events": (400, "bad_body", recording({"expected_version": 5, "events": [draw(1)] * 1001})),
    "a text for event -1": (
        400, "bad_body",
        recording({"expected_version": 5, "events": [draw(1)], "texts": {"-1": {"salt": "0" * 32, "text": "a"}}}),
    ),
    "a text for an event of 5000 digits": (
        400, "bad_body",
        recording({"expected_version": 5, "events": [draw(1)], "texts": {"9" * 5000: {"salt": "0" * 32, "text": "a"}}}),
    ),
}  # fmt: skip
ADDRESSES: dict[str, tuple[int, str, Ask]] = {
    **{
        f"version {text!r} in the address": (400, "bad_query", getting(f"GAME/state?at={sent}"))
        for text, sent in {
            "": "", "+3": "%2B3", " 3": "%203", "03": "03", "3.0": "3.0", "1e0": "1e0", "0x3": "0x3",
            "1_0": "1_0", "true": "true", "-0": "-0", "3, full width": "%EF%BC%93", "2^31": LAST + 1,
            "2^63": 2**63, "2^64": 2**64, "3 and NUL": "3%00", "4000 digits": "9" * 4000,
        }.items()
    },
    **{
        f"limit {text!r}": (400, "bad_query", getting(f"/v1/games?limit={text}"))
        for text in ("0", "101", "-1", "1.0", "", "50,60", "%zz", "null")
    },
    **{
        f"the time {text}": (400, "bad_query", getting(f"/v1/games?since={text.replace('+', '%2B')}"))
        for text in (
            "2026-01-01T00:00:00", "2026-01-01", "2026-01-01T00:00Z", "2016-12-31T23:59:60Z",
            "2026-01-01T24:00:00Z", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
            "-2026-01-01T00:00:00Z", "2026-01-01T00:00:00+99:00", "1764460800:0", "now", "null", "",
        )
    },
    "a time whose plus became a space": (400, "bad_query", getting("/v1/games?since=2026-01-01T00:00:00+01:00")),
    "an id in braces": (404, "not_found", getting("/v1/games/%7B00000000-0000-7000-8000-000000000000%7D")),
    "an id as a URN": (404, "not_found", getting("/v1/games/urn:uuid:00000000-0000-7000-8000-000000000000")),
    "an id without hyphens": (404, "not_found", getting("/v1/games/00000000000070008000000000000000")),
    "an id in capitals": (404, "unknown_game", getting("/v1/games/ABCDEF00-0000-7000-8000-000000000000")),
    "the id of nothing": (404, "unknown_game", getting("/v1/games/00000000-0000-0000-0000-000000000000")),
    "an id in braces for a filter": (400, "bad_query", getting("/v1/findings?game_id=%7B00000000-0000-7000-8000-000000000000%7D")),
    "an id as a URN for a filter": (400, "bad_query", getting("/v1/chances?game_id=urn:uuid:00000000-0000-7000-8000-000000000000")),
    "an id in braces for an export": (400, "bad_query", getting("/v1/export?game=%7B00000000-0000-7000-8000-000000000000%7D")),
    "a range that ends before it begins": (400, "bad_query", getting("GAME/frames?from=4&to=2")),
    "a report that ends before it begins": (400, "bad_query", getting("GAME/report?from=4&to=2")),
    "a stretch that ends before it begins": (400, "bad_query", getting("/v1/export?since=9&until=3")),
    "a position of 2^53": (400, "bad_query", getting(f"/v1/export?until={2**53}")),
    "a list of a game that there is not": (400, "bad_query", getting("/v1/games?game=bridge")),
    "players of a game that there is not": (400, "bad_query", getting("/v1/standings?game=bridge")),
    "findings of a game that there is not": (400, "bad_query", getting("/v1/findings?game=bridge")),
    "chances of a game that there is not": (400, "bad_query", getting("/v1/chances?game=bridge")),
    "a parameter without a name": (400, "bad_query", getting("/v1/games?=1")),
    "a parameter without a value": (400, "bad_query", getting("/v1/games?limit")),
    "a parameter in capitals": (400, "bad_query", getting("/v1/games?LIMIT=1")),
    "a parameter as a list": (400, "bad_query", getting("/v1/games?limit[]=1")),
    "parameters with a semicolon": (400, "bad_query", getting("/v1/games?limit=1;mode=refereed")),
    "four hundred parameters": (400, "bad_query", getting("/v1/games?" + "&".join(f"p{n}=1" for n in range(400)))),
    "a boolean of words": (400, "bad_query", getting("/v1/games?findings=maybe")),
    "a bias that is no number": (400, "bad_query", getting("/v1/chances?bias=nan")),
    "a bias without end": (400, "bad_query", getting("/v1/chances?bias=1e400")),
    "nine players": (400, "bad_query", getting(f"/v1/chances?players={','.join([str(UUID(int=1))] * 9)}")),
    "a cursor that was changed": (400, "bad_cursor", getting(f"/v1/games?cursor={cursor('games', [str(UUID(int=1))])}x")),
    "a cursor with another id": (400, "bad_cursor", getting(f"/v1/findings?cursor={cursor('findings', ['x', 1])}")),
    "a card in small letters at an address": (404, "unknown_card", getting("GAME/cards/7h")),
    "a card of 3000 letters": (404, "unknown_card", getting(f"GAME/cards/{'7' * 3000}")),
}  # fmt: skip
HEADS: dict[str, tuple[int, str, Ask]] = {
    "only POST is answered": (405, "method_not_allowed", asking("GET", "GAME/audits")),
    "PUT": (405, "method_not_allowed", asking("PUT")),
    "PATCH": (405, "method_not_allowed", asking("PATCH", "GAME")),
    "DELETE": (405, "method_not_allowed", asking("DELETE", "GAME")),
    "anything but JSON": (406, "not_acceptable", asking("GET", Accept="application/json;q=0, */*")),
    "nothing at all": (406, "not_acceptable", asking("GET", Accept="*/*;q=0")),
    "a type of one word": (406, "not_acceptable", asking("GET", Accept="json")),
    "a quality of 2": (406, "not_acceptable", asking("GET", Accept="application/json;q=2")),
    "JSON in another charset": (406, "not_acceptable", asking("GET", Accept="application/json;charset=utf-16")),
    "a token without its kind": (401, "bad_token", asking("GET", Authorization=f"ll_{'x' * 43}")),
    "a name and a password": (401, "bad_token", asking("GET", Authorization="Basic YTpi")),
    "an empty Authorization": (401, "bad_token", asking("GET", Authorization="")),
    "a key of a comma": (400, "bad_idempotency_key", recording({"expected_version": 5, "events": [draw(1)]}, Idempotency_Key="a,b")),
    "a key of quotes": (400, "bad_idempotency_key", recording({"expected_version": 5, "events": [draw(1)]}, Idempotency_Key='""')),
    "a key with a space": (400, "bad_idempotency_key", recording({"expected_version": 5, "events": [draw(1)]}, Idempotency_Key="a b")),
    "Last-Event-ID of a sign": (400, "bad_query", asking("GET", "GAME/stream", Last_Event_ID="+5")),
    "Last-Event-ID 2^31": (400, "bad_query", asking("GET", "GAME/stream", Last_Event_ID=str(LAST + 1))),
}  # fmt: skip
CASES = BODIES | NUMBERS | EVENTS | ADDRESSES | HEADS


@pytest.fixture(scope="module")
def app(cluster: Cluster) -> Iterator[Flask]:
    with cluster.fresh() as database, application(database.config) as made:
        yield made


@pytest.fixture(scope="module")
def asked(app: Flask) -> tuple[Client, Table]:
    """One client and game for all of them: none of these requests changes anything."""
    client = app.test_client()
    return client, Table.opened(client)


@pytest.mark.parametrize(("status", "code", "ask"), CASES.values(), ids=CASES)
def test_refused(asked: tuple[Client, Table], status: int, code: str, ask: Ask):
    client, table = asked
    answer = ask(client, table)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    assert answer.json["status"] == status
    assert len(answer.data) < 2000  # what was sent is not sent back
    assert not any(word in answer.text for word in ("Traceback", "set_int_max", "python"))
    assert client.get(table.path()).json["version"] == 5


TAKEN: dict[str, Ask] = {
    "spaces around it": raw(b" \r\n\t" + SEATED + b"} \n"),
    "letters as escapes": raw(b'{"\\u0073eats":["\\ud83d\\ude00","Bob"]}'),
    "UTF-8 by name": raw(SEATED + b"}", f'{JSON}; charset="UTF-8"'),
    "a type in capitals": raw(SEATED + b"}", "Application/JSON"),
    "parameters of a type": raw(SEATED + b"}", f"{JSON}; x=y"),
}
"""What looks strange and is sound: refusing it would be as wrong as guessing."""


@pytest.mark.parametrize("ask", TAKEN.values(), ids=TAKEN)
def test_taken(asked: tuple[Client, Table], ask: Ask):
    assert ask(*asked).status_code == 201


@pytest.mark.parametrize(
    "accept",
    ["", JSON, f"{JSON}; charset=utf-8", f'{JSON};charset="UTF-8"', "application/*", "*/*;q=0.1",
     "text/html,application/xhtml+xml,*/*;q=0.8", f"text/csv, {JSON}; charset=utf8; q=0.5"],
)  # fmt: skip
def test_what_clients_ask_for_is_understood(asked: tuple[Client, Table], accept: str):
    answer = asked[0].get("/v1/games", headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, JSON)


@pytest.mark.parametrize("text", ["9" * 5000, "0" * 11 + "9" * 5000])
def test_no_number_is_too_long_to_be_refused(app: Flask, text: str):
    """Of thousands of digits Python makes no number, which was a 500 where that came before the check."""
    client: Client = app.test_client()
    game = Table.opened(client).game_id
    document = client.get("/openapi.json").json
    asked = 0
    for path, operations in document["paths"].items():
        address = path.format(game_id=game, dispute_id=game, card="5H", name="page.css")
        for method, operation in operations.items():
            for one in operation["parameters"]:
                answer: Answer
                if one["in"] == "query":
                    answer = client.open(address, method=method, query_string={one["name"]: text})
                elif one["in"] == "header":
                    answer = client.open(address, method=method, headers={one["name"]: text})
                else:
                    continue
                asked += 1
                answer.close()
                assert answer.status_code < 500, (method, address, one["name"])
    assert asked > 100


def test_a_body_that_is_compressed_is_refused_everywhere(make_app: MakeApp):
    client: Client = make_app().test_client()
    document = client.get("/openapi.json").json
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if "requestBody" in operation and "pages" not in operation["tags"]:
                kind = next(iter(operation["requestBody"]["content"]))
                address = path.format(game_id=UUID(int=1), dispute_id=UUID(int=1))
                headers = {"Content-Encoding": "gzip", "Content-Type": kind}
                answer = client.open(address, method=method, data=b"\x1f\x8b\x08", headers=headers)
                assert answer.status_code == 415, path
