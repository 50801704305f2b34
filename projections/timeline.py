"""A game at a glance: its deals with the versions they span, who dealt, how they ended, and what was done in them.

Pure. Turns, melds and calls are those of 500 Rummy. Only what is in force counts, but every retraction is
listed. A timeline tells what its events tell: for a viewer, make it from the log as that viewer sees it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from events.common import (
    DealEnded,
    DealScored,
    Event,
    GameEnded,
    GameOpened,
    Remarked,
    Retracted,
    Shuffled,
)
from events.errors import NotALogError
from events.game import Game, effective
from events.rummy500.events import (
    Discarded,
    DrawDeclined,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    PositionSet,
    RummyCalled,
    StockDrawn,
    StockRenewed,
)

Draw = Literal["stock", "pile", "call", "declined"]


class Turn(msgspec.Struct, frozen=True):
    """One turn: how it began, what came from the pile, and the discard that ended it, null if none did."""

    seat: int
    first: int
    last: int
    drawn: Draw | None = None
    taken: tuple[str, ...] = ()
    discard: str | None = None


class MeldMade(msgspec.Struct, frozen=True):
    """A new meld, or cards laid off (`kind` null) with the melds that they went to in `melds`."""

    version: int
    seat: int
    kind: str | None
    melds: tuple[int, ...]
    cards: tuple[str, ...]


class Call(msgspec.Struct, frozen=True):
    """A call of "Rummy!" and why it fell, if it did."""

    version: int
    seat: int
    card: str
    accepted: bool
    code: str | None


class DealLine(msgspec.Struct, frozen=True):
    """A deal from version `first` to `last`; what has not happened yet is null."""

    deal: int
    dealer: int
    first: int
    last: int
    reason: str | None = None
    out: int | None = None
    scores: tuple[int | None, ...] | None = None
    totals: tuple[int | None, ...] | None = None
    turns: tuple[Turn, ...] = ()
    melds: tuple[MeldMade, ...] = ()
    calls: tuple[Call, ...] = ()


class Remark(msgspec.Struct, frozen=True):
    """Where a remark was made; its text lies beside the log."""

    version: int
    seat: int | None


class Retraction(msgspec.Struct, frozen=True):
    """Where the record went back, and to where."""

    version: int
    back_to: int
    reason: str


class Timeline(msgspec.Struct, frozen=True):
    """A whole game; `winner` is null while it goes on and when it was abandoned."""

    game: str
    seats: int
    versions: int
    deals: tuple[DealLine, ...]
    remarks: tuple[Remark, ...]
    retractions: tuple[Retraction, ...]
    ended: bool
    winner: int | None
    abandoned: bool


def timeline(game: Game[Any, Any], events: Sequence[Event]) -> Timeline:
    """Return the timeline of a log; raise NotALogError for one that does not begin as one does."""
    if not events or not isinstance(events[0], GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    kept = effective(events)
    end = next((event for _, event in kept if isinstance(event, GameEnded)), None)
    return Timeline(
        game=game.name,
        seats=len(events[0].seats),
        versions=len(events),
        deals=tuple(_deals(kept)),
        remarks=tuple(Remark(v, event.seat) for v, event in kept if isinstance(event, Remarked)),
        retractions=tuple(
            Retraction(version, event.back_to, event.reason)
            for version, event in enumerate(events, 1)
            if isinstance(event, Retracted)
        ),
        ended=end is not None,
        winner=None if end is None else end.winner,
        abandoned=end is not None and end.abandoned,
    )


def _deals(kept: Sequence[tuple[int, Event]]) -> Iterator[DealLine]:
    deal: DealLine | None = None
    for version, event in kept:
        if isinstance(event, Shuffled | PositionSet):
            if deal is not None:
                yield deal
            deal = DealLine(event.deal, event.dealer, version, version)
        elif deal is not None and not isinstance(event, GameEnded):
            deal = replace(_told(deal, version, event), last=version)
    if deal is not None:
        yield deal


def _told(deal: DealLine, version: int, event: Event) -> DealLine:
    """Return the deal's line with one more event told."""
    match event:
        case DealEnded():
            return replace(deal, reason=event.reason, out=event.out)
        case DealScored():
            return replace(deal, scores=event.scores, totals=event.totals)
        case MeldLaid():
            made = MeldMade(version, event.seat, event.kind, (event.meld,), event.cards)
            return _played(replace(deal, melds=(*deal.melds, made)), version, event.seat)
        case LaidOff():
            made = _laid_off(version, event)
            return _played(replace(deal, melds=(*deal.melds, made)), version, event.seat)
        case RummyCalled():
            return _called(deal, version, event)
        case StockDrawn() | PileTaken() | DrawDeclined() | StockRenewed():
            return _drawn(deal, version, event)
        case Discarded():
            return _played(deal, version, event.seat, event.card)
        case JokerSwapped() | Floated():
            return _played(deal, version, event.seat)
        case _:
            return deal


def _laid_off(version: int, event: LaidOff) -> MeldMade:
    melds = tuple(dict.fromkeys(placement.meld for placement in event.cards))
    return MeldMade(
        version, event.seat, None, melds, tuple(placement.card for placement in event.cards)
    )


def _called(deal: DealLine, version: int, event: RummyCalled) -> DealLine:
    """Note a call; one that takes cards is the caller's turn, one that only lays off is not (V-4a)."""
    call = Call(version, event.seat, event.card, event.accepted, event.code)
    deal = replace(deal, calls=(*deal.calls, call))
    if not event.accepted or event.lay is not None:
        return deal
    return replace(
        deal, turns=(*deal.turns, Turn(event.seat, version, version, "call", event.cards))
    )


def _drawn(
    deal: DealLine, version: int, event: StockDrawn | PileTaken | DrawDeclined | StockRenewed
) -> DealLine:
    """Begin a turn; the draw from a renewed stock belongs to the turn that the renewal began."""
    turns, first = deal.turns, version
    if turns and turns[-1].drawn is None and turns[-1].seat == event.seat:
        turns, first = turns[:-1], turns[-1].first
    turn = Turn(event.seat, first, version)
    match event:
        case StockDrawn():
            turn = replace(turn, drawn="stock")
        case PileTaken():
            turn = replace(turn, drawn="pile", taken=event.cards)
        case DrawDeclined():
            turn = replace(turn, drawn="declined")
        case StockRenewed():
            pass
    return replace(deal, turns=(*turns, turn))


def _played(deal: DealLine, version: int, seat: int, discard: str | None = None) -> DealLine:
    """Note an act within a turn; one without a draw before it, as in a set-up position, begins a turn."""
    turn = deal.turns[-1] if deal.turns else None
    if turn is None or turn.seat != seat or turn.discard is not None:
        return replace(deal, turns=(*deal.turns, Turn(seat, version, version, discard=discard)))
    return replace(deal, turns=(*deal.turns[:-1], replace(turn, last=version, discard=discard)))
