"""An audit names each fault at its version, and nothing else."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.common import GameEnded, Shuffled
from events.errors import NoSuchDeal, NotALogError
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import DELBOYCODES, SEED, TIMPALPANT
from projections.audit import Report, Unfinished, audit, compare
from tests.profiles import examples
from tests.projections.tables import (
    GAME,
    back_to,
    call,
    decline,
    discard,
    draw,
    ended,
    meld,
    position,
    record,
    remark,
    scored,
    take,
    won,
)
from tests.simulate import RUMMY, play

OPTIONS = {
    "seed": SEED,
    "new melds from the pile, later": replace(
        SEED,
        pile_rule="always_new_meld",
        deep_timing="by_turn_end",
        redraw_scope="same_face",
        stock_out="reshuffle_all_but_top",
        joker_scores="represented",
        run_two_aces=True,
    ),
    "owner scores, discard to go out": replace(
        DELBOYCODES, packs=0, max_players=8, first_player="left_of_dealer", rummy="full"
    ),
    "around the corner, latest discard": replace(
        TIMPALPANT, packs=0, max_players=8, first_player="fixed", deep_timing="next_play"
    ),
}

START = position(totals=(0, 0, 480))
# version 1 opens, 2 sets the position; seat 2 goes out in version 7
DRAWN = (draw(1, "7C"), discard(1, "QH"), draw(2, "8C"))
OUT = (meld(2, 1, "9H 9D 9C", "group"), discard(2, "8C"))
END = (ended("DISCARDED_OUT", 2), scored((-30, -16, 27), (-30, -16, 507)), won(2))
CLEAN = record(*DRAWN, *OUT, *END, start=START)


def told(report: Report) -> list[tuple[int, str]]:
    return [(one.version, one.code) for one in report.findings]


def shuffled(deal: int, dealer: int) -> Shuffled:
    return Shuffled(deal=deal, dealer=dealer, method="unknown", deck=("??",) * 54)


def test_a_clean_record_is_clean() -> None:
    report = audit(GAME, CLEAN)

    assert (report.findings, report.unchecked, report.unfinished) == ((), (), None)
    assert report.verdict == "no breach in 10 events"
    assert report.is_clean
    assert (report.game, report.ruleset, report.events, report.deals) == ("rummy500", "seed", 10, 1)


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("options", OPTIONS)
def test_a_game_of_legal_acts_is_clean(seats: int, options: str) -> None:
    ruleset = replace(OPTIONS[options], target=60)
    events = play(seats, seats, ruleset, deals=2)

    assert told(audit(RUMMY, events)) == []
    assert audit(RUMMY, events).unchecked == ()


FAULTS: dict[str, tuple[Sequence[RummyEvent], list[tuple[int, str]]]] = {
    "wrong turn": ([draw(2, "7C"), discard(2, "9C")], [(3, "NOT_YOUR_TURN")]),
    "two draws": ([draw(1, "7C"), draw(1, "8C"), discard(1, "QH")], [(4, "NOT_DRAW_PHASE")]),
    "discard before draw": ([discard(1, "QH")], [(3, "NOT_PLAY_PHASE")]),
    "not the top card": ([draw(1, "8C"), discard(1, "QH")], [(3, "DRAW_NOT_TOP")]),
    "declined with a stock": ([decline(1)], [(3, "MUST_DRAW")]),
    "not in the pile": ([take(1, "8C"), discard(1, "4S")], [(3, "NOT_IN_PILE")]),
    "thrown back": ([take(1, "JD"), discard(1, "JD")], [(4, "REDISCARD_OF_DRAWN_TOP")]),
    "not in hand": ([draw(1, "7C"), discard(1, "KD")], [(4, "NOT_IN_HAND")]),
    "two ranks": ([*DRAWN, meld(2, 1, "9H 9D 8C", "group"), discard(2, "9C")], [(6, "GROUP_RANK")]),
    "two cards": ([*DRAWN, meld(2, 1, "9H 9D", "group"), discard(2, "8C")], [(6, "MELD_SIZE")]),
    "called too late": ([*DRAWN[:1], call(0, "JD")], [(4, "NO_CALL_WINDOW")]),
    "callable only with cards in hand": (
        [*DRAWN[:1], discard(1, "4S"), call(0, "4S"), meld(0, 1, "2S 3S 4S"), discard(0, "KD")],
        [(5, "NOT_CALLABLE")],
    ),
    "played on": ([*DRAWN, *OUT, draw(0, "2D")], [(8, "HAND_OVER")]),
    "ended otherwise": (
        [*DRAWN, *OUT, ended("MELDED_OUT", 2), *END[1:]],
        [(8, "DEAL_END_WRONG")],
    ),
    "another is out": (
        [*DRAWN, *OUT, ended("DISCARDED_OUT", 1), *END[1:]],
        [(8, "DEAL_END_WRONG")],
    ),
    "ended in mid-play": ([*DRAWN, ended("STOCK_EXHAUSTED", None)], [(6, "DEAL_END_WRONG")]),
    "wrong score": (
        [*DRAWN, *OUT, END[0], scored((-30, -16, 37), (-30, -16, 517)), won(2)],
        [(9, "SCORE_WRONG")],
    ),
    "wrong total": (
        [*DRAWN, *OUT, END[0], scored((-30, -16, 27), (-30, -15, 507)), won(2)],
        [(9, "TOTAL_WRONG")],
    ),
    "not scored": ([*DRAWN, *OUT, END[0], won(2)], [(9, "SCORE_WRONG")]),
    "wrong winner": ([*DRAWN, *OUT, *END[:2], won(1)], [(10, "WINNER_WRONG")]),
    "dealt on after the end": ([*DRAWN, *OUT, *END[:2], shuffled(2, 1)], [(10, "WINNER_WRONG")]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_found_at_its_version(fault: str) -> None:
    events, expected = FAULTS[fault]

    assert told(audit(GAME, record(*events, start=START))) == expected


def test_the_next_dealer_is_the_one_on_the_left() -> None:
    events = record(*DRAWN, *OUT, END[0], scored((-30, -16, 27), (-30, -16, 27)), shuffled(2, 2))
    (finding,) = audit(GAME, events).findings

    assert (finding.version, finding.deal, finding.code, finding.rule) == (
        10,
        2,
        "DEALER_WRONG",
        "R-1.5",
    )
    assert (finding.expected, finding.actual) == ("deal 2 by seat 1", "deal 2 by seat 2")


def test_a_finding_says_who_what_was_due_and_what_was_there() -> None:
    events = record(*FAULTS["wrong score"][0], start=START)
    (finding,) = audit(GAME, events).findings

    assert (finding.seat, finding.expected, finding.actual) == (2, 27, 37)
    assert (finding.severity, finding.event, finding.rule) == ("breach", "deal_scored", "R-9.1")


class TestCards:
    """Conservation: stock, pile, hands and table hold every card once (14.1)."""

    def test_a_card_from_nowhere_is_not_in_hand_and_one_too_many(self) -> None:
        report = audit(GAME, record(draw(1, "7C"), discard(1, "X2"), start=START))

        assert told(report) == [(4, "NOT_IN_HAND"), (4, "CARD_TWICE")]
        assert report.findings[1].params == {"expected": 14, "actual": 15, "card": "X2"}

    def test_a_draw_from_nothing_is_one_too_many(self) -> None:
        report = audit(GAME, record(draw(1), start=position(stock="")))

        assert told(report) == [(3, "STOCK_EMPTY"), (3, "CARD_TWICE")]

    def test_an_unknown_card_shown_as_one_that_lies_elsewhere_is_there_twice(self) -> None:
        events = record(take(1, "9C"), discard(1, "QH"), start=position(pile="??"))

        assert told(audit(GAME, events)) == [(3, "CARD_TWICE")]

    def test_of_many_cards_twice_the_one_that_lies_first_is_named(self) -> None:
        start = position(hands=("AS 2S 3S", "4S 5S", "8S 9S"), stock="4S 2S 9S 5S 3S 8S AS")

        (found,) = audit(GAME, record(start=start)).findings
        assert (found.expected, found.actual) == ("1 of 4S", "2 of 4S")

    def test_a_card_twice_in_the_deck_is_found_once(self) -> None:
        events = play(6, 3)[:9]
        shuffled_ = events[1]
        assert isinstance(shuffled_, Shuffled)
        deck = (*shuffled_.deck[:-1], shuffled_.deck[-2])
        events[1] = replace(shuffled_, deck=deck)

        assert told(audit(RUMMY, events)) == [(2, "CARD_TWICE")]

    def test_cards_that_a_position_does_not_name_are_out_of_play(self) -> None:
        assert told(audit(GAME, record(*DRAWN, start=START))) == []


class TestWhatIsJudged:
    def test_a_fault_that_was_retracted_does_not_count(self) -> None:
        events = record(draw(1, "7C"), discard(1, "KD"), back_to(3), discard(1, "QH"))
        report = audit(GAME, events)

        assert report.findings == ()
        assert report.retracted == 1

    def test_one_deal_alone(self) -> None:
        first = record(draw(2, "7C"), discard(2, "9C"), decline(0), END[0], start=START)
        events = [*first, position(deal=2), draw(1, "8C")]

        assert {one.deal for one in audit(GAME, events).findings} == {1, 2}
        assert told(audit(GAME, events, deal=2)) == [(8, "DRAW_NOT_TOP")]
        assert (audit(GAME, events, deal=2).events, audit(GAME, events, deal=2).deals) == (2, 1)

    def test_a_deal_that_the_log_does_not_have(self) -> None:
        with pytest.raises(NoSuchDeal, match="no deal 2 in this log"):
            audit(GAME, CLEAN, deal=2)

    def test_remarks_are_listed(self) -> None:
        assert audit(GAME, record(remark(1), draw(1), remark())).remarks == (3, 5)

    def test_an_unknown_hand_leaves_its_score_open(self) -> None:
        start = position(hands=("?? ?? ??", "4S 5S QH", "9C 9D 9H"))
        events = record(*DRAWN, *OUT, END[0], scored((-30, -16, 27), (-30, -16, 27)), start=start)
        report = audit(GAME, events)

        assert report.findings == ()
        (open_,) = report.unchecked
        assert (open_.severity, open_.code, open_.seat) == ("unchecked", "SCORE_WRONG", 0)
        assert open_.params["why"] == "unknown_card"
        assert report.verdict == (
            "no breach in 9 events; 1 cannot be told from the record; the game is not finished"
        )

    def test_a_log_begins_with_the_opening(self) -> None:
        with pytest.raises(NotALogError):
            audit(GAME, CLEAN[1:])


class TestUnfinished:
    def test_a_game_that_stops_in_play_is_no_breach(self) -> None:
        report = audit(GAME, CLEAN[:3])

        assert report.findings == ()
        assert report.unfinished == Unfinished(1, "play", 1, ())

    def test_what_is_due_at_the_end_is_named(self) -> None:
        assert audit(GAME, CLEAN[:-1]).unfinished == Unfinished(1, "scored", 2, ("game_ended",))

    def test_a_deal_by_itself_is_finished_once_it_is_scored(self) -> None:
        assert audit(GAME, CLEAN[:-1], deal=1).unfinished is None
        assert audit(GAME, CLEAN[:-2], deal=1).unfinished is not None


class TestUnderAnotherRuleset:
    STRICT = replace(SEED, preset="strict", go_out="discard_required")
    OUT_BY_MELD = record(
        draw(1, "7C"),
        discard(1, "QH"),
        draw(2, "9S"),
        meld(2, 1, "9S 9H 9D 9C", "group"),
        ended("MELDED_OUT", 2),
        start=position(stock="7C 9S 2D"),
    )

    def test_the_same_log_breaks_other_rules(self) -> None:
        report = audit(GAME, self.OUT_BY_MELD, self.STRICT)

        assert told(report) == [(6, "MUST_KEEP_DISCARD")]
        assert report.ruleset == "strict"

    def test_both_side_by_side_with_the_version_where_they_part(self) -> None:
        comparison = compare(GAME, self.OUT_BY_MELD, self.STRICT)

        assert comparison.own.findings == ()
        assert told(comparison.other) == [(6, "MUST_KEEP_DISCARD")]
        assert comparison.parts_at == 6

    def test_rulesets_that_agree_part_nowhere(self) -> None:
        assert compare(GAME, CLEAN, self.STRICT).parts_at is None


@st.composite
def spoilt(draw: Any) -> list[RummyEvent]:
    """Return a game from which one event is missing, said twice, or said by another seat."""
    events = play(draw(st.integers(0, 10**6)), draw(st.integers(2, 4)))
    index = draw(st.integers(1, len(events) - 1))
    how = draw(st.sampled_from(["missing", "twice", "other seat"]))
    event = events[index]
    if how == "missing":
        del events[index]
    elif how == "twice":
        events.insert(index, event)
    elif hasattr(event, "seat"):
        seats = len(events[0].seats)  # type: ignore[union-attr]
        events[index] = replace(event, seat=(event.seat + 1) % seats)
    return events


@examples(40)
@given(spoilt())
def test_an_audit_of_any_record_comes_to_an_end_and_judges_what_judge_says(
    events: list[RummyEvent],
) -> None:
    report = audit(RUMMY, events)

    state = RUMMY.initial(events[0])  # type: ignore[arg-type]
    judged = []
    for version, event in enumerate(events[1:], 2):
        judged += [(version, found.code) for found in RUMMY.judge(state, event)]
        state = RUMMY.evolve(state, event)
    found = sorted((one.version, one.code) for one in (*report.findings, *report.unchecked))
    counted = [one for one in found if one not in judged]
    assert [one for one in found if one in judged] == sorted(judged)
    assert {code for _, code in counted} <= {"CARD_TWICE"}
    assert (report.unfinished is None) == any(isinstance(event, GameEnded) for event in events)
