"""Audit reports as lines of a file: kept, found again, counted. Makes none, and knows no database.

The file is what `lanterlog audit --all --json` prints, after a first line that says on which terms it was made.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Literal
from uuid import UUID

import msgspec

from events.errors import BadUsage
from events.formats import lines_of
from events.version import ENGINE
from projections.explain import Language

LONGEST: Final = 64 * 1024 * 1024
"""Bytes of a line, which is the report of one game."""


class Terms(msgspec.Struct, frozen=True, omit_defaults=False):
    """How the archive is judged: by which preset (None: each game by its own), as which engine, told in which language."""

    ruleset: str | None = None
    engine: Literal["recorded", "newest"] = "newest"
    lang: Language = "en"
    program: str = ENGINE


class Told(msgspec.Struct, frozen=True):
    """As much of a finding as is counted."""

    code: str
    rule: str


class Line(msgspec.Struct, frozen=True):
    """As much of a report as is listed and counted, and the whole of it as `text`."""

    game_id: UUID
    game: str
    ruleset: str
    deals: int
    events: int
    findings: list[Told]
    unchecked: list[Told]
    verdict: str
    head: str
    text: bytes = b""


class Count(msgspec.Struct):
    """What some games came to."""

    games: int = 0
    events: int = 0
    breaches: int = 0
    unchecked: int = 0


class Tally(msgspec.Struct):
    """All games together, by the rules they are judged by, and by the codes that were found in them.

    Rulesets are named with their game before them, codes with their rule after them.
    """

    games: int = 0
    events: int = 0
    breaches: int = 0
    unchecked: int = 0
    rulesets: dict[str, Count] = {}
    codes: dict[str, Count] = {}

    def counting(self, lines: Iterator[Line]) -> Iterator[Line]:
        """Give the same lines, each counted."""
        for line in lines:
            self._add(line)
            yield line

    def in_words(self) -> str:
        """Return the sums in a line."""
        return f"{self.games} games, {self.events} events, {self.breaches} breaches, {self.unchecked} unchecked"

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Give a row a ruleset, then one a code, the most frequent first."""
        for what, counts in (("ruleset", self.rulesets), ("code", self.codes)):
            order = sorted(counts.items(), key=lambda item: (-item[1].breaches, item[0]))
            for name, one in order:
                events = one.events if what == "ruleset" else ""
                yield what, name, one.games, events, one.breaches, one.unchecked

    def _add(self, line: Line) -> None:
        breaches, unchecked = len(line.findings), len(line.unchecked)
        name = f"{line.game} {line.ruleset}"
        for one in (self, self.rulesets.setdefault(name, Count())):
            one.games += 1
            one.events += line.events
            one.breaches += breaches
            one.unchecked += unchecked
        for kind, found in (("breaches", line.findings), ("unchecked", line.unchecked)):
            for told in found:
                code = self.codes.setdefault(f"{told.code} {told.rule}", Count())
                setattr(code, kind, getattr(code, kind) + 1)
        for name in {f"{told.code} {told.rule}" for told in (*line.findings, *line.unchecked)}:
            self.codes[name].games += 1


_LINE = msgspec.json.Decoder(Line)


def read_line(text: bytes) -> Line:
    """Return a report that was written as a line; raises msgspec.DecodeError if it is none."""
    return msgspec.structs.replace(_LINE.decode(text), text=text)


class Kept:
    """Reports in a file, which grows by those that are added; without a file none are kept."""

    def __init__(self, lines: dict[UUID, Line], file: IO[bytes] | None) -> None:
        self._lines = lines
        self._file = file

    def has(self, game_id: UUID, head: bytes) -> bool:
        """Whether there is a report of this game as it is now."""
        line = self._lines.get(game_id)
        return line is not None and line.head == head.hex()

    def take(self, game_id: UUID, head: bytes) -> Line | None:
        """Return the report of this game as it is now, if there is one; once."""
        return self._lines.pop(game_id) if self.has(game_id, head) else None

    def add(self, line: Line) -> Line:
        """Keep a new report, and return it."""
        if self._file is not None:
            self._file.write(line.text + b"\n")
        return line


@contextmanager
def kept_in(name: str | None, terms: Terms) -> Iterator[Kept]:
    """Give the reports of a file, which is made if it is not there; raise BadUsage if it was made on other terms."""
    if name is None:
        yield Kept({}, None)
        return
    path = Path(name)
    with path.open("a+b") as file:
        file.seek(0)
        lines, end = _read(file, path, terms)
        file.truncate(end)
        file.seek(0, 2)
        if not end:
            file.write(msgspec.json.encode(_first(terms)) + b"\n")
        yield Kept(lines, file)


def report_lines(file: IO[bytes], name: object) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file of reports with their numbers, ends included; BadUsage for one that is none by its length."""
    for number, text in enumerate(lines_of(file, LONGEST), 1):
        if len(text) > LONGEST:
            raise BadUsage(f"{name}, line {number}: no audit report: over {LONGEST} bytes")
        yield number, text


@contextmanager
def refusing(name: object, number: int) -> Iterator[None]:
    """Turn what decoding a line says into a BadUsage with its place."""
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadUsage(f"{name}, line {number}: no audit report: {error}") from error


def _read(file: IO[bytes], path: Path, terms: Terms) -> tuple[dict[UUID, Line], int]:
    """Return the newest report of each game, and where the last whole line ends.

    Half a line is what a killed run leaves. At the beginning it has to be half of ours: a file of
    something else may be a single line without an end, and what is behind the place returned is cut off.
    """
    lines: dict[UUID, Line] = {}
    end = 0
    for number, text in report_lines(file, path):
        half = not text.endswith(b"\n")
        if half and (number > 1 or msgspec.json.encode(_first(terms)).startswith(text)):
            break
        with refusing(path, number):
            if number == 1:
                _check_terms(path, msgspec.json.decode(text), terms)
            else:
                line = read_line(text.rstrip(b"\n"))
                lines[line.game_id] = line
        end += len(text)
    return lines, end


def _first(terms: Terms) -> dict[str, Any]:
    return {"t": "audits"} | msgspec.structs.asdict(terms)


def _check_terms(path: Path, found: Any, terms: Terms) -> None:
    if found != _first(terms):
        shown = msgspec.json.encode(found).decode()[:200]
        wanted = msgspec.json.encode(_first(terms)).decode()
        raise BadUsage(f"{path} holds {shown}, expected {wanted}, or a new file")
