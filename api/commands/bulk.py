"""`lanterlog import --bulk`: archives of our own format, game by game, with as many processes as there are cores.

A game that does not hold is named and left out, all others are stored, and what is here already is passed over
unread: so whoever was interrupted starts again with the same file. A dispute stays in its game's batch; one that
another process found no game for is tried again when all games are in.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast

import msgspec
from sqlalchemy import Engine

from api import db
from api.commands import crew, output
from api.commands.batches import Bad, Batch, Taken, take_in
from api.commands.transfer import source
from api.config import Config
from events import bulk
from events.dispute_files import MOST_LATE
from events.errors import AlteredFile, FormatError, StoreBusy
from events.formats import lines_of, ndjson
from events.formats.ndjson_split import Piece, game_line_of, split

DONE, ALTERED, NOT_A_LOG = 0, 1, 2
MOST_EVENTS: Final = 10_000
MOST_GAMES: Final = 200
"""One transaction's worth, but for the disputes about its last game."""
_CLEARED_AFTER: Final = 50
"""Batches of one process, after which the staging table is emptied."""


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
    late: list[Piece] = []
    if jobs == 1 or second is None:
        with engine.connect() as conn:
            for batch in waiting:
                yield _held_back(take_in(conn, batch, keep=not args.check), late)
    else:
        given = (engine.url.render_as_string(hide_password=False), not args.check)
        for some in crew.spread(_take_in, waiting, jobs, _join, given):
            yield _held_back(some, late)
    with engine.connect() as conn:
        for start in range(0, len(late), MOST_GAMES):
            few = late[start : start + MOST_GAMES]
            yield take_in(conn, few, keep=not args.check, is_last=True)[0]
    with engine.connect() as conn, suppress(StoreBusy):
        bulk.clear(conn)
        conn.commit()


def _held_back(some: Batch, late: list[Piece]) -> Taken:
    """Keep a batch's disputes without a game for the end; too many are refused."""
    taken, absent = some
    room = MOST_LATE - len(late)
    late += absent[:room]
    reason = f"a dispute without its game before it, expected at most {MOST_LATE} such in a file"
    taken.bad += [Bad(one.line, game_line_of(one).game_id, reason, False) for one in absent[room:]]
    return taken


def _batches(file: IO[bytes], taken: Taken) -> Iterator[list[Piece]]:
    """Cut the file into batches of whole games; what is wrong with the file as a whole is noted at its end."""
    batch, size = list[Piece](), 0
    try:
        for piece in split(lines_of(file)):
            is_full = size + len(piece.lines) > MOST_EVENTS or len(batch) >= MOST_GAMES
            # A dispute belongs to the game before it, unless there is no end of them.
            if batch and is_full and not (piece.is_dispute and size < 4 * MOST_EVENTS):
                yield batch
                batch, size = [], 0
            batch.append(piece)
            size += len(piece.lines)
    except FormatError as error:
        taken.bad.append(Bad(error.line, None, error.reason, isinstance(error, AlteredFile)))
    if batch:
        yield batch


class _Process:
    """What a process of the crew has: its connection, and how many batches it has taken in."""

    def __init__(self, url: str, keep: bool) -> None:
        config = Config(database_url=url, home=Path("/"), pool_size=1)
        self.conn = db.engine(config).connect()
        self.keep = keep
        self.batches = 0

    def take_in(self, batch: Sequence[Piece]) -> Batch:
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


def _take_in(batch: Sequence[Piece]) -> Batch:
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
