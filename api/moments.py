"""A game version by version for a page: what each event changed, and where a card was."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Blueprint, Response
from msgspec import UNSET, Raw

from api import access, answers, parsing
from api.scopes import needs
from api.viewing import Eyes
from api.wire import ViewQuery
from api.wire_moments import MOST_FRAMES, CardAnswer, FrameLine, FramesAnswer, FramesQuery
from events.cards import UNKNOWN, parse_card
from events.codec import encode
from events.errors import CardError, NoSuchVersion, RequestError
from events.kept import Known
from projections.frames import frames
from projections.whereabouts import copies_of, stays

bp = Blueprint("moments", __name__, url_prefix="/v1/games/<uuid:game_id>")

_FOR_EVER: Final = "max-age=31536000, immutable"


@bp.get("/frames")
@needs("games:read")
def list_frames(game_id: UUID) -> Response:
    """A stretch of versions as small steps, a bounded piece at a time."""
    asked = parsing.query(FramesQuery)
    viewer = parsing.viewer(asked.viewer)
    if asked.last is not UNSET and asked.last < asked.first:
        reason = f"to {asked.last}, expected no less than from, {asked.first}"
        raise RequestError("bad_query", reason)
    with access.reading() as conn:
        log = access.known(conn, game_id)
    newest, eyes = len(log.events), access.eyes(log, viewer)
    wanted = newest if asked.last is UNSET else asked.last
    for version in (asked.first, wanted):
        if version > newest:
            raise NoSuchVersion(version, newest)
    last = min(wanted, asked.first + MOST_FRAMES - 1)
    shown = FramesAnswer(
        game_id=game_id,
        first=asked.first,
        last=last,
        viewer=eyes.at(last),
        frames=[
            FrameLine(one.version, Raw(encode(one.event)), one.changed)
            for one in frames(access.seen(log, eyes), asked.first, last)
        ],
        next=last + 1 if last < wanted else None,
    )
    is_for_ever = asked.last is not UNSET and _never_changes(log, eyes, asked.last)
    headers = {"Cache-Control": f"{_whose(log)}, {_FOR_EVER}"} if is_for_ever else {}
    return answers.answer(shown, HTTPStatus.OK, **headers)


@bp.get("/cards/<card>")
@needs("games:read")
def show_card(game_id: UUID, card: str) -> Response:
    """Where a card was, from the stock to a meld, as far as the viewer sees it."""
    viewer = parsing.viewer(parsing.query(ViewQuery).viewer)
    _check_card(card)
    with access.reading() as conn:
        log = access.known(conn, game_id)
    eyes = access.eyes(log, viewer)
    packs = getattr(eyes.game.initial(log.events[0]), "packs", 1)
    copies = copies_of(card, packs)
    shown = CardAnswer(
        game_id=game_id,
        version=len(log.events),
        viewer=eyes.at(len(log.events)),
        card=card,
        copies=list(copies),
        stays=stays(access.seen(log, eyes), copies),
    )
    return answers.answer(shown)


def _check_card(card: str) -> None:
    try:
        known = parse_card(card) != UNKNOWN
    except CardError:
        known = False
    if not known:
        raise RequestError("unknown_card", f"card {card[:20]!r}, expected e.g. 7H, TD, 7H' or X1")


def _never_changes(log: Known, eyes: Eyes, last: int) -> bool:
    """Tell whether frames up to a version are the same for ever and for everybody.

    Open is what has ended; a recorded game may take that back, a refereed one never.
    """
    return log.head.mode == "refereed" and last <= eyes.upto


def _whose(log: Known) -> str:
    return "public" if log.head.visibility == "public" else "private"
