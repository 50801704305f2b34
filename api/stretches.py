"""Stretches of the archive as NDJSON, CSV or table notation, each ended by a trailer that says what it held.

The trailer has a count, the SHA-256 of all bytes before it, and the position to go on from: a stream without
one was cut off. One piece at a time; what may not be seen is not written. Reads no request and no database.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from hashlib import sha256

import msgspec

from api import files, plain, separated
from api.archive import Piece, Stretch
from api.files import Filed
from api.tabular import Seen, Table
from api.viewing import Eyes
from events.formats import ndjson

Look = Callable[[Filed], Eyes | None]
"""Whose eyes a game is looked at with; none for a dispute, of which nothing is hidden."""


class Trailer(msgspec.Struct, frozen=True, tag_field="t", tag="end"):
    """Ends a stretch of CSV (`count` rows) or of table notation (`count` games), behind a `#`."""

    count: int
    sha256: str
    since: int
    position: int


def as_ndjson(pieces: Iterable[Piece], look: Look, stretch: Stretch) -> Iterator[bytes]:
    """Yield parts of games, which go on from hashes; of what may not be seen, the inner hash."""
    writer = ndjson.Writer()
    for piece in pieces:
        game = piece.game
        stored = game.stored[piece.after : piece.upto]
        yield from writer.part(
            piece.head,
            piece.position,
            piece.link,
            stored,
            _names(piece),
            game.remarks,
            _withheld(piece, look(game)),
        )
    yield writer.end(stretch.since, stretch.until)


def _withheld(piece: Piece, eyes: Eyes | None) -> Container[int]:
    events = piece.game.events
    meant = range(piece.after + 1, piece.upto + 1) if eyes is not None else ()
    return {v for v in meant if eyes and eyes.event(v, events[v - 1]) is not events[v - 1]}


def _names(piece: Piece) -> dict[str, str]:
    """Return the names of a game's players for its first part, and for each part of a dispute of who speaks in it."""
    names = files.names_kept(piece.game)
    if piece.head.kind == "game":
        return {} if piece.after else names
    speak = files.people(piece.game.events[piece.after : piece.upto])
    return {player: names[player] for player in speak if player in names}


def as_csv(pieces: Iterable[Piece], look: Look, stretch: Stretch, table: Table) -> Iterator[bytes]:
    """Yield the rows of a table under a heading."""
    seen = (Seen(one.game, look(one.game), one.after, one.upto) for one in pieces)
    lines = separated.lines(table, seen)
    yield from _ended(separated.heading(table), ((line, 1) for line in lines), stretch, b"\r\n")


def as_text(pieces: Iterable[Piece], look: Look, stretch: Stretch) -> Iterator[bytes]:
    """Yield whole games in the words of the table, each after a comment with its id and position; disputes as comments."""
    beginning = b"# Lanterlog, after position %d up to %d\n" % (stretch.since, stretch.until)
    yield from _ended(beginning, _texts(pieces, look), stretch, b"\n")


def _texts(pieces: Iterable[Piece], look: Look) -> Iterator[tuple[bytes, int]]:
    for piece in pieces:
        game, eyes = piece.game, look(piece.game)
        if eyes is None:
            yield f"\n# position {piece.position}\n".encode(), 0
            written = plain.dispute(game, piece.upto)
        else:
            yield f"\n# game {game.head.game_id}, position {piece.position}\n".encode(), 1
            written = plain.lines(game, eyes.events(game.events[: piece.upto]))
        for line in written:
            yield line, 0


def _ended(
    beginning: bytes, lines: Iterable[tuple[bytes, int]], stretch: Stretch, end: bytes
) -> Iterator[bytes]:
    sha, count = sha256(beginning), 0
    yield beginning
    for line, counted in lines:
        sha.update(line)
        count += counted
        yield line
    trailer = Trailer(count, sha.hexdigest(), stretch.since, stretch.until)
    yield b"# " + msgspec.json.encode(trailer) + end
