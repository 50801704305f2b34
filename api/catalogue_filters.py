"""Which rows of the read models somebody may see, and which he asked for, as conditions of SQL."""

from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Table, and_, false, func, or_, select, true

from api.asker import NOBODY, Asker
from api.wire import ListQuery
from events.schema import people
from projections.schema import catalogue_games, findings, standings_games

_FEW: Final = 100
"""People whose games are few enough to be found by who plays them."""
_DIGITS: Final = frozenset("0123456789abcdef")


def is_listed(table: Table, asker: Asker) -> ColumnElement[bool]:
    """Tell whether a list shows him a row's game, as `Asker.lists` does."""
    if asker.reads_private:
        return true()
    public = table.c.visibility == "public"
    return public if asker.own_game is None else or_(public, table.c.game_id == asker.own_game)


def is_told(asker: Asker) -> ColumnElement[bool]:
    """Tell whether a finding can be told: its deal is open, or he sees all cards of a deal in play."""
    if asker.own_game is None:
        return true() if asker.sight(NOBODY) == "all" else findings.c.is_open
    own = findings.c.game_id == asker.own_game
    sees_own = own if asker.sight(asker.own_game) == "all" else false()
    return or_(findings.c.is_open, sees_own)


def filters(conn: Connection, asked: ListQuery, asker: Asker) -> list[ColumnElement[bool]]:
    """Return what a row of the catalogue must be to pass all filters. One query if a name is searched for."""
    table, found = catalogue_games, only_known(conn, asked, asker)
    for name in ("game", "mode", "ruleset"):
        if getattr(asked, name) is not None:
            found.append(table.c[name] == getattr(asked, name))
    if asked.status is not None:
        is_open = table.c.status == "open"
        found.append(is_open if asked.status == "open" else ~is_open)
    return found


def only_known(conn: Connection, asked: ListQuery, asker: Asker) -> list[ColumnElement[bool]]:
    """Return the filters by what only the catalogue has, but the ruleset. One query if a name is searched for."""
    table, found = catalogue_games, list[ColumnElement[bool]]()
    if asked.player is not None:
        found.append(_plays([asked.player]))
    if asked.search is not None:
        found.append(_begins(conn, asked.search))
    if asked.since is not None:
        found.append(table.c.last_at >= asked.since)
    if asked.until is not None:
        found.append(table.c.first_at < asked.until)
    if asked.findings is not None:
        here = and_(findings.c.game_id == table.c.game_id, findings.c.severity == "breach")
        any_of_them = select(findings.c.number).where(here, is_told(asker)).exists()
        found.append(any_of_them if asked.findings else ~any_of_them)
    return found


def _begins(conn: Connection, text: str) -> ColumnElement[bool]:
    """Tell whether a player's name begins so, whatever the case, or the game's id."""
    table, ends = catalogue_games, _ids_from(text)
    named = _sits_down(conn, text)
    return named if ends is None else or_(named, table.c.game_id.between(*ends))


def _sits_down(conn: Connection, text: str) -> ColumnElement[bool]:
    """Tell whether somebody plays whose name begins so.

    Few are looked up before, since how rare they are tells the planner whether it has to look through the archive.
    """
    is_called = func.lower(people.c.name).startswith(text.lower(), autoescape=True)
    called = select(people.c.player_id).where(is_called)
    few = list(conn.execute(called.limit(_FEW + 1)).scalars())
    if len(few) <= _FEW:
        return _plays(few) if few else false()
    every = select(func.array_agg(people.c.player_id)).where(is_called).scalar_subquery()
    found: ColumnElement[bool] = catalogue_games.c.players.overlap(every)
    return found


def _plays(player_ids: list[UUID]) -> ColumnElement[bool]:
    """Tell whether one of these plays: by the rows of the standings, which are in the order of the list."""
    played = select(standings_games.c.game_id).where(standings_games.c.player_id.in_(player_ids))
    return catalogue_games.c.game_id.in_(played)


def _ids_from(text: str) -> tuple[UUID, UUID] | None:
    """Return the first and the last id that begins so, None for a text that begins none."""
    digits = text.replace("-", "").lower()
    if not 4 <= len(digits) <= 32 or not set(digits) <= _DIGITS:
        return None
    return UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
