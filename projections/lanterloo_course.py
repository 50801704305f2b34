"""The deals of a session of Lanterloo at a glance: bids, exchanges, tricks, loos and the pool, with their versions.

Pure. Chips are summed as the events move them; no table is rebuilt. Cards that the log hides stay `??`.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from events.cards import Card
from events.common import (
    Event,
    Shuffled,
)
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Looed,
    PenaltyPaid,
    Played,
    PoolPaid,
    PositionSet,
    Said,
    SessionDivided,
    TrickTaken,
    TurnUp,
)
from projections.course import DealLine, Versioned, cut


class Declared(msgspec.Struct, frozen=True):
    """What a player said; `put_out` are cards changed, `drawn` what came for them, or the miss that was taken."""

    version: int
    seat: int
    choice: Said
    put_out: tuple[Card, ...] = ()
    drawn: tuple[Card, ...] = ()


class FlushMade(msgspec.Struct, frozen=True):
    """A flush or blaze laid open, or claimed (`kind` null: the record does not say of what kind it is)."""

    version: int
    seat: int
    kind: str | None
    cards: tuple[Card, ...]


class Trick(msgspec.Struct, frozen=True):
    """A trick from the lead at version `first` to `last`; `taken_by` is null until it is taken."""

    number: int
    led_by: int
    first: int
    last: int
    cards: tuple[Played, ...]
    taken_by: int | None = None


class Paid(msgspec.Struct, frozen=True):
    """Chips that came out of the pool, and what for."""

    version: int
    seat: int
    amount: int
    paid_for: str


class Loo(msgspec.Struct, frozen=True):
    """A loo, paid into the pool or to another seat (`to`)."""

    version: int
    seat: int
    amount: int
    to: int | None


class Penalty(msgspec.Struct, frozen=True):
    """What an irregularity cost, paid into this pool or into the next."""

    version: int
    seat: int
    amount: int
    to: str
    reason: str


class LooDeal(DealLine, frozen=True):
    """A deal of Lanterloo.

    `pool` is what was played for: the chips in the middle when trumps were turned up, and single penalties that
    came later. `left` is what lay there in the end, or lies there now.
    """

    turn_up: Card | None = None
    pool: int = 0
    left: int = 0
    bids: tuple[Declared, ...] = ()
    flushes: tuple[FlushMade, ...] = ()
    tricks: tuple[Trick, ...] = ()
    shares: tuple[Paid, ...] = ()
    loos: tuple[Loo, ...] = ()
    penalties: tuple[Penalty, ...] = ()

    @property
    def steps(self) -> tuple[int, ...]:
        """The versions with which tricks begin."""
        return tuple(trick.first for trick in self.tricks)


def deals(kept: Sequence[Versioned]) -> Iterator[LooDeal]:
    """Yield the deals of a session, from its events in force; the pool goes on from deal to deal."""
    set_up = {version for version, event in kept if isinstance(event, PositionSet)}
    before: LooDeal | None = None
    for deal in cut(kept, _begun, _told):
        if before is not None and deal.first not in set_up:
            deal = _after(before, deal)
        yield deal
        before = deal


def _after(before: LooDeal, deal: LooDeal) -> LooDeal:
    """Return a deal with the chips that lay there; a misdeal's penalty stays out of play when it is dealt again."""
    is_again = before.deal == deal.deal
    kept_back = _for_the_next(before) if is_again else 0
    return replace(deal, left=before.left + deal.left, pool=before.left + deal.pool - kept_back)


def _for_the_next(deal: LooDeal) -> int:
    return sum(one.amount for one in deal.penalties if one.to == "next")


def _begun(version: int, event: Event) -> LooDeal | None:
    if isinstance(event, Shuffled):
        return LooDeal(event.deal, event.dealer, version, version)
    if isinstance(event, PositionSet):
        lying = {"turn_up": event.turn_up, "pool": event.pool, "left": event.pool}
        return replace(LooDeal(event.deal, event.dealer, version, version), **lying)
    return None


def _told(deal: LooDeal, version: int, event: Event) -> LooDeal:
    """Return the deal's line with one more act or fact told."""
    match event:
        case CardPlayed():
            return _played(deal, version, event)
        case TrickTaken():
            return _taken(deal, version, event)
        case Bid():
            said = Declared(version, event.seat, event.choice, (), event.cards)
            return replace(deal, bids=(*deal.bids, said))
        case Exchanged():
            said = Declared(version, event.seat, "exchange", event.put_out, event.drawn)
            return replace(deal, bids=(*deal.bids, said))
        case FlushShown() | FlushClaimed() if event.cards:
            kind = event.kind if isinstance(event, FlushShown) else None
            shown = FlushMade(version, event.seat, kind, event.cards)
            return replace(deal, flushes=(*deal.flushes, shown))
        case TurnUp():
            stake = deal.left - _for_the_next(deal)
            return replace(deal, turn_up=event.card, pool=stake)
        case AntePaid() | PoolPaid() | Looed() | PenaltyPaid() | SessionDivided():
            return _moved(deal, version, event)
        case _:
            return deal


def _played(deal: LooDeal, version: int, event: CardPlayed) -> LooDeal:
    card = Played(event.seat, event.card, event.civil)
    last = deal.tricks[-1] if deal.tricks else None
    if last is None or last.taken_by is not None:
        begun = Trick(len(deal.tricks) + 1, event.seat, version, version, (card,))
        return replace(deal, tricks=(*deal.tricks, begun))
    longer = replace(last, last=version, cards=(*last.cards, card))
    return replace(deal, tricks=(*deal.tricks[:-1], longer))


def _taken(deal: LooDeal, version: int, event: TrickTaken) -> LooDeal:
    """Note who took the trick in play; one of which the record has no card is noted all the same."""
    last = deal.tricks[-1] if deal.tricks else None
    if last is None or last.taken_by is not None:
        last = Trick(event.trick, event.seat, version, version, ())
        deal = replace(deal, tricks=(*deal.tricks, last))
    done = replace(last, number=event.trick, last=version, taken_by=event.seat)
    return replace(deal, tricks=(*deal.tricks[:-1], done))


def _moved(
    deal: LooDeal,
    version: int,
    event: AntePaid | PoolPaid | Looed | PenaltyPaid | SessionDivided,
) -> LooDeal:
    """Note chips that move, and what then lies in the middle."""
    seat = getattr(event, "seat", 0)
    match event:
        case AntePaid():
            return replace(deal, left=deal.left + event.amount)
        case PoolPaid():
            paid = Paid(version, seat, event.amount, event.paid_for)
            return replace(deal, left=deal.left - event.amount, shares=(*deal.shares, paid))
        case Looed():
            loo = Loo(version, seat, event.amount, event.to)
            into = event.amount if event.to is None else 0
            return replace(deal, left=deal.left + into, loos=(*deal.loos, loo))
        case PenaltyPaid():
            fine = Penalty(version, seat, event.amount, event.to, event.reason)
            into = event.amount if event.to == "pool" and deal.turn_up is not None else 0
            return replace(
                deal,
                left=deal.left + event.amount,
                pool=deal.pool + into,
                penalties=(*deal.penalties, fine),
            )
        case SessionDivided():
            return replace(deal, left=deal.left - sum(event.shares))
