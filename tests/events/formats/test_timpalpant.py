"""The logs of timpalpant/rummy: 60 single deals, read under their own table's rules.

What must be found is worked out here from the raw lines, without our rules.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from events.codec import decode, encode
from events.common import DealEnded, DealScored, GameEnded, Remarked
from events.errors import FormatError
from events.formats import Import, timpalpant
from events.game import Violation
from events.games import RUMMY500
from events.rummy500.events import (
    LaidOff,
    MeldLaid,
    PileTaken,
    RummyCalled,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.normal import normal
from tests.events.formats.helpers import ENGINE_B, lines_of_game

LINES = ENGINE_B.read_bytes().splitlines(True)
RAW: list[dict[str, Any]] = [json.loads(line) for line in LINES]
GAMES = list(timpalpant.read(LINES))
FIRST = lines_of_game(ENGINE_B, 1)
RANKS = ["A", *map(str, range(2, 11)), "J", "Q", "K"]

Fault = tuple[int, str]


def steps(game: Import) -> Iterator[tuple[Any, Any]]:
    """Each event with the state before it."""
    state = RUMMY500.initial(game.events[0])
    for event in game.events[1:]:
        yield state, event
        state = RUMMY500.evolve(state, event)


def rank(card: str) -> int:
    return RANKS.index(card[:-1])


class RawMeld:
    """A meld as the raw log tells it: a group, or a sequence with the ranks next to its two ends."""

    def __init__(self, cards: list[str]) -> None:
        self.cards = cards
        self.is_group = len({rank(card) for card in cards}) == 1
        places = sorted(map(rank, cards))
        if places[:2] != [0, 1] and places[0] == 0:
            places = [*places[1:], 13]
        self.below, self.above = (places[0] - 1) % 13, (places[-1] + 1) % 13

    def fits(self, card: str) -> bool:
        if self.is_group:
            return rank(card) == rank(self.cards[0])
        return card[-1] == self.cards[0][-1] and rank(card) in (self.below, self.above)

    def put(self, card: str) -> None:
        self.cards = [*self.cards, card]
        if not self.is_group and rank(card) == self.above:
            self.above = (self.above + 1) % 13
        elif not self.is_group:
            self.below = (self.below - 1) % 13


def misplaced() -> list[Fault]:
    """From the raw log: the cards laid off or called that fit no meld on the table, game by game."""
    found, melds = [], list[RawMeld]()
    for line in RAW:
        if line["event"] == "NEW":
            melds = []
        elif line["event"] == "PLAY_CARDS" and "rummy" not in line:
            melds.append(RawMeld(line["cards"]))
        elif line["event"] in ("PLAY_CARDS", "CALL_RUMMY"):
            (card,) = line["cards"]
            fitting = sorted((m for m in melds if m.fits(card)), key=lambda meld: meld.is_group)
            if fitting:
                fitting[0].put(card)
            else:
                found.append((line["game"], card))
    return found


def draws_not_carried_through() -> list[Fault]:
    """From the raw log: the draws whose wanted card was not melded before the turn or the game ended."""
    found, owed = list[Fault](), ""
    for line in RAW:
        if line["event"] == "PICK_UP_DISCARD":
            owed = line["cards"][0]
        elif line["event"] == "PLAY_CARDS" and "rummy" not in line and owed in line["cards"]:
            owed = ""
        elif line["event"] in ("DISCARD", "GAME_OVER") and owed:
            found.append((line["game"], owed))
            owed = ""
    return found


def judged() -> Iterator[tuple[int, Any, Violation]]:
    """Game, event and violation for everything that judging finds."""
    for number, game in enumerate(GAMES, 1):
        for state, event in steps(game):
            for found in RUMMY500.judge(state, event):
                assert isinstance(found, Violation)
                yield number, event, found


def sign(card: str) -> str:
    return card[0].replace("T", "10") + "♠♥♦♣"["SHDC".index(card[1])]


def test_all_deals_are_read():
    counts = Counter(type(event) for game in GAMES for event in game.events)
    assert (len(GAMES), counts[DealEnded], counts[DealScored], counts[GameEnded]) == (60,) * 4


def test_no_act_is_lost():
    said = Counter((line["event"], "rummy" in line) for line in RAW)
    counts = Counter(type(event) for game in GAMES for event in game.events)
    assert counts[StockDrawn] == said["PICK_UP_STOCK", False]
    assert counts[StockRenewed] == sum("reshuffled" in line for line in RAW) == 1
    assert counts[PileTaken] == said["PICK_UP_DISCARD", False]
    assert counts[MeldLaid] == said["PLAY_CARDS", False]
    assert counts[LaidOff] == said["PLAY_CARDS", True]
    assert counts[RummyCalled] == said["CALL_RUMMY", False]


def test_our_scoring_gives_every_score_line():
    said = [list(line["scores"].values()) for line in RAW if line["event"] == "GAME_OVER"]
    ours: list[Any] = [
        RUMMY500.due(state)[0]
        for game in GAMES
        for state, event in steps(game)
        if isinstance(event, DealScored)
    ]
    assert all(isinstance(one, DealScored) for one in ours)
    assert [list(one.scores) for one in ours] == said


def test_our_values_are_those_that_the_program_gave_for_every_card_put_down():
    for number, game in enumerate(GAMES, 1):
        said = [line["score"] for line in RAW if line["game"] == number and "score" in line]
        values = {"A": 15} | dict.fromkeys("TJQK", 10) | dict.fromkeys("23456789", 5)
        ours = [
            sum(values[card[0]] for card in cards)
            for _, event in steps(game)
            for cards in (
                event.cards
                if isinstance(event, MeldLaid)
                else [one.card for one in event.cards]
                if isinstance(event, LaidOff)
                else [],
            )
            if cards
        ]
        assert ours == said


def test_judging_finds_the_misplaced_cards_the_draw_that_led_nowhere_and_nothing_else():
    wrong_places, wrong_draws = misplaced(), draws_not_carried_through()
    assert (len(wrong_places), wrong_draws) == (205, [(32, "Q♣")])
    places, draws, calls = list[Fault](), list[Fault](), list[Fault]()
    for number, event, found in judged():
        if isinstance(event, PileTaken):
            assert found.code == "MUST_KEEP_DISCARD"
            draws.append((number, sign(event.cards[0])))
        elif found.code == "NOT_CALLABLE":
            calls.append((number, sign(event.card)))
        else:
            assert found.code == "GROUP_RANK"
            card = event.card if isinstance(event, RummyCalled) else event.cards[0].card
            places.append((number, sign(card)))
    assert places == wrong_places
    assert draws == wrong_draws
    assert set(calls) <= set(places)
    assert len(calls) == 6


def test_a_misplaced_card_lies_beside_the_group_of_its_neighbour():
    for game in GAMES:
        for state, event in steps(game):
            if not isinstance(event, LaidOff):
                continue
            (placement,) = event.cards
            meld = state.meld(placement.meld)
            if RUMMY500.judge(state, event):
                assert meld.kind == "group"
                ranks = [
                    rank(sign(laid.card))
                    for laid in (*meld.cards, *meld.beside)
                    if laid.card[1] == placement.card[1]
                ]
                here = rank(sign(placement.card))
                assert {(here - 1) % 13, (here + 1) % 13} & set(ranks)


def test_the_one_refusal_is_a_remark_in_a_deal_that_was_broken_off():
    (game,) = [game for game in GAMES if game.remarks]
    *_, remarked, ended, scored, over = game.events
    assert isinstance(remarked, Remarked)
    assert (ended.reason, ended.out, over.abandoned) == ("ABANDONED", None, True)
    assert scored.scores == (35, 30, 75, 40)
    ((_, text),) = game.remarks.values()
    assert text == "10♣: player picked up and must play card Q♣ before ending turn"


def test_a_single_deal_has_no_winner():
    assert {(game.events[-1].winner, game.events[-1].abandoned) for game in GAMES} == {(None, True)}


def test_the_first_player_of_the_log_is_the_first_player():
    firsts = [line["first"] for line in RAW if line["event"] == "DEAL"]
    for game, first in zip(GAMES, firsts, strict=True):
        dealer = game.events[0].first_dealer
        assert list(game.names.values())[(dealer + 1) % len(game.names)] == first


def test_every_event_is_canonical_and_in_normal_form():
    for game in GAMES:
        for event in game.events:
            assert decode("rummy500", encode(event)) == event
        for state, event in steps(game):
            if isinstance(event, MeldLaid | LaidOff) and not RUMMY500.judge(state, event):
                assert normal(state, event) == event


def test_a_game_that_is_opened_so_can_be_played():
    assert [RUMMY500.problems(game.events[0]) for game in GAMES] == [()] * 60


def test_the_same_file_gives_the_same_games_and_another_file_others():
    assert list(timpalpant.read(LINES)) == GAMES
    (alone,) = timpalpant.read(FIRST)
    assert alone.game_id != GAMES[0].game_id
    assert len({game.game_id for game in GAMES}) == 60


def test_a_call_that_the_program_turned_down_takes_nothing():
    at = next(i for i, line in enumerate(RAW) if line["event"] == "CALL_RUMMY")
    number, before = RAW[at]["game"], RAW[at - 1]
    lines = [line for line in LINES if json.loads(line)["game"] == number]
    call = json.dumps(RAW[at] | {"error": "not now"}, ensure_ascii=False).encode()
    here = lines.index(LINES[at])
    assert before["event"] == "DISCARD"
    (game,) = timpalpant.read([*lines[:here], call, *lines[here:]])
    refused = next(event for event in game.events if isinstance(event, RummyCalled))
    assert (refused.accepted, refused.code, refused.lay, refused.cards) == (
        False,
        "NOT_CALLABLE",
        None,
        (),
    )
    assert f"{RAW[at]['cards'][0]}: not now" in [text for _, text in game.remarks.values()]


Change = Callable[[list[bytes]], list[bytes]]
RENEWED = lines_of_game(ENGINE_B, 2)
RENEWAL = next(i for i, line in enumerate(RENEWED, 1) if b"reshuffled" in line)


def swap(line: int, old: str, new: str) -> Change:
    """A change of one line, counted from 1; what is changed must be there."""

    def changed(lines: list[bytes]) -> list[bytes]:
        text = lines[line - 1]
        assert old.encode() in text
        return [*lines[: line - 1], text.replace(old.encode(), new.encode(), 1), *lines[line:]]

    return changed


FAULTS: dict[str, tuple[Change, int, str]] = {
    "not JSON": (swap(5, "}", ""), 5, "not JSON"),
    "unknown event": (swap(3, "PICK_UP_STOCK", "STEAL"), 3, "not a line of this log"),
    "no card": (swap(3, "7♥", "7"), 3, "not a card: '7'"),
    "two cards from the stock": (swap(3, '"7♥"', '"7♥","3♣"'), 3, "2 cards, expected 1"),
    "a card in two hands": (swap(2, "6♦", "8♦"), 2, "the card 8D twice"),
    "a card drawn twice": (swap(5, "10♥", "7♥"), 5, "the card 7♥ twice"),
    "unknown player": (swap(4, "CP1", "CP7"), 4, "unknown player 'CP7'"),
    "unknown first player": (swap(2, '"first":"CP1"', '"first":"CP9"'), 2, "unknown player"),
    "stock miscounted": (swap(2, '"stock":30', '"stock":31'), 2, "31 cards left"),
    "a second deal": (lambda lines: [*lines[:2], *lines[1:]], 3, "a second deal"),
    "an act before the deal": (lambda lines: [lines[0], *lines[2:]], 2, "before the first deal"),
    "discards what it has not": (swap(4, "8♦", "A♠"), 4, "CP1 puts down AS"),
    "takes what does not lie there": (swap(9, "J♥", "3♣"), 9, "taken from a pile"),
    "another game's line": (swap(5, '"game":1', '"game":4'), 5, "game 4"),
    "hands at the end": (swap(len(FIRST), '"CP1":[]', '"CP1":["2♣"]'), len(FIRST), "CP1 is left"),
    "a renewed stock too early": (
        swap(3, '"PICK_UP_STOCK"', '"PICK_UP_STOCK","reshuffled":true,"discard":["K♠"]'),
        3,
        "a new stock while 30 cards",
    ),
    "a meld of nothing": (swap(10, '"K♦","K♣","K♠"', ""), 10, "a meld of 0 cards"),
    "laid off on nothing": (swap(10, '"score":30', '"rummy":true,"score":30'), 10, "fits no meld"),
    "cut off": (lambda lines: lines[:20], 20, "game 1 is cut off"),
    "cut off before the next": (lambda lines: lines[:20] + lines, 21, "cut off"),
    "a game twice": (lambda lines: lines + lines, len(FIRST) + 1, "game 1 twice"),
    "nothing": (lambda lines: [], 1, "no game"),
}


@pytest.mark.parametrize(("change", "line", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_file_is_refused_with_line_and_reason(change: Change, line: int, reason: str):
    with pytest.raises(FormatError) as caught:
        list(timpalpant.read(change(FIRST)))
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value


def test_a_new_pile_that_did_not_lie_in_the_old_one_is_refused():
    with pytest.raises(FormatError, match=f"line {RENEWAL}: a new pile of AS"):
        list(timpalpant.read(swap(RENEWAL, '"discard":["J♠"]', '"discard":["A♠"]')(RENEWED)))
