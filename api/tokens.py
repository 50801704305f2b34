"""Tokens as the service meets them: a secret is shown, the database says whose it is.

The program knows a secret only while it answers the request that showed it; what is compared and looked up
is its SHA-256, which tells nothing since a secret is 256 bits of chance. Makes and lists no token: that is
the owner's (`api.issuing`).
"""

import hmac
import re
import secrets
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection, text

from api.scopes import Scope

TOKEN_PREFIX: Final = "ll_"  # noqa: S105 - what every secret begins with, so that searches find it
SESSION_PREFIX: Final = "lls_"
SECRET: Final = re.compile(r"ll_[A-Za-z0-9_-]{43}")
SESSION: Final = re.compile(r"lls_[A-Za-z0-9_-]{43}")
ANY_SECRET: Final = re.compile(r"lls?_[A-Za-z0-9_-]{16,}")
"""Whatever looks like a secret, whole or nearly so: to keep it out of addresses and logs."""
MASK: Final = "ll_..."

_COLUMNS: Final = "token_id, name, scopes, game_id, seat, expires_at, secret_hash"
_USE: Final = text(f"SELECT {_COLUMNS} FROM lanterlog.use_token(:hash)")  # noqa: S608 - columns
_USE_SESSION: Final = text(f"SELECT {_COLUMNS} FROM lanterlog.use_session(:hash)")  # noqa: S608
_OPEN: Final = text(
    f"SELECT {_COLUMNS} FROM lanterlog.open_session(:hash, :session, :seconds)"  # noqa: S608
)
_CLOSE: Final = text("SELECT lanterlog.close_session(:hash)")
_ANY: Final = text("SELECT lanterlog.has_tokens()")


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What its bearer may do: the scopes, everywhere or in one game, there perhaps for one seat."""

    token_id: UUID
    name: str
    scopes: frozenset[Scope]
    game_id: UUID | None = None
    seat: int | None = None
    expires_at: datetime | None = None

    def has(self, scope: Scope) -> bool:
        """Tell whether the token is good for a scope; `admin` is good for all."""
        return scope in self.scopes or "admin" in self.scopes

    def covers(self, game_id: UUID) -> bool:
        """Tell whether its scopes count in a game."""
        return self.game_id is None or self.game_id == game_id


def new_secret(prefix: str = TOKEN_PREFIX) -> str:
    """Return a secret that nobody has had: 256 bits of chance behind a prefix."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return what of a secret is kept."""
    return sha256(secret.encode()).digest()


def masked(words: str) -> str:
    """Return a text without any secret that may stand in it."""
    return ANY_SECRET.sub(MASK, words)


def use(conn: Connection, secret: str) -> Token | None:
    """Return the token of a secret and note that it is in use; None if it is wrong, revoked or expired."""
    if SECRET.fullmatch(secret) is None:
        return None
    wanted = digest(secret)
    row = conn.execute(_USE, {"hash": wanted}).first()
    if row is None or not hmac.compare_digest(bytes(row.secret_hash), wanted):
        return None
    return _token(row)


def use_session(conn: Connection, cookie: str) -> Token | None:
    """Return the token that a browser's session stands for, None if either is over."""
    if SESSION.fullmatch(cookie) is None:
        return None
    row = conn.execute(_USE_SESSION, {"hash": digest(cookie)}).first()
    return None if row is None else _token(row)


def open_session(conn: Connection, secret: str, seconds: int) -> tuple[Token, str] | None:
    """Return the token of a secret and the secret of a new session of it, which lasts so long."""
    if SECRET.fullmatch(secret) is None:
        return None
    cookie = new_secret(SESSION_PREFIX)
    asked = {"hash": digest(secret), "session": digest(cookie), "seconds": seconds}
    row = conn.execute(_OPEN, asked).first()
    return None if row is None else (_token(row), cookie)


def close_session(conn: Connection, cookie: str) -> None:
    """End a session, if there is one."""
    conn.execute(_CLOSE, {"hash": digest(cookie)})


def are_there(conn: Connection) -> bool:
    """Tell whether a token was ever made, also if it was revoked since."""
    return bool(conn.execute(_ANY).scalar_one())


def _token(row: object) -> Token:
    return msgspec.convert(row, Token, from_attributes=True)


def sorted_scopes(scopes: Iterable[Scope]) -> list[Scope]:
    """Return scopes in the order in which they are written."""
    return sorted(scopes)
