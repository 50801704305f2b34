"""A session of Loo at a glance: bids, exchanges, tricks, loos and the pool with their versions, as a viewer sees them."""

from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.common import (
    GameOpened,
    Redealt,
    Shuffled,
)
from events.formats.detect import read_file
from events.lanterloo.events import LooEvent, Played, PoolPaid, TurnUp
from projections.lanterloo_course import Declared, FlushMade, Loo, LooDeal, Paid, Penalty, Trick
from projections.timeline import FindingLine, timeline
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, Table, play
from tests.profiles import examples
from tests.seeing import seen_by


def deals_of(events: list[LooEvent]) -> list[LooDeal]:
    return [deal for deal in timeline(LOO, events).deals if isinstance(deal, LooDeal)]


def evening() -> list[LooEvent]:
    with files("events.samples").joinpath("evening-of-loo.txt").open("rb") as stream:
        (game,) = read_file(stream)
    return game.events


def test_a_hand_is_told_from_the_bids_to_the_loos() -> None:
    table = Table("loo3", 3, force="off")
    table.deal("AS KS QH", "2D 3D 4S", "5C 6C 7S", up="2H", miss="8H 9H TS")
    at = len(table.events) + 1
    table.do("A play", "B pass", "C miss", "A AS", "C TS", "A KS", "C 8H", "C 9H", "A QH")
    (deal,) = deals_of(table.events)

    assert deal.bids == (
        Declared(at, 0, "stand"),
        Declared(at + 1, 1, "pass"),
        Declared(at + 2, 2, "miss", (), ("8H", "9H", "TS")),
    )
    cards = (Played(0, "AS"), Played(2, "TS"))
    assert deal.tricks[0] == Trick(1, 0, at + 3, at + 5, cards, 0)
    assert [(one.number, one.led_by, one.taken_by) for one in deal.tricks] == [
        (1, 0, 0),
        (2, 0, 2),
        (3, 2, 0),
    ]
    assert deal.steps == tuple(one.first for one in deal.tricks)
    assert [(one.seat, one.amount, one.paid_for) for one in deal.shares] == [
        (0, 2, "tricks"),
        (2, 1, "tricks"),
    ]
    assert (deal.turn_up, deal.pool, deal.left, deal.loos) == ("2H", 3, 0, ())
    assert (deal.reason, deal.totals) == ("PLAYED", (2, 0, -2))


def test_the_pool_goes_on_from_deal_to_deal() -> None:
    deals = deals_of(evening())
    assert [deal.deal for deal in deals] == [1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11]
    assert [deal.pool for deal in deals if deal.reason != "CARD_FACED"] == [
        *(3, 9, 6, 9, 3, 9, 6, 9, 3, 12, 6)
    ]
    assert [deal.left for deal in deals] == [6, 3, 6, 0, 6, 6, 3, 6, 0, 9, 3, 0]
    assert deals[1].loos == (Loo(deals[1].loos[0].version, 3, 3, None),)


def test_findings_have_their_versions() -> None:
    course = timeline(LOO, evening(), findings=True)
    assert course.findings == (FindingLine(234, 7, 3, "breach", "MUST_HEAD", "L-8.4"),)


def test_a_flush_a_penalty_and_an_exchange_are_told() -> None:
    table = Table("loo5", 3).position(
        "AH KH 9H 4H 3S", "2S 3D 4S AD KD", "5S 6S 7S 4D 5D",
        phase="declare", declared=(None,) * 3, stock=("2H", "2C"),
    )  # fmt: skip
    table.do("A exchange 3S", "B play", "C pass")
    (deal,) = deals_of(table.events)
    assert deal.bids[0] == Declared(3, 0, "exchange", ("3S",), ("2H",))
    assert deal.flushes == (FlushMade(6, 0, "trump_flush", ("AH", "KH", "9H", "4H", "2H")),)
    assert (deal.shares[0], deal.left) == (Paid(7, 0, 15, "flush"), 5)

    table = Table("loo3", 3, on_violation="four_singles")
    table.position("KS 2S 3D", "4S 5H 6D", "7S 8D 9D", pool=9).record("C 7S")
    (fine,) = LOO.due(table.state)
    (deal,) = deals_of(table.record(fine).events)
    assert deal.penalties == (Penalty(4, 2, 3, "pool", "NOT_YOUR_TURN"),)


def test_a_misdeal_is_a_line_of_its_own() -> None:
    table = Table("loo3", 3, misdeal="loo")
    table.record(LOO.due(table.state)[0]).settle("ante").record(Redealt(reason="CARD_FACED"))
    table.record(*LOO.due(table.state)[:1]).record(LOO.due(table.state)[0])
    table.settle("deal", "turn_up")
    first, again = deals_of(table.events)
    assert (first.reason, again.reason, again.deal) == ("CARD_FACED", None, 1)
    assert (again.pool, again.left) == (3, 6) == (table.state.stake, table.state.pool)


@pytest.mark.parametrize("viewer", ["public", 1])
def test_hidden_cards_stay_hidden(viewer: Any) -> None:
    table = Table("irish", 3, force="off").deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H")
    table.do("A exchange QS KS", "B exchange 2D", "C pass")
    (deal,) = deals_of(seen_by("lanterloo", table.events, viewer))
    first, second = deal.bids[:2]
    assert (first.put_out, first.drawn) == (("??", "??"), ("??", "??"))
    assert (second.put_out == ("2D",)) == (viewer == 1)
    assert ("??" in second.drawn) == (viewer != 1)


@given(st.data())
@examples(20)
def test_the_pool_is_the_one_that_the_table_has(data: st.DataObject) -> None:
    rules = data.draw(rulesets(4))
    events = play(data.draw(st.integers(0, 10_000)), 4, rules, deals=4)
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state, stakes, left = LOO.initial(opening), list[int](), list[int]()
    for event in events[1:]:
        if isinstance(event, Shuffled) and state.deck:
            left.append(state.pool)
        state = LOO.evolve(state, event)
        if isinstance(event, TurnUp):
            stakes.append(state.stake)
    deals = deals_of(events)
    assert [deal.pool for deal in deals] == stakes
    assert [deal.left for deal in deals] == [*left, state.pool]
    paid = sum(one.amount for deal in deals for one in deal.shares)
    assert paid == sum(event.amount for event in events if isinstance(event, PoolPaid))
