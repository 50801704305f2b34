"""The store beside PostgreSQL alone and the package `eventsourcing`: append, record, import, replay.

The contestants take turns, round after round, so that noise hits all of them alike.

Figures are medians; a first round warms everything up and does not count.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, LiteralString, TypeVar

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
from api.bench.place import Place, tidy

CLIENTS: Final = (1, 8, 32)
_MEN: Final = 8
"""Clients that act in every other row."""
T = TypeVar("T")

_EVERYONE: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS)
_READERS: Final[tuple[Name, ...]] = (LANTERLOG, PLAIN, RIVAL)
_GROUP: Final = 10
"""Replays in a row, before it is the next one's turn."""
_SAME_ROWS: Final = (
    "TRUNCATE public.plain",
    "INSERT INTO public.plain SELECT * FROM lanterlog.events",
)
_TABLES: Final[dict[tuple[Name, ...], LiteralString]] = {
    (LANTERLOG,): "SELECT count(*) FROM lanterlog.events",
    (PLAIN,): "SELECT count(*) FROM public.plain",
    (RIVAL, RIVAL_FUNCTIONS): "SELECT count(*) FROM archive_events",
}
"""Where the events of each are counted; the last two share a table."""


def measure(means: Means) -> list[Row]:
    """Return every row of the table, in its order. Raises BenchError, StoreError."""
    place, size, say = means.server, means.size, means.say
    say(f"starting {max(CLIENTS)} clients")
    prepare(place)
    with clients(place, max(CLIENTS), size.scripts) as crowd:
        acknowledged: Counter[Name] = Counter()
        appended = [
            row
            for number in CLIENTS
            for row in _stored(crowd, size, say, "append", number, acknowledged)
        ]
        lost = _lost(place, acknowledged)
        recorded = [
            _stored(crowd, size, say, "record", number, acknowledged)[0] for number in (1, _MEN)
        ]
        imported = [_imported(crowd, size, say, number) for number in (1, 2)]
        tidy(place, *_SAME_ROWS)
        say(f"replay, {size.replays} times")
        both = _as_they_come(*imported)
        return [*appended, lost, *recorded, *imported, both, *_replayed(crowd, size)]


def _stored(
    crowd: Clients, size: Size, say: Say, kind: Kind, number: int, acknowledged: Counter[Name]
) -> list[Row]:
    """Return how many events a second, and how long each of them took."""
    say(f"{kind}, {number} client{'s' if number > 1 else ''}")
    took: dict[Name, list[float]] = {}

    def take(name: Name, turn: int) -> float:
        found = crowd.burst(name, kind, number, size.seconds)
        acknowledged[name] += found.acknowledged
        if turn > 0:
            took.setdefault(name, []).extend(found.took)
        return found.rate

    rates = _rates(f"{kind}_{number}", _EVERYONE, size.rounds, take)
    return [rates, *_ranks(f"{kind}_{number}", took)]


def _ranks(key: str, took: Mapping[Name, list[float]]) -> list[Row]:
    ranks = {name: statistics.quantiles(found, n=100) for name, found in took.items()}
    return [
        Row(f"{key}_p{rank}", "ms", {name: found[rank - 1] for name, found in ranks.items()}, {})
        for rank in (50, 99)
    ]


def _lost(place: Place, acknowledged: Counter[Name]) -> Row:
    """Return how far the events that are there differ from those that were acknowledged, this way or that."""
    figures: dict[str, float] = {}
    with place.connect() as conn:
        for names, count in _TABLES.items():
            if any(missing(name) for name in names):
                continue
            row = conn.execute(count).fetchone()
            assert row is not None
            for name in names:
                figures[name] = abs(sum(acknowledged[one] for one in names) - row[0])
    return Row("append_lost", "events", figures, {})


def _imported(crowd: Clients, size: Size, say: Say, number: int) -> Row:
    say(f"import, {number} client{'s' if number > 1 else ''}")
    return _rates(
        f"import_{number}",
        _EVERYONE,
        size.rounds,
        lambda name, _: crowd.bring_in(name, size.games, number),
    )


def _as_they_come(one: Row, two: Row) -> Row:
    """Return how each imports who leaves it as it is: ours by a process a core, all others by one."""
    return Row("import", "events/s", one.figures | {LANTERLOG: two.figures[LANTERLOG]}, {})


def _replayed(crowd: Clients, size: Size) -> list[Row]:
    """Each run another game, for all contestants the same one."""
    groups = in_turns(
        _READERS,
        size.replays // _GROUP,
        lambda name, turn: crowd.replays(name, turn * _GROUP, _GROUP),
    )
    times = {name: [one for group in found for one in group] for name, found in groups.items()}
    return _ranks("replay", times)


def _rates(key: str, names: Sequence[Name], rounds: int, take: Callable[[Name, int], float]) -> Row:
    found = in_turns(names, rounds, take)
    medians: dict[str, float] = {n: statistics.median(rates) for n, rates in found.items()}
    return Row(key, "events/s", medians, dict(found.items()))


def in_turns(
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
        **{
            f"append_{number}{key}": f"append, {number} client{'s' if number > 1 else ''}{what}"
            for number in CLIENTS
            for key, what in (("", ""), ("_p50", ", p50"), ("_p99", ", p99"))
        },
        "append_lost": "appends lost or doubled",
        "record_1": "read, judge, append, 1 client",
        "record_8": "read, judge, append, 8 clients",
        "import_1": "bulk import, 1 client",
        "import_2": "bulk import, 2 clients",
        "import": "bulk import, ours by 2, others by 1",
        "replay_p50": "replay of 250 events, p50",
        "replay_p99": "replay of 250 events, p99",
    },
    heads={
        LANTERLOG: "Lanterlog",
        PLAIN: "PostgreSQL alone",
        RIVAL: "eventsourcing",
        RIVAL_FUNCTIONS: "eventsourcing, SQL functions",
    },
    steps=9,
    measure=measure,
    needs_server=True,
    targets=(
        Target("append_8", PLAIN, 1 / 2, "append, 8 clients: at least half of PostgreSQL alone"),
        Target("append_8", RIVAL, 2.5, "append, 8 clients: at least 2.5 times eventsourcing"),
        Target("append_lost", None, 0, "appends: none lost, none doubled"),
        Target("import", PLAIN, 0.4, "bulk import on two cores: at least 40 % of a binary COPY"),
        Target("import_1", RIVAL, 8, "bulk import, 1 client: at least 8 times eventsourcing"),
        Target("replay_p50", RIVAL, 15, "replay: at least 15 times as fast as eventsourcing"),
        Target("replay_p50", PLAIN, 1 / 3, "replay: at most 3 times a bare SELECT"),
    ),
    notes=(
        "Clients are processes; each stores events of its own game, one a commit. Medians of the rounds; ms of all rounds together.",
        "With one client a slow disk makes all alike: PostgreSQL alone shows how many commits it takes.",
        "PostgreSQL alone: psycopg, prepared and binary, one plain table; imports by binary COPY. Nothing is judged, chained or folded.",
        "eventsourcing: Aggregate and Application with the defaults, then with SQL functions switched on. It judges nothing.",
        "Imports are whole games of 250 events, 10,000 events a transaction, 2,000 of eventsourcing, which waits for ever with more; ours chains them, and the database works every link out again.",
    ),
)
