"""`??`: what the record does not know is neither a breach nor a clearance (12.13)."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.common import DealEnded, DealScored
from events.game import Unchecked
from events.rummy500.events import Discarded, JokerSwapped, PileTaken, RummyCalled
from events.rummy500.scoring import score_bounds
from tests.events.rummy500.helpers import Table
from tests.events.rummy500.test_totality import cards_of
from tests.simulate import RUMMY


def test_a_card_shown_by_who_holds_unknown_ones_takes_the_place_of_one() -> None:
    table = Table(phase="play", hands={"A": "?? ?? 2C", "B": "3S", "C": "3D"})
    table.do("A discard KH")
    assert (table.hand("A"), table.pile) == ("?? 2C", "KH")


def test_a_card_that_is_known_elsewhere_is_not_among_the_unknown_ones() -> None:
    table = Table(phase="play", hands={"A": "?? ??", "B": "KH", "C": "3D"}, pile="9C")
    for card in ("KH", "9C"):
        table.refuses(f"A discard {card}", "NOT_IN_HAND")
    twice = Table(phase="play", hands={"A": "?? ??", "B": "KH", "C": "", "D": "", "E": ""})
    assert twice.codes("A discard KH") == []


def test_a_copy_with_its_prime_is_that_very_copy() -> None:
    table = Table(phase="play", hands={"A": "?? ??", "B": "KH'", "C": "", "D": "", "E": ""})
    table.refuses("A discard KH'", "NOT_IN_HAND")
    assert table.codes("A discard KH") == []


def test_one_card_is_not_shown_twice_out_of_unknown_ones() -> None:
    table = Table(phase="play", hands={"A": "?? ?? ?? ?? 9H", "B": "3S", "C": "3D"})
    table.refuses("A meld R X1=7H X1=8H 9H", "NOT_IN_HAND")
    table.refuses("A meld R 7H X1=8H 9H X1=TH", "NOT_IN_HAND")
    table.do("A meld R X1=7H X2=8H 9H")
    assert table.hand("A") == "?? ??"


def test_whether_a_deep_card_can_be_melded_with_unknown_cards_is_unchecked() -> None:
    """R-6.7."""
    table = Table(pile="9C 2D", hands={"A": "?? ??", "B": "3S", "C": "3D"})
    assert table.codes("A take 9C") == []
    assert table.unchecked("A take 9C") == ["DEEP_CARD_UNMELDABLE"]
    sure = Table(pile="9C 2D", hands={"A": "9S 9H ??", "B": "3S", "C": "3D"})
    assert sure.judge("A take 9C") == ()


def test_an_unknown_card_may_be_the_one_that_is_discarded() -> None:
    """R-6.11: a single card taken bars itself alone."""
    table = Table(pile="2D 9C", hands={"A": "??", "B": "3S", "C": "3D"})
    assert table.judge("A take 9C") == ()
    hidden = Table(pile="2D ??", hands={"A": "??", "B": "3S", "C": "3D"})
    assert hidden.judge("A take ??") == ()


def test_an_unknown_card_of_the_pile_owes_nothing_that_can_be_named() -> None:
    """R-6.6: taken deep, it is a doubt and no breach."""
    table = Table(
        pile="?? 2D", hands={"A": "KH KS 4C", "B": "3S", "C": "3D"}, table=["m1:R[5H 6H 7H]@B"]
    )
    taken = PileTaken(seat=0, cards=("??", "2D"))
    assert table.codes(taken) == []
    table.record(taken)
    assert table.codes("A meld G KH KS KD") == []
    assert table.codes("A discard 4C") == []
    assert table.unchecked("A discard 4C") == ["MUST_MELD_DEEP_CARD"]


def test_what_is_callable_with_an_unknown_card_in_the_pile_is_unchecked() -> None:
    """R-8.1."""
    window: dict[str, Any] = {
        "phase": "window",
        "turn": "B",
        "hands": {"A": "KD", "B": "4D", "C": "QS"},
    }
    table = Table(pile="8C ?? 8D", **window)
    call = RummyCalled(
        seat=2, card="8C", accepted=True, code=None, cards=("8C", "??", "8D"), lay=None
    )
    assert table.judge(call) == (
        Unchecked("NOT_CALLABLE", "R-8.1", "unknown_card", 2, {"card": "8C"}),
    )
    above = Table(pile="?? 8C 8D", **window)
    above.refuses("C rummy 8C", "NOT_CALLABLE")


def test_a_lay_off_call_of_an_unknown_discard_is_unchecked() -> None:
    """V-4a."""
    table = Table(
        opts={"rummy": "latest_layoff"},
        phase="window",
        turn="B",
        pile="2C ??",
        hands={"A": "KD", "B": "4D", "C": "QS"},
        table=["m1:R[7S 8S 9S]@C"],
    )
    assert table.unchecked("C rummy TS lay@m1") == ["NOT_CALLABLE"]
    table.refuses("C rummy JS lay@m1", "RUN_END")
    table.record("C rummy TS lay@m1")
    assert (table.pile, len(cards_of(table.state))) == ("2C", table.state.in_play)


def test_of_two_equal_copies_it_is_not_known_which_was_thrown_back() -> None:
    """R-6.4 at a two-pack table whose record writes no primes."""
    table = Table(pile="2D 9C", hands={"A": "9C 4S", "B": "3S", "C": "", "D": "", "E": ""})
    table.do("A take 9C")
    assert table.codes("A discard 9C") == []
    assert table.unchecked("A discard 9C") == ["REDISCARD_OF_DRAWN_TOP"]
    only = Table(pile="2D 9C", hands={"A": "9C", "B": "3S", "C": "", "D": "", "E": ""})
    assert only.codes("A take 9C") == []
    scope = Table(
        opts={"redraw_scope": "same_face"},
        pile="2D 9C",
        hands={"A": "9C 4S", "B": "3S", "C": "", "D": "", "E": ""},
    )
    scope.do("A take 9C").refuses("A discard 9C", "REDISCARD_OF_DRAWN_TOP")


@pytest.mark.parametrize(
    ("values", "bounds"), [("face", (-15, -2)), ("five_ten_fifteen", (-15, -5))]
)
def test_an_unknown_card_in_hand_leaves_the_score_open(
    values: str, bounds: tuple[int, int]
) -> None:
    """R-9.1: bounds instead of a score."""
    table = Table(opts={"values": values}, phase="play", hands={"A": "KS", "B": "??", "C": ""})
    table.do("A discard KS")
    assert score_bounds(table.state)[1] == bounds
    table.do(DealEnded(deal=1, reason="DISCARDED_OUT", out=0))
    low, high = bounds
    for score in (low, high):
        fact = DealScored(deal=1, scores=(0, score, 0), totals=(0, score, 0))
        assert table.codes(fact) == []
        assert table.unchecked(fact) == ["SCORE_WRONG"]
    for score in (low - 1, high + 1):
        table.refuses(DealScored(deal=1, scores=(0, score, 0), totals=(0, score, 0)), "SCORE_WRONG")
    unsaid = DealScored(deal=1, scores=(0, None, 0), totals=(0, None, 0))
    assert table.judge(unsaid) == ()


def test_a_stock_card_is_drawn_unknown_or_as_one_not_yet_seen() -> None:
    table = Table(pile="9C", hands={"A": "4S", "B": "3S", "C": "3D"}, stock=2)
    assert table.judge("A stock") == table.judge("A stock 5H") == ()
    table.refuses("A stock 3S", "CARD_TWICE", "14.1")
    known = Table(pile="9C", hands={"A": "4S", "B": "3S", "C": "3D"}, stock="5H 6H")
    known.refuses("A stock 6H", "DRAW_NOT_TOP", "R-6.2")
    assert known.record("A stock").hand("A") == "4S 5H"


def test_a_card_from_nowhere_is_surplus_and_one_from_elsewhere_moves() -> None:
    table = Table(phase="play", hands={"A": "4S 5S", "B": "3S", "C": "3D"}, stock="9H", pile="2C")
    table.record("A discard 3S")
    assert (table.hand("A"), table.hand("B"), table.state.surplus) == ("4S 5S", "", ())
    again = Table(phase="play", hands={"A": "4S 5S", "B": "3S", "C": "3D"}, stock="9H", pile="2C")
    again.record("A discard KD")
    assert again.state.surplus == ("KD",)
    assert len(cards_of(again.state)) == again.state.in_play + 1


def test_who_shows_a_card_that_is_known_nowhere_had_it_unseen() -> None:
    """12.13: also where the card does not lie so in the pile, or is swapped for a joker that nobody has."""
    start: dict[str, Any] = {"pile": "9C", "hands": {"A": "?? ??", "B": "3S", "C": "3D"}}
    taken = Table(**start).record(PileTaken(seat=0, cards=("5H", "9C")))
    assert (taken.hand("A"), taken.state.surplus) == ("?? 5H 9C", ())
    again = Table(**start | {"phase": "play", "table": ["m1:R[5S 6S 7S]@B"]})
    again.record(JokerSwapped(seat=0, meld=1, joker="X1", card="8S"))
    assert (len(again.state.hands[0]), again.state.surplus) == (1, ())


def test_a_swap_with_unknown_cards_in_hand_is_unchecked() -> None:
    """12.11, 12.13."""
    table = Table(
        phase="play",
        opts={"joker_swap": True},
        hands={"A": "9D ?? ??", "B": "3S", "C": "3D"},
        table=["m1:G[9S 9H 9C X1]@B"],
    )
    swap = JokerSwapped(seat=0, meld=1, joker="X1", card="9D")
    assert (table.codes(swap), table.unchecked(swap)) == ([], ["MUST_MELD_JOKER"])


def test_a_joker_swapped_out_of_turn_is_owed_by_nobody_else() -> None:
    table = Table(
        phase="play",
        opts={"joker_swap": True},
        hands={"A": "7S 2D", "B": "8S KH", "C": "3D"},
        table=["m2:R[5S 6S X1=7S]@C"],
    )
    table.record(JokerSwapped(seat=1, meld=2, joker="X1", card="8S"))
    assert table.state.owed == ()
    assert table.codes("A discard 2D") == []


def test_an_owed_joker_that_has_gone_elsewhere_stops_no_judgement() -> None:
    table = Table(
        phase="play",
        opts={"joker_swap": True},
        hands={"A": "7S 2D 4D", "B": "KH", "C": "3D"},
        table=["m2:R[5S 6S X1=7S]@C"],
    )
    table.do("A swap X1@m2 7S").record("B discard X1")
    state = replace(table.state, phase="play", turn=0, owed=("X1",))
    assert [one.code for one in RUMMY.judge(state, Discarded(seat=0, card="2D"))] == [
        "MUST_MELD_JOKER"
    ]
    assert list(RUMMY.legal(state, 0)) == []


def test_whether_the_deep_card_can_still_be_melded_is_unchecked() -> None:
    """R-6.11: also where no known card would have melded it before either."""
    table = Table(
        pile="2C 9H",
        opts={"pile_rule": "always_new_meld", "deep_timing": "by_turn_end"},
        hands={"A": "?? ?? ?? ??", "B": "3S", "C": "3D"},
        stock=9,
    ).record("A take 9H")
    assert table.codes("A meld R TC JC QC") == []
    assert table.unchecked("A meld R TC JC QC") == ["MUST_MELD_DEEP_CARD"]
