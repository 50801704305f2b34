"""How likely a number of special cards was, when hands were dealt from a well-shuffled pack; exact where it can be.

Pure arithmetic; knows no game. A two-sided p-value is the chance of whatever is at most as likely as what was
seen, if every order of the pack is equally likely.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import comb, sqrt
from statistics import NormalDist
from typing import Final

import msgspec

MOST_EXACT: Final = 4000
"""Largest number of special cards that can have come for which the sum is worked out exactly."""
_NORMAL: Final = NormalDist()


class Draw(msgspec.Struct, frozen=True):
    """One hand: so many cards out of a pack of so many, of which so many are special."""

    pack: int
    special: int
    hand: int

    @property
    def mean(self) -> float:
        """How many special cards such a hand holds on average."""
        return self.hand * self.special / self.pack

    @property
    def variance(self) -> float:
        """The variance of that number."""
        if self.pack < 2:
            return 0.0
        share = self.special / self.pack
        return self.hand * share * (1 - share) * (self.pack - self.hand) / (self.pack - 1)

    def chances(self) -> list[float]:
        """Return the chance of 0, 1, 2 and so on special cards in the hand."""
        whole = comb(self.pack, self.hand)
        most = min(self.special, self.hand)
        others = self.pack - self.special
        return [
            comb(self.special, k) * comb(others, self.hand - k) / whole
            if self.hand - k <= others
            else 0.0
            for k in range(most + 1)
        ]


class Sum(msgspec.Struct, frozen=True):
    """What is to be expected of the special cards in many hands: mean, spread, and how it was worked out."""

    mean: float
    variance: float
    hands: int
    exact: tuple[float, ...] | None

    def p_value(self, seen: int) -> float:
        """Return the two-sided p-value of a number of special cards."""
        if self.exact is not None:
            return _exact_p(self.exact, seen)
        if self.variance <= 0:
            return 1.0
        distance = max(0.0, abs(seen - self.mean) - 0.5)
        return min(1.0, 2 * _NORMAL.cdf(-distance / sqrt(self.variance)))


def expected(draws: Mapping[Draw, int]) -> Sum:
    """Return what is to be expected of hands that were dealt independently, each kind so many times."""
    mean = sum(draw.mean * times for draw, times in draws.items())
    variance = sum(draw.variance * times for draw, times in draws.items())
    most = sum(min(draw.special, draw.hand) * times for draw, times in draws.items())
    exact = tuple(_convolved(draws)) if most <= MOST_EXACT else None
    return Sum(mean, variance, sum(draws.values()), exact)


def _exact_p(chances: Sequence[float], seen: int) -> float:
    if not 0 <= seen < len(chances):
        return 0.0
    limit = chances[seen] * (1 + 1e-9)
    return min(1.0, sum(chance for chance in chances if chance <= limit))


def _convolved(draws: Mapping[Draw, int]) -> list[float]:
    found = [1.0]
    for draw, times in draws.items():
        found = _product(found, _power(draw.chances(), times))
    return found


def _power(chances: list[float], times: int) -> list[float]:
    found, square = [1.0], chances
    while times:
        if times & 1:
            found = _product(found, square)
        times >>= 1
        if times:
            square = _product(square, square)
    return found


def _product(left: Sequence[float], right: Sequence[float]) -> list[float]:
    """Return the distribution of a sum of two independent numbers."""
    found = [0.0] * (len(left) + len(right) - 1)
    for at, chance in enumerate(left):
        if chance > 0.0:
            for step, other in enumerate(right):
                found[at + step] += chance * other
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many were looked at (Holm's step-down method)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = highest
    return corrected


def hands_needed(
    variance: float, bias: float, tests: int, *, level: float = 0.05, power: float = 0.8
) -> int:
    """Return how many hands it takes to see a bias of so many special cards a hand.

    With this chance (*power*), at this level, if so many tests are made.
    """
    far = _NORMAL.inv_cdf(1 - level / max(tests, 1) / 2) + _NORMAL.inv_cdf(power)
    return max(1, -int(-(far * far * variance) // (bias * bias)))


def rank_sum_p(mine: Sequence[float], others: Sequence[float]) -> float:
    """Return the two-sided p-value that one row of numbers tends to be larger or smaller than another.

    Wilcoxon's rank sum with ties, by the normal approximation; 1 where either row is empty.
    """
    if not mine or not others:
        return 1.0
    ranks, ties = _ranks([*mine, *others])
    count, rest = len(mine), len(others)
    whole = count + rest
    mean = count * (whole + 1) / 2
    variance = count * rest / 12 * (whole + 1 - ties / (whole * (whole - 1)))
    if variance <= 0:
        return 1.0
    distance = max(0.0, abs(sum(ranks[:count]) - mean) - 0.5)
    return min(1.0, 2 * _NORMAL.cdf(-distance / sqrt(variance)))


def _ranks(row: Sequence[float]) -> tuple[list[float], float]:
    """Return the rank of each number, equal ones sharing theirs, and the correction for ties."""
    order = sorted(range(len(row)), key=row.__getitem__)
    ranks, ties, first = [0.0] * len(row), 0.0, 0
    for group in _groups(order, row):
        rank = first + (len(group) + 1) / 2
        for index in group:
            ranks[index] = rank
        ties += len(group) ** 3 - len(group)
        first += len(group)
    return ranks, ties


def _groups(order: Sequence[int], row: Sequence[float]) -> Iterable[list[int]]:
    group: list[int] = []
    for index in order:
        if group and row[index] != row[group[0]]:
            yield group
            group = []
        group.append(index)
    if group:
        yield group
