"""Answers made smaller by gzip, where that tells nobody anything.

What is compressed has a length that depends on how alike its parts are, so somebody who can make a reader's
browser ask, and watch the lengths, could find out what stands beside text of his own (BREACH). So what echoes
a request is never compressed, nor what another page made a browser ask for with its cookie
(docs/decisions/0014-compression.md). Nothing here knows games.
"""

import gzip
from typing import Final

from flask import Flask, Response, g, request

LEAST: Final = 1024
"""Bytes from which on it is worth it."""
_LEVEL: Final = 6
_TYPES: Final = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "text/html",
        "text/plain",
        "text/css",
        "text/csv",
        "text/javascript",
        "image/svg+xml",
    }
)
_CLOSED: Final = frozenset({"at", "seat", "free", "embed", "lang", "status", "mode"})
"""Parameters of pages that hold no text of anybody's own."""


def register(app: Flask) -> None:
    """Compress the application's answers; to be registered first, since what is registered first is done last."""
    app.after_request(_compress)


def _compress(answer: Response) -> Response:
    if not _is_worth_it(answer):
        return answer
    answer.vary.add("Accept-Encoding")
    # Of one that has not changed the body does not go out; what it varies by, a cache takes over.
    if answer.status_code == 200 and _is_wanted() and _tells_nothing(answer):
        answer.set_data(gzip.compress(answer.get_data(), _LEVEL, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _is_worth_it(answer: Response) -> bool:
    return (
        answer.status_code in {200, 304}
        and request.method in {"GET", "HEAD"}
        and not answer.is_streamed
        and answer.mimetype in _TYPES
        and "Content-Encoding" not in answer.headers
        and len(answer.get_data()) >= LEAST
    )


def _is_wanted() -> bool:
    return request.accept_encodings.quality("gzip") > 0


def _tells_nothing(answer: Response) -> bool:
    """Tell whether nobody can put text of his own beside what is another's: see above."""
    site = request.headers.get("Sec-Fetch-Site", "none")
    is_own = not g.get("by_cookie") or site in {"same-origin", "none"}
    return is_own and (answer.mimetype != "text/html" or request.args.keys() <= _CLOSED)
