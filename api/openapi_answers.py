"""The answers in `/openapi.json`: statuses with their types and headers, and every code that an address can have."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from werkzeug.routing import Rule

from api import examples, parsing
from api.described import EVENT_STREAM, Described
from api.openapi_schemas import Schemas, ref
from api.parameters import Json
from api.problems import CODES, MEDIA_TYPE, body_of
from api.remedies import REMEDIES
from api.scopes import Need

SAFE: Final = frozenset({"GET", "HEAD"})
_HTML: Final = "text/html"
_PAGES: Final = {"viewer.parts", "viewer.steps", "viewer.asset"}
"""What belongs to a page without being one."""
_ALWAYS: Final = (
    *("bad_request", "token_in_url", "wrong_host", "internal_error", "not_acceptable"),
    *("address_too_long", "headers_too_large", "expectation_failed", "unknown_coding"),
    "too_many_connections",
)
_OF_A_BODY: Final = ("wrong_media_type", "body_too_large", "too_slow")
_OF_JSON: Final = ("bad_json", "bad_body")
_OF_A_STORE: Final = ("store_unavailable", "connection_lost")
_SAID: Final = {
    200: "Found",
    201: "Stored",
    204: "Done",
    303: "Done: go on to the page that Location names",
}
_EVENT: Final = {"x-item-schema": ref("EventLine")}
_TEXTS: Final[dict[tuple[str, str], Json]] = {
    ("streams.follow", EVENT_STREAM): _EVENT
    | {
        "description": "Messages of server-sent events. `event: version` has a version as its `id` and one JSON "
        "object, an `EventLine` without `remark`, as its `data`; `event: end` has a `StreamEnd`, and nothing comes "
        "after it. A comment comes every 15 seconds in which nothing else does. `retry` is 2000 milliseconds.",
        "x-end-schema": ref("StreamEnd"),
    },
    ("replays.list_events", parsing.NDJSON): _EVENT
    | {"description": "One `EventLine` a line; the header `Link` leads to the next page, if there is one."},
    ("exports.export_ndjson", parsing.NDJSON): {
        "description": "A line for the game, one for each event, one for each dispute and each of its events."
    },
    ("exports.export_all", parsing.NDJSON): {
        "description": "Parts, each a line `part` and the lines of its events; the last line is the trailer, `end`, "
        "with counts, the SHA-256 of all bytes before it, and the position to go on from. Without it the stream "
        "was cut off."
    },
    ("exports.export_all", "text/csv"): {
        "description": "RFC 4180, UTF-8, with a head; the last line is `# ` and the trailer, as in NDJSON."
    },
    ("exports.export_all", parsing.PLAIN): {
        "description": "Whole games and disputes in table notation; the last line is `# ` and the trailer, as in NDJSON."
    },
}  # fmt: skip
_HEADERS: Final[dict[str, Json]] = {
    "X-Request-Id": {"description": "The request's name in the service's log.", "required": True},
    "ETag": {"description": "A weak hash of the answer, for `If-None-Match`."},
    "Content-Language": {"description": "The language of the sentences: `en` or `ja`."},
    "Location": {"description": "The address of what was made, or of the page to go on to.", "required": True},
    "Link": {"description": "`rel=\"next\"`: the next page, if there is one."},
    "Content-Disposition": {"description": "A name for the file.", "required": True},
    "Set-Cookie": {"description": "The session, or that it has ended: HttpOnly, SameSite=Strict."},
    "WWW-Authenticate": {"description": "`Bearer`, and what was wrong with the token, as of RFC 6750.", "required": True},
    "Retry-After": {"description": "Seconds after which it is worth another try.", "required": True},
    "RateLimit-Limit": {"description": "Requests of this kind that are allowed in a window."},
    "RateLimit-Remaining": {"description": "How many of them are left."},
    "RateLimit-Reset": {"description": "Seconds until the count begins anew."},
    "RateLimit-Policy": {"description": "The limit and `w`, its window in seconds."},
}  # fmt: skip
_WHOLE: Final = frozenset({"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"})


def headers() -> Json:
    """Return every header of an answer by name."""
    return {
        name: one | {"schema": {"type": "integer" if name in _WHOLE else "string"}}
        for name, one in _HEADERS.items()
    }


def codes(item: Described, rule: Rule, method: str, need: Need) -> list[str]:
    """Return every code that an address can answer with, in the order of the table of codes."""
    found = {*_ALWAYS, *item.problems, "bad_query"}
    if item.body is not None:
        found |= {*_OF_A_BODY, *_OF_JSON}
    if item.file_types:
        found |= {*_OF_A_BODY}
    if method not in SAFE:
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


def answers(
    schemas: Schemas, rule: Rule, item: Described, method: str, need: Need, shared: Json
) -> Json:
    """Return every answer of an address by status; refusals that are like those of others go into *shared*."""
    limits = [name for name in _HEADERS if name.startswith("RateLimit") and need.kind is not None]
    made: Json = {}
    for status, kind in item.answers.items():
        names = ["X-Request-Id", *limits, *_of_success(rule, item, method, status)]
        made[str(status)] = {"description": _SAID.get(status, "Not accepted")}
        made[str(status)] |= {"headers": _named(names)}
        if item.types:
            made[str(status)]["content"] = _content(schemas, rule.endpoint, status, item, kind)
    if method == "GET" and not item.is_streamed:
        made["304"] = {
            "description": "Nothing has changed since that ETag",
            "headers": _named(["X-Request-Id", "ETag"]),
        }
    is_page = _HTML in item.types or rule.endpoint in _PAGES
    for status, of_it in _by_status(codes(item, rule, method, need)).items():
        found = _refusal(rule.endpoint, of_it, limits, is_page=is_page)
        if str(status) in made:
            made[str(status)].update(found)
        elif any(examples.problem(rule.endpoint, code) for code in of_it):
            made[str(status)] = found
        else:
            name = ".".join([*of_it, *(["page"] if is_page else [])])
            shared[name] = found
            made[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return made


def _of_success(rule: Rule, item: Described, method: str, status: int) -> Iterator[str]:
    if method == "GET" and not item.is_streamed:
        yield "ETag"
    if item.is_told or (_HTML in item.types and "export" not in rule.endpoint):
        yield "Content-Language"
    if status == 303 or (status == 201 and not item.file_types and "events" not in rule.rule):
        yield "Location"
    if rule.endpoint.startswith("exports.export"):
        yield "Content-Disposition"
    if rule.endpoint == "replays.list_events":
        yield "Link"
    if method != "GET" and ("session" in rule.endpoint or "sign_" in rule.endpoint):
        yield "Set-Cookie"


def _refusal(endpoint: str, found: list[str], limits: list[str], *, is_page: bool) -> Json:
    status = CODES[found[0]][0]
    names = ["X-Request-Id", "Content-Language"]
    if status in (401, 429, 503):
        names.append("WWW-Authenticate" if status == 401 else "Retry-After")
    if status == 429:
        names += limits
    content: Json = {
        MEDIA_TYPE: {
            "schema": ref("Problem"),
            "examples": {code: _example(endpoint, code) for code in found},
        }
    }
    if is_page:  # which says what is wrong on a page, once it is known to be one
        content[_HTML] = {"schema": {"type": "string"}}
    told = "; ".join(f"`{code}`: {CODES[code][1]}" for code in found)
    return {"description": told, "headers": _named(names), "content": content}


def examples_of_problems() -> Json:
    """Return for every code the like of what is answered, by name, for addresses that nobody asked for it."""
    return {
        code: {"summary": REMEDIES[code], "value": body_of(code, title, "0123456789abcdef")}
        for code, (_, title) in CODES.items()
    }


def _example(endpoint: str, code: str) -> Json:
    given = examples.problem(endpoint, code)
    if given is None:
        return {"$ref": f"#/components/examples/{code}"}
    return {"summary": REMEDIES[code], "value": given}


def _named(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _content(schemas: Schemas, endpoint: str, status: int, item: Described, kind: Any) -> Json:
    found: Json = {}
    for one in item.types:
        schema = {"type": "string"} | _TEXTS.get((endpoint, one), {})
        found[one] = {"schema": schemas.of(kind) if one == parsing.JSON else schema}
        given = examples.answers(endpoint, status, one)
        if given:
            found[one]["examples"] = given
    return found


def _by_status(found: Iterable[str]) -> Mapping[int, list[str]]:
    by: dict[int, list[str]] = {}
    for code in found:
        by.setdefault(CODES[code][0], []).append(code)
    return dict(sorted(by.items()))
