"""A client's wire to a service that answers as it is told."""

from typing import Any

import httpx

from api.client_wire import Retries, Wire

BASE = "http://127.0.0.1"
TOKEN = "lt_5f0c1d2e3b4a59687766554433221100"
QUICK = Retries(attempts=4, first=0.0)


def served(*answers: httpx.Response | Exception, **settings: Any) -> tuple[Wire, list[float]]:
    """A wire whose service gives these answers in turn, and the pauses that it made."""
    left, pauses = list(answers), list[float]()

    def answer(request: httpx.Request) -> httpx.Response:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    made: dict[str, Any] = {"retries": Retries(attempts=3), "sleep": pauses.append} | settings
    return Wire(BASE, transport=httpx.MockTransport(answer), **made), pauses


def problem(status: int, **headers: str) -> httpx.Response:
    told = {"code": "store_busy", "detail": "try again"}
    return httpx.Response(
        status, json=told, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


OK = httpx.Response(200, content=b"{}")
