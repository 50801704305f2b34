"""The audit report as one page: for reading on a screen and for printing, without any script."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from flask import Blueprint, Response

from api import access, files, parsing, reported
from api.openings import book_of
from api.reported import Reported
from api.scopes import needs
from api.viewer import bringing, rendering
from api.viewer.asking import Page, ReportPageQuery, chosen, viewer_of
from api.viewer.show import Show
from events import docket
from events.docket import Entry
from events.errors import LanterlogError, RequestError
from events.recorder import Log
from projections.report import AuditReport, Told
from projections.report_text import Teller

bp = Blueprint("reporting", __name__)


class ReportPage(Page):
    """What the parts of a table share here: links lead to the moment on the game's own page."""

    def link(self, version: int | None) -> str:
        """Return the address of a version."""
        return self._path + super().link(version)

    @property
    def back(self) -> str:
        """The address of the game's own page."""
        return self._path + (f"?{self._tail.removeprefix('&')}" if self._tail else "")


@bp.get("/games/<uuid:game_id>/report")
@parsing.produces("text/html")
@needs("games:read", "audit")
def report_page(game_id: UUID) -> Response:
    """The report of a game, a deal or a range, as far as the reader may see it."""
    asked = parsing.query(ReportPageQuery)
    texts = chosen(asked)
    with access.reading() as conn:
        log = access.load(conn, game_id)
        game = next(files.gather(conn, [(log.head, log.stored)]))
        imported = reported.import_of(conn, game_id)
        disputes = docket.of_game(conn, game_id)
    show = Show(game, access.eyes(log, viewer_of(asked)), texts)
    found = _found(show, log, (imported, disputes), asked)
    teller = Teller(texts.lang, show.names)
    page = ReportPage(game_id, asked, texts)
    context = _whole(show, found, teller) | _choices(show, asked, found.report)
    return rendering.page(
        "report.html",
        asked,
        texts,
        page=page,
        w=teller.words,
        breaches=[_breach(show, one, found.report, teller, page) for one in found.report.primary],
        **context,
    )


def _found(
    show: Show,
    log: Log,
    stored: tuple[reported.Import | None, Sequence[Entry]],
    asked: ReportPageQuery,
) -> Reported:
    opened = log.events[0]
    if asked.first and asked.last and int(asked.first) > int(asked.last):
        reason = f"to {asked.last}, expected no less than from, {asked.first}"
        raise RequestError("bad_query", reason)
    return reported.reported(
        log,
        show.eyes,
        *stored,
        deal=int(asked.deal) if asked.deal else None,
        first=int(asked.first) if asked.first else None,
        last=int(asked.last) if asked.last else None,
        ruleset=book_of(show.game, opened, asked.ruleset) if asked.ruleset else None,
    )


def _whole(show: Show, found: Reported, teller: Teller) -> dict[str, Any]:
    told = found.report
    deals = told.correction.deals
    return {
        "heading": " · ".join(show.names),
        "game_id": show.head.game_id,
        "seats": show.names,
        "scope": teller.scope(told),
        "rules": teller.say("rules", rules=told.ruleset),
        "viewer": teller.viewer(show.eyes.at(show.last)),
        "verdict": teller.verdict(told),
        "is_clean": not told.breaches,
        "unchecked": [(one.version, teller.sentence(one)) for one in told.unchecked],
        "scores": [(one, teller.effect(one)) for one in deals],
        "total": told.correction,
        "total_text": teller.total(told.correction),
        "sides": [] if told.beside is None else teller.sides(told, told.beside),
        "other": []
        if told.beside is None
        else [(one.version, teller.sentence(one)) for one in told.beside.findings],
        "record": reported.record_lines(found, teller),
    }


def _choices(show: Show, asked: ReportPageQuery, told: AuditReport) -> dict[str, Any]:
    """Return what can be chosen: deals, and the presets for this form of the game."""
    form = getattr(show.opened.ruleset, "form", None)
    presets = show.game.presets.items()
    named = [name for name, one in presets if getattr(one, "form", None) == form]
    return {
        "deals": [deal.deal for deal in show.timeline.deals],
        "asked_deal": told.scope.deal,
        "asked_range": (asked.first, asked.last),
        "newest": show.last,
        "presets": named,
        "asked_ruleset": asked.ruleset,
        "kept": _kept(asked),
    }


def _kept(asked: ReportPageQuery) -> list[tuple[str, str]]:
    seat = [] if asked.seat is None else [("seat", str(asked.seat))]
    return [*seat, *([] if asked.lang is None else [("lang", asked.lang)])]


def _breach(
    show: Show, one: Told, whole: AuditReport, teller: Teller, page: Page
) -> dict[str, Any]:
    version = one.finding.version
    table, known = None, None
    if one.moment is not None:
        regions = show.moment(version - 1).regions
        table = [(name, rendering.region(part, page)) for name, part in regions.items()]
        known = one.moment.knowledge
    return {
        "version": version,
        "heading": teller.heading(one),
        "text": teller.sentence(one.finding),
        "rule": one.finding.rule,
        "code": one.finding.code,
        "happened": teller.happened(one),
        "table": table,
        "actor": teller.actor(one),
        "knew": [] if known is None else teller.knowledge(known),
        "acts": teller.acts(whole, one),
        "due": teller.due(one),
        "effect": teller.breach_effect(one),
        "follow": [(f.finding.version, teller.sentence(f.finding)) for f in whole.following(one)],
    }


@bp.errorhandler(LanterlogError)
def page_problem(error: LanterlogError) -> Any:
    """Show what is wrong on a page of its own."""
    return bringing.page_problem(error)
