"""Following a game as it is recorded: new events as server-sent events, as the asker may see them.

Each has its version as its id, so a client that was cut off goes on where it was. A stream asks again who
its client is whenever it sends something, and ends when he may no longer follow.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Blueprint, Flask, Response, current_app, request

from api import access, answers, auth, limits, parsing
from api.poller import Poller
from api.scopes import needs
from api.wire import LAST_VERSION, StreamQuery, Viewer, encode
from events import recorder, store
from events.errors import LanterlogError, RequestError

bp = Blueprint("streams", __name__, url_prefix="/v1/games/<uuid:game_id>/stream")

Environment = dict[str, Any]

EVENTS: Final = "text/event-stream"
HEARTBEAT: Final = 15.0
"""Seconds after which a silent stream says that it is still there."""
_VERSION: Final = re.compile(r"[0-9]{1,10}")
_RETRY: Final = b"retry: 2000\n\n"
KEY: Final = "lanterlog.poller"
"""Under which an application keeps its poller."""


def poller_of(app: Flask) -> Poller:
    """Return the application's one poller."""
    found = app.extensions[KEY]
    assert isinstance(found, Poller)
    return found


@bp.get("")
@needs("games:read")
@parsing.produces(EVENTS)
def follow(game_id: UUID) -> Response:
    """Every event after a version, those to come too, until the client goes away."""
    asked = parsing.query(StreamQuery)
    viewer = parsing.viewer(asked.viewer)
    after = _resumed(asked.after)
    with access.reading() as conn:
        access.check_visible(store.head(conn, game_id))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(b"", HTTPStatus.OK, headers, content_type=EVENTS)
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 - Flask's documented way
    stack = ExitStack()
    hub = poller_of(app)
    # While the process stops, a stream that ends at once: whoever follows comes back, as he would not after a 503.
    if not stack.enter_context(hub.following(game_id, limits.sender())) and not hub.is_closed:
        raise RequestError("too_many_streams", "too many follow games here, expected fewer")
    # Whoever is asked after is in the copy: the request itself is over by then.
    lines = _lines(app, dict(request.environ), game_id, viewer, after)
    answer = Response(lines, HTTPStatus.OK, headers, content_type=EVENTS)
    answer.call_on_close(stack.close)
    return answer


def _resumed(after: int) -> int:
    """Return the version to go on after: what a client that comes back was sent last, else what it asks for."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        return after
    # Before it is made a number: of thousands of digits Python makes none.
    if not _VERSION.fullmatch(last) or int(last) > LAST_VERSION:
        raise RequestError("bad_query", f"Last-Event-ID {last[:20]!r}, expected a version")
    return int(last)


def _lines(
    app: Flask, environment: Environment, game_id: UUID, viewer: Viewer | None, after: int
) -> Iterator[bytes]:
    following, hub = after, poller_of(app)
    yield _RETRY
    while not hub.is_closed:
        version = hub.wait(game_id, following, HEARTBEAT)
        try:
            # Only for as long as something is looked up: between two messages nothing is held, no turn either.
            with hub.turn, app.request_context(environment):
                auth.identify()
                auth.admit()
                news = [] if version is None else _news(hub, game_id, viewer, following, version)
        except LanterlogError as error:
            # The answer has begun: all that can be done is to say so and to end.
            code = error.code if isinstance(error, RequestError) else "ended"
            yield b"event: end\ndata: %s\n\n" % encode({"code": code})
            return
        if not news:
            yield b": still here\n\n"
        for at, line in news:
            yield b"id: %d\nevent: version\ndata: %s\n\n" % (at, line)
            following = at


def _news(
    hub: Poller, game_id: UUID, viewer: Viewer | None, after: int, version: int
) -> list[tuple[int, bytes]]:
    """Return the events after a version as the asker may see them now, each with its version."""

    def read() -> recorder.Log:
        with access.reading() as conn:
            return recorder.load(conn, game_id)

    log = hub.log(game_id, version, read)
    access.check_visible(log.head)
    eyes = access.eyes(log, viewer)
    # Without the text of a remark, which may be erased while the log is kept: it is to be had at /events.
    return [
        (stored.version, encode(answers.event_line(eyes, stored, event, None)))
        for stored, event in zip(log.stored[after:], log.events[after:], strict=True)
    ]
