"""Audits of games that other programs played: they find what those programs let pass, and nothing else.

What should be found is read off the programs' own words here, without any of our rules.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.formats import Import, delboycodes, timpalpant
from events.rummy500.events import PileTaken, StockDrawn
from events.rummy500.ruleset import PRESETS
from projections.audit import Report, audit
from tests.simulate import RUMMY

DATA = Path(__file__).parents[1] / "data"
A = DATA / "rummy500-engine-a.ndjson"
B = DATA / "rummy500-engine-b.ndjson"


def imported(path: Path) -> list[Import]:
    reader = delboycodes if path == A else timpalpant
    with path.open("rb") as stream:
        return list(reader.read(stream))


@pytest.fixture(scope="module")
def reports_a() -> list[tuple[Import, Report]]:
    return [(game, audit(RUMMY, game.events)) for game in imported(A)]


@pytest.fixture(scope="module")
def reports_b() -> list[tuple[Import, Report]]:
    return [(game, audit(RUMMY, game.events)) for game in imported(B)]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def wrong_turns() -> set[tuple[int, int]]:
    """Return (game, number of the draw) of the turns that keep the wanted card or throw a taken one back."""
    wrong, draws = set(), Counter[int]()
    wanted: str | None = None
    taken: list[str] = []
    for line in lines(A):
        game, kind = line["game"], line["t"]
        if kind == "draw":
            draws[game] += 1
            taken = line["cards"] if line["from"] == "discard" else []
            wanted = taken[0] if taken else None
        elif kind in ("meld", "layoff"):
            put_down = line["cards"] if kind == "meld" else [line["card"]]
            wanted = None if wanted in put_down else wanted
        elif kind == "discard" and (wanted is not None or line["card"] in taken):
            wrong.add((game, draws[game]))
    return wrong


def turns_found(reports: list[tuple[Import, Report]]) -> set[tuple[int, int]]:
    found = set()
    for number, (game, report) in enumerate(reports, 1):
        drawn = [isinstance(event, StockDrawn | PileTaken) for event in game.events]
        found |= {(number, sum(drawn[: finding.version])) for finding in report.findings}
    return found


def test_corpus_a_breaks_its_rules_in_exactly_the_turns_that_its_words_show(
    reports_a: list[tuple[Import, Report]],
) -> None:
    expected = wrong_turns()

    assert len(expected) > 50
    assert turns_found(reports_a) == expected


def test_corpus_a_is_scored_as_we_score(reports_a: list[tuple[Import, Report]]) -> None:
    codes = {finding.code for _, report in reports_a for finding in report.findings}

    assert sum(report.deals for _, report in reports_a) == 118
    assert not codes & {"SCORE_WRONG", "TOTAL_WRONG", "WINNER_WRONG", "DEAL_END_WRONG"}
    assert all(report.unfinished is None for _, report in reports_a)


def test_what_the_program_refused_is_a_remark(reports_a: list[tuple[Import, Report]]) -> None:
    refused = sum(line["t"] == "engine_error" for line in lines(A))

    assert sum(len(report.remarks) for _, report in reports_a) == refused


def test_corpus_b_lays_cards_beside_groups_and_breaks_nothing_else(
    reports_b: list[tuple[Import, Report]],
) -> None:
    codes = Counter(finding.code for _, report in reports_b for finding in report.findings)

    assert set(codes) <= {"GROUP_RANK", "NOT_CALLABLE", "MUST_KEEP_DISCARD", "DEEP_CARD_UNMELDABLE"}
    assert codes["GROUP_RANK"] > 100
    assert sum(report.deals for _, report in reports_b) == 60


@pytest.mark.parametrize("path", [A, B], ids=["a", "b"])
def test_under_the_seeds_rules_every_breach_has_its_rule(path: Path) -> None:
    seed = PRESETS["seed"]
    for game in imported(path):
        report = audit(RUMMY, game.events, seed)
        assert report.ruleset == "seed"
        assert {"DEAL_COUNT"} <= {finding.code for finding in report.findings}
        assert all(finding.rule for finding in report.findings)
