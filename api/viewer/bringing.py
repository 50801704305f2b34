"""Bringing a log in by the page: a dropped or chosen file, or pasted text, whole or not at all."""

import json
from http import HTTPStatus
from io import BytesIO
from typing import IO, Any, Final
from uuid import UUID

import msgspec
from flask import Response, request

from api import exports, problems
from api.access import Service
from api.viewer import rendering
from api.viewer.asking import PageQuery, chosen
from api.viewer.texts import Texts
from events.errors import FormatError, LanterlogError

_AROUND: Final = 2
"""Lines shown before and after the one that is wrong."""
_LONGEST: Final = 200


class Outcome(msgspec.Struct, frozen=True):
    """What came of an import: the games, or the error with its line and the lines around it."""

    text: str = ""
    games: list[UUID] = []
    error: str = ""
    line: int | None = None
    excerpt: list[tuple[int, str, bool]] = []


def bring_in(texts: Texts) -> tuple[Outcome, HTTPStatus]:
    """Import what the form holds; nothing is stored if any of it cannot be read."""
    limit = Service.current().config.max_import
    request.max_content_length = limit
    request.max_form_memory_size = limit
    check = request.form.get("check") == "1"
    file = _given()
    if file is None:
        return Outcome(error=texts["import.nothing"]), HTTPStatus.BAD_REQUEST
    try:
        done = exports.take_in(file, check=check)
    except FormatError as error:
        found = Outcome(error=error.reason, line=error.line, excerpt=_excerpt(file, error.line))
        return found, HTTPStatus.UNPROCESSABLE_ENTITY
    return _done(texts, done, check=check), HTTPStatus.OK


def _given() -> IO[bytes] | None:
    upload = request.files.get("file")
    if upload is not None and upload.filename:
        return upload.stream
    text = request.form.get("text", "")
    # A form sends line ends as CR LF; a log that was pasted had LF.
    return BytesIO(text.replace("\r\n", "\n").encode()) if text.strip() else None


def _done(texts: Texts, done: Any, *, check: bool) -> Outcome:
    games = [*done.imported, *done.continued, *done.present]
    count = len(games)
    counted = (
        texts["import.games.one"] if count == 1 else texts.fill("import.games.many", count=count)
    )
    if check:
        return Outcome(texts.fill("import.checked", count=counted, events=done.events))
    if not done.events:
        return Outcome(texts["import.present"], games)
    return Outcome(texts.fill("import.done", count=counted), games)


def _excerpt(file: IO[bytes], line: int) -> list[tuple[int, str, bool]]:
    """Return the lines around the one that is wrong, cut short."""
    file.seek(0)
    found = []
    for number, raw in enumerate(file, 1):
        if number > line + _AROUND:
            break
        if number >= line - _AROUND:
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            found.append((number, text[:_LONGEST], number == line))
    return found


def page_problem(error: LanterlogError) -> Response:
    """Return the page that says what is wrong with what was asked for."""
    answer = problems.answer_to(error)
    told = json.loads(answer.get_data())
    page = rendering.page(
        "problem.html", PageQuery(), chosen(PageQuery()), status=answer.status_code, problem=told
    )
    for name in ("Retry-After", "WWW-Authenticate"):
        if name in answer.headers:
            page.headers[name] = answer.headers[name]
    return page
