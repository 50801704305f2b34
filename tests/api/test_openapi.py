"""The document says what the service does: every address, every answer and code, and examples that are sent again."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from shlex import split
from typing import Any

import jsonschema_rs
import pytest
from flask import Flask
from schemathesis.specs.openapi.definitions import OPENAPI_31

from api import described, parameters, parsing, reference, remedies
from api.examples import EXAMPLES, Example
from api.openapi import operation_id
from api.problems import CODES, MEDIA_TYPE
from api.scopes import need_of
from tests.api import make_examples
from tests.api.apps import application
from tests.api.conftest import MakeApp
from tests.api.documented import resolved
from tests.api.table import Client, Table, post
from tests.postgres import Cluster
from tests.served import ROOT

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


def test_whoever_is_asked_to_wait_is_told_how_long(document: Json):
    """Everywhere; that it is so wherever the document says it, tests/api/documented.py looks at."""
    found = [
        resolved(document, answer)["headers"]
        for _, _, operation in operations(document)
        for status, answer in operation["responses"].items()
        if status in {"429", "503"}
    ]
    assert len(found) > 50
    assert all("Retry-After" in headers for headers in found)
    assert document["components"]["headers"]["Retry-After"]["required"]


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
    for name, schema in document["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid(schema), name
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", one) for one in ids)
    assert r"\Z" not in text
    kinds = {kind: set(found) for kind, found in document["components"].items()}
    used = set(re.findall(r'"#/components/(\w+)/([^"]+)"', text))
    assert used <= {(kind, name) for kind, names in kinds.items() for name in names}
    assert {name for kind, name in used if kind == "responses"} == kinds["responses"]
    assert {name for kind, name in used if kind == "headers"} == kinds["headers"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for names in kinds.values() for name in names)
    told = {one["name"] for one in document["tags"] if one["description"]}
    assert {tag for _, _, one in operations(document) for tag in one["tags"]} == told


def test_it_is_what_openapi_takes_it_for(document: Json):
    """By the schema of OpenAPI 3.1, and by the members that a description of each kind may have."""
    jsonschema_rs.Draft202012Validator(OPENAPI_31).validate(document)
    for _, path, operation in operations(document):
        assert set(operation) <= OPERATION, path
        for parameter in operation["parameters"]:
            assert set(parameter) <= PARAMETER, path
            assert parameter["in"] in ("path", "query", "header"), path
            assert parameter["in"] != "path" or parameter["required"] is True
        for status, one in operation["responses"].items():
            assert re.fullmatch("[2-5][0-9][0-9]", status), path
            answer = resolved(document, one)
            assert set(answer) <= {"description", "headers", "content"}, (path, status)
            assert answer["description"], (path, status)
            assert all(
                set(found) <= {"schema", "examples"} for found in answer.get("content", {}).values()
            )
        assert set(operation.get("requestBody", {})) <= {"description", "content", "required"}
    for header in document["components"]["headers"].values():
        assert set(header) <= {"description", "required", "schema"}


OPERATION = {
    "operationId",
    "tags",
    "summary",
    "description",
    "parameters",
    "requestBody",
    "responses",
    "security",
}
PARAMETER = {"name", "in", "required", "description", "schema", "example"}


def test_every_schema_and_parameter_tells_what_it_is(document: Json):
    for name, schema in document["components"]["schemas"].items():
        assert schema["title"] == name
        assert "$ref" in str(schema) or schema.get("properties") or schema.get("enum"), name
        if "additionalProperties" not in schema and "properties" in schema:
            assert not any("default" in one for one in schema["properties"].values()), name
    for _, path, operation in operations(document):
        for one in operation["parameters"]:
            assert one["description"].endswith("."), (path, one["name"])
            assert {"type", "enum"} & set(one["schema"]), (path, one["name"])
    used = {one["name"] for _, _, found in operations(document) for one in found["parameters"]}
    assert set(parameters.WORDS) | set(parameters.PATH) | set(parameters.HEADERS) == used


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
        for content in resolved(document, answer).get("content", {}).values()
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
        found = make_examples.sent(database, app)
    assert [one.name for one in found] == [one.name for one in EXAMPLES]
    for mine, kept in zip(found, EXAMPLES, strict=True):
        asked = [
            (one.status, one.endpoint, one.headers, one.body, one.gives) for one in (mine, kept)
        ]
        assert asked[0] == asked[1], mine
        if "refereed" not in mine.name and mine.endpoint != "service.show_metrics":
            assert make_examples.told(mine) == make_examples.told(kept), (
                f"{mine.name}: python -m tests.api.make_examples"
            )


@pytest.mark.parametrize("one", EXAMPLES, ids=[one.name for one in EXAMPLES])
def test_every_example_is_as_the_document_says(document: Json, one: Example):
    operation = of_endpoint(document, one.endpoint)
    answer = resolved(document, operation["responses"][str(one.status)])
    if one.answer is not None:
        kind = MEDIA_TYPE if one.status >= 400 else one.gives
        schema = answer["content"][kind]["schema"]
        checker(document, schema).validate(one.answer)
        lines = schema.get("x-item-schema")
        for line in LINE.findall(one.answer) if lines else ():
            checker(document, lines).validate(json.loads(line))
    if one.body is not None and one.status < 300:
        content = operation["requestBody"]["content"][one.sends]
        checker(document, content.get("schema", {})).validate(one.body)


LINE = re.compile(r"^(?:data: )?(\{.*\})$", re.MULTILINE)


def of_endpoint(document: Json, endpoint: str) -> Json:
    name = operation_id(endpoint)
    return next(found for _, _, found in operations(document) if found["operationId"] == name)


def test_every_operation_has_examples_of_what_goes_in_and_out(document: Json):
    for _, path, operation in operations(document):
        if operation["tags"] == ["pages"]:  # what a browser shows is no text for an example
            continue
        body = operation.get("requestBody", {}).get("content")
        assert body is None or any(one.get("examples") for one in body.values()), path
        for status, one in operation["responses"].items():
            answer = resolved(document, one)
            if status < "300" and path not in HAS_NO_EXAMPLE:
                for kind, content in answer.get("content", {}).items():
                    is_page = kind == "text/html"  # half a megabyte each
                    assert is_page or content.get("examples"), (path, status, kind)
        real = [one for one in EXAMPLES if one.status >= 400]
        assert any(operation_id(one.endpoint) == operation["operationId"] for one in real), path


HAS_NO_EXAMPLE = {"/openapi.json"}
"""The document itself."""


def test_every_example_of_a_problem_is_one(document: Json):
    problem = checker(document, document["components"]["schemas"]["Problem"])
    for _, path, operation in operations(document):
        for status, one in operation["responses"].items():
            examples = (
                resolved(document, one).get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
            )
            assert not examples or status >= "400"
            for code, example in examples.items():
                name = example.get("$ref", "").removeprefix("#/components/examples/")
                value = (document["components"]["examples"][name] if name else example)["value"]
                problem.validate(value)
                assert value["code"].partition("/")[0] == code, path
                assert str(value["status"]) == status == str(CODES[code][0]), path


@pytest.mark.parametrize(
    ("answer", "missing"),
    [(("", 418), "418"), (("", 200, {"Content-Type": "text/x-none"}), "text/x-none")],
)
def test_no_test_is_answered_what_the_document_does_not_say(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, answer: Any, missing: str
):
    """Every application of these tests is watched (tests/api/documented.py), codes and headers included."""
    app = make_app()
    monkeypatch.setitem(app.view_functions, "service.healthz", lambda: answer)
    with pytest.raises(AssertionError, match=f"not in the document: .*{missing}"):
        app.test_client().get("/healthz")


def test_every_code_has_a_remedy_and_the_page_lists_them():
    assert set(remedies.REMEDIES) == set(CODES)
    page = (ROOT / "docs" / "problems.md").read_text()
    assert page == remedies.page(), "python -m api.remedies > docs/problems.md"


def test_the_commands_of_the_page_work_as_they_stand(app: Flask):
    """In the order in which they were sent, so that each finds what those before it have made."""
    client: Client = app.test_client()
    for one in EXAMPLES[:12]:
        words = split(one.curl("http://localhost"))
        assert words[0] == "curl"
        data = words[words.index("--data-binary") + 1] if "--data-binary" in words else None
        address = next(word for word in words if word.startswith("http://localhost/"))
        answer = client.open(
            address.removeprefix("http://localhost"), method="GET" if data is None else "POST",
            data=data, headers=[tuple(words[n + 1].split(": ")) for n, word in enumerate(words) if word == "-H"],
        )  # fmt: skip
        assert answer.status_code == one.status, answer.text


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
    assert "`" not in re.sub(r"<pre.*?</pre>", "", page.text, flags=re.DOTALL)
    for _, path, operation in operations(document):
        assert f'id="{operation["operationId"]}"' in page.text, path
    anchors = set(re.findall(r'id="([^"]+)"', page.text))
    assert {one[1:] for one in loads.found if one.startswith("#")} <= anchors | {"main"}


def test_the_document_is_made_once(app: Flask, monkeypatch: pytest.MonkeyPatch):
    first = reference.document(app)
    monkeypatch.setattr("api.openapi.document", lambda app: pytest.fail("made again"))
    assert reference.document(app) == first
