"""A table drawn for a terminal: everything that a player at it could see, on 80 columns."""

import pytest

from events.rummy500.events import RummyEvent
from projections.board import COLUMNS, render
from projections.seen import seen_as
from projections.viewer import Viewer
from projections.views import view_state
from tests.events.rummy500.helpers import Table
from tests.projections.tables import (
    GAME,
    decline,
    discard,
    draw,
    ended,
    lay,
    meld,
    position,
    record,
    scored,
    take,
    won,
)
from tests.simulate import RUMMY, play

NAMES = ("Ann", "Bob", "山田太郎")


def drawn(*events: RummyEvent, viewer: Viewer = "all", pile: str = "JD") -> str:
    return render(seen_as(GAME, record(*events, start=position(pile=pile)), viewer).view(), NAMES)


def headline(*events: RummyEvent, pile: str = "JD") -> str:
    return drawn(*events, pile=pile).splitlines()[0]


def test_a_table_in_play() -> None:
    text = drawn(draw(0, "7C"), meld(0, 1, "AS 2S 3S"), draw(1, "8C"), lay(1, "4S", 1), viewer=1)

    assert text.splitlines() == [
        "Deal 1, A Ann deals: B Bob to play",
        "Stock  1",
        "Pile   JD",
        "             total table  hand",
        "  A Ann          0    +6   2  ?? ??",
        "> B Bob          0    +4   3  5S QH 8C",
        "  C 山田太郎     0    +0   3  ?? ?? ??",
        "m1   sequence AS/A 2S/A 3S/A 4S/B",
    ]


@pytest.mark.parametrize(
    ("events", "pile", "line"),
    [
        ([], "JD", "B Bob to draw"),
        ([draw(1)], "JD", "B Bob to play"),
        ([take(1, "4D 3C")], "4D 3C", "B Bob to play, took 4D 3C, must meld 4D"),
        ([draw(1), discard(1, "KC")], "KS KH", "C 山田太郎 to draw; can be called: KS"),
        ([decline(1)], "JD", "the play is over, nobody went out"),
        (
            [decline(1), ended("STOCK_EXHAUSTED", None), scored((1, 2, 3), (1, 2, 3))],
            "JD",
            "the play is over, nobody went out, scored",
        ),
        ([won(1)], "JD", "B Bob has won the game"),
        ([won(None, abandoned=True)], "JD", "the game was broken off"),
    ],
)
def test_the_first_line_says_what_the_table_waits_for(
    events: list[RummyEvent], pile: str, line: str
) -> None:
    assert headline(*events, pile=pile) == f"Deal 1, A Ann deals: {line}"


def test_cards_beside_a_meld_are_set_off() -> None:
    text = drawn(draw(2), meld(2, 1, "9C 9D 9H", "group"), draw(0), lay(0, "KD", 1))

    assert text.splitlines()[-1] == "m1   group    9C/C 9D/C 9H/C beside: KD/A"


def test_a_joker_shows_what_it_stands_for() -> None:
    text = drawn(draw(0), meld(0, 1, "2H X1=3H 4H"))

    assert text.splitlines()[-1] == "m1   sequence 2H/A X1=3H/A 4H/A"


def test_what_a_name_holds_does_not_steer_the_terminal() -> None:
    text = render(seen_as(GAME, record(), "all").view(), ("A\x1b[31m\n", "", "B\u202e"))

    assert "\x1b" not in text
    assert "A A?[31m?" in text
    assert "\u202e" not in text


def test_a_name_is_cut_to_its_column() -> None:
    lines = render(seen_as(GAME, record(), "all").view(), ("N" * 40, "山" * 20, "")).splitlines()

    assert "  A NNNNNNNNNNNNNNNN     0" in lines[4]
    assert "  B 山山山山山山山山     0" in lines[5].replace(">", " ")


@pytest.mark.parametrize("seats", [2, 8])
def test_no_line_is_longer_than_the_terminal(seats: int) -> None:
    events = play(7, seats, deals=2)
    names = ["x" * 30] * seats

    for version in range(1, len(events) + 1):
        lines = render(seen_as(RUMMY, events, "all").view(version), names).splitlines()
        assert max(map(len, lines)) <= COLUMNS


@pytest.mark.parametrize(
    ("opts", "acts", "line"),
    [
        (
            {"rummy_priority": "turn_order"},
            ("A discard 6S", "C rummy 6S"),
            "B to draw; C called 6S; can be called: 6S",
        ),
        (
            {"rummy_window": "also_after_meld"},
            ("A meld R 2H 3H 4H", "C rummy 8S"),
            "A to play; C called 8S",
        ),
    ],
    ids=["a claim", "a call in the middle of a turn"],
)
def test_a_call_that_stands_and_waits_is_shown(
    opts: dict[str, str], acts: tuple[str, ...], line: str
) -> None:
    """R-8.10, D-R16: to everybody, on the board and to programs."""
    hands = {"A": "6S 2H 3H 4H KD", "B": "4D", "C": "QS"}
    table = Table(opts=opts, phase="play", pile="8S", hands=hands, table=["m1:R[9S TS JS]@B"])
    if "rummy_priority" in opts:
        table = Table(opts=opts, phase="play", hands=hands, table=["m1:R[7S 8S 9S]@B"])
    view = view_state("rummy500", table.do(*acts).state, "public")

    assert render(view).splitlines()[0].endswith(f"deals: {line}")
    waiting = view["claims"] or [view["noted"]]
    assert [(call["seat"], call["card"]) for call in waiting] == [(2, acts[-1].split()[-1])]


def test_the_wild_rank_is_shown() -> None:
    opts = {"variant": "rummy5000", "jokers_per_pack": 0}
    hands = {"A": "7H", "B": "4D", "C": "QS"}
    table = Table(opts=opts, wild="7", hands=hands, table=["m1:R[9S 7C=TS JS]@B"])
    lines = render(view_state("rummy500", table.state, "public")).splitlines()

    assert "Wild   7" in lines
    assert lines[-1] == "m1   sequence 9S/B 7C=TS/B JS/B"
