"""The table: rows of figures, what they were to reach, and how both are printed. Measures nothing."""

from typing import Final, Literal

import msgspec
from rich.console import Console
from rich.table import Table

from api.bench.contest import LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS, Name

Unit = Literal["events/s", "ms"]

TITLES: Final = {
    "append_1": "append, 1 client",
    "append_8": "append, 8 clients",
    "record_1": "read, judge, append, 1 client",
    "record_8": "read, judge, append, 8 clients",
    "import": "bulk import",
    "replay_p50": "replay of 250 events, p50",
    "replay_p99": "replay of 250 events, p99",
    "audit": "audit of the archive, 1 process",
}
HEADS: Final[dict[Name, str]] = {
    LANTERLOG: "Lanterlog",
    PLAIN: "PostgreSQL alone",
    RIVAL: "eventsourcing",
    RIVAL_FUNCTIONS: "eventsourcing, SQL functions",
}
HOW_TO_INSTALL: Final = (
    "eventsourcing is not installed: make bench, or pip install 'lanterlog[bench]'"
)
NOTES: Final = (
    "Clients are processes; each stores events of its own game, one a commit.",
    "With one client a slow disk makes all alike: PostgreSQL alone shows how many commits it takes.",
    "PostgreSQL alone: psycopg, prepared and binary, one plain table; nothing is judged, folded or audited.",
    "eventsourcing: Aggregate and Application with the defaults, then with SQL functions switched on.",
    "It judges nothing, and instead of an audit it only reads and decodes.",
)


class Row(msgspec.Struct, frozen=True):
    """One measurement: a figure for each contestant, and the rounds that it is the median of."""

    key: str
    unit: Unit
    figures: dict[Name, float]
    rounds: dict[Name, list[float]]

    def times(self, other: Name) -> float | None:
        """How many times as fast as another contestant ours is."""
        if other not in self.figures:
            return None
        ours, theirs = self.figures[LANTERLOG], self.figures[other]
        return theirs / ours if self.unit == "ms" else ours / theirs


class Target(msgspec.Struct, frozen=True):
    """A figure to reach: at least so many times as fast as another, or so many a second."""

    row: str
    against: Name | None
    least: float
    text: str


class Verdict(msgspec.Struct, frozen=True):
    """Whether a target is reached, None if the other one is not installed."""

    target: Target
    found: float | None
    reached: bool | None


TARGETS: Final = (
    Target("append_1", RIVAL, 2, "append, 1 client: at least 2 times eventsourcing"),
    Target("append_8", RIVAL, 2, "append, 8 clients: at least 2 times eventsourcing"),
    Target("replay_p50", RIVAL, 10, "replay: at least 10 times as fast as eventsourcing"),
    Target("replay_p50", PLAIN, 1 / 4, "replay: at most 4 times a bare SELECT"),
    Target("audit", None, 60_000, "audit: at least 60,000 events/s"),
)


class Report(msgspec.Struct, frozen=True):
    """One run of the bench; `seconds` is how long it took."""

    rows: list[Row]
    settings: dict[str, str]
    quick: bool
    seconds: float

    @property
    def lacks_rival(self) -> bool:
        """Whether the package that is compared with was not there."""
        return RIVAL not in self.rows[0].figures

    def verdicts(self) -> list[Verdict]:
        """Every target with what was found."""
        rows = {row.key: row for row in self.rows}
        return [_verdict(target, rows[target.row]) for target in TARGETS]


def _verdict(target: Target, row: Row) -> Verdict:
    found = row.figures[LANTERLOG] if target.against is None else row.times(target.against)
    return Verdict(target, found, None if found is None else found >= target.least)


def as_json(report: Report) -> bytes:
    """The whole report, rounds included."""
    rows = [
        {
            "key": row.key,
            "title": TITLES[row.key],
            "unit": row.unit,
            "figures": row.figures,
            "times": {name: row.times(name) for name in row.figures if name != LANTERLOG},
            "rounds": row.rounds,
        }
        for row in report.rows
    ]
    verdicts = [
        {"target": one.target.text, "found": one.found, "reached": one.reached}
        for one in report.verdicts()
    ]
    return msgspec.json.format(
        msgspec.json.encode(
            {
                "quick": report.quick,
                "seconds": report.seconds,
                "server": report.settings,
                "rows": rows,
                "targets": verdicts,
                "notes": NOTES,
            }
        )
    )


def as_lines(report: Report) -> str:
    """Tab-separated lines for a pipe: the table, then the targets."""
    lines = ["\t".join(_heads()), *("\t".join(_cells(row)) for row in report.rows)]
    return "\n".join([*lines, *("\t".join(_told(one)) for one in report.verdicts())]) + "\n"


def show(report: Report, console: Console) -> None:
    """The table for a terminal."""
    table = Table(title="lanterlog bench", caption=_caption(report), caption_justify="left")
    for number, head in enumerate(_heads()):
        table.add_column(head, justify="right" if number > 0 else "left")
    for row in report.rows:
        table.add_row(*_cells(row))
    console.print(table)
    colours = {"reached": "green", "missed": "red"}
    for _, text, found, word in map(_told, report.verdicts()):
        console.print(
            f"  {text}: {found}, [{colours.get(word, 'yellow')}]{word}[/]", highlight=False
        )


def _heads() -> list[str]:
    names = list(HEADS)
    return ["", "unit", *HEADS.values(), *(f"x {HEADS[name]}" for name in names[1:])]


def _cells(row: Row) -> list[str]:
    figures = [_figure(row, name) for name in HEADS]
    times = [_times(row.times(name)) for name in list(HEADS)[1:]]
    return [TITLES[row.key], row.unit, *figures, *times]


def _figure(row: Row, name: Name) -> str:
    if name not in row.figures:
        return "not installed" if RIVAL not in row.figures else "-"
    figure = row.figures[name]
    return f"{figure:.3f}" if row.unit == "ms" else f"{figure:,.0f}"


def _times(found: float | None) -> str:
    return "-" if found is None else f"{found:.2f}"


def _told(one: Verdict) -> tuple[str, str, str, str]:
    found = one.found or 0
    shown = f"{found:,.0f}" if found >= 1000 else f"{found:.2f}"
    word = {True: "reached", False: "missed", None: "not measured"}[one.reached]
    return "target", one.target.text, "-" if one.found is None else shown, word


def _caption(report: Report) -> str:
    server = ", ".join(f"{name} {value}" for name, value in report.settings.items())
    notes = (*NOTES, *([HOW_TO_INSTALL] if report.lacks_rival else []))
    return "\n".join([f"{server}; {report.seconds:.0f} s in all", *notes])
