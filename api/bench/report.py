"""The report: a table for each group, what its figures were to reach, and how both are printed. Measures nothing."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from api.bench.contest import RIVAL
from api.bench.group import LESS_IS_BETTER, OURS, Group, Row, Target

HOW_TO_INSTALL: Final = (
    "eventsourcing is not installed: make bench, or pip install 'lanterlog[bench]'"
)


class Verdict(msgspec.Struct, frozen=True):
    """Whether a target is reached, None if what it is about was not there."""

    target: Target
    found: float | None
    reached: bool | None


class Part(msgspec.Struct, frozen=True):
    """What one group has measured."""

    group: Group
    rows: list[Row]

    @property
    def lacks_rival(self) -> bool:
        """Whether the package that is compared with was to be there and was not."""
        return RIVAL in self.group.heads and not any(RIVAL in row.figures for row in self.rows)

    def verdicts(self) -> list[Verdict]:
        """Every target of the group with what was found."""
        rows = {row.key: row for row in self.rows}
        return [_verdict(target, rows.get(target.row)) for target in self.group.targets]


class Report(msgspec.Struct, frozen=True):
    """One run of the bench; `settings` are the server's, if there was one, `seconds` is how long it took."""

    parts: list[Part]
    settings: dict[str, str]
    quick: bool
    seconds: float
    machine: dict[str, str] = {}

    @property
    def lacks_rival(self) -> bool:
        """Whether the package that is compared with was not there."""
        return any(part.lacks_rival for part in self.parts)

    def verdicts(self) -> list[Verdict]:
        """Every target of what was measured."""
        return list(chain.from_iterable(part.verdicts() for part in self.parts))


def _verdict(target: Target, row: Row | None) -> Verdict:
    if row is None:
        return Verdict(target, None, None)
    found = row.figures.get(OURS) if target.against is None else row.times(target.against)
    if found is None:
        return Verdict(target, None, None)
    at_most = target.against is None and row.unit in LESS_IS_BETTER
    return Verdict(target, found, found <= target.least if at_most else found >= target.least)


def as_json(report: Report) -> bytes:
    """The whole report, rounds included."""
    told = {
        "quick": report.quick,
        "seconds": report.seconds,
        "server": report.settings,
        "machine": report.machine,
        "rows": [_row_told(part.group, row) for part in report.parts for row in part.rows],
        "targets": [
            {"target": one.target.text, "found": one.found, "reached": one.reached}
            for one in report.verdicts()
        ],
        "notes": [note for part in report.parts for note in part.group.notes],
    }
    return msgspec.json.format(msgspec.json.encode(told))


def _row_told(group: Group, row: Row) -> dict[str, Any]:
    return {
        "group": group.name,
        "key": row.key,
        "title": group.titles[row.key],
        "unit": row.unit,
        "figures": row.figures,
        "times": {name: row.times(name) for name in row.figures if name != OURS},
        "rounds": row.rounds,
    }


def as_lines(report: Report) -> str:
    """Tab-separated lines for a pipe: the tables, each under its heads, then the targets."""
    lines: list[Sequence[str]] = [("machine", *map(": ".join, report.machine.items()))]
    for part in report.parts:
        lines += [_heads(part.group), *(_cells(part, row) for row in part.rows)]
    lines += [_told(one) for one in report.verdicts()]
    return "".join("\t".join(line) + "\n" for line in lines)


def as_markdown(report: Report) -> str:
    """The same for a page: a table a group, its targets, its notes; columns without a figure are left out."""
    machine = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    server = ", ".join(f"{name} {value}" for name, value in report.settings.items())
    lines = [f"{machine}; {server or 'no server'}; {report.seconds:.0f} s in all."]
    for part in report.parts:
        rows = [_heads(part.group), *(_cells(part, row) for row in part.rows)]
        kept = [
            index for index, cells in enumerate(zip(*rows[1:], strict=True)) if set(cells) != {"-"}
        ]
        shown = [[row[index] for index in kept] for row in rows]
        lines += ["", f"### {part.group.name}", ""]
        ruled = [shown[0], ["---", *["---:"] * (len(kept) - 1)], *shown[1:]]
        lines += ["| " + " | ".join(cells) + " |" for cells in ruled]
        told = map(_told, part.verdicts())
        lines += ["", *(f"- {text}: {found}, {word}" for _, text, found, word in told)]
        lines += ["", " ".join(part.group.notes)]
    return "\n".join(lines) + "\n"


def show(report: Report, console: Console) -> None:
    """The tables for a terminal."""
    for part in report.parts:
        console.print(_table(report, part))
        for _, text, found, word in map(_told, part.verdicts()):
            colour = {"reached": "green", "missed": "red"}.get(word, "yellow")
            console.print(f"  {text}: {found}, [{colour}]{word}[/]", highlight=False)
    machine = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    console.print(f"{report.seconds:.0f} s in all; {machine}", highlight=False)


def _table(report: Report, part: Part) -> Table:
    caption = "\n".join(_caption(report, part))
    table = Table(
        title=f"lanterlog bench: {part.group.name}", caption=caption, caption_justify="left"
    )
    for number, head in enumerate(_heads(part.group)):
        table.add_column(head, justify="right" if number > 0 else "left")
    for row in part.rows:
        table.add_row(*_cells(part, row))
    return table


def _heads(group: Group) -> list[str]:
    beside = [f"x {head}" for name, head in group.heads.items() if name != OURS]
    return ["", "unit", *group.heads.values(), *beside]


def _cells(part: Part, row: Row) -> list[str]:
    figures = [_figure(part, row, name) for name in part.group.heads]
    times = [_times(row.times(name)) for name in part.group.heads if name != OURS]
    return [part.group.titles[row.key], row.unit, *figures, *times]


def _figure(part: Part, row: Row, name: str) -> str:
    if name not in row.figures:
        return "not installed" if part.lacks_rival else "-"
    figure = row.figures[name]
    return (
        f"{figure:,.0f}" if row.unit in ("events/s", "events", "bytes/event") else f"{figure:,.3f}"
    )


def _times(found: float | None) -> str:
    return "-" if found is None else f"{found:.2f}"


def _told(one: Verdict) -> tuple[str, str, str, str]:
    found = one.found or 0
    shown = f"{found:,.0f}" if found >= 1000 else f"{found:.2f}"
    word = {True: "reached", False: "missed", None: "not measured"}[one.reached]
    return "target", one.target.text, "-" if one.found is None else shown, word


def _caption(report: Report, part: Part) -> Iterator[str]:
    if part.group.needs_server:
        yield ", ".join(f"{name} {value}" for name, value in report.settings.items())
    yield from part.group.notes
    if part.lacks_rival:
        yield HOW_TO_INSTALL
