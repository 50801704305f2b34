"""Pages across games: the list with its box for new ones, standings, findings. What the catalogue knows may lag."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from api import access, catalogue, listing, parsing
from api.lists_wire import FindingsQuery, StandingsQuery
from api.scopes import needs
from api.viewer import bringing, rendering
from api.viewer.asking import (
    FindingsPageQuery,
    ListPageQuery,
    PageQuery,
    StandingsPageQuery,
    chosen,
)
from api.viewer.naming import isolated, shortened
from api.wire import ListQuery
from events import store
from events.games import GAMES
from projections.board import LETTERS
from projections.explain import sentence

bp = Blueprint("lists", __name__)


@bp.get("/")
@parsing.produces("text/html")
@needs("games:read")
def list_page() -> Response:
    """The games, with search and filters, and a box that takes new ones in."""
    asked = parsing.query(ListPageQuery)
    return games_page(asked, None, HTTPStatus.OK)


@bp.post("/import")
@parsing.produces("text/html")
@needs("games:write", "import", for_all=True)
def import_page() -> Response:
    """Take in a file or a pasted text; the same page again, with the outcome."""
    asked = parsing.query(PageQuery)
    texts = chosen(asked)
    outcome, status = bringing.bring_in(texts)
    if request.headers.get("Accept-Fragment"):
        return rendering.page("imported.html", asked, texts, outcome=outcome, status=status)
    return games_page(ListPageQuery(lang=asked.lang), outcome, status)


def games_page(asked: ListPageQuery, outcome: Any, status: HTTPStatus) -> Response:
    """Return the list, with the outcome of an import if there was one."""
    texts = chosen(asked)
    wanted = ListQuery(
        game=asked.game or None,
        status=asked.status or None,
        mode=asked.mode or None,
        search=asked.q.strip() or None,
        cursor=asked.cursor or None,
    )
    with access.reading() as conn:
        games, more = listing.page(conn, wanted, access.asker())
        shown = listing.summaries(conn, games)
        known = catalogue.counts(conn, [game.head.game_id for game in games], access.asker())
    filters = {name: getattr(asked, name) for name in ("q", "game", "status", "mode")}
    following = {"cursor": listing.cursor(games[-1].head.game_id)} if more else {}
    return rendering.page(
        "list.html",
        asked,
        texts,
        here="list",
        status=status,
        wanted=asked,
        filtered=any(filters.values()),
        games=[_row(game, known.get(game.game_id)) for game in shown],
        games_known=tuple(GAMES),
        more=f"?{_address(filters | following)}" if more else None,
        outcome=outcome,
    )


def _address(parameters: dict[str, str]) -> str:
    return urlencode({name: value for name, value in parameters.items() if value})


def _row(game: Any, known: tuple[int, int] | None) -> dict[str, Any]:
    """Return what a line of the list shows; what the catalogue does not know yet is left out."""
    names = [isolated(one.name or f"({one.id[:8]})") for one in game.players]
    players = ", ".join(shortened(names))
    return {
        "game_id": game.game_id,
        "players": players or str(game.game_id),
        "game": game.game,
        "rules": game.ruleset or "",
        "status": game.status,
        "version": game.version,
        "deals": known[0] if known else None,
        "findings": known[1] if known else None,
        "changed_at": game.changed_at,
    }


@bp.get("/standings")
@parsing.produces("text/html")
@needs("games:read")
def standings_page() -> Response:
    """What players have done in all games of a kind, the most of what is asked for first."""
    asked = parsing.query(StandingsPageQuery)
    wanted = StandingsQuery(game=asked.game or None, by=asked.by, cursor=asked.cursor or None)
    with access.reading() as conn:
        found = catalogue.standings(conn, wanted, access.asker())
        names = store.people(conn, {row.player_id for row in found.rows})
    return rendering.page(
        "standings.html",
        asked,
        chosen(asked),
        here="standings",
        wanted=asked,
        rows=[
            (isolated(names.get(row.player_id) or f"({str(row.player_id)[:8]})"), row)
            for row in found.rows
        ],
        games_known=tuple(GAMES),
        more=_more(found.next, game=asked.game, by=asked.by),
    )


@bp.get("/findings")
@parsing.produces("text/html")
@needs("games:read")
def findings_page() -> Response:
    """What was found in the audits of all games, as far as it tells nothing hidden; each leads to its moment."""
    asked = parsing.query(FindingsPageQuery)
    texts = chosen(asked)
    wanted = FindingsQuery(
        game=asked.game or None,
        code=asked.code.strip().upper() or None,
        severity="breach",
        cursor=asked.cursor or None,
    )
    with access.reading() as conn:
        found = catalogue.findings_of(conn, wanted, access.asker())
        players = _players(conn, [row.game_id for row in found.rows])
    rows = []
    for row in found.rows:
        names = players.get(row.game_id, [])
        text = sentence(row.finding, shortened(names) or LETTERS, texts.lang)
        rows.append((row, text, ", ".join(names)))
    return rendering.page(
        "findings.html",
        asked,
        texts,
        here="findings",
        wanted=asked,
        rows=rows,
        games_known=tuple(GAMES),
        more=_more(found.next, game=asked.game, code=asked.code),
    )


def _players(conn: Connection, game_ids: list[UUID]) -> dict[UUID, list[str]]:
    """Return the names of who plays these games, by seat."""
    seats = catalogue.players(conn, game_ids)
    names = store.people(conn, {player for row in seats.values() for player in row})
    return {
        game_id: [isolated(names.get(player) or f"({str(player)[:8]})") for player in row]
        for game_id, row in seats.items()
    }


def _more(cursor: str | None, **filters: str) -> str | None:
    return None if cursor is None else f"?{_address(filters | {'cursor': cursor})}"
