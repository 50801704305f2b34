"""Audits of Lanterloo: sessions that went by the rules are clean, and one fault is found where it was put in."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.common import DealEnded, DealScored, GameEnded, GameOpened, Shuffled
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
