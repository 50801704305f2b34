"""Scores by position: how often each position came out ahead of the others at its table, and how likely that was.

Pure. What counts is the place within the deal, not the points, so one deal weighs as much as another whatever
was played for. A seat is ahead of another seat with more points in the same deal; equals are half ahead of each
other. The reference is exact: the scores of each deal are taken as they are, and every way of handing them to
the positions of that deal is equally likely. That holds where neither the position nor who sits there matters.
Position 0 is the dealer, 1 the player to the dealer's left.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from projections.significance import Sum, total

Halves = tuple[int, ...]
"""For each seat, twice the number of seats that it was ahead of, equals counting one."""


class Place(msgspec.Struct, frozen=True):
    """A position over many deals: seats that it was ahead of, what was to be expected, and points a deal.

    `rivals` are the seats that it could have been ahead of, `score` and `scores` the points of the position and
    of the average seat at the same tables, a deal.
    """

    position: int
    deals: int
    ahead: float
    rivals: int
    expected: Sum
    score: float
    scores: float

    @property
    def p_value(self) -> float:
        """The two-sided p-value of how often it was ahead."""
        return self.expected.p_value(round(2 * self.ahead))


def halves(scores: Sequence[int]) -> Halves:
    """Return the places of a deal, by seat."""
    row = sorted(scores)
    times, first = Counter(row), dict[int, int]()
    for at, score in enumerate(row):
        first.setdefault(score, at)
    return tuple(2 * first[score] + times[score] - 1 for score in scores)


class Places:
    """Adds up deals, one after another, in constant memory."""

    def __init__(self) -> None:
        self._deals: dict[int, Counter[Halves]] = {}
        self._seen: Counter[int] = Counter()
        self._points: Counter[int] = Counter()
        self._means: dict[int, float] = {}

    def add(self, dealer: int, scores: Sequence[int]) -> None:
        """Add a deal, of which every seat's score is known."""
        seats, found = len(scores), halves(scores)
        kind, mean = tuple(sorted(found)), sum(scores) / seats
        for position in range(seats):
            seat = (dealer + position) % seats
            self._deals.setdefault(position, Counter())[kind] += 1
            self._seen[position] += found[seat]
            self._points[position] += scores[seat]
            self._means[position] = self._means.get(position, 0.0) + mean

    def found(self) -> Iterator[Place]:
        """Yield what each position came to, in order."""
        for position, kinds in sorted(self._deals.items()):
            deals = kinds.total()
            yield Place(
                position=position,
                deals=deals,
                ahead=self._seen[position] / 2,
                rivals=sum((len(kind) - 1) * times for kind, times in kinds.items()),
                expected=total((_chances(kind), times) for kind, times in kinds.items()),
                score=self._points[position] / deals,
                scores=self._means[position] / deals,
            )


def _chances(kind: Halves) -> list[float]:
    """Return the chance of each place, if every seat of the deal is equally likely to have it."""
    times = Counter(kind)
    return [times[at] / len(kind) for at in range(max(kind) + 1)]
