"""Lists across games: a game's deals, the standings of players, the findings of all audits."""

from uuid import UUID

import msgspec
from flask import Blueprint, Response

from api import access, answers, catalogue, lists_wire, parsing
from api.scopes import needs
from events import store
from projections.explain import sentence

bp = Blueprint("lists", __name__, url_prefix="/v1")


@bp.get("/games/<uuid:game_id>/deals")
@needs("games:read")
def list_deals(game_id: UUID) -> Response:
    """The deals of a game, a page at a time."""
    asked, asker = parsing.query(lists_wire.DealsQuery), access.asker()
    with access.reading() as conn:
        head = access.check_visible(store.head(conn, game_id))
        known, page = catalogue.deals(conn, game_id, asked, asker)
    deals = [lists_wire.DealLine(**msgspec.structs.asdict(row)) for row in page.rows]
    return answers.answer(lists_wire.DealPage(game_id, head.version, known, deals, page.next))


@bp.get("/standings")
@needs("games:read")
def list_standings() -> Response:
    """What players have done in the games of each kind, a page at a time."""
    asked = parsing.query(lists_wire.StandingsQuery)
    with access.reading() as conn:
        page = catalogue.standings(conn, asked, access.asker())
        names = store.people(conn, {row.player_id for row in page.rows})
    lines = [_standing(row, names.get(row.player_id)) for row in page.rows]
    return answers.answer(lists_wire.StandingPage(lines, page.next))


@bp.get("/findings")
@needs("games:read")
def list_findings() -> Response:
    """What was found in the audits of all games, as far as it tells nothing hidden, a page at a time."""
    asked = parsing.query(lists_wire.FindingsQuery)
    with access.reading() as conn:
        page = catalogue.findings_of(conn, asked, access.asker())
    lines = [_finding(row) for row in page.rows]
    return answers.told(lists_wire.FindingPage(lines, page.next))


def _standing(row: catalogue.StandingRow, name: str | None) -> lists_wire.StandingLine:
    told = msgspec.structs.asdict(row)
    return lists_wire.StandingLine(player=told.pop("player_id"), name=name, **told)


def _finding(row: catalogue.FindingRow) -> lists_wire.FindingLine:
    return lists_wire.FindingLine(
        **msgspec.structs.asdict(row.finding),
        text=sentence(row.finding, lang=parsing.language()),
        game_id=row.game_id,
        game=row.game,
        number=row.number,
    )
