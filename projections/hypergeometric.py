"""How many special cards a hand holds that was dealt from a well-shuffled pack.

Pure arithmetic; knows no game.
"""

from collections.abc import Mapping
from math import comb, fsum
from typing import Final

import msgspec

from projections.significance import Sum, total

_SHOWN: Final = 0.05
"""Fewest hands expected of a count for which it is still listed."""


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


def expected(draws: Mapping[Draw, int]) -> Sum:
    """Return what is to be expected of hands that were dealt independently, each kind so many times."""
    return total((draw.chances(), times) for draw, times in draws.items())


def hands_by_count(draws: Mapping[Draw, int], most: int) -> tuple[float, ...]:
    """Return how many hands are expected to hold 0, 1, 2 and so on, up to *most* and as far as any are expected."""
    rows = [(draw.chances(), times) for draw, times in draws.items()]
    longest = max((len(chances) for chances, _ in rows), default=0)
    found = [
        fsum(chances[at] * times for chances, times in rows if at < len(chances))
        for at in range(max(longest, most + 1))
    ]
    while len(found) > most + 1 and found[-1] < _SHOWN:
        found.pop()
    return tuple(found)
