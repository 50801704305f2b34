"""`/chances`: cards and scores by position beside what chance gives, with what the numbers cannot say on top.

Shows what `api.chances` finds and nothing else; blames nobody.
"""

from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from flask import Blueprint, Response
from sqlalchemy import Connection

from api import access, catalogue, chances, parsing
from api.chances_wire import ChancesQuery
from api.chances_words import NOTE
from api.scopes import needs
from api.viewer import rendering
from api.viewer.asking import ChancesPageQuery, chosen
from api.viewer.texts import Texts
from events import store
from events.errors import RequestError, as_reason
from events.games import GAMES
from projections.chances_told import Answer, Question

bp = Blueprint("chances", __name__)

_DAYS = ("since", "until")


@bp.get("/chances")
@parsing.produces("text/html")
@needs("games:read", "audit")
def chances_page() -> Response:
    """Cards and scores of many deals; each filter of the address narrows."""
    asked = parsing.query(ChancesPageQuery)
    texts, wanted = chosen(asked), _query(asked)
    with access.reading() as conn:
        found = chances.reckon(conn, wanted)
        people = _people(conn, wanted, found)
    return rendering.page(
        "chances.html",
        asked,
        texts,
        note=NOTE[texts.lang],
        wanted=asked,
        bias=f"{wanted.bias:g}",
        edge=f"{wanted.edge:g}",
        found=found,
        rows=[_row(one, texts) for one in found.questions],
        about=list(_about(wanted, people, texts)),
        dealers=sorted(people.items(), key=lambda one: one[1]),
        table=_table(wanted, people),
        games_known=tuple(GAMES),
        lines=_lines(found, texts),
    )


def _query(asked: ChancesPageQuery) -> ChancesQuery:
    """Return what the page's form asks for; raise RequestError as the interface does."""
    given = {
        name: value
        for name, value in msgspec.to_builtins(asked).items()
        if value and name != "lang"
    }
    for name in _DAYS:
        if name in given:
            given[name] = _midnight(given[name])
    try:
        return msgspec.convert(given, ChancesQuery, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError("bad_query", as_reason(error)) from error


def _midnight(day: str) -> str:
    try:
        return f"{date.fromisoformat(day).isoformat()}T00:00:00Z"
    except ValueError:
        raise RequestError(
            "bad_query", f"day {day[:20]!r}, expected one such as 2026-11-30"
        ) from None


def _people(conn: Connection, wanted: ChancesQuery, found: Answer) -> dict[UUID, str]:
    """Return who can be chosen as dealer: who is named, and who sits at the one game; nobody if nothing is shown."""
    ids = set(chances.wanted_of(wanted).seated)
    if wanted.game_id is not None:
        ids |= set(catalogue.players(conn, [wanted.game_id]).get(wanted.game_id, ()))
    if not found.games:
        return {one: f"({str(one)[:8]})" for one in ids if one == wanted.dealer}
    names = store.people(conn, ids)
    return {one: names.get(one) or f"({str(one)[:8]})" for one in ids}


def _table(wanted: ChancesQuery, people: dict[UUID, str]) -> str | None:
    """Return where all games of the one game's table are, None if no one game is asked for."""
    if wanted.game_id is None or not people:
        return None
    return "/chances?" + urlencode({"players": ",".join(sorted(map(str, people)))}, safe=",")


def _about(wanted: ChancesQuery, people: dict[UUID, str], t: Texts) -> Any:
    if wanted.game_id is not None:
        yield t["chances.about.game"]
    if wanted.players is not None:
        ids = chances.wanted_of(wanted).players
        who = " · ".join(people.get(one) or f"({str(one)[:8]})" for one in ids)
        yield t.fill("chances.about.players", who=who)
    if wanted.dealer is not None:
        who = people.get(wanted.dealer) or f"({str(wanted.dealer)[:8]})"
        yield t.fill("chances.about.dealer", who=who)


def _row(one: Question, t: Texts) -> dict[str, Any]:
    """Return a number as the table has it."""
    whose = t["chances.dealer"] if one.position == 0 else t.fill("chances.left", n=one.position)
    return {
        "kind": t[f"kind.{one.kind}"],
        "whose": whose,
        "cells": [
            ("hands", str(one.hands)),
            ("seen", f"{one.seen:.12g}"),
            ("expected", f"{one.expected:z.1f}"),
            ("p", f"{one.p_value:.3g}"),
            ("corrected", f"{one.corrected:.3g}"),
            ("needed", "–" if one.needed is None else str(one.needed)),
        ],
        "is_unusual": one.is_unusual,
        "beside": _beside(one, t),
    }


def _beside(one: Question, t: Texts) -> str | None:
    """Return what stands below a number: points a deal, or how the cards were distributed over the hands."""
    if one.score is not None and one.score_expected is not None:
        score, mean = f"{one.score:z.1f}", f"{one.score_expected:z.1f}"
        return t.fill("chances.score", score=score, mean=mean)
    if not one.counts:
        return None
    pairs = zip(one.counts, one.counts_expected, strict=True)
    return t.fill("chances.counts", counts=", ".join(f"{n} ({m:.1f})" for n, m in pairs))


def _lines(found: Answer, t: Texts) -> list[str]:
    """Return what explains the columns, of those kinds of numbers that there are."""
    kinds = {one.reference for one in found.questions}
    told = [
        t[f"chances.{name}"] for name in ("shuffle", "permutation", "comparison") if name in kinds
    ]
    if found.tests:
        told.append(t.fill("chances.correction", tests=found.tests, level=f"{100 * found.level:g}"))
    takes = t.fill(
        "chances.takes",
        bias=f"{found.bias:g}",
        edge=f"{50 + 100 * found.edge:g}",
        power=f"{100 * found.power:g}",
    )
    return [*told, takes]
