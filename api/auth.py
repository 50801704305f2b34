"""Who sends a request: reads the Authorization header or the page's cookie, and lets in or refuses.

Works in two steps, so that too many attempts can be refused between them: `identify` finds out, `admit`
decides. The database is asked anew for every request, so a revocation counts at once. Nothing here writes a
log: what it handles are secrets.
"""

import errno
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from flask import Flask, current_app, g, request

from api import access, tokens
from api.access import Service
from api.asker import Asker, not_allowed, verdict
from api.scopes import CLOSED, Need, need_of
from api.scopes import needs as needs  # noqa: PLC0414 - a view's author looks for it here
from api.tokens import Token
from events.errors import RequestError

COOKIE: Final = "lanterlog_session"
AGAIN: Final = 5.0
"""Seconds after which it is asked again whether a long answer may go on."""
_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)


def identify() -> None:
    """Find out whose token a request carries; what is wrong with it is said by `admit`."""
    g.token, g.by_cookie, g.refusal = None, False, None
    g.asker = Asker(scope=None)
    g.need = _need()
    if g.need is None or g.need.scope is None:
        return
    header = request.headers.get("Authorization")
    cookie = request.cookies.get(cookie_name())
    if header is not None:
        g.token = _bearer(header)
        if g.token is None:
            g.refusal = "bad_token"
    elif cookie is not None:
        # A session that is over leaves a visitor without a token, who may still read.
        with access.reading() as conn:
            g.token = tokens.use_session(conn, cookie)
        g.by_cookie = g.token is not None


def admit() -> None:
    """Let the request through to its view, as whoever it is; raise RequestError."""
    need: Need | None = g.need
    if need is None or need.scope is None:
        return
    if g.refusal is not None:
        raise RequestError(
            g.refusal, "the token is wrong, revoked or expired, expected 'Bearer ll_...'"
        )
    match verdict(need, g.token, (request.view_args or {}).get("game_id"), has_tokens):
        case "yes" if g.token is not None:
            g.asker = Asker(scope=need.scope, token=g.token)
        case "yes":
            g.asker = Asker(scope=need.scope, trusted=True, open_table=_is_open_table())
        case "as nobody":
            g.asker = Asker(scope=need.scope, open_table=_is_open_table())
        case "token_needed":
            raise RequestError("token_needed", f"no token, expected one with {need.scope}")
        case "not_allowed":
            where = "all games" if need.for_all else "this"
            raise not_allowed(
                f"this token, expected one with {need.scope} for {where}", scope=need.scope
            )


def while_admitted(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Return the parts of a long answer to the running request, for as long as its asker may have it.

    Then they raise ConnectionResetError: the answer breaks off, and whoever asks for the rest is told why.
    """
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 - Flask's documented way
    return _while_admitted(parts, app, dict(request.environ))


def _while_admitted(
    parts: Iterable[bytes], app: Flask, environment: dict[str, Any]
) -> Iterator[bytes]:
    due = time.monotonic() + AGAIN
    for part in parts:
        if time.monotonic() >= due:
            try:
                with app.request_context(environment):
                    identify()
                    admit()
            except RequestError as error:
                raise ConnectionResetError(errno.ECONNRESET, error.code) from error
            due = time.monotonic() + AGAIN
        yield part


def has_tokens() -> bool:
    """Tell whether a token was ever made here; that one was is remembered, since it stays so."""
    known = current_app.extensions.setdefault("lanterlog.tokens", set())
    if not known:
        with access.reading() as conn:
            if tokens.are_there(conn):
                known.add(True)
    return bool(known)


def cookie_name() -> str:
    """Return the cookie's name; over TLS one that no other host and no plain page can set."""
    return f"__Host-{COOKIE}" if request.is_secure else COOKIE


def _need() -> Need | None:
    """Return what the address needs, None where there is no address; one that does not say is closed."""
    view = current_app.view_functions.get(request.endpoint or "")
    return None if view is None else need_of(view) or CLOSED


def _bearer(header: str) -> Token | None:
    """Return the token of an Authorization header; two headers, or another scheme, have none."""
    found = _BEARER.fullmatch(header.strip())
    if found is None:
        return None
    with access.reading() as conn:
        return tokens.use(conn, found[1])


def _is_open_table() -> bool:
    """Tell whether whoever reaches the port is the table: not where there are tokens."""
    return Service.current().config.open_table and not has_tokens()
