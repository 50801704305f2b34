"""Lists of games, deals, standings and findings, from the read models; a fixed number of queries each.

The read models follow the log within seconds, so a list may miss the newest acts: `as_of` says how far it has
come where it matters. Every function takes who asks, and gives only rows of games that a list shows him, and
of findings only those that tell him nothing hidden. Names are looked up by whoever shows the rows.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Numeric,
    Subquery,
    and_,
    cast,
    func,
    literal,
    select,
    true,
    tuple_,
)

from api import choosing_findings
from api.asker import Asker
from api.catalogue_filters import filters, is_listed, is_told
from api.lists_wire import DealsQuery, FindingsQuery, StandingsQuery
from api.paging import Page, cut, keys_of
from api.wire import ListQuery, Version
from events.common import AMOUNT_LIMIT
from projections.audit import Finding
from projections.schema import catalogue_deals, catalogue_games, findings, standings_games

T = TypeVar("T")

Amounts = list[int | None]

_LEAST: Final = Decimal(-(10**40))
"""Below every sum there can be: where those stand who have none."""
_Rank = Annotated[str, Meta(pattern=r"^-?[0-9]{1,41}\Z")]
_SUMS: Final = (
    *("deals", "wins", "points", "calls_made", "calls_won", "calls_lost", "loos", "chips"),
    *("wins_played", "points_played", "chips_played"),
)


class GameRow(msgspec.Struct, frozen=True):
    """A game as the catalogue has it; times in UTC, `findings` and `unchecked` are those that may be told."""

    game_id: UUID
    game: str
    mode: str
    visibility: str
    status: str
    ruleset: str
    engine: str
    players: list[UUID]
    deals: int
    scores: Amounts
    winner: int | None
    opened_at: datetime
    first_at: datetime
    last_at: datetime
    version: int
    scores_played: Amounts
    winner_played: int | None
    disputes: int
    findings: int
    unchecked: int


class DealRow(msgspec.Struct, frozen=True):
    """A deal as the catalogue has it, with the findings in it that may be told."""

    from_version: int
    to_version: int
    deal: int
    dealer: int
    ended: str | None
    out: int | None
    scores: Amounts | None
    scores_played: Amounts | None
    findings: int
    unchecked: int


class StandingRow(msgspec.Struct, frozen=True):
    """What a player has done in all games of one kind; null is what the game does not have, or no number holds."""

    player_id: UUID
    game: str
    games: int
    deals: int
    wins: int
    points: int | None
    calls_made: int | None
    calls_won: int | None
    calls_lost: int | None
    loos: int | None
    chips: int | None
    wins_played: int
    points_played: int | None
    chips_played: int | None


class FindingRow(msgspec.Struct, frozen=True):
    """A finding, and the game that it was found in."""

    game_id: UUID
    number: int
    game: str
    finding: Finding


def games(conn: Connection, asked: ListQuery, asker: Asker) -> Page[GameRow]:
    """Return a page of the games that a list shows, by id. One query, two if a name is searched for."""
    found = _counted(asker, findings.c.game_id == catalogue_games.c.game_id)
    statement = (
        select(*catalogue_games.columns, found.c.breaches, found.c.unchecked)
        .join(found, true())
        .where(is_listed(catalogue_games, asker), *filters(conn, asked, asker))
    )
    if asked.cursor is not None:
        (after,) = keys_of("games", asked.cursor, tuple[UUID])
        statement = statement.where(catalogue_games.c.game_id > after)
    statement = statement.order_by(catalogue_games.c.game_id).limit(asked.limit + 1)
    rows = _all(GameRow, conn.execute(statement))
    return cut(rows, asked.limit, "games", [row.game_id for row in rows[: asked.limit]][-1:])


def counts(conn: Connection, game_ids: Sequence[UUID], asker: Asker) -> dict[UUID, tuple[int, int]]:
    """Return how many deals and findings these games have, of those that the catalogue knows. One query."""
    table = catalogue_games
    found = _counted(asker, findings.c.game_id == table.c.game_id)
    statement = select(table.c.game_id, table.c.deals, found.c.breaches).join(found, true())
    shown = statement.where(is_listed(table, asker), table.c.game_id.in_(game_ids))
    return {row.game_id: (row.deals, row.breaches) for row in conn.execute(shown)}


def players(conn: Connection, game_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Return who sits at these games, of those that the catalogue knows; who may know them is for the caller."""
    table = catalogue_games
    rows = conn.execute(
        select(table.c.game_id, table.c.players).where(table.c.game_id.in_(game_ids))
    )
    return {row.game_id: list(row.players) for row in rows}


def deals(
    conn: Connection, game_id: UUID, asked: DealsQuery, asker: Asker
) -> tuple[int, Page[DealRow]]:
    """Return the version up to which the catalogue has a game (0: not yet), and a page of its deals, in order.

    One query, so that the two are of one moment. Whether he may know the game is for the caller.
    """
    game, table = catalogue_games, catalogue_deals
    is_wanted = table.c.game_id == game.c.game_id
    if asked.cursor is not None:
        (after,) = keys_of("deals", asked.cursor, tuple[Version])
        is_wanted = and_(is_wanted, table.c.from_version > after)
    is_within = findings.c.version.between(table.c.from_version, table.c.to_version)
    found = _counted(asker, and_(findings.c.game_id == table.c.game_id, is_within))
    shown = [column for column in table.columns if column.name != "game_id"]
    statement = (
        select(game.c.version.label("as_of"), *shown, found.c.breaches, found.c.unchecked)
        .outerjoin(table, is_wanted)
        .join(found, true())
        .where(game.c.game_id == game_id)
        .order_by(table.c.from_version)
        .limit(asked.limit + 1)
    )
    told = conn.execute(statement).all()
    rows = _all(DealRow, (row[1:] for row in told if row.from_version is not None))
    keys = [row.from_version for row in rows[: asked.limit]][-1:]
    return told[0].as_of if told else 0, cut(rows, asked.limit, "deals", keys)


def standings(conn: Connection, asked: StandingsQuery, asker: Asker) -> Page[StandingRow]:
    """Return a page of players and what they have done, the most of what is asked for first. One query.

    Sums are made of all games that may be shown, so one page costs what all of them cost.
    """
    sums = _sums(asked, asker)
    most: ColumnElement[Any] = literal(0) if asked.by == "player" else sums.c[asked.by]
    rank = -func.coalesce(cast(most, Numeric), literal(_LEAST, Numeric))
    keys = (rank, sums.c.player_id, sums.c.game)
    statement = select(sums, rank.label("rank"))
    if asked.cursor is not None:
        at, player, game = keys_of(f"standings {asked.by}", asked.cursor, tuple[_Rank, UUID, str])
        after = (literal(Decimal(at), Numeric), literal(player), literal(game))
        statement = statement.where(tuple_(*keys) > tuple_(*after))
    statement = statement.order_by(*keys).limit(asked.limit + 1)
    found = conn.execute(statement).all()
    rows = [StandingRow(row[0], row[1], *map(_number, row[2:-1])) for row in found]
    last = [[str(int(row[-1])), row[0], row[1]] for row in found[: asked.limit]][-1:]
    return cut(rows, asked.limit, f"standings {asked.by}", last[0] if last else [])


def findings_of(conn: Connection, asked: FindingsQuery, asker: Asker) -> Page[FindingRow]:
    """Return a page of findings, by game and version. One query."""
    after: tuple[Any, ...] = ()
    if asked.cursor is not None:
        after = keys_of("findings", asked.cursor, tuple[UUID, Version])
    statement = choosing_findings.chosen(asked, asker, after)
    rows = [_finding(row) for row in conn.execute(statement)]
    last = [[row.game_id, row.number] for row in rows[: asked.limit]][-1:]
    return cut(rows, asked.limit, "findings", last[0] if last else [])


def _all(kind: type[T], rows: Iterable[Any]) -> list[T]:
    return [kind(*row) for row in rows]


def _counted(asker: Asker, here: ColumnElement[bool]) -> Any:
    """Return a lateral row that counts the breaches and the unchecked rules which may be told."""
    breach = findings.c.severity == "breach"
    return (
        select(
            func.count().filter(breach).label("breaches"),
            func.count().filter(~breach).label("unchecked"),
        )
        .select_from(findings)
        .where(here, is_told(asker))
        .lateral("counted")
    )


def _sums(asked: StandingsQuery, asker: Asker) -> Subquery:
    table = standings_games
    statement = (
        select(
            table.c.player_id,
            table.c.game,
            func.count().cast(Integer).label("games"),
            *(func.sum(table.c[name]).label(name) for name in _SUMS),
        )
        .where(is_listed(table, asker))
        .group_by(table.c.player_id, table.c.game)
    )
    if asked.game is not None:
        statement = statement.where(table.c.game == asked.game)
    if asked.player is not None:
        statement = statement.where(table.c.player_id == asked.player)
    return statement.subquery("sums")


def _number(value: Any) -> Any:
    """Return a sum as a number that every reader of JSON keeps, None beyond."""
    return None if value is None or abs(value) > AMOUNT_LIMIT else int(value)


def _finding(row: Any) -> FindingRow:
    finding = Finding(
        version=row.version,
        deal=row.deal,
        seat=row.seat,
        severity=row.severity,
        code=row.code,
        rule=row.rule,
        expected=row.params.get("expected"),
        actual=row.params.get("actual"),
        event=row.event,
        params=row.params,
    )
    return FindingRow(row.game_id, row.number, row.game, finding)
