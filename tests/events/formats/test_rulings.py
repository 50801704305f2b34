"""Rulings as cases: what was found is tested by the rules program, and where it differs the case says so."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from events.codec import decode, decode_opening
from events.disputes import Fact
from events.errors import CaseError
from events.formats import casebook, rulings
from events.games import GAMES
from projections.audit import audit

BREACHES = sorted((Path(__file__).parents[2] / "golden" / "breaches").glob("*.ndjson"))


def log(path: Path) -> tuple[str, list[Any]]:
    bodies = path.read_bytes().splitlines()
    game = decode_opening(bodies[0]).game
    return game, [decode(game, body) for body in bodies]


def cases_of(path: Path) -> list[dict[str, Any]]:
    """A case for each first finding of an act in play, as an arbiter who follows the audit would rule."""
    game, events = log(path)
    found: dict[int, Fact] = {}
    for one in audit(GAMES[game], events).findings:
        found.setdefault(one.version, Fact(one.version, one.code, True))
    cases = []
    for fact in found.values():
        try:
            name = f"{path.stem}-{fact.version}"
            cases.append(rulings.case_of(game, events, fact, name, rules=["R-1.1"], text="So."))
        except CaseError:
            continue
    return cases


@pytest.mark.parametrize("path", BREACHES, ids=lambda path: path.stem)
def test_what_the_audit_finds_is_a_case_that_passes(path: Path):
    cases = cases_of(path)
    assert cases
    passed = [case for case in cases if "note" not in case]
    assert len(passed) >= 0.7 * len(cases)
    written = rulings.write_cases(passed)
    assert {one.outcome for one in casebook.check(io.BytesIO(written.encode()))} == {"passed"}


@pytest.mark.parametrize("path", BREACHES, ids=lambda path: path.stem)
def test_a_ruling_against_the_rules_says_so_and_fails(path: Path):
    game, events = log(path)
    case = next(one for one in cases_of(path) if "note" not in one)
    version = int(case["id"].rpartition("-")[2])
    other = rulings.case_of(game, events, Fact(version, "NO_BREACH", False), "other", rules=[])
    assert "says otherwise: error: expected None, got " in other["note"]
    written = rulings.write_cases([other]).encode()
    assert [one.outcome for one in casebook.check(io.BytesIO(written))] == ["failed"]


def test_what_nobody_did_in_play_is_no_case():
    game, events = log(BREACHES[0])
    for version in (1, len(events) + 1):
        with pytest.raises(CaseError):
            rulings.case_of(game, events, Fact(version, "RUN_END", True), "x", rules=[])
    tags = [json.loads(body)["t"] for body in BREACHES[0].read_bytes().splitlines()]
    shuffled = tags.index("shuffled") + 1
    with pytest.raises(CaseError, match="version"):
        rulings.case_of(game, events, Fact(shuffled, "RUN_END", True), "x", rules=[])
