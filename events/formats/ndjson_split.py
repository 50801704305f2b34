"""Cuts a file of our own NDJSON into its games, unread, so that several processes can read them.

Looks at how lines begin and at the trailer, and at nothing else. Holds one game's lines at a time.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec

from events.errors import AlteredFile, FormatError, as_reason
from events.formats.ndjson_lines import BEGINNINGS, EndLine, GameLine, decode_line

_GAME, *_, _PART, _END = BEGINNINGS
_NUMBER: Final = re.compile(_GAME + rb',"v":1,"number":([0-9]{1,15}),')
# Of a dispute's first line; in names every quote has a backslash before it.
_DISPUTE: Final = b'"kind":"dispute","game":"dispute"'


class Piece(msgspec.Struct, frozen=True):
    """The lines of one game as they are in the file, of which `line` is the number of the first."""

    line: int
    lines: list[bytes]

    @property
    def is_dispute(self) -> bool:
        """Whether it says that it is a dispute, and so about a game that stands before it."""
        return _DISPUTE in self.lines[0]


def split(lines: Iterable[bytes]) -> Iterator[Piece]:
    """Yield the games of a file; raise FormatError at the end if the file as a whole does not hold.

    By then every game has been given: what is wrong inside of one is found when it is read.
    """
    sha, events, games, number = sha256(), 0, 0, 0
    piece: Piece | None = None
    trailer: tuple[int, bytes] | None = None
    stray = 0
    misplaced: AlteredFile | None = None
    for number, line in enumerate(lines, 1):
        if line.startswith(_PART):
            raise FormatError(number, "a part of a game: such a file is not for a bulk import")
        if line.startswith((_GAME, _END)) and piece is not None:
            yield piece
            piece = None
        if line.startswith(_GAME):
            games, piece = games + 1, Piece(number, [line])
            misplaced = misplaced or _misplaced(piece, games)
        elif line.startswith(_END) and trailer is None:
            trailer = number, line
            continue
        elif piece is None:
            stray = stray or number
        else:
            events += 1
            piece.lines.append(line)
        sha.update(line)
    if piece is not None:
        yield piece
    if stray and (trailer is None or stray < trailer[0]):
        raise AlteredFile(stray, None, None, "a line that belongs to no game")
    if trailer is None:
        reason = "the file is cut off here, expected more lines and a trailer"
        raise AlteredFile(number + 1, None, None, reason)
    if trailer[0] != number:
        raise AlteredFile(trailer[0] + 1, None, None, "bytes after the trailer")
    _check_trailer(trailer[1], number, EndLine(games, events, sha.hexdigest()))
    if misplaced is not None:
        raise misplaced


def _misplaced(piece: Piece, place: int) -> AlteredFile | None:
    """Return what is wrong with a game's number; of a line that cannot be read, whoever reads it will say."""
    found = _NUMBER.match(piece.lines[0])
    if found is None or int(found[1]) == place:
        return None
    reason = f"game number {int(found[1])} stands here, expected {place}"
    return AlteredFile(piece.line, None, None, reason)


def game_line_of(piece: Piece) -> GameLine:
    """Return what the first line of a game says; raise FormatError if it says nothing."""
    try:
        line = decode_line(piece.lines[0])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = f"not a line of this format: {as_reason(error)}"
        raise AlteredFile(piece.line, None, None, reason) from error
    if not isinstance(line, GameLine):
        raise FormatError(piece.line, "not the first line of a game")
    return line


def _check_trailer(text: bytes, number: int, expected: EndLine) -> None:
    try:
        line = decode_line(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = f"not a trailer: {as_reason(error)}"
        raise AlteredFile(number, None, None, reason) from error
    if line != expected:
        reason = (
            "the trailer does not fit the lines before it: games are missing, doubled or changed"
        )
        raise AlteredFile(number, None, None, reason)
