"""Goes through a file of our own NDJSON and stops at the first line that cannot stand where it stands.

The chain of each game is recomputed; a game's first line vouches for itself by its check, its number and
the count of its events, the trailer for the whole. Holds one line at a time and needs no database.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NoReturn
from uuid import UUID

import msgspec

from events.chain import NIL_HEAD, event_hash
from events.errors import AlteredFile, as_reason
from events.formats import MAX_LINE
from events.formats.ndjson_lines import (
    EndLine,
    EventLine,
    GameLine,
    Line,
    PartLine,
    Remark,
    WithheldLine,
    check_of,
    decode_line,
    encode_line,
    microseconds_of,
)

_LONG_AGO: Final = -(2**63)


class _RemarkBody(msgspec.Struct, frozen=True):
    """What an event's body must be for a text to belong to it: only the hash makes it so."""

    text: str | None = None


class Walk:
    """One way through one file; `number` is the line looked at, `games` and `events` are what holds so far.

    After a line of a game, `version` and `recorded_at` (microseconds since 1970) are its event's. A part of a
    file, which has no trailer of its own, begins after line *number* and after so many *games*.

    Of games that come in parts it remembers where the last part ended, so that the next one has to go on there.
    `since` and `position` are what the trailer of such a file says, else None.
    """

    def __init__(self, number: int = 0, games: int = 0, *, is_part: bool = False) -> None:
        self.number = number
        self.games = games
        self._is_part = is_part
        self.events = 0
        self.version = 0
        self.recorded_at = 0
        self.since: int | None = None
        self.position: int | None = None
        self._game: GameLine | PartLine | None = None
        self._previous = NIL_HEAD
        self._first_position = 0
        self._last_position = 0
        self._has_games = False
        self._ends: dict[UUID, tuple[int, bytes, int]] = {}
        self._sha = sha256()
        self._has_ended = False

    @property
    def game_is_whole(self) -> bool:
        """Whether the game that was begun last has all its events."""
        return self._game is not None and self.version == self._game.last

    def lines(self, texts: Iterable[bytes]) -> Iterator[Line]:
        """Yield each line that holds with all before it, and end only if the whole file does.

        Raises AlteredFile with the first bad place.
        """
        for text in texts:
            self.number += 1
            if self._has_ended:
                self._bad("bytes after the trailer")
            line = self._parsed(text)
            if isinstance(line, GameLine | PartLine):
                self._begin(line, text)
            elif isinstance(line, EndLine):
                self._end(line)
            else:
                self._follow(line)
            self._sha.update(text)
            yield line
        if self._is_part and self._missing is None:
            return
        self.number += 1
        if not self._has_ended:
            self._bad("the file is cut off here, expected more lines and a trailer", self._missing)

    @property
    def _missing(self) -> int | None:
        """The version that must come next, None between games."""
        return None if self._game is None or self.game_is_whole else self.version + 1

    def _parsed(self, text: bytes) -> Line:
        if len(text) > MAX_LINE:
            self._bad(f"more than {MAX_LINE} bytes in a line", self._missing)
        if not text.endswith(b"\n"):
            self._bad("the line is cut off", self._missing)
        try:
            line = decode_line(text)
            again = encode_line(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            self._bad(f"not a line of this format: {as_reason(error)}", self._missing)
        if again != text:
            self._bad("not written as this program writes it", self._missing)
        return line

    def _begin(self, line: GameLine | PartLine, text: bytes) -> None:
        self._close()
        self._game, self.version, self.recorded_at = line, line.after, _LONG_AGO
        self._previous = bytes.fromhex(line.previous)
        if line.check != check_of(text):
            self._bad("the game's first line is not as it was written")
        if line.number != self.games + 1:
            self._bad(f"game number {line.number} stands here, expected {self.games + 1}")
        self._time(line.created_at)
        if isinstance(line, PartLine):
            self._begin_part(line)
        elif self._first_position:
            self._bad("a whole game among parts of games")
        else:
            self._has_games = True
        if line.events == 0:
            self._complete()

    def _begin_part(self, line: PartLine) -> None:
        """Check what only parts have: their place in the ledger, and where they go on."""
        if self._has_games:
            self._bad("a part of a game among whole games")
        if line.position <= self._last_position:
            self._bad(f"position {line.position} stands after {self._last_position}")
        if line.events == 0 or (line.after == 0) != (self._previous == NIL_HEAD):
            self._bad("a part that goes on from nowhere")
        self._first_position = self._first_position or line.position
        self._last_position = line.position
        before = self._ends.get(line.game_id)
        if before is None:
            return
        if before[:2] != (line.after, self._previous):
            self._bad(f"goes on after version {line.after}, but the part before ends otherwise")
        self.recorded_at = before[2]

    def _follow(self, line: EventLine | WithheldLine) -> None:
        game, version = self._game, self._missing
        if game is None or version is None:
            self._bad("an event that belongs to no game", line.version)
        if line.version != version:
            self._bad(f"version {line.version} stands here, expected {version}", version)
        before, self.recorded_at = self.recorded_at, self._time(line.recorded_at)
        if self.recorded_at < before:
            self._bad("the event has a time before that of the event before it", version)
        inner = line.inner if isinstance(line, EventLine) else bytes.fromhex(line.inner)
        found = event_hash(
            game.game_id, version, self._previous, self.recorded_at, line.recorded_by, inner
        )
        if found.hex() != line.hash:
            self._bad("the event does not give the hash that stands with it", version)
        if isinstance(line, EventLine) and line.remark is not None:
            self._check_remark(line.remark, line.body)
        self.version, self._previous = version, found
        self.events += 1
        if self.game_is_whole:
            self._complete()

    def _check_remark(self, remark: Remark, body: msgspec.Raw) -> None:
        try:
            event = msgspec.json.decode(body, type=_RemarkBody)
        except msgspec.DecodeError:
            event = _RemarkBody()
        if event.text != remark.hash:
            self._bad("the remark is not the one that the event names", self._missing)

    def _complete(self) -> None:
        if self._game is not None and self._previous.hex() != self._game.head:
            self._bad(
                "the last event is not the head that the game's first line names", self.version
            )
        if isinstance(self._game, PartLine):
            self._ends[self._game.game_id] = (self.version, self._previous, self.recorded_at)
        self.games += 1

    def _close(self) -> None:
        """Make sure that no game is left open."""
        if self._missing is not None:
            self._bad("an event is missing before this line", self._missing)
        self._game = None

    def _end(self, line: EndLine) -> None:
        self._close()
        if (line.games, line.events) != (self.games, self.events):
            there = f"{self.games} games with {self.events} events before the trailer"
            self._bad(f"{there}, expected {line.games} with {line.events}")
        self._check_stretch(line)
        if line.sha256 != self._sha.hexdigest():
            self._bad("the trailer's hash is not that of the bytes before it")
        self._has_ended = True
        self.since, self.position = line.since, line.position

    def _check_stretch(self, line: EndLine) -> None:
        """A stretch of the ledger must hold its parts; a file of whole games is none."""
        if line.since is None or line.position is None:
            if self._first_position or (line.since, line.position) != (None, None):
                self._bad("a trailer that does not say which stretch of the ledger the parts are")
        elif self._has_games:
            self._bad("a trailer of parts of games, expected one of whole games")
        elif not (
            line.since <= line.position
            and self._last_position <= line.position
            and (not self._first_position or line.since < self._first_position)
        ):
            self._bad(f"parts that do not lie after {line.since} and up to {line.position}")

    def _time(self, text: str) -> int:
        at = microseconds_of(text)
        if at is None:
            wanted = "expected e.g. 2026-01-31T18:30:00.123456Z"
            self._bad(f"not a time: {text[:40]!r}, {wanted}", self._missing)
        return at

    def _bad(self, reason: str, version: int | None = None) -> NoReturn:
        game_id = None if self._game is None else self._game.game_id
        if version is None and self.game_is_whole:
            game_id = None
        raise AlteredFile(self.number, game_id, version, reason)
