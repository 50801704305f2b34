"""Table notation of Loo: any session is written and read back the same, and a scribe may leave out the dealer's part."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.common import DealEnded, DealScored, GameOpened, Remarked, Retracted
from events.errors import FormatError
from events.formats.notation import read
from events.formats.notation_writer import write_game
from events.lanterloo.events import CardPlayed, Looed, PoolPaid, TrickTaken
from projections.audit import audit
from tests.events.lanterloo.strategies import likely_event, rulesets
from tests.events.lanterloo.table import LOO, Table, play
from tests.profiles import examples

EVENING = """
game: lanterloo
players: A=Ann, B=Ben, C=Cyd
ruleset: seed-loo3 force=off
dealer: C

deal 1
hand A: KH 9S 2S
hand B: QS 3S 4D
hand C: 5D 6D 7D
turn-up: 2H
A play
B play
C pass
A KH
B 3S
A remark: Ben thought for a long time
A 9S
B QS
B 4D
A 2S
deal 2
B pass
C pass
"""


def one(text: str) -> Any:
    (game,) = read(text.encode())
    return game


def written(events: list[Any]) -> str:
    return "\n".join(write_game(events))


def same(left: Any, right: Any) -> bool:
    """Compare all but who the players are, which engine wrote it and what texts have for hash."""
    if isinstance(left, GameOpened):
        common = {"seats": (), "engine": "", "mode": "recorded", "source": None}
        pair = [
            replace(one, ruleset=replace(one.ruleset, preset="custom"), **common)
            for one in (left, right)
        ]
        return bool(pair[0] == pair[1])
    return bool(left == right or isinstance(left, Remarked))


@given(st.data())
@examples(30)
def test_a_session_is_written_and_read_back(data: st.DataObject) -> None:
    seats = data.draw(st.integers(3, 8))
    events = play(data.draw(st.integers(0, 10_000)), seats, data.draw(rulesets(seats)), deals=3)
    again = one(written(events)).events
    assert len(again) == len(events)
    for left, right in zip(events, again, strict=True):
        assert same(left, right), (left, right)


@given(event=likely_event(8))
@examples(150)
def test_any_event_is_written_in_words_that_are_read(event: Any) -> None:
    if isinstance(event, DealEnded | DealScored):
        event = replace(event, deal=1)
    won_and_broken_off = getattr(event, "abandoned", False) and event.winner is not None
    if isinstance(event, GameOpened | Retracted | Remarked) or won_and_broken_off:
        return
    opening = Table("loo3", 8).events[0]
    again = one(written([opening, event])).events
    assert event in again


def test_what_dealer_and_scorer_do_need_not_be_written() -> None:
    game = one(EVENING)
    assert len([event for event in game.events if isinstance(event, TrickTaken)]) == 3
    paid = [event for event in game.events if isinstance(event, PoolPaid)]
    assert [(event.seat, event.amount, event.paid_for) for event in paid] == [
        (0, 1, "tricks"),
        (1, 2, "tricks"),
    ]
    assert [event for event in game.events if isinstance(event, Looed)] == []
    assert next(iter(game.remarks.values()))[1] == "Ben thought for a long time"
    assert audit(LOO, game.events).findings == ()


def test_a_breach_on_paper_is_found() -> None:
    wrong = EVENING.replace("A KH\nB 3S", "A 9S\nB 3S").replace("A 9S\nB QS", "A KH\nB QS")
    report = audit(LOO, one(wrong).events)
    assert [(found.code, found.seat) for found in report.findings][:1] == [("MUST_HEAD", 1)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A flies", "not a card"),
        ("A", "expected what A did"),
        ("D play", "expected an act of A, B, C"),
        ("A takes 5 for fun", "expected e.g. 'A takes 6 for tricks'"),
        ("A looed many", "expected chips"),
        ("A looed 3 to Z", "expected e.g. 'A looed 3'"),
        ("A pays 3", "expected e.g. 'A pays 12"),
        ("A shows nothing", "expected what is shown"),
        ("A saw B", "expected 'A saw miss'"),
        ("totals: A 1", "totals without scores"),
        ("deal x", "expected e.g. 'deal 2 dealer B'"),
        ("drawn A", "expected e.g. 'drawn A 4H"),
        ("retract to 99 MISREAD", "version 99 is not there"),
        ("winner: Z", "no such player"),
    ],
)
def test_a_line_that_says_nothing_is_told(line: str, reason: str) -> None:
    with pytest.raises(FormatError, match=r".") as raised:
        one(EVENING + line)
    assert reason in str(raised.value)
    assert str(EVENING.count("\n") + 1) in str(raised.value)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("players: A, B", "TOO_FEW_PLAYERS"),
        ("players: A, B, C\nruleset: nobody", "no such ruleset"),
        ("players: A, B, C\nruleset: seed form=whist", "Invalid enum value"),
        ("players: A, B, C\ndealer: X", "no such player"),
        ("players: A, B, C\nplayers: A, B, C", "stands twice"),
    ],
)
def test_a_head_that_makes_no_table_is_told(head: str, reason: str) -> None:
    with pytest.raises(FormatError) as raised:
        one(f"game: lanterloo\n{head}\ndeal 1\n")
    assert reason in str(raised.value)


def test_a_retraction_and_civil_words_survive() -> None:
    table = Table("loo5", 3).position("AH 3H", "JC 4S", "2D 3D", tricks=(3, 0, 0))
    table.record("A AH civil", Retracted(back_to=2, reason="MISREAD"), "A 3H")
    again = one(written(table.events)).events
    assert again[1:] == table.events[1:]
    assert isinstance(again[2], CardPlayed)
    assert again[2].civil
    assert msgspec.json.encode(again[1]) == msgspec.json.encode(table.events[1])
