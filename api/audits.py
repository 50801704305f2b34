"""Audits: what in a game breaks the rules, as far as the asker may see it."""

from uuid import UUID

from flask import Blueprint, Response

from api import access, answers, parsing, wire
from api.engines import rules_of
from api.openings import book_of
from api.scopes import needs
from events.games import game_named
from projections.audit import audit

bp = Blueprint("audits", __name__, url_prefix="/v1/games/<uuid:game_id>/audits")


@bp.post("")
@needs("audit")
def audit_game(game_id: UUID) -> Response:
    """Judge a game, or one deal of it, under its own ruleset or another, by the newest engine or its own."""
    parsing.query(wire.NoQuery)
    asked = parsing.body(wire.AskAudit, optional=True)
    with access.reading() as conn:
        log = access.load(conn, game_id)
    game, eyes = game_named(log.head.game), access.eyes(log, asked.viewer)
    ruleset = None if asked.ruleset is None else book_of(game, log.events[0], asked.ruleset)
    rules, engine = rules_of(game, log.events[0].engine, asked.engine)
    other = None if asked.beside is None else book_of(game, log.events[0], asked.beside)
    seen = eyes.events(log.events)
    report = audit(rules, seen, ruleset, asked.deal, calls=asked.calls)
    beside = None if other is None else audit(rules, seen, other, asked.deal)
    shown = answers.audited(log.head, eyes.at(log.head.version), report, engine, beside)
    return answers.told(shown)
