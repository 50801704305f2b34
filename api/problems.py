"""Errors as application/problem+json (RFC 9457), each with a stable code.

The table of codes is the promise to clients: a code never changes its meaning, and `GET /v1/problems`
lists them. Nothing here may show a stack trace, a path of this machine, or a card that the reader of
the answer may not see: what a refused act broke comes from `api.viewing`, already narrowed.
"""

from http import HTTPStatus
from typing import Any, Final

import structlog
from flask import Flask, Response, g
from sqlalchemy.exc import DataError, DBAPIError, NotSupportedError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import ClientDisconnected, HTTPException
from werkzeug.routing import RequestRedirect

from api.wire import encode
from events.errors import (
    AlteredFile,
    AlteredLog,
    CommandReused,
    ConnectionLost,
    DisputeError,
    FormatError,
    GameFull,
    LanterlogError,
    NoSuchDeal,
    NoSuchVersion,
    NotStorable,
    OtherHead,
    RequestError,
    StaleVersion,
    StoreBusy,
    StoreUnavailable,
    UnknownDispute,
    UnknownGame,
)
from events.postgres import OUT_OF_MEANS

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER: Final = 1
"""Seconds after which a busy or restarting database is worth another try."""

CODES: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, "The request cannot be read as HTTP"),
    "bad_json": (400, "The body is not JSON, or holds a key twice"),
    "bad_body": (400, "A field of the body is missing, unknown or out of range"),
    "bad_event": (400, "An event is not written as its canonical text"),
    "bad_query": (400, "A parameter of the address is unknown, doubled or out of range"),
    "bad_cursor": (400, "The cursor is none that this service gave out"),
    "token_in_url": (400, "A token stood in the address, where others read it: revoke it"),
    "bad_idempotency_key": (400, "The header Idempotency-Key cannot be a key"),
    "expected_version_missing": (
        400,
        "Only acts that race, such as calls, need no expected_version",
    ),
    "token_needed": (401, "Here only a token may do that"),
    "bad_token": (401, "The token is wrong, revoked or expired"),
    "not_allowed": (403, "The token is not good for that"),
    "other_origin": (403, "A page of another origin may not write here"),
    "open_table_needed": (403, "Only an open table or a seat's token may do that"),
    "not_found": (404, "There is nothing at this address"),
    "unknown_game": (404, "There is no such game"),
    "unknown_dispute": (404, "There is no such dispute"),
    "unknown_version": (404, "The game has no such version"),
    "unknown_deal": (404, "The game has no such deal"),
    "unknown_card": (404, "There is no such card"),
    "method_not_allowed": (405, "The address does not answer this method"),
    "not_acceptable": (406, "The address has nothing of a type that is accepted"),
    "too_slow": (408, "The request did not come whole in time"),
    "stale_version": (409, "Another append came first"),
    "other_game": (409, "The chosen game id belongs to another game"),
    "other_head": (409, "The game is here already and ends otherwise"),
    "game_full": (409, "The game has no version left"),
    "body_too_large": (413, "The body is larger than this service takes"),
    "address_too_long": (414, "The address is longer than this service reads"),
    "wrong_media_type": (415, "The body is not of a type that is taken here"),
    "expectation_failed": (417, "The header Expect asks for what this service does not do"),
    "wrong_host": (421, "This service does not answer to that name"),
    "rule": (422, "A refereed table refuses the act; the code names the first rule broken"),
    "dispute": (422, "That cannot be done in the dispute as it stands, or not by this token"),
    "ruleset": (422, "No table can play by these options"),
    "command_reused": (422, "The Idempotency-Key stood for another request"),
    "too_much": (422, "What is asked for is more than one answer is made of: narrow it"),
    "not_storable": (422, "The store cannot hold what was sent"),
    "bad_file": (422, "The file is not in a format that is known; nothing of it was stored"),
    "altered_log": (422, "The file or its chain of hashes was altered; nothing of it was stored"),
    "too_many_requests": (429, "Too many requests of this kind: wait as long as Retry-After says"),
    "too_many_own_streams": (
        429,
        "You follow games as often as one may at the same time: end one, or ask for the events instead",
    ),
    "too_many_connections": (429, "This address has more connections than it may"),
    "headers_too_large": (431, "The headers are more or larger than this service reads"),
    "internal_error": (500, "The service failed; its log says more under the request id"),
    "unknown_coding": (501, "The body comes in a transfer coding that this service does not read"),
    "too_many_streams": (
        503,
        "Too many follow games here: ask for the events instead, or try again",
    ),
    "too_many_at_once": (503, "Too many ask for such an answer at this moment: try again"),
    "store_busy": (503, "Another transaction was in the way: try again"),
    "connection_lost": (503, "The database went away: the same call again tells what was stored"),
    "store_unavailable": (503, "The database cannot be reached, or cannot work at this moment"),
    "not_ready": (503, "Something that the service needs is missing"),
}

GUARDED: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
}
"""Headers of whatever is no page: nobody else's page shows it, reads it, or takes it for something to run."""

_BY_ERROR: Final[tuple[tuple[type[LanterlogError], str], ...]] = (
    (UnknownGame, "unknown_game"),
    (UnknownDispute, "unknown_dispute"),
    (NoSuchVersion, "unknown_version"),
    (NoSuchDeal, "unknown_deal"),
    (StaleVersion, "stale_version"),
    (CommandReused, "command_reused"),
    (AlteredLog, "altered_log"),
    (OtherHead, "other_head"),
    (GameFull, "game_full"),
    (NotStorable, "not_storable"),
    (StoreBusy, "store_busy"),
    (ConnectionLost, "connection_lost"),
    (AlteredFile, "altered_log"),
    (FormatError, "bad_file"),
)
_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "wrong_media_type",
    429: "too_many_requests",
}
_AGAIN: Final = {"too_many_own_streams": 15}
"""Seconds that `Retry-After` tells, where not those of `RETRY_AFTER`."""
_CHALLENGES: Final = {
    "token_needed": 'Bearer realm="lanterlog"',
    "bad_token": 'Bearer realm="lanterlog", error="invalid_token"',
    "not_allowed": 'Bearer realm="lanterlog", error="insufficient_scope"',
}

_log = structlog.get_logger("lanterlog.http")


def register(app: Flask) -> None:
    """Answer every error of the application with a problem, whatever it is."""
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(LanterlogError, answer_to)
    app.register_error_handler(StoreUnavailable, _database)
    app.register_error_handler(DBAPIError, _database)
    app.register_error_handler(PoolTimeout, _database)
    app.register_error_handler(Exception, _unforeseen)


def problem(code: str, detail: str, **members: Any) -> Response:
    """Return the answer for a code of the table; `rule/X` and `ruleset/X` belong to their family."""
    g.problem = code
    family = code.partition("/")[0]
    status, _ = CODES[family]
    body = body_of(code, detail, g.get("request_id")) | members
    answer = Response(encode(body), HTTPStatus(status), content_type=MEDIA_TYPE)
    answer.headers["Content-Language"] = "en"
    if code in _CHALLENGES:
        answer.headers["WWW-Authenticate"] = _CHALLENGES[code]
    if status == HTTPStatus.SERVICE_UNAVAILABLE or code in _AGAIN:
        answer.headers["Retry-After"] = str(_AGAIN.get(code, RETRY_AFTER))
    return answer


def body_of(code: str, detail: str, request_id: str | None) -> dict[str, Any]:
    """Return the members that every problem has."""
    family = code.partition("/")[0]
    status, title = CODES[family]
    return {
        "type": f"/v1/problems#{family}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": request_id,
    }


def answer_to(error: LanterlogError) -> Response:
    """Return the answer that an error of ours gets."""
    if isinstance(error, RequestError):
        return problem(error.code, str(error), **error.members)
    if isinstance(error, DisputeError):
        first = error.violations[0]
        return problem(
            f"dispute/{first.code}", str(error), rule=first.rule, violations=error.violations
        )
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return problem(code, str(error), **_members(error))
    return _unforeseen(error)


def _members(error: LanterlogError) -> dict[str, Any]:
    match error:
        case StaleVersion() | OtherHead():
            return {"game_id": error.game_id, "version": error.current}
        case AlteredLog():
            return {"game_id": error.game_id, "version": error.version}
        case NoSuchVersion():
            return {"version": error.last}
        case AlteredFile():
            place = {"game_id": error.game_id, "version": error.version}
            return {"line": error.line, "reason": error.reason} | place
        case FormatError():
            return {"line": error.line, "reason": error.reason}
        case _:
            return {}


def _http(error: HTTPException) -> Response | HTTPException:
    if isinstance(error, RequestRedirect):
        return error
    code = _BY_STATUS.get(error.code or 500)
    if isinstance(error, ClientDisconnected):
        code = "too_slow"
    if code is None:
        code = "bad_request" if (error.code or 500) < 500 else "internal_error"
    answer = problem(code, CODES[code][1])
    for name, value in error.get_headers():
        if name in {"Allow", "Retry-After"}:
            answer.headers[name] = value
    return answer


def _database(error: Exception) -> Response:
    if isinstance(error, DBAPIError) and not error.connection_invalidated and not _refused(error):
        return _unforeseen(error)
    _log.error(
        "database out of reach or means", request_id=g.get("request_id"), reason=_first_line(error)
    )
    # A connection that was there and broke, perhaps at COMMIT: what was asked may have been done.
    was_there = isinstance(error, DBAPIError) and error.connection_invalidated
    code = "connection_lost" if was_there else "store_unavailable"
    return problem(code, CODES[code][1])


def _unforeseen(error: Exception) -> Response:
    _log.error("request failed", request_id=g.get("request_id"), exc_info=error)
    return problem("internal_error", CODES["internal_error"][1])


def _refused(error: DBAPIError) -> bool:
    """Whether no connection came about at all, when the driver's error has no SQLSTATE, or one that cannot work.

    Nor has one about a value that the driver itself does not send, which is a fault of ours.
    """
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(OUT_OF_MEANS)
    return not isinstance(error, DataError | ProgrammingError | NotSupportedError)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]
