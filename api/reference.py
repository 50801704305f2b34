"""The interface described: `/openapi.json` for programs, `/docs` for people, from the same document."""

from shlex import quote
from typing import Any, Final

import msgspec
from flask import Blueprint, Flask, Response, current_app, request
from markupsafe import Markup

from api import answers, examples, openapi, parsing
from api.problems import CODES, MEDIA_TYPE
from api.remedies import REMEDIES
from api.scopes import needs
from api.viewer import rendering
from api.viewer.asking import PageQuery, chosen
from api.viewer.texts import Texts
from api.wire import NoQuery

bp = Blueprint("reference", __name__)

_KEY: Final = "lanterlog.openapi"
_ARTICLES: Final = "lanterlog.docs"
_NAMES: Final = 8
"""Pages that are kept, which clients could otherwise make as many of as they can think of names."""
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
    texts = chosen(asked)
    article = _article(_app(), texts, request.host_url.rstrip("/"))
    return rendering.page("docs.html", asked, texts, here="docs", article=article)


def _article(app: Flask, texts: Texts, base: str) -> Markup:
    """Return all but the page's frame, kept for each language and each name that the service is called by."""
    kept: dict[tuple[str, str], Markup] = app.extensions.setdefault(_ARTICLES, {})
    key = texts.lang, base
    if (article := kept.get(key)) is None:
        if len(kept) >= _NAMES:
            kept.clear()
        article = kept[key] = rendering.part(
            "docs_article.html", texts, **_told(document(app), base)
        )
    return article


def _told(found: Json, base: str) -> Json:
    groups = {name: list(_operations(found, name, base)) for name in openapi.TAGS}
    return {
        "groups": {name: one for name, one in groups.items() if one},
        "about": [_marked(part) for part in found["info"]["description"].split("\n\n")],
        "codes": [(code, status, text, REMEDIES[code]) for code, (status, text) in CODES.items()],
        "schemas": {name: _pretty(one) for name, one in found["components"]["schemas"].items()},
    }


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


def _operations(found: Json, group: str, base: str) -> list[Json]:
    return [
        _shown(found, method.upper(), path, operation, base)
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
        if group in operation["tags"]
    ]


def _shown(found: Json, method: str, path: str, operation: Json, base: str) -> Json:
    answers = [(status, _resolved(found, one)) for status, one in operation["responses"].items()]
    return {
        "method": method,
        "path": path,
        "id": operation["operationId"],
        "summary": operation["summary"],
        "description": operation.get("description", "").split("\n\n"),
        "sample": _sample(method, path, operation, base),
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


def _sample(method: str, path: str, operation: Json, base: str) -> str:
    """Return a command for a shell: an example that was sent, or the address with its parts filled in."""
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
