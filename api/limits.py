"""Too many requests: how many of a kind a token, or an address without one, may send in a time.

Counted in this process's memory, so one process with threads has one count; several would need a store that
they share. Addresses about the service itself are never counted.
"""

import ipaddress
import math
import time
from collections.abc import Callable
from typing import Final

from flask import Flask, Response, g, request
from flask_limiter import ApplicationLimit, Limiter

from api import counting
from api.config import Config
from api.loopback import host_name, is_address, is_loopback
from api.scopes import KINDS, Kind

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
    found: dict[Kind, str] = {}
    for kind in KINDS:
        given = config.limits.get(kind)
        count, _, unit = (given or PATIENT[kind]).partition("/")
        factor = _GENEROUS if _is_here_alone(config) and given is None else 1
        if given != "off":
            found[kind] = f"{int(count) * factor}/{unit}"
    return found


def share_of_streams(config: Config) -> int:
    """Return how many games one sender may follow at the same time: half of all, so that nobody takes every place."""
    most = config.max_streams
    return most if _is_here_alone(config) else (most + 1) // 2


def sender() -> str:
    """Return whom a request counts for: a token that holds, else the address it came from."""
    if g.get("token") is not None:
        return f"token {g.token.token_id}"
    return network_of(request.remote_addr or "nowhere")


def network_of(address: str) -> str:
    """Return what an address is counted as: an IPv4 address however it is written, of IPv6 the network of 64 bits.

    A socket for both takes 192.0.2.1 as ::ffff:192.0.2.1, by whose network all of IPv4 would be one; some proxies
    tell the port as well, which is another for every connection.
    """
    name = address if is_address(address) else host_name(address) or address
    try:
        found = ipaddress.ip_address(name)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)


def _is_here_alone(config: Config) -> bool:
    """Tell whether only this machine can ask."""
    return is_loopback(config.host) and not config.proxies


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
