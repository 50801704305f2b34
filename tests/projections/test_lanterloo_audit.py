"""Audits of Lanterloo: sessions that went by the rules are clean, and one fault is found where it was put in."""

import random
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.common import DealEnded, DealScored, GameEnded, GameOpened, Shuffled
from events.formats.detect import read_file
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Looed,
    LooEvent,
    MissSeen,
    PoolPaid,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.ruleset import FORMS
from events.lanterloo.state import State
from projections.audit import audit
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, Table, play, ruleset
from tests.profiles import examples


@given(st.data())
@examples(40)
def test_a_session_by_the_rules_is_clean(data: st.DataObject) -> None:
    seats = data.draw(st.integers(3, 8))
    rules = data.draw(rulesets(seats))
    events = play(data.draw(st.integers(0, 100_000)), seats, rules, deals=4)
    report = audit(LOO, events)
    assert (report.findings, report.unchecked) == ((), ())
    assert report.deals == sum(isinstance(event, Shuffled) for event in events)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stakes", ["limited", "unlimited"])
@given(seed=st.integers(0, 100_000), data=st.data())
@examples(25)
def test_one_fault_is_found_at_its_version(
    form: Any, stakes: Any, seed: int, data: st.DataObject
) -> None:
    events = play(seed, 4, ruleset(form, stakes=stakes), deals=3, mode="recorded")
    slips = list(faults(events, random.Random(seed)))
    at, wrong = data.draw(st.sampled_from(slips))
    report = audit(LOO, [*events[:at], wrong, *events[at + 1 :]])
    assert report.findings
    assert report.findings[0].version == at + 1, (wrong, report.findings[:2])


def faults(events: list[LooEvent], rng: random.Random) -> Iterator[tuple[int, LooEvent]]:
    """Yield an index and a wrong event for it, for every event that can be got wrong."""
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    for at, event in enumerate(events[1:], 1):
        yield from ((at, wrong) for wrong in _wrong(state, event, rng))
        state = LOO.evolve(state, event)


def _wrong(state: State, event: LooEvent, rng: random.Random) -> Iterator[LooEvent]:
    other = state.seat_after(getattr(event, "seat", 0))
    match event:
        case AntePaid() | Looed() | PoolPaid():
            yield replace(event, amount=event.amount + rng.randint(1, 9))
            if len(LOO.due(state)) == 1:
                yield replace(event, seat=other)
        case TrickTaken():
            yield replace(event, seat=other)
        case Bid():
            yield replace(event, seat=other)
        case CardPlayed():
            yield replace(event, seat=other)
            may = {a.card for a in LOO.legal(state, event.seat) if isinstance(a, CardPlayed)}
            for card in set(state.hands[event.seat]) - may:
                yield replace(event, card=card)
            for card in set(state.hands[other]):
                yield replace(event, card=card)
        case Shuffled():
            yield replace(event, dealer=state.seat_after(event.dealer))
        case TurnUp():
            yield replace(event, card=state.stock[1])
        case DealEnded():
            yield replace(event, reason="CARRIED")
        case DealScored():
            yield replace(event, totals=tuple((total or 0) + 1 for total in event.totals))
        case GameEnded():
            yield replace(event, winner=state.seat_after(event.winner or 0))
        case _:
            return


def test_a_loo_that_was_not_paid_is_found_at_the_end_of_the_deal() -> None:
    table = Table("loo3", 3).position("", "", "", tricks=(2, 1, 0), pool=9)
    table.settle("settle", "over")
    looed = next(at for at, event in enumerate(table.events) if isinstance(event, Looed))
    report = audit(LOO, [*table.events[:looed], *table.events[looed + 1 :]])
    assert [(one.version, one.code, one.seat) for one in report.findings][:1] == [
        (looed + 1, "LOOED_WRONG", 2)
    ]


def test_looking_at_the_miss_can_be_recorded_and_is_found() -> None:
    table = Table("loo3", 3).deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", miss="8H 9H TH")
    table.record(MissSeen(seat=1)).do("A play", "B play", "C play")
    report = audit(LOO, table.events)
    assert [(one.code, one.seat) for one in report.findings] == [("MISS_IS_HIDDEN", 1)]


def test_a_card_that_lies_in_two_places_is_told() -> None:
    table = Table("loo3", 3, force="off")
    table.position("AS KS QS", "AS 3D 4D", "5C 6C 7C", turn=0)
    report = audit(LOO, table.events)
    assert [(one.code, one.params["expected"]) for one in report.findings] == [
        ("CARD_TWICE", "1 of AS")
    ]


def evening() -> list[LooEvent]:
    with files("events.samples").joinpath("evening-of-loo.txt").open("rb") as stream:
        (game,) = read_file(stream)
    return game.events


@pytest.mark.parametrize(
    ("rule", "owed"),
    [
        ("reject", None),
        ("loo", "3 to next for MUST_HEAD"),
        ("four_singles", "12 to next for MUST_HEAD"),
    ],
)
def test_an_audit_says_what_a_breach_would_have_cost(rule: Any, owed: str | None) -> None:
    """L-12.2: by default it is reported and settled as played."""
    events = evening()
    opening = events[0]
    assert isinstance(opening, GameOpened)
    report = audit(LOO, events, replace(opening.ruleset, on_violation=rule))
    breach, *others = [(one.code, one.event, one.expected) for one in report.findings]
    assert breach == ("MUST_HEAD", "card_played", "QS")
    assert others == ([] if owed is None else [("AMOUNT_WRONG", "deal_ended", owed)])


def irregular(rule: Any, *acts: str | LooEvent) -> list[tuple[str, str]]:
    """What an audit finds of a hand in which B has hearts and a spade, spades are led and hearts are trumps."""
    table = Table("loo3", 3, on_violation=rule)
    table.position("KS 2S 3D", "4S 5H 6D", "7S 8D 9D", miss=("AC", "KC", "QC"), pool=9)
    table.record(*acts)
    while table.state.phase in ("trick", "settle", "over") or table.state.penalties:
        table.record(LOO.due(table.state)[0])
    return [(one.code, one.event) for one in audit(LOO, table.events).findings]


IRREGULAR: list[tuple[str, list[str | LooEvent]]] = [
    ("MUST_FOLLOW", ["A KS", "B 5H", "C 7S"]),
    ("NOT_YOUR_TURN", ["C 7S"]),
    ("MISS_IS_HIDDEN", [MissSeen(seat=1)]),
]


@pytest.mark.parametrize("rule", ["reject", "loo", "four_singles"])
@pytest.mark.parametrize(("code", "acts"), IRREGULAR, ids=[code for code, _ in IRREGULAR])
def test_an_irregularity_that_is_paid_for_is_found_and_nothing_else(
    rule: Any, code: str, acts: list[str | LooEvent]
) -> None:
    found = irregular(rule, *acts)
    assert [one for one, _ in found] == [code]


def test_a_wrong_lead_and_a_card_that_does_not_head_are_found() -> None:
    table = Table("loo3", 3).position("KH 2H 3D", "4S 5D 6D", "7S 8D 9D", pool=9)
    report = audit(LOO, table.record("A 3D", "B 5D", "C 8D").events)
    assert [(one.code, one.seat) for one in report.findings] == [("MUST_LEAD_TRUMP", 0)]
    table = Table("loo3", 3).position("3D 2S 3S", "4S 5D 6D", "7S 8D 2D", pool=9)
    report = audit(LOO, table.record("A 3D", "B 5D", "C 2D").events)
    assert [(one.code, one.seat) for one in report.findings] == [("MUST_HEAD", 2)]


def test_the_first_wrong_amount_is_named_with_what_was_due() -> None:
    events = evening()
    looed = [at for at, event in enumerate(events) if isinstance(event, Looed)]
    at = looed[4]
    right = events[at]
    assert isinstance(right, Looed)
    wrong = replace(right, amount=4)
    first = audit(LOO, [*events[:at], wrong, *events[at + 1 :]]).findings[0]
    assert (first.version, first.code, first.rule) == (at + 1, "AMOUNT_WRONG", "L-9.3")
    assert (first.expected, first.actual, first.seat) == (3, 4, wrong.seat)


def test_balances_and_pool_sum_to_nothing_whatever_is_recorded() -> None:
    events = evening()
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    for event in events[1:]:
        amount = getattr(event, "amount", None)
        state = LOO.evolve(state, event if amount is None else replace(event, amount=amount + 1))
        assert sum(state.balances) + state.pool == 0
