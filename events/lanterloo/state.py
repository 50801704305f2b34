"""The table at one moment: everything that the rules and a viewer need, and nothing computed from it.

Frozen throughout: `evolve` makes the next one. Hands hold `??` for cards that the record does not know.
"""

from functools import lru_cache
from typing import Final, Literal, TypeAlias

import msgspec

from events.cards import Card
from events.common import Mode
from events.lanterloo.events import FlushKind, Looed, PenaltyPaid, Played, PoolPaid, Said
from events.lanterloo.ruleset import Ruleset

Phase: TypeAlias = Literal[
    "cut",
    "shuffle",
    "ante",
    "deal",
    "turn_up",
    "declare",
    "claim",
    "show",
    "play",
    "trick",
    "settle",
    "over",
    "scored",
    "divided",
    "ended",
]
# The phases in which a deal can be broken off, declared a misdeal, or its pool divided.
UNDER_WAY: tuple[Phase, ...] = (
    "ante",
    "deal",
    "turn_up",
    "declare",
    "claim",
    "show",
    "play",
    "trick",
    "settle",
)


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A flush or blaze that lies open."""

    seat: int
    kind: FlushKind
    cards: tuple[Card, ...]


class State(msgspec.Struct, frozen=True, gc=False):
    """A table of Lanterloo.

    `turn` is the seat to declare or to play. `pool` counts all chips in the middle, `reserved` those of them
    that belong to the next hand, `antes` what was put in as antes, `before` the balances with which the deal
    began. `bids` are the declarations by seat, `aside` by seat the hands that were laid down by passing or
    for the miss, `put_out` the cards changed. `trick` is the one in play, `played` the cards of those before it.
    `lone` is the seat to whom the pool falls unplayed (L-4.5), `answered` who has claimed or declined once
    somebody claimed a flush. In phase `settle` `owed` are the payments still to come, `open_loos` the seats
    of whom the record does not show whether they are looed; `loos` counts the loos of this hand. `pam` is the
    card that is Pam in this hand. `single` is for a pool of nothing but antes (L-5.1). `penalties` are still
    to be paid, `doubtful` those for acts that may have broken a rule, by cards that the record does not know (L-12.3),
    `forfeits` the seats whose tricks stay in the pool (L-12.2). `in_play` is the number of cards that the deal began with, `surplus`
    what the record has shown beyond them.
    """

    ruleset: Ruleset
    mode: Mode
    seats: int
    dealer: int
    balances: tuple[int, ...]
    before: tuple[int, ...]
    deal: int = 1
    phase: Phase = "shuffle"
    turn: int = 0
    drawing: tuple[int, ...] = ()
    again: bool = False
    pool: int = 0
    reserved: int = 0
    antes: int = 0
    anted: tuple[bool, ...] = ()
    single: bool = False
    deck: tuple[Card, ...] = ()
    stock: tuple[Card, ...] = ()
    hands: tuple[tuple[Card, ...], ...] = ()
    dealt: tuple[bool, ...] = ()
    miss: tuple[Card, ...] = ()
    miss_dealt: bool = False
    turn_up: Card | None = None
    trump: str | None = None
    pam: Card | None = None
    bids: tuple[Said | None, ...] = ()
    aside: tuple[tuple[Card, ...], ...] = ()
    put_out: tuple[Card, ...] = ()
    trick: tuple[Played, ...] = ()
    played: tuple[Played, ...] = ()
    tricks: tuple[int, ...] = ()
    shown: tuple[Shown, ...] = ()
    answered: tuple[int, ...] = ()
    lone: int | None = None
    owed: tuple[PoolPaid | Looed, ...] = ()
    open_loos: tuple[int, ...] = ()
    loos: int = 0
    penalties: tuple[PenaltyPaid, ...] = ()
    doubtful: tuple[PenaltyPaid, ...] = ()
    forfeits: tuple[int, ...] = ()
    in_play: int = 0
    surplus: tuple[Card, ...] = ()
    ended: str | None = None
    scores: tuple[int | None, ...] | None = None
    winner: int | None = None
    abandoned: bool = False

    def seat_after(self, seat: int) -> int:
        """Return the next seat clockwise, the player to the left (L-1.3)."""
        return (seat + 1) % self.seats

    @property
    def order(self) -> tuple[int, ...]:
        """The seats from eldest round to the dealer."""
        return _order(self.seats, self.dealer)

    @property
    def players(self) -> tuple[int, ...]:
        """Who plays, in order: the standers, and a dealer who defends the pool (L-4.8)."""
        return _who_said(self.bids, self.dealer, _PLAYING)

    @property
    def standers(self) -> tuple[int, ...]:
        """Who has declared to play for himself, in order."""
        return _who_said(self.bids, self.dealer, _STANDING)

    @property
    def stake(self) -> int:
        """The chips that are played for, P."""
        return self.pool - self.reserved


_STANDING: Final = frozenset({"stand", "miss", "exchange"})
_PLAYING: Final = _STANDING | {"defend"}


# A table has few declarations, and asks who plays at every card.
@lru_cache(maxsize=64)
def _order(seats: int, dealer: int) -> tuple[int, ...]:
    return tuple((dealer + step) % seats for step in range(1, seats + 1))


@lru_cache(maxsize=4096)
def _who_said(bids: tuple[Said | None, ...], dealer: int, words: frozenset[str]) -> tuple[int, ...]:
    return tuple(seat for seat in _order(len(bids), dealer) if bids[seat] in words)
