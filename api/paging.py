"""Pages of lists that change while they are read: a page begins after the keys of the last row shown.

A cursor is opaque to whoever gets it, and says of which list it is: one of another list, or a text that was
never given out, is refused.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from events.errors import RequestError

T = TypeVar("T")

_MOST: Final = 300


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Some rows of a list, and the cursor of what follows, None at its end."""

    rows: list[T]
    next: str | None


def cut(rows: Sequence[T], limit: int, name: str, keys: Sequence[Any]) -> Page[T]:
    """Return the page of at most *limit* rows, of which one more was asked for; *keys* are the last row's."""
    more = len(rows) > limit
    return Page(list(rows[:limit]), cursor(name, keys) if more else None)


def cursor(name: str, keys: Sequence[Any]) -> str:
    """Return the text that means: after the row with these keys, in the list of this name."""
    raw = msgspec.json.encode([name, *keys])
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def keys_of(name: str, text: str, kind: type[T]) -> T:
    """Return the keys that a cursor of this list holds, *kind* being a tuple type; raise RequestError."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        found = msgspec.json.decode(raw if len(text) <= _MOST else b"", type=list[Any])
        if found[:1] != [name] or cursor(name, found[1:]) != text or b"\\u0000" in raw:
            raise msgspec.ValidationError
        return msgspec.convert(found[1:], kind)
    except (binascii.Error, UnicodeError, ValueError, msgspec.MsgspecError):
        raise RequestError(
            "bad_cursor", f"cursor {text[:60]!r}, expected one that was given out"
        ) from None
