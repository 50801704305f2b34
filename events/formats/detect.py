"""Finds out by its first lines in which format a file is written, and reads it.

Only picks: what is right or wrong in a file is the format's own affair.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import IO, Final

from events.errors import FormatError
from events.formats import Import, delboycodes, lines_of, ndjson, notation, timpalpant

# A file of table notation may begin with a long comment.
_LOOKED_AT: Final = 64 * 1024


def read_file(stream: IO[bytes]) -> Iterator[Import]:
    """Yield the games of a binary file in any known format.

    Raises FormatError with the line and the reason, be it that no format knows the file; the caller stores
    nothing of it then.
    """
    lines = lines_of(stream)
    first = _first(lines)
    beginning = b"".join(first)
    for sniff, read in _FORMATS.values():
        if sniff(beginning):
            yield from read(chain(first, lines))
            return
    raise FormatError(1, _unknown(beginning))


def _first(lines: Iterator[bytes]) -> list[bytes]:
    """Take lines until there is enough to look at."""
    first, size = list[bytes](), 0
    for line in lines:
        first.append(line)
        size += len(line)
        if size >= _LOOKED_AT:
            break
    return first


def _read_notation(lines: Iterable[bytes]) -> Iterator[Import]:
    """Read table notation, which wants the file in one piece; of one that is too long only the beginning."""
    data = bytearray()
    for line in lines:
        data += line
        if len(data) > notation.SIZE_LIMIT:
            break
    yield from notation.read(bytes(data))


def _unknown(beginning: bytes) -> str:
    there = beginning.partition(b"\n")[0][:60].decode("utf-8", "replace")
    names = list(_FORMATS)
    shown = f"the file begins with {there!r}" if beginning else "the file is empty"
    return f"in no known format: {shown}; looked for {', '.join(names[:-1])} and {names[-1]}"


_Reader = Callable[[Iterable[bytes]], Iterator[Import]]
_FORMATS: Final[dict[str, tuple[Callable[[bytes], bool], _Reader]]] = {
    "Lanterlog's own NDJSON": (ndjson.sniff, ndjson.read),
    "a log of delboycodes/rummy-500": (delboycodes.sniff, delboycodes.read),
    "a log of timpalpant/rummy": (timpalpant.sniff, timpalpant.read),
    "table notation": (notation.sniff, _read_notation),
}
