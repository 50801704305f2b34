"""`lanterlog export`: one game, all of them, or what came between two positions of the ledger, in any format.

Whoever uses the command line uses the database itself, so he sees all cards. Everything is read as of one moment.
"""

import os
import shutil
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import Connection

from api import archive, files, separated, stretches, tabular
from api.asker import OWNER
from api.commands import output, pick
from api.commands.store import connected, count_games
from api.commands.transfer import DONE, whole_file
from api.files import Filed
from api.tabular import Seen
from api.viewing import Eyes
from events import recorder, store
from events.errors import BadUsage
from events.schema import outbox

_PARQUET: Final = (tabular.EVENTS, tabular.DEALS, tabular.FINDINGS)


def export_games(args: Namespace) -> int:
    """Write games to a file, or where the format asks for more than one, to a folder."""
    _check(args)
    with connected() as conn:
        if args.format == "parquet" or (args.format == "html" and not args.game):
            _to_folder(conn, args)
            return DONE
        with whole_file(args.output) as target:
            for line in _lines(conn, args):
                target.write(line)
    return DONE


def _check(args: Namespace) -> None:
    is_stretch = args.since is not None or args.until is not None
    if sum((bool(args.game), args.all, is_stretch)) != 1:
        raise BadUsage("export what? expected a GAME, --all, or --since and --until")
    if args.table and args.format != "csv":
        raise BadUsage(f"a table of format {args.format}, expected --format csv")
    if args.format == "parquet" and args.game:
        raise BadUsage("Parquet is for many games, expected --all, or --since and --until")
    if (args.format == "parquet" or (args.format == "html" and not args.game)) and not args.output:
        raise BadUsage(f"--format {args.format} makes a folder, expected -o DIR")
    if args.until is not None and args.until < (args.since or 0):
        raise BadUsage(f"until {args.until} before since {args.since}")


def _lines(conn: Connection, args: Namespace) -> Iterator[bytes]:
    if args.game:
        log = recorder.load(conn, pick.game_id(conn, args.game))
        yield from _whole(args, _gathered(conn, args, [(log.head, log.stored)]))
    elif args.all:
        with output.progress("exporting", count_games(conn)) as bar:
            every = _told(store.stream_all(conn, "game"), bar)
            yield from _whole(args, _gathered(conn, args, every))
    else:
        yield from _stretch_lines(conn, args)


def _gathered(conn: Connection, args: Namespace, games: Iterable[Any]) -> Iterator[Filed]:
    """Yield the games with what belongs to them; our own format has the disputes about each behind it."""
    if args.format == "ndjson":
        games = files.with_disputes(conn, games)
    return files.gather(conn, games)


def _whole(args: Namespace, games: Iterable[Filed]) -> Iterator[bytes]:
    match args.format:
        case "txt":
            yield from files.write_text(game for game in games if game.events)
        case "csv":
            table = tabular.TABLES[args.table or "events"]
            yield separated.heading(table)
            yield from separated.lines(table, map(_seen, _begun(games)))
        case "html":
            for game in games:
                yield _page(args, game)
        case _:
            yield from files.write_ndjson(games)


def _stretch_lines(conn: Connection, args: Namespace) -> Iterator[bytes]:
    stretch = _stretch(conn, args)
    match args.format:
        case "txt":
            yield from stretches.as_text(_pieces(conn, stretch, whole=True), _look, stretch)
        case "csv":
            table = tabular.TABLES[args.table or "events"]
            found = _pieces(conn, stretch, whole=table.is_whole)
            yield from stretches.as_csv(found, _look, stretch, table)
        case _:
            yield from stretches.as_ndjson(_pieces(conn, stretch, whole=False), _look, stretch)


def _to_folder(conn: Connection, args: Namespace) -> None:
    with _whole_folder(Path(args.output)) as folder:
        if args.format == "html":
            for game in _games(conn, args):
                (folder / f"{game.game.head.game_id}.html").write_bytes(_page(args, game.game))
            return
        from api import columns

        last = archive.last_position(conn)
        stretch = None if args.all else _stretch(conn, args)
        told = {"position": str(stretch.until if stretch else last)}
        if stretch:
            told["since"] = str(stretch.since)
        if stretch is None:
            columns.write(folder, _PARQUET, _games(conn, args), told)
            return
        pieces = _pieces(conn, stretch, whole=False)
        parts = (Seen(one.game, _look(one.game), one.after, one.upto) for one in pieces)
        columns.write(folder, (tabular.EVENTS,), parts, told)
        columns.write(folder, (tabular.DEALS, tabular.FINDINGS), _games(conn, args), told)


def _games(conn: Connection, args: Namespace) -> Iterator[Seen]:
    """Yield whole games: all of them, or those that have grown in the stretch, as they were at its end."""
    if args.all:
        with output.progress("exporting", count_games(conn)) as bar:
            every = _told(store.stream_all(conn, "game"), bar)
            yield from map(_seen, _begun(files.gather(conn, every)))
        return
    for one in _pieces(conn, _stretch(conn, args), whole=True):
        yield Seen(one.game, _look(one.game), 0, one.upto)


def _stretch(conn: Connection, args: Namespace) -> archive.Stretch:
    last = archive.last_position(conn)
    if args.until is None and conn.execute(outbox.select().limit(1)).first() is not None:
        output.say("lanterlog: not all is in the ledger yet; `lanterlog worker` brings it there")
    since = args.since or 0
    until = last if args.until is None else min(args.until, last)
    return archive.Stretch(since, max(since, until))


def _pieces(conn: Connection, stretch: archive.Stretch, *, whole: bool) -> Iterator[archive.Piece]:
    def same() -> AbstractContextManager[Connection]:
        return nullcontext(conn)

    return archive.pieces(same, stretch, archive.Choice(OWNER), whole=whole)


def _look(game: Filed) -> Eyes:
    return Eyes.of(game.head.game, game.events, "all", "all")


def _seen(game: Filed) -> Seen:
    return Seen(game, _look(game))


def _begun(games: Iterable[Filed]) -> Iterator[Filed]:
    return (game for game in games if game.events)


def _page(args: Namespace, game: Filed) -> bytes:
    from api.viewer import standalone

    if not game.events:
        raise BadUsage(f"game {game.head.game_id} has no events yet")
    lang: Literal["en", "ja"] = args.lang
    return standalone.write_page(game, _look(game), lang)


def _told(games: Iterator[Any], bar: output.Bar) -> Iterator[Any]:
    for game in games:
        bar.step()
        yield game


@contextmanager
def _whole_folder(path: Path) -> Iterator[Path]:
    """Give a folder that appears under its name only when all its files are whole; one that is there is refused."""
    if path.exists():
        raise BadUsage(f"{path} is there already, expected a new folder")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.mkdir()
    try:
        yield part
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
