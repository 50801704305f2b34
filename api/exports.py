"""Taking a game's log out in any format, and files of any known format in."""

import shutil
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Final
from uuid import UUID

from flask import Blueprint, Response, request
from msgspec.structs import replace

from api import access, answers, files, parsing, separated, tabular, wire, wire_exports
from api.access import Service
from api.files import Filed
from api.scopes import needs
from api.viewer import standalone
from api.viewing import Eyes
from events import recorder, store
from events.errors import FormatError, LanterlogError, OtherHead, RequestError
from events.formats import Import
from events.formats.detect import read_file

bp = Blueprint("exports", __name__, url_prefix="/v1")

# What stands in a file of ours opens the same from here as from a disk: with no rights at this address.
_POLICY: Final = "sandbox allow-scripts; frame-ancestors 'none'"
_IN_MEMORY: Final = 1024 * 1024
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
    """The whole log with its hashes; of what may not be seen yet, the inner hash."""
    game, eyes = _asked_for(game_id, parsing.query(wire.ViewQuery).viewer)
    withheld = {v for v, event in enumerate(game.events, 1) if eyes.event(v, event) is not event}
    lines = b"".join(files.write_ndjson([game], withheld))
    return Response(lines, content_type=parsing.NDJSON, headers=_named(game_id, "ndjson"))


@bp.get("/games/<uuid:game_id>/export.txt")
@needs("export")
@parsing.produces(parsing.PLAIN)
def export_text(game_id: UUID) -> Response:
    """The game in the words of the table, hidden cards as `??`."""
    game, eyes = _asked_for(game_id, parsing.query(wire.ViewQuery).viewer)
    lines = b"".join(files.write_text([replace(game, events=eyes.events(game.events))]))
    content_type = f"{parsing.PLAIN}; charset=utf-8"
    return Response(lines, content_type=content_type, headers=_named(game_id, "txt"))


@bp.get("/games/<uuid:game_id>/export.csv")
@needs("export")
@parsing.produces(separated.TYPE)
def export_csv(game_id: UUID) -> Response:
    """One table of the game: its events, its scores or its deals."""
    query = parsing.query(wire_exports.TableQuery)
    game, eyes = _asked_for(game_id, query.viewer)
    table = tabular.TABLES[query.table]
    lines = [separated.heading(table), *separated.lines(table, [tabular.Seen(game, eyes)])]
    content_type = f"{separated.TYPE}; charset=utf-8; header=present"
    headers = _named(game_id, f"{query.table}.csv")
    return Response(b"".join(lines), content_type=content_type, headers=headers)


@bp.get("/games/<uuid:game_id>/export.html")
@needs("export")
@parsing.produces(parsing.HTML)
def export_html(game_id: UUID) -> Response:
    """The replay as one file that opens from disk, in the language asked for."""
    query = parsing.query(wire_exports.FileQuery)
    game, eyes = _asked_for(game_id, query.viewer)
    written = standalone.write_page(game, eyes, query.lang or parsing.language())
    headers = _named(game_id, "html") | {"Content-Security-Policy": _POLICY}
    content_type = f"{parsing.HTML}; charset=utf-8"
    return Response(written, content_type=content_type, headers=headers)


@bp.post("/import")
@needs("games:write", "import", for_all=True)
def import_file() -> Response:
    """Take in a file of any known format, whole or not at all."""
    query = parsing.query(wire.ImportQuery)
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
    is_new = bool(done.imported) and not check
    shown = wire.ImportAnswer(done.imported, done.present, done.events, is_new)
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
    with access.reading() as conn:
        head = store.head(conn, error.game_id)
    if access.asker().knows(head):
        return error
    return RequestError("other_head", f"game {error.game_id} is here with another end")


def _readable(game: Import) -> Import:
    """Refuse a game that the asker could not read again: a private one, or a stream that is no game."""
    if game.head is not None and game.head.kind != "game":
        raise FormatError(game.line, f"a stream of kind {game.head.kind!r}, expected a game")
    if game.head is not None and game.head.visibility == "private":
        access.asker().check_private("a private game, which you could not read again")
    return game


def _asked_for(game_id: UUID, asked: str | None) -> tuple[Filed, Eyes]:
    viewer = parsing.viewer(asked)
    with access.reading() as conn:
        log = access.load(conn, game_id)
        game = next(files.gather(conn, [(log.head, log.stored)]))
    return game, access.eyes(log, viewer)


def _named(game_id: UUID, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'inline; filename="{game_id}.{ending}"'}
