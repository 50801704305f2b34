"""Taking a game's log out in any format, and files of any known format in."""

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Final
from uuid import UUID

import msgspec
from flask import Blueprint, Response, request
from msgspec.structs import replace

from api import (
    access,
    answers,
    archive,
    auth,
    db,
    files,
    parsing,
    plain,
    separated,
    stretches,
    wire,
    wire_exports,
)
from api.access import Service
from api.asker import Asker
from api.files import Filed
from api.scopes import needs
from api.tables import TABLES
from api.tabular import Seen
from api.viewer import standalone, volume
from api.viewing import Eyes
from events import disputes, recorder, store
from events.errors import FormatError, LanterlogError, OtherHead, RequestError, UnknownGame
from events.formats import Import
from events.formats.detect import read_file
from events.games import GAMES

_Asked = tuple[archive.Connect, archive.Stretch, archive.Choice]

bp = Blueprint("exports", __name__, url_prefix="/v1")

# What stands in a file of ours opens the same from here as from a disk: with no rights at this address.
_POLICY: Final = "sandbox allow-scripts; frame-ancestors 'none'"
_IN_MEMORY: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024
_FILES: Final = (
    parsing.NDJSON,
    parsing.PLAIN,
    "application/jsonl",
    "application/octet-stream",
)


@bp.get("/games/<uuid:game_id>/export.ndjson")
@needs("export")
@parsing.produces(parsing.NDJSON)
def export_ndjson(game_id: UUID) -> Response:
    """The whole log with its hashes, and the disputes about it; of what may not be seen yet, the inner hash."""
    both, eyes = _asked_for(game_id, parsing.query(wire.ViewQuery).viewer)
    game = both[0]
    withheld = {v for v, event in enumerate(game.events, 1) if eyes.event(v, event) is not event}
    lines = b"".join(files.write_ndjson(both, withheld))
    return Response(lines, content_type=parsing.NDJSON, headers=_named(game_id, "ndjson"))


@bp.get("/games/<uuid:game_id>/export.txt")
@needs("export")
@parsing.produces(parsing.PLAIN)
def export_text(game_id: UUID) -> Response:
    """The game in the words of the table, hidden cards as `??`, and the disputes about it as comments."""
    (game, *disputes), eyes = _asked_for(game_id, parsing.query(wire.ViewQuery).viewer)
    shown = replace(game, events=eyes.events(game.events))
    lines = b"".join(plain.write_text([shown, *disputes]))
    content_type = f"{parsing.PLAIN}; charset=utf-8"
    return Response(lines, content_type=content_type, headers=_named(game_id, "txt"))


@bp.get("/games/<uuid:game_id>/export.csv")
@needs("export")
@parsing.produces(separated.TYPE)
def export_csv(game_id: UUID) -> Response:
    """One table of the game: its events, its scores or its deals, the disputes about it or their rulings."""
    query = parsing.query(wire_exports.TableQuery)
    (game, *disputes), eyes = _asked_for(game_id, query.viewer)
    table = TABLES[query.table]
    about = [Seen(one, None) for one in disputes] if table.kind == "dispute" else [Seen(game, eyes)]
    lines = [separated.heading(table), *separated.lines(table, about)]
    content_type = f"{separated.TYPE}; charset=utf-8; header=present"
    headers = _named(game_id, f"{query.table}.csv")
    return Response(b"".join(lines), content_type=content_type, headers=headers)


@bp.get("/games/<uuid:game_id>/export.html")
@needs("export")
@parsing.produces(parsing.HTML)
def export_html(game_id: UUID) -> Response:
    """The replay as one file that opens from disk, in the language asked for."""
    query = parsing.query(wire_exports.FileQuery)
    (game, *disputes), eyes = _asked_for(game_id, query.viewer)
    lang = _language(query)
    written = standalone.write_page(game, eyes, lang, disputes)
    headers = _named(game_id, "html") | _as_page(lang)
    content_type = f"{parsing.HTML}; charset=utf-8"
    return Response(written, content_type=content_type, headers=headers)


@bp.get("/export")
@needs("export", for_all=True)
@parsing.produces(parsing.NDJSON, separated.TYPE, parsing.PLAIN, parsing.HTML)
def export_all() -> Response:
    """What came into the archive between two positions of the ledger, games and disputes, streamed, with a trailer."""
    query = parsing.query(wire_exports.ExportQuery)
    viewer, asker = parsing.viewer(query.viewer), access.asker()
    choice = _choice(query, asker)
    connect = partial(db.autocommit(Service.current().engine).connect)
    with connect() as conn:
        last = archive.last_position(conn)
    stretch = _stretch(query, last)

    def look(game: Filed) -> Eyes | None:
        if game.head.kind != "game":
            return None
        return Eyes.of(game.head.game, game.events, viewer, asker.sight(game.head.game_id))

    lines, kind = _written(query, (connect, stretch, choice), look)
    name = f"lanterlog-{stretch.since}-{stretch.until}"
    ending = f"{query.table or 'events'}.csv" if query.format == "csv" else query.format
    headers = _named(name, ending) | (_as_page(_language(query)) if query.format == "html" else {})
    parts = auth.while_admitted(_chunks(lines))
    return Response(parts, content_type=kind, headers=headers)


def _written(
    query: wire_exports.ExportQuery, asked: _Asked, look: stretches.Look
) -> tuple[Iterator[bytes], str]:
    """Return the lines of a stretch of the archive, and of which type they are."""
    connect, stretch, choice = asked
    pieces = partial(archive.pieces, connect, stretch)
    match query.format:
        case "ndjson":
            found = pieces(choice, whole=False)
            return stretches.as_ndjson(found, look, stretch), parsing.NDJSON
        case "txt":
            found = pieces(choice, whole=True)
            return stretches.as_text(found, look, stretch), f"{parsing.PLAIN}; charset=utf-8"
        case "html":
            records = archive.records(connect, stretch, choice)
            document = volume.as_html(records, look, stretch, _language(query))
            return document, f"{parsing.HTML}; charset=utf-8"
        case "csv":
            table = TABLES[query.table or "events"]
            of_kind = replace(choice, kinds=frozenset({table.kind}))
            found = pieces(of_kind, whole=table.is_whole)
            lines = stretches.as_csv(found, look, stretch, table)
            return lines, f"{separated.TYPE}; charset=utf-8; header=present"


def _choice(query: wire_exports.ExportQuery, asker: Asker) -> archive.Choice:
    if query.table is not None and query.format != "csv":
        raise RequestError("bad_query", f"a table of format {query.format}, expected csv")
    if query.lang is not None and query.format != "html":
        raise RequestError("bad_query", f"a language of format {query.format}, expected html")
    if query.game is None:
        return archive.Choice(asker)
    if query.game in GAMES:
        return archive.Choice(asker, rules=query.game)
    try:
        return archive.Choice(asker, game_id=msgspec.convert(query.game, UUID))
    except msgspec.ValidationError:
        expected = f"an id or one of {', '.join(GAMES)}"
        raise RequestError("bad_query", f"game {query.game!r}, expected {expected}") from None


def _stretch(query: wire_exports.ExportQuery, last: int) -> archive.Stretch:
    """Return what is asked for as far as it is there; one that begins after the end is empty."""
    if query.until is not None and query.until < query.since:
        reason = f"until {query.until} before since {query.since}"
        raise RequestError("bad_query", reason)
    until = last if query.until is None else min(query.until, last)
    return archive.Stretch(query.since, max(query.since, until))


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in pieces that are worth sending."""
    waiting = bytearray()
    for line in lines:
        waiting += line
        if len(waiting) >= _CHUNK:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)


@bp.post("/import")
@needs("games:write", "import", for_all=True)
def import_file() -> Response:
    """Take in a file of any known format, whole or not at all."""
    query = parsing.query(wire.ImportQuery)
    parsing.check_coding()
    if request.mimetype not in _FILES:
        raise RequestError(
            "wrong_media_type",
            f"file of type {request.mimetype or 'none'!r}, expected {' or '.join(_FILES)}",
        )
    request.max_content_length = Service.current().config.max_import
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        # First all of it: a slow client must not hold a transaction open.
        shutil.copyfileobj(request.stream, file)
        file.seek(0)
        return _import(file, check=query.check)


def _import(file: IO[bytes], *, check: bool) -> Response:
    done = take_in(file, check=check)
    is_new = bool(done.imported or done.continued) and not check
    shown = wire.ImportAnswer(done.imported, done.present, done.events, is_new, done.continued)
    return answers.answer(shown, HTTPStatus.CREATED if is_new else HTTPStatus.OK)


def take_in(file: IO[bytes], *, check: bool) -> recorder.ImportResult:
    """Import a file whole or, with *check*, only find out whether it could be; raise FormatError with its line."""
    try:
        with access.writing() as conn:
            games = map(_readable, read_file(file))
            done = recorder.import_games(conn, games, access.asker().identity)
            if check:
                conn.rollback()
    except OtherHead as error:
        raise _as_far_as_known(error) from error
    return done


def _as_far_as_known(error: OtherHead) -> LanterlogError:
    """Return the error without how far the game has come, if it is one that the asker may not know of."""
    try:
        with access.reading() as conn:
            head = store.head(conn, error.game_id)
    except UnknownGame:
        return error
    if access.asker().knows(head):
        return error
    return RequestError("other_head", f"game {error.game_id} is here with another end")


def _readable(game: Import) -> Import:
    """Refuse what the asker could not read again, and rulings of others unless he could rule himself."""
    if game.head is not None and game.head.kind != "game":
        if game.head.kind != disputes.NAME:
            raise FormatError(game.line, f"a stream of kind {game.head.kind!r}, expected a game")
        access.asker().check_rules("a dispute, which an arbiter brings in")
    if game.head is not None and game.head.visibility == "private":
        access.asker().check_private("a private game, which you could not read again")
    return game


def _asked_for(game_id: UUID, asked: str | None) -> tuple[list[Filed], Eyes]:
    """Return a game and the disputes about it, and whose view of the game is given."""
    viewer = parsing.viewer(asked)
    with access.reading() as conn:
        log = access.load(conn, game_id)
        found = list(files.gather(conn, files.with_disputes(conn, [(log.head, log.stored)])))
    return found, access.eyes(log, viewer)


def _named(name: UUID | str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'inline; filename="{name}.{ending}"'}


def _language(query: wire_exports.FileQuery | wire_exports.ExportQuery) -> wire_exports.Language:
    return query.lang or parsing.language()


def _as_page(lang: wire_exports.Language) -> dict[str, str]:
    return {"Content-Security-Policy": _POLICY, "Content-Language": lang}
