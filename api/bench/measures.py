"""The measurements: contestants in turns, round after round, so that noise hits all of them alike.

Figures are medians; a first round warms everything up and does not count.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

import msgspec

from api.bench.clients import Clients, clients
from api.bench.contest import (
    LANTERLOG,
    PLAIN,
    RIVAL,
    RIVAL_FUNCTIONS,
    Contestant,
    Kind,
    Name,
    enter,
    missing,
    prepare,
)
from api.bench.place import Place, tidy
from api.bench.report import Row
from api.bench.scripts import Script, scripts

CLIENTS: Final = 8
_EVERYONE: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS)
_SAME_ROWS: Final = (
    "TRUNCATE public.plain",
    "INSERT INTO public.plain SELECT * FROM lanterlog.events",
)

Say = Callable[[str], None]
"""Told what is measured next."""


class Size(msgspec.Struct, frozen=True):
    """How much is measured: rounds of so many seconds, games a round and in all, replays."""

    rounds: int
    seconds: float
    games: int
    scripts: int
    replays: int


FULL: Final = Size(rounds=5, seconds=0.7, games=40, scripts=20, replays=1000)
QUICK: Final = Size(rounds=2, seconds=0.15, games=4, scripts=4, replays=50)
STEPS: Final = 8
"""How often `Say` is told something."""


def measure(place: Place, size: Size, say: Say) -> list[Row]:
    """Every row of the table, in its order. Raises BenchError, StoreError."""
    say("starting clients")
    prepare(place)
    with clients(place, CLIENTS) as crowd:
        rows = [
            _stored(crowd, size, say, kind, number)
            for kind in ("append", "record")
            for number in (1, CLIENTS)
        ]
    entered = {name: enter(name, place) for name in _present(_EVERYONE)}
    try:
        return rows + _alone(place, entered, size, say)
    finally:
        for contestant in entered.values():
            contestant.close()


def _stored(crowd: Clients, size: Size, say: Say, kind: Kind, number: int) -> Row:
    say(f"{kind}, {number} client{'s' if number > 1 else ''}")
    rates = _in_turns(
        _present(_EVERYONE),
        size.rounds,
        lambda name: crowd.rate(name, kind, number, size.seconds),
    )
    key = f"{kind}_{number}"
    return Row(key, "events/s", _medians(rates), rates)


def _alone(place: Place, entered: dict[Name, Contestant], size: Size, say: Say) -> list[Row]:
    """What one process does: import, replay, audit."""
    say("making up games")
    games = scripts(size.scripts, CLIENTS)
    ids: dict[Name, list[UUID]] = {name: [] for name in entered}
    say("import")
    imported = _imported(entered, games, ids, size)
    tidy(place, *_SAME_ROWS)
    ids[PLAIN] = ids[LANTERLOG]
    say(f"replay, {size.replays} times")
    replayed = _replayed(entered, ids, size)
    say("audit of the whole archive")
    return [imported, *replayed, _audited(entered, size)]


def _imported(
    entered: dict[Name, Contestant],
    games: Sequence[Script],
    ids: dict[Name, list[UUID]],
    size: Size,
) -> Row:
    batch = [games[number % len(games)] for number in range(size.games)]
    events = sum(len(script.events) for script in batch)

    def rate(name: Name) -> float:
        begun = time.perf_counter()
        ids[name] += entered[name].bring_in(batch)
        return events / (time.perf_counter() - begun)

    rates = _in_turns(list(entered), size.rounds, rate)
    return Row("import", "events/s", _medians(rates), rates)


def _replayed(
    entered: dict[Name, Contestant], ids: dict[Name, list[UUID]], size: Size
) -> list[Row]:
    """Each run another game, for all contestants the same one."""
    runs = iter(range((size.replays + 1) * len(entered)))

    def milliseconds(name: Name) -> float:
        known = ids[name]
        game_id = known[next(runs) // len(names) % len(known)]
        begun = time.perf_counter()
        entered[name].replay(game_id)
        return (time.perf_counter() - begun) * 1000

    names: list[Name] = [name for name in entered if name != RIVAL_FUNCTIONS]
    times = _in_turns(names, size.replays, milliseconds)
    ranks = {name: statistics.quantiles(found, n=100) for name, found in times.items()}
    return [
        Row(f"replay_p{rank}", "ms", {name: ranks[name][rank - 1] for name in names}, {})
        for rank in (50, 99)
    ]


def _audited(entered: dict[Name, Contestant], size: Size) -> Row:
    def rate(name: Name) -> float:
        begun = time.perf_counter()
        return entered[name].walk() / (time.perf_counter() - begun)

    names: list[Name] = [name for name in entered if name != RIVAL_FUNCTIONS]
    rates = _in_turns(names, size.rounds, rate)
    return Row("audit", "events/s", _medians(rates), rates)


def _in_turns(
    names: Sequence[Name], rounds: int, take: Callable[[Name], float]
) -> dict[Name, list[float]]:
    """Take a figure of each, round after round; each round begins with another one."""
    found: dict[Name, list[float]] = {name: [] for name in names}
    for turn in range(rounds + 1):
        first = turn % len(names)
        for name in (*names[first:], *names[:first]):
            figure = take(name)
            if turn > 0:
                found[name].append(figure)
    return found


def _medians(found: dict[Name, list[float]]) -> dict[Name, float]:
    return {name: statistics.median(figures) for name, figures in found.items()}


def _present(names: Sequence[Name]) -> list[Name]:
    return [name for name in names if not missing(name)]
