"""Whole games of 500 Rummy by the greedy bot, with any options that combine: the laws hold at every step."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.simulation import Order
from events.cards import build_pack
from events.common import DealScored, GameEnded
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from projections.audit import audit
from tests.events.rummy500.mutants import mutants
from tests.events.rummy500.test_laws import is_outside, listed, matches
from tests.events.rummy500.test_totality import cards_of
from tests.events.strategies import rulesets
from tests.simulate import RUMMY
from tests.simulations.watched import (
    NIGHTLY_GAMES,
    NIGHTLY_SHARDS,
    QUICK_GAMES,
    QUICK_SHARDS,
    WatchedTable,
    exactly,
)

DEALS = 12
"""Deals after which a game that has not ended is abandoned."""
SAMPLED_EVERY = 60
MOST_LISTED = 400
"""Acts of a table beyond which it is not sampled: a few big hands would take all the time there is."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Ruleset]:
    seats = draw(st.integers(2, 8))
    return seats, draw(rulesets(seats))


def cards_are_conserved(before: State, event: Any, after: State) -> None:
    if after.phase in ("shuffle", "cut"):
        return
    pack = build_pack(after.packs, after.ruleset.jokers_per_pack)
    assert sorted(cards_of(after)) == sorted(pack), event
    assert after.surplus == ()
    assert after.in_play == len(pack)


def totals_are_the_sum_of_scores(before: State, event: Any, after: State) -> None:
    if isinstance(event, DealScored):
        for old, new, score in zip(before.totals, after.totals, event.scores, strict=True):
            assert score is not None
            assert new == old + score


LAWS = (cards_are_conserved, totals_are_the_sum_of_scores)


def judge_is_silent_exactly_on_what_is_listed(state: State, chance: random.Random) -> None:
    acts = listed(state)
    if len(acts) > MOST_LISTED:
        return
    for act in acts:
        assert RUMMY.judge(state, act) == (), act
    for act in mutants(state, acts, chance):
        if RUMMY.judge(state, act) == () and not is_outside(act):
            plain = RUMMY.normal(state, act)
            assert any(matches(plain, one) for one in acts), (act, plain)


def play(seats: int, ruleset: Ruleset, seed: int) -> None:
    order = Order("rummy500", seats, seed, "greedy", ruleset, DEALS)
    table = WatchedTable(order, LAWS, judge_is_silent_exactly_on_what_is_listed, SAMPLED_EVERY)
    events = table.play()
    ended = events[-1]
    assert isinstance(ended, GameEnded)
    assert ended.abandoned == (ended.winner is None)
    assert not ended.abandoned or table.state.deal == DEALS or table.is_endless
    assert not table.is_endless or ruleset.stock_out.startswith("reshuffle"), ruleset
    report = audit(RUMMY, events)
    assert (report.findings, report.unchecked, report.unfinished) == ((), (), None)


@pytest.mark.parametrize("shard", range(QUICK_SHARDS))
@given(table=tables(), seed=st.integers(0, 2**32))
@exactly(QUICK_GAMES)
def test_the_laws_hold_in_whole_games(shard: int, table: tuple[int, Ruleset], seed: int) -> None:
    play(*table, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@given(table=tables(), seed=st.integers(0, 2**32))
@exactly(NIGHTLY_GAMES)
def test_they_do_so_in_many_more_games(shard: int, table: tuple[int, Ruleset], seed: int) -> None:
    play(*table, seed)
