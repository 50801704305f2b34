"""What a check of the whole store asks of the database: everything, in order, in constant memory.

Reads and never writes; `events.soundness` says what is wrong. Every process of one check looks at one and
the same snapshot, so that appends and the sealer may go on meanwhile.
"""

from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar
from uuid import UUID

import msgspec
from sqlalchemy import Connection, text

from events.postgres import EPOCH, Call, Row, every, one, streamed
from events.records import Head, StoredEvent
from events.soundness import (
    Anchor,
    Damage,
    Held,
    Remark,
    Seal,
    anchor_at,
    check_anchor,
    check_game,
    check_ledger,
)

T = TypeVar("T")

LOWEST: Final = UUID(int=0)
HIGHEST: Final = UUID(int=2**128 - 1)
_PAGE: Final = 2000

_SIZES: Final = "SELECT game_id, version FROM lanterlog.games ORDER BY game_id"
_HEADS: Final = """
SELECT game_id, kind, game, mode, visibility, version, head, created_at, changed_at
FROM lanterlog.games WHERE game_id BETWEEN %s AND %s ORDER BY game_id"""
_EVENTS: Final = """
SELECT game_id, version, recorded_at, recorded_by, salt, hash, body FROM lanterlog.events
WHERE game_id BETWEEN %s AND %s ORDER BY game_id, version"""
_TEXTS: Final = """
SELECT game_id, version, salt, text FROM lanterlog.texts
WHERE game_id BETWEEN %s AND %s ORDER BY game_id, version"""
_ROW: Final = """
SELECT position, game_id, from_version, to_version, head, previous, sealed_at
FROM lanterlog.ledger"""
_SEALS: Final = f"{_ROW} WHERE game_id BETWEEN %s AND %s ORDER BY game_id, from_version"
_POSITIONS: Final = f"{_ROW} WHERE position BETWEEN %s AND %s ORDER BY position"
_AT: Final = f"{_ROW} WHERE position = %s"
_LAST: Final = f"{_ROW} ORDER BY position DESC LIMIT 1"
_WAITING: Final = """
SELECT game_id, max(version) FROM lanterlog.outbox
WHERE game_id BETWEEN %s AND %s GROUP BY game_id ORDER BY game_id"""
# Of each game the first command whose versions are not there, not recorded then, or another's too.
_COMMANDS: Final = """
SELECT DISTINCT ON (c.game_id) c.game_id, c.first_version FROM (
  SELECT game_id, first_version, last_version, recorded_at,
    lag(last_version) OVER (PARTITION BY game_id ORDER BY first_version, last_version) AS before
  FROM lanterlog.commands WHERE game_id BETWEEN %s AND %s
) c
LEFT JOIN lanterlog.events f ON f.game_id = c.game_id AND f.version = c.first_version
LEFT JOIN lanterlog.events l ON l.game_id = c.game_id AND l.version = c.last_version
WHERE f.recorded_at IS DISTINCT FROM c.recorded_at OR l.recorded_at IS DISTINCT FROM c.recorded_at
  OR c.before >= c.first_version
ORDER BY c.game_id, c.first_version"""
_IMPORTS: Final = """
SELECT i.game_id, i.version FROM lanterlog.imports i
LEFT JOIN lanterlog.games g ON g.game_id = i.game_id
WHERE i.game_id BETWEEN %s AND %s AND i.version > coalesce(g.version, 0) ORDER BY i.game_id"""


class Stretch(msgspec.Struct, frozen=True):
    """The games from one id to another, both counted; or rows of the ledger from `first` to `last`."""

    low: UUID = LOWEST
    high: UUID = HIGHEST
    first: int = 0
    last: int = 0


class Checked(msgspec.Struct, frozen=True):
    """What a stretch came to: what holds, and where it does not."""

    games: int
    events: int
    rows: int
    damages: list[Damage]


def share_snapshot(conn: Connection) -> str:
    """Name the snapshot that this transaction (REPEATABLE READ) sees, for as long as it lasts."""
    return str(conn.execute(text("SELECT pg_export_snapshot()")).scalar_one())


def use_snapshot(conn: Connection, name: str) -> None:
    """See what another transaction sees; must come first in this one (REPEATABLE READ)."""
    if not name.replace("-", "").isalnum():
        raise AssertionError(name)
    conn.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{name}'")


def stretches(conn: Connection, most_events: int, most_games: int) -> Iterator[Stretch]:
    """Divide the whole store: the stretches touch one another, so nothing lies between two of them."""
    last = last_seal(conn)
    rows = 0 if last is None else last.position
    low, events, games = LOWEST, 0, 0
    for game_id, version in streamed(conn, _SIZES, _PAGE):
        events, games = events + version, games + 1
        if events >= most_events or games >= most_games:
            yield Stretch(low, game_id)
            low, events, games = UUID(int=min(game_id.int + 1, HIGHEST.int)), 0, 0
    yield Stretch(low, HIGHEST)
    for first in range(1, rows + 1, most_events):
        yield Stretch(first=first, last=min(first + most_events - 1, rows))


def check(conn: Connection, stretch: Stretch) -> Checked:
    """Check one stretch; of each damaged game the first version that is wrong is named."""
    if stretch.first:
        return _check_rows(conn, stretch)
    games = events = 0
    damages = {}
    for held in _games(conn, stretch):
        sound, damage = check_game(held)
        games, events = games + (damage is None), events + sound
        if damage is not None:
            damages[held.game_id] = damage
    for damage in (*_bad_commands(conn, stretch), *_bad_imports(conn, stretch)):
        assert damage.game_id is not None
        before = damages.get(damage.game_id)
        if before is None or (before.version or 0) > (damage.version or 0):
            games -= before is None
            damages[damage.game_id] = damage
    return Checked(games, events, 0, sorted(damages.values(), key=lambda one: str(one.game_id)))


def last_seal(conn: Connection) -> Seal | None:
    """The ledger's last row, None if nothing has been sealed."""
    row = one(conn, _LAST, (), Call())
    return None if row is None else _seal(row)


def anchor_now(conn: Connection, at: str) -> Anchor:
    """What to keep outside the database of the ledger as it is now."""
    return anchor_at(last_seal(conn), at)


def check_anchors(conn: Connection, anchors: Iterator[Anchor]) -> tuple[int, list[Damage]]:
    """Compare anchors with the ledger: how many hold, and those that do not."""
    holding, damages = 0, []
    for anchor in anchors:
        row = one(conn, _AT, (anchor.position,), Call())
        damage = check_anchor(anchor, None if row is None else _seal(row))
        if damage is None:
            holding += 1
        else:
            damages.append(damage)
    return holding, damages


class _Stream(Generic[T]):
    """Rows that begin with a game's id, given out game by game."""

    def __init__(self, rows: Iterator[Row], make: Callable[[Row], T]) -> None:
        self._rows = rows
        self._make = make
        self._next = next(rows, None)

    @property
    def game_id(self) -> UUID:
        """The game whose rows come next; above all others at the end."""
        return HIGHEST if self._next is None else _id_of(self._next)

    @property
    def has_ended(self) -> bool:
        return self._next is None

    def of(self, game_id: UUID) -> Iterator[T]:
        """Give the rows of a game; those of games before it must have been taken."""
        while self._next is not None and _id_of(self._next) == game_id:
            row, self._next = self._next, next(self._rows, None)
            yield self._make(row)


def _id_of(row: Row) -> UUID:
    found: UUID = row[0]
    return found


def _games(conn: Connection, stretch: Stretch) -> Iterator[Held]:
    """Give every game of which there is anything, in the order of ids."""
    ids = (stretch.low, stretch.high)
    heads = _Stream(streamed(conn, _HEADS, _PAGE, ids), _head)
    events = _Stream(streamed(conn, _EVENTS, _PAGE, ids), _event)
    texts = _Stream(streamed(conn, _TEXTS, _PAGE, ids), lambda row: Remark(*row[1:]))
    seals = _Stream(
        ((row[1], row) for row in streamed(conn, _SEALS, _PAGE, ids)), lambda pair: _seal(pair[1])
    )
    waiting: dict[UUID, int] = dict(every(conn, _WAITING, ids, Call()))
    streams: tuple[_Stream[object], ...] = (heads, events, texts, seals)  # type: ignore[assignment]
    while not all(stream.has_ended for stream in streams):
        game_id = min(stream.game_id for stream in streams if not stream.has_ended)
        yield Held(
            game_id,
            next(heads.of(game_id), None),
            events.of(game_id),
            texts.of(game_id),
            seals.of(game_id),
            waiting.get(game_id, 0),
        )
        for stream in streams:
            for _ in stream.of(game_id):
                pass


def _check_rows(conn: Connection, stretch: Stretch) -> Checked:
    before = one(conn, _AT, (stretch.first - 1,), Call())
    rows = streamed(conn, _POSITIONS, _PAGE, (stretch.first, stretch.last))
    previous = None if before is None else _seal(before)
    damage = check_ledger(map(_seal, rows), stretch.first, previous, stretch.last)
    sound = stretch.last + 1 - stretch.first if damage is None else 0
    return Checked(0, 0, sound, [] if damage is None else [damage])


def _bad_commands(conn: Connection, stretch: Stretch) -> Iterator[Damage]:
    for game_id, version in every(conn, _COMMANDS, (stretch.low, stretch.high), Call()):
        reason = "begins a command that is not what was appended"
        yield Damage("command", reason, game_id, version)


def _bad_imports(conn: Connection, stretch: Stretch) -> Iterator[Damage]:
    for game_id, version in every(conn, _IMPORTS, (stretch.low, stretch.high), Call()):
        yield Damage("import", "is missing: it was imported", game_id, version)


def _head(row: Row) -> Head:
    return Head(*(*row[:7], row[7] + EPOCH, row[8] + EPOCH))


def _event(row: Row) -> StoredEvent:
    return StoredEvent(row[0], row[1], row[2] + EPOCH, row[3], row[4], row[5], row[6])


def _seal(row: Row) -> Seal:
    return Seal(*(*row[:6], row[6] + EPOCH))
