"""What every request passes before and after its view: who is asked, from where, how much, and the log.

Refuses foreign hosts, foreign origins, bodies that are too large and types that nobody has; adds the
headers that keep answers out of shared caches and other pages; writes one line a request. Nothing here
knows games.
"""

import re
import time
from typing import Final
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import structlog
from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import NotFound

from api import auth, limits, parsing, problems
from api.access import Service
from api.config import Config
from api.loopback import host_name, is_loopback
from api.tokens import ANY_SECRET, masked
from events.errors import RequestError

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}")

_OTHERWISE: Final = re.compile(r"//|%2f|%5c|\\", re.IGNORECASE)

_log = structlog.get_logger("lanterlog.http")


def register(app: Flask, config: Config) -> None:
    """Put the guard before and after every view of the application.

    Who asks is found out before too many are refused, and let in after that.
    """
    app.before_request(_begin)
    app.before_request(_check_host)
    app.before_request(_check_target)
    app.before_request(_check_address)
    app.before_request(auth.identify)
    limits.register(app, config)
    app.before_request(auth.admit)
    app.before_request(_check_origin)
    app.before_request(_check_accepted)
    app.after_request(_headers)
    app.after_request(_conditional)
    app.after_request(_write_line)


def _begin() -> None:
    g.began = time.perf_counter()
    g.request_id = _given_id() or uuid4().hex[:16]


def _given_id() -> str | None:
    """Return the id that a proxy of ours gave the request, so that both logs speak of the same one.

    Only where there is a proxy: anybody else would name others' requests. One of another form is passed over.
    """
    given = request.headers.get("X-Request-Id", "") if Service.current().config.proxies else ""
    return given if _REQUEST_ID.fullmatch(given) and not ANY_SECRET.search(given) else None


def _check_host() -> None:
    """Only names that are ours: a stranger's name that leads here is DNS rebinding.

    Other names than this machine's own count only where there are tokens: without any, whoever is asked by
    name from elsewhere would let everybody write.
    """
    name = host_name(request.headers.get("Host", ""))
    if name is not None and (is_loopback(name) or (_is_ours(name) and auth.has_tokens())):
        return
    raise RequestError(
        "wrong_host",
        f"host {request.headers.get('Host', '')[:80]!r}, expected a loopback name, or with tokens one of "
        "LANTERLOG_HOSTS",
    )


def _is_ours(name: str) -> bool:
    config = Service.current().config
    return name.lower() in config.hosts or name == config.host


def _check_target() -> None:
    """One way to write each address, and one name: who stands before us, or logs it, must not read another one.

    A whole URL for a target has to name the host that the request names; a slash is never escaped or doubled.
    """
    target: str = request.environ.get("RAW_URI", "/")
    if not target.startswith("/") and target != "*":
        parts = urlsplit(target)
        if (
            parts.scheme not in {"http", "https"}
            or parts.netloc.lower() != request.headers["Host"].lower()
        ):
            raise RequestError(
                "wrong_host",
                f"host {parts.netloc[:80]!r} in the target, expected the request's own",
            )
        target = parts._replace(scheme="", netloc="").geturl()
    if "#" in target:
        raise RequestError("bad_request", "a fragment in the target, expected none")
    if _OTHERWISE.search(target.partition("?")[0]):
        raise NotFound


def _check_address() -> None:
    """A token in an address is seen by proxies, histories and logs: refused, so that nobody gets used to it."""
    address = f"{request.path} {request.query_string.decode(errors='replace')}"
    if ANY_SECRET.search(address) or ANY_SECRET.search(unquote(address)):
        raise RequestError(
            "token_in_url", "a token in the address, expected it in the header Authorization"
        )


def _check_origin() -> None:
    """A browser says which page makes it write; only this service's own pages may.

    With a cookie it has to say so; a program without one need not.
    """
    if request.method in _SAFE:
        return
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "none")
    # As it was sent: `host_url` would write a name like xn--wgv71a in its own letters, as no browser does.
    own = f"{request.scheme}://{request.host.lower()}"
    allowed = {"same-origin"} if g.get("by_cookie") else {"same-origin", "none"}
    if (origin is not None and origin != own) or (origin is None and site not in allowed):
        raise RequestError(
            "other_origin", f"origin {(origin or site)[:80]!r}, expected this service"
        )


def _check_accepted() -> None:
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None:
        g.accepted = parsing.accepted(getattr(view, "produces", (parsing.JSON,)))


def _headers(answer: Response) -> Response:
    for name, value in problems.GUARDED.items():
        answer.headers.setdefault(name, value)
    if "frame-ancestors 'none'" not in answer.headers["Content-Security-Policy"]:
        del answer.headers["X-Frame-Options"]  # a page that may be shown in another
    answer.headers.setdefault("Cache-Control", "private, no-cache")
    answer.headers["Vary"] = "Authorization, Cookie, Accept-Language, Accept"
    answer.headers["X-Request-Id"] = g.get("request_id", "")
    return answer


def _conditional(answer: Response) -> Response:
    """Spare a reader what he has: a whole answer carries the hash of its text as its ETag."""
    if request.method in {"GET", "HEAD"} and answer.status_code == 200 and not answer.is_streamed:
        answer.add_etag(weak=True)  # the same text may go out compressed
        answer.make_conditional(request)
    return answer


def _write_line(answer: Response) -> Response:
    _log.info(
        "request",
        request_id=g.get("request_id"),
        token=None if g.get("token") is None else str(g.token.token_id),
        method=request.method[:20],
        path=masked(quote(request.path)),
        status=answer.status_code,
        code=g.get("problem"),
        ms=round((time.perf_counter() - g.get("began", time.perf_counter())) * 1000, 1),
    )
    return answer
