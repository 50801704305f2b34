"""What can happen at a table of Lanterloo, as events; shapes only, no rules.

The actor is always written, also where it follows from the turn. Cards that the record does not know are
`??`. Amounts are chips; every chip that moves is an event. A deck and a stock are written top first.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from events.cards import Card
from events.common import (
    AMOUNT_LIMIT,
    Amount,
    Cards,
    Code,
    Deal,
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Event,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Seat,
    Shuffled,
)
from events.lanterloo.ruleset import Ruleset

Chips: TypeAlias = Annotated[int, Meta(ge=1, le=AMOUNT_LIMIT)]
Suit: TypeAlias = Literal["S", "H", "D", "C"]
Choice: TypeAlias = Literal["stand", "pass", "miss", "defend"]
Said: TypeAlias = Literal["stand", "pass", "miss", "defend", "exchange"]
FlushKind: TypeAlias = Literal["pam_flush", "trump_flush", "plain_flush", "pam_blaze", "blaze"]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=5)]
PaidFor: TypeAlias = Literal["tricks", "walk_over", "flush"]
Fund: TypeAlias = Literal["pool", "next"]


class Played(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A card of a trick, who played it, and whether "Pam, be civil" was said with it."""

    seat: Seat
    card: Card
    civil: bool = False


class PositionSet(Event, frozen=True, kw_only=True, tag="position_set"):
    """The record starts from this position; cards that it does not name are out of play.

    `single` says whether the pool holds nothing but antes (L-5.1). `declared` is what each seat has said so
    far, `aside` the hands of those who passed, `tricks` the number of tricks that each has taken, `trick`
    the cards of the one in play, leader first. `turn` is who declares or plays next.
    """

    deal: Deal
    dealer: Seat
    turn: Seat
    phase: Literal["declare", "play"]
    pool: Annotated[int, Meta(ge=0, le=AMOUNT_LIMIT)]
    single: bool
    trump: Suit
    turn_up: Card | None
    stock: Cards
    miss: Cards
    hands: Annotated[tuple[Cards, ...], Meta(min_length=2, max_length=8)]
    aside: Annotated[tuple[Cards, ...], Meta(min_length=2, max_length=8)]
    declared: Annotated[tuple[Said | None, ...], Meta(min_length=2, max_length=8)]
    tricks: Annotated[tuple[Number, ...], Meta(min_length=2, max_length=8)]
    trick: Annotated[tuple[Played, ...], Meta(max_length=8)]
    balances: Annotated[tuple[Amount, ...], Meta(min_length=2, max_length=8)]


class AntePaid(Event, frozen=True, kw_only=True, tag="ante_paid"):
    """A player put his ante into the pool, as a rule the dealer alone (L-2.2)."""

    seat: Seat
    amount: Chips


class MissDealt(Event, frozen=True, kw_only=True, tag="miss_dealt"):
    """The spare hand of three-card Loo was dealt (L-2.3)."""

    cards: Cards


class TurnUp(Event, frozen=True, kw_only=True, tag="turn_up"):
    """The next card was turned; its suit is trumps (L-2.4)."""

    card: Card


class Bid(Event, frozen=True, kw_only=True, tag="bid"):
    """A player declared (L-4.2, L-4.6, L-4.8); `cards` are those of the miss if he took it, else none."""

    seat: Seat
    choice: Choice
    cards: Cards


class Exchanged(Event, frozen=True, kw_only=True, tag="exchanged"):
    """A player stands and changed cards, which is itself his declaration (L-4.3)."""

    seat: Seat
    put_out: Cards
    drawn: Cards


class StockRenewed(Event, frozen=True, kw_only=True, tag="stock_renewed"):
    """The stock is short: the hands of those who passed were shuffled and laid beneath it (L-4.4)."""

    seat: Seat
    cards: Cards


class FlushShown(Event, frozen=True, kw_only=True, tag="flush_shown"):
    """A flush or blaze lies open, without its holder having to claim it (L-6.5)."""

    seat: Seat
    kind: FlushKind
    cards: Cards


class FlushClaimed(Event, frozen=True, kw_only=True, tag="flush_claimed"):
    """A player claims a flush with these cards, or with none says that he has none to show (L-6.5)."""

    seat: Seat
    cards: Cards


class CardPlayed(Event, frozen=True, kw_only=True, tag="card_played"):
    """A player led or followed; `civil`: he said "Pam, be civil" (L-7.6)."""

    seat: Seat
    card: Card
    civil: bool


class TrickTaken(Event, frozen=True, kw_only=True, tag="trick_taken"):
    """A player took a trick, the first being number 1 (L-7.5)."""

    seat: Seat
    trick: Annotated[int, Meta(ge=1, le=5)]


class PoolPaid(Event, frozen=True, kw_only=True, tag="pool_paid"):
    """A player took chips out of the pool (L-9.1, L-9.2, L-4.5, L-6.4)."""

    seat: Seat
    amount: Chips
    paid_for: PaidFor


class Looed(Event, frozen=True, kw_only=True, tag="looed"):
    """A player was looed and paid: into the pool, or to the seat in `to` (L-9.3 to L-9.5, D-L12)."""

    seat: Seat
    amount: Chips
    to: Seat | None


class PenaltyPaid(Event, frozen=True, kw_only=True, tag="penalty_paid"):
    """A player paid for an irregularity: into the pool in play or the next one (L-12.2)."""

    seat: Seat
    amount: Chips
    to: Fund
    reason: Code


class MissSeen(Event, frozen=True, kw_only=True, tag="miss_seen"):
    """A player looked at the miss without having taken it, an irregularity (L-4.7)."""

    seat: Seat


class SessionDivided(Event, frozen=True, kw_only=True, tag="session_divided"):
    """The session is broken off and what lies in the pool was divided, so much to each seat (L-10.3)."""

    shares: Annotated[
        tuple[Annotated[int, Meta(ge=0, le=AMOUNT_LIMIT)], ...], Meta(min_length=2, max_length=8)
    ]


Opened: TypeAlias = GameOpened[Ruleset]
LooEvent: TypeAlias = (
    CardPlayed
    | Bid
    | TrickTaken
    | Dealt
    | Exchanged
    | PoolPaid
    | Looed
    | AntePaid
    | TurnUp
    | MissDealt
    | Shuffled
    | DealEnded
    | DealScored
    | FlushShown
    | FlushClaimed
    | StockRenewed
    | PenaltyPaid
    | MissSeen
    | Redealt
    | SessionDivided
    | Remarked
    | Opened
    | GameEnded
    | PositionSet
    | Retracted
    | DealerDrawn
)
