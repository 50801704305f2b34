"""Which game is meant: a whole id, the beginning of one, or `last`."""

import re
from uuid import UUID

from sqlalchemy import Connection, select

from events.errors import BadUsage
from events.schema import games

SHORTEST = 4
_IS_GAME = games.c.kind == "game"


def game_id(conn: Connection, text: str) -> UUID:
    """Return the id of the one game that is meant; raise BadUsage if there is none or several."""
    if text == "last":
        return _last(conn)
    digits = text.replace("-", "").lower()
    if not re.fullmatch(r"[0-9a-f]{1,32}", digits):
        raise BadUsage(f"game {text[:60]!r}, expected an id, the beginning of one, or 'last'")
    if len(digits) < SHORTEST:
        raise BadUsage(f"game {text!r} is too short, expected at least {SHORTEST} characters")
    return _beginning_with(conn, digits, text)


def _last(conn: Connection) -> UUID:
    newest = games.c.changed_at.desc(), games.c.created_at.desc(), games.c.game_id.desc()
    found = conn.execute(
        select(games.c.game_id).where(_IS_GAME).order_by(*newest).limit(1)
    ).scalar()
    if found is None:
        raise BadUsage("no game in the store, expected one: lanterlog import FILE")
    return UUID(str(found))


def _beginning_with(conn: Connection, digits: str, text: str) -> UUID:
    lowest, highest = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    statement = select(games.c.game_id).where(_IS_GAME, games.c.game_id.between(lowest, highest))
    found = [
        UUID(str(one))
        for one in conn.execute(statement.order_by(games.c.game_id).limit(2)).scalars()
    ]
    if not found:
        raise BadUsage(f"no game {text}, expected one that `lanterlog games` lists")
    if len(found) > 1:
        raise BadUsage(f"more than one game begins with {text}, e.g. {found[0]} and {found[1]}")
    return found[0]
