"""`/openapi.json`: the interface as OpenAPI 3.1, made from the structs that requests are read into.

Schemas are msgspec's own, so they say what is really taken; what an address needs comes from its `needs`,
what it takes from `api.described`. Why not SpecTree: docs/decisions/0015-openapi.md. Answers no request.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from flask import Flask
from werkzeug.routing import Rule

from api import examples, parsing
from api.described import TABLE, Described
from api.problems import CODES, MEDIA_TYPE
from api.scopes import CLOSED, Need, need_of
from api.wire import NoQuery
from events.games import GAMES
from events.version import ENGINE

Json = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
_SAFE: Final = frozenset({"GET", "HEAD"})
_PATH: Final = re.compile(r"<(?:(?:\w+):)?(\w+)>")
_PARAMETERS: Final[dict[str, Json]] = {
    "game_id": {"type": "string", "format": "uuid"},
    "dispute_id": {"type": "string", "format": "uuid"},
    "card": {"type": "string", "pattern": "^(?:[A2-9TJQK][SHDC]'?|X[1-4])$"},
    "name": {"type": "string", "pattern": r"^[a-z_]{1,40}\.(?:js|css|svg)$"},
}
_HEADERS: Final[dict[str, Json]] = {
    "Idempotency-Key": {"type": "string", "pattern": "^[!#-+.-~-]{1,200}$"},
    "Last-Event-ID": {"type": "string", "pattern": "^[0-9]{1,9}$"},
}
_VIEWER: Final = {"type": "string", "enum": ["public", "all", *map(str, range(8))]}
_HTML: Final = "text/html"
_PAGES: Final = {"viewer.parts", "viewer.steps", "viewer.asset"}
"""What belongs to a page without being one."""
_ALWAYS: Final = (
    *("bad_request", "token_in_url", "wrong_host", "internal_error", "not_acceptable"),
    *("address_too_long", "headers_too_large", "expectation_failed", "unknown_coding"),
    "too_many_connections",
)
_OF_A_BODY: Final = ("bad_json", "bad_body", "wrong_media_type", "body_too_large", "too_slow")
_OF_A_STORE: Final = ("store_unavailable",)


def document(app: Flask) -> Json:
    """Return the whole document for an application's addresses."""
    schemas = Schemas()
    paths: Json = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        path = paths.setdefault(_PATH.sub(r"{\1}", rule.rule), {})
        need = need_of(app.view_functions[rule.endpoint]) or CLOSED
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            text = app.view_functions[rule.endpoint].__doc__ or ""
            path[method.lower()] = _operation(schemas, rule, method, need, text)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lanterlog",
            "version": ENGINE,
            "summary": "Every act of a card game as an event: record, replay, audit, take out",
            "description": "Errors are problem+json with a stable `code`. What is hidden at the table is hidden here.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`lanterlog token create`",
                },
                "session": {"type": "apiKey", "in": "cookie", "name": "lanterlog_session"},
            },
        },
    }


class Schemas:
    """The structs of the document, each once."""

    def __init__(self) -> None:
        self._types = [
            *{one for item in TABLE.values() for one in item.answers.values() if one is not None},
            *{item.body for item in TABLE.values() if item.body is not None},
            *(GAMES[name].event_type for name in GAMES),
        ]
        found, self._components = msgspec.json.schema_components(self._types, ref_template=_REF)
        self._found = list(zip(self._types, map(_mended, found), strict=True))
        self._events = [f"{name}.Event" for name in GAMES]

    def of(self, kind: Any) -> Json:
        """Return the schema of a type of the table."""
        return next(schema for one, schema in self._found if one is kind or one == kind)

    def components(self) -> Json:
        """Return every schema by name."""
        made: Json = {
            name: self._with_events(_mended(one)) for name, one in self._components.items()
        }
        for name, title in zip(GAMES, self._events, strict=True):
            made[title] = self.of(GAMES[name].event_type)
        made["Event"] = {"anyOf": [{"$ref": _REF.format(name=one)} for one in self._events]}
        made["Problem"] = _problem_schema()
        return dict(sorted(made.items()))

    def _with_events(self, schema: Json) -> Json:
        """Say where events stand: they are taken from the raw bytes, so the struct does not."""
        event = {"$ref": _REF.format(name="Event")}
        properties = schema.get("properties", {})
        if "t" in properties:  # of an event every field is written
            schema["required"] = list(properties)
        if schema.get("title") == "Line":
            return schema  # of a dispute, not of a game
        for name in ("event", "events", "acts", "due"):
            if properties.get(name) == {}:
                properties[name] = event
            elif properties.get(name, {}).get("items") == {}:
                properties[name]["items"] = event
        return schema


def _operation(schemas: Schemas, rule: Rule, method: str, need: Need, text: str) -> Json:
    item = TABLE.get(rule.endpoint, Described(answers={200: None}))
    operation: Json = {
        "operationId": rule.endpoint.partition(".")[2] or rule.endpoint,
        "tags": [_tag(rule.rule)],
        "summary": text.strip().partition("\n")[0],
        "parameters": [*_path(rule), *_query(item.query), *_headers(item)],
        "responses": _answers(schemas, rule, item, _codes(item, rule, method, need)),
    }
    description = text.strip().partition("\n")[2].strip()
    if description:
        operation["description"] = description
    body = _body(schemas, rule.endpoint, item)
    if body:
        operation["requestBody"] = body
    if need.scope is not None:
        named = [{"token": [need.scope]}, {"session": [need.scope]}]
        operation["security"] = [{}, *named]
    return operation


def _tag(path: str) -> str:
    parts = path.strip("/").split("/")
    if parts[0] == "v1":
        return "games" if parts[1] == "games" else "archive"
    return "service" if parts[0] in _SERVICE else "pages"


_SERVICE: Final = {"healthz", "readyz", "metrics", "openapi.json", "session"}


def _path(rule: Rule) -> Iterator[Json]:
    for name in _PATH.findall(rule.rule):
        yield {"name": name, "in": "path", "required": True, "schema": _PARAMETERS[name]} | (
            examples.parameter(name)
        )


def _query(kind: type[Any]) -> Iterator[Json]:
    if kind is NoQuery:
        return
    (_,), components = msgspec.json.schema_components([kind], ref_template=_REF)
    schema = _mended(components[kind.__name__])
    for name, one in schema["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "schema": _VIEWER if name == "viewer" else _without_null(one),
        }


def _headers(item: Described) -> Iterator[Json]:
    for name in item.headers:
        yield {"name": name, "in": "header", "required": False, "schema": _HEADERS[name]}


def _without_null(schema: Json) -> Json:
    """Return the schema of a parameter, which is there or not, but never null."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    found = kinds[0] if len(kinds) == 1 else schema | ({"anyOf": kinds} if kinds else {})
    if "enum" in found:
        found = found | {"enum": [one for one in found["enum"] if one is not None]}
    return {key: value for key, value in found.items() if key != "default" or value is not None}


def _body(schemas: Schemas, endpoint: str, item: Described) -> Json | None:
    if item.body is not None:
        content: Json = {"schema": schemas.of(item.body)}
        given = examples.bodies(endpoint)
        if given:
            content["examples"] = given
        return {"required": item.is_body_needed, "content": {parsing.JSON: content}}
    if item.file_types:
        return {"required": True, "content": {kind: {} for kind in item.file_types}}
    return None


def _answers(schemas: Schemas, rule: Rule, item: Described, codes: Iterable[str]) -> Json:
    found: Json = {}
    for status, kind in item.answers.items():
        found[str(status)] = {"description": "Done" if status != 200 else "Found"} | (
            {"content": _content(schemas, rule.endpoint, status, item, kind)} if item.types else {}
        )
    if "GET" in (rule.methods or ()):
        found["304"] = {"description": "Nothing has changed since that ETag"}
    for status, of_it in _by_status(codes).items():
        found[str(status)] = {
            "description": "; ".join(f"`{code}`: {CODES[code][1]}" for code in of_it),
            "content": {
                MEDIA_TYPE: {
                    "schema": {"$ref": _REF.format(name="Problem")},
                    "examples": {code: {"value": _problem(code)} for code in of_it},
                },
                # A page says what is wrong on a page, once it is known to be one.
                **({_HTML: {}} if _HTML in item.types or rule.endpoint in _PAGES else {}),
            },
        }
    return found


def _content(schemas: Schemas, endpoint: str, status: int, item: Described, kind: Any) -> Json:
    found: Json = {one: {} for one in item.types}
    if kind is not None and parsing.JSON in found:
        found[parsing.JSON] = {"schema": schemas.of(kind)}
        given = examples.answers(endpoint, status)
        if given:
            found[parsing.JSON]["examples"] = given
    return found


def _codes(item: Described, rule: Rule, method: str, need: Need) -> list[str]:
    """Return every code that an address can answer with, in the order of the table of codes."""
    found = {*_ALWAYS, *item.problems, "bad_query"}
    if item.body is not None or item.file_types:
        found |= {*_OF_A_BODY, "other_origin"}
    if method not in _SAFE:
        found.add("other_origin")
    if "game_id" in rule.arguments:
        found |= {"unknown_game", "not_found"}
    elif rule.arguments:
        found.add("not_found")
    if need.kind is not None:
        found |= {"too_many_requests", *_OF_A_STORE}
    if need.scope is not None:
        found |= {"bad_token", *_OF_A_STORE}
        if need.scope != "games:read":
            found |= {"token_needed", "not_allowed"}
    return [code for code in CODES if code in found]


def _by_status(codes: Iterable[str]) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = {}
    for code in codes:
        found.setdefault(CODES[code][0], []).append(code)
    return dict(sorted(found.items()))


def _problem(code: str) -> Json:
    status, title = CODES[code]
    return {
        "type": f"/v1/problems#{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": title,
        "request_id": "0123456789abcdef",
    }


def _problem_schema() -> Json:
    text = {"type": "string"}
    return {
        "title": "Problem",
        "description": "An error (RFC 9457); `code` never changes its meaning. Some codes have more members.",
        "type": "object",
        "properties": {
            "type": text | {"description": "`/v1/problems#` and the family of the code"},
            "title": text,
            "status": {"type": "integer"},
            "code": text | {"pattern": f"^(?:{'|'.join(CODES)})(?:/[A-Z0-9_]+)?$"},
            "detail": text,
            "request_id": {"type": ["string", "null"]},
            "rule": text | {"description": "Of 422 `rule/...`: the first rule broken"},
            "version": {"type": "integer", "description": "The version that the game has now"},
        },
        "required": ["type", "title", "status", "code", "detail", "request_id"],
    }


def _mended(schema: Any) -> Any:
    r"""Return msgspec's schema with patterns as every language reads them (`\Z` is Python's)."""
    match schema:
        case dict():
            return {
                key: value.replace(r"\Z", "$") if key == "pattern" else _mended(value)
                for key, value in schema.items()
            }
        case list():
            return [_mended(one) for one in schema]
    return schema
