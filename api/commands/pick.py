"""Which game, or which dispute, is meant: a whole id, the beginning of one, or `last`."""

import re
from uuid import UUID

from sqlalchemy import Connection, select

from events.errors import BadUsage
from events.schema import games

SHORTEST = 4


def game_id(conn: Connection, text: str) -> UUID:
    """Return the id of the one game that is meant; raise BadUsage if there is none or several."""
    return _id(conn, text, "game", "one that `lanterlog games` lists", "one: lanterlog import FILE")


def dispute_id(conn: Connection, text: str) -> UUID:
    """Return the id of the one dispute that is meant; raise BadUsage if there is none or several."""
    listed, make = "one that `lanterlog dispute list` lists", "one: lanterlog dispute open GAME"
    return _id(conn, text, "dispute", listed, make)


def _id(conn: Connection, text: str, kind: str, listed: str, make: str) -> UUID:
    if text == "last":
        return _last(conn, kind, make)
    digits = text.replace("-", "").lower()
    if not re.fullmatch(r"[0-9a-f]{1,32}", digits):
        raise BadUsage(f"{kind} {text[:60]!r}, expected an id, the beginning of one, or 'last'")
    if len(digits) < SHORTEST:
        raise BadUsage(f"{kind} {text!r} is too short, expected at least {SHORTEST} characters")
    return _beginning_with(conn, digits, text, kind, listed)


def _last(conn: Connection, kind: str, make: str) -> UUID:
    newest = games.c.changed_at.desc(), games.c.created_at.desc(), games.c.game_id.desc()
    is_one = games.c.kind == kind
    found = conn.execute(select(games.c.game_id).where(is_one).order_by(*newest).limit(1)).scalar()
    if found is None:
        raise BadUsage(f"no {kind} in the store, expected {make}")
    return UUID(str(found))


def _beginning_with(conn: Connection, digits: str, text: str, kind: str, listed: str) -> UUID:
    lowest, highest = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    is_one = games.c.kind == kind
    statement = select(games.c.game_id).where(is_one, games.c.game_id.between(lowest, highest))
    found = [
        UUID(str(one))
        for one in conn.execute(statement.order_by(games.c.game_id).limit(2)).scalars()
    ]
    if not found:
        raise BadUsage(f"no {kind} {text}, expected {listed}")
    if len(found) > 1:
        raise BadUsage(f"more than one {kind} begins with {text}, e.g. {found[0]} and {found[1]}")
    return found[0]
