"""The logs of delboycodes/rummy-500: 20 games of 118 deals, read under their own table's rules.

What must be found is worked out here from the raw lines, without our rules.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from events.codec import decode, encode
from events.common import DealScored, GameEnded, Remarked, Shuffled
from events.errors import FormatError
from events.formats import Import, delboycodes
from events.game import Violation
from events.games import RUMMY500
from events.rummy500.events import LaidOff, MeldLaid, PileTaken, StockDrawn
from events.rummy500.normal import normal
from tests.events.formats.helpers import ENGINE_A, lines_of_game

LINES = ENGINE_A.read_bytes().splitlines(True)
RAW: list[dict[str, Any]] = [json.loads(line) for line in LINES]
GAMES = list(delboycodes.read(LINES))
FIRST = lines_of_game(ENGINE_A, 1)

Turn = tuple[int, int, int]


def steps(game: Import) -> Iterator[tuple[Any, Any]]:
    """Each event with the state before it."""
    state = RUMMY500.initial(game.events[0])
    for event in game.events[1:]:
        yield state, event
        state = RUMMY500.evolve(state, event)


def turns_with_breaches() -> dict[Turn, str]:
    """From the raw log: the turns in which the wanted card was not put down, or a taken one thrown back."""
    found: dict[Turn, str] = {}
    turn, taken, down = 0, list[str](), set[str]()
    for line in RAW:
        match line["t"]:
            case "deal":
                turn = 0
            case "draw":
                turn += 1
                taken, down = (line["cards"] if line["from"] == "discard" else []), set()
            case "meld":
                down |= set(line["cards"])
            case "layoff":
                down.add(line["card"])
            case "discard" if taken and taken[0] not in down:
                found[line["game"], line["round"], turn] = "owed"
            case "discard" if line["card"] in taken:
                found[line["game"], line["round"], turn] = "thrown back"
    return found


def turns_judged() -> dict[Turn, list[Violation]]:
    """The violations that judging every event gives, by turn."""
    found: dict[Turn, list[Violation]] = {}
    for number, game in enumerate(GAMES, 1):
        turn = 0
        for state, event in steps(game):
            turn = 0 if isinstance(event, Shuffled) else turn
            turn += isinstance(event, StockDrawn | PileTaken)
            for judged in RUMMY500.judge(state, event):
                assert isinstance(judged, Violation)
                found.setdefault((number, state.deal, turn), []).append(judged)
    return found


def test_all_games_and_deals_are_read():
    counts = Counter(type(event) for game in GAMES for event in game.events)
    assert (len(GAMES), counts[Shuffled], counts[DealScored], counts[GameEnded]) == (
        20,
        118,
        118,
        20,
    )


def test_no_act_is_lost():
    kinds = Counter(line["t"] for line in RAW)
    counts = Counter(type(event) for game in GAMES for event in game.events)
    assert counts[StockDrawn] + counts[PileTaken] == kinds["draw"]
    assert counts[MeldLaid] == kinds["meld"]
    assert counts[LaidOff] == kinds["layoff"]


def test_our_scoring_gives_every_score_line():
    said = [line for line in RAW if line["t"] == "score"]
    ours: list[Any] = [
        RUMMY500.due(state)[0]
        for game in GAMES
        for state, event in steps(game)
        if isinstance(event, DealScored)
    ]
    assert all(isinstance(one, DealScored) for one in ours)
    assert [list(one.scores) for one in ours] == [list(line["scores"].values()) for line in said]
    assert [list(one.totals) for one in ours] == [list(line["totals"].values()) for line in said]


def test_the_game_ends_when_and_for_whom_our_rules_end_it():
    for game in GAMES:
        for state, event in steps(game):
            if state.phase == "scored":
                (due,) = RUMMY500.due(state)
                assert isinstance(event, GameEnded) == isinstance(due, GameEnded)
                assert not isinstance(event, GameEnded) or event == due


def test_judging_finds_exactly_the_turns_with_a_breach():
    expected = turns_with_breaches()
    judged = turns_judged()
    assert Counter(expected.values()) == {"owed": 74, "thrown back": 23}
    assert judged.keys() == expected.keys()
    last = {turn: violations[-1].code for turn, violations in judged.items()}
    named = {"owed": "MUST_MELD_DEEP_CARD", "thrown back": "REDISCARD_OF_DRAWN_TOP"}
    assert last == {turn: named[what] for turn, what in expected.items()}


def test_what_else_is_found_in_such_a_turn_is_that_it_could_not_be_ended():
    expected = turns_with_breaches()
    earlier = Counter(
        (expected[turn], violation.code)
        for turn, violations in turns_judged().items()
        for violation in violations[:-1]
    )
    assert earlier == {
        ("owed", "DEEP_CARD_UNMELDABLE"): 66,
        ("owed", "MUST_KEEP_DISCARD"): 7,
        ("owed", "MUST_MELD_DEEP_CARD"): 1,
        ("thrown back", "NO_LEGAL_DISCARD_LEFT"): 23,
    }


def test_refusals_of_the_program_are_remarks_with_their_text():
    said = [line["message"] for line in RAW if line["t"] == "engine_error"]
    kept = [
        game.remarks[version][1]
        for game in GAMES
        for version, event in enumerate(game.events, 1)
        if isinstance(event, Remarked)
    ]
    assert kept == said


def test_every_event_is_canonical_and_in_normal_form():
    for game in GAMES:
        for event in game.events:
            assert decode("rummy500", encode(event)) == event
        for state, event in steps(game):
            if isinstance(event, MeldLaid | LaidOff):
                assert normal(state, event) == event


def test_a_game_that_is_opened_so_can_be_played():
    assert [RUMMY500.problems(game.events[0]) for game in GAMES] == [()] * 20


def test_the_same_file_gives_the_same_games_and_another_file_others():
    assert list(delboycodes.read(LINES)) == GAMES
    (alone,) = delboycodes.read(FIRST)
    assert alone.game_id != GAMES[0].game_id
    assert not set(alone.names) & set(GAMES[0].names)
    ids = [game.game_id for game in GAMES]
    people = [player for game in GAMES for player in game.names]
    assert (len(set(ids)), len(set(people))) == (len(ids), len(people))


def test_people_are_called_as_the_log_calls_them():
    assert list(GAMES[0].names.values()) == ["P1 (StrategicStrategy)", "P2 (OpportunisticStrategy)"]


def test_a_game_says_where_it_begins():
    begins = [number for number, line in enumerate(RAW, 1) if line["t"] == "game"]
    assert [game.line for game in GAMES] == begins


Change = Callable[[list[bytes]], list[bytes]]


def swap(line: int, old: str, new: str) -> Change:
    """A change of one line, counted from 1; what is changed must be there."""

    def changed(lines: list[bytes]) -> list[bytes]:
        text = lines[line - 1]
        assert old.encode() in text
        return [*lines[: line - 1], text.replace(old.encode(), new.encode(), 1), *lines[line:]]

    return changed


def without(line: int) -> Change:
    return lambda lines: lines[: line - 1] + lines[line:]


FAULTS: dict[str, tuple[Change, int, str]] = {
    "not JSON": (swap(5, '"t"', "t"), 5, "not JSON"),
    "not UTF-8": (lambda lines: [lines[0], b'{"t":"\xff"}\n'], 2, "not"),
    "unknown event": (swap(3, '"draw"', '"steal"'), 3, "not a line of this log"),
    "unknown field": (swap(3, '"round"', '"round2"'), 3, "not a line of this log"),
    "no card": (swap(3, "6♦", "11♦"), 3, "not a card: '11♦'"),
    "a card dealt twice": (swap(2, "2♦", "A♥"), 2, "the card A♥ twice"),
    "a card in two hands": (swap(2, "4♥", "2♦"), 2, "the card 2D twice"),
    "a card drawn twice": (swap(5, "7♣", "6♦"), 5, "the card 6♦ twice"),
    "unknown player": (swap(3, "P1", "P3"), 3, "unknown player 'P3'"),
    "a player twice": (swap(1, '"P1","P2"', '"P1","P1"'), 1, "a player twice"),
    "a hand too few": (swap(2, '"P2":', '"P3":'), 2, "expected P1, P2"),
    "discards what it has not": (swap(4, "A♥", "5♥"), 4, "P1 puts down 5H"),
    "takes what does not lie there": (swap(9, "K♠", "3♠"), 9, "taken from a pile"),
    "lays off on no meld": (swap(28, '"8♠","8♥","8♦"]', '"8♠","8♥"]'), 28, "not on the table"),
    "lays off on another's meld": (swap(28, '"owner":"P2"', '"owner":"P1"'), 28, "a meld of P1"),
    "a meld of two": (swap(10, '"Q♥",', ""), 10, "a meld of 2 cards"),
    "another game's line": (swap(6, '"game":1', '"game":2'), 6, "game 2"),
    "another deal's line": (swap(6, '"round":1', '"round":2'), 6, "deal 2"),
    "a deal left out": (swap(2, '"round":1', '"round":2'), 2, "expected deal 1"),
    "stock miscounted": (swap(2, '"deck_left":31', '"deck_left":30'), 2, "30 cards left"),
    "hands at the end": (swap(55, '"P2":[]', '"P2":["2♣"]'), 55, "P2 is left with 2♣"),
    "nobody is out": (without(54), 54, "0 players without cards"),
    "another total at the end": (swap(len(FIRST), "561", "560"), len(FIRST), "totals"),
    "cut off": (lambda lines: lines[:40], 40, "game 1 is cut off"),
    "cut off before the next": (lambda lines: lines[:40] + lines, 41, "cut off"),
    "a game twice": (lambda lines: lines + lines, len(FIRST) + 1, "game 1 twice"),
    "no game's line": (without(1), 1, "not begun"),
    "nothing": (lambda lines: [], 1, "no game"),
    "an endless line": (lambda lines: [lines[0], b" " * 9_000_000], 2, "bytes in a line"),
}


@pytest.mark.parametrize(("change", "line", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_file_is_refused_with_line_and_reason(change: Change, line: int, reason: str):
    with pytest.raises(FormatError) as caught:
        list(delboycodes.read(change(FIRST)))
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value
