"""Following a game as it is recorded: new events as server-sent events, as the asker may see them.

Each has its version as its id, so a client that was cut off goes on where it was. A stream asks again who
its client is whenever it sends something, and ends when he may no longer follow, when he is gone, and after an
hour: whoever is still there comes back, and nobody keeps a place for ever who does not read.
"""

import errno
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import structlog
from flask import Blueprint, Flask, Response, current_app, request
from sqlalchemy.exc import SQLAlchemyError

from api import access, auth, limits, parsing
from api.poller import Poller
from api.scopes import needs
from api.sockets import PatientSocket
from api.told import Told
from api.wire import LAST_VERSION, StreamQuery, Viewer, encode
from events import recorder, store
from events.errors import LanterlogError, NoSuchVersion, RequestError

_log = structlog.get_logger("lanterlog.streams")

bp = Blueprint("streams", __name__, url_prefix="/v1/games/<uuid:game_id>/stream")

Environment = dict[str, Any]

EVENTS: Final = "text/event-stream"
HEARTBEAT: Final = 15.0
"""Seconds after which a silent stream says that it is still there."""
LOOK: Final = 1.0
"""Seconds between two looks at whether a silent follower is still there."""
LASTING: Final = 3600.0
"""Seconds after which a stream ends."""
_VERSION: Final = re.compile(r"[0-9]{1,10}")
_RETRY: Final = b"retry: 2000\n\n"
_STILL_HERE: Final = b": still here\n\n"
_COME_BACK: Final = b": come back\n\n"
"""Said at the end to whom it may go on for, elsewhere or anew."""
_FEWER: Final = {
    "full": ("too_many_streams", "too many follow games here, expected fewer"),
    "share": ("too_many_own_streams", "you follow as many games here as one may, expected fewer"),
}
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
        head = access.check_visible(store.head(conn, game_id))
    if after > head.version:  # what was seen is no longer here, or never was: nothing would come
        raise NoSuchVersion(after, head.version)
    headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(b"", HTTPStatus.OK, headers, content_type=EVENTS)
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 - Flask's documented way
    stack = ExitStack()
    hub = poller_of(app)
    verdict = stack.enter_context(hub.following(game_id, limits.sender()))
    # While the process stops, a stream that ends at once: whoever follows comes back, as he would not after a 503.
    if verdict != "yes" and not hub.is_closed:
        raise RequestError(*_FEWER[verdict])
    hub.tell(game_id, head.version)  # so that what was is sent without waiting for a round
    # Whoever is asked after is in the copy: the request itself is over by then.
    lines = _lines(app, dict(request.environ), game_id, viewer, after)
    answer = Response(lines, HTTPStatus.OK, headers, content_type=EVENTS)
    answer.call_on_close(stack.close)
    other = _other_end(request.environ)
    if other is not None:
        other.stay()
    return answer


def _other_end(environment: Environment) -> PatientSocket | None:
    """Return the connection, None where there is none of ours."""
    found = environment.get("gunicorn.socket")
    return found if isinstance(found, PatientSocket) else None


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
    following, hub, other = after, poller_of(app), _other_end(environment)
    ends = time.monotonic() + LASTING
    yield _RETRY
    while not hub.is_closed and time.monotonic() < ends:
        try:
            version = _waited(hub, game_id, following, other)
            # Only for as long as something is looked up: between two messages nothing is held, no turn either.
            with hub.turn, app.request_context(environment):
                auth.identify()
                auth.admit()
                news = _news(hub, game_id, viewer, following, version)
        except ConnectionResetError:
            return
        except SQLAlchemyError as error:
            # Nothing is told while nobody can be asked whom it may be told; the database may come back.
            _log.warning("stream not read", reason=str(error).partition("\n")[0][:200])
            hub.rest(LOOK)
            news = []
        except LanterlogError as error:
            # The answer has begun: all that can be done is to say so and to end.
            code = error.code if isinstance(error, RequestError) else "ended"
            yield b"event: end\ndata: %s\n\n" % encode({"code": code})
            return
        if not news and not hub.is_closed:
            yield _STILL_HERE
        for at, line in news:
            yield b"id: %d\nevent: version\ndata: %s\n\n" % (at, line)
            following = at
    yield _COME_BACK


def _waited(hub: Poller, game_id: UUID, after: int, other: PatientSocket | None) -> int | None:
    """Return how far a game has come beyond a version, None if it has not for as long as a stream is silent.

    Raises ConnectionResetError if nobody is there any more.
    """
    silent = time.monotonic() + HEARTBEAT
    version = None
    while version is None and not hub.is_closed and time.monotonic() < silent:
        version = hub.wait(game_id, after, LOOK)
        if other is not None and other.is_gone():
            raise ConnectionResetError(errno.ECONNRESET, "the follower is gone")
    return version


def _news(
    hub: Poller, game_id: UUID, viewer: Viewer | None, after: int, version: int | None
) -> list[tuple[int, bytes]]:
    """Return the next events after a version as the asker may see them now, each with its version; none for None.

    Raises UnknownGame if he may not know of the game any more.
    """
    if version is None:
        with access.reading() as conn:
            access.check_visible(store.head(conn, game_id))
        return []

    def read(known: Told | None) -> Told:
        with access.reading() as conn:
            if known is None:
                return Told(recorder.load(conn, game_id))
            return Told(recorder.load_more(conn, known.log))

    told = hub.log(game_id, version, read)
    access.check_visible(told.log.head)
    return told.lines(viewer, access.asker().sight(game_id), after)
