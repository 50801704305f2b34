"""Table notation: what a person at a table writes becomes events, and is written back the same."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import UNKNOWN
from events.common import (
    DealEnded,
    DealScored,
    GameEnded,
    GameOpened,
    Mode,
    Remarked,
    Retracted,
    Shuffled,
)
from events.errors import FormatError
from events.formats import notation
from events.formats.notation_table import MOST_EVENTS
from events.formats.notation_writer import write_game
from events.game import Violation, fold
from events.games import RUMMY500
from events.rummy500.events import (
    MeldLaid,
    PileTaken,
    PositionSet,
    RummyEvent,
    StockDrawn,
    UpcardTurned,
)
from events.rummy500.ruleset import PRESETS
from tests import simulate

SHORT = """
# the short record of one deal; what nobody saw is left out
game: rummy500
players: A=Anna, B=Ben, C=Cleo Müller
ruleset: seed
dealer: C

deal 1
hand A: 2C 4H 5D 8S JC KD KS
upcard: 6D
A stock
A discard 2C
B take 2C
B remark: Ben took it very slowly
B discard ??
"""


def read_one(text: str) -> list[RummyEvent]:
    (game,) = notation.read(text.encode())
    return game.events


def kinds(events: Sequence[RummyEvent]) -> list[str]:
    return [str(event.__struct_config__.tag) for event in events]


def test_what_a_scribe_leaves_out_is_unknown() -> None:
    events = read_one(SHORT)
    assert kinds(events) == [
        "game_opened",
        "shuffled",
        "dealt",
        "dealt",
        "dealt",
        "upcard_turned",
        "stock_drawn",
        "discarded",
        "pile_taken",
        "remarked",
        "discarded",
    ]
    state = fold(RUMMY500, events)
    assert state.hands[0] == ("4H", "5D", "8S", "JC", "KD", "KS", UNKNOWN)
    assert state.hands[1].count(UNKNOWN) == 6
    assert state.hands[2] == (UNKNOWN,) * 7
    assert state.turn == 2


def test_names_and_remarks_lie_beside_the_log() -> None:
    (game,) = notation.read(SHORT.encode())
    assert list(game.names.values()) == ["Anna", "Ben", "Cleo Müller"]
    assert [text for _, text in game.remarks.values()] == ["Ben took it very slowly"]
    assert all(b"Ben" not in repr(event).encode() for event in game.events)


def test_the_same_file_gives_the_same_ids_and_another_file_others() -> None:
    first, again = (next(notation.read(SHORT.encode())) for _ in range(2))
    other = next(notation.read(SHORT.replace("2C 4H", "3C 4H").encode()))
    assert (first.game_id, first.names) == (again.game_id, again.names)
    assert first.game_id != other.game_id
    assert not set(first.names) & set(other.names)


def test_two_games_in_a_file() -> None:
    games = list(notation.read((SHORT + SHORT).encode()))
    assert len(games) == 2
    assert games[0].game_id != games[1].game_id
    assert games[1].line > games[0].line


def test_the_end_of_a_deal_is_recorded_when_the_play_shows_it() -> None:
    events = read_one(
        "game: rummy500\nplayers: A B\nposition 3 dealer B\nturn: A\nphase: play\nstock: 5\n"
        "hand A: 5H 6H 7H\nhand B: KD\ntotals: A 10\nA meld R 5H 6H 7H\nscores: A 18 B -10\n"
    )
    assert events[-2:] == [
        DealEnded(deal=3, reason="MELDED_OUT", out=0),
        DealScored(deal=3, scores=(18, -10), totals=(None, None)),
    ]
    assert fold(RUMMY500, events).totals == (28, -10)


def test_scores_and_totals_stand_together() -> None:
    events = read_one(
        "game: rummy500\nplayers: A B\nposition 1\nturn: A\nphase: play\nhand A: 5H 6H 7H\n"
        "hand B: KD\nA meld R 5H 6H 7H\nend MELDED_OUT out A\nscores: A 18\ntotals: A 518 B 0\n"
        "winner: A\n"
    )
    assert DealScored(deal=1, scores=(18, None), totals=(518, 0)) in events
    assert events[-1] == GameEnded(winner=0, abandoned=False)


def test_a_retraction_takes_the_table_back() -> None:
    events = read_one(SHORT + "retract to 8 MISREAD\nB stock\nB discard 3S\n")
    assert Retracted(back_to=8, reason="MISREAD") in events
    state = fold(RUMMY500, events)
    assert state.pile == ("6D", "2C", "3S")


@pytest.mark.parametrize("preset", PRESETS)
@given(seed=st.integers(0, 10_000), seats=st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_every_game_is_read_back_as_it_was_written(preset: str, seed: int, seats: int) -> None:
    ruleset = PRESETS[preset]
    mode: Mode = "recorded" if ruleset.first_player == "recorded" else "refereed"
    players = seats if ruleset.packs == 0 else min(seats, 4)
    players = max(players, 3) if ruleset.variant == "rummy5000" else players
    events = simulate.play(seed, players, ruleset, deals=2, mode=mode)
    again = read_one("\n".join(write_game(events)))
    assert again[1:] == events[1:]
    assert isinstance(again[0], GameOpened)
    assert again[0].ruleset == ruleset


def test_a_position_is_read_back_as_it_was_written() -> None:
    text = (
        "game: rummy500\nplayers: A B C\nruleset: seed jokers_per_pack=0 target=1000\n"
        "position 4 dealer C\nwild: Q\nturn: B\nphase: play\nstock: ??*12\npile: 6D 4S\n"
        "hand A: ??*3\nhand B: 8H 9S ??\nhand C: KS\n"
        "table: m1:R[5H/A 6H/A 7H/B] m2:G[9C/B 9D/B 9H/C]\ndrawn: pile\ntaken: 8H 9S\nduty: 8H\n"
        "floaters: C\ntotals: A 10 B -5 C 0\nB lay 8H@m1\n"
    )
    events = read_one(text)
    position = events[1]
    assert isinstance(position, PositionSet)
    assert (position.duty, position.taken, len(position.stock)) == ("8H", ("8H", "9S"), 12)
    assert read_one("\n".join(write_game(events)))[1:] == events[1:]


def test_the_top_of_two_equal_cards_is_taken() -> None:
    events = read_one(
        "game: rummy500\nplayers: A B C D E\nposition 1\nturn: A\nphase: draw\nstock: 9\n"
        "pile: 4S 7H 4S 2D\nhand A: 4H 4C\nhand B: 2C\nhand C: 2H\nhand D: 3C\nhand E: 3D\nA take 4S\n"
    )
    assert events[-1] == PileTaken(seat=0, cards=("4S", "2D"))


WORDS = [*SHORT.split(), "\n", "m1:", "R", "@", "deal", "position", "=", "scores:"]

FAULTS = {
    "empty": ("", 1, "no game"),
    "act before game": ("A stock\n", 1, "expected 'game: rummy500'"),
    "other game": ("game: whist\nplayers: A B\ndeal 1\n", 3, "no such game"),
    "one player": ("game: rummy500\nplayers: A\ndeal 1\n", 3, "2 to 8"),
    "player twice": ("game: rummy500\nplayers: A A\ndeal 1\n", 3, "2 to 8"),
    "player named like a word": ("game: rummy500\nplayers: end B\ndeal 1\n", 3, "not a player"),
    "head twice": ("game: rummy500\nplayers: A B\nplayers: A B\n", 3, "twice"),
    "unknown head": ("game: rummy500\nplace: club\n", 2, "expected game"),
    "no deal": ("game: rummy500\nplayers: A B\n", 2, "no deal"),
    "unknown preset": (
        "game: rummy500\nplayers: A B\nruleset: pub\ndeal 1\n",
        4,
        "no such ruleset",
    ),
    "unknown option": (
        "game: rummy500\nplayers: A B\nruleset: seed x=1\ndeal 1\n",
        4,
        "no such opt",
    ),
    "bad option": ("game: rummy500\nplayers: A B\nruleset: seed target=0\ndeal 1\n", 4, "target"),
    "contradiction": (
        "game: rummy500\nplayers: A B\nruleset: seed variant=rummy5000\ndeal 1\n",
        4,
        "OPTION",
    ),
    "no card": ("game: rummy500\nplayers: A B\ndeal 1\nA discard 1C\n", 4, "not a card"),
    "no such act": ("game: rummy500\nplayers: A B\ndeal 1\nA eats 2C\n", 4, "unknown act"),
    "stranger": ("game: rummy500\nplayers: A B\ndeal 1\nZ stock\n", 4, "expected an act of"),
    "no meld named": ("game: rummy500\nplayers: A B\ndeal 1\nA lay 2C\n", 4, "no meld named"),
    "early scores": ("game: rummy500\nplayers: A B\ndeal 1\nA stock\nscores: A 1\n", 5, "before"),
    "totals alone": ("game: rummy500\nplayers: A B\ndeal 1\nA stock\ntotals: A 1\n", 5, "without"),
    "no number": (
        "game: rummy500\nplayers: A B\ndeal 1\nA stock\nend ABANDONED\nscores: A x\n",
        6,
        "not a num",
    ),
    "bad reason": ("game: rummy500\nplayers: A B\ndeal 1\nA stock\nend because\n", 5, "reason"),
    "retract ahead": ("game: rummy500\nplayers: A B\ndeal 1\nretract to 99 X\n", 4, "not there"),
    "position without turn": ("game: rummy500\nplayers: A B\nposition 1\nA stock\n", 4, "needs"),
    "deal of no number": ("game: rummy500\nplayers: A B\ndeal \u00b2\n", 3, "expected a number"),
    "stock without end": (
        "game: rummy500\nplayers: A B\nposition 1\nturn: A\nphase: draw\nstock: 2000000\nA stock\n",
        7,
        "2000000 cards in the stock",
    ),
    "control": ("game: rummy500\nplayers: A B\ndeal 1\nA stock \x0144\n", 4, "control"),
    "long line": ("game: rummy500\n" + "A" * 5000, 2, "5000 characters"),
    "long name": ("game: rummy500\nplayers: A=" + "x" * 90 + ", B\ndeal 1\n", 3, "90 characters"),
}


@pytest.mark.parametrize(("text", "line", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(notation.read(text.encode()))
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_bytes_that_are_no_text_are_named_with_their_line() -> None:
    with pytest.raises(FormatError) as caught:
        list(notation.read(b"game: rummy500\nplayers: A B\xff\n"))
    assert (caught.value.line, caught.value.reason) == (2, "not UTF-8")


@given(st.lists(st.sampled_from(WORDS)))
@settings(deadline=None)
def test_whatever_is_written_gives_events_or_a_fault_with_a_line(words: list[str]) -> None:
    text = "game: rummy500\nplayers: A B C\n" + " ".join(words).replace(" \n ", "\n")
    found: list[int] = []
    try:
        found += [fold(RUMMY500, game.events).seats for game in notation.read(text.encode())]
    except FormatError as error:
        found.append(error.line)
    assert found
    assert min(found) >= 1


EVERY_KIND_OF_LINE = """lanterlog table notation 1
game: rummy500
players: A=Anna B=Ben C=Cleo
ruleset: seed target=1000 deal_size=7 idle_rounds=2
dealer: C
drawn A 4H B 2C C 9S dealer B
deal 1 dealer C
shuffled: by-hand
hand A: 2C ??*6
upcard: 6D
A stock 4H
A discard 2C
C rummy 2C refused NOT_CALLABLE
B take 2C
redeal MISDEAL
position 3 dealer C
turn: B
phase: play
stock: 20
pile: 6D 4S
hand B: 7H X1
table: m1:R[8H/A 9H/A TH/B]
drawn: pile
taken: 7H
totals: A 10 B -5
B lay 7H@m1:low
B meld R m2: 4S 5S X1=6S
B renew JS stock ??
end ABANDONED
scores: A 24 B -25
totals: A 24 B -25
retract to 12 MISREAD
winner: A
"""
STRANGE = ["", "\u00b2", "\u0663", "-1", "0", "9" * 30, "9999999", "120000000", "??*999", "m\u0663"]


@pytest.mark.parametrize("strange", STRANGE)
def test_a_strange_word_anywhere_gives_events_or_a_fault_with_a_line(strange: str) -> None:
    lines = [line.split(" ") for line in EVERY_KIND_OF_LINE.splitlines()]
    assert list(notation.read(EVERY_KIND_OF_LINE.encode()))
    faults = []
    for number, words in enumerate(lines):
        for index, word in enumerate(words):
            key, sign, _ = word.rpartition("=")
            changed = [*words[:index], key + sign + strange, *words[index + 1 :]]
            text = "\n".join(map(" ".join, [*lines[:number], changed, *lines[number + 1 :]]))
            try:
                list(notation.read(text.encode()))
            except FormatError as error:
                faults.append(error.line)
    assert faults
    assert min(faults) >= 1


def test_a_game_has_an_end_however_long_the_file() -> None:
    (game,) = notation.read((SHORT + "A stock\n" * (MOST_EVENTS - 11)).encode())
    assert len(game.events) == MOST_EVENTS
    with pytest.raises(FormatError, match="more than 20000 events"):
        list(notation.read((SHORT + "A stock\n" * (MOST_EVENTS - 10)).encode()))


def test_impossible_acts_are_written_down_all_the_same() -> None:
    events = read_one(SHORT + "C meld R 5H 6H 8H\n")
    assert isinstance(events[-1], MeldLaid)
    broken = RUMMY500.judge(fold(RUMMY500, events[:-1]), events[-1])
    assert [found.code for found in broken if isinstance(found, Violation)] == [
        "NOT_PLAY_PHASE",
        "RUN_NOT_CONSECUTIVE",
    ]


def test_sniffing_passes_over_comments() -> None:
    assert notation.sniff(SHORT.encode())
    assert notation.sniff(b"\xef\xbb\xbflanterlog table notation 1\n")
    assert not notation.sniff(b'{"t":"game"}\n')


def test_the_deck_and_the_shuffle_are_kept_where_they_are_known() -> None:
    events = simulate.play(7, 3)
    again = read_one("\n".join(write_game(events)))
    assert isinstance(again[1], Shuffled)
    assert again[1] == events[1]
    assert isinstance(again[5], UpcardTurned)
    assert any(isinstance(event, StockDrawn) and event.card != UNKNOWN for event in again)


def test_an_erased_remark_is_written_as_such() -> None:
    events = read_one(SHORT)
    lines = list(write_game(events))
    assert any(isinstance(event, Remarked) for event in events)
    assert "B remark: (erased)" in lines
