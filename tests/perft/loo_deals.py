"""Fixed deals of Lanterloo for every form and its options: the same cards on every machine.

Small packs make for many cards of few suits. Seat 0 is eldest, the last seat deals.
"""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from events.lanterloo.events import PositionSet, Said
from events.lanterloo.ruleset import Ruleset
from tests.perft.loo_naive import Cards, Table, begin

ALL = "23456789TJQKA"
SAID: dict[str, Said] = {"play": "stand", "pass": "pass"}


@dataclass(frozen=True)
class Deal:
    """How a deal is made up; `said` are words already said, `turn_up` the card that makes trumps."""

    name: str
    form: Any
    seats: int
    ranks: str = "9TJQKA"
    suits: str = "SHDC"
    turn_up: str = ""
    pool: int = 0
    single: bool = False
    stock: int = 6
    said: tuple[str, ...] = ()
    hands: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> Ruleset:
        return Ruleset(preset="custom", form=self.form, **self.options)

    @property
    def size(self) -> int:
        return 5 if self.form == "loo5" else 3

    def deal(self) -> tuple[tuple[Cards, ...], Cards, str, int]:
        """The hands, miss and stock, the card turned up and the pool."""
        named = {card for hand in self.hands for card in hand.split()}
        pack = [rank + suit for rank in self.ranks for suit in self.suits]
        deck = sorted(pack, key=lambda c: sha256(f"{self.name} {c}".encode()).digest())
        deck = [card for card in deck if card not in named and card != self.turn_up]
        turn_up = self.turn_up or deck.pop()
        hands = [tuple(hand.split()) for hand in self.hands]
        while len(hands) < self.seats:
            hands.append(tuple(deck[: self.size]))
            del deck[: self.size]
        heap = deck[: self.stock + 3 * (self.form == "loo3")]
        return tuple(hands), tuple(heap), turn_up, self.pool or 3 * self.size

    def table(self) -> Table:
        """The table as the naive referee has it."""
        hands, heap, turn_up, pool = self.deal()
        return begin(
            {"form": self.form} | self.options, hands, heap, turn_up, pool=pool,
            single=self.single, said=self.said or None,
        )  # fmt: skip

    def position(self) -> PositionSet:
        """The same table as an event."""
        hands, heap, turn_up, pool = self.deal()
        spare = 3 * (self.form == "loo3")
        declared = tuple(SAID[word] for word in self.said) or (None,) * self.seats
        return PositionSet(
            deal=1, dealer=self.seats - 1, turn=0, phase="play" if self.said else "declare",
            pool=pool, single=self.single, trump=turn_up[1],  # type: ignore[arg-type]
            turn_up=turn_up, stock=heap[spare:], miss=heap[:spare], hands=hands,
            aside=((),) * self.seats, declared=declared, tricks=(0,) * self.seats, trick=(),
            balances=(0,) * self.seats,
        )  # fmt: skip


BOTH = ("play", "play", "play")
BOOK3 = {"lead_two": "highest_if_two_players", "lead_two_scope": "every_lead",
         "lead_ace": "ace_or_king", "trump_after_trick": True, "force_miss": "withdrawn",
         "lone_vs_dealer": "must_defend"}  # fmt: skip
PAM = ("JC 9H TC 9S QD", "AH KH 9D TS QC", "QH TH KC KD JS")
FLUSH = ("AS KS QS JS 9S", "AH KH QH TH 9D", "JC QD TD 9C TC")
DEALS = (
    # three cards
    Deal("three cards", "loo3", 3),
    Deal("three cards, four players", "loo3", 4),
    Deal("bold stand", "loo3", 3, pool=3, single=True),
    Deal("bold stand without a miss", "loo3", 4, pool=3, single=True,
         options={"force_miss": "withdrawn"}),
    Deal("first hand forced only", "loo3", 3, options={"force": "first_hand"}),
    Deal("nobody forced", "loo3", 3, pool=3, single=True, options={"force": "off"}),
    Deal("club law", "loo3", 3, turn_up="9C", options={"club_law": True}),
    Deal("club law with the miss", "loo3", 3, turn_up="9C",
         options={"club_law": True, "club_law_miss": "allowed"}),
    Deal("the dealer must defend", "loo3", 3, options={"lone_vs_dealer": "must_defend"}),
    Deal("carried over", "loo3", 3, options={"all_pass": "carry", "stakes": "unlimited"}),
    Deal("three cards by Hoffmann", "loo3", 3, ranks="TJQKA", suits="SHD", stock=1, options=BOOK3),
    Deal("the ace turned up", "loo3", 3, turn_up="AH", suits="SH", options=BOOK3),
    Deal("three cards by Enquire Within", "loo3", 3, suits="SHD",
         options={"lead_two": "highest", "lead_ace": "ace_first_lead", "force": "first_hand",
                  "force_miss": "withdrawn"}),
    Deal("no lead is bound", "loo3", 3, suits="SHD", options={"lead_two": "off"}),
    Deal("under-trumping", "loo3", 4, said=(*BOTH, "play"), suits="SHD",
         options={"must_undertrump": True, "limited_loo": 9}),
    # Irish
    Deal("Irish", "irish", 3),
    Deal("Irish bold stand", "irish", 3, pool=3, single=True),
    Deal("Irish club law", "irish", 4, turn_up="KC", options={"club_law": True}),
    Deal("Irish, a short stock", "irish", 3, stock=2,
         options={"exchange_shortage": "recycle_passed"}),
    Deal("Irish, unlimited to a maximum", "irish", 3, said=BOTH, pool=15,
         options={"stakes": "unlimited", "unlimited_cap": 9, "lead_two_scope": "every_lead"}),
    # five cards
    Deal("five cards", "loo5", 3),
    Deal("five cards, a short stock", "loo5", 3, stock=3),
    Deal("five cards, all forced", "loo5", 3, pool=5, single=True, options={"force_loo5": True}),
    Deal("Pam a trump", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH"),
    Deal("Pam a club", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH",
         options={"pam_suit": "clubs"}),
    Deal("Pam free", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH",
         options={"pam_suit": "free", "civil_scope": "without_revoke"}),
    Deal("Pam always civil", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH",
         options={"civil": "auto", "civil_scope": "without_revoke"}),
    Deal("Pam never civil", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH",
         options={"civil": "off"}),
    Deal("Pam turned up", "loo5", 3, said=BOTH, turn_up="JC"),
    Deal("Pam the knave of trumps", "loo5", 3, said=BOTH, turn_up="9H",
         options={"pam_card": "trump_knave"}),
    Deal("five cards as three", "loo5", 3, said=BOTH, hands=PAM, turn_up="JH",
         options={"loo5_play": "as_loo3", "lead_two": "highest_if_two_players"}),
    Deal("flushes", "loo5", 3, hands=FLUSH, turn_up="JH", stock=2),
    Deal("flushes of equal class", "loo5", 3, hands=FLUSH, turn_up="JH", stock=2,
         options={"flush_classes": "pam_equal", "flush_tie": "split", "stakes": "unlimited"}),
    Deal("flushes claimed", "loo5", 3, said=BOTH, hands=FLUSH, turn_up="JH",
         options={"flush_autoclaim": False, "flush_tie": "elder"}),
    Deal("flushes claimed at once", "loo5", 3, hands=FLUSH, turn_up="JH", stock=0,
         options={"flush_autoclaim": False, "flush_looes": "shown_before_pass"}),
    Deal("flushes looing all", "loo5", 3, hands=FLUSH, turn_up="JH", stock=0,
         options={"flush_autoclaim": False, "flush_looes": "all", "flush_paid_to": "winner"}),
    Deal("blazes", "loo5", 3, hands=("KS QS JD KC QD", "KD QH JC KH JS", "9S TS 9D TD AC"),
         turn_up="JH", stock=1, options={"blaze": "below_flush"}),
)  # fmt: skip
