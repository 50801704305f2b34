"""The number of legal lines from fixed deals of Lanterloo, exactly, as two referees count them that share no code.

Every number is in tests/golden/perft-loo.json: lines of one act, of two, and so on to the end of the hand where
there are not too many. Where a hand ends, both say who has won what and what is left in the pool.
"""

import json
from collections import Counter
from functools import cache

import pytest

from events.lanterloo.state import State
from tests.perft import loo_engine, loo_naive
from tests.perft.loo_deals import DEALS, Deal
from tests.perft.write_golden import LOO_GOLDEN

BY_DAY = 600
"""Lines that a quick run goes through from one deal; the whole golden file is for the night."""
COUNTS: dict[str, list[int]] = json.loads(LOO_GOLDEN.read_text())
EVERY_KIND = {"play", "pass", "miss", "defend", "change", "renew", "claim", "card"}
each_deal = pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal.name)


def by_day(deal: Deal) -> list[int]:
    lines = COUNTS[deal.name]
    return lines[: next((at for at, count in enumerate(lines) if count > BY_DAY), len(lines))]


@each_deal
def test_the_engine_counts_as_the_golden_file_says(deal: Deal) -> None:
    state = loo_engine.set_up(deal)
    for depth, lines in enumerate(by_day(deal), 1):
        assert loo_engine.perft(state, depth) == lines, f"lines of {depth} acts"


@each_deal
def test_the_naive_referee_counts_as_the_golden_file_says(deal: Deal) -> None:
    for depth, lines in enumerate(by_day(deal), 1):
        assert naive_perft(deal.table(), depth) == lines, f"lines of {depth} acts"


@each_deal
def test_both_allow_the_same_acts_and_settle_alike(deal: Deal) -> None:
    lines = Counter[int]()
    walk_together(loo_engine.set_up(deal), deal.table(), len(by_day(deal)), lines)
    assert [lines[depth] for depth in range(len(by_day(deal)), 0, -1)] == by_day(deal)


@pytest.mark.nightly
@each_deal
def test_both_go_through_the_whole_golden_file_act_by_act(deal: Deal) -> None:
    lines, deepest = Counter[int](), len(COUNTS[deal.name])
    walk_together(loo_engine.set_up(deal), deal.table(), deepest, lines)
    assert [lines[depth] for depth in range(deepest, 0, -1)] == COUNTS[deal.name]


def test_the_golden_file_has_every_deal_and_every_kind_of_act() -> None:
    assert list(COUNTS) == [deal.name for deal in DEALS]
    assert {deal.form for deal in DEALS} == {"loo5", "loo3", "irish"}
    kinds = {
        *_kinds("the dealer must defend", 4),
        *_kinds("Irish, a short stock", 3),
        *_kinds("flushes claimed", 1),
    }
    assert kinds == EVERY_KIND


def _kinds(name: str, depth: int) -> set[str]:
    found: set[str] = set()
    tables = [next(deal for deal in DEALS if deal.name == name).table()]
    for _ in range(depth):
        acts = [(table, act) for table in tables for act in loo_naive.acts(table)]
        found |= {act[0] for _, act in acts}
        tables = [loo_naive.after(table, act) for table, act in acts]
    return found


@cache
def naive_perft(table: loo_naive.Table, depth: int) -> int:
    """The number of legal lines of so many acts, as the naive referee has it."""
    if depth == 1:
        return len(loo_naive.acts(table))
    acts = loo_naive.acts(table)
    return sum(naive_perft(loo_naive.after(table, act), depth - 1) for act in acts)


def walk_together(state: State, table: loo_naive.Table, depth: int, lines: Counter[int]) -> None:
    """Go through every line with both referees, asking at each table which acts they allow."""
    assert (state.phase in loo_engine.OVER) == (table.phase == "over")
    allowed = loo_engine.by_words(state, table)
    lines[depth] += len(allowed)
    if depth == 1:
        return
    for act in allowed.values():
        after = loo_naive.after(table, loo_engine.in_words(act))
        walk_together(loo_engine.after(state, act), after, depth - 1, lines)
