"""The book of worked positions of Lanterloo: every case that is no prose passes, and a wrong one is told."""

from io import BytesIO
from pathlib import Path

import pytest

from events.formats.casebook import CaseResult, check

BOOK = Path(__file__).parents[2] / "data" / "lanterloo.yaml"
WRONG = {
    "settle": "{pool: 9, tricks: {A: 2, B: 1, C: 0}, paid: {A: 6, B: 3}, looed: C, next_pool: 5}",
    "declare": "{order: A B C, pool: 9, says: pass play play, outcome: PLAY, by: A}",
    "follow": '{trump: H, hand: "KS 3S AD", trick: "9S", legal: "KS 3S"}',
    "lead": '{trump: D, hand: "KD 4D AS", legal: "KD"}',
    "trick": '{trump: H, plays: "A:9S B:KS C:2H", winner: B}',
}


def results(text: str) -> list[CaseResult]:
    return list(check(BytesIO(text.encode())))


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


def test_only_prose_is_not_run() -> None:
    assert {result.reason for result in book() if result.outcome == "not run"} == {"type note"}


@pytest.mark.parametrize("kind", sorted(WRONG))
def test_a_case_that_the_rules_do_not_bear_out_fails(kind: str) -> None:
    (result,) = results(f"type: {kind}\ngame: loo3\nid: T-1\nrows: [{WRONG[kind]}]")
    assert result.outcome == "failed"
    assert "expected" in result.reason


def test_a_wrong_flush_and_a_wrong_ledger_fail() -> None:
    flush = 'hands: {A: "AH KH 9H 4H 2H", B: "TS TD 9C 6D 4C"}, winner: B'
    ledger = "hands: [{dealer: B, pool: 3, tricks: {A: 2, B: 1, C: 0}, after: 4}]"
    (swept,) = results(
        f"type: flush\ngame: loo5\nrows: [{{trump: H, order: A B, pool: 5, {flush}}}]"
    )
    (summed,) = results(f"type: ledger\ngame: loo3\nplayers: A B C\n{ledger}")
    assert (swept.outcome, summed.outcome) == ("failed", "failed")
    assert "winner" in swept.reason
    assert "after" in summed.reason


def test_yaml_reads_a_bare_off_as_false_and_we_as_off() -> None:
    row = 'hand: "KD 4D AS", legal: "4D AS KD"'
    (result,) = results(
        f"type: lead\ngame: loo3\ntrump: D\nopts: {{lead_two: off}}\nrows: [{{{row}}}]"
    )
    assert result.outcome == "passed", result.reason


@pytest.mark.parametrize("opts", ["{lead_two: sometimes}", "{no_such: 1}", "{limited_loo: 4}"])
def test_an_option_that_cannot_be_is_told(opts: str) -> None:
    row = 'hand: "KD 4D AS", legal: "4D KD"'
    (result,) = results(f"type: lead\ngame: loo3\ntrump: D\nopts: {opts}\nrows: [{{{row}}}]")
    assert result.outcome == "failed"
    assert "cannot be read" in result.reason


def test_a_book_s_rules_can_be_named() -> None:
    row = 'hand: "KS 3S AD", trick: "9S", legal: "KS"'
    (result,) = results(
        f"type: follow\ngame: loo5\ntrump: H\nopts: {{preset: enquire}}\nrows: [{{{row}}}]"
    )
    assert result.outcome == "passed", result.reason
