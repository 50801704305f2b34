"""The number of legal lines from fixed deals, exactly, as two referees count them that share no rule.

Every number is in tests/golden/perft.json: lines of one act, of two, and so on.
"""

import json
from collections import Counter
from functools import cache

import pytest

from events.rummy500.state import State
from tests.perft import engine, naive
from tests.perft.deals import DEALS, Deal
from tests.perft.write_golden import GOLDEN

BY_DAY = 600
"""Lines that a quick run goes through from one deal; the whole golden file is for the night."""
EVERY_KIND = {
    *("stock", "take", "renew", "decline", "discard", "group", "run", "lay", "join"),
    *("call", "call_lay", "challenge", "swap"),
}
COUNTS: dict[str, list[int]] = json.loads(GOLDEN.read_text())
each_deal = pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal.name)


def by_day(deal: Deal) -> list[int]:
    return [lines for lines in COUNTS[deal.name] if lines <= BY_DAY]


@each_deal
def test_the_engine_counts_as_the_golden_file_says(deal: Deal) -> None:
    state = engine.set_up(deal)
    for depth, lines in enumerate(by_day(deal), 1):
        assert engine.perft(state, depth) == lines, f"lines of {depth} acts"


@each_deal
def test_the_naive_referee_counts_as_the_golden_file_says(deal: Deal) -> None:
    for depth, lines in enumerate(by_day(deal), 1):
        assert naive_perft(deal.table(), depth) == lines, f"lines of {depth} acts"


@pytest.mark.nightly
@each_deal
def test_both_go_through_the_whole_golden_file_act_by_act(deal: Deal) -> None:
    lines = Counter[int]()
    walk_together(engine.set_up(deal), deal.table(), len(COUNTS[deal.name]), lines)
    assert [lines[depth] for depth in range(len(COUNTS[deal.name]), 0, -1)] == COUNTS[deal.name]


def test_the_golden_file_has_every_deal_and_every_kind_of_act() -> None:
    assert list(COUNTS) == [deal.name for deal in DEALS]
    assert all(len(by_day(deal)) >= 3 for deal in DEALS)
    kinds = {
        *_kinds("challenged, the stock empty 43", 7),
        *_kinds("latest lay-off", 3),
        *_kinds("reshuffled but for the top", 4),
        *_kinds("seed 2", 4),
        *_kinds("wild cards are swapped", 2),
    }
    assert kinds == EVERY_KIND


def _kinds(name: str, depth: int) -> set[str]:
    found: set[str] = set()
    tables = [next(deal for deal in DEALS if deal.name == name).table()]
    for _ in range(depth):
        acts = [(table, act) for table in tables for act in naive.acts(table)]
        found |= {act[0] for _, act in acts}
        tables = [naive.after(table, act) for table, act in acts]
    return found


@cache
def naive_perft(table: naive.Table, depth: int) -> int:
    """The number of legal lines of so many acts, as the naive referee has it."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(naive.acts(table))
    return sum(naive_perft(naive.after(table, act), depth - 1) for act in naive.acts(table))


def walk_together(state: State, table: naive.Table, depth: int, lines: Counter[int]) -> None:
    """Go through every line with both referees, asking at each table which acts they allow."""
    assert (state.phase == "over") == (table.phase == "over")
    allowed = engine.by_signature(state, table)
    lines[depth] += len(allowed)
    if depth == 1:
        return
    for act in allowed.values():
        after = naive.after(table, engine.in_words(act))
        walk_together(engine.after(state, act), after, depth - 1, lines)
