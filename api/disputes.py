"""Disputes: about a game, one of them, what is done in it, and the search over what was decided.

Who may see a dispute follows its game: where one may not know of the game there is no dispute either.
"""

from http import HTTPStatus
from uuid import UUID, uuid4

from flask import Blueprint, Response
from sqlalchemy import Connection

from api import access, answers, dispute_answers, dockets, parsing
from api import disputes_wire as wire
from api.dispute_search import search
from api.scopes import needs
from api.wire import NoQuery
from events import docket, store
from events.docket import Entry
from events.errors import UnknownDispute, UnknownGame

bp = Blueprint("disputes", __name__, url_prefix="/v1")


@bp.get("/games/<uuid:game_id>/disputes")
@needs("games:read")
def list_of_game(game_id: UUID) -> Response:
    """All disputes about a game, the oldest first."""
    parsing.query(NoQuery)
    with access.reading() as conn:
        access.check_visible(store.head(conn, game_id))
        found = dispute_answers.shown(conn, docket.of_game(conn, game_id))
    return answers.answer(wire.DisputePage(found, None))


@bp.post("/games/<uuid:game_id>/disputes")
@needs("games:write")
def open_dispute(game_id: UUID) -> Response:
    """Open a dispute about what was recorded at some versions of a game."""
    parsing.query(NoQuery)
    asked, asker = parsing.body(wire.OpenDispute), access.asker()
    command_id = parsing.command_id(asker.identity)
    with access.writing() as conn:
        head = access.check_visible(store.head(conn, game_id))
        if not head.version:
            raise UnknownGame(game_id)
        table = dockets.table_at(conn, head)
        actor = dockets.actor_of(asker, table, game_id)
        done = dockets.open_dispute(conn, head, asked, actor, table, command_id)
        answer = _gone_on(conn, done)
    return answers.answer(
        answer, HTTPStatus.CREATED, Location=f"/v1/disputes/{done.entry.dispute_id}"
    )


@bp.get("/disputes")
@needs("games:read")
def list_disputes() -> Response:
    """Disputes about all games, by what was decided in them, a page at a time."""
    asked = parsing.query(wire.DisputesQuery)
    with access.reading() as conn:
        page = search(conn, asked, access.asker())
        found = dispute_answers.shown(conn, docket.many(conn, page.rows))
    return answers.answer(wire.DisputePage(found, page.next))


@bp.get("/disputes/<uuid:dispute_id>")
@needs("games:read")
def show_dispute(dispute_id: UUID) -> Response:
    """A dispute with all its events and their texts."""
    parsing.query(NoQuery)
    with access.reading() as conn:
        entry, _ = _load(conn, dispute_id)
        (found,) = dispute_answers.shown(conn, [entry], with_events=True)
    return answers.answer(found)


@bp.post("/disputes/<uuid:dispute_id>/events")
@needs("games:write")
def go_on(dispute_id: UUID) -> Response:
    """Say, link, withdraw, rule, appeal, decide or tag: whoever may, in the standing where it can be."""
    parsing.query(NoQuery)
    asked, asker = parsing.body(wire.GoOn), access.asker()
    command_id = parsing.command_id(asker.identity) or uuid4()
    with access.writing() as conn:
        entry, game = _load(conn, dispute_id)
        table = dockets.table_at(conn, game)
        actor = dockets.actor_of(asker, table, game.game_id)
        _check_evidence(conn, asked.act)
        answer = _gone_on(conn, dockets.act(conn, entry, asked, actor, table, command_id))
    return answers.answer(answer, HTTPStatus.CREATED)


def _load(conn: Connection, dispute_id: UUID) -> tuple[Entry, store.Head]:
    """Read a dispute and the head of its game, if the asker may do here what the address is for."""
    entry = docket.load(conn, dispute_id)
    try:
        return entry, access.check_visible(store.head(conn, entry.disputed))
    except UnknownGame as error:
        raise UnknownDispute(dispute_id) from error


def _check_evidence(conn: Connection, act: wire.Act) -> None:
    """Refuse to point to a game that the asker may not know of, as if it were not there."""
    if isinstance(act, wire.Link) and act.game_id is not None:
        head = store.head(conn, act.game_id)
        if not access.asker().knows(head):
            raise UnknownGame(act.game_id)


def _gone_on(conn: Connection, done: docket.Done) -> wire.GoneOn:
    (found,) = dispute_answers.shown(conn, [done.entry], with_events=True)
    return wire.GoneOn(version=done.version, repeated=done.repeated, dispute=found)
