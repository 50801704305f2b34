"""NUL, which PostgreSQL's text cannot hold, in every text that a request can carry: refused, and never a failure."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from flask import Flask

from api import described, paging
from api.examples import EXAMPLES, GAME
from tests.api import disputing, make_examples
from tests.api.conftest import MakeApp
from tests.api.table import Client, post

pytestmark = [pytest.mark.store, pytest.mark.http]

NUL = "a\0b"
PLACES = {
    "<uuid:game_id>": GAME,
    "<uuid:dispute_id>": GAME,
    "<card>": "7H",
    "<name>": "page.css",
}


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    """An application with the games of the examples."""
    made = make_app()
    for _, _, path, body in make_examples.GAMES:
        post(made.test_client(), path, body)
    return made


def with_text(kind: type[Any]) -> Iterator[str]:
    """The parameters of an address that may be a text, whatever else they may be."""
    for field in msgspec.structs.fields(kind):
        if "str" in f"{field.type}" or str in get_args(field.type):
            yield field.encode_name


def test_no_parameter_takes_one(app: Flask):
    client: Client = app.test_client()
    asked = []
    for rule in app.url_map.iter_rules():
        path = rule.rule
        for part, value in PLACES.items():
            path = path.replace(part, value)
        for name in with_text(described.TABLE[rule.endpoint].query):
            if "GET" in (rule.methods or ()):
                answer = client.get(path, query_string={name: NUL})
                assert answer.status_code == 400, (path, name, answer.text)
                asked.append((path, name))
                answer.close()
    assert len(asked) > 30


@pytest.mark.parametrize(
    ("path", "name", "keys"),
    [
        ("/v1/standings", "standings wins", ["0", GAME, NUL]),
        ("/v1/games", "games", [NUL]),
        ("/v1/findings", "findings", [NUL, 1]),
        ("/v1/disputes", "disputes", [NUL]),
    ],
)
def test_no_cursor_brings_one(client: Client, path: str, name: str, keys: list[Any]):
    answer = client.get(path, query_string={"cursor": paging.cursor(name, keys)})
    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad_cursor")


def places(value: Any) -> Iterator[Any]:
    """The value once for each text in it, with NUL there."""
    match value:
        case str():
            yield NUL
        case dict():
            for name, one in value.items():
                yield from (value | {name: changed} for changed in places(one))
        case list() | tuple():
            for at, one in enumerate(value):
                yield from ([*value[:at], changed, *value[at + 1 :]] for changed in places(one))


def bodies() -> dict[str, tuple[str, Any]]:
    found = {one.name: (one.path, one.body) for one in EXAMPLES if isinstance(one.body, dict)}
    case = f"/v1/disputes/{GAME}/events"
    return found | {
        "remark": (
            f"/v1/games/{GAME}/events",
            {"events": [], "expected_version": 7, "texts": {"0": {"salt": "00" * 16, "text": "x"}}},
        ),
        "claim": (f"/v1/games/{GAME}/disputes", disputing.CLAIM | {"versions": [6]}),
        "ruling": (case, {"act": disputing.RULING, "expected_version": 1}),
        "token": ("/session", {"token": "ll_x"}),
    }


@pytest.mark.parametrize("name", bodies())
def test_no_text_of_a_body_makes_the_service_fail(app: Flask, name: str):
    path, body = bodies()[name]
    for changed in places(body):
        answer = post(app.test_client(), path, changed)
        assert answer.status_code in (400, 401, 404, 409, 422), (changed, answer.text)


def test_a_value_that_the_driver_does_not_send_is_no_database_out_of_reach(
    app: Flask, monkeypatch: pytest.MonkeyPatch
):
    """Should one get through after all, nobody is told to try again."""
    monkeypatch.setattr("api.parsing.query", lambda kind: kind(words=NUL))
    answer = app.test_client().get("/v1/disputes")
    assert (answer.status_code, (answer.get_json() or {}).get("code")) == (500, "internal_error")
