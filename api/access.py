"""What views share: the application's pool, who asks, and reading a game as he may.

One place decides which games are there for the asker, and whose view he gets. Connections are given out for
the length of a `with` block; between requests
only logs are kept, which never change (`events.kept`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast
from uuid import UUID

import msgspec
from flask import current_app, g
from sqlalchemy import Connection, Engine

from api import db
from api.asker import NOBODY as NOBODY  # noqa: PLC0414 - who records where there is no token
from api.asker import Asker
from api.config import Config
from api.viewing import Eyes
from api.wire import Viewer
from events import recorder, store
from events.common import Retracted
from events.errors import UnknownGame
from events.kept import Kept, Known
from events.records import Head
from projections.seen import SeenLog

_KEY: Final = "lanterlog"
MOST_SEEN: Final = 12
"""Views of one game that are kept: of the public, of each seat, and some that were asked for."""


class Service(msgspec.Struct, frozen=True):
    """What an application was made with."""

    config: Config
    engine: Engine
    reading: Engine
    """The same pool without transactions."""
    kept: Kept

    @classmethod
    def of(cls, config: Config, engine: Engine) -> "Service":
        """Return the service of an application that begins."""
        return cls(config, engine, db.autocommit(engine), Kept())

    @classmethod
    def current(cls) -> "Service":
        """Return the running request's service."""
        found = current_app.extensions[_KEY]
        assert isinstance(found, cls)
        return found


@contextmanager
def reading() -> Iterator[Connection]:
    """Give a connection for reading, each statement on its own: an event once read never changes."""
    with Service.current().reading.connect() as conn:
        yield conn


@contextmanager
def writing() -> Iterator[Connection]:
    """Give a connection in a transaction that commits at the end of the block, unless an error leaves it."""
    with Service.current().engine.begin() as conn:
        yield conn


def asker() -> Asker:
    """Return who sent the running request."""
    found = g.asker
    assert isinstance(found, Asker)
    return found


def check_visible(head: Head) -> Head:
    """Return the head if the asker may do here what the address is for.

    Raises UnknownGame, as if it were not there, for a game that he may not know of, and RequestError
    `not_allowed` for more than reading if his token is for another game.
    """
    if not asker().knows(head):
        raise UnknownGame(head.game_id)
    asker().check_covers(head.game_id)
    return head


def load(conn: Connection, game_id: UUID) -> recorder.Log:
    """Read a whole game, as far as its head said; raise UnknownGame. Two queries.

    Of a game that the asker may not know of no event is read: how long that takes would tell that it is there.
    """
    log = recorder.log_of(conn, check_visible(store.head(conn, game_id)))
    if not log.events:
        raise UnknownGame(game_id)
    return log


def known(conn: Connection, game_id: UUID) -> Known:
    """Return what a whole game says, as far as its head; raise UnknownGame.

    At most two queries, of which the second reads what is new since somebody asked last.
    """
    head = check_visible(store.head(conn, game_id))
    log = Service.current().kept.log(conn, head)
    if not log.events:
        raise UnknownGame(game_id)
    return log


def eyes(log: recorder.Log | Known, asked: Viewer | None) -> Eyes:
    """Return whose view the asker gets of a whole log."""
    return Eyes.of(log.head.game, log.events, asked, asker().sight(log.head.game_id))


def seen(log: Known, eyes: Eyes) -> SeenLog:
    """Return a whole log as it is seen, worked out once for all who see the same; what comes later is added to it."""
    events, whose = log.events, (eyes.asked, eyes.closed)
    if eyes.sees_all(len(events)):
        whole = eyes.log(events)
        whole.state = log.state
        return whole
    upto, found = cast(tuple[int, SeenLog | None], log.seen.get(whose, (0, None)))
    if found is None or upto != eyes.upto or Retracted in map(type, events[len(found.held) :]):
        found = eyes.log(events)
    elif len(found.held) < len(events):
        found = found.with_more(events, eyes.at)
    others = [one for one in log.seen.items() if one[0] != whose]
    log.seen = dict([*others[1 - MOST_SEEN :], (whose, (eyes.upto, found))])
    return found
