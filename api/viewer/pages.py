"""The pages: the list, a replay at any moment and its further steps, an import, what this service is."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import msgspec
from flask import Blueprint, Response, abort, request
from markupsafe import Markup

from api import answers, parsing
from api.files import Filed
from api.scopes import needs
from api.viewer import beside, bringing, chances, disputing, legal, lists, rendering
from api.viewer.asking import (
    Page,
    PageQuery,
    ReplayQuery,
    StepsQuery,
    chosen,
)
from api.viewer.disputed import Disputed
from api.viewer.loading import load, load_disputed
from api.viewer.rights import rights_in
from api.viewer.show import STRETCH, Show, changed
from api.viewer.texts import Texts
from events.errors import LanterlogError, NoSuchVersion
from projections.ruling import table_of

bp = Blueprint("viewer", __name__)
bp.register_blueprint(lists.bp)
bp.register_blueprint(chances.bp)
bp.register_blueprint(disputing.bp)

_HELP: Final = (
    (("←", "→"), "keys.arrows"),
    (("Shift ←", "Shift →"), "keys.turns"),
    (("↑", "↓"), "keys.deals"),
    (("Home", "End"), "keys.ends"),
    (("Space",), "keys.space"),
    (("+", "-"), "keys.speed"),
    (("1", "8"), "keys.seats"),
    (("0",), "keys.all"),
    (("f",), "keys.rotate"),
    (("n", "N"), "keys.finding"),
    (("r", "R"), "keys.call"),
    (("m", "M"), "keys.remark"),
    (("/",), "keys.seek"),
    (("d",), "keys.dispute"),
    (("c",), "keys.copy"),
    (("?",), "keys.help"),
    (("Esc",), "keys.escape"),
)
_SCRIPT_TEXTS: Final = (
    "play",
    "pause",
    "copied",
    "live.on",
    "live.behind",
    "live.catch_up",
    "live.lost",
)


@bp.get("/static/<name>")
@needs("anyone")
def asset(name: str) -> Response:
    """A script, a style or a picture of the page."""
    if name not in rendering.ASSETS:
        abort(HTTPStatus.NOT_FOUND)
    data, kind, tag = rendering.ASSETS[name]
    is_named = request.query_string.decode("ascii", "replace") == tag
    answer = Response(data, content_type=kind)
    age = "public, max-age=31536000, immutable" if is_named else "no-cache"
    answer.headers["Cache-Control"] = age
    return answer


@bp.get("/about")
@parsing.produces("text/html")
@needs("anyone")
def about_page() -> Response:
    """What this service promises, and what it does not."""
    asked = parsing.query(PageQuery)
    texts = chosen(asked)
    return rendering.page(f"about_{texts.lang}.html", asked, texts, here="about")


@bp.get("/games/<uuid:game_id>")
@parsing.produces("text/html")
@needs("games:read")
def replay_page(game_id: UUID) -> Response:
    """A game at any version, as any viewer may see it: works without scripts, and the script starts from it."""
    asked = parsing.query(ReplayQuery)
    texts = chosen(asked)
    show, disputes = load_disputed(game_id, asked, texts)
    at = show.last if asked.at is None and not asked.free else asked.at or 1
    if at > show.last:
        raise NoSuchVersion(at, show.last)
    asked = msgspec.structs.replace(asked, at=at)
    page = Page(game_id, asked, texts)
    context = _table(show, page, at) | beside.shared(show, page, at)
    context |= beside.whole(show, page, asked, at) | _moving(show, page, asked, at)
    disputed = Disputed(show, disputes, at if asked.free else show.last)
    rights = rights_in(game_id, table_of(show.game, show.events))
    context |= beside.disputes(show, disputed, rights, at, ruled=bool(asked.ruled))
    return rendering.page(
        "replay.html", asked, texts, page=page, embed=bool(asked.embed), **context
    )


@bp.get("/games/<uuid:game_id>/beside")
@needs("games:read")
def parts(game_id: UUID) -> Response:
    """What stands beside the table and grows, for the page's script: each part as HTML, up to `at` with `free`."""
    asked = parsing.query(ReplayQuery)
    texts = chosen(asked)
    show, disputes = load_disputed(game_id, asked, texts)
    at = min(asked.at or show.last, show.last)
    page = Page(game_id, msgspec.structs.replace(asked, at=at), texts)
    disputed = Disputed(show, disputes, at if asked.free else show.last)
    rights = rights_in(game_id, table_of(show.game, show.events))
    found = beside.parts(show, page, asked, at, disputed, rights)
    return answers.answer({"parts": found})


@bp.get("/games/<uuid:game_id>/steps")
@needs("games:read")
def steps(game_id: UUID) -> Response:
    """A stretch of versions for the page's script: the first whole, of the rest the parts that changed."""
    asked = parsing.query(StepsQuery)
    texts = chosen(asked)
    is_growing = bool(asked.lines and asked.free)
    show, disputes = (load_disputed if is_growing else _load_alone)(game_id, asked, texts)
    first, last = asked.first, min(asked.last, show.last, asked.first + STRETCH - 1)
    if first > show.last:
        raise NoSuchVersion(first, show.last)
    page = Page(game_id, asked, texts)
    found = list(_steps(show, page, first, last, lines=bool(asked.lines)))
    if is_growing:
        _say_where_more_is(found, show.noted() | Disputed(show, disputes, show.last).begins())
    grown = {"jumps": show.jumps()} if asked.lines and not asked.free else {}
    return answers.answer({"newest": show.last, "steps": found} | grown)


def _steps(
    show: Show, page: Page, first: int, last: int, *, lines: bool
) -> Iterator[dict[str, Any]]:
    before = None
    for moment in show.moments(first, last):
        parts = moment.regions if before is None else changed(before, moment)
        step: dict[str, Any] = {
            "at": moment.version,
            "say": moment.say,
            "brief": str(rendering.suited(moment.brief)),
            "regions": {name: str(rendering.region(part, page)) for name, part in parts.items()},
        }
        if lines:
            step["line"] = str(rendering.line(show.line(moment.version), page))
        yield step
        before = moment


def _load_alone(game_id: UUID, asked: ReplayQuery, texts: Texts) -> tuple[Show, list[Filed]]:
    return load(game_id, asked, texts), []


def _say_where_more_is(steps: list[dict[str, Any]], noted: set[int]) -> None:
    """Mark the steps at which there is more beside the table than before, so that it is asked for only then."""
    for step in steps:
        if step["at"] in noted:
            step["more"] = True


@bp.get("/games/<uuid:game_id>/acts")
@parsing.produces("text/html")
@needs("games:read")
def acts(game_id: UUID) -> Response:
    """What may be done at a version, and whether a given act could have been: a fragment of the page."""
    asked = parsing.query(ReplayQuery)
    texts = chosen(asked)
    show = load(game_id, asked, texts)
    at = min(asked.at or show.last, show.last)
    if asked.act:
        answer = Markup("{}").format(legal.judged(show, at, asked.act))
        return Response(answer, content_type="text/html; charset=utf-8")
    text = rendering.environment.get_template("legal.html").render(
        t=texts, **legal.listed(show, at)
    )
    return Response(text, content_type="text/html; charset=utf-8")


@bp.get("/games/<uuid:game_id>/sought")
@parsing.produces("text/html")
@needs("games:read")
def sought_card(game_id: UUID) -> Response:
    """Where a card was through the game, for the page's script: a fragment of the page."""
    asked = parsing.query(ReplayQuery)
    texts = chosen(asked)
    show = load(game_id, asked, texts)
    upto = min(asked.at or 1, show.last) if asked.free else show.last
    text = beside.found_card(show, Page(game_id, asked, texts), asked.card, upto)
    return Response(text, content_type="text/html; charset=utf-8")


def _table(show: Show, page: Page, at: int) -> dict[str, Any]:
    moment = show.moment(at)
    deal = show.deal_at(at)
    say = page.t.fill("moment", say=moment.say, at=at, deal=deal.deal if deal else 0)
    return {
        "heading": " · ".join(show.names),
        "description": say,
        "say": moment.say,
        "brief": moment.brief,
        "names_in_full": " · ".join(show.full_names),
        "address": f"{request.url_root.rstrip('/')}{page.canonical(at)}",
        "at": at,
        "last": show.last,
        "regions": {name: rendering.region(part, page) for name, part in moment.regions.items()},
        "places": show.places(),
        "private": show.head.visibility != "public",
        "is_live": not show.timeline.ended,
    }


def _moving(show: Show, page: Page, asked: ReplayQuery, at: int) -> dict[str, Any]:
    texts, free = page.t, bool(asked.free)
    jumps = show.jumps()
    if free:
        jumps = {name: [v for v in versions if v <= at] for name, versions in jumps.items()}
    return {
        "free": free,
        "viewer_param": "" if asked.seat is None else str(asked.seat),
        "jumps": jumps,
        "views": _views(show, asked, texts),
        "kept_with_at": [("at", str(at)), *page.kept.items()],
        "script_texts": {key: texts[key] for key in _SCRIPT_TEXTS},
        "help_keys": [(keys, texts[key]) for keys, key in _HELP],
    }


def _views(show: Show, asked: ReplayQuery, texts: Texts) -> list[tuple[str, str, bool]]:
    """Return the views that can be chosen: a name, the parameter, and whether it is the one now."""
    everyone = (texts["view.all"], "0", asked.seat in (0, None) and show.eyes.at(1) == "all")
    seats = [(name, str(seat), asked.seat == seat) for seat, name in enumerate(show.names, 1)]
    return [everyone, *seats]


@bp.errorhandler(LanterlogError)
def page_problem(error: LanterlogError) -> Any:
    """Show what is wrong on a page of its own."""
    return bringing.page_problem(error)
