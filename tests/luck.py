"""What the service shuffles by in tests: chance, another one in every run, which can be had again.

A run's seed is LANTERLOG_TEST_SEED, or made up; a test that fails tells it, and shuffles the same way alone.
Services that are processes of their own shuffle as they always do.
"""

import os
import random

from events import recorder

SEED = os.environ.setdefault("LANTERLOG_TEST_SEED", str(random.randrange(1_000_000)))
"""In the environment, where the run's other processes find it."""

_chance = random.Random()
recorder._SHUFFLE = _chance.shuffle  # type: ignore[misc]


def begin(test: str) -> None:
    """Begin anew for a test, so that it does not depend on those before."""
    _chance.seed(f"{SEED} {test}")
