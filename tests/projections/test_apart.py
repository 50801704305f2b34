"""What is left of a dealer's scores: the least squares that a textbook gives, blind to players and positions."""

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.apart import FEWEST_LEFT, Apart, Deal, Left
from projections.places import halves
from projections.significance import LEVEL, Moments, hands_needed
from tests.profiles import examples


def found(games: Sequence[tuple[int, int, Sequence[Deal]]]) -> list[Left]:
    apart = Apart()
    for seats, dealer, deals in games:
        apart.add(seats, dealer, deals)
    return list(apart.found())


def played(
    rng: random.Random, seats: int, deals: int, lift: float = 0.0, **by: float
) -> list[Deal]:
    """A game with players of different strength (`skill`), whose dealers' left has it better (`position`).

    `lift` is what seat 0 has when it deals, beyond all that, in spreads of a deal's luck.
    """
    skill = [by.get("skill", 0) * (seat - (seats - 1) / 2) for seat in range(seats)]
    log: list[Deal] = []
    for deal in range(deals):
        dealer = deal % seats
        luck = [
            rng.gauss(0, 1)
            + skill[seat]
            + by.get("position", 0) * ((seat - dealer) % seats == 1)
            + lift * (seat == dealer == 0)
            for seat in range(seats)
        ]
        log.append((dealer, halves([round(1000 * one) for one in luck])))
    return log


def by_the_textbook(games: Sequence[Sequence[Deal]], seats: int, dealer: int) -> list[Fraction]:
    """Solve the normal equations with a column for every seat of every game; the last of each kind is nought."""
    rows: list[list[Fraction]] = []
    results: list[Fraction] = []
    for number, deals in enumerate(games):
        for by, places in deals:
            for seat, place in enumerate(places):
                row = [Fraction(0)] * (len(games) * seats + 2 * (seats - 1))
                row[number * seats + seat] = Fraction(1)
                position = (seat - by) % seats
                for at in range(seats - 1):
                    effect = Fraction((position == at) - (position == seats - 1))
                    row[len(games) * seats + at] = effect
                    row[len(games) * seats + seats - 1 + at] = effect * (by == dealer)
                rows.append(row)
                results.append(Fraction(place - (seats - 1)))
    size = len(rows[0])
    nought = Fraction(0)
    matrix = [
        [sum((row[a] * row[b] for row in rows), nought) for b in range(size)]
        + [sum((row[a] * y for row, y in zip(rows, results, strict=True)), nought)]
        for a in range(size)
    ]
    for at in range(size):
        best = next(row for row in range(at, size) if matrix[row][at])
        matrix[at], matrix[best] = matrix[best], matrix[at]
        matrix[at] = [value / matrix[at][at] for value in matrix[at]]
        for other in range(size):
            if other != at and matrix[other][at]:
                factor = matrix[other][at]
                matrix[other] = [
                    x - factor * y for x, y in zip(matrix[other], matrix[at], strict=True)
                ]
    free = [row[-1] for row in matrix[-(seats - 1) :]]
    return [*free, -sum(free, nought)]


@examples(6)
@given(st.integers(3, 4), st.integers(0, 10**6))
def test_it_is_the_least_squares_of_the_textbook(seats: int, seed: int):
    rng = random.Random(seed)
    games = [played(rng, seats, rng.randint(24, 30)) for _ in range(2)]
    wanted = by_the_textbook(games, seats, 0)
    own = sum(by == 0 for deals in games for by, _ in deals)
    left = found([(seats, 0, deals) for deals in games])
    assert [one.surplus for one in left] == pytest.approx(
        [float(value) * own / 2 for value in wanted], abs=1e-7
    )
    assert sum(one.surplus for one in left) == pytest.approx(0, abs=1e-7)


@examples(20)
@given(st.integers(0, 10**6), st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_what_players_and_positions_bring_alters_nothing(seed: int, brings: list[int]):
    """The places of these deals go up by what the seat and by what the position brings, however much."""
    rng, seats = random.Random(seed), 3
    deals = played(rng, seats, 60)
    skill, gain = brings[:3], brings[3:]
    moved = [
        (by, tuple(p + skill[s] + gain[(s - by) % seats] for s, p in enumerate(places)))
        for by, places in deals
    ]
    for one, other in zip(found([(3, 0, deals)]), found([(3, 0, moved)]), strict=True):
        assert one.surplus == pytest.approx(other.surplus, abs=1e-6)


def test_where_the_parts_cannot_be_told_apart_nothing_is_said():
    rng = random.Random(1)
    assert found([(2, 0, played(rng, 2, 200))]) == []
    assert found([(4, 0, [(0, places) for _, places in played(rng, 4, 200)])]) == []
    assert found([]) == []
    few = FEWEST_LEFT // 3
    assert found([(4, 0, played(rng, 4, few))]) == []


def test_tables_of_different_sizes_are_fitted_each_for_itself_and_added_up():
    rng = random.Random(2)
    three, four = (3, 0, played(rng, 3, 90)), (4, 1, played(rng, 4, 80))
    both, alone, other = found([three, four]), found([three]), found([four])
    assert [one.deals for one in both] == [50, 50, 50, 20]
    for whole, left, right in zip(both, alone, other, strict=False):
        assert whole.surplus == pytest.approx(left.surplus + right.surplus)
        assert whole.variance == pytest.approx(left.variance + right.variance)


@pytest.mark.parametrize("skill", [0.0, 0.3])
def test_strong_players_and_good_positions_are_seldom_taken_for_the_dealers(skill: float):
    rng, rounds, low, numbers = random.Random(9), 60, 0, 0
    for _ in range(rounds):
        games = [(4, 0, played(rng, 4, 24, skill=skill, position=skill)) for _ in range(5)]
        for one in found(games):
            low += one.p_value < LEVEL
            numbers += 1
    assert numbers == 4 * rounds
    assert low / numbers <= 0.07


def test_a_dealer_with_more_luck_is_seen_in_about_the_promised_number_of_deals():
    rng, seats, edge, rounds, shown = random.Random(5), 4, 0.15, 60, 0
    (usual, *_) = found([(seats, 0, played(rng, seats, 400))])
    deals = hands_needed(Moments(usual.variance / usual.deals), (edge - 0.02) * (seats - 1), 1)
    lift = (
        0.5449  # of two normal numbers, the one lifted by this is the larger with a chance of 0.65
    )
    for _ in range(rounds):
        (dealer, *_) = found([(seats, 0, played(rng, seats, deals * seats, lift, skill=0.2))])
        shown += dealer.p_value < LEVEL
    assert 0.65 < shown / rounds < 0.95
