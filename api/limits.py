"""Too many requests: how many of a kind a token, or an address without one, may send in a time.

Counted in this process's memory, so one process with threads has one count; several would need a store that
they share. Addresses about the service itself are never counted.
"""

import math
import time
from collections.abc import Callable
from typing import Final

from flask import Flask, Response, g, request
from flask_limiter import ApplicationLimit, Limiter

from api import counting
from api.config import Config
from api.scopes import KINDS, Kind
from api.senders import network_of
from api.shares import is_alone

PATIENT: Final[dict[Kind, str]] = {
    "read": "1200/minute",
    "write": "600/minute",
    "audit": "120/minute",
    "export": "60/minute",
    "import": "30/minute",
    "session": "20/minute",
}
_GENEROUS: Final = 100
"""How many times as much is allowed where only this machine can ask."""


def register(app: Flask, config: Config) -> None:
    """Count every request of the application, before anybody is let in, and refuse those too many."""
    limiter = Limiter(
        sender,
        app=app,
        application_limits=[
            ApplicationLimit(limit, exempt_when=_is_other_than(kind), scope=kind)
            for kind, limit in chosen(config).items()
        ],
        storage_uri=f"{counting.Counts.STORAGE_SCHEME[0]}://",
        strategy="fixed-window",
        headers_enabled=False,
    )
    app.after_request(lambda answer: _headers(limiter, answer))


def chosen(config: Config) -> dict[Kind, str]:
    """Return the limits that are in force."""
    here = is_alone(config)
    found: dict[Kind, str] = {}
    for kind in KINDS:
        given = config.limits.get(kind)
        count, _, unit = (given or PATIENT[kind]).partition("/")
        factor = _GENEROUS if here and given is None else 1
        if given != "off":
            found[kind] = f"{int(count) * factor}/{unit}"
    return found


def sender() -> str:
    """Return whom a request counts for: a token that holds, else the address (IPv6: the network)."""
    if g.get("token") is not None:
        return f"token {g.token.token_id}"
    return network_of(request.remote_addr or "nowhere")


def _is_other_than(kind: Kind) -> Callable[[], bool]:
    return lambda: g.get("need") is None or g.need.kind != kind


def _headers(limiter: Limiter, answer: Response) -> Response:
    """Tell how many requests of the kind are left, and when the count begins anew, in seconds."""
    now = limiter.current_limit
    if now is None:
        return answer
    seconds = max(0, math.ceil(now.window.reset_time - time.time()))
    answer.headers["RateLimit-Limit"] = str(now.limit.amount)
    answer.headers["RateLimit-Remaining"] = str(now.remaining)
    answer.headers["RateLimit-Reset"] = str(seconds)
    answer.headers["RateLimit-Policy"] = f"{now.limit.amount};w={now.limit.get_expiry()}"
    if now.breached:
        answer.headers["Retry-After"] = str(max(1, seconds))
    return answer
