"""Whoever is to be killed dies, however little work there was for him: a test of it never waits for ever."""

import random
from typing import Any

import pytest

from tests.faults.victims import MOST_WAITS, killed


class Always(random.Random):
    """Chance that always gives the same fuse."""

    def __init__(self, fuse: int) -> None:
        super().__init__(0)
        self._fuse = fuse

    def choice(self, seq: Any) -> Any:
        return self._fuse


def nothing() -> None:
    """Work that is over at once."""


@pytest.mark.parametrize("fuse", [0, 1, MOST_WAITS])
def test_who_has_nothing_to_do_is_killed_all_the_same(fuse: int) -> None:
    killed(Always(fuse), nothing)
