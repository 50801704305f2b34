"""Twins: two logs that differ only in cards that a viewer may not see, and what is the same in answers about them.

A twin is made by changing hidden cards for one another, everywhere in the log, from each shuffle on: whatever the
viewer has seen stays as it is, so does the number of cards in every place.
"""

import gzip
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from events.cards import ALL_CARDS, FIRST_PACK, UNKNOWN, physical
from events.common import Event, Shuffled
from events.games import GAMES
from projections.seen import seen_as
from projections.viewer import Viewer
from projections.views import open_upto

_CARDS = frozenset(ALL_CARDS) - {UNKNOWN}


def cards_in(value: Any) -> set[str]:
    """Return every card that an event, or a part of one, names; a joker's face is none."""
    match value:
        case str():
            card = physical(value)
            return {card} if card in _CARDS else set()
        case dict():
            return cards_in(list(value.values()))
        case list() | tuple():
            return set().union(*map(cards_in, value))
        case msgspec.Struct():
            return cards_in(list(asdict(value).values()))
    return set()


def twin_of(game: str, log: Sequence[Any], viewer: Viewer, rng: random.Random) -> list[Any]:
    """Return the log with its hidden cards changed for one another; the viewer sees the same log.

    Where the record does not know the deck, for cards that it knows nowhere, too.
    """
    seen = seen_as(GAMES[game], log, viewer).held
    twin = list(log)
    begins = [at for at, event in enumerate(log) if _begins(event)]
    for begin, end in zip(begins, [*begins[1:], len(log)], strict=True):
        if begin + 1 <= open_upto(game, log):
            continue
        for at in range(begin, end):
            pile = _shuffled(twin[at])
            if pile:
                known = cards_in(seen[at:end])
                deck = set(FIRST_PACK) if UNKNOWN in pile else set()
                hidden = sorted((set(pile) | deck) - known - {UNKNOWN})
                swap = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
                twin[at:end] = [
                    _swapped(event, swap, at == n) for n, event in enumerate(twin[at:end], at)
                ]
    assert seen_as(GAMES[game], twin, viewer).held == seen
    return twin


def _begins(event: Event) -> bool:
    return isinstance(event, Shuffled) or event.__struct_config__.tag == "position_set"


def _shuffled(event: Event) -> tuple[str, ...]:
    """Return the cards that an event brings into an order that nobody knows."""
    match event.__struct_config__.tag:
        case "shuffled":
            return tuple(event.deck)  # type: ignore[attr-defined]
        case "position_set":
            return tuple(cards_in(event))
        case "stock_renewed":
            return tuple(getattr(event, "stock", getattr(event, "cards", ())))
    return ()


def _swapped(value: Any, swap: Mapping[str, str], is_first: bool = False) -> Any:
    match value:
        case str():
            card = physical(value)
            return swap[card] + value[len(card) :] if card in swap else value
        case tuple():
            return tuple(_swapped(one, swap) for one in value)
        case msgspec.Struct():
            changed = {name: _swapped(field, swap) for name, field in asdict(value).items()}
            return replace(value, **changed)
    return value


_MASKS = (
    (re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])"), b"<hash>"),
    (re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), b"<salt>"),
    (re.compile(rb'"request_id":"[0-9a-f]{16}"'), b"<request>"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)?"), b"<time>"),
    (re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?"), b"<moment>"),
    (re.compile("\\d{4}年\\d+月\\d+日 ?\\d\\d:\\d\\d(:\\d\\d)?".encode()), b"<moment>"),
    (re.compile(rb"Expires=[^;]*"), b"<expires>"),
    (re.compile(rb'"next":"[^"]*"'), b"<cursor>"),
    (re.compile(rb"cursor=[^&\"' ]*"), b"<cursor>"),
)
_OWN = frozenset({"x-request-id", "date", "etag", "ratelimit-remaining", "ratelimit-reset"})
_UUID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Names(dict[bytes, bytes]):
    """Ids of what each of two stores has made for itself, by the order in which it was made."""

    def add(self, one: object) -> None:
        self[str(one).encode()] = b"<id %d>" % len(self)


def masked(body: bytes, names: Mapping[bytes, bytes] | None = None) -> bytes:
    """Return a body without what differs between any two stores: salts, hashes, times, ids of requests and tokens."""
    for pattern, word in _MASKS:
        body = pattern.sub(word, body)
    if names:
        body = _UUID.sub(lambda found: names.get(found[0], found[0]), body)
    return body


class Seen(msgspec.Struct, frozen=True):
    """What a viewer gets to see of one answer, and what whoever runs the server sees of it.

    What was compressed is compared as it was before: how well hashes compress is chance.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    size: int
    body: bytes
    lines: bytes
    sent: tuple[str, ...]
    whole: bytes
    tag: str | None

    @classmethod
    def of(
        cls,
        answer: Any,
        names: Mapping[bytes, bytes] | None = None,
        lines: Iterable[Mapping[str, Any]] = (),
        sent: Iterable[str] = (),
    ) -> "Seen":
        data, own = answer.get_data(), set(_OWN)
        if answer.headers.get("Content-Encoding") == "gzip" and data:
            data = gzip.decompress(data)
        if "Content-Encoding" in answer.headers:
            own.add("content-length")
        kept = sorted(
            (k.lower(), masked(v.encode(), names).decode())
            for k, v in answer.headers
            if k.lower() not in own
        )
        told = [{k: v for k, v in line.items() if k not in ("ms", "request_id")} for line in lines]
        return cls(
            answer.status_code,
            tuple(kept),
            len(data),
            masked(data, names),
            masked(msgspec.json.encode(told), names),
            tuple(sent),
            answer.get_data(),
            answer.headers.get("ETag"),
        )

    def differs(self, other: "Seen") -> str | None:
        """Return what tells the two apart, None if nothing does."""
        for name in ("status", "headers", "size", "body", "lines", "sent"):
            mine, others = getattr(self, name), getattr(other, name)
            if mine != others:
                return f"{name}: {_apart(mine, others)}"
        if self.whole and self.whole == other.whole and self.tag != other.tag:
            return f"tag: {self.tag} {other.tag}"
        return None


def _apart(one: Any, other: Any) -> str:
    if isinstance(one, bytes):
        at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        return f"...{one[max(0, at - 80) : at + 80]!r} | ...{other[max(0, at - 80) : at + 80]!r}"
    return f"{one} | {other}"
