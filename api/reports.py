"""Audit reports: what an arbiter needs to rule on a game, as far as the asker may see it."""

from uuid import UUID

from flask import Blueprint, Response
from msgspec import UNSET

from api import access, answers, parsing, reported
from api.openings import book_of
from api.scopes import needs
from api.wire_reports import ReportQuery
from events import docket
from events.errors import RequestError
from projections.report_text import Teller

bp = Blueprint("reports", __name__, url_prefix="/v1/games/<uuid:game_id>/report")


@bp.get("")
@needs("audit")
def show_report(game_id: UUID) -> Response:
    """The report of a game, a deal or a range of versions, with another ruleset beside it if asked for."""
    asked = parsing.query(ReportQuery)
    viewer = parsing.viewer(asked.viewer)
    _check_range(asked)
    with access.reading() as conn:
        log = access.load(conn, game_id)
        imported = reported.import_of(conn, game_id)
        disputes = docket.of_game(conn, game_id)
    eyes = access.eyes(log, viewer)
    found = reported.reported(
        log,
        eyes,
        imported,
        disputes,
        deal=None if asked.deal is UNSET else asked.deal,
        first=None if asked.first is UNSET else asked.first,
        last=None if asked.last is UNSET else asked.last,
        ruleset=None if asked.ruleset is None else book_of(eyes.game, log.events[0], asked.ruleset),
    )
    return answers.told(reported.answer(found, eyes, Teller(parsing.language())))


def _check_range(asked: ReportQuery) -> None:
    if asked.first is not UNSET and asked.last is not UNSET and asked.last < asked.first:
        reason = f"to {asked.last}, expected no less than from, {asked.first}"
        raise RequestError("bad_query", reason)
