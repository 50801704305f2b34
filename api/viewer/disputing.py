"""The forms with which a dispute is opened and gone on with on the replay page: fragments, filled in as far as is known.

What is sent goes to the same addresses as any program's (`api.disputes`), by the page's script.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from flask import Blueprint, Response

from api import parsing
from api.scopes import needs
from api.viewer import beside, rendering, rulebook
from api.viewer.asking import FormQuery, Page, chosen
from api.viewer.disputed import Disputed
from api.viewer.loading import load_disputed
from api.viewer.rights import Rights, rights_in
from api.viewer.show import Show
from api.viewer.texts_disputing import ERRORS
from events.disputes import Adjustment
from events.disputing import Dispute
from projections.ruling import Scores, table_of

bp = Blueprint("disputing", __name__)

_PARTIES: Final = frozenset(("appeal",))
"""Acts that the arbiter does not do."""


@bp.get("/games/<uuid:game_id>/disputing")
@parsing.produces("text/html")
@needs("games:read")
def dispute_form(game_id: UUID) -> Response:
    """A form for an act in a dispute, or for a new dispute about an event; or why there is none for this reader."""
    asked = parsing.query(FormQuery)
    texts = chosen(asked)
    show, disputes = load_disputed(game_id, asked, texts)
    at = min(asked.at or show.last, show.last)
    disputed = Disputed(show, disputes, at if asked.free else show.last)
    rights = rights_in(game_id, table_of(show.game, show.events))
    known = {filed.head.game_id: dispute for filed, dispute in disputed.known}
    one = None if asked.dispute is None else known.get(asked.dispute)
    context = {"t": texts, "page": Page(game_id, asked, texts), "do": asked.do, "rights": rights}
    context |= {"may": _may(rights, asked.do, one), "at": at, "game_id": game_id}
    if context["may"]:
        context |= _filled(show, disputed.scores, rights, asked.do, one, at)
        context["dispute"] = _shown(disputed, asked.dispute, at)
        context["post"] = _address(game_id, asked)
        context["errors"] = {key: texts[key] for key in ERRORS}
    text = rendering.environment.get_template("disputing.html").render(context)
    return Response(text, content_type="text/html; charset=utf-8")


def _shown(disputed: Disputed, dispute_id: UUID | None, at: int) -> dict[str, Any] | None:
    told = disputed.context(at, ruled=False)["disputes"]
    return next((one for one in told if one["id"] == str(dispute_id)), None)


def _may(rights: Rights, do: str, dispute: Dispute | None) -> bool:
    if do == "open":
        return bool(rights.speakers)
    return dispute is not None and do in rights.acts(dispute)


def _address(game_id: UUID, asked: FormQuery) -> str:
    if asked.do == "open":
        return f"/v1/games/{game_id}/disputes"
    return f"/v1/disputes/{asked.dispute}/events"


def _filled(
    show: Show, scores: Scores, rights: Rights, do: str, dispute: Dispute | None, at: int
) -> dict[str, Any]:
    """Return what the form shows beside its fields, and what stands in them."""
    versions = (at,) if dispute is None else dispute.opened.versions
    found = [one for one in show.found if one.version in versions]
    deal = show.deal_at(versions[0])
    ruling = None if dispute is None else dispute.in_force
    cited = ruling.rules if ruling else dispute.opened.rules if dispute else ()
    rules = tuple(cited) or tuple(dict.fromkeys(one.rule for one in found))
    facts = {} if ruling is None else {(one.version, one.code): one.breach for one in ruling.facts}
    points = () if dispute is None else dispute.opened.demanded
    return {
        "expected": 0 if dispute is None else dispute.version,
        "versions": versions,
        "says": [(version, show.brief(version)) for version in versions],
        "findings": [beside.finding(show, one) for one in found],
        "facts": facts,
        "rules": rules,
        "texts_of_rules": list(rulebook.quoted(show.head.game, [*rules, *(o.rule for o in found)])),
        "scoring": _scoring(scores, deal.deal if deal else 0, at),
        "speakers": [
            ("" if seat is None else seat, show.texts["dispute.arbiter"] if seat is None else show.names[seat])
            for seat in rights.speakers
            if seat is not None or do not in _PARTIES
        ],
        "points": _rows(ruling.adjustments if ruling else points, deal.deal if deal else 1, show.names),
        "names": show.names,
    }  # fmt: skip


def _scoring(scores: Scores, deal: int, at: int) -> tuple[int, int] | None:
    """Return the deal that an event belongs to and the version of its score, None if it was not scored or is that."""
    row = next((one for one in reversed(scores.deals) if one.deal == deal), None)
    return None if row is None or row.version == at else (deal, row.version)


def _rows(
    points: Sequence[Adjustment], deal: int, names: Sequence[str]
) -> list[tuple[int, list[int | str]]]:
    """Return rows of the table of points: a deal, and for each seat the points or nothing."""
    deals = sorted({one.deal for one in points}) or [deal]
    given = {(one.deal, one.seat): one.points for one in points}
    return [(one, [given.get((one, seat), "") for seat in range(len(names))]) for one in deals]
