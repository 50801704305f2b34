"""Tokens for tests: made as the owner makes them, sent as their bearers send them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from api import issuing
from api.issuing import Issued
from api.scopes import Scope
from tests.api.table import Answer, Client
from tests.postgres import Database


class Pass(msgspec.Struct, frozen=True):
    """A token with its secret."""

    issued: Issued
    secret: str

    @property
    def token_id(self) -> UUID:
        return self.issued.token_id

    @property
    def header(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"}


def made(
    database: Database,
    *scopes: Scope,
    game: str | UUID | None = None,
    seat: int | None = None,
    lasts: timedelta | None = None,
    name: str = "somebody",
) -> Pass:
    """Make a token."""
    game_id = UUID(str(game)) if game is not None else None
    with issuing.owner(database.config) as conn:
        return Pass(*issuing.create(conn, name, scopes, game_id=game_id, seat=seat, lasts=lasts))


def revoked(database: Database, given: Pass) -> Pass:
    """Revoke a token."""
    with issuing.owner(database.config) as conn:
        assert issuing.revoke(conn, given.token_id)
    return given


class Bearer:
    """A client that shows a token with everything it sends."""

    def __init__(self, client: Client, given: Pass | None) -> None:
        self.client = client
        self.header = given.header if given else {}

    def open(self, path: str, *, headers: Any = None, **more: Any) -> Answer:
        return self.client.open(path, headers=self.header | dict(headers or {}), **more)

    def get(self, path: str, **more: Any) -> Answer:
        return self.open(path, method="GET", **more)

    def post(self, path: str, **more: Any) -> Answer:
        return self.open(path, method="POST", **more)
