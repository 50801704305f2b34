"""Statistics of cards and scores over many deals: `GET /v1/chances`, and the same for the page.

Only deals count that are open to everybody, in games that a list shows whoever asks (or the one that he names),
so an answer tells nothing hidden. The work of a request is bounded, and so is how many are at it at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final
from uuid import UUID

import msgspec
from flask import Blueprint, Response
from sqlalchemy import Connection

from api import access, answers, parsing, reckoned
from api.chances_wire import ChancesAnswer, ChancesQuery, Dealer
from api.chances_words import NOTE
from api.reckoned import Wanted
from api.scopes import needs
from events import store
from events.errors import RequestError
from projections.chances import Tally
from projections.chances_told import Answer

bp = Blueprint("chances", __name__, url_prefix="/v1")

AT_ONCE: Final = 2
"""Requests of one process that reckon at the same time."""
_PLACES: Final = BoundedSemaphore(AT_ONCE)


@bp.get("/chances")
@needs("games:read", "audit")
def show_chances() -> Response:
    """Cards and scores by position over many deals, beside what chance gives."""
    asked = parsing.query(ChancesQuery)
    with access.reading() as conn:
        found = reckon(conn, asked)
        names = names_of(conn, asked, found)
    told = msgspec.structs.asdict(found)
    told |= {"numbers": list(told.pop("questions")), "outlook": list(found.outlook)}
    dealer = None if asked.dealer is None else Dealer(asked.dealer, names.get(asked.dealer))
    return answers.told(
        ChancesAnswer(
            **told | {"dealer": dealer},
            note=NOTE[parsing.language()],
            correction="holm",
            unusual=len(found.unusual),
        )
    )


def reckon(conn: Connection, asked: ChancesQuery) -> Answer:
    """Return what was found in the games that are asked for, as far as the asker may see them.

    Raises UnknownGame for one that he may not know, RequestError `too_much` and `too_many_at_once`.
    """
    wanted = wanted_of(asked)
    if wanted.game_id is not None:
        access.check_visible(store.head(conn, wanted.game_id))
    tally = Tally(None if wanted.dealer is None else str(wanted.dealer))
    games = reckoned.shown(conn, wanted, access.asker(), is_known=wanted.game_id is not None)
    with a_place():
        return reckoned.tallied(conn, games, tally).answer(asked.bias, asked.edge)


def wanted_of(asked: ChancesQuery) -> Wanted:
    """Return which games and deals a query asks for."""
    return Wanted(
        game=asked.game,
        game_id=asked.game_id,
        ruleset=asked.ruleset,
        players=() if asked.players is None else tuple(map(UUID, asked.players.split(","))),
        dealer=asked.dealer,
        since=asked.since,
        until=asked.until,
    )


def names_of(conn: Connection, asked: ChancesQuery, found: Answer) -> dict[UUID, str]:
    """Return the names of those whom a query names, if there is a game that the asker sees with all of them."""
    wanted = wanted_of(asked).seated
    return store.people(conn, wanted) if found.games and wanted else {}


@contextmanager
def a_place() -> Iterator[None]:
    """Hold one of the few places in which this process reckons; raise RequestError if none is free."""
    if not _PLACES.acquire(blocking=False):
        raise RequestError(
            "too_many_at_once", f"{AT_ONCE} requests are being reckoned here already: try again"
        )
    try:
        yield
    finally:
        _PLACES.release()
