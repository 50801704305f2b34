"""The command: its options, its run from start to end, and what it prints where.

The table goes to standard output, progress to standard error; a missed target is no failure.
"""

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from api.bench.group import FULL, LARGE, QUICK, Group, Means
from api.bench.groups import chosen
from api.bench.machine import described, load
from api.bench.place import Place, temporary
from api.bench.report import HOW_TO_INSTALL, Part, Report, as_json, as_lines, as_markdown, show

INTERRUPTED: Final = 130
TERMINATED: Final = 143


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--quick", action="store_true", help="a rough run, in a few seconds")
    parser.add_argument(
        "--only", action="append", metavar="GROUP", help="one group of measures; may be repeated"
    )
    parser.add_argument("--large", action="store_true", help="let the archive grow to 10^7 events")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the tables for a page")


def main(args: argparse.Namespace) -> int:
    """Measure and print; return 0, or 130 after Ctrl-C. Raises BenchError, BadUsage, EmbeddedError, StoreError."""
    groups = chosen(args.only or ())
    try:
        with _ending_in_order():
            report = run(groups, quick=args.quick, large=args.large)
    except KeyboardInterrupt:
        sys.stderr.write("lanterlog: interrupted\n")
        return INTERRUPTED
    if args.markdown:
        sys.stdout.write(as_markdown(report))
    else:
        _print(report, json=args.json)
    return 0


def run(groups: Sequence[Group], *, quick: bool, large: bool = False) -> Report:
    """Measure, what needs one on a server of its own, which is gone afterwards.

    All groups take about eight minutes on two cores with nothing else to do, or two.
    """
    begun, machine = time.monotonic(), described()
    with _progress() as progress, _place(groups) as place:
        task = progress.add_task("starting", total=sum(group.steps for group in groups))

        def say(what: str) -> None:
            progress.update(task, description=what, advance=1)

        size = QUICK if quick else FULL
        if large:
            size = msgspec.structs.replace(size, growth=(*size.growth, LARGE))
        means = Means(size, say, place)
        parts = [Part(group, group.measure(means)) for group in groups]
    settings = {} if place is None else place.settings
    machine["load at the end"] = load()
    return Report(parts, settings, quick, time.monotonic() - begun, machine)


@contextmanager
def _place(groups: Sequence[Group]) -> Iterator[Place | None]:
    """A server if any of these groups needs one."""
    if not any(group.needs_server for group in groups):
        yield None
        return
    with temporary() as place:
        yield place


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Clean up after SIGTERM too, and exit with the code that shells know it by."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _progress() -> Progress:
    columns = (TextColumn("{task.description:30}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _print(report: Report, *, json: bool) -> None:
    if json:
        sys.stdout.write(as_json(report).decode() + "\n")
    elif sys.stdout.isatty():
        show(report, Console())
    else:
        sys.stdout.write(as_lines(report))
        if report.lacks_rival:
            sys.stderr.write(HOW_TO_INSTALL + "\n")
