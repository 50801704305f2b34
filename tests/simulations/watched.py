"""A table whose every event is watched by laws, and games of any options to put at it.

A law is a function over (state before, event, state after); it raises AssertionError. Which ones there are is the
business of each game's file.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import Phase, settings

from api.simulation import Order, Table

Law = Callable[[Any, Any, Any], None]

QUICK_SHARDS, QUICK_GAMES = 4, 25
NIGHTLY_SHARDS, NIGHTLY_GAMES = 8, 250


class WatchedTable(Table):
    """A table of bots that asks every law after every event, and some dearer ones now and then.

    *sampled* is asked of about every *every*-th state in which players act.
    """

    def __init__(
        self,
        order: Order,
        laws: Sequence[Law],
        sampled: Callable[[Any, random.Random], None],
        every: int,
    ) -> None:
        super().__init__(order, 1)
        self._laws = laws
        self._sampled = sampled
        self._every = every
        self._chance = order.chance(1, "samples")

    def _act(self, act: Any) -> None:
        if self._chance.random() * self._every < 1:
            self._sampled(self.state, self._chance)
        super()._act(act)

    def _take(self, event: Any) -> None:
        before = self.state
        super()._take(event)
        for law in self._laws:
            law(before, self.events[-1], self.state)


def exactly(count: int) -> settings:
    """Return the settings of a test that draws so many games, whatever the profile; there is little to shrink."""
    return settings(max_examples=count, phases=(Phase.explicit, Phase.reuse, Phase.generate))
