"""The calls of a game explained: what stood, what fell and why, and what nobody called."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.rummy500.events import Placement, RummyCalled, RummyEvent
from projections.audit import audit
from projections.calls import CallMade, Calls
from projections.explain import sentence
from tests.events.rummy500.helpers import Table
from tests.projections.tables import back_to
from tests.simulate import RUMMY, play

SIX: dict[str, Any] = {
    "players": 4,
    "phase": "play",
    "pile": "2C",
    "stock": "9H 9D 3C 4C",
    "hands": {"A": "6S KD 3H", "B": "4D 5D", "C": "QS JH", "D": "KC QD"},
    "table": ["m1:R[7S 8S 9S]@C"],
}


def refused(seat: int, card: str, code: str) -> RummyCalled:
    return RummyCalled(seat=seat, card=card, accepted=False, code=code, cards=(), lay=None)


def calls_of(table: Table, deal: int | None = None) -> Calls:
    found = audit(RUMMY, table.events, deal=deal, calls=True).calls
    assert found is not None
    return found


def told(made: CallMade) -> tuple[int, str, str]:
    return made.version, made.outcome, sentence(made)


def test_nothing_is_explained_unasked() -> None:
    assert audit(RUMMY, Table(**SIX).events).calls is None


def test_a_call_that_stood_closes_its_window() -> None:
    found = calls_of(Table(**SIX).do("A discard 6S", "C rummy 6S", "C lay 6S@m1"))
    (window,) = found.windows
    (made,) = found.made

    assert (window.version, window.closed, window.deal, window.by) == (3, 4, 1, 0)
    assert (window.missed, window.known) == ((), True)
    assert (made.window, made.seat, made.card) == (3, 2, "6S")
    assert told(made) == (
        4,
        "stood",
        "C may call 6S: with only what lies above it, 6S can be laid off on m1 (R-8.1).",
    )


def test_a_call_that_nobody_made() -> None:
    found = calls_of(Table(**SIX).do("A discard 6S", "B stock 9H", "B discard 9H", "C stock 9D"))
    first, second = found.windows

    assert found.made == ()
    assert (first.version, first.closed, second.version, second.closed) == (3, 4, 5, 6)
    assert [sentence(one) for one in first.missed] == [
        "B, C, D could have called 6S: 6S can be laid off on m1 (R-8.1)."
    ]
    assert second.missed[0].seats == (0, 2, 3)
    assert second.missed[0].cards == ("6S", "9H")


def test_a_window_with_nothing_to_call_is_left_out() -> None:
    assert calls_of(Table(**SIX).do("A discard KD", "B stock 9H")) == Calls((), ())


def test_calls_in_order_of_arrival() -> None:
    """R-8.2, R-8.10, R-8.11: by the discarder, wrong, first, second, and late."""
    table = Table(**SIX).do("A discard 6S")
    table.record(refused(0, "6S", "CALLER_IS_DISCARDER"))
    table.record(refused(3, "2C", "NOT_CALLABLE"))
    table.do("C rummy 6S")
    table.record(refused(1, "6S", "NO_CALL_WINDOW"))
    table.do("C lay 6S@m1", "C discard QS", "D stock 9H")
    table.record(refused(1, "QS", "NO_CALL_WINDOW"))
    found = calls_of(table)

    assert list(map(told, found.made)) == [
        (4, "fell", "A had just played, and only others could call or challenge (R-8.2)."),
        (
            5,
            "fell",
            "D called a card that could not be called: expected 6S, found 2C (R-8.1).",
        ),
        (
            6,
            "stood",
            "C may call 6S: with only what lies above it, 6S can be laid off on m1 (R-8.1).",
        ),
        (7, "fell", "B called 6S after C had called (R-8.10)."),
        (11, "fell", "B called QS after the window had closed (R-8.3)."),
    ]
    assert [one.window for one in found.made] == [3, 3, 3, 3, 9]
    assert [one.version for one in found.windows] == [3, 9]
    assert audit(RUMMY, table.events).is_clean


def test_a_call_before_any_window_stands_alone() -> None:
    found = calls_of(Table(**SIX).record(refused(2, "2C", "NO_CALL_WINDOW")))

    assert found.windows == ()
    (made,) = found.made
    assert (made.window, made.outcome, made.rule) == (None, "fell", "R-8.3")


class TestRefusals:
    """R-8.11: a refusal is judged like any act."""

    def test_a_call_that_should_have_stood_is_a_breach(self) -> None:
        table = Table(**SIX).do("A discard 6S").record(refused(2, "6S", "NOT_CALLABLE"))
        (finding,) = audit(RUMMY, table.events).findings

        assert (finding.version, finding.code, finding.rule) == (4, "CALL_WRONGLY_REFUSED", "R-8.1")
        assert (finding.expected, finding.actual) == ("a call that stands", "NOT_CALLABLE")
        (made,) = calls_of(table).made
        assert (made.outcome, made.code) == ("wrong", "CALL_WRONGLY_REFUSED")
        # nobody has had it, so it could still be called
        assert calls_of(table).windows[0].missed[0].card == "6S"

    @pytest.mark.parametrize(
        ("code", "mode", "codes"),
        [
            ("NOT_IN_PILE", "recorded", ["CALL_WRONGLY_REFUSED"]),
            ("HOUSE_RULE", "recorded", ["CALL_WRONGLY_REFUSED"]),
            # the referee saw which cards were named
            ("NOT_IN_PILE", "refereed", []),
            ("NOT_CALLABLE", "refereed", ["CALL_WRONGLY_REFUSED"]),
            ("NO_CALL_WINDOW", "refereed", ["CALL_WRONGLY_REFUSED"]),
        ],
    )
    def test_what_a_referee_saw_is_taken_as_seen(
        self, code: str, mode: Any, codes: list[str]
    ) -> None:
        state = replace(Table(**SIX).do("A discard 6S").state, mode=mode)

        assert [one.code for one in RUMMY.judge(state, refused(2, "6S", code))] == codes

    def test_a_wrong_reason_matters_where_it_costs_points(self) -> None:
        for penalty, expected in ((0, []), (10, ["NOT_CALLABLE"])):
            table = Table(**SIX | {"opts": {"false_call_penalty": penalty}}).do("A discard 6S")
            found = table.judge(refused(2, "2C", "NO_CALL_WINDOW"))
            assert [one.params["expected"] for one in found] == expected

    def test_an_unknown_card_leaves_it_open(self) -> None:
        table = Table(**SIX | {"pile": "5S ??"}).do("A discard 6S")

        assert table.unchecked(refused(2, "5S", "NOT_CALLABLE")) == []
        table = Table(**SIX | {"pile": "KS ??", "table": []}).do("A discard 6S")
        assert table.unchecked(refused(2, "KS", "NOT_CALLABLE")) == ["CALL_WRONGLY_REFUSED"]
        (made,) = calls_of(table.record(refused(2, "KS", "NOT_CALLABLE"))).made
        assert made.outcome == "unchecked"
        assert sentence(made).startswith("Cannot be told, a card is unknown: ")

    @pytest.mark.parametrize("card", ["6S", "X1"])
    def test_the_latest_discard(self, card: str) -> None:
        """V-4a: where the caller wanted to lay it is not on record."""
        hands = SIX["hands"] | {"A": f"{card} KD 3H"}
        table = Table(**SIX | {"hands": hands, "opts": {"rummy": "latest_layoff"}})
        table.do(f"A discard {card}")

        assert table.codes(refused(2, card, "NOT_CALLABLE")) == ["CALL_WRONGLY_REFUSED"]
        assert table.codes(refused(2, "2C", "NOT_CALLABLE")) == []

    def test_a_card_that_is_not_there(self) -> None:
        table = Table(**SIX).do("A discard 6S")

        assert table.codes(refused(2, "9C", "NOT_IN_PILE")) == []


def test_a_call_accepted_against_the_rules_is_wrong() -> None:
    table = Table(**SIX).do("A discard KD").record("C rummy KD")
    (made,) = calls_of(table).made

    assert (made.outcome, made.code) == ("wrong", "NOT_CALLABLE")


def test_the_nearest_of_several_claims_stands() -> None:
    """R-8.10, D-R17."""
    table = Table(**SIX | {"opts": {"rummy_priority": "turn_order"}}).do("A discard 6S")
    table.do("D rummy 6S", "C rummy 6S")
    assert [one.outcome for one in calls_of(table).made] == ["open", "open"]
    table.do("B stock")
    found = calls_of(table)

    assert [(one.seat, one.outcome) for one in found.made] == [(3, "gave_way"), (2, "stood")]
    assert sentence(found.made[0]) == (
        "The call of D for 6S gave way: C sits nearer to the discarder (R-8.10)."
    )
    assert (found.windows[0].closed, found.windows[0].missed) == (6, ())


@pytest.mark.parametrize(
    ("acts", "outcome"),
    [
        (("A discard KD",), "stood"),
        (("A lay 5H@m2", "A discard KD"), "stood"),
        ((), "open"),
    ],
)
def test_a_call_in_the_middle_of_a_turn(acts: tuple[str, ...], outcome: str) -> None:
    """D-R16."""
    hands = SIX["hands"] | {"A": "2H 3H 4H 5H KD QD"}
    table = Table(
        **SIX | {"hands": hands, "pile": "6S", "opts": {"rummy_window": "also_after_meld"}}
    )
    table.do("A meld R 2H 3H 4H", "C rummy 6S", *acts)
    found = calls_of(table)

    assert [(one.window, one.outcome) for one in found.made] == [(3, outcome)]
    assert found.windows[0].by == 0


def test_a_deal_by_itself() -> None:
    events = play(11, 4, deals=3)
    whole = audit(RUMMY, events, calls=True).calls
    parts = [audit(RUMMY, events, deal=deal, calls=True).calls for deal in (1, 2, 3)]
    assert whole is not None
    assert None not in parts

    assert {one.deal for one in whole.windows} >= {1, 2}
    assert sum((part.windows for part in parts if part), ()) == whole.windows
    assert sum((part.made for part in parts if part), ()) == whole.made


def test_what_was_retracted_was_never_called() -> None:
    table = Table(**SIX).do("A discard 6S", "C rummy 6S")
    events: list[RummyEvent] = [*table.events, back_to(3)]
    found = audit(RUMMY, events, calls=True).calls
    assert found is not None

    assert found.made == ()
    assert (found.windows[0].closed, len(found.windows[0].missed)) == (None, 1)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_what_is_called_in_a_game_was_possible(seats: int) -> None:
    """Every call of a refereed game stands, and without it would have been listed as possible."""
    events = play(seats, seats, deals=2)
    found = audit(RUMMY, events, calls=True).calls
    assert found is not None
    for one in found.made:
        assert one.outcome == "stood"
        before = audit(RUMMY, events[: one.version - 1], calls=True).calls
        assert before is not None
        (window,) = (w for w in before.windows if w.version == one.window)
        assert any(one.seat in m.seats and one.card == m.card for m in window.missed)


def test_a_place_for_the_latest_discard_is_named() -> None:
    table = Table(**SIX | {"opts": {"rummy": "latest_layoff"}}).do("A discard 6S")
    assert sentence(calls_of(table).windows[0].missed[0]) == (
        "B, C, D could have called 6S: 6S can be laid off on m1 (V-4a)."
    )
    lay = Placement("6S", 1, "low")
    act = RummyCalled(seat=2, card="6S", accepted=True, code=None, cards=(), lay=lay)
    assert [one.outcome for one in calls_of(table.do(act)).made] == ["stood"]
