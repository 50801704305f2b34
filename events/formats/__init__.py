"""Text formats that games are read from and written to, one module each.

Every format offers `sniff(first: bytes) -> bool`, which tells by the first bytes of a file whether it is
one of its own, and `read(lines: Iterable[bytes]) -> Iterator[Import]`, which yields the games of a file one
by one and raises FormatError with line and reason where it is wrong: the caller then stores nothing of it.
"""

from collections.abc import Iterator
from typing import IO, Any, Final
from uuid import UUID

import msgspec

from events.chain import NIL_HEAD
from events.records import Head, StoredEvent

LONGEST_NAME: Final = 200
MAX_LINE: Final = 8 * 1024 * 1024
"""Bytes that one line may have: an event's body and a remark of a megabyte, each byte of it escaped."""


class Import(msgspec.Struct, frozen=True):
    """One game read from a file, its `game_opened` first.

    `names` are people by player id, `remarks` the free texts with their salt by version (from 1), `line` is
    where the game begins. A file in our own format also has `head` and `stored`, which keep times, salts
    and hashes; games of another program have neither, and are recorded as if they were played now.

    A part of a game, which only our own format knows, has in `after` the version that it goes on from (0 for
    the first part) and in `previous` that version's hash; its `events` begin there.
    """

    game_id: UUID
    events: list[Any]
    names: dict[str, str]
    remarks: dict[int, tuple[bytes, str]]
    line: int
    head: Head | None = None
    stored: list[StoredEvent] | None = None
    after: int | None = None
    previous: bytes = NIL_HEAD


def lines_of(stream: IO[bytes], longest: int = MAX_LINE) -> Iterator[bytes]:
    """Yield the lines of a binary file, line ends included; one of more than *longest* bytes comes longer than
    that and in pieces, for the format to refuse with its number.
    """
    while line := stream.readline(longest + 1):
        yield line
