"""The deals of a game of 500 Rummy at a glance: its turns, melds and calls with their versions. Pure."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from events.common import Event, Shuffled
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
from projections.course import DealLine, Versioned, cut

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


class RummyDeal(DealLine, frozen=True):
    """A deal of 500 Rummy."""

    turns: tuple[Turn, ...] = ()
    melds: tuple[MeldMade, ...] = ()
    calls: tuple[Call, ...] = ()

    @property
    def steps(self) -> tuple[int, ...]:
        """The versions with which turns begin."""
        return tuple(turn.first for turn in self.turns)


def deals(kept: Sequence[Versioned]) -> Iterator[RummyDeal]:
    """Yield the deals of a game, from its events in force."""
    return cut(kept, _begun, _told)


def _begun(version: int, event: Event) -> RummyDeal | None:
    if isinstance(event, Shuffled | PositionSet):
        return RummyDeal(event.deal, event.dealer, version, version)
    return None


def _told(deal: RummyDeal, version: int, event: Event) -> RummyDeal:
    """Return the deal's line with one more act told."""
    match event:
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


def _called(deal: RummyDeal, version: int, event: RummyCalled) -> RummyDeal:
    """Note a call; one that takes cards is the caller's turn, one that only lays off is not (V-4a)."""
    call = Call(version, event.seat, event.card, event.accepted, event.code)
    deal = replace(deal, calls=(*deal.calls, call))
    if not event.accepted or event.lay is not None:
        return deal
    return replace(
        deal, turns=(*deal.turns, Turn(event.seat, version, version, "call", event.cards))
    )


def _drawn(
    deal: RummyDeal, version: int, event: StockDrawn | PileTaken | DrawDeclined | StockRenewed
) -> RummyDeal:
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


def _played(deal: RummyDeal, version: int, seat: int, discard: str | None = None) -> RummyDeal:
    """Note an act within a turn; one without a draw before it, as in a set-up position, begins a turn."""
    turn = deal.turns[-1] if deal.turns else None
    if turn is None or turn.seat != seat or turn.discard is not None:
        return replace(deal, turns=(*deal.turns, Turn(seat, version, version, discard=discard)))
    return replace(deal, turns=(*deal.turns[:-1], replace(turn, last=version, discard=discard)))
