"""Places within a deal, and how likely they are: every way of handing out the scores counted out."""

import random
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.places import Places, halves
from projections.significance import LEAST, LEVEL, Moments, hands_needed
from tests.profiles import examples

SCORES = st.integers(-3, 3)


@given(st.lists(SCORES, min_size=2, max_size=8))
def test_places_are_seats_beaten_and_half_the_equals(scores: list[int]):
    beaten = [sum(2 * (mine > other) + (mine == other) for other in scores) - 1 for mine in scores]
    assert list(halves(scores)) == beaten
    assert sum(halves(scores)) == len(scores) * (len(scores) - 1)


@examples(15)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.tuples(SCORES, SCORES, SCORES)), min_size=1, max_size=3
    )
)
def test_the_reference_is_every_way_of_handing_out_the_scores(
    deals: list[tuple[int, tuple[int, int, int]]],
):
    places = Places()
    for dealer, scores in deals:
        places.add(dealer, scores)
    ways = list(product(*(list(permutations(scores)) for _, scores in deals)))
    for found in places.found():
        chances: dict[int, float] = {}
        for way in ways:
            sum_ = sum(halves(scores)[found.position] for scores in way)
            chances[sum_] = chances.get(sum_, 0.0) + 1 / len(ways)
        own = chances[round(2 * found.ahead)]
        wanted = sum(chance for chance in chances.values() if chance <= own * (1 + 1e-9))
        assert found.p_value == pytest.approx(max(LEAST, wanted))


def test_what_is_told_of_a_position():
    places = Places()
    places.add(1, (10, 30, 20))
    places.add(2, (5, 5, 40))
    dealer, first, _ = places.found()
    assert (dealer.position, dealer.deals, dealer.ahead, dealer.rivals) == (0, 2, 4.0, 4)
    assert dealer.score == 35.0
    assert dealer.scores == pytest.approx((20 + 50 / 3) / 2)
    assert (first.ahead, first.expected.mean) == (1.0 + 0.5, 4.0)


def test_a_table_that_has_a_fifth_player_has_a_fourth_position_after_the_dealer():
    places = Places()
    places.add(0, (1, 2, 3))
    places.add(0, (1, 2, 3, 4, 5))
    assert [(one.position, one.deals) for one in places.found()] == [
        *((0, 2), (1, 2), (2, 2)),
        *((3, 1), (4, 1)),
    ]


@pytest.mark.parametrize(("seats", "ties"), [(2, False), (3, True), (5, False)])
def test_deals_in_which_position_does_not_matter_are_seldom_unusual(seats: int, ties: bool):
    rng, rounds, low = random.Random(seats), 150, 0
    for _ in range(rounds):
        places = Places()
        for deal in range(40):
            scores = [rng.randint(0, 3 if ties else 9999) for _ in range(seats)]
            places.add(deal % seats, scores)
        low += next(places.found()).p_value < LEVEL
    assert low / rounds <= 0.09


def test_a_dealer_who_is_ahead_more_often_is_seen_in_about_the_promised_number_of_deals():
    """Every other seat is behind him with a chance of 0.6, one draw of his luck deciding each deal."""
    rng, seats, edge, rounds, shown = random.Random(4), 4, 0.1, 150, 0
    spread = Moments((seats * seats - 1) / 12)
    deals = hands_needed(spread, edge * (seats - 1), 1, step=0.5)
    # Of two normal numbers, one lifted by this, the lifted one is the larger with a chance of 0.6.
    lift = 0.3583
    for _ in range(rounds):
        places = Places()
        for _ in range(deals):
            luck = [rng.gauss(0, 1) + (lift if seat == 0 else 0) for seat in range(seats)]
            places.add(0, [round(1000 * one) for one in luck])
        shown += next(places.found()).p_value < LEVEL
    assert 0.68 < shown / rounds < 0.90
