r"""Server-sent events, read message by message from bytes that may be cut anywhere.

As the HTML standard has it: fields a line, a message ended by an empty line, lines ended by \n, \r or \r\n, what is
not ended is dropped. Bounded, which `httpx-sse` is not: it gathers a line, and a message, of any length; that and
reading on after a cut is all that there is to it, so it is written here. Knows no games.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from api.client_errors import BadAnswer

_ENDS: Final = re.compile(rb"\r\n|\r|\n")


class Message(msgspec.Struct):
    """A message; one without data says at most that the other side is there, or how long to wait."""

    event: str = "message"
    id: str | None = None
    data: bytes | None = None
    retry: int | None = None
    """Seconds/1000 after which to come back."""
    comment: bool = False
    """Whether something was said that means nothing but that the other side is there."""


def messages(chunks: Iterable[bytes], most: int) -> Iterator[Message]:
    """Yield what was said, comments as messages without data; raise BadAnswer for a message above *most* bytes."""
    found, size = Message(), 0
    for line in _lines(chunks, most):
        size += len(line)
        if size > most:
            raise BadAnswer(f"a message of more than {most} bytes, expected a smaller one")
        if line:
            _take(found, line)
        elif size:
            yield found
            found, size = Message(), 0


def _take(found: Message, line: bytes) -> None:
    name, _, value = line.partition(b":")
    value = value.removeprefix(b" ")
    match name:
        case b"data":
            found.data = value if found.data is None else found.data + b"\n" + value
        case b"event":
            found.event = value.decode(errors="replace")
        case b"id":
            found.id = value.decode(errors="replace")
        case b"retry" if value.isdigit():
            found.retry = int(value[:9])
        case b"":
            found.comment = True
        case _:  # a field that has no meaning here
            pass


def _lines(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield whole lines without their ends; the last one, if it has no end, is dropped."""
    waiting, after_return = bytearray(), False
    for chunk in chunks:
        # A line end of two bytes may be cut in two.
        fresh = chunk.removeprefix(b"\n") if after_return else chunk
        after_return = chunk.endswith(b"\r")
        *ended, rest = _ENDS.split(fresh)
        for piece in ended:
            waiting += piece
            yield bytes(waiting)
            waiting.clear()
        waiting += rest
        if len(waiting) > most:
            raise BadAnswer(f"a line of more than {most} bytes, expected a shorter one")
