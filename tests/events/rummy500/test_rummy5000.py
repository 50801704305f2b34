"""5000 Rummy (12.9 V-9b): how it is dealt, what is wild, what counts, and cards that nobody knows."""

from typing import Any

import pytest

from events.cards import UNKNOWN
from events.common import Dealt, Shuffled
from events.game import Unchecked, Violation
from events.rummy500.events import FirstCardTurned, RummyEvent, UpcardTurned
from events.rummy500.melds import meld_fault
from events.rummy500.ruleset import PRESETS, RUMMY5000, Ruleset, pack_size, problems
from events.rummy500.scoring import card_value, score_bounds, table_values
from events.rummy500.state import Laid, Meld, State
from projections.views import view_event, view_state
from tests.events.rummy500.helpers import Table
from tests.simulate import RUMMY, opened, play

WITHOUT = {"variant": "rummy5000", "jokers_per_pack": 0}


def table(opts: dict[str, Any] | None = None, **position: Any) -> Table:
    return Table(opts=WITHOUT | (opts or {}), **{"wild": "7", "phase": "play"} | position)


def dealt(*events: RummyEvent, players: int = 4, deck: tuple[str, ...] = ()) -> State:
    """A table of so many, seat 0 dealing, after a shuffle and these facts."""
    state = RUMMY.initial(opened(players, RUMMY5000, "recorded"))
    deck = deck or (UNKNOWN,) * pack_size(RUMMY5000, players)
    for event in (Shuffled(deal=1, dealer=0, method="unknown", deck=deck), *events):
        assert RUMMY.judge(state, event) == (), event
        state = RUMMY.evolve(state, event)
    return state


def test_cr_72_size_of_the_deal_and_the_wild_rank() -> None:
    """V-9b: the case book's note, B, C and D first, the dealer A last."""
    upcards = {1: "5S", 2: "KD", 3: "AH", 0: "7C"}
    state = dealt()
    face_down = {}
    for seat, card in upcards.items():
        assert RUMMY.due(state) == (FirstCardTurned(seat=seat, card=UNKNOWN),)
        state = RUMMY.evolve(state, FirstCardTurned(seat=seat, card=card))
        (hand,) = RUMMY.due(state)
        assert isinstance(hand, Dealt)
        assert hand.seat == seat
        face_down[seat] = len(hand.cards)
        state = RUMMY.evolve(state, hand)
    assert face_down == {1: 5, 2: 10, 3: 11, 0: 7}
    assert [len(hand) for hand in state.hands] == [8, 6, 11, 12]
    assert state.wilds == "X7"
    assert state.in_play == 52
    state = RUMMY.evolve(state, UpcardTurned(card="2S"))
    assert (len(state.stock), state.phase, state.turn) == (14, "draw", 1)


def test_hands_are_dealt_whole_and_in_turn() -> None:
    state = dealt(FirstCardTurned(seat=1, card="2S"))
    for seat in (2, 3, 0):
        found = RUMMY.judge(state, FirstCardTurned(seat=seat, card="3S"))
        assert [one.code for one in found] == ["DEAL_COUNT"]
    short, long = Dealt(seat=1, cards=("4S",)), Dealt(seat=1, cards=("4S", "5S", "6S"))
    for hand in (short, long):
        assert [(one.code, one.rule) for one in RUMMY.judge(state, hand)] == [
            ("DEAL_COUNT", "V-9b")
        ]
    state = RUMMY.evolve(state, Dealt(seat=1, cards=("4S", "5S")))
    late = RUMMY.judge(state, FirstCardTurned(seat=3, card="3S"))
    assert [(one.code, one.params) for one in late] == [
        ("DEAL_COUNT", {"expected": "seat 2", "actual": "seat 3"})
    ]
    twice = RUMMY.judge(state, FirstCardTurned(seat=2, card="4S"))
    assert [one.code for one in twice] == ["CARD_TWICE"]


def test_a_first_card_must_be_the_next_of_the_stock() -> None:
    deck = tuple(card for card in dealt_order() if card != "5S")
    state = dealt(players=3, deck=("5S", *deck))
    found = RUMMY.judge(state, FirstCardTurned(seat=1, card="6S"))
    assert [(one.code, one.rule) for one in found] == [("DRAW_NOT_TOP", "V-9b")]


def dealt_order() -> list[str]:
    return [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def test_no_first_card_is_turned_at_another_table() -> None:
    state = RUMMY.initial(opened(3))
    found = RUMMY.judge(state, FirstCardTurned(seat=1, card="5S"))
    assert [one.code for one in found] == ["DEALER_WRONG"]


@pytest.mark.parametrize(
    ("kind", "cards", "code"),
    [
        ("sequence", "8H 7S=9H TH", None),
        ("sequence", "7H 8H 9H", None),
        ("sequence", "6H 7H=7H 8H", None),
        ("sequence", "8H 7S TH", "RUN_SUIT"),
        ("sequence", "8H 7H TH", "RUN_NOT_CONSECUTIVE"),
        ("sequence", "8H 6S=9H TH", "RUN_NOT_CONSECUTIVE"),
        ("sequence", "7S=8H 7D=9H 7C=TH", "MELD_NEEDS_NATURAL"),
        ("sequence", "7S=6H 7H 7D=8H", None),
        ("group", "KS KH 7D", None),
        ("group", "KS 7H 7D", None),
        ("group", "KS KH 7D=KC", None),
        ("group", "KS KH 7D=QC", "GROUP_RANK"),
        ("group", "KS KH 7D=7D", "GROUP_RANK"),
        ("group", "KS KH KD KC 7D", "MELD_SIZE"),
        ("group", "7S 7H 7D", None),
        ("group", "7S 7S' 7D", "GROUP_SUIT_REPEAT"),
        ("group", "7S 7S'=7C 7D", "GROUP_SUIT_REPEAT"),
        ("group", "7S=KS 7H=KS 7D=KS", "MELD_NEEDS_NATURAL"),
    ],
)
def test_a_wild_card_stands_for_another_or_is_itself(
    kind: Any, cards: str, code: str | None
) -> None:
    """Section 4 with "joker" read as "wild"; in a group of its rank a wild card is itself."""
    found = meld_fault(kind, tuple(cards.split()), RUMMY5000, "X7")
    assert (found.code if found else None) == code


def test_melds_of_nothing_but_wild_cards_are_an_option() -> None:
    """D-R07."""
    ruleset = Ruleset(**WITHOUT, min_naturals=0)  # type: ignore[arg-type]
    assert meld_fault("group", ("7S=KS", "7H=KS", "7D=KS"), ruleset, "X7") is None
    assert meld_fault("sequence", ("7S=8H", "7D=9H", "7C=TH"), ruleset, "X7") is None


def test_a_wild_card_is_laid_off_like_a_joker() -> None:
    """R-4.8; what is bare in a sequence is itself."""
    position: dict[str, Any] = {
        "hands": {"A": "7S 7H 2C 9D", "B": "3S"},
        "table": ["m1:R[8H 9H TH]@B", "m2:G[KS KH KD]@B"],
    }
    table(**position).refuses("A lay 7S@m1", "RUN_SUIT").do("A lay 7S=JH@m1", "A lay 7H@m2")
    table(**position).do("A lay 7H@m1").refuses("A lay 9D=JH@m1", "RUN_END", "R-4.1")
    both = table(**position).do("A lay 7H=JH@m1", "A lay 7S=KC@m2")
    assert [laid.card for meld in both.state.table for laid in meld.cards][3:] == [
        *("7H=JH", "KS", "KH", "KD", "7S=KC")
    ]
    both.refuses("A lay 9D@m2", "GROUP_RANK")


def test_what_a_wild_card_stands_for_is_shown() -> None:
    here = table(hands={"A": "7S 9H TH 2C", "B": "3S"}).do("A meld R 7S=8H 9H TH")
    view = view_state("rummy500", here.state, "public")
    assert view["wild"] == "7"
    assert [(card["card"], card["as"], card["value"]) for card in view["melds"][0]["cards"]] == [
        ("7S", "8H", 100),
        ("9H", None, 5),
        ("TH", None, 10),
    ]


def test_aces_and_wild_cards_count_a_hundred() -> None:
    """V-9b, D-R25: a low ace too, a wild card that is itself too."""
    assert [card_value(card, RUMMY5000, "X7") for card in ("2C", "9C", "TC", "KC", "AC", "7C")] == [
        *(5, 5, 10, 10, 100, 100)
    ]
    low = Meld(1, "sequence", 0, tuple(Laid(card, 0) for card in ("AH", "2H", "7S=3H")), 1)
    assert table_values(low, RUMMY5000, "X7") == [100, 5, 100]
    itself = Meld(1, "sequence", 0, tuple(Laid(card, 0) for card in ("6H", "7H", "8H")), 6)
    assert table_values(itself, RUMMY5000, "X7") == [5, 100, 5]


@pytest.mark.parametrize(
    ("kind", "cards", "values"),
    [
        ("sequence", "AH 2H 7S=3H", [100, 5, 5]),
        ("sequence", "7S=AH 2H 3H", [100, 5, 5]),
        ("group", "KS KH 7D=KS", [10, 10, 10]),
        ("group", "7S 7H 7D", [5, 5, 5]),
    ],
)
def test_joker_scores_represented(kind: Any, cards: str, values: list[int]) -> None:
    """12.11: by the rank that it stands for, in hand a hundred."""
    ruleset = Ruleset(**WITHOUT, joker_scores="represented")  # type: ignore[arg-type]
    low = 1 if kind == "sequence" else 0
    meld = Meld(1, kind, 0, tuple(Laid(card, 0) for card in cards.split()), low)
    assert table_values(meld, ruleset, "X7") == values
    assert card_value("7S", ruleset, "X7") == 100


def test_calls_count_wild_cards_in() -> None:
    """R-8.1."""
    here = table(hands={"A": "9H 2C", "B": "3S", "C": "4S"}, pile="8H 7D").do("A discard 9H")
    assert here.callable == "8H"
    here.do("C rummy 8H", "C meld R 8H 9H 7D=TH", "C discard 4S")


def test_a_deep_card_is_melded_with_wild_cards() -> None:
    """R-6.7."""
    deep: dict[str, Any] = {"phase": "draw", "pile": "8H 2C", "hands": {"A": "7S 9H 3D", "B": "3S"}}
    table(**deep).do("A take 8H", "A meld R 7S=7H 8H 9H", "A discard 3D")
    table(**deep | {"wild": "6"}).refuses("A take 8H", "DEEP_CARD_UNMELDABLE")


def test_wild_swap() -> None:
    """V-9b: the natural card for the wild one that stands for it, which must then be melded."""
    position: dict[str, Any] = {
        "hands": {"A": "9H 4D 5D 7D 2C", "B": "3S"},
        "table": ["m1:R[8H 7S=9H TH]@B"],
    }
    table(**position).refuses("A swap 7S@m1 9H", "JOKER_STAYS", "R-4.3")
    option = table({"wild_swap": True}, **position).do("A swap 7S@m1 9H")
    option.refuses("A discard 2C", "MUST_MELD_JOKER", "12.11")
    option.do("A meld R 4D 5D 7S=6D", "A discard 2C")
    assert [laid.card for laid in option.state.table[0].cards] == ["8H", "9H", "TH"]
    as_itself = table({"wild_swap": True}, **position | {"table": ["m1:R[6S 7S 8S]@B"]})
    as_itself.refuses("A swap 7S@m1 7D", "NO_SUCH_MELD", "12.11")


@pytest.mark.parametrize("variant", [WITHOUT, {}], ids=["rummy5000", "rummy500"])
def test_out_bonus(variant: dict[str, Any]) -> None:
    """V-9b: so many points for each card that the others hold, for going out and for nothing else."""
    position: dict[str, Any] = {
        "phase": "play",
        "hands": {"A": "2C", "B": "3S 4S", "C": "5D"},
    }
    plain, bonus = (Table(opts=variant | {"out_bonus": n}, **position) for n in (0, 10))
    for one in (plain, bonus):
        one.do("A discard 2C")
    before, after = (score_bounds(one.state) for one in (plain, bonus))
    assert after[0] == (before[0][0] + 30, before[0][1] + 30)
    assert after[1:] == before[1:]
    nobody = Table(opts=variant | {"out_bonus": 10}, **position | {"phase": "draw", "stock": 0})
    nobody.do("A pass")
    assert nobody.state.out is None
    assert score_bounds(nobody.state)[0][0] < 0


def test_a_rank_that_nobody_knows_accuses_nobody() -> None:
    """12.13: with the dealer's first card unknown, what a wild card could mend is open."""
    here = table(wild=None, hands={"A": "7S 8H 9H 2C", "B": "3S"})
    assert here.state.wild_is_unknown
    assert here.unchecked("A meld R 7S=7H 8H 9H") == ["RUN_NOT_CONSECUTIVE"]
    assert here.codes("A meld R 7S=7H 8H 9H") == []
    here.record("A meld R 7S=7H 8H 9H")
    assert [laid.card for laid in here.state.table[0].cards] == ["7S=7H", "8H", "9H"]
    assert here.codes("A discard 4D") == ["NOT_IN_HAND"]
    low, high = score_bounds(here.state)[0]
    assert low <= 110 - 5 <= high


def test_a_hand_whose_first_card_nobody_knows_can_have_many_sizes() -> None:
    state = dealt(FirstCardTurned(seat=1, card=UNKNOWN))
    for count, wanted in ((2, None), (3, Unchecked), (11, Unchecked), (12, Violation)):
        found = RUMMY.judge(state, Dealt(seat=1, cards=(UNKNOWN,) * count))
        assert [type(one) for one in found] == ([] if wanted is None else [wanted]), count


def test_the_first_card_of_a_hand_is_for_all_to_see_and_the_rest_is_not() -> None:
    log = play(3, 3, RUMMY5000)
    turned = next(event for event in log if isinstance(event, FirstCardTurned))
    hand = next(event for event in log if isinstance(event, Dealt))
    assert view_event("rummy500", turned, "public") is turned
    assert set(view_event("rummy500", hand, "public").cards) == {UNKNOWN}


def test_what_the_preset_is() -> None:
    assert PRESETS["rummy5000"] is RUMMY5000
    assert (RUMMY5000.target, RUMMY5000.jokers_per_pack) == (5000, 0)
    for players in range(3, 9):
        assert problems(opened(players, RUMMY5000)) == ()
    small = Ruleset(**WITHOUT, packs=1)  # type: ignore[arg-type]
    assert [one.code for one in problems(opened(5, small))] == ["PACK_TOO_SMALL"]
    assert problems(opened(4, small)) == ()
