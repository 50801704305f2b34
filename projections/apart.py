"""What is left of the scores at one player's deals, when positions and players are allowed for.

Pure arithmetic. Who sits to a dealer's left is always the same person, who may simply play well; and a position
may bring something of itself. So places (`projections.places`, in halves, around their mean) are taken as

    what the seat brings in this game + what the position brings + what the position brings when this one deals

and noise, by least squares over all deals of the games in which the dealer sits. Only the third part is asked
for: nought is expected of it, whatever the other two are, as long as they add up. Places do so only nearly, so
a surplus up to TOLERANCE is never held against chance. Tables of each number of seats have positions of their
own. Where the parts cannot be told apart, as at tables of two, nothing is said.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import mul
from typing import Final

import msgspec

from projections.places import Halves
from projections.significance import normal_p

Row = list[float]
Deal = tuple[int, Halves]
"""Who dealt, by seat, and the places by seat."""

FEWEST_DEALS: Final = 10
FEWEST_LEFT: Final = 30
"""Fewest deals of the dealer, and fewest degrees of freedom left, for which the normal approximation is used."""
TOLERANCE: Final = 0.02
"""How much more often ahead of another seat is passed over: what parts that do not quite add up can feign."""
_SINGULAR: Final = 1e-9


class Left(msgspec.Struct, frozen=True):
    """What is left at a position over the dealer's own deals, in seats: more than was to be expected, in all."""

    position: int
    deals: int
    rivals: int
    ahead: float
    surplus: float
    variance: float

    @property
    def p_value(self) -> float:
        """The two-sided p-value of a surplus beyond the tolerance."""
        beyond = max(0.0, abs(self.surplus) - TOLERANCE * self.rivals)
        return normal_p(beyond, self.variance)


class Apart:
    """Adds up games, one after another, in constant memory."""

    def __init__(self) -> None:
        self._tables: dict[int, _Table] = {}

    def add(self, seats: int, dealer: int, deals: Sequence[Deal]) -> None:
        """Add a game with its deals; *dealer* is the seat of the player who is asked about."""
        self._tables.setdefault(seats, _Table(seats)).add(dealer, deals)

    def found(self) -> Iterator[Left]:
        """Yield what is left at each position, in order."""
        sums: dict[int, Left] = {}
        for table in self._tables.values():
            for one in table.found():
                before = sums.get(one.position)
                sums[one.position] = one if before is None else _both(before, one)
        for position in sorted(sums):
            yield sums[position]


def _both(one: Left, other: Left) -> Left:
    return Left(
        one.position,
        one.deals + other.deals,
        one.rivals + other.rivals,
        one.ahead + other.ahead,
        one.surplus + other.surplus,
        one.variance + other.variance,
    )


class _Table:
    """Least squares for tables of one size: the sums of squares and products, seats taken out game by game.

    Positions and their surplus each add up to nought, so the last one is what the others leave.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self._free = 2 * (seats - 1)
        self._products = [[0.0] * self._free for _ in range(self._free)]
        self._sums = [0.0] * self._free
        self._squares = 0.0
        self._left = 0
        self._own = 0
        self._ahead: Counter[int] = Counter()

    def add(self, dealer: int, deals: Sequence[Deal]) -> None:
        if len({by for by, _ in deals}) < 2:
            return
        seats, middle = self.seats, self.seats - 1
        counts = Counter(by for by, _ in deals)
        sums = {by: [0.0] * seats for by in counts}
        for by, places in deals:
            for seat, place in enumerate(places):
                sums[by][seat] += place - middle
                self._squares += (place - middle) ** 2
                if by == dealer:
                    self._ahead[(seat - dealer) % seats] += place
        for seat in range(seats):
            whole = sum(row[seat] for row in sums.values())
            self._squares -= whole * whole / len(deals)
            self._add_seat(seat, dealer, counts, {by: row[seat] for by, row in sums.items()})
        self._left += (len(deals) - 1) * middle
        self._own += counts[dealer]

    def _add_seat(
        self, seat: int, dealer: int, counts: Counter[int], sums: dict[int, float]
    ) -> None:
        rows = {by: self._row((seat - by) % self.seats, own=by == dealer) for by in counts}
        deals = counts.total()
        middle = [
            sum(counts[by] * row[at] for by, row in rows.items()) / deals
            for at in range(self._free)
        ]
        for by, row in rows.items():
            centred = [one - mean for one, mean in zip(row, middle, strict=True)]
            for at, one in enumerate(centred):
                self._sums[at] += one * sums[by]
                products = self._products[at]
                for other, value in enumerate(centred):
                    products[other] += counts[by] * one * value

    def _row(self, position: int, *, own: bool) -> Row:
        last = self.seats - 1
        row = [float(position == at) - float(position == last) for at in range(last)]
        return row + (row if own else [0.0] * last)

    def found(self) -> Iterator[Left]:
        inverse = _inverse(self._products)
        left = self._left - self._free
        if inverse is None or left < FEWEST_LEFT or self._own < FEWEST_DEALS:
            return
        fit = [_dot(row, self._sums) for row in inverse]
        noise = max(0.0, self._squares - _dot(fit, self._sums)) / left
        for position in range(self.seats):
            wanted = self._row(position, own=False)[: self.seats - 1]
            contrast = [0.0] * (self.seats - 1) + wanted
            spread = noise * _dot(contrast, [_dot(row, contrast) for row in inverse])
            own, surplus = self._own, _dot(contrast, fit)
            yield Left(
                position=position,
                deals=own,
                rivals=own * (self.seats - 1),
                ahead=self._ahead[position] / 2,
                surplus=own * surplus / 2,
                variance=own * own * spread / 4,
            )


def _dot(one: Row, other: Row) -> float:
    return math.fsum(map(mul, one, other))


def _inverse(matrix: Sequence[Row]) -> list[Row] | None:
    """Return the inverse, None if there is none or next to none (Gauss and Jordan, the largest pivot first)."""
    size = len(matrix)
    rows = [[*row, *(float(at == other) for other in range(size))] for at, row in enumerate(matrix)]
    limit = _SINGULAR * max(abs(value) for row in matrix for value in row)
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        if abs(rows[best][at]) <= limit:
            return None
        rows[at], rows[best] = rows[best], rows[at]
        pivot = rows[at][at]
        rows[at] = [value / pivot for value in rows[at]]
        for other in range(size):
            factor = rows[other][at]
            if other != at and factor:
                rows[other] = [
                    value - factor * mine for value, mine in zip(rows[other], rows[at], strict=True)
                ]
    return [row[size:] for row in rows]
