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
from api.times import microseconds
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
        return _upto(self.game, self.upto).head

    @property
    def link(self) -> tuple[int, bytes]:
        """The version before, and its hash."""
        return self.after, self.game.stored[self.after - 1].hash if self.after else NIL_HEAD


class Record(msgspec.Struct, frozen=True):
    """A game, and the disputes about it as they were at the end of a stretch, where the game had come to `upto`.

    The game itself is as it is now, which decides what of it is open. `position` is the newest row of all of them.
    """

    game: Filed
    upto: int
    disputes: Sequence[Filed]
    position: int

    @property
    def then(self) -> Filed:
        """The game as it was there."""
        return _upto(self.game, self.upto)


class _Due(msgspec.Struct, frozen=True):
    """A game that is to be read, and how far it and the disputes about it had come."""

    game_id: UUID
    versions: dict[UUID, int]
    position: int


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


def records(connect: Connect, stretch: Stretch, choice: Choice) -> Iterator[Record]:
    """Yield each game that has grown in a stretch, or a dispute about it has, once: where the newest row stands.

    So stretches side by side, up to the same position, give no game twice. One game is held at a time.
    """
    after = stretch.since
    while True:
        with connect() as conn:
            rows = _page(conn, after, stretch.until, whole=True)
            due = list(_due(conn, rows, choice, stretch.until))
        for one in due:
            with connect() as conn:
                found = _record(conn, one)
            yield found
        if not rows:
            return
        after = rows[-1].position


def _due(conn: Connection, rows: Sequence[Any], choice: Choice, until: int) -> Iterator[_Due]:
    """Yield the games of these rows that are asked for, but for those of which a later row comes."""
    heads = {row.game_id: _head(row) for row in rows if row.kind == "game"}
    argued = {row.game_id for row in rows if row.kind == NAME}
    heads |= docket.games_of(conn, argued) if argued else {}
    heads = {stream: head for stream, head in heads.items() if choice.shows(head)}
    about = docket.about(conn, {head.game_id for head in heads.values()}) if heads else {}
    ends = _ends(
        conn,
        {stream for one in about.values() for stream in one}
        | {head.game_id for head in heads.values()},
        until,
    )
    for row in rows:
        head = heads.get(row.game_id)
        if head is not None:
            streams = [head.game_id, *about.get(head.game_id, [])]
            versions = {one: ends[one][1] for one in streams if one in ends}
            if row.position == max(ends[one][0] for one in versions):
                yield _Due(head.game_id, versions, row.position)


def _ends(conn: Connection, streams: set[UUID], until: int) -> dict[UUID, tuple[int, int]]:
    """Return the last row of each up to a position, and the version that it ends with."""
    columns = (ledger.c.game_id, func.max(ledger.c.position), func.max(ledger.c.to_version))
    statement = select(*columns).where(ledger.c.game_id.in_(streams), ledger.c.position <= until)
    found = conn.execute(statement.group_by(ledger.c.game_id))
    return {stream: (position, version) for stream, position, version in found}


def _record(conn: Connection, due: _Due) -> Record:
    heads = store.heads_of(conn, due.versions)
    logs = [(heads[stream], stored) for stream, stored in store.read_many(conn, [*due.versions])]
    game, *disputes = files.gather(conn, logs)
    then = [_upto(one, due.versions[one.head.game_id]) for one in disputes]
    return Record(game, due.versions[due.game_id], then, due.position)


def _upto(filed: Filed, version: int) -> Filed:
    last = filed.stored[version - 1]
    head = msgspec.structs.replace(
        filed.head, version=version, head=last.hash, changed_at=last.recorded_at
    )
    return msgspec.structs.replace(
        filed, head=head, stored=filed.stored[:version], events=filed.events[:version]
    )


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
        created_at=microseconds(row.created_at),
        changed_at=microseconds(row.changed_at),
    )
