"""Known disputes, wrong readings and public bugs, each ruled as our rules rule it (docs/rules/disputes.md)."""

import re
from pathlib import Path
from typing import Any

import pytest

from events.common import DealEnded, DealScored
from events.errors import ActError
from events.rummy500.melds import meld_fault
from events.rummy500.ruleset import SEED, Ruleset, deal_size_for
from events.rummy500.scoring import score_bounds, table_values, winner_of
from events.rummy500.state import Laid, Meld
from tests.events.rummy500.helpers import Table

DISPUTES = Path(__file__).parents[3] / "docs" / "rules" / "disputes.md"


def test_every_dispute_of_sections_a_to_d_has_a_test_under_its_number() -> None:
    text = DISPUTES.read_text(encoding="utf-8").partition("\n## E.")[0]
    entries = set(re.findall(r"^\*\*DP-(\d+) ", text, re.MULTILINE))
    named = [re.match(r"test_dp_(\d+)_", name) for name in globals()]
    assert len(entries) == 28
    assert {found[1] for found in named if found} == entries


def group_fault(cards: str, ruleset: Ruleset = SEED) -> str | None:
    found = meld_fault("group", tuple(cards.split()), ruleset)
    return found.code if found else None


def run_fault(cards: str, ruleset: Ruleset = SEED) -> str | None:
    found = meld_fault("sequence", tuple(cards.split()), ruleset)
    return found.code if found else None


def points(kind: Any, cards: str, **opts: Any) -> int:
    low = 1 if cards.startswith("A") else 0
    meld = Meld(1, kind, 0, tuple(Laid(card, 0) for card in cards.split()), low)
    return sum(table_values(meld, Ruleset(**opts)))


def play(**position: Any) -> Table:
    return Table(**{"phase": "play"} | position)


def test_dp_01_one_card_that_fits_a_group_and_a_sequence() -> None:
    """R-5.5, R-5.6: the player names the meld; unnamed is refused."""
    position: dict[str, Any] = {
        "turn": "B",
        "hands": {"A": "KS", "B": "TD JD 2C", "C": "3S"},
        "table": ["m1:R[7D 8D 9D]@A", "m2:G[TC TH TS]@C"],
    }
    with pytest.raises(ActError, match="no meld named"):
        play(**position).read("B lay TD")
    play(**position).do("B lay TD@m1", "B lay JD@m1")
    play(**position).do("B lay TD@m2").refuses("B lay JD@m1", "RUN_END", "R-5.3")


def test_dp_02_what_a_low_ace_is_worth() -> None:
    """R-2.2, V-2."""
    assert points("sequence", "AH 2H 3H") == 6
    assert points("sequence", "AH 2H 3H", values="five_ten_fifteen") == 15
    assert points("group", "AS AH AC") == 45
    assert points("group", "AS AH AC", values="five_ten_fifteen") == 45


def test_dp_04_round_the_corner() -> None:
    """R-3.5."""
    table = play(hands={"A": "2C KD AD 2D 9S", "B": "", "C": ""}, table=["m1:R[QC KC AC]@B"])
    table.refuses("A lay 2C@m1", "RUN_END").refuses("A meld R KD AD 2D", "RUN_NOT_CONSECUTIVE")


def test_dp_05_two_cards_at_once_onto_one_meld() -> None:
    """R-3.5, R-5.8."""
    above = play(hands={"A": "2S 3S 9C", "B": "", "C": ""}, table=["m1:R[JS QS KS AS]@B"])
    assert above.codes("A lay 2S@m1 3S@m1") == ["RUN_END", "RUN_END"]
    fits = play(hands={"A": "8H 9H 9C", "B": "", "C": ""}, table=["m1:R[5H 6H 7H]@B"])
    fits.do("A lay 8H@m1 9H@m1")


def test_dp_07_who_scores_a_lay_off() -> None:
    """R-5.4."""
    table = play(turn="B", hands={"A": "", "B": "8H", "C": ""}, table=["m1:R[5H 6H 7H]@A"])
    table.do("B lay 8H@m1")
    assert [low for low, _ in score_bounds(table.state)] == [18, 8, 0]


def test_dp_08_equal_melds_are_different_melds() -> None:
    """R-3.6, R-3.7."""
    hands = {"A": "", "B": "8H 2C", "C": "", "D": "", "E": ""}
    melds = ["m1:R[5H 6H 7H]@A", "m2:R[5H' 6H' 7H']@A"]
    table = play(turn="B", hands=hands, table=melds).do("B lay 8H@m2")
    assert [len(meld.cards) for meld in table.state.table] == [3, 4]


def test_dp_10_five_of_a_kind() -> None:
    """R-3.2, R-4.5."""
    assert group_fault("KS KH KD KC X1") == "MELD_SIZE"
    assert group_fault("KS KH KD KC KS'") == "MELD_SIZE"
    table = play(hands={"A": "X1 2C", "B": "", "C": ""}, table=["m1:G[KS KH KD KC]@B"])
    table.refuses("A lay X1@m1", "GROUP_FULL", "R-4.5")


def test_dp_11_swapping_a_joker_for_the_natural_card() -> None:
    """R-4.3."""
    table = play(
        hands={"A": "9C 8C 2D", "B": "", "C": ""},
        table=["m1:G[9S 9H X1]@B", "m2:R[6C 7C X2=8C]@B"],
    )
    table.refuses("A lay 8C@m2", "RUN_END").do("A lay 9C@m1")
    assert [laid.card for laid in table.state.table[0].cards] == ["9S", "9H", "X1", "9C"]


def test_dp_13_where_a_laid_off_joker_goes() -> None:
    """R-4.2, R-4.8, R-5.5."""
    position: dict[str, Any] = {
        "hands": {"A": "X1 9S 2C", "B": "", "C": ""},
        "table": ["m1:R[JS QS KS]@B"],
    }
    play(**position).refuses("A lay X1@m1", "JOKER_UNDECLARED", "R-4.2")
    play(**position).do("A lay X1=TS@m1 9S@m1", "A discard 2C")
    play(**position).do("A lay X1=AS@m1").refuses("A lay 9S@m1", "RUN_END")


def test_dp_14_an_ambiguous_joker_meld_is_stated() -> None:
    """R-4.6."""
    assert group_fault("9S X1 X2") is None
    for stated in ("X1=7S X2=8S 9S", "X1=8S 9S X2=TS", "9S X1=TS X2=JS"):
        assert run_fault(stated) is None
    for vague in ("X1 X2 9S", "X1=8S 9S X2"):
        assert run_fault(vague) == "JOKER_UNDECLARED"


def test_dp_16_aces_with_kings() -> None:
    """R-3.2."""
    assert group_fault("KC KD AD") == "GROUP_RANK"


def test_dp_17_cards_that_the_player_does_not_have() -> None:
    """Invariant 1."""
    table = play(hands={"A": "9C TC 4S", "B": "JC", "C": ""})
    table.refuses("A meld R 9C TC JC", "NOT_IN_HAND").refuses("A discard JC", "NOT_IN_HAND")


def test_dp_19_no_meld_is_needed_before_laying_off() -> None:
    """R-5.1."""
    table = play(turn="C", hands={"A": "", "B": "", "C": "8H KD"}, table=["m1:R[5H 6H 7H]@A"])
    table.do("C lay 8H@m1")


PILE: dict[str, Any] = {
    "phase": "draw",
    "pile": "6D 4S QH 4D AC 7S",
    "hands": {"A": "2C 4H 5D 8S JC KD KS", "B": "3S", "C": "3D"},
}


def test_dp_20_which_card_carries_the_duty() -> None:
    """R-6.6: the lowest one taken, not the top."""
    table = Table(**PILE).do("A take 4S")
    assert table.state.duty == "4S"
    table.do("A meld G 4S 4D 4H", "A discard 2C")


def test_dp_22_the_top_card_need_not_be_melded() -> None:
    """R-6.3, R-6.4; V-3a says otherwise."""
    Table(**PILE).do("A take 7S", "A discard 2C")
    Table(**PILE).do("A take 7S").refuses("A discard 7S", "REDISCARD_OF_DRAWN_TOP")
    Table(opts={"pile_rule": "always_meld"}, **PILE).refuses("A take 7S", "DEEP_CARD_UNMELDABLE")


def test_dp_23_a_card_of_several_taken_may_be_thrown_back() -> None:
    """R-6.10."""
    Table(**PILE).do("A take 4S", "A meld G 4S 4D 4H", "A discard 7S")


def test_dp_25_an_empty_stock_does_not_end_the_deal_at_once() -> None:
    """R-7.3."""
    table = Table(pile="2D", stock="9S", hands={"A": "4C 5C", "B": "6H 7H", "C": "8D 9D"}, turn="A")
    table.do("A stock", "A discard 4C", "B take 4C", "B discard 6H", "C pass")
    assert (table.state.ended, table.state.out) == ("STOCK_EXHAUSTED", None)


def test_dp_26_everybody_deducts_when_the_stock_runs_out() -> None:
    """R-9.1."""
    table = Table(pile="QC 9C", stock=0, hands={"A": "5H 6H 2S", "B": "AS", "C": "3D"})
    table.do("A pass")
    assert [low for low, _ in score_bounds(table.state)] == [-13, -15, -3]


def test_dp_28_the_other_packs_copy_may_be_thrown() -> None:
    """R-6.4."""
    table = Table(pile="2D 9C", hands={"A": "9C' 4S", "B": "", "C": "", "D": "", "E": ""})
    table.do("A take 9C").refuses("A discard 9C", "REDISCARD_OF_DRAWN_TOP").do("A discard 9C'")
    assert table.pile == "2D 9C'"


def test_dp_29_two_players_get_thirteen_cards() -> None:
    """R-1.3."""
    assert [deal_size_for(SEED, players) for players in range(2, 9)] == [13, 7, 7, 7, 7, 7, 7]


def window(discard: str, **position: Any) -> Table:
    hands = {"A": f"{discard} KD 3H", "B": "4D 5D", "C": "6H 6D QS", "D": "KC"}
    table = ["m1:R[7S 8S 9S]@C"]
    return play(**{"players": 4, "hands": hands, "table": table} | position).do(
        f"A discard {discard}"
    )


def test_dp_31_the_discarder_is_the_one_who_may_not_call() -> None:
    """R-8.2."""
    table = window("TS").refuses("A rummy TS", "CALLER_IS_DISCARDER")
    assert [table.codes(f"{name} rummy TS") for name in "BCD"] == [[], [], []]


def test_dp_32_leaving_a_rummy_costs_nothing() -> None:
    """R-8.1."""
    table = window("TS")
    before = [score_bounds(table.state), table.state.totals]
    table.do("B stock 2H", "B discard 2H")
    assert [score_bounds(table.state)[0], table.state.totals] == [before[0][0], before[1]]
    assert table.callable == "TS"


def test_dp_34_hand_cards_make_no_card_callable() -> None:
    """R-8.1, R-8.5."""
    window("6S", table=[]).refuses("C rummy 6S", "NOT_CALLABLE")
    window("6S").do("C rummy 6S", "C meld G 6S 6H 6D", "C discard QS")


def test_dp_35_going_out_on_a_call() -> None:
    """R-8.6."""
    table = window("6S").do("D rummy 6S", "D lay 6S@m1", "D discard KC")
    assert (table.state.ended, table.state.out) == ("DISCARDED_OUT", 3)


def test_dp_37_a_tie_at_the_top_is_played_on() -> None:
    """R-9.6."""
    assert winner_of((510, 510, 505), SEED, 0) is None
    assert winner_of((480, 470, 330), SEED, 0) is None
    assert winner_of((480, 470, 505), SEED, 0) == 2


def test_dp_38_an_ace_in_hand_is_fifteen() -> None:
    """R-2.4."""
    table = play(hands={"A": "KS", "B": "AH 2H 3H", "C": ""}).do("A discard KS")
    assert score_bounds(table.state)[1] == (-20, -20)


def test_dp_40_no_queen_is_forty_and_no_joker_twenty() -> None:
    """R-2.1."""
    table = play(hands={"A": "KS", "B": "QS", "C": "X1"}).do("A discard KS")
    assert [low for low, _ in score_bounds(table.state)] == [0, -10, -15]


def test_dp_41_a_deal_is_scored_once() -> None:
    """Invariant 4."""
    table = play(hands={"A": "KS", "B": "QS", "C": "2C"}).do("A discard KS")
    score = DealScored(deal=1, scores=(0, -10, -2), totals=(0, -10, -2))
    table.do(DealEnded(deal=1, reason="DISCARDED_OUT", out=0)).record(score)
    assert table.state.totals == (0, -10, -2)
    assert table.codes(score) == ["DEALER_WRONG"]
