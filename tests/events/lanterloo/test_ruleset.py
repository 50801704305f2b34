"""Which tables of Loo can be opened, what the presets say, and what the service adds at a refereed one."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.common import GameEnded
from events.lanterloo.events import AntePaid, Bid, Exchanged, SessionDivided
from events.lanterloo.pool import CEILING, ante, loo
from events.lanterloo.ruleset import FORMS, PRESETS, Form
from tests.events.lanterloo.table import LOO, Table, cards, opened, ruleset


@pytest.mark.parametrize(
    ("seats", "opts", "code"),
    [
        (2, {}, "TOO_FEW_PLAYERS"),
        (3, {"form": "loo5", "lone_vs_dealer": "must_defend"}, "OPTIONS_CONTRADICT"),
        (3, {"form": "irish", "lone_vs_dealer": "must_defend"}, "OPTIONS_CONTRADICT"),
        (3, {"stakes": "unlimited", "limited_loo": 15}, "OPTIONS_CONTRADICT"),
        (3, {"unlimited_cap": 15}, "OPTIONS_CONTRADICT"),
        (3, {"form": "irish", "limited_loo": 5}, "AMOUNT_INDIVISIBLE"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_a_reason(seats: int, opts: Any, code: str) -> None:
    rules = ruleset(**{"form": "loo5"} | opts)
    found = LOO.problems(opened(seats, rules))
    assert [one.code for one in found] == [code]
    assert set(found[0].params) == {"option", "actual", "expected"}


def test_nobody_sits_twice_and_the_dealer_has_a_seat() -> None:
    opening = opened(3, ruleset("loo3"))
    twice = replace(opening, seats=(opening.seats[0],) * 3)
    assert [one.code for one in LOO.problems(twice)] == ["PLAYER_TWICE"]
    assert [one.code for one in LOO.problems(replace(opening, first_dealer=5))] == [
        "DEALER_UNKNOWN"
    ]
    assert LOO.problems(replace(opening, first_dealer=None)) == ()


@pytest.mark.parametrize("form", FORMS)
def test_eight_can_play_each_form_by_each_book(form: Form) -> None:
    for book in ("seed", "hoyle1909", "enquire"):
        rules = PRESETS[f"{book}-{form}"]
        assert (rules.form, rules.preset) == (form, f"{book}-{form}")
        assert LOO.problems(opened(8, rules)) == ()


def test_the_presets_are_those_of_section_13() -> None:
    hoyle, enquire = PRESETS["hoyle1909-loo3"], PRESETS["enquire-loo3"]
    assert (hoyle.lead_two, hoyle.lead_two_scope, hoyle.lead_ace, hoyle.trump_after_trick) == (
        "highest_if_two_players", "every_lead", "ace_or_king", True
    )  # fmt: skip
    assert (hoyle.force, hoyle.force_miss, hoyle.lone_vs_dealer) == (
        "single_pool", "withdrawn", "must_defend"
    )  # fmt: skip
    assert (enquire.lead_two, enquire.lead_ace, enquire.force) == (
        "highest", "ace_first_lead", "first_hand"
    )  # fmt: skip
    five = PRESETS["hoyle1909"], PRESETS["enquire"]
    assert [one.force_loo5 for one in five] == [True, False]
    assert [one.loo5_play for one in five] == ["as_loo3", "as_loo3"]
    assert [one.civil_scope for one in five] == ["without_revoke", "unless_only_card"]
    assert [one.flush_looes for one in five] == ["shown_before_pass", "standers"]
    assert [one.flush_classes for one in five] == ["pam_equal", "pam_first"]
    assert [one.flush_tie for one in five] == ["cards_then_elder", "elder"]
    assert [one.court_cards_tie for one in five] == [False, True]


def test_a_loo_is_the_ante_an_agreed_amount_or_the_pool() -> None:
    assert loo(ruleset("loo3", unit=3), 27) == 9
    assert loo(ruleset("loo3", limited_loo=9), 27) == 9
    assert loo(ruleset("loo5", stakes="unlimited"), 45) == 45
    assert loo(ruleset("loo5", stakes="unlimited", unlimited_cap=20), 45) == 20
    biggest = loo(ruleset("loo5", stakes="unlimited", unit=7), 10 * CEILING)
    assert biggest % ante(ruleset("loo5", unit=7)) == 0
    assert CEILING - 35 < biggest <= CEILING


def test_the_service_fills_in_what_only_it_can_see() -> None:
    table = Table("loo3", 3, force="off").deal(
        "AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", miss="8H 9H TH"
    )
    took = LOO.complete(table.state, Bid(seat=0, choice="miss", cards=()))
    assert took == Bid(seat=0, choice="miss", cards=cards("8H 9H TH"))
    table = Table("irish", 3, force="off").deal(
        "AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", stock="9S TS"
    )
    changed = LOO.complete(
        table.state, Exchanged(seat=0, put_out=cards("QS KS"), drawn=("??", "??"))
    )
    assert changed == Exchanged(seat=0, put_out=cards("QS KS"), drawn=cards("9S TS"))
    assert LOO.judge(table.state, replace(changed, drawn=cards("TS 9S"))) != ()


def test_a_client_names_no_card_that_it_cannot_know() -> None:
    for act in (
        Bid(seat=0, choice="miss", cards=("AS",)),
        Exchanged(seat=0, put_out=("KS",), drawn=("AS",)),
    ):
        assert [one.code for one in LOO.not_for_clients(act)] == ["OUTCOME_NAMED"]
    (found,) = LOO.not_for_clients(AntePaid(seat=0, amount=5))
    assert found.code == "SERVICE_DOES_THIS"


def test_a_pool_is_divided_before_all_go_home_odd_chips_to_the_eldest() -> None:
    table = Table("loo5", 3, unit=1).position(
        "2S", "3S", "4S", dealer=0, pool=5, declared=(None,) * 3, phase="declare"
    )
    end = GameEnded(winner=None, abandoned=True)
    assert [one.code for one in LOO.judge(table.state, end)] == ["POOL_WRONG"]
    shares = SessionDivided(shares=(1, 2, 2))
    assert LOO.before(table.state, end) == (shares,)
    assert LOO.judge(table.state, SessionDivided(shares=(3, 1, 1))) != ()
    table.record(shares)
    assert LOO.judge(table.state, end) == ()
    assert (table.state.balances, table.state.pool) == ((1, 2, 2), 0)
