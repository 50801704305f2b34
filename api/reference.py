"""The interface described: `/openapi.json` for programs, `/docs` for people, from the same document."""

from typing import Any, Final

import msgspec
from flask import Blueprint, Flask, Response, current_app

from api import answers, openapi, parsing
from api.scopes import needs
from api.viewer import rendering
from api.viewer.asking import PageQuery, chosen
from api.wire import NoQuery

bp = Blueprint("reference", __name__)

_KEY: Final = "lanterlog.openapi"
_GROUPS: Final = ("games", "archive", "service", "pages")


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
    groups = {name: list(_operations(found, name)) for name in _GROUPS}
    return rendering.page(
        "docs.html",
        asked,
        chosen(asked),
        here="docs",
        groups={name: one for name, one in groups.items() if one},
        schemas={name: _pretty(one) for name, one in found["components"]["schemas"].items()},
    )


def document(app: Flask) -> dict[str, Any]:
    """Return an application's document, made once."""
    found: dict[str, Any] = msgspec.json.decode(_document(app))
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


def _operations(found: dict[str, Any], group: str) -> list[dict[str, Any]]:
    return [
        _shown(method.upper(), path, operation)
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
        if group in operation["tags"]
    ]


def _shown(method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    scopes = [scope for way in operation.get("security", ()) for scope in way.get("token", ())]
    return {
        "method": method,
        "path": path,
        "id": operation["operationId"],
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "scope": scopes[0] if scopes else "",
        "parameters": [_parameter(one) for one in operation["parameters"]],
        "bodies": _examples(operation.get("requestBody", {})),
        "answers": [_answer(status, one) for status, one in operation["responses"].items()],
    }


def _parameter(one: dict[str, Any]) -> dict[str, str]:
    schema = {key: value for key, value in one["schema"].items() if key != "title"}
    return {"name": one["name"], "where": one["in"], "schema": msgspec.json.encode(schema).decode()}


def _answer(status: str, one: dict[str, Any]) -> dict[str, Any]:
    schemas = [
        content["schema"]["$ref"].rpartition("/")[2]
        for content in one.get("content", {}).values()
        if "$ref" in content.get("schema", {})
    ]
    return {
        "status": status,
        "description": one["description"],
        "types": list(one.get("content", {})),
        "schema": schemas[0] if schemas else "",
        "examples": _examples(one) if status < "300" else [],
    }


def _examples(one: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (example.get("summary", name), _pretty(example["value"]))
        for content in one.get("content", {}).values()
        for name, example in content.get("examples", {}).items()
    ]


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
