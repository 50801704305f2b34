"""The document says what the service does: every address, every answer and code, and examples that are sent again."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from flask import Flask

from api import described, parsing, reference
from api.examples import EXAMPLES
from api.problems import CODES
from api.scopes import need_of
from tests.api import make_examples
from tests.api.apps import application
from tests.api.table import Client, Table, post
from tests.api.twins import masked
from tests.postgres import Cluster

pytestmark = [pytest.mark.store, pytest.mark.http]

Json = dict[str, Any]
PARTS = re.compile(r"<(?:\w+:)?(\w+)>")


@pytest.fixture(scope="module")
def app(cluster: Cluster) -> Iterator[Flask]:
    with cluster.fresh() as database, application(database.config) as made:
        yield made


@pytest.fixture(scope="module")
def document(app: Flask) -> Json:
    found: Json = app.test_client().get("/openapi.json").get_json()
    return found


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def checker(document: Json, schema: Json) -> Any:
    return jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})


def test_every_address_is_described_and_no_other(app: Flask, document: Json):
    there = {
        (method, PARTS.sub(r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(method, path) for method, path, _ in operations(document)} == there
    assert set(described.TABLE) == {rule.endpoint for rule in app.url_map.iter_rules()}


def test_it_is_sound(document: Json):
    assert document["openapi"] == "3.1.0"
    text = json.dumps(document)
    for name in re.findall(r'"\$ref": "([^"]+)"', text):
        assert name.removeprefix("#/components/schemas/") in document["components"]["schemas"]
    for name, schema in document["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid(schema), name
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert r"\Z" not in text


def test_everything_is_said_of_every_address(app: Flask, document: Json):
    needs = {
        (method, PARTS.sub(r"{\1}", rule.rule)): need_of(app.view_functions[rule.endpoint])
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
    }
    for method, path, operation in operations(document):
        need = needs[method, path]
        assert operation["summary"], path
        assert ("security" in operation) == (need is not None and need.scope is not None), path
        assert {one["name"] for one in operation["parameters"] if one["in"] == "path"} == set(
            re.findall(r"\{(\w+)\}", path)
        )
        assert {"400", "421", "500"} <= set(operation["responses"]), path
        is_sent = method == "POST" and path != "/sign-out"
        assert ("requestBody" in operation) == is_sent, path


def test_every_code_stands_somewhere(document: Json):
    told = {
        code
        for _, _, operation in operations(document)
        for answer in operation["responses"].values()
        for content in answer.get("content", {}).values()
        for code in content.get("examples", {})
    }
    assert set(CODES) - told <= {"method_not_allowed"}


def test_the_document_says_what_the_views_read(app: Flask, monkeypatch: pytest.MonkeyPatch):
    """Each address is asked once; what its view reads the request into is what the table says."""
    read: list[Any] = []
    query, body = parsing.query, parsing.body

    def note(kind: Any) -> Any:
        read.append(kind)
        return kind

    monkeypatch.setattr(parsing, "query", lambda kind: query(note(kind)))
    monkeypatch.setattr(parsing, "body", lambda kind, **given: body(note(kind), **given))
    client: Client = app.test_client()
    game = Table.opened(client).game_id
    for rule in app.url_map.iter_rules():
        item = described.TABLE[rule.endpoint]
        path = (
            rule.rule.replace("<uuid:game_id>", game)
            .replace("<uuid:dispute_id>", game)
            .replace("<card>", "7H")
            .replace("<name>", "page.css")
        )
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            read.clear()
            if item.body is not None:
                post(client, path, {})
            else:
                client.open(path, method=method).close()
            wanted = {item.query, item.body} - {None}
            if rule.endpoint not in TAKE_NO_QUERY:
                assert set(read) == wanted, rule.endpoint


TAKE_NO_QUERY = {"viewer.asset", "service.healthz", "service.readyz", "service.show_metrics"}
"""Asked by machines that may add parameters of their own."""


def test_the_examples_are_what_is_answered(cluster: Cluster, document: Json):
    with cluster.fresh() as database, application(database.config) as app:
        found = make_examples.sent(app.test_client())
    assert [one.name for one in found] == [one.name for one in EXAMPLES]
    for mine, kept in zip(found, EXAMPLES, strict=True):
        assert (mine.status, mine.endpoint, mine.body) == (kept.status, kept.endpoint, kept.body), (
            mine
        )
        if "refereed" not in mine.name:
            assert told(mine.answer) == told(kept.answer), (
                f"{mine.name}: python -m tests.api.make_examples"
            )
        assert mine.status < 300


def told(answer: Any) -> bytes:
    """An answer without what is made up anew each time."""
    text = masked(msgspec.json.encode(answer))
    return re.sub(
        rb'"id":"[0-9a-f-]{36}"|"player":"[0-9a-f-]{36}"|"seats":\["[0-9a-f-]{36}[^]]*\]',
        b"<who>",
        text,
    )


@pytest.mark.parametrize("name", [one.name for one in EXAMPLES])
def test_every_example_is_as_the_document_says(document: Json, name: str):
    one = next(example for example in EXAMPLES if example.name == name)
    endpoint = one.endpoint.partition(".")[2]
    operation = next(
        found for _, _, found in operations(document) if found["operationId"] == endpoint
    )
    answer = operation["responses"][str(one.status)]["content"]["application/json"]
    checker(document, answer["schema"]).validate(one.answer)
    if one.body is not None:
        checker(
            document, operation["requestBody"]["content"]["application/json"]["schema"]
        ).validate(one.body)


class Loads(HTMLParser):
    """Whatever a page loads or leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "action")]


@pytest.mark.parametrize(
    ("lang", "title"), [("en", "The HTTP interface"), ("ja", "HTTPインターフェース")]
)
def test_the_page_shows_all_of_it_and_fetches_nothing_from_elsewhere(
    app: Flask, document: Json, lang: str, title: str
):
    page: Any = app.test_client().get(f"/docs?lang={lang}")
    assert page.status_code == 200
    assert page.headers["Content-Language"] == lang
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert f"<h1>{title}</h1>" in page.text
    loads = Loads()
    loads.feed(page.text)
    assert all(one.startswith(("/", "#", "?")) and not one.startswith("//") for one in loads.found)
    assert "<script" not in page.text
    for _, path, operation in operations(document):
        assert f'id="{operation["operationId"]}"' in page.text, path
    anchors = set(re.findall(r'id="([^"]+)"', page.text))
    assert {one[1:] for one in loads.found if one.startswith("#")} <= anchors | {"main"}


def test_the_document_is_made_once(app: Flask, monkeypatch: pytest.MonkeyPatch):
    first = reference.document(app)
    monkeypatch.setattr("api.openapi.document", lambda app: pytest.fail("made again"))
    assert reference.document(app) == first
