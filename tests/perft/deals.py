"""Fixed deals of few cards that meet often, one for each variation: the same cards on every machine.

Cards that a deal does not name are out of play, so small packs make for many melds.
"""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from events.rummy500.events import Kind, Layer, MeldPosition, PositionSet
from events.rummy500.ruleset import Ruleset
from tests.perft.naive_table import LINE, Cards, Group, Run, Table, bare


@dataclass(frozen=True)
class Deal:
    """How a deal is made up."""

    name: str
    seats: int
    ranks: str = "A2345K"
    suits: str = "SHD"
    jokers: int = 2
    hand: int = 4
    pile: int = 3
    stock: int = 4
    melds: tuple[Group | Run, ...] = ()
    wild: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> Ruleset:
        return Ruleset(preset="custom", **self.options)

    @property
    def has_enough_cards(self) -> bool:
        return len(self._deck()) >= self.seats * self.hand + self.pile + self.stock

    def table(self) -> Table:
        """The table as player 1 is about to draw, player 0 having dealt."""
        deck = self._deck()
        hands = tuple(deck[seat * self.hand : (seat + 1) * self.hand] for seat in range(self.seats))
        left = deck[self.seats * self.hand :]
        pile, stock = left[: self.pile], left[self.pile : self.pile + self.stock]
        assert self.has_enough_cards, self.name
        return Table(self.rules, hands, stock, pile, 1, "draw", self.melds, wilds="X" + self.wild)

    def position(self) -> PositionSet:
        """The same table as an event."""
        table = self.table()
        return PositionSet(
            deal=1,
            dealer=0,
            wild=self.wild or None,  # type: ignore[arg-type]
            turn=table.turn,
            phase="draw",
            stock=table.stock,
            pile=table.pile,
            hands=table.hands,
            melds=tuple(map(_as_position, table.melds)),
            drawn=None,
            taken=(),
            duty=None,
            discarder=None,
            floaters=(),
            totals=(0,) * self.seats,
        )

    def _deck(self) -> Cards:
        primes = ("", "'") if self.rules.packs == 2 or self.seats > 4 else ("",)
        naturals = [rank + suit + p for rank in self.ranks for suit in self.suits for p in primes]
        jokers = [f"X{number}" for number in range(1, self.jokers + 1)]
        lying = {bare(card) for meld in self.melds for card in _cards_of(meld)}
        cards = [card for card in (*naturals, *jokers) if card not in lying]
        return tuple(sorted(cards, key=lambda c: sha256(f"{self.name} {c}".encode()).digest()))


def _cards_of(meld: Group | Run) -> Cards:
    if isinstance(meld, Group):
        return meld.cards
    standing = {place: joker + "=" for place, joker in meld.standing}
    places = range(meld.low, meld.high + 1)
    return tuple(standing.get(at, "") + LINE[at] + meld.suit for at in places)


def _as_position(meld: Group | Run) -> MeldPosition:
    kind: Kind = "group" if isinstance(meld, Group) else "sequence"
    return MeldPosition(meld.number, kind, tuple(Layer(card, 0) for card in _cards_of(meld)))


LOW_RUN = Run(1, "C", 2, 4)
"""3C 4C 5C"""
SIXES = Group(2, ("6S", "6H", "6C"))
ALL_BUT_ACE = Run(1, "C", 1, 11)
"""2C to QC"""
JOKER_RUN = Run(1, "C", 2, 4, ((3, "X2"),))
"""3C X2=4C 5C"""
WILD_RUN = Run(1, "C", 2, 4, ((4, "7C"),))
"""3C 4C 7C=5C"""
RUMMY5000 = {"variant": "rummy5000", "jokers_per_pack": 0}
DEALS = (
    Deal("seed 2", 2, hand=5),
    Deal("seed 3", 3),
    Deal("seed 4", 4, ranks="A2345KQ"),
    Deal("seed 5", 5, ranks="2345", suits="SHD", jokers=3),
    Deal("seed 6", 6, ranks="A2345", suits="SHD", jokers=4),
    Deal("seed 7", 7, ranks="345678", suits="SHD", jokers=4),
    Deal("seed 8", 8, ranks="TJQKA23", suits="SHD", jokers=1),
    Deal("no jokers", 2, ranks="A23456", jokers=0, hand=5,
         options={"jokers_per_pack": 0}),
    Deal("always meld", 3, melds=(LOW_RUN,), suits="SHC", ranks="A2367", stock=2, hand=2,
         jokers=1, options={"pile_rule": "always_meld"}),
    Deal("always new meld", 2, melds=(LOW_RUN,), suits="SHC", ranks="A2367",
         options={"pile_rule": "always_new_meld"}),
    Deal("discard required", 2, options={"go_out": "discard_required"}),
    Deal("floating", 3, suits="SHC", ranks="A23678", hand=3, melds=(LOW_RUN, SIXES),
         options={"go_out": "floating"}),
    Deal("floating unplayable, rejected", 3, suits="SHC", ranks="A23678", hand=2,
         melds=(LOW_RUN, SIXES), options={"go_out": "floating_unplayable"}),
    Deal("floating unplayable, challenged", 3, suits="SHC", ranks="A23678", hand=1, pile=2,
         melds=(LOW_RUN, SIXES),
         options={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"}),
    Deal("floaters draw from the stock", 2, suits="SHC", ranks="A23678", hand=2, pile=2,
         stock=3, melds=(LOW_RUN, SIXES),
         options={"go_out": "floating_unplayable", "floater_draw": "stock_only"}),
    Deal("floaters do not call", 3, suits="SHC", ranks="A23678", hand=1, pile=2,
         melds=(LOW_RUN, SIXES), options={"go_out": "floating", "floater_calls": False}),
    Deal("latest lay-off", 3, suits="SHC", ranks="A23678", hand=3, melds=(LOW_RUN, SIXES),
         options={"rummy": "latest_layoff"}),
    Deal("no calls", 3, suits="SHC", ranks="A23678", hand=3, melds=(LOW_RUN, SIXES),
         options={"rummy": "none"}),
    Deal("around the corner", 2, suits="C", ranks="AK", hand=1, pile=1, stock=1,
         melds=(ALL_BUT_ACE,), options={"runs": "around_corner"}),
    Deal("any taken", 2, suits="SHD", hand=3, pile=4, options={"redraw_scope": "any_taken"}),
    Deal("same face", 2, suits="SH", ranks="234", hand=4, stock=3,
         options={"packs": 2, "redraw_scope": "same_face"}),
    Deal("by the turn's end", 2, hand=3, pile=4, options={"deep_timing": "by_turn_end"}),
    Deal("reshuffled but for the top", 2, hand=3, pile=3, stock=1,
         options={"stock_out": "reshuffle_all_but_top"}),
    Deal("reshuffled whole", 2, hand=3, pile=3, stock=0,
         options={"stock_out": "reshuffle_all_turn_one"}),
    Deal("challenged, the stock empty 43",
        2,
        ranks="A267K",
        suits="SHC",
        hand=1,
        pile=2,
        stock=1,
        melds=(LOW_RUN, SIXES),
        options={"go_out": "floating_unplayable", "illegal_final_discard": "challenge",
                  "stock_out": "reshuffle_all_turn_one"}),
    Deal("ended at once", 2, hand=3, pile=3, stock=1, options={"stock_out": "end_at_once"}),
    Deal("an empty stock", 3, hand=3, pile=2, stock=0),
    Deal("nobody melds on an empty stock", 2, suits="SC", ranks="A37K", jokers=0, hand=2, pile=2,
         stock=0, options={"idle_rounds": 1}),
    Deal("two natural cards", 2, hand=4, pile=3, jokers=2, options={"min_naturals": 2}),
    Deal("three natural cards", 2, hand=5, pile=3, options={"min_naturals": 3}),
    Deal("nothing but jokers", 2, hand=3, jokers=4, options={"min_naturals": 0, "packs": 2}),
    Deal("two aces in a sequence", 2, suits="C", ranks="AK", hand=1, pile=1, stock=1, jokers=0,
         melds=(ALL_BUT_ACE,), options={"run_two_aces": True, "packs": 2}),
    Deal("jokers are swapped", 2, suits="SHC", ranks="A246K", hand=3, pile=2, jokers=1,
         melds=(JOKER_RUN, SIXES), options={"joker_swap": True}),
    Deal("called in the middle of a turn", 3, suits="SHC", ranks="A2367", hand=3, pile=4, stock=3,
         melds=(LOW_RUN,), options={"rummy_window": "also_after_meld"}),
    Deal("called with the pile's cards only", 3, suits="SHC", ranks="A23678", hand=3,
         melds=(LOW_RUN, SIXES), options={"call_meld_may_use_hand": False}),
    Deal("sevens are wild", 3, suits="SHC", ranks="A2367", jokers=0, hand=2, stock=3, wild="7",
         melds=(LOW_RUN,), options=RUMMY5000),
    Deal("wild cards are swapped", 3, suits="SHC", ranks="A2357", jokers=0, hand=2, stock=3, wild="7",
         melds=(WILD_RUN,), options=RUMMY5000 | {"wild_swap": True}),
)  # fmt: skip
