"""The rule that a finding cites is the one that an arbiter would read out: not another of the same section."""

from typing import Any

import pytest

from events.game import Violation
from events.lanterloo.events import CardPlayed, Looed, LooEvent, PoolPaid
from events.lanterloo.ruleset import Form
from tests.events.lanterloo.table import LOO
from tests.events.lanterloo.table import Table as LooTable
from tests.events.rummy500.helpers import Table

HANDS: dict[str, Any] = {"A": "9S TS QS KD AD 2D 5H", "B": "AS", "C": "3D"}
PLAY: dict[str, Any] = {
    "phase": "play",
    "hands": HANDS,
    "pile": "4C",
    "table": ["m1:R[5C 6C 7C]@B"],
}
TAKEN: dict[str, Any] = {
    "hands": {"A": "9H 9S 4D", "B": "AS", "C": "3D"},
    "pile": "6D 9C",
    "taken": "9C",
}
ONE_TAKEN: dict[str, Any] = TAKEN | {"phase": "play", "duty": "9C", "hands": {"A": "9H 9S 9C 4D"}}


@pytest.mark.parametrize(
    ("act", "code", "rule"),
    [
        ("A meld R 9S TS QS", "RUN_NOT_CONSECUTIVE", "R-3.4"),
        ("A meld R KD AD 2D", "RUN_NOT_CONSECUTIVE", "R-3.5"),
        ("A meld R 9S TS JS", "NOT_IN_HAND", "R-3.1"),
        ("A lay 8C@m1", "NOT_IN_HAND", "R-5.1"),
        ("A discard 8C", "NOT_IN_HAND", "R-6.9"),
    ],
)
def test_a_play_of_rummy(act: str, code: str, rule: str) -> None:
    Table(**PLAY).refuses(act, code, rule)


@pytest.mark.parametrize(
    ("pile_rule", "rule"), [("always_meld", "V-3a"), ("always_new_meld", "V-3b")]
)
def test_the_duty_of_a_single_card_is_that_of_the_table_s_pile_rule(
    pile_rule: str, rule: str
) -> None:
    table = Table(opts={"pile_rule": pile_rule}, **ONE_TAKEN)
    table.refuses("A discard 4D", "MUST_MELD_DEEP_CARD", rule)


def test_only_a_last_discard_can_be_called_where_it_may_be_challenged() -> None:
    opts: Any = {"go_out": "floating_unplayable", "illegal_final_discard": "challenge"}
    hands: Any = {"A": "8H", "B": "AS KD", "C": "3D 9C"}
    table = Table(opts=opts, phase="play", hands=hands, pile="9H", table=["m1:R[5H 6H 7H]@A"])
    table.do("A discard 8H").refuses("C rummy 9H", "NOT_CALLABLE", "12.7")


@pytest.mark.parametrize(
    ("form", "opts", "event", "rule"),
    [
        ("loo5", {}, PoolPaid(seat=0, amount=14, paid_for="tricks"), "L-9.1"),
        ("loo3", {}, PoolPaid(seat=0, amount=14, paid_for="tricks"), "L-9.2"),
        ("irish", {}, PoolPaid(seat=0, amount=14, paid_for="tricks"), "L-9.2"),
        ("loo3", {}, Looed(seat=1, amount=5, to=None), "L-9.3"),
        ("loo3", {"stakes": "unlimited"}, Looed(seat=1, amount=5, to=None), "L-9.5"),
    ],
)
def test_a_payment_of_loo(form: Form, opts: Any, event: LooEvent, rule: str) -> None:
    size = 5 if form == "loo5" else 3
    table = LooTable(form, 3, **opts)
    table.position("", "", "", pool=15, tricks=(size, 0, 0))
    if isinstance(event, Looed):
        table.record(LOO.due(table.state)[0])
    (found,) = table.judge(event)
    assert (found.code, found.rule) == ("AMOUNT_WRONG", rule)


def test_a_loo_to_a_flush() -> None:
    table = LooTable("loo5", 3)
    table.position("AH KH 9H 4H 2H", "TS TD 9C 6D 4C", "9S 8S 7D 2C 3C", pool=10)
    table.settle("show").record(LOO.due(table.state)[0])
    (found,) = table.judge(Looed(seat=1, amount=10, to=None))
    assert (found.code, found.rule) == ("AMOUNT_WRONG", "L-6.4")


@pytest.mark.parametrize("form", ["loo5", "loo3"])
def test_a_card_up_the_sleeve_breaks_no_rule_of_play_but_the_count(form: Form) -> None:
    table = LooTable(form, 3).position("9S 2C", "KS 3S", "4D 5H")
    (found,) = table.judge(CardPlayed(seat=0, card="AS", civil=False))
    assert isinstance(found, Violation)
    assert (found.code, found.rule) == ("NOT_IN_HAND", "15.1")


@pytest.mark.parametrize(("form", "rule"), [("loo5", "L-7.3"), ("loo3", "L-8.4")])
def test_an_unknown_card_may_not_have_followed(form: Form, rule: str) -> None:
    table = LooTable(form, 3).position("9S 2C", "?? ??", "4D 5H").record("A 9S")
    (found,) = table.judge(CardPlayed(seat=1, card="??", civil=False))
    assert (found.code, found.rule) == ("MUST_FOLLOW", rule)


def test_a_lead_after_a_trick_from_a_hand_not_known() -> None:
    table = LooTable("loo3", 3, trump_after_trick=True)
    table.position("?? 2C", "KS 3S", "4D 5H", tricks=(1, 0, 0))
    (found,) = table.judge(CardPlayed(seat=0, card="2C", civil=False))
    assert (found.code, found.rule) == ("MUST_LEAD_TRUMP", "L-8.3")
