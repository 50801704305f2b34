"""`/openapi.json`: the interface as OpenAPI 3.1, made from the structs that requests are read into.

Schemas are msgspec's own, so they say what is really taken; what an address needs comes from its `needs`,
what it takes from `api.described`. Why not SpecTree: docs/decisions/0015-openapi.md. Answers no request.
"""

import re
from typing import Any, Final

from flask import Flask
from werkzeug.routing import Rule

from api import examples, openapi_answers, parameters, parsing
from api.described import TABLE, Described
from api.openapi_schemas import Schemas
from api.parameters import Json
from api.scopes import CLOSED, SCOPES, Need, need_of
from events.version import ENGINE

_PATH: Final = re.compile(r"<(?:(?:\w+):)?(\w+)>")
_IDS: Final = {
    "list_of_game": "list_disputes_of_game",
    "go_on": "act_in_dispute",
    "follow": "follow_game",
    "acts": "acts_fragment",
    "sought_card": "sought_fragment",
    "parts": "replay_parts",
    "steps": "replay_steps",
    "asset": "page_file",
}
"""Where a view's name says too little among all others."""
TAGS: Final[dict[str, str]] = {
    "games": "Open games, record what happens, read them back at any version and from any seat, follow them.",
    "audits": "What breaks the rules, with reasons, and reports for whoever has to decide.",
    "disputes": "Claims about a game, evidence, rulings and appeals, and the search over them.",
    "archive": "Lists over all games: players, findings, figures of chance.",
    "exports": "Games and tables as files, the archive as a stream, and files taken in.",
    "service": "The service itself, and whoever asks.",
    "pages": "What a browser shows, and the parts that its script asks for.",
}
_TAG_OF: Final = {
    **dict.fromkeys(("audits", "reports"), "audits"),
    **dict.fromkeys(("lists", "chances"), "archive"),
    **dict.fromkeys(("session", "service"), "service"),
    **dict.fromkeys(("viewer", "signing", "reporting"), "pages"),
    **{name: name for name in ("disputes", "exports")},
}
_ABOUT: Final = """\
An event-sourced record of card games: 500 Rummy (`rummy500`) and Lanterloo (`lanterloo`).

**Errors** are `application/problem+json` (RFC 9457) with a stable `code`; `GET /v1/problems` lists all of them with what to \
do about each. Unknown fields and parameters are refused, numbers are whole (`3`, not `3.0` or `"3"`) and below 2^53.

**What is hidden at the table is hidden here**: every answer says whose view it is; `viewer` narrows it and never widens it. \
Hidden cards are `??`.

**Commands** (`POST`) may carry an `Idempotency-Key`: the same key again stores nothing and gets the first answer, so that \
whoever heard no answer asks again. `expected_version` is the version that the sender saw; 409 `stale_version` tells the \
version now.

**Lists** come a page at a time: `next` is the `cursor` of the next page, null on the last one. The order is stable: nothing is \
skipped or shown twice while games are recorded.

**Again** costs little: whole answers have an `ETag`, and `If-None-Match` gets a 304 while nothing has changed. `HEAD` is \
answered wherever `GET` is, `Accept-Encoding: gzip` is honoured, `Accept-Language: ja` gets sentences in Japanese.

**Limits**: `RateLimit-*` says how many requests are left, a 429 when to come back (`Retry-After`). A body has at most 1 MiB, a \
file 64 MiB, unless the service is set up otherwise.

**Tokens** go in `Authorization: Bearer ll_...`. Public games are read without one. As long as no token was made at all, the \
service answers this machine alone, and whoever is there may do everything.

**Versions** count the events of a game from 1, **positions** those of the archive's ledger, **deals** from 1, **seats** from 0, \
clockwise. Times are RFC 3339 in UTC, ids UUIDs, hashes and salts hexadecimal."""


def document(app: Flask) -> Json:
    """Return the whole document for an application's addresses."""
    schemas, shared = Schemas(), Json()
    paths: Json = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        path = paths.setdefault(path_of(rule), {})
        view = app.view_functions[rule.endpoint]
        need = need_of(view) or CLOSED
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            path[method.lower()] = _operation(
                schemas, rule, method, need, view.__doc__ or "", shared
            )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lanterlog",
            "version": ENGINE,
            "summary": "Every act of a card game as an event: record, replay, audit, take out",
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The service that gives this document out"}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "responses": dict(sorted(shared.items())),
            "headers": openapi_answers.headers(),
            "examples": openapi_answers.examples_of_problems(),
            "securitySchemes": _SCHEMES,
        },
    }


def operation_id(endpoint: str) -> str:
    """Return the name by which the document calls a view."""
    name = endpoint.rpartition(".")[2]
    return _IDS.get(name, name)


def path_of(rule: Rule) -> str:
    """Return a rule's address as the document writes it."""
    return _PATH.sub(r"{\1}", rule.rule)


_SCHEMES: Final[Json] = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token's secret, `ll_...`, as `lanterlog token create` prints it once. Its scopes, of "
        f"{', '.join(SCOPES)}, stand as roles beside each operation; `admin` is good for all of them.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "lanterlog_session",
        "description": "What `POST /session` turns a token into, for pages: HttpOnly, SameSite=Strict. Whatever "
        "writes has to come from this service's own pages.",
    },
}


def _operation(
    schemas: Schemas, rule: Rule, method: str, need: Need, text: str, shared: Json
) -> Json:
    item = TABLE.get(rule.endpoint, Described(answers={200: None}))
    summary, _, more = text.strip().partition("\n")
    operation: Json = {
        "operationId": operation_id(rule.endpoint),
        "tags": [_tag(rule.endpoint)],
        "summary": summary,
        "parameters": [
            *parameters.of_path(_PATH.findall(rule.rule)),
            *parameters.of_query(item.query),
            *parameters.of_headers(item.headers),
        ],
        "responses": openapi_answers.answers(schemas, rule, item, method, need, shared),
    }
    description = "\n\n".join(part for part in (more.strip(), _needed(need)) if part)
    if description:
        operation["description"] = description
    body = _body(schemas, rule.endpoint, item)
    if body:
        operation["requestBody"] = body
    if need.scope is not None:
        named = [{"token": [need.scope]}, {"session": [need.scope]}]
        operation["security"] = [{}, *named]
    return operation


def _needed(need: Need) -> str:
    """Return in words what the schemes of security cannot say."""
    if need.scope in (None, "games:read"):
        return ""
    whole = ", and not for one game alone" if need.for_all else ""
    return f"Once a token was made, only tokens with scope `{need.scope}` or `admin`{whole}."


def _tag(endpoint: str) -> str:
    if endpoint in ("reference.docs_page", "reference.show_openapi"):
        return "pages" if endpoint.endswith("page") else "service"
    return _TAG_OF.get(endpoint.partition(".")[0], "games")


def _body(schemas: Schemas, endpoint: str, item: Described) -> Json | None:
    if item.body is not None:
        content: Json = {"schema": schemas.of(item.body)}
        given = examples.bodies(endpoint, parsing.JSON)
        if given:
            content["examples"] = given
        return {"required": item.is_body_needed, "content": {parsing.JSON: content}}
    if item.file_types:
        return {
            "required": True,
            "description": _FORM if "multipart/form-data" in item.file_types else _FILE,
            "content": {kind: _file(endpoint, kind) for kind in item.file_types},
        }
    return None


_FILE: Final = (
    "A file of any known format, which is found out by its beginning, whatever its type says."
)
_FORM: Final = "What the page's form sends."


def _file(endpoint: str, kind: str) -> dict[str, Any]:
    given = examples.bodies(endpoint, kind)
    return {"examples": given} if given else {}
