"""A replay that leaves old deals out ends where one that goes through everything does, whatever the record says."""

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.common import Dealt, GameOpened, Shuffled
from events.game import fold, fold_from
from events.rummy500.carry import skip
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import PRESETS
from tests.simulate import RUMMY, play


def step_by_step(events: list[RummyEvent]) -> object:
    opened = events[0]
    assert isinstance(opened, GameOpened)
    return fold_from(RUMMY, RUMMY.initial(opened), events[1:])


@cache
def three_deals(seed: int) -> tuple[RummyEvent, ...]:
    return tuple(play(seed, 3, deals=3))


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_version_of_a_game_is_the_same_both_ways(preset: str) -> None:
    events = play(7, 3, PRESETS[preset], deals=3, mode="recorded")

    for version in range(1, len(events) + 1, 3):
        assert fold(RUMMY, events, version) == step_by_step(events[:version])


@given(seed=st.integers(0, 2**32), cuts=st.integers(1, 60))
def test_a_record_with_events_lost_doubled_and_out_of_place_is_the_same_both_ways(
    seed: int, cuts: int
) -> None:
    rng = random.Random(seed)
    first, *events = three_deals(seed % 8)
    for _ in range(cuts):
        event = events.pop(rng.randrange(len(events)))
        if rng.random() < 0.5:
            events.insert(rng.randrange(len(events) + 1), event)
    log = [first, *events[: rng.randrange(len(events) + 1)]]

    assert fold(RUMMY, log) == step_by_step(log)


def test_deals_before_the_last_one_are_left_out() -> None:
    events = play(1, 3, deals=3)
    opened = events[0]
    assert isinstance(opened, GameOpened)
    shuffles = [index for index, event in enumerate(events) if isinstance(event, Shuffled)]

    _, taken = skip(RUMMY.initial(opened), events[1:])

    assert 1 + taken == shuffles[2]


def test_a_deal_that_is_not_turned_up_does_not_say_everything_anew() -> None:
    events = play(1, 3, deals=2)
    opened = events[0]
    assert isinstance(opened, GameOpened)
    shuffles = [index for index, event in enumerate(events) if isinstance(event, Shuffled)]
    log = events[: shuffles[1] + 2]
    assert isinstance(log[-1], Dealt)

    _, taken = skip(RUMMY.initial(opened), log[1:])

    assert 1 + taken == shuffles[0]
