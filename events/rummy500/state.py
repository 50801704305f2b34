"""The table at one moment: everything that the rules and a viewer need, and nothing computed from it.

Frozen throughout: `evolve` makes the next one. Hands hold `??` for cards that the record does not know.
"""

from typing import Literal, TypeAlias

import msgspec

from events.cards import JOKERS_ONLY, RANKS, Card, Placed
from events.common import Mode
from events.rummy500.events import MOST_MELDS, Drawn, Kind, RummyCalled
from events.rummy500.ruleset import Ruleset

TablePhase: TypeAlias = Literal[
    "cut",
    "shuffle",
    "deal",
    "upcard",
    "redeal",
    "draw",
    "play",
    "window",
    "over",
    "scored",
    "ended",
]
IN_PLAY: tuple[TablePhase, ...] = ("draw", "play", "window")


class Laid(msgspec.Struct, frozen=True, gc=False):
    """A card on the table and the seat that put it there, its layer (R-3.7)."""

    card: Placed
    seat: int


class Meld(msgspec.Struct, frozen=True, gc=False):
    """A group or sequence on the table, and the seat that founded it.

    `low` is the place of a sequence's first card: 1 for a low ace up to 14 for a high one, beyond those
    only around the corner. `beside` holds cards that the record puts there although they do not belong:
    they count for their layer, and nothing chains on them.
    """

    meld: int
    kind: Kind
    founder: int
    cards: tuple[Laid, ...]
    low: int = 0
    beside: tuple[Laid, ...] = ()

    @property
    def high(self) -> int:
        """The place of a sequence's last card."""
        return self.low + len(self.cards) - 1


class State(msgspec.Struct, frozen=True, gc=False):
    """A table of 500 Rummy.

    `turn` is the seat to act; in a call window the seat that would draw next. `duty` is the card taken
    from the pile that still must be melded (R-6.6), `taken` what came from the pile this turn, `fresh`
    whether the pile's top is the discard that ended the turn just finished (V-4a). In phase `over` the
    play has ended (`ended`, `out`); it is `closed` once `deal_ended` is on record. `in_play` is the number
    of cards that the deal began with, `surplus` what the record has shown beyond them. `challenge` is the
    seat whose last discard may still be challenged (12.7), `owed` the jokers swapped for that must still be
    melded (12.11), `played` whether anything was put down this turn, `noted` a call made in the middle of a
    turn that waits for its discard (D-R16), `claims` the calls of which the nearest will stand (R-8.10),
    `wilds` the first letters of the cards that can stand for others in this deal (jokers, and the wild rank
    of V-9b), `drawing` who still draws for the first deal (R-1.5), `idle` the turns on an empty stock since anything
    was put down (D-R27), `penalties` what wrong calls have cost each seat (D-R19; empty for nothing).
    """

    ruleset: Ruleset
    mode: Mode
    seats: int
    packs: int
    first_dealer: int
    dealer: int
    totals: tuple[int, ...]
    deal: int = 1
    phase: TablePhase = "shuffle"
    turn: int = 0
    anyone_starts: bool = False
    wilds: str = JOKERS_ONLY
    deck: tuple[Card, ...] = ()
    stock: tuple[Card, ...] = ()
    pile: tuple[Card, ...] = ()
    hands: tuple[tuple[Card, ...], ...] = ()
    table: tuple[Meld, ...] = ()
    drawn: Drawn | None = None
    taken: tuple[Card, ...] = ()
    duty: Card | None = None
    owed: tuple[Card, ...] = ()
    played: bool = False
    noted: RummyCalled | None = None
    claims: tuple[RummyCalled, ...] = ()
    drawing: tuple[int, ...] = ()
    renewed: bool = False
    discarder: int | None = None
    fresh: bool = False
    dealt: tuple[bool, ...] = ()
    in_play: int = 0
    surplus: tuple[Card, ...] = ()
    floaters: tuple[int, ...] = ()
    challenge: int | None = None
    idle: int = 0
    penalties: tuple[int, ...] = ()
    closed: bool = False
    ended: str | None = None
    out: int | None = None
    scores: tuple[int | None, ...] | None = None
    winner: int | None = None
    abandoned: bool = False

    @property
    def wild_is_unknown(self) -> bool:
        """Whether a rank is wild in this deal that the record does not name (V-9b)."""
        return (
            self.wilds == JOKERS_ONLY
            and self.ruleset.variant == "rummy5000"
            and self.phase not in ("cut", "shuffle", "deal")
        )

    @property
    def may_stand(self) -> str:
        """The first letters of the cards that the record can say stood for others: any, if that is not known."""
        if self.ruleset.variant != "rummy5000":
            return self.wilds
        return JOKERS_ONLY + RANKS if self.wild_is_unknown else self.wilds

    def seat_after(self, seat: int) -> int:
        """Return the next seat clockwise, the player to the left (R-1.6)."""
        return (seat + 1) % self.seats

    def meld(self, meld_id: int) -> Meld | None:
        """Return the meld with this id, None if there is none."""
        for meld in self.table:
            if meld.meld == meld_id:
                return meld
        return None

    @property
    def next_meld(self) -> int:
        """The id that the next new meld gets in normal form: one more, or the first free below the limit."""
        taken = {meld.meld for meld in self.table}
        if MOST_MELDS in taken:
            return min(set(range(1, MOST_MELDS)) - taken)
        return max(taken, default=0) + 1
