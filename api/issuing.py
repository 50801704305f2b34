"""Making, listing and revoking tokens, as the owner of the tables: never as the program that serves.

A secret exists once, in the answer to `create`. The caller commits.
"""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import Column, Connection, create_engine, func, insert, pool, select, update
from uuid_utils.compat import uuid7

from api import db
from api.config import Config
from api.scopes import SCOPES, Scope
from api.tokens import digest, new_secret
from events.errors import BadSetting, BadUsage
from events.schema import tokens

SHORTEST: Final = 4
"""Characters of an id that say which token is meant."""

_NAME: Final = re.compile(r"[^\x00-\x1f\x7f]{1,80}")
_SPAN: Final = re.compile(r"([1-9][0-9]{0,5})([mhd])")
_UNITS: Final = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


class Issued(msgspec.Struct, frozen=True, kw_only=True):
    """A token as the owner sees it: everything but its secret."""

    token_id: UUID
    name: str
    scopes: list[Scope]
    game_id: UUID | None
    seat: int | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@contextmanager
def owner(config: Config) -> Iterator[Connection]:
    """Give a connection as the owner, in a transaction that commits unless an error leaves the block.

    Raises BadSetting without a login for that, NotMigrated.
    """
    if config.migration_database_url is None:
        raise BadSetting("no MIGRATION_DATABASE_URL, expected a login that may make tokens")
    engine = create_engine(
        config.migration_database_url,
        poolclass=pool.NullPool,
        connect_args={"application_name": "lanterlog token", "client_encoding": "utf8"},
    )
    quoted = engine.dialect.identifier_preparer.quote_identifier(config.roles.owner)
    with engine.begin() as conn:
        db.check_schema_version(conn)
        conn.exec_driver_sql(f"SET LOCAL ROLE {quoted}")
        yield conn


def create(
    conn: Connection,
    name: str,
    scopes: Collection[Scope],
    *,
    game_id: UUID | None = None,
    seat: int | None = None,
    lasts: timedelta | None = None,
) -> tuple[Issued, str]:
    """Make a token, for all games or one, for a seat of it or none; return it with its secret.

    Raises BadUsage for what no token can be.
    """
    _check(name, scopes, game_id, seat)
    secret = new_secret()
    new = {
        "token_id": uuid7(),
        "name": name,
        "secret_hash": digest(secret),
        "scopes": sorted(set(scopes)),
        "game_id": game_id,
        "seat": seat,
        "expires_at": None if lasts is None else func.clock_timestamp() + lasts,
    }
    row = conn.execute(insert(tokens).values(new).returning(*_columns())).one()
    return _issued(row), secret


def listed(conn: Connection) -> list[Issued]:
    """Return every token that was ever made, the oldest first."""
    rows = conn.execute(select(*_columns()).order_by(tokens.c.created_at, tokens.c.token_id))
    return [_issued(row) for row in rows]


def find(conn: Connection, text: str) -> Issued:
    """Return the one token that an id, or the beginning of one, means; raise BadUsage."""
    digits = text.replace("-", "").lower()
    if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST},32}}", digits):
        wanted = f"an id, or {SHORTEST} or more characters of its beginning"
        raise BadUsage(f"token {_shown(text)}, expected {wanted}")
    found = [one for one in listed(conn) if one.token_id.hex.startswith(digits)]
    if len(found) != 1:
        raise BadUsage(f"{len(found)} tokens begin with {text}, expected one: lanterlog token list")
    return found[0]


def revoke(conn: Connection, token_id: UUID) -> bool:
    """End a token at once and for good; False if it had been before. Its sessions end with it."""
    statement = update(tokens).where(tokens.c.token_id == token_id, tokens.c.revoked_at.is_(None))
    return conn.execute(statement.values(revoked_at=func.clock_timestamp())).rowcount == 1


def span(text: str) -> timedelta:
    """Read how long a token lasts: `30d`, `12h`, `45m`; raise BadUsage."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise BadUsage(f"expires {text[:40]!r}, expected e.g. 30d, 12h or 45m")
    return int(found[1]) * _UNITS[found[2]]


def _check(name: str, scopes: Collection[Scope], game_id: UUID | None, seat: int | None) -> None:
    if not _NAME.fullmatch(name):
        raise BadUsage(f"name {name[:40]!r}, expected 1 to 80 characters on one line")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise BadUsage(f"scopes {', '.join(scopes) or 'none'}, expected of {', '.join(SCOPES)}")
    if seat is not None and game_id is None:
        raise BadUsage(f"seat {seat} of no game, expected one with a game")
    if seat is not None and "admin" in scopes:
        raise BadUsage(f"admin for seat {seat}, expected no seat: an arbiter sees all of them")


def _columns() -> list[Column[Any]]:
    return [column for column in tokens.c if column.name != "secret_hash"]


def _issued(row: object) -> Issued:
    return msgspec.convert(row, Issued, from_attributes=True)


def _shown(text: str) -> str:
    """Somebody may paste the secret where the id is wanted."""
    return "that looks like a secret" if text.startswith("ll") else repr(text[:60])
