"""The archive as it comes from `/v1/export`: checked line by line while it comes, gone on with where it was cut off.

NDJSON has a position in every part, so a stream that was lost goes on after its last whole part, and what the reader
gets is one file, as if nothing had happened, with one trailer. CSV, table notation and HTML have none: of these a stream
that was lost is a CutOff. Holds one part, or one line, at a time.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec

from api.client_answers import Answer
from api.client_errors import BadAnswer, ClientError, CutOff, Problem, Unreachable, printable
from api.client_wire import Retries
from events.errors import AlteredFile, as_reason
from events.formats.ndjson_lines import (
    EndLine,
    EventLine,
    PartLine,
    WithheldLine,
    check_of,
    decode_line,
    encode_line,
)
from events.formats.ndjson_walk import Walk

Ask = Callable[[int], Answer]
"""Asks for what came after a position."""
Sleep = Callable[[float], None]
_Whole = tuple[PartLine, list[bytes]]
"""The first line of a part, and the others as they came."""


_COMMENT: Final = re.compile(rb"\A(?:# |<!-- )(.*?)(?: -->)?\r?\n?\Z", re.DOTALL)


class Part(msgspec.Struct, frozen=True):
    """One row of the ledger: which game, and its events from then; `position` is the row."""

    about: PartLine
    events: tuple[EventLine | WithheldLine, ...]

    @property
    def position(self) -> int:
        """Where in the ledger it stands."""
        return self.about.position


class Archive(Iterator[bytes]):
    """The lines of an export, line ends included; `position` is where to go on from, None until it is whole.

    Raises CutOff if it was lost for good, BadAnswer if it does not hold.
    """

    def __init__(self, lines: Iterator[tuple[bytes, int | None]]) -> None:
        self._lines = lines
        self.position: int | None = None

    def __next__(self) -> bytes:
        line, self.position = next(self._lines)
        return line


class _Trailer(msgspec.Struct, frozen=True, tag_field="t", tag="end"):
    """What ends CSV and table notation, behind a `#`, and HTML, in a comment."""

    count: int
    sha256: str
    since: int
    position: int


def parts(ask: Ask, since: int, retries: Retries, sleep: Sleep) -> Iterator[Part]:
    """Yield the parts of an archive, each whole and with its chain checked."""
    about: PartLine | None = None
    events: list[EventLine | WithheldLine] = []
    for line in _walked(ask, since, retries, sleep):
        if isinstance(line, PartLine):
            about, events = line, []
        elif isinstance(line, EventLine | WithheldLine):
            events.append(line)
        if about is not None and len(events) == about.events:
            yield Part(about, tuple(events))
            about = None


def ndjson_lines(
    ask: Ask, since: int, retries: Retries, sleep: Sleep
) -> Iterator[tuple[bytes, int | None]]:
    """Yield the lines of an archive as NDJSON, the trailer with the position to go on from."""
    for line in _walked(ask, since, retries, sleep):
        yield encode_line(line), line.position if isinstance(line, EndLine) else None


def table_lines(answer: Answer) -> Iterator[tuple[bytes, int | None]]:
    """Yield the lines of CSV, table notation or HTML, the trailer with the position to go on from."""
    sha, before = sha256(), b""
    try:
        with answer:
            for line in _lines(answer):
                if before:
                    sha.update(before)
                    yield before, None
                before = line
    except Unreachable as error:
        raise CutOff(f"an export that was cut off: {error.reason}") from error
    trailer = _trailer(before)
    if trailer is None:
        raise CutOff("an export without a trailer: it was cut off")
    if trailer.sha256 != sha.hexdigest():
        raise BadAnswer("an export that does not give the hash of its trailer")
    yield before, trailer.position


def _walked(
    ask: Ask, since: int, retries: Retries, sleep: Sleep
) -> Iterator[PartLine | EventLine | WithheldLine | EndLine]:
    try:
        for line in Walk().lines(_one_file(ask, since, retries, sleep)):
            assert isinstance(line, PartLine | EventLine | WithheldLine | EndLine)
            yield line
    except AlteredFile as error:
        raise BadAnswer(f"an export that does not hold: {error}") from error


def _one_file(ask: Ask, since: int, retries: Retries, sleep: Sleep) -> Iterator[bytes]:
    """Yield the lines of one file, however often it was cut off: parts are counted anew, the trailer is our own."""
    sha, games, events = sha256(), 0, 0
    at: int | None = since
    position, attempt = since, 1
    while at is not None:
        try:
            for part in _parts_of(ask, at):
                if isinstance(part, EndLine):
                    at, position = None, part.position or 0
                    break
                about, lines = part
                games, events, attempt = games + 1, events + about.events, 1
                for text in (_numbered(about, games), *lines):
                    sha.update(text)
                    yield text
                at = about.position
        except (Unreachable, CutOff, Problem) as error:
            pause = _pause(retries, attempt, error)
            if pause is None:
                if not games and not isinstance(error, CutOff):
                    raise
                raise CutOff(f"cut off after position {at}: {error}", at) from error
            sleep(pause)
            attempt += 1
    yield encode_line(EndLine(games, events, sha.hexdigest(), since, position))


def _pause(retries: Retries, attempt: int, error: ClientError) -> float | None:
    lost = Unreachable("GET", "export", attempt, str(error)) if isinstance(error, CutOff) else error
    return retries.pause(attempt, lost)


def _parts_of(ask: Ask, since: int) -> Iterator[_Whole | EndLine]:
    """Yield the whole parts of one answer, then its trailer; raise CutOff if that does not come."""
    with ask(since) as answer:
        reading = _Reading(since, answer.bounds.answer)
        for text in _lines(answer):
            found = reading.take(text)
            if found is not None:
                yield found
            if isinstance(found, EndLine):
                return
    raise CutOff("an export without a trailer: it was cut off")


class _Reading:
    """One answer as it is read: how much came up to which position, the hash of it, and the part that is not whole.

    Whether the chains hold is for whoever puts the parts together.
    """

    def __init__(self, since: int, most: int) -> None:
        self._since = self._last = since
        self._most = most
        self._sha = sha256()
        self._games = self._events = self._held = 0
        self._about: PartLine | None = None
        self._texts: list[bytes] = []

    def take(self, text: bytes) -> _Whole | EndLine | None:
        """Return the part that a line makes whole, or the trailer; raise BadAnswer for what cannot stand here."""
        line = _decoded(text)
        if isinstance(line, EndLine):
            return self._ended(line)
        self._sha.update(text)
        self._held += len(text)
        if self._held > self._most:
            raise BadAnswer(f"a part of more than {self._most} bytes, expected a smaller one")
        if isinstance(line, PartLine) == (self._about is not None):
            raise BadAnswer("an export whose events stand in no part, or too few in one")
        if isinstance(line, PartLine):
            self._begin(line)
        else:
            self._texts.append(text)
        return self._whole()

    def _begin(self, line: PartLine) -> None:
        if line.position <= self._last or not line.events:
            raise BadAnswer(
                f"a part at position {line.position}, expected events after {self._last}"
            )
        self._about, self._texts = line, []

    def _whole(self) -> _Whole | None:
        about, texts = self._about, self._texts
        if about is None or len(texts) < about.events:
            return None
        self._last, self._about, self._held = about.position, None, 0
        self._games, self._events = self._games + 1, self._events + about.events
        return about, texts

    def _ended(self, line: EndLine) -> EndLine:
        position = max(self._last, line.position or 0)
        wanted = EndLine(self._games, self._events, self._sha.hexdigest(), self._since, position)
        if self._about is not None or line != wanted:
            raise BadAnswer("an export that does not hold: its trailer is not that of what came")
        return line


def _decoded(text: bytes) -> PartLine | EventLine | WithheldLine | EndLine:
    try:
        line = decode_line(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadAnswer(f"no line of an export: {printable(as_reason(error))}") from error
    if isinstance(line, PartLine | EventLine | WithheldLine | EndLine):
        return line
    raise BadAnswer("a whole game, expected parts of games")


def _numbered(line: PartLine, number: int) -> bytes:
    """Return the line as the *number*-th of its file."""
    if line.number == number:
        return encode_line(line)
    if line.check != check_of(encode_line(line)):
        raise BadAnswer("a part whose first line is not as it was written")
    other = msgspec.structs.replace(line, number=number, check="0" * 64)
    return encode_line(msgspec.structs.replace(other, check=check_of(encode_line(other))))


def _trailer(line: bytes) -> _Trailer | None:
    try:
        return msgspec.json.decode(_COMMENT.sub(rb"\1", line), type=_Trailer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _lines(answer: Answer) -> Iterator[bytes]:
    """Yield whole lines with their ends; raise BadAnswer for one too long, CutOff for a last one without end."""
    most = answer.bounds.line
    waiting = bytearray()
    for chunk in answer.chunks():
        for piece in _pieces(chunk):
            waiting += piece
            if len(waiting) > most:
                raise BadAnswer(f"a line of more than {most} bytes, expected a shorter one")
            if piece.endswith(b"\n"):
                yield bytes(waiting)
                waiting.clear()
    if waiting:
        raise CutOff("an export that ends within a line: it was cut off")


def _pieces(chunk: bytes) -> Iterable[bytes]:
    *ended, rest = chunk.split(b"\n")
    return (*(piece + b"\n" for piece in ended), rest)
