"""Signing in on the page: a token is typed once, and the browser keeps a session that no script can read."""

from http import HTTPStatus

from flask import Blueprint, Response, g, request

from api import auth, parsing, session
from api.scopes import needs
from api.viewer import bringing, rendering
from api.viewer.asking import SignInQuery, chosen, ours
from api.wire import NoQuery
from events.errors import LanterlogError, RequestError

bp = Blueprint("signing", __name__)


@bp.get("/sign-in")
@parsing.produces("text/html")
@needs("games:read")
def sign_in_page() -> Response:
    """A field for a token, or who one is already and what that is good for."""
    return _page(parsing.query(SignInQuery), None)


@bp.post("/sign-in")
@parsing.produces("text/html")
@needs("anyone", "session")
def sign_in() -> Response:
    """Open a session and go where the reader came from, or to the games; a wrong token leads back to the field."""
    parsing.query(NoQuery)
    came_from = SignInQuery(next=ours(request.form.get("next", "")))
    try:
        _, cookie = session.open_for(request.form.get("token", "").strip())
    except RequestError as error:
        return _page(came_from, str(error), HTTPStatus.UNPROCESSABLE_ENTITY)
    answer = _seen_other(came_from.next or "/")
    session.remember(answer, cookie)
    return answer


@bp.post("/sign-out")
@parsing.produces("text/html")
@needs("anyone", "write")
def sign_out() -> Response:
    """End the session."""
    parsing.query(NoQuery)
    answer = _seen_other("/")
    session.close_for(answer)
    return answer


def _seen_other(address: str) -> Response:
    return Response(status=HTTPStatus.SEE_OTHER, headers={"Location": address})


def _page(asked: SignInQuery, error: str | None, status: HTTPStatus = HTTPStatus.OK) -> Response:
    texts, token = chosen(asked), g.get("token")
    return rendering.page(
        "sign_in.html",
        asked,
        texts,
        here="sign",
        status=status,
        error=error,
        token=token,
        good_for=[] if token is None else [texts[f"scope.{one}"] for one in sorted(token.scopes)],
        next=asked.next,
        are_tokens=auth.has_tokens(),
    )


@bp.errorhandler(LanterlogError)
def page_problem(error: LanterlogError) -> Response:
    """Show what is wrong on a page of its own."""
    return bringing.page_problem(error)
