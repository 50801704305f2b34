"""Which games the statistics of cards and scores are made of, and how they are added up.

The service chooses from the catalogue, as far as a list shows the games to whoever asks, and within a bound; the
command line chooses from the log itself. Games are read a portion at a time, so memory does not grow with
their number. Says nothing about what the numbers mean (`projections.chances`).
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    String,
    Table,
    literal_column,
    select,
)

from api.asker import Asker
from api.catalogue_filters import is_listed
from events import store
from events.codec import decode_log
from events.errors import RequestError
from events.schema import events, games
from projections.chances import Tally
from projections.schema import catalogue_games

MOST_GAMES: Final = 2_000
MOST_EVENTS: Final = 150_000
"""How much one request may have read: games, and events in all."""
_PORTION: Final = 10_000
"""Events that are read at a time, or one game."""

Sized = tuple[UUID, int]
"""A game and how many events it has."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which games: every field narrows, and all of `players` must sit at the table.

    `since` and `until` are times of play: a game that went on at `since` or later, and had begun before `until`.
    """

    game: str | None = None
    game_id: UUID | None = None
    ruleset: str | None = None
    players: tuple[UUID, ...] = ()
    dealer: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def seated(self) -> list[UUID]:
        """Who must sit at the table, the dealer among them."""
        return list({*self.players, *(() if self.dealer is None else (self.dealer,))})


def shown(conn: Connection, wanted: Wanted, asker: Asker, *, is_known: bool = False) -> list[Sized]:
    """Return the games that a list shows him, of those wanted, by id; raise RequestError if they are too much.

    *is_known*: that he may know the one game that is wanted has been seen to, so it need not be listed. One query.
    """
    table = catalogue_games
    statement: Select[Any] = select(table.c.game_id, table.c.version)
    statement = statement.where(*_filters(table, wanted))
    if not (is_known and wanted.game_id is not None):
        statement = statement.where(is_listed(table, asker))
    if wanted.ruleset is not None:
        statement = statement.where(table.c.ruleset == wanted.ruleset)
    if wanted.seated:
        statement = statement.where(table.c.players.contains(wanted.seated))
    statement = _played(statement, wanted, table.c.first_at, table.c.last_at)
    found = _sized(conn, statement.order_by(table.c.game_id).limit(MOST_GAMES + 1))
    _check_bound(found)
    return found


def stored(conn: Connection, wanted: Wanted) -> list[Sized]:
    """Return the games of the log that are wanted, by id, whoever may see them. One query."""
    first = events.alias("first_event")
    is_first = (first.c.game_id == games.c.game_id) & (first.c.version == 1)
    statement: Select[Any] = select(games.c.game_id, games.c.version).join(first, is_first)
    statement = statement.where(games.c.kind == "game", *_filters(games, wanted))
    if wanted.ruleset is not None:
        preset = literal_column("first_event.body->'ruleset'->>'preset'", String)
        statement = statement.where(preset == wanted.ruleset)
    seats: ColumnElement[Any] = literal_column("(first_event.body->'seats')::jsonb")
    for player in wanted.seated:
        statement = statement.where(seats.op("?")(str(player)))
    statement = _played(statement, wanted, first.c.recorded_at, games.c.changed_at)
    return _sized(conn, statement.order_by(games.c.game_id))


def tallied(
    conn: Connection,
    found: Iterable[Sized],
    tally: Tally,
    step: Callable[[], object] = lambda: None,
) -> Tally:
    """Add these games up, calling *step* after each."""
    for portion in _portions(found):
        for _, game, bodies in store.bodies_of(conn, portion):
            tally.add(decode_log(game, bodies))
            step()
    return tally


def _filters(table: Table, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.game is not None:
        yield table.c.game == wanted.game
    if wanted.game_id is not None:
        yield table.c.game_id == wanted.game_id


def _played(
    statement: Select[Any], wanted: Wanted, first: Column[Any], last: Column[Any]
) -> Select[Any]:
    if wanted.since is not None:
        statement = statement.where(last >= wanted.since)
    if wanted.until is not None:
        statement = statement.where(first < wanted.until)
    return statement


def _sized(conn: Connection, statement: Select[Any]) -> list[Sized]:
    return [(row.game_id, row.version) for row in conn.execute(statement)]


def _check_bound(found: list[Sized]) -> None:
    size = sum(version for _, version in found)
    if len(found) > MOST_GAMES or size > MOST_EVENTS:
        games_ = f"more than {MOST_GAMES}" if len(found) > MOST_GAMES else str(len(found))
        raise RequestError(
            "too_much",
            f"{games_} games with {size} events, expected at most {MOST_GAMES} with {MOST_EVENTS}: "
            "ask for a dealer, a table, a game, a ruleset or a shorter time",
        )


def _portions(found: Iterable[Sized]) -> Iterator[list[UUID]]:
    portion, size = list[UUID](), 0
    for game_id, version in found:
        if portion and size + version > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(game_id)
        size += version
    if portion:
        yield portion
