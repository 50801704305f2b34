"""An audit can be made as an earlier version of the program made it; and no version's findings are forgotten."""

from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from api.engines import Correction as Told
from api.engines import Engine, rules_of
from events import corrections
from events.corrections import (
    CORRECTIONS,
    Correction,
    as_judged_by,
    check_corrections,
    is_release,
    since,
)
from events.errors import CorrectionError
from events.game import Game, Violation
from events.games import LANTERLOO, RUMMY500
from events.version import ENGINE
from projections import findings
from projections.audit import audit
from tests.projections import golden_findings, tables

Rules = Game[Any, Any]


def saying(code: str) -> Any:
    """An undo after which every act breaks this rule, besides what is found otherwise."""

    def undo(game: Rules) -> Rules:
        def judge(state: Any, event: Any, after: Any = None) -> Any:
            return (*game.judge(state, event), Violation(code, "R-0"))

        return replace(game, judge=judge)

    return undo


def correction(engine: str = "0.0.1", game: str = "rummy500", undo: Any = None) -> Correction:
    return Correction(engine, game, "R-0", "something", undo or saying(f"BEFORE_{engine}"))


MADE = (correction("0.0.5"), correction("0.0.9", "lanterloo"), correction("0.0.10"))


def codes(engine: str) -> set[str]:
    rules = as_judged_by(RUMMY500, engine, MADE)
    report = audit(rules, tables.record(tables.draw(1, "7C")))
    return {one.code for one in report.findings}


@pytest.mark.parametrize(
    ("engine", "found"),
    [
        ("0.0.4", {"BEFORE_0.0.5", "BEFORE_0.0.10"}),
        ("0.0.5", {"BEFORE_0.0.10"}),
        ("0.0.9", {"BEFORE_0.0.10"}),
        ("0.0.10", set()),
        (ENGINE, set()),
        ("9.9.9", set()),
        ("casebook", set()),
        ("0.0", set()),
        ("00.0.4", set()),
    ],
)
def test_what_was_corrected_since_is_undone(engine: str, found: set[str]) -> None:
    assert codes(engine) == found


def test_corrections_are_those_of_the_game() -> None:
    assert [one.engine for one in since("lanterloo", "0.0.1", MADE)] == ["0.0.9"]
    assert [one.engine for one in since("rummy500", "0.0.1", MADE)] == ["0.0.5", "0.0.10"]
    assert as_judged_by(LANTERLOO, "0.0.9", MADE) is LANTERLOO


def test_what_an_act_did_is_the_same_under_every_version() -> None:
    rules = as_judged_by(RUMMY500, "0.0.4", MADE)
    assert (rules.evolve, rules.initial) == (RUMMY500.evolve, RUMMY500.initial)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ((correction("0.0.2"), correction("0.0.1")), "in '0.0.1', expected versions in order"),
        ((correction("99.0.0"),), f"expected versions in order up to {ENGINE}"),
        ((correction("latest"),), "in 'latest', expected versions"),
        ((correction(game="chess"),), "unknown game: 'chess'"),
        (
            (correction(undo=lambda game: replace(game, evolve=LANTERLOO.evolve)),),
            "changes what happened, expected only judgement",
        ),
    ],
    ids=["order", "not yet released", "no version", "game", "facts"],
)
def test_a_correction_that_is_none_is_refused(made: tuple[Correction, ...], message: str) -> None:
    with pytest.raises(CorrectionError, match=message):
        check_corrections(made)
    check_corrections((*MADE, correction(ENGINE)))


def test_the_read_model_of_findings_is_made_anew_for_every_correction() -> None:
    assert findings.version == 1 + len(CORRECTIONS)


@pytest.mark.parametrize(
    ("recorded", "asked", "judged_by"),
    [
        ("0.0.4", "newest", ENGINE),
        ("0.0.4", "recorded", "0.0.4"),
        ("9.9.9", "recorded", ENGINE),
        ("casebook", "recorded", ENGINE),
    ],
)
def test_an_audit_says_by_which_version_it_was_made(
    monkeypatch: pytest.MonkeyPatch, recorded: str, asked: Any, judged_by: str
) -> None:
    for name in ("since", "as_judged_by"):
        function = getattr(corrections, name)
        monkeypatch.setattr(f"api.engines.{name}", lambda *args, f=function: f(*args, MADE))
    rules, engine = rules_of(RUMMY500, recorded, asked)
    told = [Told(one.engine, "R-0", "something") for one in since("rummy500", recorded, MADE)]
    assert engine == Engine(recorded, judged_by, told)
    assert (rules is RUMMY500) == (judged_by == ENGINE)


def test_no_golden_log_of_breaches_has_been_changed() -> None:
    folder = golden_findings.GOLDEN / "breaches"
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert {p.name: sha256(p.read_bytes()).hexdigest() for p in folder.glob("*.ndjson")} == sums


def test_every_released_version_still_finds_what_it_found() -> None:
    kept = {path.stem: path.read_text() for path in golden_findings.KEPT.glob("*.json")}
    assert ENGINE in kept
    for engine, found in kept.items():
        assert is_release(engine)
        assert golden_findings.text(engine) == found, (
            f"version {engine} judged otherwise: correct it with events.corrections, or, if it is not "
            "released yet, write its file again (python -m tests.projections.golden_findings)"
        )
