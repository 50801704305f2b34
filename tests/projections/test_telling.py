"""Every event of both games is told in one sentence in every language, and in the right words."""

import re
from typing import Any

import pytest

from events.common import DealScored, GameEnded, Remarked, names
from events.games import GAMES
from events.lanterloo.events import Bid, CardPlayed
from events.rummy500.events import LaidOff, MeldLaid, Placement, RummyCalled, StockDrawn
from projections.telling import TELLINGS, tell, tell_card
from tests.events import test_golden, test_golden_loo

LOGS = [
    *(test_golden.events(name) for name in test_golden.LOGS),
    *(test_golden_loo.events(name) for name in test_golden_loo.LOGS),
]
PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Ed", "Fay", "Gus", "Hal")


@pytest.mark.parametrize(
    ("event", "english", "japanese"),
    [
        (
            StockDrawn(seat=0, card="4S"),
            "Anna draws from the stock: 4 of spades.",
            "Annaは山札から引きます：スペードの4。",
        ),
        (
            Remarked(seat=1, text="0" * 64, about=7),
            "Ben makes a remark about version 7.",
            "Benがバージョン7についてコメントしました。",
        ),
        (
            Remarked(seat=None, text="0" * 64, about=7),
            "A remark is made about version 7.",
            "バージョン7についてのコメントがあります。",
        ),
        (
            StockDrawn(seat=0, card="??"),
            "Anna draws from the stock: a card.",
            "Annaは山札から引きます：カード1枚。",
        ),
        (
            MeldLaid(seat=1, meld=3, kind="sequence", cards=("7H", "X1=8H", "9H")),
            "Ben melds a sequence, m3: 7 of hearts, joker as 8 of hearts, 9 of hearts.",
            "Benはシーケンスm3をメルドします：ハートの7、ハートの8の代わりのジョーカー、ハートの9。",
        ),
        (
            LaidOff(seat=1, cards=(Placement("TH", 3, "high"), Placement("6H", 3, "low"))),
            "Ben lays off on m3: 10 of hearts, 6 of hearts.",
            "Benはm3に付け札します：ハートの10、ハートの6。",
        ),
        (
            RummyCalled(seat=2, card="KS", accepted=False, code="NOT_CALLABLE", cards=(), lay=None),
            "Cleo calls “Rummy!” for the king of spades, and the call falls.",
            "CleoはスペードのKに「ラミー！」とコールしましたが、認められません。",
        ),
        (Bid(seat=0, choice="pass", cards=()), "Anna is out.", "Annaは降ります。"),
        (
            CardPlayed(seat=0, card="AS", civil=True),
            "Anna plays the ace of spades and says “Pam, be civil”.",
            "AnnaはスペードのAを出し、「パム、控えて」と言います。",
        ),
        (
            DealScored(deal=2, scores=(45, None), totals=(45, None)),
            "Deal 2 counts Anna +45, Ben ?.",
            "ディール2の得点：Anna +45、Ben ?。",
        ),
        (GameEnded(winner=1, abandoned=False), "Ben wins the game.", "Benの勝ちです。"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() else None,
)
def test_what_is_told(event, english, japanese):
    assert tell(event, PEOPLE) == english
    assert tell(event, PEOPLE, "ja") == japanese


@pytest.mark.parametrize("lang", TELLINGS)
def test_every_event_of_every_record_is_told(lang):
    tags = set()
    for events in LOGS:
        for event in events:
            told = tell(event, PEOPLE, lang)
            assert told.endswith((".", "。")), told
            assert not re.search(r"[{}]|None|\b[a-z]+_[a-z]+\b", told), told
            tags.add(event.__struct_config__.tag)
    assert len(tags) > 30


@pytest.mark.parametrize("lang", TELLINGS)
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_event_has_a_sentence(game: str, lang: Any):
    keys = {key.partition(".")[0] for key in TELLINGS[lang].sentences}
    assert names(GAMES[game].event_type).keys() <= keys


def test_languages_tell_the_same_sentences():
    assert TELLINGS["en"].sentences.keys() == TELLINGS["ja"].sentences.keys()
    assert TELLINGS["en"].values.keys() == TELLINGS["ja"].values.keys()


def test_an_unknown_card_is_told_as_one():
    assert tell_card("??") == "a card"
    assert tell_card("7H'", "ja") == "ハートの7"


@pytest.mark.parametrize(
    ("card", "words", "symbols"),
    [
        ("7H'", "7 of hearts", "7♥"),
        ("TS", "10 of spades", "10♠"),
        ("X1=8H", "joker as 8 of hearts", "★=8♥"),
        ("4S=QD", "4 of spades as queen of diamonds", "4♠=Q♦"),
        ("??", "a card", "a card"),
    ],
)
def test_cards_are_told_in_words_or_in_symbols(card: str, words: str, symbols: str):
    assert tell_card(card) == words
    assert tell_card(card, symbols=True) == symbols
