"""Requests that do not get as far as the application: what is refused by their heads, and how that is said.

As a problem, like everything else. What other programs on the way might read otherwise than gunicorn is refused, and
nobody is told to send a body that is not going to be read.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import msgspec
from flask import Flask
from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]

from api import problems
from api.sockets import PatientSocket

AGAIN: Final = 10.0
"""Seconds after which whoever has too many connections may try again: by then those whose heads do not come are gone."""
_CODES: Final[tuple[tuple[type[Exception], str], ...]] = (
    (errors.LimitRequestLine, "address_too_long"),
    (errors.LimitRequestHeaders, "headers_too_large"),
    (errors.ExpectationFailed, "expectation_failed"),
    (errors.UnsupportedTransferCoding, "unknown_coding"),
)
_UNREADABLE: Final = (
    *(errors.InvalidRequestLine, errors.InvalidRequestMethod, errors.InvalidHTTPVersion),
    *(errors.InvalidHeader, errors.InvalidHeaderName, errors.ObsoleteFolding),
    *(errors.InvalidChunkSize, errors.ChunkMissingTerminator, errors.InvalidChunkExtension),
    *(errors.InvalidProxyLine, errors.InvalidSchemeHeaders, errors.InvalidH2CPreface),
)


def check(_worker: Any, request: Any) -> None:
    """Refuse, before the application sees it, what another program on the way might read otherwise than gunicorn."""
    if request.version > (1, 1):
        raise errors.InvalidHTTPVersion(request.version)
    said = [(name, value.lower()) for name, value in request.headers]
    codings = {value.strip() for name, value in said if name == "TRANSFER-ENCODING"}
    if codings - {"chunked"}:
        raise errors.UnsupportedTransferCoding(", ".join(codings))
    options = ",".join(value for name, value in said if name == "CONNECTION").split(",")
    if "close" in map(str.strip, options):
        request.force_close()
    if request._expected_100_continue:  # noqa: SLF001 - gunicorn itself would say so at once
        request._expected_100_continue = False  # noqa: SLF001
        request.body.reader = _Awaited(request.body.reader, request.unreader.sock)
        request.force_close()  # whether the body of one that is refused still comes cannot be known


class _Awaited:
    """A body that its client sends once he is told to, which he is when somebody begins to read it."""

    def __init__(self, reader: Any, sock: PatientSocket) -> None:
        self._reader = reader
        self._sock: PatientSocket | None = sock

    def read(self, size: int) -> bytes:
        """Return so much of it, less at its end."""
        if self._sock is not None:
            self._sock.say(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._sock = None
        data: bytes = self._reader.read(size)
        return data


def register(app: Flask) -> None:
    """Answer a body whose chunks cannot be read, which shows only while the application reads it."""
    app.register_error_handler(
        errors.ParseException,
        lambda _: problems.problem("bad_request", problems.CODES["bad_request"][1]),
    )


def code_of(error: BaseException) -> str | None:
    """Return the code of what is wrong with a request that cannot be read, None for what is wrong here."""
    code = next((code for kind, code in _CODES if isinstance(error, kind)), None)
    return "bad_request" if code is None and isinstance(error, _UNREADABLE) else code


def write(client: PatientSocket, code: str) -> None:
    """Send the problem of a code and say that nothing follows; waits for nobody who does not take it."""
    status, title = problems.CODES[code]
    request_id = uuid4().hex[:16]
    body = msgspec.json.encode(problems.body_of(code, title, request_id))
    again = {"Retry-After": f"{AGAIN:.0f}"} if status == HTTPStatus.TOO_MANY_REQUESTS else {}
    of_it = {"Content-Length": str(len(body)), "X-Request-Id": request_id}
    head = _head(status, of_it | again)
    client.say(head + body)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    fixed = {
        "Server": "lanterlog",
        "Date": util.http_date(),
        "Content-Type": problems.MEDIA_TYPE,
        "Content-Language": "en",
        "Connection": "close",
        "Cache-Control": "no-store",
    }
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [
        f"{name}: {value}" for name, value in {**fixed, **problems.GUARDED, **headers}.items()
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
