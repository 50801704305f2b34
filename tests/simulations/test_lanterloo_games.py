"""Whole sessions of Loo by the greedy bot, with any options that combine: cards, chips and laws hold at every step."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from api.simulation import Order
from events.cards import FIRST_PACK
from events.common import DealerDrawn, GameEnded
from events.lanterloo.events import Looed, LooEvent
from events.lanterloo.ruleset import FORMS, PRESETS, Ruleset
from events.lanterloo.state import State
from projections.audit import audit
from tests.events.lanterloo.mutants import mutants
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, all_cards
from tests.events.lanterloo.test_laws import is_outside, listed, matches
from tests.simulations.watched import (
    NIGHTLY_GAMES,
    NIGHTLY_SHARDS,
    QUICK_GAMES,
    QUICK_SHARDS,
    WatchedTable,
    exactly,
)

DEALS = 20
"""Deals after which a session that has not ended is abandoned."""
SAMPLED_EVERY = 50


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Ruleset]:
    """A number of seats and any rules; every fourth time those for which section 15 states more."""
    seats = draw(st.integers(3, 8))
    if draw(st.integers(0, 3)):
        return seats, draw(rulesets(seats))
    standard = PRESETS[f"seed-{draw(st.sampled_from(FORMS))}"]
    stakes: Any = draw(st.sampled_from(["limited", "unlimited"]))
    rounds = draw(st.integers(1, 3))
    return seats, replace(standard, stakes=stakes, rounds=rounds)


def cards_are_conserved(before: State, event: Any, after: State) -> None:
    assert after.surplus == ()
    if after.deck:
        assert sorted(all_cards(after)) == sorted(FIRST_PACK), event


def chips_sum_to_zero(before: State, event: Any, after: State) -> None:
    assert sum(after.balances) + after.pool == 0, event
    assert after.pool >= after.reserved >= 0


def somebody_can_act(before: State, event: Any, after: State) -> None:
    if after.phase in ("declare", "claim", "play") and not LOO.due(after):
        assert any(True for _ in LOO.legal(after, after.turn)), after


def who_keeps_pam_is_not_looed(before: State, event: Any, after: State) -> None:
    """L-7.7."""
    if isinstance(event, Looed) and before.pam is not None and event.seat in before.players:
        played = [one.card for one in before.played if one.seat == event.seat]
        assert before.pam not in (*before.hands[event.seat], *played), (before, event)


def an_empty_pool_is_one_that_nobody_was_looed_into(
    before: State, event: Any, after: State
) -> None:
    """15.7, for the options for which it is stated."""
    if after.phase == "over" and is_standard(after.ruleset):
        assert (after.pool == 0) == (after.loos == 0)


def is_standard(ruleset: Ruleset) -> bool:
    """Whether these are the default options, as far as they are not about amounts and length."""
    plain = replace(ruleset, preset="seed", stakes="limited", unit=1, rounds=1)
    return replace(plain, limited_loo=None, unlimited_cap=None, form="loo5") == PRESETS["seed"]


LAWS = (
    cards_are_conserved,
    chips_sum_to_zero,
    somebody_can_act,
    who_keeps_pam_is_not_looed,
    an_empty_pool_is_one_that_nobody_was_looed_into,
)


def judge_is_silent_exactly_on_what_is_listed(state: State, chance: random.Random) -> None:
    acts: list[LooEvent] = [one for one in listed(state) if not isinstance(one, DealerDrawn)]
    for act in acts:
        assert LOO.judge(state, act) == (), act
    for act in mutants(state, acts, chance):
        if LOO.judge(state, act) == () and not is_outside(act):
            plain = LOO.normal(state, act)
            assert any(matches(plain, one) for one in acts), (act, plain)


def play(seats: int, ruleset: Ruleset, seed: int) -> None:
    order = Order("lanterloo", seats, seed, "greedy", ruleset, DEALS)
    table = WatchedTable(order, LAWS, judge_is_silent_exactly_on_what_is_listed, SAMPLED_EVERY)
    events = table.play()
    ended = events[-1]
    assert isinstance(ended, GameEnded)
    assert not ended.abandoned or table.state.deal == DEALS
    assert (table.state.pool, sum(table.state.balances)) == (0, 0)
    report = audit(LOO, events)
    assert (report.findings, report.unchecked, report.unfinished) == ((), (), None)


@pytest.mark.parametrize("shard", range(QUICK_SHARDS))
@given(table=tables(), seed=st.integers(0, 2**32))
@exactly(QUICK_GAMES)
def test_the_laws_hold_in_whole_sessions(shard: int, table: tuple[int, Ruleset], seed: int) -> None:
    play(*table, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@given(table=tables(), seed=st.integers(0, 2**32))
@exactly(NIGHTLY_GAMES)
def test_they_do_so_in_many_more_sessions(
    shard: int, table: tuple[int, Ruleset], seed: int
) -> None:
    play(*table, seed)
