"""Bots play any table to its end, every act a legal one, and the same chance makes the same game."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.simulation import Order, Table
from events.common import GameEnded
from events.rummy500.bots import BOTS, greedy_bot
from events.rummy500.events import Discarded, MeldLaid, PileTaken, RummyCalled, StockDrawn
from events.rummy500.ruleset import PRESETS, SEED, Ruleset
from events.rummy500.state import State
from projections.audit import audit
from tests.events.rummy500.helpers import Table as SetUp
from tests.events.strategies import rulesets
from tests.profiles import examples
from tests.simulate import RUMMY


def played(bot: str, seats: int, ruleset: Ruleset, *, deals: int = 2, seed: int = 1) -> Table:
    """Play a game in which the referee lets every act pass, or raise."""
    table = Table(Order("rummy500", seats, seed, bot, ruleset, deals), 1)
    table.play()
    return table


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Ruleset]:
    seats = draw(st.integers(2, 8))
    return seats, draw(rulesets(seats))


@pytest.mark.parametrize("bot", sorted(BOTS))
@given(table=tables(), seed=st.integers(0, 1000))
@examples(25)
def test_a_bot_is_never_stuck_and_never_refused(
    bot: str, table: tuple[int, Ruleset], seed: int
) -> None:
    seats, ruleset = table
    deals = 2 if bot == "greedy" else 1
    report = audit(RUMMY, played(bot, seats, ruleset, deals=deals, seed=seed).events)
    assert report.is_clean, report.findings[:3]
    assert report.unchecked == ()


@pytest.mark.parametrize("seats", range(2, 9))
def test_the_greedy_bot_comes_to_a_natural_end_of_the_seed_game(seats: int) -> None:
    table = played("greedy", seats, SEED, deals=60)
    ended = table.events[-1]
    assert isinstance(ended, GameEnded)
    assert not ended.abandoned
    assert ended.winner == table.state.winner
    kinds = Counter(map(type, table.events))
    assert all(kinds[kind] for kind in (MeldLaid, PileTaken, Discarded))
    assert kinds[RummyCalled] or seats == 2, "with more than two somebody calls"


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"timpalpant"}))
@pytest.mark.parametrize("bot", sorted(BOTS))
def test_a_game_that_does_not_end_is_abandoned_after_the_last_deal(bot: str, preset: str) -> None:
    table = played(bot, 3, PRESETS[preset], deals=1)
    assert table.events[-1] == GameEnded(winner=None, abandoned=True)
    assert table.state.deal == 1


def test_the_same_chance_makes_the_same_game_and_another_one_another() -> None:
    first, again, other = (played("random", 4, SEED, deals=1, seed=s).events for s in (1, 1, 2))
    assert first == again
    assert first != other


def greedy(state: State, seat: int = 0) -> object:
    return greedy_bot(state, seat, random.Random(0))


def test_the_greedy_bot_puts_down_what_scores_most() -> None:
    table = SetUp(turn="A", phase="play", hands={"A": "2S 3S 4S KH KD KC 9C"})
    act = greedy(table.state)
    assert isinstance(act, MeldLaid)
    assert act.kind == "group"


def test_the_greedy_bot_discards_the_dearest_card_that_goes_with_no_other() -> None:
    table = SetUp(turn="A", phase="play", hands={"A": "KH QH 9C 4D 4S"})
    assert greedy(table.state) == Discarded(seat=0, card="9C")


def test_the_greedy_bot_takes_of_the_pile_what_goes_down_at_once_and_else_draws() -> None:
    useful = SetUp(turn="A", phase="draw", hands={"A": "8H 9H 2C"}, pile="3D TH")
    assert greedy(useful.state) == PileTaken(seat=0, cards=("TH",))
    useless = SetUp(turn="A", phase="draw", hands={"A": "8H 9H 2C"}, pile="TH 3D KC QC")
    assert greedy(useless.state) == StockDrawn(seat=0, card="??")


def test_the_greedy_bot_calls_when_it_may() -> None:
    table = SetUp(
        turn="A", phase="window", hands={"B": "2C 3D"}, pile="9H 8C", table=["m1:R[5C/A 6C/A 7C/A]"],
        discarder="C",
    )  # fmt: skip
    act = greedy(table.state, 1)
    assert isinstance(act, RummyCalled)
    assert act.card == "8C"
    assert greedy(table.state, 2) is None, "not the discarder"
