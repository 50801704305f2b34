"""A game at a glance: its deals, turns, melds and calls with their versions."""

from typing import Any

import pytest

from events.errors import NotALogError
from events.game import Game
from projections.rummy500_course import Call, MeldMade, RummyDeal, Turn
from projections.timeline import FindingLine, Remark, Retraction, timeline
from tests.projections.tables import (
    GAME,
    back_to,
    call,
    decline,
    discard,
    draw,
    ended,
    lay,
    meld,
    position,
    record,
    remark,
    scored,
    take,
    won,
)
from tests.simulate import RUMMY, play

START = position(hands=("AS 2S 3S KD", "4S 5S QH", "9C 9D 9H 4D"), pile="JD")


def deals_of(events: list[Any], game: Game[Any, Any] = GAME) -> list[RummyDeal]:
    """The deals of a log, each with its turns, melds and calls."""
    deals = timeline(game, events).deals
    return [deal for deal in deals if isinstance(deal, RummyDeal)]


def test_a_turn_lasts_from_draw_to_discard() -> None:
    events = record(draw(1, "7C"), discard(1, "QH"), take(2, "QH"), discard(2, "9C"))

    assert deals_of(events)[0].turns == (
        Turn(1, 3, 4, "stock", (), "QH"),
        Turn(2, 5, 6, "pile", ("QH",), "9C"),
    )


def test_melds_and_lay_offs_are_listed_with_their_melds() -> None:
    events = record(
        draw(0, "7C"), meld(0, 1, "AS 2S 3S"), discard(0, "KD"), draw(1), lay(1, "4S", 1)
    )

    assert deals_of(events)[0].melds == (
        MeldMade(4, 0, "sequence", (1,), ("AS", "2S", "3S")),
        MeldMade(7, 1, None, (1,), ("4S",)),
    )


def test_a_call_begins_a_turn_a_refused_one_does_not() -> None:
    events = record(
        draw(1, "7C"), discard(1, "QH"), call(0, "JD QH", "NOT_CALLABLE"), call(2, "JD QH")
    )
    deal = deals_of(events)[0]

    assert deal.calls == (
        Call(5, 0, "JD", accepted=False, code="NOT_CALLABLE"),
        Call(6, 2, "JD", accepted=True, code=None),
    )
    assert deal.turns[-1] == Turn(2, 6, 6, "call", ("JD", "QH"))
    assert deal.turns[0].last == 4


def test_a_deal_tells_how_it_ended_and_what_it_brought() -> None:
    events = record(
        decline(1), ended("STOCK_EXHAUSTED", None), scored((-1, -2, -3), (9, 8, 7)), won(0)
    )
    course = timeline(GAME, events)

    (deal,) = deals_of(events)
    assert (deal.deal, deal.dealer, deal.first, deal.last) == (1, 0, 2, 5)
    assert (deal.reason, deal.out) == ("STOCK_EXHAUSTED", None)
    assert (deal.scores, deal.totals) == ((-1, -2, -3), (9, 8, 7))
    assert deal.turns == (Turn(1, 3, 3, "declined"),)
    assert (course.ended, course.winner, course.abandoned) == (True, 0, False)


def test_what_was_retracted_is_left_out_and_said() -> None:
    events = record(draw(1, "7C"), discard(1, "4S"), back_to(3), remark(2), discard(1, "QH"))
    course = timeline(GAME, events)

    assert deals_of(events)[0].turns == (Turn(1, 3, 7, "stock", (), "QH"),)
    assert course.retractions == (Retraction(5, 3, "MISREAD"),)
    assert course.remarks == (Remark(6, 2),)


def test_a_turn_that_the_position_began_counts_from_its_first_act() -> None:
    start = position(phase="play", drawn="stock")

    assert deals_of(record(discard(1, "QH"), start=start))[0].turns == (
        Turn(1, 3, 3, None, (), "QH"),
    )


def test_deals_follow_one_another_without_a_gap() -> None:
    events = play(21, 4, deals=3)
    deals = deals_of(events, RUMMY)

    assert [deal.deal for deal in deals] == [1, 2, 3]
    assert [deal.dealer for deal in deals] == [0, 1, 2]
    assert deals[0].first == 2
    assert [deal.first for deal in deals[1:]] == [deal.last + 1 for deal in deals[:-1]]
    for deal in deals:
        versions = [v for turn in deal.turns for v in (turn.first, turn.last)]
        assert versions == sorted(versions)


def test_a_log_begins_with_the_opening() -> None:
    with pytest.raises(NotALogError):
        timeline(GAME, [])


def test_findings_are_told_when_they_are_asked_for() -> None:
    events = record(draw(1, "7C"), discard(1, "AS"))

    assert timeline(GAME, events).findings is None
    assert timeline(GAME, events, findings=True).findings == (
        FindingLine(4, 1, 1, "breach", "NOT_IN_HAND", "R-6.9"),
    )
