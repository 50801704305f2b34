"""The archive by the ledger: which games and disputes, or parts of them, came between two positions, and their logs.

The ledger has no gaps and is only added to, so a stretch of it is the same whenever it is asked for, and the
next one begins where it ends. Read page by page, each a few statements of its own, so that nobody who reads
slowly holds a connection. Never writes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Select, func, select

from api import files
from api.asker import Asker
from api.files import Filed
from events import docket, store
from events.chain import NIL_HEAD
from events.disputes import NAME
from events.records import Head
from events.schema import games, ledger

Connect = Callable[[], AbstractContextManager[Connection]]

Kinds = frozenset[Literal["game", "dispute"]]

GAMES: Final[Kinds] = frozenset({"game"})
DISPUTES: Final[Kinds] = frozenset({"dispute"})
BOTH: Final[Kinds] = GAMES | DISPUTES

PAGE: Final = 500
"""Rows of the ledger that are taken at once, fewer where their games are long."""
MOST_EVENTS: Final = 20_000
"""Events that are held at once, unless a single game has more."""


class Stretch(msgspec.Struct, frozen=True):
    """What of the ledger is asked for: after `since`, up to and with `until`."""

    since: int
    until: int


class Choice(msgspec.Struct, frozen=True):
    """Which games: those that a list shows this asker, and among them one, or those of some rules.

    Of `kinds`: the games themselves, the disputes about them, or both.
    """

    asker: Asker
    game_id: UUID | None = None
    rules: str | None = None
    kinds: Kinds = BOTH

    def shows(self, head: Head) -> bool:
        """Tell whether a game is among them; a dispute goes with the game that it is about."""
        return (
            self.asker.lists(head)
            and self.game_id in (None, head.game_id)
            and self.rules in (None, head.game)
        )


class Piece(msgspec.Struct, frozen=True):
    """A game, or a dispute, with all its events, of which those after `after` and up to `upto` are meant."""

    game: Filed
    after: int
    upto: int
    position: int

    @property
    def head(self) -> Head:
        """The head as it was there."""
        last = self.game.stored[self.upto - 1]
        return msgspec.structs.replace(
            self.game.head, version=self.upto, head=last.hash, changed_at=last.recorded_at
        )

    @property
    def link(self) -> tuple[int, bytes]:
        """The version before, and its hash."""
        return self.after, self.game.stored[self.after - 1].hash if self.after else NIL_HEAD


def last_position(conn: Connection) -> int:
    """Return the position of the newest row of the ledger, 0 if there is none."""
    return int(conn.execute(select(func.coalesce(func.max(ledger.c.position), 0))).scalar_one())


def pieces(connect: Connect, stretch: Stretch, choice: Choice, *, whole: bool) -> Iterator[Piece]:
    """Yield what came in a stretch of the ledger, in its order.

    Row by row; or, if *whole*, each game that has grown once, with all its events up to the end of the stretch,
    where its last row stands.
    """
    after = stretch.since
    while True:
        with connect() as conn:
            rows = _page(conn, after, stretch.until, whole=whole)
            found = _read(conn, list(_chosen(conn, rows, choice)), whole=whole)
        yield from found
        if not rows:
            return
        after = rows[-1].position


def _chosen(conn: Connection, rows: Sequence[Any], choice: Choice) -> Iterator[Any]:
    """Yield the rows of games that are asked for, and of disputes about them."""
    disputes = {row.game_id for row in rows if row.kind == NAME and NAME in choice.kinds}
    about = docket.games_of(conn, disputes) if disputes else {}
    for row in rows:
        head = about.get(row.game_id) if row.kind == NAME else _head(row)
        if row.kind in choice.kinds and head is not None and choice.shows(head):
            yield row


def _page(conn: Connection, after: int, until: int, *, whole: bool) -> Sequence[Any]:
    """Return the next rows with their games as they are now, no more than can be held at once."""
    statement = _rows().where(ledger.c.position > after, ledger.c.position <= until)
    if whole:
        later = ledger.alias()
        statement = statement.where(
            ~select(1)
            .where(later.c.game_id == ledger.c.game_id)
            .where(later.c.from_version > ledger.c.to_version, later.c.position <= until)
            .exists()
        )
    rows = conn.execute(statement.order_by(ledger.c.position).limit(PAGE)).all()
    sizes: dict[UUID, int] = {}
    for number, row in enumerate(rows):
        sizes[row.game_id] = row.version
        if number and sum(sizes.values()) > MOST_EVENTS:
            return rows[:number]
    return rows


def _rows() -> Select[Any]:
    return select(
        ledger.c.position, ledger.c.from_version, ledger.c.to_version, *games.c
    ).join_from(ledger, games, games.c.game_id == ledger.c.game_id)


def _read(conn: Connection, rows: Sequence[Any], *, whole: bool) -> list[Piece]:
    heads = {row.game_id: _head(row) for row in rows}
    logs = store.read_many(conn, list(heads))
    filed = files.gather(conn, [(heads[game_id], stored) for game_id, stored in logs])
    read = {game.head.game_id: game for game in filed}
    return [
        Piece(read[row.game_id], 0 if whole else row.from_version - 1, row.to_version, row.position)
        for row in rows
    ]


def _head(row: Any) -> Head:
    return Head(
        game_id=row.game_id,
        kind=row.kind,
        game=row.game,
        mode=row.mode,
        visibility=row.visibility,
        version=row.version,
        head=row.head,
        created_at=files.microseconds(row.created_at),
        changed_at=files.microseconds(row.changed_at),
    )
