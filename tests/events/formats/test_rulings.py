"""Rulings as cases: what was found is tested by the rules program, and where it differs the case says so."""

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.simulation import Order, play_games
from events.codec import decode, decode_opening
from events.common import DealScored, Retracted
from events.disputes import Adjustment, Fact
from events.errors import CaseError
from events.formats import casebook, rulings
from events.game import fold
from events.games import GAMES
from events.lanterloo.events import Looed, PoolPaid
from projections.audit import audit

BREACHES = sorted((Path(__file__).parents[2] / "golden" / "breaches").glob("*.ndjson"))


def log(path: Path) -> tuple[str, list[Any]]:
    bodies = path.read_bytes().splitlines()
    game = decode_opening(bodies[0]).game
    return game, [decode(game, body) for body in bodies]


def cases_of(path: Path) -> list[dict[str, Any]]:
    """A case for each first finding, as an arbiter who follows the audit would rule."""
    game, events = log(path)
    found: dict[int, Fact] = {}
    for one in audit(GAMES[game], events).findings:
        found.setdefault(one.version, Fact(one.version, one.code, True))
    return [
        rulings.case_of(
            game, events, one, f"{path.stem}-{one.version}", rules=["R-1.1"], text="So."
        )
        for one in found.values()
    ]


def outcomes(*cases: dict[str, Any]) -> list[str]:
    written = rulings.write_cases(cases).encode()
    return [one.outcome for one in casebook.check(io.BytesIO(written))]


@pytest.mark.parametrize("path", BREACHES, ids=lambda path: path.stem)
def test_whatever_the_audit_finds_is_a_case_that_passes(path: Path):
    cases = cases_of(path)
    assert [case["note"] for case in cases if "note" in case] == []
    assert set(outcomes(*cases)) == {"passed"}
    types = Counter(case["type"] for case in cases)
    assert types["act"]
    # Few have to go back to the beginning of the game.
    assert sum("state" in case for case in cases) >= 0.7 * len(cases)


@pytest.mark.parametrize("path", BREACHES, ids=lambda path: path.stem)
def test_a_ruling_against_the_rules_says_so_and_fails(path: Path):
    game, events = log(path)
    for case in cases_of(path)[::10]:
        version = int(case["id"].rpartition("-")[2])
        for fact in (Fact(version, "NO_BREACH", False), Fact(version, "MADE_UP", True)):
            other = rulings.case_of(game, events, fact, "other", rules=[])
            assert "says otherwise: error: expected " in other["note"]
            assert outcomes(other) == ["failed"]


def test_what_is_not_in_force_is_no_case():
    game, events = log(BREACHES[0])
    for version in (1, len(events) + 1):
        with pytest.raises(CaseError):
            rulings.case_of(game, events, Fact(version, "RUN_END", True), "x", rules=[])
    back = [*events, Retracted(back_to=len(events) - 2, reason="slip")]
    with pytest.raises(CaseError, match="retracted"):
        rulings.case_of(game, back, Fact(len(events), "RUN_END", True), "x", rules=[])


# What the scorer wrote.


def clean(name: str) -> list[Any]:
    """A game of some deals without a fault."""
    ruleset = GAMES[name].presets["seed"]
    [game] = play_games(Order(name, 3, 4, next(iter(GAMES[name].bots)), ruleset, 9), 1)
    return list(game.events)


def shifted(event: DealScored, *more: int) -> DealScored:
    """The score with so much more for each seat."""
    scores, totals = (
        tuple((one or 0) + add for one, add in zip(row, more, strict=True))
        for row in (event.scores, event.totals)
    )
    return replace(event, scores=scores, totals=totals)


SLIPS: dict[str, tuple[str, Any, Any]] = {
    "added up wrongly": ("rummy500", DealScored, lambda one: shifted(one, 10, 0, 0)),
    "layer credited to another": ("rummy500", DealScored, lambda one: shifted(one, -15, 15, 0)),
    "cards in hand forgotten": ("rummy500", DealScored, lambda one: shifted(one, 0, 0, 25)),
    "share wrong": ("lanterloo", PoolPaid, lambda one: replace(one, amount=one.amount + 1)),
    "loo wrong": ("lanterloo", Looed, lambda one: replace(one, amount=one.amount + 1)),
    "chips wrong": ("lanterloo", DealScored, lambda one: shifted(one, 1, 0, -1)),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_of_the_scorers_is_tested_with_what_the_deal_should_have_brought(slip: str):
    """The ruling gives back what the slip took: by the rules the deal brings as much; one point more is told."""
    name, kind, change = SLIPS[slip]
    game, log = GAMES[name], clean(name)
    place = next(n for n, event in enumerate(log) if isinstance(event, kind))
    wrong = [*log[:place], change(log[place])]
    while not isinstance(wrong[-1], DealScored):
        wrong.append(game.due(fold(game, wrong))[0])
    right = next(event for event in log[place:] if isinstance(event, DealScored))
    scored = wrong[-1]
    more = [
        Adjustment(right.deal, seat, (ought or 0) - (was or 0))
        for seat, (ought, was) in enumerate(zip(right.scores, scored.scores, strict=True))
        if ought != was
    ]
    assert more
    [first, *_] = [one for one in audit(game, wrong).findings if one.version == place + 1]
    fact = Fact(place + 1, first.code, True)
    case = rulings.case_of(name, wrong, fact, slip, rules=[first.rule], adjustments=more)
    assert case["rows"][0]["expect"] == {
        "error": first.code,
        "scores": dict(zip("ABC", right.scores, strict=True)),
    }
    assert "note" not in case
    assert outcomes(case) == ["passed"]
    [one, *others] = more
    other = [replace(one, points=one.points + 1000), *others]
    wrongly = rulings.case_of(name, wrong, fact, slip, rules=[], adjustments=other)
    assert "says otherwise: scores: expected " in wrongly["note"]
    assert outcomes(wrongly) == ["failed"]
    # Nobody says what else it should have been.
    silent = rulings.case_of(name, wrong, fact, slip, rules=[])
    assert "scores" not in silent["rows"][0]["expect"]
    assert outcomes(silent) == ["passed"]


@pytest.mark.parametrize("name", ["rummy500", "lanterloo"])
def test_a_score_that_was_right_is_tested_too(name: str):
    log = clean(name)
    version = [n for n, event in enumerate(log, 1) if isinstance(event, DealScored)][1]
    fact = Fact(version, "SCORE_WRONG", False)
    case = rulings.case_of(name, log, fact, "right", rules=[])
    right = log[version - 1].scores
    assert case["rows"][0]["expect"] == {
        "error": None,
        "scores": dict(zip("ABC", right, strict=True)),
    }
    assert outcomes(case) == ["passed"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"expect": {"points": 3}}, "unknown in what is expected: points"),
        ({"booked": [{"t": "deal_scored"}]}, "cannot be read"),
        ({"plaid": []}, "unknown in a case of type act: plaid"),
    ],
)
def test_a_case_that_says_what_nobody_reads_fails(change: dict[str, Any], reason: str):
    log = clean("rummy500")
    version = next(n for n, event in enumerate(log, 1) if isinstance(event, DealScored))
    case = rulings.case_of("rummy500", log, Fact(version, "SCORE_WRONG", False), "x", rules=[])
    [row] = case.pop("rows")
    [result] = casebook.run_case(case | row | change, "x")
    assert result.outcome == "failed"
    assert reason in result.reason
