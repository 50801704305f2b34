"""`lanterlog import --bulk`: archives of our own format, game by game, with as many processes as there are cores.

A game that does not hold is named and left out, all others are stored, and what is here already is passed over
unread: so whoever was interrupted starts again with the same file.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Engine

from api import db
from api.access import NOBODY
from api.commands import crew, output
from api.commands.transfer import source
from api.config import Config
from events import bulk, store
from events.errors import (
    AlteredFile,
    AlteredLog,
    FormatError,
    LanterlogError,
    OtherHead,
    StoreBusy,
    StoreError,
)
from events.formats import Import, lines_of, ndjson
from events.formats.ndjson_split import Piece, game_line_of, split

DONE, ALTERED, NOT_A_LOG = 0, 1, 2
MOST_EVENTS: Final = 10_000
MOST_GAMES: Final = 200
"""One transaction's worth."""
_CLEARED_AFTER: Final = 50
"""Batches of one process, after which the staging table is emptied."""


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
    """A game that was read, with the line that it begins at."""

    line: int
    game: bulk.Whole


def import_files(args: Namespace) -> int:
    """Take in files one after the other; the worst of them decides the exit code."""
    with db.opened(Config.from_environment()) as engine:
        return max(_import(engine, name, args) for name in args.files)


def _import(engine: Engine, name: str, args: Namespace) -> int:
    taken = Taken()
    try:
        with source(name) as file, output.watched(file, f"importing {name}") as watched:
            if not ndjson.sniff(cast(BufferedReader, file).peek(4096)):
                raise FormatError(1, "not a log of Lanterlog's own, which --bulk is for")
            for some in _shared_out(engine, _batches(cast(IO[bytes], watched), taken), args):
                taken.add(some)
    except (FormatError, OSError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        output.say(f"lanterlog: {name}: {reason}")
        return NOT_A_LOG
    _tell(name, taken, args)
    if any(bad.is_altered for bad in taken.bad):
        return ALTERED
    return NOT_A_LOG if taken.bad else DONE


def _shared_out(engine: Engine, batches: Iterator[list[Piece]], args: Namespace) -> Iterator[Taken]:
    """Take the batches in: here if one will do, else in processes of their own."""
    with engine.connect() as conn, suppress(StoreBusy):
        bulk.clear(conn)
        conn.commit()
    first = next(batches, None)
    second = next(batches, None)
    jobs = args.jobs or crew.cores()
    waiting = (one for some in ([first, second], batches) for one in some if one is not None)
    if jobs == 1 or second is None:
        with engine.connect() as conn:
            for batch in waiting:
                yield take_in(conn, batch, keep=not args.check)
    else:
        given = (engine.url.render_as_string(hide_password=False), not args.check)
        yield from crew.spread(_take_in, waiting, jobs, _join, given)
    with engine.connect() as conn, suppress(StoreBusy):
        bulk.clear(conn)
        conn.commit()


def _batches(file: IO[bytes], taken: Taken) -> Iterator[list[Piece]]:
    """Cut the file into batches of whole games; what is wrong with the file as a whole is noted at its end."""
    batch, size = list[Piece](), 0
    try:
        for piece in split(lines_of(file)):
            if batch and (size + len(piece.lines) > MOST_EVENTS or len(batch) >= MOST_GAMES):
                yield batch
                batch, size = [], 0
            batch.append(piece)
            size += len(piece.lines)
    except FormatError as error:
        taken.bad.append(Bad(error.line, None, error.reason, isinstance(error, AlteredFile)))
    if batch:
        yield batch


def take_in(conn: Connection, batch: Sequence[Piece], *, keep: bool) -> Taken:
    """Store a batch's games in one transaction; one by one if that does not go through."""
    taken = Taken(lines=sum(len(piece.lines) for piece in batch))
    ready = list(_read(conn, batch, taken))
    conn.rollback()
    if not ready:
        return taken
    try:
        found = bulk.take_in(conn, [one.game for one in ready], NOBODY, is_checked=True)
    except StoreError:
        conn.rollback()
        for one in ready:
            _take_in_alone(conn, one, taken, keep=keep)
        return taken
    _end(conn, keep=keep)
    for one in ready:
        head = one.game.head
        _count(taken, one, found[head.game_id])
    return taken


def _read(conn: Connection, batch: Sequence[Piece], taken: Taken) -> Iterator[_Ready]:
    """Give the games that hold and are not here yet, each id once."""
    firsts = []
    for piece in batch:
        try:
            firsts.append((piece, game_line_of(piece)))
        except FormatError as error:
            taken.bad.append(_bad(piece.line, None, error))
    here = bulk.here(conn, [first.game_id for _, first in firsts])
    for piece, first in firsts:
        there = here.get(first.game_id)
        if there == (first.events, bytes.fromhex(first.head)):
            taken.present += 1
        elif there is not None:
            other = OtherHead(first.game_id, there[0])
            taken.bad.append(_bad(piece.line, first.game_id, other))
        else:
            try:
                yield _Ready(piece.line, _whole(ndjson.read_game(piece)))
                here[first.game_id] = first.events, bytes.fromhex(first.head)
            except FormatError as error:
                taken.bad.append(_bad(error.line, first.game_id, error))


def _whole(one: Import) -> bulk.Whole:
    assert one.head is not None
    assert one.stored is not None
    texts = [store.Text(version - 1, salt, text) for version, (salt, text) in one.remarks.items()]
    return bulk.Whole(one.head, one.stored, texts, one.names)


def _take_in_alone(conn: Connection, one: _Ready, taken: Taken, *, keep: bool) -> None:
    game = one.game
    try:
        store.ensure_people(conn, {UUID(player): name for player, name in game.names.items()})
        outcome = store.import_game(conn, game.head, game.events, game.texts, NOBODY)
    except StoreError as error:
        conn.rollback()
        taken.bad.append(_bad(one.line, game.head.game_id, error))
        return
    _end(conn, keep=keep)
    _count(taken, one, outcome)


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


class _Process:
    """What a process of the crew has: its connection, and how many batches it has taken in."""

    def __init__(self, url: str, keep: bool) -> None:
        config = Config(database_url=url, home=Path("/"), pool_size=1)
        self.conn = db.engine(config).connect()
        self.keep = keep
        self.batches = 0

    def take_in(self, batch: Sequence[Piece]) -> Taken:
        """Take a batch in, and now and then empty the staging table."""
        taken = take_in(self.conn, batch, keep=self.keep)
        self.batches += 1
        if self.batches % _CLEARED_AFTER == 0:
            with suppress(StoreBusy):
                bulk.clear(self.conn)
            self.conn.commit()
        return taken


_PROCESS: list[_Process] = []


def _join(url: str, keep: bool) -> None:
    _PROCESS.append(_Process(url, keep))


def _take_in(batch: Sequence[Piece]) -> Taken:
    return _PROCESS[0].take_in(batch)


def _tell(name: str, taken: Taken, args: Namespace) -> None:
    taken.bad.sort(key=lambda bad: bad.line)
    if args.json:
        output.as_json({"file": name, "stored": not args.check} | msgspec.structs.asdict(taken))
    else:
        verb = "would be imported" if args.check else "imported"
        new = f"{output.count(taken.imported, 'game')} {verb} with {output.count(taken.events, 'event')}"
        left = f", {output.count(len(taken.bad), 'error')}" if taken.bad else ""
        output.line(f"{name}: {new}, {output.count(taken.present, 'game')} already here{left}")
    for bad in taken.bad:
        what = "the rest was stored" if bad.game_id is None else "nothing of this game was stored"
        output.say(f"lanterlog: {name}: line {bad.line}: {bad.reason}; {what}")
