"""The book of worked positions: every case that the rules of today can play passes."""

from io import BytesIO
from pathlib import Path

import pytest

from events.errors import CaseError
from events.formats.casebook import CaseResult, check

BOOK = Path(__file__).parents[2] / "data" / "rummy500.yaml"


def results(text: str) -> list[CaseResult]:
    return list(check(BytesIO(text.encode())))


PLAY = """
id: T-1
type: play
state: {turn: A, phase: draw, pile: "QC 9C", hands: {A: "5H", B: "AS", C: "3D"}}
do: ["A take 9C", "A discard 5H"]
expect: {pile: "QC 5H", hands: {A: "9C"}, turn: B, phase: window}
"""


def book() -> list[CaseResult]:
    with BOOK.open("rb") as stream:
        return list(check(stream))


@pytest.mark.parametrize(
    "result",
    [result for result in book() if result.outcome != "not run"],
    ids=lambda result: f"{result.case}-{result.part}",
)
def test_a_case_comes_out_as_written(result: CaseResult) -> None:
    assert result.outcome == "passed", result.reason


def test_only_notes_are_not_run() -> None:
    """They have tests of their own: test_calls.py and test_rummy5000.py."""
    left = {result.case: result.reason for result in book() if result.outcome == "not run"}
    assert left == {"CR-65": "type note", "CR-72": "type note"}
    assert len(book()) > 150


def test_a_case_that_comes_out_otherwise_says_where() -> None:
    (passed,) = results(PLAY)
    assert passed == CaseResult("T-1", "1", "passed", "")
    (failed,) = results(PLAY.replace('"QC 5H"', '"QC 6H"').replace("turn: B", "turn: C"))
    assert failed.outcome == "failed"
    assert "pile" in failed.reason
    assert "turn: expected C, got B" in failed.reason


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('"A take 9C"', '"A takes 9C"'), "unknown act 'takes'"),
        (('"A take 9C"', '"Z take 9C"'), "no such player: 'Z'"),
        (('"A take 9C"', '"A take 1C"'), "not a card: '1C'"),
        (("phase: draw", "phase: draw, tern: A"), "tern"),
        (("expect: {", "opts: {rumy: full}\nexpect: {"), "rumy"),
        (('pile: "QC 5H"', 'pyle: "QC 5H"'), "pyle: nothing to compare with"),
        (("do: [", "undo: ["), "cannot be read"),
    ],
    ids=["act", "player", "card", "key", "option", "expectation", "nothing to do"],
)
def test_a_case_that_cannot_be_read_fails_with_its_reason(
    change: tuple[str, str], word: str
) -> None:
    (failed,) = results(PLAY.replace(*change))
    assert failed.outcome == "failed"
    assert word in failed.reason


STRANGE_CASES = {
    "no rows": "type: melds",
    "rows of something else": "type: melds\nrows: 5",
    "a row that is none": "type: melds\nrows: [5]",
    "a meld that is none": "type: melds\nrows: [{meld: 7}]",
    "no meld": 'type: melds\nrows: [{meld: ""}]',
    "variants of something else": "type: play\nvariants: 5",
    "options of something else": "type: play\nopts: []\nstate: {turn: A}",
    "a position of something else": "type: play\nstate: 5\ndo: []\nexpect: {}",
    "no totals": "type: totals\nrows: [{totals: {}, winner: null}]",
    "totals of something else": "type: totals\nrows: [{totals: {A: x, B: 3}, winner: null}]",
    "a hundred players": "type: layout\nrows: [{players: 100}]",
    "one player": "type: layout\nrows: [{players: 1}]",
    "millions of players": PLAY + "players: 900000000",
    "millions of cards": PLAY.replace("phase: draw,", "phase: draw, stock: 9000000000,"),
    "no such phase": PLAY.replace("phase: draw", "phase: flight"),
    "a number for a date": PLAY.replace('"A discard 5H"', "2020-01-01"),
}


@pytest.mark.parametrize("text", STRANGE_CASES.values(), ids=STRANGE_CASES)
def test_a_strange_case_fails_and_does_not_keep_others_from_being_run(text: str) -> None:
    strange, other = results(text + "\n---\n" + PLAY)
    assert (strange.outcome, other.outcome) == ("failed", "passed")
    assert "cannot be read" in strange.reason


def test_an_expected_refusal_must_be_that_one() -> None:
    case = PLAY.replace('"A discard 5H"', '"A discard 9C"').replace(
        "expect: {", "expect: {error: REDISCARD_OF_DRAWN_TOP, "
    )
    case = case.replace('pile: "QC 5H", hands: {A: "9C"}, turn: B, phase: window', "phase: play")
    assert results(case)[0].outcome == "passed"
    assert results(case.replace("REDISCARD_OF_DRAWN_TOP", "NOT_IN_HAND"))[0].outcome == "failed"
    assert results(case.replace("error: REDISCARD_OF_DRAWN_TOP, ", ""))[0].outcome == "failed"


def test_variants_share_a_position_and_have_options_of_their_own() -> None:
    case = (
        PLAY.replace("do: [", "variants:\n  - {do: [")
        .replace("]\nexpect: {pile", "], expect: {pile")
        .replace("phase: window}", "phase: window}}")
    )
    case += '  - {opts: {pile_rule: always_meld}, do: ["A take 9C"], expect: {error: DEEP_CARD_UNMELDABLE}}\n'
    assert [(one.part, one.outcome) for one in results(case)] == [("1", "passed"), ("2", "passed")]


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "- 1\n- 2",
        "just words",
        "id: T-1",
        "type: 5",
        "&a [*a",
        "type: !!python/name:os.system",
    ],
)
def test_what_is_no_case_file_is_refused(text: str) -> None:
    with pytest.raises(CaseError):
        results(text)


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(CaseError, match="larger than"):
        results("#" * (4 * 1024 * 1024 + 1))


def test_other_games_and_types_are_counted_as_not_run() -> None:
    found = results("id: T-2\ntype: trick\n---\nid: T-3\ngame: loo5\ntype: play\n---\n---\n")
    assert [(one.case, one.outcome) for one in found] == [("T-2", "not run"), ("T-3", "not run")]


def test_all_that_follows_by_itself_is_carried_out_float_and_end_alike() -> None:
    case = """
id: T-4
type: play
opts: {go_out: floating}
state: {turn: A, phase: draw, stock: 0, pile: "8C 8D", hands: {A: "8S", B: "AS KD", C: "3D"}}
do: ["A take 8C", "A meld G 8C 8D 8S"]
expect: {ended: STOCK_EXHAUSTED, out: null, floaters: [A], scores: {A: 24, B: -25, C: -3}}
"""
    assert [(one.outcome, one.reason) for one in results(case)] == [("passed", "")]
