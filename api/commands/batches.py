"""One batch of a bulk import: read, checked and stored as one transaction, or game by game where that does not go through.

A dispute is checked against its game, which stands in the same batch or is here; files and processes are no affair of
this file's.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api.access import NOBODY
from events import bulk, dispute_files, intake, store
from events.disputes import NAME as DISPUTE
from events.errors import (
    AbsentGame,
    AlteredFile,
    AlteredLog,
    FormatError,
    LanterlogError,
    OtherHead,
    StoreError,
)
from events.formats import Import, ndjson
from events.formats.ndjson_split import Piece, game_line_of


class Bad(msgspec.Struct, frozen=True):
    """A game that was left out, or the file as a whole (no game): the line, and why."""

    line: int
    game_id: UUID | None
    reason: str
    is_altered: bool


class Taken(msgspec.Struct):
    """What has come of the games so far."""

    imported: int = 0
    present: int = 0
    events: int = 0
    lines: int = 0
    bad: list[Bad] = msgspec.field(default_factory=list)

    def add(self, other: "Taken") -> None:
        """Count some more."""
        self.imported += other.imported
        self.present += other.present
        self.events += other.events
        self.lines += other.lines
        self.bad += other.bad


class _Ready(msgspec.Struct, frozen=True):
    """A game that was read, as the file and as the store have it."""

    one: Import
    game: bulk.Whole

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.one.line


Batch = tuple[Taken, list[Piece]]
"""What came of a batch, and disputes in it whose games have not been found."""


def take_in(
    conn: Connection, batch: Sequence[Piece], *, keep: bool, is_last: bool = False
) -> Batch:
    """Store a batch's games in one transaction; one by one if that does not go through.

    Disputes whose games are not found are given back, or refused if this is the last attempt.
    """
    taken = Taken(lines=0 if is_last else sum(len(piece.lines) for piece in batch))
    absent: list[Piece] = []
    ready = list(_read(conn, batch, taken, None if is_last else absent))
    conn.rollback()
    if not ready:
        return taken, absent
    try:
        found = bulk.take_in(conn, [one.game for one in ready], NOBODY, is_checked=True)
    except StoreError:
        conn.rollback()
        _take_in_alone(conn, ready, taken, keep=keep)
        return taken, absent
    _end(conn, keep=keep)
    for one in ready:
        head = one.game.head
        _count(taken, one, found[head.game_id])
    return taken, absent


def _read(
    conn: Connection, batch: Sequence[Piece], taken: Taken, absent: list[Piece] | None
) -> Iterator[_Ready]:
    """Give the games that hold and are not here yet, each id once."""
    firsts = []
    for piece in batch:
        try:
            firsts.append((piece, game_line_of(piece)))
        except FormatError as error:
            taken.bad.append(_bad(piece.line, None, error))
    here = bulk.here(conn, [first.game_id for _, first in firsts])
    known: dict[UUID, dispute_files.Log] = {}
    for piece, first in firsts:
        there = here.get(first.game_id)
        if there == (first.events, bytes.fromhex(first.head)):
            taken.present += 1
        elif there is not None:
            other = OtherHead(first.game_id, there[0])
            taken.bad.append(_bad(piece.line, first.game_id, other))
        else:
            try:
                one = _ready(conn, piece, known)
            except AbsentGame as error:
                if absent is None:
                    taken.bad.append(_bad(error.line, first.game_id, error))
                else:
                    absent.append(piece)
            except FormatError as error:
                taken.bad.append(_bad(error.line, first.game_id, error))
            else:
                yield one
                here[first.game_id] = first.events, bytes.fromhex(first.head)


def _ready(conn: Connection, piece: Piece, known: dict[UUID, dispute_files.Log]) -> _Ready:
    """Read one game, or a dispute about one that is here or *known*; a game that was read is known from then on."""
    one = ndjson.read_game(piece)
    found = _Ready(one, _whole(one))
    if found.game.head.kind == DISPUTE:
        dispute_files.check_import(conn, one, known)
    else:
        known[one.game_id] = found.game.head.game, found.game.events
    return found


def _whole(one: Import) -> bulk.Whole:
    assert one.head is not None
    assert one.stored is not None
    texts = [store.Text(version - 1, salt, text) for version, (salt, text) in one.remarks.items()]
    return bulk.Whole(one.head, one.stored, texts, one.names)


def _take_in_alone(conn: Connection, ready: Sequence[_Ready], taken: Taken, *, keep: bool) -> None:
    """Store games one by one; a dispute falls with its game."""
    known: dict[UUID, dispute_files.Log] = {}
    for one in ready:
        game = one.game
        try:
            if game.head.kind == DISPUTE:
                dispute_files.check_import(conn, one.one, known)
            store.ensure_people(conn, {UUID(player): name for player, name in game.names.items()})
            outcome = intake.import_game(conn, game.head, game.events, game.texts, NOBODY)
        except (StoreError, FormatError) as error:
            conn.rollback()
            taken.bad.append(_bad(one.line, game.head.game_id, error))
            continue
        _end(conn, keep=keep)
        _count(taken, one, outcome)
        if game.head.kind != DISPUTE:
            known[game.head.game_id] = game.head.game, game.events


def _count(taken: Taken, one: _Ready, outcome: bulk.Outcome) -> None:
    if outcome == "imported":
        taken.imported += 1
        taken.events += len(one.game.events)
    elif outcome == "present":
        taken.present += 1
    else:
        head = one.game.head
        taken.bad.append(_bad(one.line, head.game_id, OtherHead(head.game_id, head.version)))


def _bad(line: int, game_id: UUID | None, error: LanterlogError) -> Bad:
    reason = error.reason if isinstance(error, FormatError) else str(error)
    return Bad(line, game_id, reason, isinstance(error, AlteredFile | AlteredLog | OtherHead))


def _end(conn: Connection, *, keep: bool) -> None:
    if keep:
        conn.commit()
    else:
        conn.rollback()
