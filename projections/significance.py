"""How likely a sum of many independent numbers was, and what is left of that when many sums are looked at.

Pure arithmetic; knows no game and no cards. A two-sided p-value is the chance of whatever is at most as likely as
what was seen. It is exact, by convolution, as long as the sum does not spread too far, and a normal
approximation with correction for continuity beyond.
"""

from collections.abc import Iterable, Sequence
from math import ceil, fsum, sqrt
from operator import mul
from statistics import NormalDist
from typing import Final

import msgspec

LEVEL: Final = 0.05
"""Corrected p-values below this are called unusual."""
POWER: Final = 0.8
"""The chance with which a bias is to be seen, where it is told how many hands that takes."""
LEAST: Final = 1e-15
"""Smallest p-value that is told: chances far below are left out on the way."""
WIDEST: Final = 40.0
"""Largest standard deviation of a sum that is worked out exactly."""
_NEGLIGIBLE: Final = 1e-22
_NORMAL: Final = NormalDist()
_Law = tuple[int, list[float]]
"""The lowest number that can come, and the chances of it and of those that follow."""


class Moments(msgspec.Struct, frozen=True):
    """Variance and third central moment."""

    variance: float
    third: float = 0.0


class Sum(msgspec.Struct, frozen=True):
    """What is to be expected of a sum: mean, spread, of how many numbers; its chances from `lowest` on, if exact."""

    mean: float
    variance: float
    third: float
    hands: int
    lowest: int = 0
    exact: tuple[float, ...] | None = None

    @property
    def of_one(self) -> Moments:
        """The moments of one of the numbers, on average."""
        return Moments(self.variance / self.hands, self.third / self.hands)

    def p_value(self, seen: int) -> float:
        """Return the two-sided p-value of a sum, at least LEAST."""
        if self.exact is None:
            return normal_p(seen - self.mean, self.variance, step=1.0)
        at = seen - self.lowest
        if not 0 <= at < len(self.exact):
            return LEAST
        limit = self.exact[at] * (1 + 1e-9)
        return _told(sum(chance for chance in self.exact if chance <= limit))


def total(parts: Iterable[tuple[Sequence[float], int]]) -> Sum:
    """Return what is to be expected of a sum: each part is the chances of 0, 1, 2 and so on, and how many there are."""
    kept = [(chances, times) for chances, times in parts if times > 0]
    hands = sum(times for _, times in kept)
    mean = variance = third = 0.0
    for chances, times in kept:
        middle = sum(at * chance for at, chance in enumerate(chances))
        mean += times * middle
        variance += times * _moment(chances, middle, 2)
        third += times * _moment(chances, middle, 3)
    if variance > WIDEST * WIDEST:
        return Sum(mean, variance, third, hands)
    lowest, exact = _convolved(kept)
    return Sum(mean, variance, third, hands, lowest, tuple(exact))


def normal_p(distance: float, variance: float, *, step: float = 0.0) -> float:
    """Return the two-sided p-value of a distance from the mean; *step* lies between two values that can come."""
    if variance <= 0:
        return 1.0
    return _told(2 * _NORMAL.cdf(-max(0.0, abs(distance) - step / 2) / sqrt(variance)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many were looked at.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979): whatever the numbers have to do with one another, the chance that one of those that are only chance
    falls below a level is at most that level.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = highest
    return corrected


def hands_needed(
    hand: Moments, bias: float, tests: int, *, step: float = 0.0, more: float = 0.0
) -> int:
    """Return how many hands it takes to see a bias of so much a hand, *hand* being what one gives by chance.

    With the chance POWER, at LEVEL, if so many tests are made (each at its share of the level, which is what
    Holm's method asks of the first). *step* lies between two sums that can come, *more* is the variance that
    the bias itself adds to a hand. A normal approximation, corrected for skewness by Cornish and Fisher.
    """
    z = _NORMAL.inv_cdf(1 - LEVEL / max(tests, 1) / 2)
    wide = z * sqrt(hand.variance) + _NORMAL.inv_cdf(POWER) * sqrt(hand.variance + more)
    fixed = step / 2
    if hand.variance > 0:
        fixed += max(0.0, hand.third / hand.variance) * (z * z - 1) / 6
    root = (wide + sqrt(wide * wide + 4 * bias * fixed)) / (2 * bias)
    return max(1, ceil(root * root))


def _moment(chances: Sequence[float], middle: float, power: int) -> float:
    return fsum((at - middle) ** power * chance for at, chance in enumerate(chances))


def _told(p_value: float) -> float:
    return min(1.0, max(LEAST, p_value))


def _convolved(parts: Iterable[tuple[Sequence[float], int]]) -> _Law:
    found: _Law = (0, [1.0])
    for chances, times in parts:
        found = _product(found, _power((0, list(chances)), times))
    return found


def _power(law: _Law, times: int) -> _Law:
    found, square = (0, [1.0]), law
    while times:
        if times & 1:
            found = _product(found, square)
        times >>= 1
        if times:
            square = _product(square, square)
    return found


def _product(one: _Law, other: _Law) -> _Law:
    """Return the chances of a sum of two independent numbers, without ends that are next to impossible."""
    left, right = one[1], other[1][::-1]
    last = len(right) - 1
    sums = [
        sum(map(mul, left[max(0, at - last) : at + 1], right[max(0, last - at) :]))
        for at in range(len(left) + last)
    ]
    first, end = 0, len(sums)
    while end > 1 and sums[end - 1] < _NEGLIGIBLE:
        end -= 1
    while first < end - 1 and sums[first] < _NEGLIGIBLE:
        first += 1
    return one[0] + other[0] + first, sums[first:end]
