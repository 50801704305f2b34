"""The interface described: `/openapi.json` for programs, `/docs` for people, from the same document."""

from shlex import quote
from typing import Any, Final

import msgspec
from flask import Blueprint, Flask, Response, current_app, request

from api import answers, examples, openapi, parsing
from api.problems import CODES, MEDIA_TYPE
from api.remedies import REMEDIES
from api.scopes import needs
from api.viewer import rendering
from api.viewer.asking import PageQuery, chosen
from api.wire import NoQuery

bp = Blueprint("reference", __name__)

_KEY: Final = "lanterlog.openapi"
_SHOWN: Final = 2
"""Examples of one answer on the page; the document has all of them."""
Json = dict[str, Any]


@bp.get("/openapi.json")
@needs("anyone")
def show_openapi() -> Response:
    """Every address as OpenAPI 3.1."""
    parsing.query(NoQuery)
    return answers.answer(_document(_app()))


@bp.get("/docs")
@parsing.produces("text/html")
@needs("anyone")
def docs_page() -> Response:
    """Every address on one page."""
    asked = parsing.query(PageQuery)
    found = document(_app())
    groups = {name: list(_operations(found, name)) for name in openapi.TAGS}
    return rendering.page(
        "docs.html",
        asked,
        chosen(asked),
        here="docs",
        groups={name: one for name, one in groups.items() if one},
        about=[_marked(part) for part in found["info"]["description"].split("\n\n")],
        codes=[(code, status, text, REMEDIES[code]) for code, (status, text) in CODES.items()],
        schemas={name: _pretty(one) for name, one in found["components"]["schemas"].items()},
    )


def _marked(text: str) -> tuple[str, str]:
    """Return the bold beginning of a paragraph of Markdown, and the rest."""
    head, _, rest = (
        text.removeprefix("**").partition("**") if text.startswith("**") else ("", "", text)
    )
    return head, rest


def document(app: Flask) -> Json:
    """Return an application's document, made once."""
    found: Json = msgspec.json.decode(_document(app))
    return found


def _document(app: Flask) -> msgspec.Raw:
    kept: dict[str, msgspec.Raw] = app.extensions.setdefault(_KEY, {})
    if not kept:
        kept["json"] = msgspec.Raw(msgspec.json.encode(openapi.document(app)))
    return kept["json"]


def _app() -> Flask:
    found = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 - Flask's documented way
    assert isinstance(found, Flask)
    return found


def _operations(found: Json, group: str) -> list[Json]:
    return [
        _shown(found, method.upper(), path, operation)
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
        if group in operation["tags"]
    ]


def _shown(found: Json, method: str, path: str, operation: Json) -> Json:
    answers = [(status, _resolved(found, one)) for status, one in operation["responses"].items()]
    return {
        "method": method,
        "path": path,
        "id": operation["operationId"],
        "summary": operation["summary"],
        "description": operation.get("description", "").split("\n\n"),
        "sample": _sample(method, path, operation),
        "parameters": [_parameter(one) for one in operation["parameters"]],
        "body": _schema(operation.get("requestBody", {})),
        "bodies": _examples(operation.get("requestBody", {})),
        "answers": [_answer(status, one) for status, one in answers if status < "400"],
        "problems": [
            (status, list(one["content"][MEDIA_TYPE]["examples"]))
            for status, one in answers
            if MEDIA_TYPE in one.get("content", {})
        ],
    }


def _resolved(found: Json, one: Json) -> Json:
    name = one.get("$ref", "").rpartition("/")[2]
    return found["components"]["responses"][name] if name else one


def _sample(method: str, path: str, operation: Json) -> str:
    """Return a command for a shell: an example that was sent, or the address with its parts filled in."""
    base = request.host_url.rstrip("/")
    for one in examples.EXAMPLES:
        if openapi.operation_id(one.endpoint) == operation["operationId"] and one.status < 400:
            return one.curl(base)
    parts = {one["name"]: one["example"] for one in operation["parameters"] if "example" in one}
    verb = "" if method == "GET" else f" -X {method}"
    return f"curl{verb} {quote(base + path.format(**parts))}"


def _parameter(one: Json) -> dict[str, str]:
    return {
        "name": one["name"],
        "where": one["in"],
        "text": one["description"],
        "values": _values(one["schema"]),
    }


def _values(schema: Json) -> str:
    """Return in a few words what a parameter may be."""
    if "enum" in schema:
        return " | ".join(f'"{one}"' if one == "" else one for one in schema["enum"])
    words = [schema.get("format") or schema.get("type", "")]
    if "minimum" in schema:
        words.append(f"{schema['minimum']} - {schema.get('maximum', '')}")
    if "maxLength" in schema:
        words.append(f"<= {schema['maxLength']}")
    if "pattern" in schema and "maxLength" not in schema:
        words.append(schema["pattern"])
    if schema.get("default") not in (None, "", False):
        words.append(f"= {schema['default']}")
    return ", ".join(map(str, words))


def _answer(status: str, one: Json) -> Json:
    return {
        "status": status,
        "description": one["description"],
        "types": list(one.get("content", {})),
        "schema": _schema(one),
        "headers": list(one.get("headers", {})),
        "texts": [
            content["schema"]["description"]
            for content in one.get("content", {}).values()
            if "description" in content.get("schema", {})
        ],
        "examples": _examples(one)[:_SHOWN],
    }


def _schema(one: Json) -> str:
    """Return the name of the shape of a body or an answer, empty if it has none of its own."""
    for content in one.get("content", {}).values():
        if "$ref" in content.get("schema", {}):
            return str(content["schema"]["$ref"]).rpartition("/")[2]
    return ""


def _examples(one: Json) -> list[tuple[str, str]]:
    return [
        (name, example["value"] if isinstance(example["value"], str) else _pretty(example["value"]))
        for content in one.get("content", {}).values()
        for name, example in content.get("examples", {}).items()
    ]


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
