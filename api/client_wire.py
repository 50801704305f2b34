"""How the client talks: one request and its answer, tried again where that is safe, never a token in a text.

Every request of the client can be sent twice: reading changes nothing, a command carries an id of its own
and gets its first answer again. So whatever may pass by itself is tried again, a bounded number of times.
No redirect is followed and no cookie kept: the token would go where nobody meant it to.
"""

import random
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import Final, TypeVar

import httpx
import msgspec

from api.client_answers import CODINGS, Answer, Bounds, lost
from api.client_errors import BadSettings, ClientError, Problem, Unreachable
from api.loopback import is_loopback

T = TypeVar("T")

Query = Mapping[str, str | float | None]
"""Parameters of an address; those that are None are left out."""
_PASSING: Final = frozenset({502, 503, 504})
_MAY_PASS: Final = (
    httpx.NetworkError,
    httpx.TimeoutException,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
)
_TOKEN: Final = re.compile(r"[!-~]+")
_CHANCE: Final = random.Random()  # noqa: S311  (pauses that differ, nothing secret)


class Retries(msgspec.Struct, frozen=True):
    """How often and how far apart a request is tried again; times in seconds.

    The pause before attempt n is a random part of `first * 2 ** n`, but not more than `longest`; a
    `Retry-After` is waited out besides, and one beyond `longest` is not waited for.
    """

    attempts: int = 5
    first: float = 0.1
    longest: float = 5.0

    def pause(self, attempt: int, error: ClientError, least: float = 0.0) -> float | None:
        """Return how long to wait after this attempt, counted from 1; None if another would not help.

        *least* is waited at any rate, within `longest`.
        """
        if attempt >= self.attempts:
            return None
        if isinstance(error, Problem):
            asked = error.retry_after
            if error.status not in _PASSING and (error.status != 429 or asked is None):
                return None
            least = max(least, asked or 0.0)
            if asked is not None and asked > self.longest:
                return None
        elif not isinstance(error, Unreachable):
            return None
        most = min(self.first * 2 ** min(attempt, 30), self.longest)
        return max(_CHANCE.uniform(most / 2, most), min(least, self.longest))


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
        bounds: Bounds | None = None,
        language: str | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = _checked(base_url)
        self.retries = retries
        self.sleep = sleep
        self._bounds = bounds or Bounds()
        self._http = httpx.Client(
            base_url=url,
            headers=_headers(token, language),
            timeout=timeout,
            transport=transport,
            follow_redirects=False,
            # A proxy of the surroundings has nothing to do with a service on this machine.
            trust_env=not is_loopback(url.host),
        )
        self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def __enter__(self) -> "Wire":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give up every connection."""
        self._http.close()

    def __repr__(self) -> str:
        return f"Wire({str(self._http.base_url)!r})"

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        retries: Retries | None = None,
    ) -> bytes:
        """Return the body of a success; raise a Problem, BadAnswer, or Unreachable after the last attempt."""
        request = self._request(method, path, query, body, headers)
        return self._tried(request, retries or self.retries, _whole)

    def open(
        self,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        retries: Retries | None = None,
        silence: float | None = None,
    ) -> Answer:
        """Return a success that is read as it comes, and has to be closed; raises as `ask` does.

        *silence* are the seconds for which it may say nothing, if they are others than for an answer. What is
        lost after its beginning is the reader's to ask for again.
        """
        request = self._request("GET", path, query, None, headers)
        if silence is not None:
            request.extensions["timeout"]["read"] = silence
        return self._tried(request, retries or self.retries, _itself)

    def _request(
        self,
        method: str,
        path: str,
        query: Query | None,
        body: bytes | None,
        headers: Mapping[str, str] | None,
    ) -> httpx.Request:
        params = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            return self._http.build_request(
                method, path, params=params, content=body, headers=headers
            )
        except (httpx.InvalidURL, UnicodeError) as error:
            raise BadSettings(f"{method} to an address that is none: {error}") from error

    def _tried(self, request: httpx.Request, retries: Retries, take: Callable[[Answer], T]) -> T:
        attempt = 1
        while True:
            try:
                return self._once(request, take)
            except Unreachable as error:
                pause = retries.pause(attempt, error)
                if pause is None:
                    raise error.after(attempt) from error.__cause__
            except Problem as error:
                pause = retries.pause(attempt, error)
                if pause is None:
                    raise
            self.sleep(pause)
            attempt += 1

    def _once(self, request: httpx.Request, take: Callable[[Answer], T]) -> T:
        try:
            answer = Answer(self._http.send(request, stream=True), self._bounds)
            if answer.is_success:
                return take(answer)
            with answer:
                problem = answer.problem()
                problem.retry_after = _seconds(answer.header("Retry-After"))
        except _MAY_PASS as error:
            raise lost(request, error) from error
        except RuntimeError as error:
            if self._http.is_closed:
                raise BadSettings("the client is closed, expected an open one") from error
            raise
        except httpx.HTTPError as error:
            raise BadSettings(f"{request.method} {request.url.path}: {error}") from error
        raise problem


def _whole(answer: Answer) -> bytes:
    with answer:
        return answer.whole()


def _itself(answer: Answer) -> Answer:
    return answer


def _checked(base_url: str) -> httpx.URL:
    """Return a service's address; it must hold no name and password, which would stand in texts."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError) as error:
        raise BadSettings("the service's address cannot be read, expected a URL") from error
    if url.userinfo or url.scheme not in {"http", "https"} or not url.host:
        raise BadSettings(
            "the service's address, expected http:// or https://, a host, no password"
        )
    return url


def _headers(token: str | None, language: str | None) -> dict[str, str]:
    found = {"Accept-Encoding": CODINGS}
    for name, value in (("Authorization", token), ("Accept-Language", language)):
        if value is not None and _TOKEN.fullmatch(value) is None:
            # Without what it was: it may be a token with a line end behind it.
            raise BadSettings(
                f"something for {name} that no header can hold, expected visible ASCII"
            )
    if token is not None:
        found["Authorization"] = f"Bearer {token}"
    if language is not None:
        found["Accept-Language"] = language
    return found


def _seconds(text: str) -> float | None:
    """Return the seconds that a Retry-After names, as a number or as a date; None if it names none."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())
