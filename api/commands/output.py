"""How commands speak: tables for eyes, tab-separated lines for pipes, progress on standard error.

Control characters never reach a terminal: names come from files that strangers wrote.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import msgspec

Row = Sequence[object]


def table(columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Print rows: with a heading on a terminal, as plain lines with tabs in a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            line("\t".join(_plain(cell) for cell in row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(columns):
        # The first column names what the row is about: never cut, so that it can be copied.
        shown.add_column(name, no_wrap=number == 0, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(_plain(cell)) for cell in row))
    Console().print(shown)


def line(text: str) -> None:
    """Print a line on standard output."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """Print a line for the person at the machine, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def as_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    line(msgspec.json.encode(value).decode())


@contextmanager
def progress(what: str, total: int | None) -> Iterator["Bar"]:
    """Show a bar while something long is done; None as total where the end is not known."""
    if not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield _RichBar(shown, shown.add_task(what, total=total))


@contextmanager
def watched(file: IO[bytes], what: str) -> Iterator["Watched"]:
    """Give the file again, with a bar that shows how much of it was read."""
    status = os.fstat(file.fileno())
    total = status.st_size if stat.S_ISREG(status.st_mode) else None
    with progress(what, total) as bar:
        yield Watched(file, bar)


class Bar:
    """A bar that nobody sees."""

    def step(self, count: int = 1) -> None:
        """Say that so much more is done."""

    def total(self, count: int) -> None:
        """Say how much there is to do in all, where that was not known before."""


class Watched:
    """A binary file that says how far its reader is: as much of a file as the formats need."""

    def __init__(self, file: IO[bytes], bar: Bar) -> None:
        self._file = file
        self._bar = bar

    def read(self, size: int = -1) -> bytes:
        """Read as a file does."""
        return self._told(self._file.read(size))

    def readline(self, limit: int = -1) -> bytes:
        """Read a line as a file does."""
        return self._told(self._file.readline(limit))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _told(self, found: bytes) -> bytes:
        self._bar.step(len(found))
        return found


class _RichBar(Bar):
    def __init__(self, shown: Any, task: Any) -> None:
        self._shown = shown
        self._task = task

    def step(self, count: int = 1) -> None:
        self._shown.advance(self._task, count)

    def total(self, count: int) -> None:
        self._shown.update(self._task, total=count)


def _plain(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
