"""Replays: the events as they were recorded, the table at any version, the course of the game."""

from typing import Any
from uuid import UUID

from flask import Blueprint, Response, g, url_for

from api import access, answers, parsing, wire
from api.scopes import needs
from events import store
from projections.timeline import timeline

bp = Blueprint("replays", __name__, url_prefix="/v1/games/<uuid:game_id>")


@bp.get("/events")
@needs("games:read")
@parsing.produces(parsing.JSON, parsing.NDJSON)
def list_events(game_id: UUID) -> Response:
    """The events after a version, a page at a time, each with what its hash is checked by."""
    asked = parsing.query(wire.EventsQuery)
    viewer = parsing.viewer(asked.viewer)
    with access.reading() as conn:
        log = access.known(conn, game_id)
        last = min(asked.after + asked.limit, len(log.events))
        stored = store.read(conn, game_id, asked.after, upto=last)
        remarks = store.texts(conn, game_id, asked.after, last)
    eyes = access.eyes(log, viewer)
    lines = [
        answers.event_line(eyes, one, log.events[one.version - 1], text.text if text else None)
        for one in stored
        for text in (remarks.get(one.version),)
    ]
    following = last if last < len(log.events) else None
    page = wire.EventPage(game_id, len(log.events), eyes.at(len(log.events)), lines, following)
    if g.accepted == parsing.NDJSON:
        return _ndjson(page, asked)
    return answers.answer(page)


@bp.get("/state")
@needs("games:read")
def show_state(game_id: UUID) -> Response:
    """The table at a version, the last by default, as the viewer sees it."""
    asked = parsing.query(wire.StateQuery)
    viewer = parsing.viewer(asked.viewer)
    with access.reading() as conn:
        log = access.known(conn, game_id)
    eyes, at = access.eyes(log, viewer), asked.at or len(log.events)
    state = access.seen(log, eyes).view(at)
    return answers.answer(wire.StateAnswer(game_id, len(log.events), at, eyes.at(at), state))


@bp.get("/timeline")
@needs("games:read")
def show_timeline(game_id: UUID) -> Response:
    """The course of the game: deals, turns, tricks, calls, scores and findings, with their versions."""
    viewer = parsing.viewer(parsing.query(wire.ViewQuery).viewer)
    with access.reading() as conn:
        log = access.known(conn, game_id)
    eyes = access.eyes(log, viewer)
    course = timeline(eyes.game, eyes.events(log.events), findings=True)
    shown_to = eyes.at(len(log.events))
    return answers.answer(wire.TimelineAnswer(game_id, len(log.events), shown_to, course))


def _ndjson(page: wire.EventPage, asked: wire.EventsQuery) -> Response:
    lines = b"".join(wire.encode(line) + b"\n" for line in page.events)
    found = Response(lines, content_type=parsing.NDJSON)
    if page.next_after is not None:
        again: dict[str, Any] = {
            "after": page.next_after,
            "limit": asked.limit,
            "viewer": asked.viewer,
        }
        address = url_for(".list_events", game_id=page.game_id, **again)
        found.headers["Link"] = f'<{address}>; rel="next"'
    return found
