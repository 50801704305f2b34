"""Games as tables, one row an event, a deal, a score or a finding: what CSV and Parquet have alike.

Made from what a reader may see, and from nothing else. Reads no request and no database, writes no file. Disputes are
in `tabular_disputes.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, Literal

import msgspec

from api.files import Filed
from api.viewing import Eyes
from api.wire import encode
from events.codec import encode as encode_event
from events.common import Event, GameOpened
from events.formats.notation_writer import write_event
from events.game import Game
from events.games import game_named
from projections.audit import audit
from projections.course import DealLine
from projections.explain import sentence
from projections.timeline import timeline

Kind = Literal["text", "id", "int", "time", "ints", "json", "bool"]
"""What a column holds; `time` is microseconds since 1970, `ints` by seat with None where not known."""
TableName = Literal["events", "deals", "scores", "findings", "disputes", "rulings"]
Row = tuple[Any, ...]


class Seen:
    """One game as somebody may see it, from the version after *after* on and up to *upto*.

    Or a dispute, of which nothing is hidden: without eyes, `game` and `upto` are all that it has.
    """

    def __init__(
        self, game: Filed, eyes: Eyes | None, after: int = 0, upto: int | None = None
    ) -> None:
        self.game = game
        self.eyes = eyes
        self.after = after
        self.upto = len(game.events) if upto is None else upto

    @cached_property
    def rules(self) -> Game[Any, Any]:
        """The game's rules."""
        return game_named(self.game.head.game)

    @cached_property
    def events(self) -> Sequence[Event]:
        """All events up to the last version, as they may be seen."""
        assert self.eyes is not None
        return self.eyes.events(self.game.events[: self.upto])

    @cached_property
    def deals(self) -> tuple[DealLine, ...]:
        """The deals in order."""
        return timeline(self.rules, self.events).deals

    @property
    def opened(self) -> GameOpened[Any]:
        """The event that opened the game."""
        opened = self.events[0]
        assert isinstance(opened, GameOpened)
        return opened


class Table(msgspec.Struct, frozen=True):
    """A table: its columns with what they hold, and the rows of one game, or of one dispute."""

    name: TableName
    columns: tuple[tuple[str, Kind], ...]
    rows: Callable[[Seen], Iterator[Row]]
    kind: Literal["game", "dispute"] = "game"

    @property
    def is_whole(self) -> bool:
        """Whether its rows are made from whole games, so that a game that has grown is given anew."""
        return self.name != "events"


def rows_of(table: Table, games: Iterable[Seen]) -> Iterator[Row]:
    """Yield the rows of a table, game by game."""
    for game in games:
        yield from table.rows(game)


def _events(seen: Seen) -> Iterator[Row]:
    head = seen.game.head
    deals = _deal_numbers(seen.deals)
    for version in range(seen.after + 1, seen.upto + 1):
        stored, event = seen.game.stored[version - 1], seen.events[version - 1]
        is_whole = event is seen.game.events[version - 1]
        yield (
            head.game_id,
            head.game,
            version,
            stored.recorded_at,
            stored.recorded_by,
            deals.get(version),
            event.__struct_config__.tag,
            getattr(event, "seat", None),
            _words(seen, version, event),
            (stored.body if is_whole else encode_event(event)).decode(),
            not is_whole,
            stored.hash.hex(),
        )


def _deal_numbers(deals: Iterable[DealLine]) -> dict[int, int]:
    return {v: deal.deal for deal in deals for v in range(deal.first, deal.last + 1)}


def _words(seen: Seen, version: int, event: Event) -> str:
    if version == 1:
        return ""
    _, remark = seen.game.remarks.get(version, (b"", ""))
    return write_event(seen.game.head.game, event, len(seen.opened.seats), remark)


def _deals(seen: Seen) -> Iterator[Row]:
    head = seen.game.head
    for deal in seen.deals:
        yield (
            head.game_id,
            head.game,
            deal.deal,
            deal.first,
            deal.last,
            deal.dealer,
            deal.reason,
            deal.out,
            deal.scores,
            deal.totals,
        )


def _scores(seen: Seen) -> Iterator[Row]:
    head, names = seen.game.head, seen.game.names
    for deal in seen.deals:
        if deal.scores is None or deal.totals is None:
            continue
        for seat, player in enumerate(seen.opened.seats):
            yield (
                head.game_id,
                head.game,
                deal.deal,
                deal.first,
                seat,
                player,
                names.get(player),
                deal.scores[seat],
                deal.totals[seat],
            )


def _findings(seen: Seen) -> Iterator[Row]:
    head, report = seen.game.head, audit(seen.rules, seen.events)
    found = sorted((*report.findings, *report.unchecked), key=lambda one: one.version)
    for number, one in enumerate(found, 1):
        yield (
            head.game_id,
            head.game,
            number,
            one.version,
            one.deal,
            one.seat,
            one.severity,
            one.code,
            one.rule,
            one.event,
            sentence(one),
            encode(one.params).decode(),
        )


GAME: Final[tuple[tuple[str, Kind], ...]] = (("game_id", "id"), ("game", "text"))

EVENTS: Final = Table(
    "events",
    (
        *GAME,
        ("version", "int"),
        ("recorded_at", "time"),
        ("recorded_by", "id"),
        ("deal", "int"),
        ("type", "text"),
        ("seat", "int"),
        ("words", "text"),
        ("event", "json"),
        ("is_withheld", "bool"),
        ("hash", "text"),
    ),
    _events,
)
DEALS: Final = Table(
    "deals",
    (
        *GAME,
        ("deal", "int"),
        ("from_version", "int"),
        ("to_version", "int"),
        ("dealer", "int"),
        ("ended", "text"),
        ("out", "int"),
        ("scores", "ints"),
        ("totals", "ints"),
    ),
    _deals,
)
SCORES: Final = Table(
    "scores",
    (
        *GAME,
        ("deal", "int"),
        ("from_version", "int"),
        ("seat", "int"),
        ("player_id", "id"),
        ("player", "text"),
        ("score", "int"),
        ("total", "int"),
    ),
    _scores,
)
FINDINGS: Final = Table(
    "findings",
    (
        *GAME,
        ("number", "int"),
        ("version", "int"),
        ("deal", "int"),
        ("seat", "int"),
        ("severity", "text"),
        ("code", "text"),
        ("rule", "text"),
        ("event", "text"),
        ("sentence", "text"),
        ("params", "json"),
    ),
    _findings,
)
