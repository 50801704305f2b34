"""The store beside PostgreSQL alone and the package `eventsourcing`: append, record, import, replay, audit.

The contestants take turns, round after round, so that noise hits all of them alike.

Figures are medians; a first round warms everything up and does not count.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

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
from api.bench.group import Group, Means, Row, Say, Size, Target
from api.bench.place import tidy

CLIENTS: Final = 8
T = TypeVar("T")

_EVERYONE: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS)
_READERS: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL)
_GROUP: Final = 10
"""Replays in a row, before it is the next one's turn."""
_SAME_ROWS: Final = (
    "TRUNCATE public.plain",
    "INSERT INTO public.plain SELECT * FROM lanterlog.events",
)


def measure(means: Means) -> list[Row]:
    """Return every row of the table, in its order. Raises BenchError, StoreError."""
    place, size, say = means.server, means.size, means.say
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
    medians: dict[str, float] = {n: statistics.median(rates) for n, rates in found.items()}
    return Row(key, "events/s", medians, dict(found.items()))


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


GROUP: Final = Group(
    name="store",
    titles={
        "append_1": "append, 1 client",
        "append_8": "append, 8 clients",
        "record_1": "read, judge, append, 1 client",
        "record_8": "read, judge, append, 8 clients",
        "import": "bulk import",
        "replay_p50": "replay of 250 events, p50",
        "replay_p99": "replay of 250 events, p99",
        "audit": "audit of the archive, 1 process",
    },
    heads={
        LANTERLOG: "Lanterlog",
        PLAIN: "PostgreSQL alone",
        RIVAL: "eventsourcing",
        RIVAL_FUNCTIONS: "eventsourcing, SQL functions",
    },
    steps=8,
    measure=measure,
    needs_server=True,
    targets=(
        Target("append_1", RIVAL, 2, "append, 1 client: at least 2 times eventsourcing"),
        Target("append_8", RIVAL, 2, "append, 8 clients: at least 2 times eventsourcing"),
        Target("replay_p50", RIVAL, 10, "replay: at least 10 times as fast as eventsourcing"),
        Target("replay_p50", PLAIN, 1 / 4, "replay: at most 4 times a bare SELECT"),
        Target("audit", None, 60_000, "audit: at least 60,000 events/s"),
    ),
    notes=(
        "Clients are processes; each stores events of its own game, one a commit. Medians of the rounds.",
        "With one client a slow disk makes all alike: PostgreSQL alone shows how many commits it takes.",
        "PostgreSQL alone: psycopg, prepared and binary, one plain table; nothing is judged, folded or audited.",
        "eventsourcing: Aggregate and Application with the defaults, then with SQL functions switched on.",
        "It judges nothing, and instead of an audit it only reads and decodes.",
    ),
)
