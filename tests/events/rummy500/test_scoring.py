"""What a deal comes to: every score and total worked out a second time, from the events alone (R-2, R-9)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import physical
from events.common import DealEnded, DealScored, Dealt, Shuffled
from events.rummy500.events import (
    Discarded,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    RummyCalled,
    StockDrawn,
)
from events.rummy500.ruleset import DELBOYCODES, SEED, TIMPALPANT, Ruleset
from events.rummy500.scoring import score_bounds, table_values, winner_of
from events.rummy500.state import Laid, Meld
from tests.events.rummy500.helpers import Table
from tests.events.strategies import rulesets
from tests.profiles import examples
from tests.simulate import play


class Ledger:
    """Who holds what and who put down what, kept by hand from the events; knows values, and no other rule."""

    def __init__(self, seats: int, ruleset: Ruleset) -> None:
        self.ruleset, self.seats = ruleset, seats
        self.totals = [0] * seats
        self.scored: list[int] = []
        self.begin()

    def begin(self) -> None:
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.melds: dict[int, tuple[str, int, list[tuple[str, int]]]] = {}

    def read(self, event: Any) -> None:
        match event:
            case Shuffled():
                self.begin()
            case Dealt():
                self.hands[event.seat] += event.cards
            case StockDrawn():
                self.hands[event.seat].append(event.card)
            case PileTaken():
                self.hands[event.seat] += event.cards
            case RummyCalled() if event.lay is None:
                self.hands[event.seat] += event.cards
            case RummyCalled():
                lay: Any = event.lay
                self.melds[lay.meld][2].insert(self.at(lay), (lay.card, event.seat))
            case MeldLaid():
                layers = [(self.put(event.seat, card), event.seat) for card in event.cards]
                self.melds[event.meld] = (event.kind, event.seat, layers)
            case LaidOff():
                for place in event.cards:
                    layer = (self.put(event.seat, place.card), event.seat)
                    self.melds[place.meld][2].insert(self.at(place), layer)
            case JokerSwapped():
                layers = self.melds[event.meld][2]
                index = next(i for i, (card, _) in enumerate(layers) if card[:2] == event.joker)
                layers[index] = (self.put(event.seat, event.card), event.seat)
                self.hands[event.seat].append(event.joker)
            case Discarded():
                self.hands[event.seat].remove(event.card)
            case DealScored():
                self.score()
            case _:
                pass

    def at(self, place: Any) -> int:
        return 0 if place.end == "low" else len(self.melds[place.meld][2])

    def put(self, seat: int, placed: str) -> str:
        self.hands[seat].remove(physical(placed))
        return placed

    def score(self) -> None:
        self.scored = [-sum(map(self.in_hand, hand)) for hand in self.hands]
        for kind, founder, layers in self.melds.values():
            for index, (card, seat) in enumerate(layers):
                owner = founder if self.ruleset.layoff_credit == "owner" else seat
                self.scored[owner] += self.on_table(kind, layers, index, card)
        self.totals = [a + b for a, b in zip(self.totals, self.scored, strict=True)]

    def in_hand(self, card: str) -> int:
        return 15 if card[0] == "X" else self.plain(card[0])

    def plain(self, rank: str) -> int:
        if rank == "A":
            return 15
        if rank in "TJQK":
            return 10
        return int(rank) if self.ruleset.values == "face" else 5

    def on_table(self, kind: str, layers: list[tuple[str, int]], index: int, card: str) -> int:
        if card[0] == "X":
            if self.ruleset.joker_scores == "own_value":
                return 15
            naturals = [other for other, _ in layers if other[0] != "X"]
            rank = card[-2] if kind == "sequence" or not naturals else naturals[0][0]
        else:
            rank = card[0]
        if kind == "sequence" and rank == "A" and index + 1 < len(layers):
            low = 1 if self.ruleset.values == "face" else 5
            return 15 if self.ruleset.low_ace == "fifteen" else low
        return self.plain(rank)


def check(events: list[Any], ruleset: Ruleset) -> None:
    ledger = Ledger(len(events[0].seats), ruleset)
    for event in events[1:]:
        ledger.read(event)
        if isinstance(event, DealScored):
            assert list(event.scores) == ledger.scored
            assert list(event.totals) == ledger.totals


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("ruleset", [SEED, DELBOYCODES, TIMPALPANT], ids=lambda r: r.preset)
@given(seed=st.integers(0, 10_000))
@examples(3, shrink=False)
def test_scores_are_worked_out_again_from_the_events(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    check(play(seed, seats, ruleset, deals=2, mode="recorded"), ruleset)


@given(data=st.data(), seats=st.integers(2, 8), seed=st.integers(0, 10_000))
@examples(25, shrink=False)
def test_scores_are_worked_out_again_over_the_options(
    data: st.DataObject, seats: int, seed: int
) -> None:
    plain: dict[str, Any] = {"rummy_window": "after_discard", "illegal_final_discard": "reject"}
    fixed = plain | {"rummy_priority": "first_recorded", "variant": "rummy500", "out_bonus": 0}
    ruleset = data.draw(rulesets(seats, **fixed))
    check(play(seed, seats, ruleset, deals=2), ruleset)


LOW = Meld(1, "sequence", 0, (Laid("AH", 0), Laid("2H", 0), Laid("3H", 0)), 1)
JOKERS = Meld(1, "sequence", 0, (Laid("X1=AH", 0), Laid("2H", 0), Laid("X2=3H", 0)), 1)
HIGH = Meld(1, "sequence", 0, (Laid("QH", 0), Laid("KH", 0), Laid("AH", 0)), 12)
CORNER = Meld(1, "sequence", 0, (*HIGH.cards, Laid("2H", 1)), 12)
GROUP = Meld(1, "group", 0, (Laid("AS", 0), Laid("AH", 0), Laid("X1", 0)))
NINES = Meld(1, "group", 0, (Laid("9S", 0), Laid("9H", 0), Laid("X1", 0)))
ALL = Meld(
    1, "sequence", 0, (*(Laid(f"{rank}H", 0) for rank in "A23456789TJQK"), Laid("AH'", 0)), 1
)


@pytest.mark.parametrize(
    ("meld", "options", "values"),
    [
        (LOW, {}, [1, 2, 3]),
        (LOW, {"low_ace": "fifteen"}, [15, 2, 3]),
        (LOW, {"values": "five_ten_fifteen"}, [5, 5, 5]),
        (LOW, {"values": "five_ten_fifteen", "low_ace": "fifteen"}, [15, 5, 5]),
        (JOKERS, {}, [15, 2, 15]),
        (JOKERS, {"joker_scores": "represented"}, [1, 2, 3]),
        (JOKERS, {"joker_scores": "represented", "low_ace": "fifteen"}, [15, 2, 3]),
        (HIGH, {}, [10, 10, 15]),
        (HIGH, {"values": "five_ten_fifteen"}, [10, 10, 15]),
        (CORNER, {"runs": "around_corner"}, [10, 10, 1, 2]),
        (GROUP, {}, [15, 15, 15]),
        (NINES, {}, [9, 9, 15]),
        (NINES, {"joker_scores": "represented"}, [9, 9, 9]),
        (ALL, {"run_two_aces": True}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15]),
    ],
    ids=[
        *("low ace", "low ace 15", "low ace 5", "low ace 15 of 5", "jokers", "represented"),
        *("represented low ace 15", "high ace", "courts", "round the corner", "aces", "nines"),
        *("represented in a group", "two aces"),
    ],
)
def test_what_lies_on_the_table_counts(
    meld: Meld, options: dict[str, Any], values: list[int]
) -> None:
    """R-2.1 to R-2.3, V-2, 12.11, D-R05, D-R06."""
    assert table_values(meld, Ruleset(**options)) == values


def test_cards_left_in_hand_count_against_their_holder() -> None:
    """R-2.4, R-9.1, R-9.2: a whole meld in hand too, every ace and joker 15."""
    hands = {"A": "", "B": "AH 2H 3H", "C": "X1 KD TD 9C"}
    table = Table(phase="play", hands=hands | {"A": "5C"}, table=["m1:R[2C/B 3C/A 4C/C]"])
    table.do("A lay 5C@m1")
    assert score_bounds(table.state) == [(8, 8), (-18, -18), (-40, -40)]


def test_a_lay_off_counts_for_its_layer_or_for_the_owner_of_the_meld() -> None:
    """R-5.4, layoff_credit."""
    position: dict[str, Any] = {
        "phase": "play",
        "hands": {"A": "8H", "B": "", "C": ""},
        "table": ["m1:R[5H 6H 7H]@B"],
    }
    placer = Table(**position).do("A lay 8H@m1")
    owner = Table(opts={"layoff_credit": "owner"}, **position).do("A lay 8H@m1")
    assert [low for low, _ in score_bounds(placer.state)] == [8, 18, 0]
    assert [low for low, _ in score_bounds(owner.state)] == [0, 26, 0]


def test_a_deal_is_scored_once_and_adds_to_the_totals() -> None:
    """R-9.4, invariant 4."""
    table = Table(phase="play", hands={"A": "KS", "B": "2C", "C": "3D"}, totals={"A": 10, "B": -7})
    table.do("A discard KS")
    ended = DealEnded(deal=1, reason="DISCARDED_OUT", out=0)
    table.do(ended)
    right = DealScored(deal=1, scores=(0, -2, -3), totals=(10, -9, -3))
    wrong = DealScored(deal=1, scores=(0, -2, -3), totals=(10, -9, 0))
    table.refuses(wrong, "TOTAL_WRONG", "R-9.4")
    other = DealScored(deal=1, scores=(1, -2, -3), totals=(11, -9, -3))
    table.refuses(other, "SCORE_WRONG", "R-9.1")
    table.record(right)
    assert table.state.totals == (10, -9, -3)
    table.refuses(right, "DEALER_WRONG")


@pytest.mark.parametrize(
    ("totals", "out", "options", "winner"),
    [
        ((499, 320), None, {}, None),
        ((500, 320), None, {}, 0),
        ((500, 320), None, {"target_test": "gt"}, None),
        ((505, 520), 0, {}, 1),
        ((510, 510, 505), 0, {}, None),
        ((480, 470, 505), None, {}, 2),
        ((-20, 0, 499), 2, {}, None),
        ((505, 520), 0, {"win": "must_go_out"}, 0),
        ((495, 520), 0, {"win": "must_go_out"}, None),
        ((505, 520), None, {"win": "must_go_out"}, None),
        ((520, 520), 1, {"win": "must_go_out"}, 1),
        ((500, 520), 0, {"win": "must_go_out", "target_test": "gt"}, None),
        ((1499, 900), 0, {"target": 1500}, None),
        ((1500, 900), 0, {"target": 1500}, 0),
    ],
)
def test_who_has_won(
    totals: tuple[int, ...], out: int | None, options: dict[str, Any], winner: int | None
) -> None:
    """R-9.5, R-9.6, V-8, V-9a, D-R21."""
    assert winner_of(totals, Ruleset(**options), out) == winner
