"""Whether what a store holds is what was recorded: chains, heads, texts and the ledger, as pure functions.

Takes rows as they come, in order, one at a time, and names the first version of a game, or the first
position of the ledger, that cannot be right. Knows no database: `events.scan` brings the rows.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal
from uuid import UUID

import msgspec

from events.chain import NIL_HEAD, event_hash, inner_hash, ledger_hash, text_hash
from events.errors import FormatError
from events.records import Head, StoredEvent

Part = Literal["events", "head", "text", "command", "import", "ledger", "anchor"]

_MISSING: Final = "is missing"
_WRONG_HASH: Final = "has another hash than follows from it"


class Damage(msgspec.Struct, frozen=True):
    """A place that cannot be right: of a game (with its version) or of the ledger (with its position)."""

    part: Part
    reason: str
    game_id: UUID | None = None
    version: int | None = None
    position: int | None = None


class Seal(msgspec.Struct, frozen=True):
    """One row of the ledger: versions of one game, the hash that the last of them had, and when (us)."""

    position: int
    game_id: UUID
    from_version: int
    to_version: int
    head: bytes
    previous: bytes
    sealed_at: int

    @property
    def hash(self) -> bytes:
        """What the row after this one holds as `previous`."""
        return ledger_hash(
            self.position,
            self.previous,
            self.game_id,
            self.from_version,
            self.to_version,
            self.head,
            self.sealed_at,
        )


class Remark(msgspec.Struct, frozen=True):
    """A free text that lies beside the log, with its salt."""

    version: int
    salt: bytes
    text: str


class Anchor(msgspec.Struct, frozen=True, tag_field="t", tag="anchor", forbid_unknown_fields=True):
    """Where the ledger stood at a time, kept outside the database: position, that row's hash in hex, and when."""

    position: int
    hash: str
    at: str
    v: Literal[1] = 1


class Held(msgspec.Struct, frozen=True):
    """All that a store holds of one game; the iterators are walked once, by version."""

    game_id: UUID
    head: Head | None
    events: Iterator[StoredEvent]
    remarks: Iterator[Remark]
    seals: Iterator[Seal]
    waiting: int
    """The last version that waits for the sealer, 0 for none."""


def check_game(held: Held) -> tuple[int, Damage | None]:
    """Return how many events of a game hold from its first, and the first place that does not."""
    walk = _Walk(held)
    for event in held.events:
        damage = walk.take(event)
        if damage is not None:
            return walk.version, damage
    return walk.version, walk.end()


def check_ledger(
    rows: Iterable[Seal], first: int, previous: Seal | None, last: int
) -> Damage | None:
    """Return the first row of the ledger from position *first* to *last* that does not follow the one before.

    *previous* is the row before the first, None at position 1 and where it is missing, which is another
    stretch's affair.
    """
    position, expected = first, NIL_HEAD if previous is None else previous.hash
    for row in rows:
        if row.position != position:
            return _unsealed(position, _MISSING)
        if row.previous != expected and (previous is not None or position > first or first == 1):
            reason = f"does not follow from position {position - 1}: one of the two was changed"
            return _unsealed(position, reason)
        position, expected = position + 1, row.hash
    return None if position > last else _unsealed(position, _MISSING)


def check_anchor(anchor: Anchor, row: Seal | None) -> Damage | None:
    """Return what an anchor tells of a ledger that has (or lacks) *row* at the anchor's position."""
    if anchor.position == 0:
        return None
    if row is None:
        return Damage(
            "anchor", f"is missing: it was there on {anchor.at}", position=anchor.position
        )
    if row.hash.hex() != anchor.hash:
        reason = f"has another hash than on {anchor.at}: the ledger was rewritten up to here"
        return Damage("anchor", reason, position=anchor.position)
    return None


def anchor_at(row: Seal | None, at: str) -> Anchor:
    """Return the anchor of a ledger that ends with *row* (None: is empty) at this time."""
    if row is None:
        return Anchor(0, NIL_HEAD.hex(), at)
    return Anchor(row.position, row.hash.hex(), at)


def read_anchors(lines: Iterable[bytes]) -> Iterator[Anchor]:
    """Yield the anchors of a file; raise FormatError with the line that is none."""
    decoder = msgspec.json.Decoder(Anchor)
    for number, line in enumerate(lines, 1):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(number, f"not an anchor: {error}") from error


class _RemarkedBody(msgspec.Struct, frozen=True):
    """What an event's body must be for a text to belong to it: only the hash makes it so."""

    text: str | None = None


class _Walk:
    """One way through one game; `version` is the last that holds."""

    def __init__(self, held: Held) -> None:
        self.version = 0
        self._held = held
        self._previous = NIL_HEAD
        self._latest: int | None = None
        self._seal = next(held.seals, None)
        self._sealed = 0
        self._remark = next(held.remarks, None)

    def take(self, event: StoredEvent) -> Damage | None:
        """Go one event further, or say why not."""
        version = self.version + 1
        if self._held.head is None:
            return self._bad("head", version, "belongs to a game that has no head")
        if event.version != version:
            return self._bad("events", version, _MISSING)
        if event.hash != self._hash(event):
            return self._bad("events", version, _WRONG_HASH)
        if self._latest is not None and event.recorded_at < self._latest:
            return self._bad("events", version, "has a time before that of the event before it")
        damage = self._check_seal(event) or self._check_remark(event)
        if damage is None:
            self.version, self._previous, self._latest = version, event.hash, event.recorded_at
        return damage

    def end(self) -> Damage | None:
        """Say what is wrong with the whole, now that the last event has been seen."""
        head, version = self._held.head, self.version
        missing = version + 1
        if self._seal is not None:
            where = f"the ledger counts it at position {self._seal.position}"
            return self._bad("events", missing, f"{_MISSING}: {where}")
        if self._remark is not None:
            return self._bad("text", self._remark.version, "has a text and no event")
        if head is None:
            return self._bad("head", missing, "is counted of a game that has no head")
        if head.version > version:
            return self._bad("events", missing, f"{_MISSING}: the head counts {head.version}")
        if head.version < version:
            reason = f"stands after the last version that the head counts, {head.version}"
            return self._bad("events", head.version + 1, reason)
        if head.head != self._previous:
            return self._bad("head", version, "has another hash than the head")
        if version > self._sealed and self._held.waiting != version:
            reason = "is neither in the ledger nor waiting for it"
            return self._bad("ledger", self._sealed + 1, reason)
        return None

    def _hash(self, event: StoredEvent) -> bytes:
        return event_hash(
            event.game_id,
            event.version,
            self._previous,
            event.recorded_at,
            event.recorded_by,
            inner_hash(event.salt, event.body),
        )

    def _check_seal(self, event: StoredEvent) -> Damage | None:
        seal = self._seal
        if seal is None:
            return None
        if seal.from_version != self._sealed + 1 or seal.to_version < seal.from_version:
            reason = f"is not where position {seal.position} of the ledger goes on"
            return self._bad("ledger", self._sealed + 1, reason)
        if seal.to_version != event.version:
            return None
        if seal.head != event.hash:
            reason = f"has another hash than position {seal.position} of the ledger: rewritten"
            upto = "" if seal.from_version == seal.to_version else f" to {seal.to_version}"
            return self._bad("ledger", seal.from_version, f"{upto} {reason}".strip())
        self._sealed, self._seal = seal.to_version, next(self._held.seals, None)
        return None

    def _check_remark(self, event: StoredEvent) -> Damage | None:
        remark = self._remark
        if remark is None or remark.version > event.version:
            return None
        try:
            body = msgspec.json.decode(event.body, type=_RemarkedBody)
        except (msgspec.DecodeError, UnicodeDecodeError):
            body = _RemarkedBody()
        hash_ = text_hash(remark.salt, remark.text).hex()
        if remark.version < event.version or body.text != hash_:
            return self._bad("text", remark.version, "has another text than its event names")
        self._remark = next(self._held.remarks, None)
        return None

    def _bad(self, part: Part, version: int, reason: str) -> Damage:
        return Damage(part, reason, self._held.game_id, version)


def _unsealed(position: int, reason: str) -> Damage:
    return Damage("ledger", reason, position=position)
