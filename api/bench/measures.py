"""The measurements: contestants in turns, round after round, so that noise hits all of them alike.

Figures are medians; a first round warms everything up and does not count.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from api.bench.clients import Clients, clients
from api.bench.contest import (
    LANTERLOG,
    PLAIN,
    RIVAL,
    RIVAL_FUNCTIONS,
    Kind,
    Name,
    missing,
    prepare,
)
from api.bench.place import Place, tidy
from api.bench.report import Row

CLIENTS: Final = 8
STEPS: Final = 8
"""How often `Say` is told something."""

Say = Callable[[str], None]
"""Told what is measured next."""
T = TypeVar("T")

_EVERYONE: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS)
_READERS: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL)
_GROUP: Final = 10
"""Replays in a row, before it is the next one's turn."""
_SAME_ROWS: Final = (
    "TRUNCATE public.plain",
    "INSERT INTO public.plain SELECT * FROM lanterlog.events",
)


class Size(msgspec.Struct, frozen=True):
    """How much is measured: rounds of so many seconds, games a round, different games, replays."""

    rounds: int
    seconds: float
    games: int
    scripts: int
    replays: int


FULL: Final = Size(rounds=5, seconds=0.7, games=40, scripts=20, replays=1000)
QUICK: Final = Size(rounds=2, seconds=0.15, games=4, scripts=4, replays=50)


def measure(place: Place, size: Size, say: Say) -> list[Row]:
    """Every row of the table, in its order. Raises BenchError, StoreError."""
    say("starting clients")
    prepare(place)
    with clients(place, CLIENTS, size.scripts) as crowd:
        stored = [
            _stored(crowd, size, say, kind, number)
            for kind in ("append", "record")
            for number in (1, CLIENTS)
        ]
        say("import")
        imported = _imported(crowd, size)
        tidy(place, *_SAME_ROWS)
        say(f"replay, {size.replays} times")
        replayed = _replayed(crowd, size)
        say("audit of the whole archive")
        return [*stored, imported, *replayed, _audited(crowd, size)]


def _stored(crowd: Clients, size: Size, say: Say, kind: Kind, number: int) -> Row:
    say(f"{kind}, {number} client{'s' if number > 1 else ''}")
    return _rates(
        f"{kind}_{number}",
        _EVERYONE,
        size.rounds,
        lambda name, _: crowd.rate(name, kind, number, size.seconds),
    )


def _imported(crowd: Clients, size: Size) -> Row:
    return _rates(
        "import", _EVERYONE, size.rounds, lambda name, _: crowd.bring_in(name, size.games)
    )


def _replayed(crowd: Clients, size: Size) -> list[Row]:
    """Each run another game, for all contestants the same one."""
    groups = _in_turns(
        _READERS,
        size.replays // _GROUP,
        lambda name, turn: crowd.replays(name, turn * _GROUP, _GROUP),
    )
    times = {name: [one for group in found for one in group] for name, found in groups.items()}
    ranks = {name: statistics.quantiles(found, n=100) for name, found in times.items()}
    return [
        Row(f"replay_p{rank}", "ms", {name: found[rank - 1] for name, found in ranks.items()}, {})
        for rank in (50, 99)
    ]


def _audited(crowd: Clients, size: Size) -> Row:
    return _rates("audit", _READERS, size.rounds, lambda name, _: crowd.walk(name))


def _rates(key: str, names: Sequence[Name], rounds: int, take: Callable[[Name, int], float]) -> Row:
    found = _in_turns(names, rounds, take)
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    return Row(key, "events/s", medians, found)


def _in_turns(
    names: Sequence[Name], rounds: int, take: Callable[[Name, int], T]
) -> dict[Name, list[T]]:
    """Take a figure of each that is installed, round after round; each round begins with another one."""
    present = [name for name in names if not missing(name)]
    found: dict[Name, list[T]] = {name: [] for name in present}
    for turn in range(rounds + 1):
        first = turn % len(present)
        for name in (*present[first:], *present[:first]):
            figure = take(name, turn)
            if turn > 0:
                found[name].append(figure)
    return found
