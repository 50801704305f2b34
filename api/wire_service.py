"""The JSON of the addresses about the service itself and about whoever asks; see `api.wire`."""

from typing import Any

import msgspec

from api import shapes
from api.scopes import Scope
from api.wire import Request


class Status(msgspec.Struct, frozen=True):
    """`/healthz`."""

    status: str


class Ready(msgspec.Struct, frozen=True):
    """`/readyz`: what was tried, each `ok` or what is missing."""

    status: str
    checks: dict[str, Any]


class ProblemCode(msgspec.Struct, frozen=True):
    """A code that an error can have, with its status, what it means and what to do about it."""

    code: str
    status: int
    title: str
    remedy: str = ""


class ProblemCodes(msgspec.Struct, frozen=True):
    """`/v1/problems`."""

    problems: list[ProblemCode]


class OpenSession(Request, frozen=True, kw_only=True):
    """`POST /session`: the token's secret, as it was printed when the token was made."""

    token: str


class SessionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whose session it is, and what he may do; all null or empty for nobody."""

    token_id: shapes.Id | None = None
    name: str | None = None
    scopes: list[Scope] = []
    game_id: shapes.Id | None = None
    seat: int | None = None
    expires_at: shapes.Time | None = None
    write: bool
    """Whether this asker may record at all: with such a token, or because there are none."""
