"""Which rows of the read models somebody may see, and which he asked for, as conditions of SQL."""

from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Table, and_, false, func, or_, select, true

from api.asker import NOBODY, Asker
from api.wire import ListQuery
from events.schema import people
from projections.schema import catalogue_games, findings

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


def filters(asked: ListQuery, asker: Asker) -> list[ColumnElement[bool]]:
    """Return what a row of the catalogue must be to pass all filters."""
    table = catalogue_games
    found = more_filters(asked, asker)
    if asked.game is not None:
        found.append(table.c.game == asked.game)
    if asked.mode is not None:
        found.append(table.c.mode == asked.mode)
    if asked.status is not None:
        open_too = ("open",) if asked.status == "open" else ("ended", "abandoned")
        found.append(table.c.status.in_(open_too))
    return found


def more_filters(asked: ListQuery, asker: Asker) -> list[ColumnElement[bool]]:
    """Return the filters by what only the catalogue has."""
    table, found = catalogue_games, list[ColumnElement[bool]]()
    if asked.player is not None:
        found.append(table.c.players.contains([asked.player]))
    if asked.search is not None:
        found.append(_begins(asked.search))
    if asked.ruleset is not None:
        found.append(table.c.ruleset == asked.ruleset)
    if asked.since is not None:
        found.append(table.c.last_at >= asked.since)
    if asked.until is not None:
        found.append(table.c.first_at < asked.until)
    if asked.findings is not None:
        here = and_(findings.c.game_id == table.c.game_id, findings.c.severity == "breach")
        any_of_them = select(findings.c.number).where(here, is_told(asker)).exists()
        found.append(any_of_them if asked.findings else ~any_of_them)
    return found


def _begins(text: str) -> ColumnElement[bool]:
    """Tell whether a player's name begins so, whatever the case, or the game's id."""
    table = catalogue_games
    called = select(func.array_agg(people.c.player_id)).where(
        func.lower(people.c.name).startswith(text.lower(), autoescape=True)
    )
    named = table.c.players.overlap(called.scalar_subquery())
    ends = _ids_from(text)
    return named if ends is None else or_(named, table.c.game_id.between(*ends))


def _ids_from(text: str) -> tuple[UUID, UUID] | None:
    """Return the first and the last id that begins so, None for a text that begins none."""
    digits = text.replace("-", "").lower()
    if not 4 <= len(digits) <= 32 or not set(digits) <= _DIGITS:
        return None
    return UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
