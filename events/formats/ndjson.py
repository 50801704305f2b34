"""Our own NDJSON: games as they are stored, with times, salts and hashes; nothing is lost, nothing added.

Writes, reads and verifies without any database, in constant memory: one line at a time, but for `read`,
which holds one game. Which bytes a line may have is said in ndjson_lines.py, which line may stand where in
ndjson_walk.py. The field list is in docs/formats.md.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain, islice
from typing import IO, Any, Final, TypeAlias
from uuid import UUID

import msgspec

from events.codec import decode, decode_opening
from events.common import GameOpened, Remarked, Retracted
from events.errors import AlteredFile, AlteredLog, FormatError, LanterlogError, NotALogError
from events.formats import LONGEST_NAME, Import, lines_of
from events.formats.ndjson_lines import (
    BEGINNINGS,
    EndLine,
    EventLine,
    GameLine,
    Line,
    WithheldLine,
    encode_line,
    event_line,
    game_line,
    microseconds_of,
    withheld_line,
)
from events.formats.ndjson_split import Piece, game_line_of
from events.formats.ndjson_walk import Walk
from events.games import game_named
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
    """What `verify` found: how many games and events hold, and the first place that does not."""

    ok: bool
    games: int
    events: int
    first_bad: FirstBad | None


class Writer:
    """Writes one file: `game` for each, then `end`. All that they yield must be written, in that order."""

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
        version = 0
        for version, event in enumerate(stored, 1):
            if event.version != version:
                raise AlteredLog(head.game_id, version, f"is {event.version} in the store")
            if version in withheld:
                yield self._line(withheld_line(event))
            else:
                yield self._line(event_line(event, texts.get(version)))
        if version != head.version:
            raise AlteredLog(head.game_id, version, f"is the last one, expected {head.version}")
        self.events += version

    def end(self) -> bytes:
        """Return the trailer."""
        return self._line(EndLine(self.games, self.events, self._sha.hexdigest()))

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
    game: _Game | None = None
    for line in walk.lines(lines):
        if isinstance(line, GameLine):
            if line.kind == "admin":
                raise FormatError(walk.number, "another store's administration: it stays there")
            game = _Game(line, walk.number)
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
    return VerifyResult(True, walk.games, walk.events, None)


class _Game:
    """One game while it is read."""

    def __init__(self, line: GameLine, number: int) -> None:
        self.line = line
        self.number = number
        self.table: Any = None
        self.events: list[Any] = []
        self.stored: list[StoredEvent] = []
        self.remarks: dict[int, tuple[bytes, str]] = {}

    def take(self, line: EventLine, walk: Walk) -> None:
        """Add the event of the line that the walk has just come to."""
        event = self._decoded(line, walk.number)
        self._check_fact(event, walk.number)
        self.events.append(event)
        self.stored.append(
            StoredEvent(
                game_id=self.line.game_id,
                version=line.version,
                recorded_at=walk.recorded_at,
                recorded_by=line.recorded_by,
                salt=bytes.fromhex(line.salt),
                hash=bytes.fromhex(line.hash),
                body=bytes(line.body),
            )
        )
        if line.remark is not None:
            self.remarks[line.version] = (bytes.fromhex(line.remark.salt), line.remark.text)

    def _check_fact(self, event: Any, number: int) -> None:
        """Refuse what the recorder takes at no table, so that it stands in no log of ours."""
        if self.line.kind != "game":
            return
        rules = game_named(self.line.game)
        if not self.events:
            self.table = rules.initial(event)
        elif isinstance(event, GameOpened):
            raise FormatError(number, "the game is opened again")
        elif isinstance(event, Retracted) and self.line.mode == "refereed":
            raise FormatError(number, "a retraction at a refereed table")
        elif isinstance(event, Remarked) and (event.about or 0) > len(self.events):
            raise FormatError(number, "a remark about a version that comes later")
        elif rules.is_off_the_table(self.table, event):
            raise FormatError(number, "the event names a seat that is not at this table")

    def whole(self) -> Import:
        """Return the game with all its events."""
        line = self.line
        if any(len(name) > LONGEST_NAME for name in line.people.values()):
            raise FormatError(self.number, f"a name of more than {LONGEST_NAME} characters")
        created_at = microseconds_of(line.created_at) or 0
        head = Head(
            game_id=line.game_id,
            kind=line.kind,
            game=line.game,
            mode=line.mode,
            visibility=line.visibility,
            version=line.events,
            head=bytes.fromhex(line.head),
            created_at=created_at,
            changed_at=self.stored[-1].recorded_at if self.stored else created_at,
        )
        return Import(
            game_id=line.game_id,
            events=self.events,
            names=dict(line.people),
            remarks=self.remarks,
            line=self.number,
            head=head,
            stored=self.stored,
        )

    def _decoded(self, line: EventLine, number: int) -> Any:
        """Return a line's event; a first one must open the game that the game's first line names."""
        game, body = self.line, bytes(line.body)
        try:
            if line.version > 1 or game.kind != "game":
                return decode(game.game, body)
            opened = decode_opening(body)
        except LanterlogError as error:
            raise FormatError(number, str(error)) from error
        if (opened.game, opened.mode) != (game.game, game.mode):
            wanted = f"expected {game.game} and {game.mode} as in the game's first line"
            raise FormatError(number, f"opened as {opened.game} and {opened.mode}, {wanted}")
        return opened
