"""The lines of our own NDJSON: their shapes, and the one way to write each.

A line is accepted only if writing what it says gives the same bytes again. Nothing here looks at more than
one line. The field list is in docs/formats.md.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, cast
from uuid import UUID

import msgspec
from msgspec import Meta

from events.chain import NIL_HEAD, inner_hash, text_hash
from events.common import Mode, PlayerId, Sha256, Slug
from events.records import Head, StoredEvent

Salt: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z", min_length=32, max_length=32)]
Kind: TypeAlias = Literal["game", "dispute", "admin"]
Visibility: TypeAlias = Literal["public", "unlisted", "private"]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]

BEGINNINGS: Final = (
    b'{"t":"game","format":"lanterlog"',
    b'{"t":"event","version":',
    b'{"t":"withheld","version":',
    b'{"t":"part","format":"lanterlog"',
    b'{"t":"end","games":',
)
"""How the lines of such a file begin, and no others do."""

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  (UTC throughout)
_MICROSECOND: Final = timedelta(microseconds=1)


class GameLine(msgspec.Struct, frozen=True, tag_field="t", tag="game", forbid_unknown_fields=True):
    """Begins a game; `check` is the SHA-256 of the line's bytes before `,"check"`."""

    format: Literal["lanterlog"]
    v: Literal[1]
    number: Count
    game_id: UUID
    kind: Kind
    game: Slug
    mode: Mode
    visibility: Visibility
    created_at: str
    events: Count
    head: Sha256
    people: dict[PlayerId, str]
    check: Sha256

    after: ClassVar[int] = 0
    previous: ClassVar[str] = NIL_HEAD.hex()

    @property
    def last(self) -> int:
        """The version of the last event that follows."""
        return self.events


class PartLine(msgspec.Struct, frozen=True, tag_field="t", tag="part", forbid_unknown_fields=True):
    """Begins a part of a game: its events after version `after`, whose hash is `previous`.

    `position` is the row of the ledger that the part is; `head` the hash of its last event. The names are
    those of the players, in the first part only.
    """

    format: Literal["lanterlog"]
    v: Literal[1]
    number: Count
    position: Count
    game_id: UUID
    kind: Kind
    game: Slug
    mode: Mode
    visibility: Visibility
    created_at: str
    after: Count
    previous: Sha256
    events: Count
    head: Sha256
    people: dict[PlayerId, str]
    check: Sha256

    @property
    def last(self) -> int:
        """The version of the last event that follows."""
        return self.after + self.events


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A free text that lies beside the log, with its salt."""

    salt: Salt
    text: str

    @property
    def hash(self) -> str:
        """What the event holds in place of this text."""
        return text_hash(bytes.fromhex(self.salt), self.text).hex()


class EventLine(
    msgspec.Struct,
    frozen=True,
    tag_field="t",
    tag="event",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """One event as it is stored, and the remark that belongs to it."""

    version: Count
    recorded_at: str
    recorded_by: UUID
    salt: Salt
    hash: Sha256
    body: msgspec.Raw
    remark: Remark | None = None

    @property
    def inner(self) -> bytes:
        """The inner hash, which goes into the chain."""
        return inner_hash(bytes.fromhex(self.salt), bytes(self.body))


class WithheldLine(
    msgspec.Struct, frozen=True, tag_field="t", tag="withheld", forbid_unknown_fields=True
):
    """An event whose body may not be seen yet: its inner hash stands for it."""

    version: Count
    recorded_at: str
    recorded_by: UUID
    inner: Sha256
    hash: Sha256


class EndLine(
    msgspec.Struct,
    frozen=True,
    tag_field="t",
    tag="end",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Ends the file; `sha256` is that of all bytes before this line.

    A file of parts says here which stretch of the ledger it is: after `since`, up to and with `position`.
    """

    games: Count
    events: Count
    sha256: Sha256
    since: Count | None = None
    position: Count | None = None


Line = GameLine | PartLine | EventLine | WithheldLine | EndLine

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_DECODER: Final = msgspec.json.Decoder(Line)
_CHECK_LENGTH: Final = len(b',"check":"') + 64 + len(b'"}')


def encode_line(line: Line) -> bytes:
    """Return the one way to write a line, line end included."""
    return _ENCODER.encode(line) + b"\n"


def decode_line(text: bytes) -> Line:
    """Return the line that *text* writes; raise msgspec.MsgspecError, ValueError or RecursionError."""
    return _DECODER.decode(text)


def check_of(text: bytes) -> str:
    """Return the check of a game's first line as it is written: of all that stands before the check."""
    return sha256(text[: -_CHECK_LENGTH - 1]).hexdigest()


def game_line(head: Head, number: int, names: Mapping[str, str]) -> GameLine:
    """Return the first line of a game, the *number*-th of its file."""
    line = GameLine(
        format="lanterlog",
        v=1,
        number=number,
        game_id=head.game_id,
        kind=cast("Kind", head.kind),
        game=head.game,
        mode=cast("Mode", head.mode),
        visibility=cast("Visibility", head.visibility),
        created_at=time_text(head.created_at),
        events=head.version,
        head=head.head.hex(),
        people=dict(names),
        check="0" * 64,
    )
    return msgspec.structs.replace(line, check=check_of(encode_line(line)))


def part_line(
    head: Head, number: int, position: int, link: tuple[int, bytes], names: Mapping[str, str]
) -> PartLine:
    """Return the first line of a part, the *number*-th of its file, that ends with *head*.

    *link* is where it goes on: the version before its first event, and that version's hash.
    """
    after, previous = link
    line = PartLine(
        format="lanterlog",
        v=1,
        number=number,
        position=position,
        game_id=head.game_id,
        kind=cast("Kind", head.kind),
        game=head.game,
        mode=cast("Mode", head.mode),
        visibility=cast("Visibility", head.visibility),
        created_at=time_text(head.created_at),
        after=after,
        previous=previous.hex(),
        events=head.version - after,
        head=head.head.hex(),
        people=dict(names),
        check="0" * 64,
    )
    return msgspec.structs.replace(line, check=check_of(encode_line(line)))


def event_line(event: StoredEvent, text: tuple[bytes, str] | None) -> EventLine:
    """Return an event's line, with the (salt, text) of its remark if it has one."""
    return EventLine(
        version=event.version,
        recorded_at=time_text(event.recorded_at),
        recorded_by=event.recorded_by,
        salt=event.salt.hex(),
        hash=event.hash.hex(),
        body=msgspec.Raw(event.body),
        remark=None if text is None else Remark(text[0].hex(), text[1]),
    )


def withheld_line(event: StoredEvent) -> WithheldLine:
    """Return the line of an event whose body may not be seen."""
    return WithheldLine(
        version=event.version,
        recorded_at=time_text(event.recorded_at),
        recorded_by=event.recorded_by,
        inner=inner_hash(event.salt, event.body).hex(),
        hash=event.hash.hex(),
    )


def time_text(microseconds: int) -> str:
    """Return a time as a file has it: RFC 3339 in UTC, always with six decimals."""
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds") + "Z"


def microseconds_of(text: str) -> int | None:
    """Return the microseconds since 1970 of a time as `time_text` writes it, None for any other text."""
    try:
        at = (datetime.fromisoformat(text.removesuffix("Z")) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError):
        return None
    return at if time_text(at) == text else None
