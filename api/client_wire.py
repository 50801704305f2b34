"""How the client talks: one request and its answer, tried again where that is safe, never a token in a text.

Every request of the client can be sent twice: reading changes nothing, a command carries an id of its own
and gets its first answer again. So whatever may pass by itself is tried again, a bounded number of times.
"""

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Final

import httpx
import msgspec

from api.client_errors import Unreachable, problem_of
from api.loopback import is_loopback

_PASSING: Final = frozenset({502, 503, 504})
_MAY_PASS: Final = (
    httpx.NetworkError,
    httpx.TimeoutException,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
)


class Retries(msgspec.Struct, frozen=True):
    """How often and how far apart a request is tried again; times in seconds.

    The pause before attempt n is a random part of `first * 2 ** n`, but not more than `longest`; a
    `Retry-After` is waited out instead, and one beyond `longest` is not waited for.
    """

    attempts: int = 5
    first: float = 0.1
    longest: float = 5.0


PATIENT: Final = Retries()


class Wire:
    """A connection to one service, with or without a token."""

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        retries: Retries = PATIENT,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = httpx.URL(base_url)
        self._retries = retries
        self._sleep = sleep
        self._chance = random.Random()  # noqa: S311  (pauses that differ, nothing secret)
        self._http = httpx.Client(
            base_url=url,
            headers={} if token is None else {"Authorization": f"Bearer {token}"},
            timeout=timeout,
            transport=transport,
            # A proxy of the surroundings has nothing to do with a service on this machine.
            trust_env=not is_loopback(url.host),
        )

    def __enter__(self) -> "Wire":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def __repr__(self) -> str:
        return f"Wire({str(self._http.base_url)!r})"

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int | None] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the body of a success; raise a Problem, or Unreachable after the last attempt."""
        params = {name: value for name, value in (query or {}).items() if value is not None}
        request = self._http.build_request(
            method, path, params=params, content=body, headers=headers
        )
        for attempt in range(1, self._retries.attempts + 1):
            is_last = attempt == self._retries.attempts
            try:
                answer = self._http.send(request)
            except _MAY_PASS as error:
                if is_last:
                    raise Unreachable(method, path, attempt, _reason(error)) from error
                self._sleep(self._pause(attempt))
                continue
            if answer.is_success:
                return answer.content
            pause = self._pause_after(answer, attempt)
            if is_last or pause is None:
                raise problem_of(answer.status_code, answer.content)
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _pause_after(self, answer: httpx.Response, attempt: int) -> float | None:
        """Return how long to wait before the next attempt, None if none would help."""
        asked = _retry_after(answer.headers.get("Retry-After"))
        if answer.status_code not in _PASSING and (answer.status_code != 429 or asked is None):
            return None
        if asked is None:
            return self._pause(attempt)
        return asked if asked <= self._retries.longest else None

    def _pause(self, attempt: int) -> float:
        most = min(self._retries.first * 2**attempt, self._retries.longest)
        return self._chance.uniform(most / 2, most)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _retry_after(text: str | None) -> float | None:
    """Return the seconds that a Retry-After names, as a number or as a date; None if it names none."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())
