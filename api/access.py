"""What views share: the application's pool, and reading a game as somebody without a token may.

One place decides which games are there for the asker. Connections are given out for the length of a
`with` block; nothing here is kept between requests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import msgspec
from flask import current_app
from sqlalchemy import Connection, Engine

from api import db
from api.config import Config
from api.viewing import Eyes
from api.wire import Viewer
from events import recorder
from events.errors import RequestError, UnknownGame
from events.records import Head

NOBODY: Final = UUID(int=0)
"""Who recorded it, as long as there are no tokens."""
_KEY: Final = "lanterlog"


class Service(msgspec.Struct, frozen=True):
    """What an application was made with."""

    config: Config
    engine: Engine

    @classmethod
    def current(cls) -> "Service":
        """Return the running request's service."""
        found = current_app.extensions[_KEY]
        assert isinstance(found, cls)
        return found


@contextmanager
def reading() -> Iterator[Connection]:
    """Give a connection for reading, each statement on its own: an event once read never changes."""
    with db.autocommit(Service.current().engine).connect() as conn:
        yield conn


@contextmanager
def writing() -> Iterator[Connection]:
    """Give a connection in a transaction that commits at the end of the block, unless an error leaves it."""
    with Service.current().engine.begin() as conn:
        yield conn


def is_open_table() -> bool:
    """Tell whether whoever reaches the port is the table."""
    return Service.current().config.open_table


def check_visible(head: Head) -> Head:
    """Return the head if the asker may know of the game; raise UnknownGame as if it were not there."""
    if head.kind != "game" or (head.visibility == "private" and not is_open_table()):
        raise UnknownGame(head.game_id)
    return head


def load(conn: Connection, game_id: UUID) -> recorder.Log:
    """Read a whole game, as far as its head said; raise UnknownGame. Two queries."""
    log = recorder.load(conn, game_id)
    check_visible(log.head)
    if not log.events:
        raise UnknownGame(game_id)
    return log


def eyes(log: recorder.Log, asked: Viewer | None) -> Eyes:
    """Return whose view the asker gets of a whole log."""
    return Eyes.of(log.head.game, log.events, asked, open_table=is_open_table())


def check_open_table(what: str) -> None:
    """Refuse what only an open table or, later, a token may do."""
    if not is_open_table():
        raise RequestError(
            "open_table_needed", f"{what}: expected a service started with --open-table"
        )
