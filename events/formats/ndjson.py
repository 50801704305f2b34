"""Our own NDJSON: games as they are stored, with times, salts and hashes; nothing is lost, nothing added.

Writes, reads and verifies without any database, in constant memory: one line at a time, but for `read`,
which holds one game. Which bytes a line may have is said in ndjson_lines.py, which line may stand where in
ndjson_walk.py. The field list is in docs/formats.md.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain, islice
from typing import IO, Final, TypeAlias
from uuid import UUID

import msgspec

from events.errors import AlteredFile, AlteredLog, FormatError, NotALogError
from events.formats import Import, lines_of
from events.formats.ndjson_game import Reading
from events.formats.ndjson_lines import (
    BEGINNINGS,
    EndLine,
    EventLine,
    GameLine,
    Line,
    PartLine,
    WithheldLine,
    encode_line,
    event_line,
    game_line,
    part_line,
    withheld_line,
)
from events.formats.ndjson_split import Piece, game_line_of
from events.formats.ndjson_walk import Walk
from events.records import Head, StoredEvent

Texts: TypeAlias = Mapping[int, tuple[bytes, str]]

_NO_TEXTS: Final[Texts] = {}
# An altered file is still told from a strange one by any of its first lines.
_LOOKED_AT: Final = 3


class FirstBad(msgspec.Struct, frozen=True):
    """The first place where a file does not hold; line counted from 1, game and version where known."""

    line: int
    game_id: UUID | None
    version: int | None
    reason: str


class VerifyResult(msgspec.Struct, frozen=True):
    """What `verify` found: how many games and events hold, and the first place that does not.

    Of a file of parts `games` are parts, and `since` and `position` say which stretch of the ledger it is.
    """

    ok: bool
    games: int
    events: int
    first_bad: FirstBad | None
    since: int | None = None
    position: int | None = None


class Writer:
    """Writes one file: `game` for each, or `part`, then `end`. All that they yield must be written, in that order."""

    def __init__(self) -> None:
        self.games = 0
        self.events = 0
        self._sha = sha256()

    def game(
        self,
        head: Head,
        stored: Iterable[StoredEvent],
        names: Mapping[str, str],
        texts: Texts = _NO_TEXTS,
        withheld: Container[int] = (),
    ) -> Iterator[bytes]:
        """Yield a game's lines; raise AlteredLog if *stored* are not all the events that *head* counts.

        *names* are people by player id, *texts* a remark's (salt, text) by version; of the *withheld*
        versions only the inner hash is written, and no remark.
        """
        self.games += 1
        yield self._line(game_line(head, self.games, names))
        yield from self._events(head, 0, stored, texts, withheld)

    def part(
        self,
        head: Head,
        position: int,
        link: tuple[int, bytes],
        stored: Iterable[StoredEvent],
        names: Mapping[str, str],
        texts: Texts = _NO_TEXTS,
        withheld: Container[int] = (),
    ) -> Iterator[bytes]:
        """Yield the lines of a part of a game, which ends with *head* and goes on from *link*.

        *link* is the version before the part and its hash, *position* the part's row in the ledger; the rest
        as for `game`.
        """
        self.games += 1
        yield self._line(part_line(head, self.games, position, link, names))
        yield from self._events(head, link[0], stored, texts, withheld)

    def end(self, since: int | None = None, position: int | None = None) -> bytes:
        """Return the trailer; of parts with the stretch of the ledger that they are."""
        return self._line(EndLine(self.games, self.events, self._sha.hexdigest(), since, position))

    def _events(
        self,
        head: Head,
        after: int,
        stored: Iterable[StoredEvent],
        texts: Texts,
        withheld: Container[int],
    ) -> Iterator[bytes]:
        version = after
        for version, event in enumerate(stored, after + 1):
            if event.version != version:
                raise AlteredLog(head.game_id, version, f"is {event.version} in the store")
            if version in withheld:
                yield self._line(withheld_line(event))
            else:
                yield self._line(event_line(event, texts.get(version)))
        if version != head.version:
            raise AlteredLog(head.game_id, version, f"is the last one, expected {head.version}")
        self.events += version - after

    def _line(self, line: Line) -> bytes:
        written = encode_line(line)
        self._sha.update(written)
        return written


def write_game(
    out: IO[bytes],
    head: Head,
    stored: Iterable[StoredEvent],
    names: Mapping[str, str],
    texts: Texts = _NO_TEXTS,
) -> None:
    """Write a whole file of one game."""
    writer = Writer()
    out.writelines(writer.game(head, stored, names, texts))
    out.write(writer.end())


def sniff(first: bytes) -> bool:
    """Tell whether a file that begins with these bytes is one of ours, be it altered or not."""
    return any(line.startswith(BEGINNINGS) for line in first.split(b"\n")[:_LOOKED_AT])


def read(lines: Iterable[bytes]) -> Iterator[Import]:
    """Yield the games of a file; raise FormatError at its first bad line, AlteredFile if it was changed.

    The trailer comes last: only when the iterator has ended does the whole file hold.
    """
    yield from _read(Walk(), lines)


def read_game(piece: Piece) -> Import:
    """Return one game that was cut out of a file; raise FormatError with the line in that file.

    That the lines are all in their places, only the file's trailer tells.
    """
    first = game_line_of(piece)
    (game,) = _read(Walk(piece.line - 1, first.number - 1, is_part=True), piece.lines)
    return game


def _read(walk: Walk, lines: Iterable[bytes]) -> Iterator[Import]:
    game: Reading | None = None
    for line in walk.lines(lines):
        if isinstance(line, GameLine | PartLine):
            if line.kind == "admin":
                raise FormatError(walk.number, "another store's administration: it stays there")
            game = Reading(line, walk.number)
        elif isinstance(line, WithheldLine):
            raise FormatError(walk.number, "a withheld event: such a file can only be verified")
        elif isinstance(line, EventLine) and game is not None:
            game.take(line, walk)
        if game is not None and walk.game_is_whole:
            yield game.whole()
            game = None


def verify(stream: IO[bytes]) -> VerifyResult:
    """Check every line, every hash and the trailer of a binary file, and name the first bad place.

    Raises NotALogError if the file is none of ours.
    """
    lines = lines_of(stream)
    first = list(islice(lines, _LOOKED_AT))
    if not sniff(b"".join(first)):
        raise NotALogError("not a log of Lanterlog, expected a game's first line")
    walk = Walk()
    try:
        for _ in walk.lines(chain(first, lines)):
            pass
    except AlteredFile as bad:
        place = FirstBad(bad.line, bad.game_id, bad.version, bad.reason)
        return VerifyResult(False, walk.games, walk.events, place)
    return VerifyResult(True, walk.games, walk.events, None, walk.since, walk.position)
