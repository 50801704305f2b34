"""What a group of measures is made of: its rows, its columns, what they are to reach. Measures and prints nothing.

A new measure is a row of a group, a new group a module with a `GROUP`, listed in `groups.py`.
"""

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from api.bench.place import Place
from events.errors import BenchError

OURS: Final = "lanterlog"
"""The column that is measured; every other one is what stands beside it."""
Unit = Literal["events/s", "games/s", "ms", "bytes/event", "events"]
LESS_IS_BETTER: Final[frozenset[Unit]] = frozenset({"ms", "bytes/event", "events"})

Say = Callable[[str], None]
"""Told what is measured next."""


class Size(msgspec.Struct, frozen=True):
    """How much is measured: rounds of so many seconds, games a round, different games, replays, hands.

    `growth` are the numbers of events that the archive grows to, `load` is how many seconds the service is under load.
    """

    rounds: int
    seconds: float
    games: int
    scripts: int
    replays: int
    hands: int
    growth: tuple[int, ...]
    load: float = 60.0


FULL: Final = Size(
    rounds=5,
    seconds=0.7,
    games=40,
    scripts=20,
    replays=1000,
    hands=10,
    growth=(10_000, 100_000, 1_000_000),
)
QUICK: Final = Size(
    rounds=2,
    seconds=0.15,
    games=4,
    scripts=4,
    replays=50,
    hands=2,
    growth=(2_000, 20_000),
    load=4,
)
LARGE: Final = 10_000_000


class Row(msgspec.Struct, frozen=True):
    """One measurement: a figure for each column, and the rounds that it was taken from."""

    key: str
    unit: Unit
    figures: dict[str, float]
    rounds: dict[str, list[float]]

    def times(self, other: str) -> float | None:
        """How many times as good as another column ours is."""
        if other not in self.figures:
            return None
        ours, theirs = self.figures[OURS], self.figures[other]
        if not ours or not theirs:
            return None
        return theirs / ours if self.unit in LESS_IS_BETTER else ours / theirs


class Target(msgspec.Struct, frozen=True):
    """A figure to reach: at least so many times as good as another column, or so many a second.

    Against nobody, and of a unit of which less is better, `least` is the most that it may be.
    """

    row: str
    against: str | None
    least: float
    text: str


class Means(msgspec.Struct, frozen=True):
    """What a group measures with."""

    size: Size
    say: Say
    place: Place | None = None

    @property
    def server(self) -> Place:
        """The server, of a group that needs one."""
        if self.place is None:
            raise BenchError("a group without a server, expected needs_server=True")
        return self.place


class Group(msgspec.Struct, frozen=True):
    """Measures that belong together: one table.

    `titles` are the rows and `heads` the columns by their keys, in order, `OURS` first; `measure` may leave rows
    and columns out. `steps` is how often it tells what it measures next.
    """

    name: str
    titles: dict[str, str]
    heads: dict[str, str]
    steps: int
    measure: Callable[[Means], list[Row]]
    needs_server: bool = False
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()
