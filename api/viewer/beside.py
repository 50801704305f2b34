"""What stands beside the table: moves, findings, scores, disputes, remarks, the record; whole, or the parts that grow.

Reads no request: it is given the game and how far the reader has come.
"""

from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from api.times import rfc3339
from api.viewer import legal, rendering
from api.viewer.asking import Page, ReplayQuery
from api.viewer.disputed import Disputed
from api.viewer.rights import Rights
from api.viewer.show import STRETCH, Line, Show
from api.viewer.sought import sought

_PARTS: Final = (
    "subtitle",
    "rulings",
    "findings",
    "scores",
    "remarks",
    "disputes",
    "disputes_title",
)
"""What is drawn anew as a game grows, as more of it is shown, and after an act in a dispute: a template each."""
_OF_THE_WHOLE: Final = ("ticks", "legend")
"""More of them, that tell of what comes later."""


def parts(
    show: Show, page: Page, asked: ReplayQuery, at: int, disputed: Disputed, rights: Rights
) -> dict[str, str]:
    """Return the HTML of every part that grows, by name."""
    context = shared(show, page, at) | _grown(show, asked, at)
    context |= disputes(show, disputed, rights, at, ruled=bool(asked.ruled))
    context |= {"t": show.texts, "page": page, "free": bool(asked.free)}
    names = _PARTS if asked.free else (*_PARTS, *_OF_THE_WHOLE)
    templates = ((name, f"part_{name}.html") for name in names)
    return {
        name: rendering.environment.get_template(file).render(context) for name, file in templates
    }


def shared(show: Show, page: Page, at: int) -> dict[str, Any]:
    """Return what the table's heading and the parts beside it both need."""
    return {
        "game_id": show.head.game_id,
        "game": show.head.game,
        "names": show.names,
        "seats": len(show.names),
        "deal_now": show.deal_at(at),
        "rules": getattr(show.opened.ruleset, "preset", ""),
        "result": show.result(),
        "ticks": show.ticks(),
        "kept": list(page.kept.items()),
    }


def whole(show: Show, page: Page, asked: ReplayQuery, at: int) -> dict[str, Any]:
    """Return what all that stands beside the table needs, but for the disputes."""
    upto = at if asked.free else show.last
    return _grown(show, asked, at) | {
        "lines": _lines(show, upto),
        "lines_together": STRETCH // 2,
        "sought": found_card(show, page, asked.card, upto),
        "legal": "",
        "legal_url": f"/games/{show.head.game_id}/acts",
        "sought_url": f"/games/{show.head.game_id}/sought",
        "asked_card": asked.card,
        "answer": legal.judged(show, at, asked.act) if asked.act else None,
        "asked_act": asked.act,
        "mode": show.head.mode,
        "opened_at": rfc3339(show.head.created_at),
        "changed_at": rfc3339(show.head.changed_at),
        "head_hash": show.head.head.hex(),
        "exports": _exports(show.head.game_id),
    }


def disputes(
    show: Show, disputed: Disputed, rights: Rights, at: int, *, ruled: bool
) -> dict[str, Any]:
    """Return the disputes with what the reader may do in each, the marks of them, and the scores as ruled."""
    told = disputed.context(at, ruled=ruled)
    may = rights.by_dispute(disputed.known)
    for one in told["disputes"]:
        one["may"] = may[one["id"]]
    told["ticks"] = show.ticks() + disputed.tick()
    return told | {"rights": rights}


def found_card(show: Show, page: Page, card: str, upto: int) -> Markup:
    """Return where a card was, as HTML."""
    template = rendering.environment.get_template("sought.html")
    text = template.render(t=show.texts, page=page, **sought(show, card, upto))
    return Markup(text)  # noqa: S704 - a template of ours


def finding(show: Show, one: Any) -> dict[str, Any]:
    """Return a finding as it is listed."""
    told = {name: getattr(one, name) for name in ("version", "severity", "code", "rule")}
    return told | {"text": show.finding_text(one)}


def _grown(show: Show, asked: ReplayQuery, at: int) -> dict[str, Any]:
    upto = at if asked.free else show.last
    found = [one for one in show.found if one.version <= upto]
    return {
        "breaches": [finding(show, one) for one in found if one.severity == "breach"],
        "unchecked": [finding(show, one) for one in found if one.severity != "breach"],
        "findings_are_many": len(found) > 12,
        "found_in": {
            deal.first: sum(
                deal.first <= one.version <= deal.last and one.severity == "breach" for one in found
            )
            for deal in show.timeline.deals
        },
        "deals": [deal for deal in show.timeline.deals if deal.last <= upto or not asked.free],
        "remarks": _remarks(show, upto),
    }


def _lines(show: Show, upto: int) -> list[Line]:
    return [show.line(version) for version in range(1, upto + 1)]


def _remarks(show: Show, upto: int) -> list[tuple[int, int | None, str]]:
    """Return the remarks: where each was made, the version that it is about, its text."""
    erased = show.texts["remark.erased"]
    made = [one for one in show.timeline.remarks if one.version <= upto]
    return [(one.version, one.about, show.remarks.get(one.version, erased)) for one in made]


def _exports(game_id: UUID) -> list[tuple[str, str]]:
    base = f"/v1/games/{game_id}/export"
    endings = (("NDJSON", "ndjson"), ("txt", "txt"), ("CSV", "csv"), ("HTML", "html"))
    return [(name, f"{base}.{ending}") for name, ending in endings]
