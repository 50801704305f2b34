"""The words of what twins are asked: what stands in an address, every parameter, every header that a view reads."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from flask import Flask

from api.described import TABLE
from events.cards import FIRST_PACK
from events.common import DealScored
from events.game import effective
from projections.viewer import Viewer

SEATS = 3
Ask = tuple[str, str, Any]
"""A method, an address and a body."""


class Table(msgspec.Struct, frozen=True):
    """What is known of a stored game by whoever asks: its log as the viewer sees it."""

    game: str
    viewer: Viewer
    seen: list[Any]
    rng: random.Random
    disputed: int = 0
    """Events of the dispute about it."""

    @property
    def version(self) -> int:
        return len(self.seen)

    @property
    def is_seat(self) -> bool:
        return isinstance(self.viewer, int)

    @property
    def is_scored(self) -> bool:
        """Whether the first deal is scored, as far as nothing was taken back."""
        scored = (event for _, event in effective(self.seen) if isinstance(event, DealScored))
        return any(event.deal == 1 for event in scored)


Asks = Callable[[Table], list[Ask]]

STREAMED = {"streams.follow"}
"""Asked by `streamed`: they do not end."""
VALUES: dict[str, tuple[str, ...]] = {
    "act": ("A discard CARD", "B play CARD", "A pass", "C stand", "A call CARD", "nonsense"),
    "after": ("0", "BEFORE", "AT", "99999"),
    "at": ("AT", "BEFORE", "BEFORE", "1", "99999"),
    "bias": ("0.5", "2"),
    "by": ("player", "games", "deals", "wins", "points", "calls_won", "loos", "chips"),
    "card": ("CARD", "CARD", "none"),
    "check": ("1",),
    "code": ("NOT_IN_HAND", "DEEP_CARD_UNMELDABLE"),
    "cursor": ("nonsense",),
    "deal": ("1", "2", "99"),
    "dealer": ("PLAYER",),
    "dispute": ("00000000-0000-7000-8000-000000000000",),
    "do": ("open", "say", "link", "withdraw", "rule", "appeal", "decide", "tag"),
    "dry_run": ("1",),
    "edge": ("0.1", "0.3"),
    "embed": ("1",),
    "findings": ("true", "false"),
    "first": ("1", "BEFORE"),
    "format": ("ndjson", "csv", "txt", "html"),
    "free": ("1",),
    "from": ("1", "BEFORE"),
    "game": ("rummy500", "lanterloo", "GAME", "chess"),
    "game_id": ("GAME",),
    "lang": ("en", "ja"),
    "last": ("AT", "BEFORE"),
    "limit": ("1", "3", "100"),
    "lines": ("1",),
    "mode": ("refereed", "recorded"),
    "next": ("/games/GAME", "//stranger.example"),
    "player": ("PLAYER",),
    "players": ("PLAYER",),
    "q": ("Ann", "KS"),
    "rule": ("R-6.7", "R-6.6"),
    "ruled": ("1",),
    "ruleset": ("seed", "loo3", "delboycodes"),
    "scores": ("1", "0"),
    "search": ("Ann", "KS"),
    "seat": ("0", "1", "2", "3", "7"),
    "severity": ("breach", "unchecked"),
    "since": ("0", "3", "2020-01-01T00:00:00Z", "2020-01-01"),
    "standing": ("open", "ruled", "appealed", "final", "withdrawn"),
    "status": ("open", "ended"),
    "table": ("events", "scores", "deals", "disputes", "rulings"),
    "tag": ("twins",),
    "to": ("AT", "BEFORE", "99999"),
    "until": ("99999", "2099-01-01T00:00:00Z", "2099-01-01"),
    "viewer": ("public", "all", "0", "1", "2", "7"),
    "words": ("so be",),
}
"""What each parameter is sent as: every word of those that have a few."""
HEADERS: tuple[Mapping[str, str], ...] = (
    {"Accept-Language": "ja"},
    {"Accept": "application/x-ndjson"},
    {"Accept": "text/csv"},
    {"Accept": "text/html"},
    {"Accept": "text/plain;q=0.5, application/json"},
    {"Accept-Encoding": "gzip"},
    {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "cross-site"},
    {"Accept-Fragment": "1"},
    {"Content-Encoding": "gzip"},
    {"Cookie": "lanterlog_lang=ja"},
    {"Host": "stranger.example"},
    {"Idempotency-Key": "once"},
    {"If-None-Match": "OWN"},
    {"If-None-Match": "*"},
    {"If-Modified-Since": "Wed, 21 Oct 2105 07:28:00 GMT"},
    {"Last-Event-ID": "3"},
    {"Origin": "https://stranger.example"},
    {"Range": "bytes=0-99"},
    {"X-Request-Id": "0123456789abcdef"},
)
"""Headers under which an address is asked once more; `OWN` is the tag of the answer before."""
WHO_ASKS = {"Authorization"}
"""Sent with everything."""


def filled(text: str, table: Table) -> str:
    """Put in what a table has for these words."""
    rng = table.rng
    for word, value in (
        ("GAME", table.game),
        ("AT", str(table.version)),
        ("BEFORE", str(rng.randint(1, table.version))),
        ("CARD", rng.choice(FIRST_PACK)),
        ("PLAYER", str(UUID(int=rng.randint(1, SEATS)))),
    ):
        text = re.sub(rf"\b{word}\b", value, text)
    return text


def tries(app: Flask, table: Table) -> Iterator[tuple[str, Ask]]:
    """Ask every address that has parameters with some of them, chosen by chance, possible or not."""
    for rule in app.url_map.iter_rules():
        names = parameters(rule.endpoint)
        if not names or "GET" not in (rule.methods or ()) or rule.endpoint in STREAMED:
            continue
        path = re.sub(r"<(?:\w+:)?game_id>", table.game, rule.rule)
        path = re.sub(r"<(?:\w+:)?card>", table.rng.choice(FIRST_PACK), path)
        chosen = table.rng.sample(names, min(len(names), table.rng.randint(1, 3)))
        sent = {name: filled(table.rng.choice(VALUES[name]), table) for name in chosen}
        yield rule.endpoint, ("GET", f"{path}?{urlencode(sent)}", None)


def parameters(endpoint: str) -> list[str]:
    """Return the names of an address's parameters."""
    return [one.encode_name for one in msgspec.structs.fields(TABLE[endpoint].query)]
