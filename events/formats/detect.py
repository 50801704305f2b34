"""Finds out by its first lines in which format a file is written, and reads it.

Only picks: what is right or wrong in a file is the format's own affair.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import IO, Final

from events.errors import FormatError
from events.formats import Import, delboycodes, lines_of, ndjson, timpalpant

_LOOKED_AT: Final = 3

_FORMATS: Final = {
    "Lanterlog's own NDJSON": ndjson,
    "a log of delboycodes/rummy-500": delboycodes,
    "a log of timpalpant/rummy": timpalpant,
}


def read_file(stream: IO[bytes]) -> Iterator[Import]:
    """Yield the games of a binary file in any known format.

    Raises FormatError with the line and the reason, be it that no format knows the file; the caller stores
    nothing of it then.
    """
    lines = lines_of(stream)
    first = list(islice(lines, _LOOKED_AT))
    beginning = b"".join(first)
    for format_ in _FORMATS.values():
        if format_.sniff(beginning):
            yield from format_.read(chain(first, lines))
            return
    raise FormatError(1, _unknown(beginning))


def _unknown(beginning: bytes) -> str:
    there = beginning.partition(b"\n")[0][:60].decode("utf-8", "replace")
    looked_for = ", ".join(list(_FORMATS)[:-1]) + f" and {list(_FORMATS)[-1]}"
    shown = f"the file begins with {there!r}" if beginning else "the file is empty"
    return f"in no known format: {shown}; looked for {looked_for}"
