"""What a seat could do at a moment of a game, and why not the rest, as far as the asker may see the table."""

from collections.abc import Iterable
from uuid import UUID

from flask import Blueprint, Response
from msgspec import Raw

from api import access, answers, parsing
from api.scopes import needs
from api.wire_legal import LegalAnswer, LegalQuery, NotLegal
from events.codec import encode
from events.common import Event
from events.errors import NoSuchVersion, RequestError
from projections.options import options

bp = Blueprint("legal", __name__, url_prefix="/v1/games/<uuid:game_id>/legal")


@bp.get("")
@needs("games:read")
def show_legal(game_id: UUID) -> Response:
    """The acts of a seat at a version; without a seat, of the one whose turn it is."""
    asked = parsing.query(LegalQuery)
    viewer = parsing.viewer(asked.viewer)
    with access.reading() as conn:
        log = access.known(conn, game_id)
    _check_seat(asked.seat, len(log.events[0].seats))
    eyes, at = access.eyes(log, viewer), asked.at or len(log.events)
    if at > len(log.events):
        raise NoSuchVersion(at, len(log.events))
    # From what the asker sees: nothing that follows can tell more.
    found = options(access.seen(log, eyes), at, asked.seat, asked.limit)
    shown = LegalAnswer(
        game_id=game_id,
        version=len(log.events),
        at=at,
        viewer=eyes.at(at),
        seat=found.seat,
        turn=found.turn,
        acts=_bodies(found.acts),
        more=found.more,
        due=_bodies(found.due),
        refused=[
            NotLegal(Raw(encode(one.event)), [answers.judged(each) for each in one.judgements])
            for one in found.refused
        ],
    )
    return answers.told(shown)


def _check_seat(seat: int | None, seats: int) -> None:
    if seat is not None and seat >= seats:
        raise RequestError("bad_query", f"seat {seat}, expected 0 to {seats - 1}")


def _bodies(events: Iterable[Event]) -> list[Raw]:
    return [Raw(encode(event)) for event in events]
