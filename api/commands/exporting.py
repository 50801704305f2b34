"""`lanterlog export`: one game, all of them, or what came between two positions of the ledger, in any format.

Whoever uses the command line uses the database itself, so he sees all cards. Everything is read as of one moment.
"""

import os
import shutil
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import Connection

from api import archive, files, plain, separated, stretches, tabular
from api.asker import OWNER
from api.commands import output, pick
from api.commands.store import connected, count_games
from api.commands.transfer import DONE, STANDARD, naming, whole_file
from api.files import Filed
from api.tables import OF_DISPUTES, TABLES
from api.tabular import Seen
from api.viewing import Eyes
from events import recorder, store
from events.disputes import DisputeOpened
from events.errors import BadUsage
from events.schema import outbox

_PARTS: Final = (tabular.EVENTS,)
_WHOLE: Final = (tabular.DEALS, tabular.FINDINGS)
_PARQUET: Final = _PARTS + _WHOLE


def export_games(args: Namespace) -> int:
    """Write games to a file, or where the format asks for more than one, to a folder."""
    _check(args)
    with connected() as conn:
        if _is_folder(args):
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
    if args.format == "parquet" and not args.output:
        raise BadUsage("--format parquet makes a folder, expected -o DIR")
    if args.until is not None and args.until < (args.since or 0):
        raise BadUsage(f"until {args.until} before since {args.since}")


def _is_folder(args: Namespace) -> bool:
    """Tell whether more than one file is asked for: of replays, unless they are to go into one named as such."""
    is_one = args.output in (None, STANDARD) or Path(args.output).suffix in (".html", ".htm")
    return args.format == "parquet" or (args.format == "html" and not args.game and not is_one)


def _lines(conn: Connection, args: Namespace) -> Iterator[bytes]:
    if args.game:
        log = recorder.load(conn, pick.game_id(conn, args.game))
        yield from _whole(args, _gathered(conn, [(log.head, log.stored)]))
    elif args.all and args.format != "html":
        yield from _whole(args, _gathered(conn, _counted(conn)))
    else:
        yield from _stretch_lines(conn, args)


def _gathered(
    conn: Connection, games: Iterable[tuple[store.Head, Sequence[store.StoredEvent]]]
) -> Iterator[Filed]:
    """Yield the games with what belongs to them, and behind each the disputes about it."""
    return files.gather(conn, files.with_disputes(conn, games))


def _whole(args: Namespace, games: Iterable[Filed]) -> Iterator[bytes]:
    match args.format:
        case "txt":
            yield from plain.write_text(_begun(games))
        case "csv":
            table = TABLES[args.table or "events"]
            yield separated.heading(table)
            yield from separated.lines(table, _of_kind(table, games))
        case "html":
            game, *disputes = games
            yield _page(args, game, disputes)
        case _:
            yield from files.write_ndjson(games)


def _stretch_lines(conn: Connection, args: Namespace) -> Iterator[bytes]:
    stretch = _stretch(conn, args)
    match args.format:
        case "txt":
            found = _pieces(conn, stretch, archive.BOTH, whole=True)
            yield from stretches.as_text(found, _look, stretch)
        case "csv":
            table = TABLES[args.table or "events"]
            found = _pieces(conn, stretch, frozenset({table.kind}), whole=table.is_whole)
            yield from stretches.as_csv(found, _look, stretch, table)
        case "html":
            yield from _volume(conn, args, stretch)
        case _:
            found = _pieces(conn, stretch, archive.BOTH, whole=False)
            yield from stretches.as_ndjson(found, _look, stretch)


def _volume(conn: Connection, args: Namespace, stretch: archive.Stretch) -> Iterator[bytes]:
    """Yield replays in one document, and say where the next one goes on if it could not take them all."""
    from api.viewer import volume

    found = archive.records(_same(conn), stretch, archive.Choice(OWNER))
    written = volume.as_html(found, _look, stretch, args.lang)
    position = yield from written
    if position < stretch.until:
        output.say(f"lanterlog: the file is full; go on with --since {position}")


def _to_folder(conn: Connection, args: Namespace) -> None:
    stretch = None if args.all else _stretch(conn, args)
    with _whole_folder(Path(args.output)) as folder:
        if args.format == "html":
            for log in _logs(conn, stretch):
                game, *disputes = _gathered(conn, [(log.head, log.stored)])
                (folder / f"{game.head.game_id}.html").write_bytes(_page(args, game, disputes))
        elif stretch is None:
            _all_tables(conn, folder)
        else:
            _new_tables(conn, folder, stretch)


def _logs(conn: Connection, stretch: archive.Stretch | None) -> Iterator[recorder.Log]:
    """Yield the games that have events: all, or those that have grown in the stretch, disputes about them too."""
    if stretch is None:
        for head, _ in _counted(conn):
            if head.version:
                yield recorder.load(conn, head.game_id)
        return
    known = set[UUID]()
    for one in _pieces(conn, stretch, archive.BOTH, whole=True):
        opened = one.game.events[0]
        about = UUID(opened.game_id) if isinstance(opened, DisputeOpened) else one.head.game_id
        if about not in known:
            known.add(about)
            yield recorder.load(conn, about)


def _all_tables(conn: Connection, folder: Path) -> None:
    from api import columns

    told = {"position": str(archive.last_position(conn))}
    games = _begun(files.gather(conn, _counted(conn)))
    columns.write(folder, _PARQUET, map(_seen, games), told)
    disputes = files.gather(conn, store.stream_all(conn, "dispute"))
    columns.write(folder, OF_DISPUTES, map(_seen, disputes), told)


def _new_tables(conn: Connection, folder: Path, stretch: archive.Stretch) -> None:
    from api import columns

    told = {"since": str(stretch.since), "position": str(stretch.until)}
    for tables, kinds in (
        (_PARTS, archive.GAMES),
        (_WHOLE, archive.GAMES),
        (OF_DISPUTES, archive.DISPUTES),
    ):
        found = _pieces(conn, stretch, kinds, whole=tables is not _PARTS)
        seen = (Seen(one.game, _look(one.game), one.after, one.upto) for one in found)
        columns.write(folder, tables, seen, told)


def _counted(conn: Connection) -> Iterator[tuple[store.Head, list[store.StoredEvent]]]:
    """Yield every game, and say on the terminal how far it has come."""
    with output.progress("exporting", count_games(conn)) as bar:
        for game in store.stream_all(conn, "game"):
            bar.step()
            yield game


def _stretch(conn: Connection, args: Namespace) -> archive.Stretch:
    last = archive.last_position(conn)
    if args.until is None and conn.execute(outbox.select().limit(1)).first() is not None:
        output.say("lanterlog: not all is in the ledger yet; `lanterlog worker` brings it there")
    since = args.since or 0
    until = last if args.until is None else min(args.until, last)
    return archive.Stretch(since, max(since, until))


def _pieces(
    conn: Connection, stretch: archive.Stretch, kinds: archive.Kinds, *, whole: bool
) -> Iterator[archive.Piece]:
    return archive.pieces(_same(conn), stretch, archive.Choice(OWNER, kinds=kinds), whole=whole)


def _same(conn: Connection) -> archive.Connect:
    return lambda: nullcontext(conn)


def _look(game: Filed) -> Eyes | None:
    head = game.head
    return Eyes.of(head.game, game.events, "all", "all") if head.kind == "game" else None


def _seen(game: Filed) -> Seen:
    return Seen(game, _look(game))


def _of_kind(table: tabular.Table, games: Iterable[Filed]) -> Iterator[Seen]:
    return (_seen(game) for game in _begun(games) if game.head.kind == table.kind)


def _begun(games: Iterable[Filed]) -> Iterator[Filed]:
    return (game for game in games if game.events)


def _page(args: Namespace, game: Filed, disputes: Sequence[Filed]) -> bytes:
    from api.viewer import standalone

    eyes = _look(game)
    if not game.events or eyes is None:
        raise BadUsage(f"game {game.head.game_id} has no events yet")
    lang: Literal["en", "ja"] = args.lang
    return standalone.write_page(game, eyes, lang, disputes)


@contextmanager
def _whole_folder(path: Path) -> Iterator[Path]:
    """Give a folder that appears under its name only when all its files are whole; one that is there is refused."""
    if path.exists():
        raise BadUsage(f"{path} is there already, expected a new folder")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with naming(path, part):
            part.mkdir()
            yield part
            part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
