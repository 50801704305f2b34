"""Sums of independent numbers: exact against every case counted out, corrected as the books say, honest about power."""

import random
from itertools import combinations, product
from math import comb, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.hypergeometric import Draw, expected
from projections.significance import (
    LEAST,
    LEVEL,
    WIDEST,
    hands_needed,
    holm,
    normal_p,
    total,
)


@given(st.data())
def test_a_hands_chances_are_counted_over_all_hands(data: st.DataObject):
    pack = data.draw(st.integers(1, 9))
    draw = Draw(pack, data.draw(st.integers(0, pack)), data.draw(st.integers(0, pack)))
    counts = [0] * (min(draw.special, draw.hand) + 1)
    for hand in combinations(range(pack), draw.hand):
        counts[sum(card < draw.special for card in hand)] += 1
    assert draw.chances() == pytest.approx([n / comb(pack, draw.hand) for n in counts])
    mean = sum(k * chance for k, chance in enumerate(draw.chances()))
    assert draw.mean == pytest.approx(mean)
    spread = sum((k - mean) ** 2 * chance for k, chance in enumerate(draw.chances()))
    assert draw.variance == pytest.approx(spread)


LAWS = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)


@given(st.lists(st.tuples(LAWS, st.integers(1, 2)), min_size=1, max_size=3), st.integers(0, 18))
def test_p_values_are_those_of_every_case_counted_out(
    given_: list[tuple[list[int], int]], seen: int
):
    """Each law's numbers are weights: the chance of 0, 1 and so on."""
    rows = [[weight / sum(law) for weight in law] for law, times in given_ for _ in range(times)]
    chances: dict[int, float] = {}
    for picked in product(*map(enumerate, rows)):
        chance = 1.0
        for _, part in picked:
            chance *= part
        value = sum(at for at, _ in picked)
        chances[value] = chances.get(value, 0.0) + chance
    own = chances.get(seen, 0.0)
    wanted = sum(chance for chance in chances.values() if chance <= own * (1 + 1e-9))
    whole = total(([w / sum(law) for w in law], times) for law, times in given_)
    assert whole.p_value(seen) == pytest.approx(max(LEAST, wanted))
    assert whole.mean == pytest.approx(sum(value * chance for value, chance in chances.items()))


@given(st.integers(1, 30), st.integers(1, 12))
def test_many_hands_add_up(times: int, special: int):
    whole = expected({Draw(52, special, 7): times, Draw(51, special, 13): 2})
    assert whole.exact is not None
    assert sum(whole.exact) == pytest.approx(1)
    mean = sum((whole.lowest + k) * chance for k, chance in enumerate(whole.exact))
    assert mean == pytest.approx(whole.mean)


def test_what_cannot_be_has_no_chance_and_the_likeliest_is_never_unusual():
    whole = expected({Draw(52, 4, 13): 20})
    assert whole.p_value(81) == LEAST
    assert whole.p_value(80) == LEAST
    assert whole.p_value(20) == pytest.approx(1)


def test_where_exactness_ends_the_approximation_agrees():
    draw = Draw(52, 4, 13)
    hands = int(WIDEST**2 / draw.variance)
    exact, beyond = expected({draw: hands}), expected({draw: hands + 1})
    assert exact.exact is not None
    assert beyond.exact is None
    for z in (-4, -3, -1, 0, 2, 3.5):
        seen = round(exact.mean + z * sqrt(exact.variance))
        rough = normal_p(seen - exact.mean, exact.variance, step=1.0)
        assert exact.p_value(seen) == pytest.approx(rough, rel=0.12)
    assert beyond.p_value(hands) == normal_p(hands - beyond.mean, beyond.variance, step=1.0)


def test_holms_correction_is_his():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=30))
def test_a_corrected_number_is_never_more_unusual_and_keeps_its_rank(p_values: list[float]):
    corrected = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [q for _, q in pairs] == sorted(corrected)
    assert all(q <= min(1, p * len(p_values)) for p, q in pairs)


def test_a_smaller_bias_takes_more_hands():
    spread = expected({Draw(52, 4, 13): 1}).of_one
    assert hands_needed(spread, 0.1, 10) > hands_needed(spread, 0.5, 10) > 1
    assert hands_needed(spread, 0.25, 20) > hands_needed(spread, 0.25, 1)


def test_a_distance_of_nothing_is_nothing_unusual():
    assert normal_p(0.4, 1.0, step=1.0) == 1
    assert normal_p(5.0, 0.0) == 1
    assert normal_p(1.959964, 1.0) == pytest.approx(0.05, abs=1e-6)
    assert normal_p(99.0, 1.0) == LEAST


@pytest.mark.parametrize("tests", [1, 18])
def test_the_promised_number_of_hands_shows_the_bias_about_as_often_as_promised(tests: int):
    """Hands with a planted ace now and then, at the level that one of so many numbers has."""
    rng, draw, bias = random.Random(tests), Draw(52, 4, 7), 0.25
    law = draw.chances()
    usual = expected({draw: 1}).of_one
    hands = hands_needed(usual, bias, tests, step=1.0, more=bias * (1 - bias))
    whole, shown, rounds = expected({draw: hands}), 0, 400
    for _ in range(rounds):
        aces = sum(rng.choices(range(len(law)), law, k=hands))
        aces += sum(rng.random() < bias for _ in range(hands))
        shown += whole.p_value(aces) < LEVEL / tests
    assert 0.70 < shown / rounds < 0.88
