"""What the timelines of all games are made of: a deal with its versions, and cutting a log into deals.

Pure; knows no particular game. A game brings a `DealLine` of its own with what was done in the deal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from events.common import DealEnded, DealScored, Event, GameEnded, Redealt

Versioned = tuple[int, Event]


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

    @property
    def steps(self) -> tuple[int, ...]:
        """The versions with which a turn or a trick of this deal begins, in order."""
        return ()


D = TypeVar("D", bound=DealLine)
# How a deal begins with an event (None if it does not), and a deal with one more event told.
Begins = Callable[[int, Event], D | None]
Tells = Callable[[D, int, Event], D]


def cut(kept: Sequence[Versioned], begins: Begins[D], tells: Tells[D]) -> Iterator[D]:
    """Yield the deals of the events in force; what comes before the first belongs to none."""
    deal: D | None = None
    for version, event in kept:
        new = begins(version, event)
        if new is not None:
            if deal is not None:
                yield deal
            deal = new
        elif deal is not None and not isinstance(event, GameEnded):
            deal = replace(_ended(tells(deal, version, event), event), last=version)
    if deal is not None:
        yield deal


def _ended(deal: D, event: Event) -> D:
    """Return the deal's line with how it ended and what it brought, as every game records it."""
    match event:
        case DealEnded():
            return replace(deal, reason=event.reason, out=event.out)
        case Redealt():
            return replace(deal, reason=event.reason)
        case DealScored():
            return replace(deal, scores=event.scores, totals=event.totals)
        case _:
            return deal
