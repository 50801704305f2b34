"""Irregularities of L-12: each is recorded, found under its rule, and settled as the table has agreed.

What a hand with one fault comes to is reckoned here a second time, from the text: who is looed, what stays in the
pool, what the offender pays into it and for which hand.
"""

import random
from typing import Any

import msgspec
import pytest

from events.lanterloo.events import Bid, CardPlayed, MissSeen, PenaltyPaid
from events.lanterloo.ruleset import Form
from tests.events.lanterloo.table import LOO, Table, next_event

POOL = {"loo5": 20, "loo3": 9, "irish": 12}
TRICKS = {"loo5": 5, "loo3": 3, "irish": 3}
Price = tuple[int, str] | None


class Fault(msgspec.Struct, frozen=True):
    """A table at which somebody breaks a rule: what was played before, the act, and where it is found."""

    form: Form
    hands: tuple[str, ...]
    act: CardPlayed | Bid | MissSeen
    code: str
    rule: str
    before: tuple[str, ...] = ()
    opts: dict[str, Any] = {}
    more: dict[str, Any] = {}
    is_lesser: bool = False

    @property
    def seat(self) -> int:
        return self.act.seat


def card(seat: int, text: str) -> CardPlayed:
    return CardPlayed(seat=seat, card=text, civil=False)


FIVE = ("9S AH 2C 3C 4C", "KS 4H 3D 4D JC", "2S 5H 6H 7D 8D")
THREE = ("9S 2C AH", "KS 3S QH", "4D 5H 6D")
FAULTS = {
    "revoke at five cards": Fault("loo5", FIVE, card(1, "3D"), "MUST_FOLLOW", "L-7.3", ("A 9S",)),
    "Pam kept back from a trump": Fault(
        "loo5",
        (FIVE[0], "KS 9D 3D 4D JC", FIVE[2]),
        card(1, "3D"),
        "MUST_FOLLOW",
        "L-7.3",
        ("A AH",),
    ),
    "Pam not civil": Fault("loo5", FIVE, card(1, "JC"), "PAM_BE_CIVIL", "L-7.6", ("A AH civil",)),
    "revoke at three": Fault("loo3", THREE, card(1, "QH"), "MUST_FOLLOW", "L-8.4", ("A 9S",)),
    "not headed": Fault("loo3", THREE, card(1, "3S"), "MUST_HEAD", "L-8.4", ("A 9S",)),
    "not trumped": Fault("loo3", THREE, card(2, "4D"), "MUST_HEAD", "L-8.4", ("A 9S", "B KS")),
    "not headed at Irish": Fault("irish", THREE, card(1, "3S"), "MUST_HEAD", "L-8.4", ("A 9S",)),
    "no trump of two led": Fault(
        "loo3", ("9S 2H AH", *THREE[1:]), card(0, "9S"), "MUST_LEAD_TRUMP", "L-8.1"
    ),
    "ace not led": Fault(
        "loo3", THREE, card(0, "9S"), "MUST_LEAD_ACE", "L-8.2", opts={"lead_ace": "ace_or_king"}
    ),
    "no trump after a trick": Fault(
        "loo3",
        ("AS 2C AH", "KS 3S QH", "2S 5H 6D"),
        card(0, "2C"),
        "MUST_LEAD_TRUMP",
        "L-8.3",
        ("A AS", "B 3S", "C 2S"),
        opts={"trump_after_trick": True},
    ),
    "a card out of turn": Fault(
        "loo3", THREE, card(2, "4D"), "NOT_YOUR_TURN", "L-7.1", ("A 9S",), is_lesser=True
    ),
    "a lead out of turn": Fault(
        "loo5", FIVE, card(2, "2S"), "NOT_YOUR_TURN", "L-7.1", is_lesser=True
    ),
    "a word out of turn": Fault(
        "loo3",
        THREE,
        Bid(seat=1, choice="stand", cards=()),
        "NOT_YOUR_TURN",
        "L-4.2",
        more={"phase": "declare", "declared": (None,) * 3},
        is_lesser=True,
    ),
    "the miss looked at": Fault(
        "loo3",
        THREE,
        MissSeen(seat=1),
        "MISS_IS_HIDDEN",
        "L-4.7",
        more={"phase": "declare", "declared": (None,) * 3, "miss": ("AC", "KC", "QC")},
        is_lesser=True,
    ),
}
STAKES: dict[str, dict[str, Any]] = {
    "limited": {},
    "unit 2, loo the board": {"stakes": "unlimited", "unit": 2},
    "loo of three antes": {"limited_loo": 45},
}


def seated(fault: Fault, **opts: Any) -> Table:
    table = Table(fault.form, 3, force="off", **fault.opts | opts)
    pool = POOL[fault.form] * table.state.ruleset.unit
    return table.position(*fault.hands, pool=pool, **fault.more).do(*fault.before)


def price(fault: Fault, table: Table) -> Price:
    """L-12.2: what the offender pays, and for which hand."""
    ruleset, ante = table.state.ruleset, TRICKS[fault.form] * table.state.ruleset.unit
    match ruleset.on_violation:
        case "loo":
            return loo_of(table, table.state.pool), "next"
        case "four_singles":
            return (ante, "pool") if fault.is_lesser else (4 * ante, "next")
        case _:
            return None


def loo_of(table: Table, stake: int) -> int:
    """L-9.3 to L-9.5."""
    ruleset = table.state.ruleset
    if ruleset.stakes == "unlimited":
        return stake
    return ruleset.limited_loo or TRICKS[ruleset.form] * ruleset.unit


def played_out(table: Table, seed: int) -> Table:
    chance = random.Random(seed)
    while table.state.phase != "scored":
        table.record(next_event(table.state, chance))
    return table


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_it_is_found_under_its_rule_and_refused_where_a_referee_sits(fault: Fault) -> None:
    (found,) = LOO.judge(seated(fault).state, fault.act)
    assert (found.code, found.rule, found.seat) == (fault.code, fault.rule, fault.seat)
    assert fault.act not in set(LOO.legal(seated(fault).state, fault.seat))


@pytest.mark.parametrize("stakes", STAKES.values(), ids=STAKES)
@pytest.mark.parametrize("rule", ["reject", "loo", "four_singles"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_it_costs_what_was_agreed(fault: Fault, rule: str, stakes: dict[str, Any]) -> None:
    table = seated(fault, on_violation=rule, **stakes)
    pool, agreed, offender = table.state.pool, price(fault, table), fault.seat
    table.record(fault.act)
    owed = [one for one in LOO.due(table.state) if isinstance(one, PenaltyPaid)]
    expected = [] if agreed is None else [(offender, *agreed, fault.code)]
    assert [(one.seat, one.amount, one.to, one.reason) for one in owed] == expected
    table.record(*owed)
    assert table.state.stake == pool + sum(one.amount for one in owed if one.to == "pool")
    balances, left = settled(fault, played_out(table, seed=7), pool, agreed)
    assert (list(table.state.balances), table.state.pool) == (balances, left)


def settled(fault: Fault, table: Table, pool: int, agreed: Price) -> tuple[list[int], int]:
    """What everybody has and what is left in the pool once the hand is over (L-9.1 to L-9.6, L-12.2)."""
    state, balances, left = table.state, [0, 0, 0], 0
    offender = fault.seat
    if agreed is not None:
        balances[offender] -= agreed[0]
        stake = pool + (agreed[0] if agreed[1] == "pool" else 0)
        left += agreed[0] if agreed[1] == "next" else 0
    else:
        stake = pool
    forfeits = agreed is not None and agreed[1] == "next" and _is_four_singles(table)
    if state.ended != "PLAYED":
        balances[state.lone or 0] += stake
        return balances, left
    for seat in state.standers:
        share = stake * state.tricks[seat] // TRICKS[fault.form]
        if forfeits and seat == offender:
            left += share
        else:
            balances[seat] += share
        if not state.tricks[seat]:
            balances[seat] -= loo_of(table, stake)
            left += loo_of(table, stake)
    return balances, left


def _is_four_singles(table: Table) -> bool:
    return table.state.ruleset.on_violation == "four_singles"
