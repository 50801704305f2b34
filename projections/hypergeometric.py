"""How many special cards a hand holds that was dealt from a well-shuffled pack.

Pure arithmetic; knows no game.
"""

from collections.abc import Mapping
from math import comb

import msgspec

from projections.significance import Sum, total


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
