"""The page's session: a token is shown once, and the browser gets a cookie that no script can read.

The cookie holds a secret of its own, of which the database knows the hash: not the token's. It ends with the
token, or when it is closed.
"""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, g, request

from api import access, answers, auth, parsing, tokens, wire
from api.access import Service
from api.scopes import needs
from api.times import microseconds, rfc3339
from api.tokens import Token
from api.wire_service import OpenSession, SessionAnswer
from events.errors import RequestError

bp = Blueprint("session", __name__, url_prefix="/session")

_HOUR: Final = 3600


@bp.get("")
@needs("games:read")
def show_session() -> Response:
    """Whose session, or token, the request came with."""
    parsing.query(wire.NoQuery)
    return answers.answer(_shown(g.token))


@bp.post("")
@needs("anyone", "session")
def open_session() -> Response:
    """Open a session with a token; the cookie says for how long."""
    parsing.query(wire.NoQuery)
    token, cookie = open_for(parsing.body(OpenSession).token)
    answer = answers.answer(_shown(token))
    remember(answer, cookie)
    return answer


def open_for(secret: str) -> tuple[Token, str]:
    """Open a session with a token's secret; return the token and what the cookie holds, or raise RequestError.

    A session that the browser had before is closed.
    """
    with access.writing() as conn:
        opened = tokens.open_session(conn, secret, _seconds())
        old = request.cookies.get(auth.cookie_name())
        if opened is not None and old is not None:
            tokens.close_session(conn, old)
    if opened is None:
        raise RequestError("bad_token", "the token is wrong, revoked or expired")
    return opened


def remember(answer: Response, cookie: str) -> None:
    """Give the browser the cookie of a session."""
    answer.set_cookie(
        auth.cookie_name(), cookie, max_age=_seconds(), path="/",
        httponly=True, samesite="Strict", secure=request.is_secure,
    )  # fmt: skip


def _seconds() -> int:
    return Service.current().config.session_hours * _HOUR


@bp.delete("")
@needs("anyone", "write")
def close_session() -> Response:
    """End the session of the request's cookie; without one there is nothing to end."""
    parsing.query(wire.NoQuery)
    answer = Response(status=HTTPStatus.NO_CONTENT)
    close_for(answer)
    return answer


def close_for(answer: Response) -> None:
    """End the session of the request's cookie, if there is one, and take the cookie away."""
    cookie = request.cookies.get(auth.cookie_name())
    if cookie is not None:
        with access.writing() as conn:
            tokens.close_session(conn, cookie)
    answer.delete_cookie(
        auth.cookie_name(), path="/", httponly=True, samesite="Strict", secure=request.is_secure
    )


def _shown(token: Token | None) -> SessionAnswer:
    if token is None:
        return SessionAnswer(write=not auth.has_tokens())
    return SessionAnswer(
        token_id=str(token.token_id),
        name=token.name,
        scopes=tokens.sorted_scopes(token.scopes),
        game_id=None if token.game_id is None else str(token.game_id),
        seat=token.seat,
        expires_at=None if token.expires_at is None else rfc3339(microseconds(token.expires_at)),
        write=token.has("games:write"),
    )
