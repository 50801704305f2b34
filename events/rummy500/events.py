"""What can happen at a table of 500 Rummy, as events; shapes only, no rules.

The actor is always written, also where it follows from the turn. Cards that the record does not know are
`??`. Piles are written bottom first, the stock and a deck top first.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from events.cards import Card, Placed
from events.common import (
    Amount,
    Cards,
    Code,
    Deal,
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Deck,
    Event,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Seat,
    Shuffled,
)
from events.rummy500.ruleset import Ruleset

MOST_MELDS: Final = 1000
MeldId: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_MELDS)]
Kind: TypeAlias = Literal["group", "sequence"]
End: TypeAlias = Literal["low", "high"]
Phase: TypeAlias = Literal["draw", "play", "window"]
Drawn: TypeAlias = Literal["stock", "pile", "call"]
Rank: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
PlacedCards: TypeAlias = Annotated[tuple[Placed, ...], Meta(min_length=1, max_length=120)]


class Placement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One card laid off: on which meld, at which end of a sequence (null on a group)."""

    card: Placed
    meld: MeldId
    end: End | None


class Layer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One card on the table and the seat that put it there."""

    card: Placed
    seat: Seat


class MeldPosition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A meld as a set-up position shows it; a sequence stands low to high."""

    meld: MeldId
    kind: Kind
    cards: Annotated[tuple[Layer, ...], Meta(min_length=1, max_length=120)]


class PositionSet(Event, frozen=True, kw_only=True, tag="position_set"):
    """The record starts from this position; cards that it does not name are out of play.

    `wild` is the letter of the rank that is wild in this deal, null where none is or it is not known (V-9b).
    In phase `window` the turn is that of the next player to draw and `discarder` is who may not call.
    In phase `play` it also says how this turn began: `drawn`, the cards `taken` from the pile (deepest
    first), and the `duty`, the card that still must be melded.
    """

    v: Literal[2] = 2  # type: ignore[assignment]
    deal: Deal
    dealer: Seat
    wild: Rank | None
    turn: Seat
    phase: Phase
    stock: Cards
    pile: Cards
    hands: Annotated[tuple[Cards, ...], Meta(min_length=2, max_length=8)]
    melds: Annotated[tuple[MeldPosition, ...], Meta(max_length=100)]
    drawn: Drawn | None
    taken: Cards
    duty: Card | None
    discarder: Seat | None
    floaters: Annotated[tuple[Seat, ...], Meta(max_length=8)]
    totals: Annotated[tuple[Amount, ...], Meta(min_length=2, max_length=8)]


class FirstCardTurned(Event, frozen=True, kw_only=True, tag="first_card_turned"):
    """A seat's first card was dealt face up: it says how many more come, the dealer's which rank is wild (V-9b)."""

    seat: Seat
    card: Card


class UpcardTurned(Event, frozen=True, kw_only=True, tag="upcard_turned"):
    """The top of the stock was turned up as the first card of the discard pile (R-1.4)."""

    card: Card


class StockDrawn(Event, frozen=True, kw_only=True, tag="stock_drawn"):
    """A player drew the top card of the stock (R-6.2)."""

    seat: Seat
    card: Card


class PileTaken(Event, frozen=True, kw_only=True, tag="pile_taken"):
    """A player took cards from the pile, the deepest first (R-6.3, R-6.5)."""

    seat: Seat
    cards: Deck


class DrawDeclined(Event, frozen=True, kw_only=True, tag="draw_declined"):
    """The stock is empty and the player does not want the pile (R-6.12)."""

    seat: Seat


class MeldLaid(Event, frozen=True, kw_only=True, tag="meld_laid"):
    """A new meld was put down, a sequence low to high (R-3.1)."""

    seat: Seat
    meld: MeldId
    kind: Kind
    cards: PlacedCards


class LaidOff(Event, frozen=True, kw_only=True, tag="laid_off"):
    """Cards were added to a meld in this order, all or none (R-5.8)."""

    seat: Seat
    cards: Annotated[tuple[Placement, ...], Meta(min_length=1, max_length=120)]


class Discarded(Event, frozen=True, kw_only=True, tag="discarded"):
    """A player put a card on the pile and ended the turn (R-6.9)."""

    seat: Seat
    card: Card


class RummyCalled(Event, frozen=True, kw_only=True, tag="rummy_called"):
    """A player called "Rummy!" and named a card of the pile (R-8.1 to R-8.14).

    `cards` are what the caller took, the named card first; a refused call takes nothing and has a `code`.
    `lay` is where the card went at a table that allows only the latest discard (V-4a).
    """

    seat: Seat
    card: Card
    accepted: bool
    code: Code | None
    cards: Cards
    lay: Placement | None


class StockRenewed(Event, frozen=True, kw_only=True, tag="stock_renewed"):
    """A player wanted a stock card, and the pile was shuffled into a new stock (D-R12)."""

    seat: Seat
    stock: Cards
    pile: Cards


class JokerSwapped(Event, frozen=True, kw_only=True, tag="joker_swapped"):
    """A player replaced a joker on the table by a natural card and took it in hand (`joker_swap`)."""

    seat: Seat
    meld: MeldId
    joker: Card
    card: Card


class DiscardChallenged(Event, frozen=True, kw_only=True, tag="discard_challenged"):
    """A final discard was challenged as playable; if accepted, the discarder took it back (12.7)."""

    seat: Seat
    card: Card
    accepted: bool
    code: Code | None


class Floated(Event, frozen=True, kw_only=True, tag="floated"):
    """A player has no cards and no discard, and floats on (12.6)."""

    seat: Seat


Opened: TypeAlias = GameOpened[Ruleset]
RummyEvent: TypeAlias = (
    StockDrawn
    | Discarded
    | PileTaken
    | MeldLaid
    | LaidOff
    | RummyCalled
    | Dealt
    | DrawDeclined
    | StockRenewed
    | Shuffled
    | UpcardTurned
    | FirstCardTurned
    | DealEnded
    | DealScored
    | Remarked
    | Opened
    | GameEnded
    | PositionSet
    | Retracted
    | DealerDrawn
    | Redealt
    | JokerSwapped
    | DiscardChallenged
    | Floated
)
