"""Why an act is legal or not, in words: every code of the rules brought about by one act at one table."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from events.common import DealEnded, DealScored, Dealt, GameEnded, Remarked, Shuffled
from events.rummy500.events import (
    DiscardChallenged,
    Floated,
    JokerSwapped,
    RummyCalled,
    RummyEvent,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from projections import lanterloo_words
from projections.explain import why
from projections.words_en import FAULTS
from tests.events.rummy500.helpers import Table
from tests.projections.test_explain import WORDS
from tests.simulate import RUMMY, opened, play

RULES = Path(__file__).parents[2] / "docs" / "rules" / "rummy500.md"

Act = str | RummyEvent


class Case(NamedTuple):
    """A table, the acts before, the act that is asked about, and what is said of it in English."""

    table: dict[str, Any]
    before: tuple[str, ...]
    act: Act
    said: str


# What no event says: options, and what is refused before the rules are asked.
NOT_OF_JUDGE = {
    "OUTCOME_NAMED",
    "SERVICE_DOES_THIS",
    "GAME_IS_OPEN",
    "TEXT_HASH_WRONG",
    "NOTHING_TO_RETRACT",
    "REMARK_ABOUT_NOTHING",
    "OPTIONS_CONTRADICT",
    "TOO_MANY_PLAYERS",
    "PLAYER_TWICE",
    "DEALER_UNKNOWN",
    "PACK_TOO_SMALL",
}

HANDS = {"A": "4S 4D 9C KD", "B": "5H 6H QC", "C": "TC JC 2D"}
DRAW: dict[str, Any] = {"hands": HANDS, "pile": "4H 8C", "stock": "7D 3C"}
PLAY: dict[str, Any] = DRAW | {"phase": "play"}
MELDS = ["m1:R[5S 6S 7S]@B", "m2:G[8H 8D 8S]@C"]


def holding(hand: str, **more: Any) -> dict[str, Any]:
    """A table in the middle of A's turn, with this hand."""
    return PLAY | {"hands": HANDS | {"A": hand}, "table": MELDS} | more


def two_packs(hand: str, **more: Any) -> dict[str, Any]:
    return holding(hand, players=3, opts={"packs": 2}, **more)


def over(**more: Any) -> dict[str, Any]:
    """The end of a deal: A discards the last card."""
    return holding("KD", **{"table": [], "totals": {"A": 480, "B": 10, "C": 20}} | more)


def call(card: str, code: str | None, cards: str = "", seat: int = 2) -> RummyCalled:
    taken = tuple(cards.split())
    return RummyCalled(
        seat=seat, card=card, accepted=code is None, code=code, cards=taken, lay=None
    )


def scored(*scores: int, totals: tuple[int, ...]) -> DealScored:
    return DealScored(deal=1, scores=scores, totals=totals)


END = DealEnded(deal=1, reason="DISCARDED_OUT", out=0)
CHALLENGED = holding(
    "8S",
    table=MELDS[:1],
    opts={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
)
CALLS = holding("8C KD", pile="9C", table=["m1:R[5C 6C 7C]@B"])
FAULTY: dict[str, Case] = {
    "NOT_YOUR_TURN": Case(
        DRAW, (), "B stock", "B acted out of turn: it was the turn of A (R-6.1)."
    ),
    "NOT_DRAW_PHASE": Case(
        PLAY,
        (),
        "A stock",
        "A could not draw now: the turn was in the middle of its play (R-6.1).",
    ),
    "NOT_PLAY_PHASE": Case(
        DRAW,
        (),
        "A discard KD",
        "A could not meld, lay off or discard now: a draw was due (R-6.1).",
    ),
    "HAND_OVER": Case(
        over(),
        ("A discard KD",),
        "B stock",
        "No more acts count here: expected no more acts, but the play of the deal was over (R-7.4).",
    ),
    "NO_SUCH_SEAT": Case(
        DRAW,
        (),
        Floated(seat=5),
        "This table has no such seat: expected seats A to C (R-1.1).",
    ),
    "NOT_IN_HAND": Case(
        PLAY,
        (),
        "A discard 2C",
        "A did not hold that card: 2C is not among 4S 4D 9C KD (R-6.9).",
    ),
    "NOT_IN_PILE": Case(
        DRAW,
        (),
        "A take 9H",
        "A took what does not lie so in the pile: expected 8C, found 9H (R-6.5).",
    ),
    "NO_SUCH_MELD": Case(
        PLAY,
        (),
        "A lay KD@m7",
        "A named no meld that is on the table: expected a meld on the table, found 7",
    ),
    "MELD_ID_TAKEN": Case(
        holding("4S 4D 4C KD"),
        (),
        "A meld G m1: 4S 4D 4C",
        "A gave a new meld the number of another: expected 3, found 1 (R-3.7).",
    ),
    "ONE_MELD_PER_LAYOFF": Case(
        holding("8S 8C KD QD", table=["m1:R[5S 6S 7S]@B", "m2:G[8H 8D 8S']@C"], opts={"packs": 2}),
        (),
        "A lay 8S@m1 8C@m2",
        "A laid off on several melds in one action: 2 melds (R-5.8).",
    ),
    "STOCK_EMPTY": Case(
        DRAW | {"stock": 0},
        (),
        "A stock 7D",
        "A could not draw, there was no stock: expected a card in the stock, found 7D (R-6.2).",
    ),
    "MUST_DRAW": Case(
        DRAW,
        (),
        "A pass",
        "A had to draw from the stock: expected a draw, found 2 cards in the stock (R-6.12).",
    ),
    "MELD_SIZE": Case(
        PLAY,
        (),
        "A meld G 4S 4D",
        "A meld of that size does not exist: expected at least 3 cards, found 2 (R-3.1).",
    ),
    "MELD_NEEDS_NATURAL": Case(
        two_packs("X1 X2 X3 KD"),
        (),
        "A meld G X1 X2 X3",
        "A meld needs natural cards: expected at least 1 natural cards, found 0 (R-4.7).",
    ),
    "GROUP_RANK": Case(
        PLAY,
        (),
        "A meld G 4S 4D 9C",
        "A group holds one rank only: expected one rank, found 4 9 (R-3.2).",
    ),
    "GROUP_SUIT_REPEAT": Case(
        two_packs("4S 4S' 4D KD"),
        (),
        "A meld G 4S 4S' 4D",
        "A group holds no suit twice: expected different suits, found S S D (R-3.3).",
    ),
    "GROUP_FULL": Case(
        holding("X1 KD 9D", table=["m1:G[8H 8D 8S 8C]@C"], pile="4H"),
        (),
        "A lay X1@m1",
        "The group was full: expected at most 4 cards, found 5 (R-4.5).",
    ),
    "RUN_SUIT": Case(
        holding("4S 5S 6D KD", table=[]),
        (),
        "A meld R 4S 5S 6D",
        "A sequence holds one suit only: expected one suit, found D S (R-3.4).",
    ),
    "RUN_NOT_CONSECUTIVE": Case(
        holding("KD AD 2D QC", hands=HANDS | {"A": "KD AD 3D QD", "C": "TC"}, table=[]),
        (),
        "A meld R KD AD 3D",
        "The cards of a sequence must follow one another: expected no card, found 3D (R-3.5).",
    ),
    "RUN_END": Case(
        holding("9S KD"),
        (),
        "A lay 9S@m1",
        "The card does not continue the sequence there: expected 4S or 8S, found 9S (R-5.3).",
    ),
    "JOKER_UNDECLARED": Case(
        holding("X1 KD"),
        (),
        "A lay X1@m1",
        "A did not say what the joker stands for: expected X1 with the card it stands for, found X1",
    ),
    "JOKER_STAYS": Case(
        holding("8S KD", table=["m1:R[6S 7S X1=8S]@B"]),
        (),
        JokerSwapped(seat=0, meld=1, joker="X1", card="8S"),
        "The joker on the table cannot be exchanged so: X1 for 8S (R-4.3).",
    ),
    "END_UNDECLARED": Case(
        holding("AS KD 2C", table=["m1:R[2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS]@B"]),
        (),
        "A lay AS@m1",
        "A did not say at which end the card goes: expected low or high, found AS (R-5.3).",
    ),
    "DEEP_CARD_UNMELDABLE": Case(
        DRAW | {"pile": "3H 8C"},
        (),
        "A take 3H",
        "A took a card that could not be melded: 3H (R-6.7).",
    ),
    "MUST_MELD_DEEP_CARD": Case(
        DRAW,
        ("A take 4H",),
        "A discard KD",
        "A owed a meld with the card taken from the pile: 4H (R-6.6).",
    ),
    "MUST_BE_NEW_MELD": Case(
        DRAW
        | {
            "table": ["m1:R[5S 6S 7S]@B"],
            "pile": "8S",
            "hands": HANDS | {"A": "8D 8H KD QD"},
            "opts": {"pile_rule": "always_new_meld"},
        },
        ("A take 8S",),
        "A lay 8S@m1",
        "A had to use the card in a new meld, not lay it off: 8S (V-3b).",
    ),
    "REDISCARD_OF_DRAWN_TOP": Case(
        DRAW,
        ("A take 8C",),
        "A discard 8C",
        "A threw back a card taken from the pile in the same turn: 8C (R-6.4).",
    ),
    "NO_LEGAL_DISCARD_LEFT": Case(
        DRAW | {"hands": HANDS | {"A": "4S 4D 4C"}, "pile": "8C", "opts": {"jokers_per_pack": 0}},
        ("A take 8C",),
        "A meld G 4S 4D 4C",
        "A was left without a way to end the turn: 8C (R-6.11).",
    ),
    "MUST_KEEP_DISCARD": Case(
        holding("4S 4D 4C", opts={"go_out": "discard_required"}),
        (),
        "A meld G 4S 4D 4C",
        "A had to keep a card to discard: no card left (V-5).",
    ),
    "FINAL_DISCARD_PLAYABLE": Case(
        holding("8S", table=MELDS[:1], opts={"go_out": "floating_unplayable"}),
        (),
        "A discard 8S",
        "A went out with a card that could be laid off: 8S (12.7).",
    ),
    "MUST_MELD_JOKER": Case(
        holding("8S KD", table=["m1:R[6S 7S X1=8S]@B"], opts={"joker_swap": True}),
        ("A swap X1@m1 8S",),
        "A discard KD",
        "A had to meld the joker that was swapped for: expected X1, found KD (12.11).",
    ),
    "FLOATER_MUST_USE_STOCK": Case(
        DRAW
        | {
            "hands": HANDS | {"A": ""},
            "floaters": ["A"],
            "opts": {"go_out": "floating_unplayable", "floater_draw": "stock_only"},
        },
        (),
        "A take 8C",
        "A floats and had to draw from the stock: expected a card from the stock, found 8C (D-R26).",
    ),
    "CHALLENGE_NOT_OPEN": Case(
        DRAW,
        (),
        DiscardChallenged(seat=1, card="8C", accepted=True, code=None),
        "B could not challenge that discard: 8C (12.7).",
    ),
    "CHALLENGE_WRONGLY_REFUSED": Case(
        CHALLENGED,
        ("A discard 8S",),
        DiscardChallenged(seat=1, card="8S", accepted=False, code="CHALLENGE_NOT_OPEN"),
        "B challenged rightly, and the challenge was not judged so: expected a challenge that",
    ),
    "NO_CALL_WINDOW": Case(
        CALLS,
        ("A discard 8C", "B stock 7D"),
        "C rummy 8C",
        "C called when nothing could be called: the turn was in the middle of its play (R-8.3).",
    ),
    "CALLS_DISABLED": Case(
        CALLS | {"opts": {"rummy": "none"}},
        ("A discard 8C",),
        "C rummy 8C",
        'C called "Rummy!" where that was not allowed: no calls at this table (V-4b).',
    ),
    "CALLER_IS_DISCARDER": Case(
        CALLS,
        ("A discard 8C",),
        "A rummy 8C",
        "A had just played, and only others could call or challenge (R-8.2).",
    ),
    "NOT_CALLABLE": Case(
        CALLS,
        ("A discard KD",),
        "C rummy KD",
        "C called a card that could not be called: expected nothing callable, found KD (R-8.1).",
    ),
    "CALL_WRONGLY_REFUSED": Case(
        CALLS,
        ("A discard 8C",),
        call("8C", "NOT_CALLABLE"),
        "C called rightly, and the call was not judged so: expected a call that stands, found a refusal",
    ),
    "DEAL_COUNT": Case(
        {},
        (),
        Dealt(seat=1, cards=("??",) * 6),
        "The number of cards is not what was due: expected 7, found 6 (R-1.3).",
    ),
    "DRAW_NOT_TOP": Case(
        DRAW,
        (),
        "A stock 3C",
        "That card was not the next of the stock: expected 7D, found 3C (R-6.2).",
    ),
    "CARD_TWICE": Case(
        {},
        (),
        Dealt(seat=1, cards=("7D", "7D", "??", "??", "??", "??", "??")),
        "There are more cards than the pack holds: expected 1 of 7D, found 2 of 7D (14.1).",
    ),
    "SCORE_WRONG": Case(
        over(),
        ("A discard KD", "end"),
        scored(5, -21, -22, totals=(485, -11, -2)),
        "The score of A is wrong: expected 0, found 5 (R-9.1).",
    ),
    "TOTAL_WRONG": Case(
        over(),
        ("A discard KD", "end"),
        scored(0, -21, -22, totals=(500, -11, -2)),
        "The total of A is wrong: expected 480, found 500 (R-9.4).",
    ),
    "DEALER_WRONG": Case(
        over(),
        ("A discard KD", "end", "score"),
        Shuffled(deal=2, dealer=2, method="by hand", deck=("??",) * 54),
        "Another deal or dealer was due: expected deal 2 by A, found deal 2 by C (R-1.5).",
    ),
    "WINNER_WRONG": Case(
        over(totals={"A": 520, "B": 10, "C": 20}),
        ("A discard KD", "end", "score"),
        GameEnded(winner=1, abandoned=False),
        "The game did not end so: expected A, found B (R-9.5).",
    ),
    "DEAL_END_WRONG": Case(
        over(),
        ("A discard KD",),
        DealEnded(deal=1, reason="MELDED_OUT", out=0),
        "The deal did not end so: expected deal 1, the last card discarded, by A, found deal 1, all",
    ),
}


class Dealing:
    """A table at which the cards are being dealt: no position, the first hand is due."""

    def __init__(self) -> None:
        self.state: State = RUMMY.initial(opened(3, mode="recorded"))
        self.state = RUMMY.evolve(
            self.state, Shuffled(deal=1, dealer=0, method="by hand", deck=("??",) * 54)
        )


def at(case: Case) -> tuple[State, RummyEvent]:
    """Return the table of a case after the acts before, and its act."""
    if not case.table:
        assert not isinstance(case.act, str)
        return Dealing().state, case.act
    table = Table(**case.table)
    for act in case.before:
        if act in ("end", "score"):
            table.record(RUMMY.due(table.state)[0])
        else:
            table.do(act)
    return table.state, table.read(case.act) if isinstance(case.act, str) else case.act


def test_every_code_of_section_11_has_its_case() -> None:
    section = RULES.read_text(encoding="utf-8").partition("## 11. ")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")]
    codes = {code for row in rows for code in re.findall(r"[A-Z]+(?:_[A-Z]+)+", row)}
    assert len(codes) == 42
    assert codes <= FAULTY.keys()


def test_every_code_that_judge_gives_has_its_case() -> None:
    assert FAULTY.keys() == FAULTS.keys() - NOT_OF_JUDGE - lanterloo_words.ENGLISH.keys()


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_words(code: str) -> None:
    state, event = at(FAULTY[code])
    first = RUMMY.judge(state, event)[0]

    assert first.code == code
    assert why(RUMMY, state, event).startswith(FAULTY[code].said)


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_japanese_words(code: str) -> None:
    state, event = at(FAULTY[code])
    said = why(RUMMY, state, event, lang="ja")

    assert not WORDS.search(said), said
    assert said.endswith("）。")
    assert f"（{RUMMY.judge(state, event)[0].rule}）。" in said


DEEP = DRAW | {"table": MELDS}
FLOATING = {"go_out": "floating"}
LEGAL: dict[str, Case] = {
    "stock": Case(
        DRAW,
        (),
        "A stock",
        "A may draw the top of the stock, every turn begins with a draw (R-6.2).",
    ),
    "top card": Case(
        DRAW, (), "A take 8C", "A may take 8C, the top discard brings no duty (R-6.3)."
    ),
    "deep card for a meld": Case(
        DRAW, (), "A take 4H", "A may take 4H: 4H 4S 4D can be melded at once (R-6.6)."
    ),
    "deep card for later": Case(
        DRAW | {"opts": {"deep_timing": "by_turn_end"}},
        (),
        "A take 4H",
        "A may take 4H: 4H 4S 4D can be melded before the turn ends (R-6.6).",
    ),
    "deep card to lay off": Case(
        DEEP | {"pile": "4S 2C", "hands": HANDS | {"A": "9C KD QS"}},
        (),
        "A take 4S",
        "A may take 4S: 4S can be laid off on m1 at once (R-6.6).",
    ),
    "one card that must be melded": Case(
        DEEP | {"pile": "8S'", "opts": {"pile_rule": "always_meld", "packs": 2}},
        (),
        "A take 8S'",
        "A may take 8S': 8S' can be laid off on m1 at once (V-3a).",
    ),
    "decline": Case(
        DRAW | {"stock": 0},
        (),
        "A pass",
        "A may decline, the stock is empty; the deal ends (R-6.12).",
    ),
    "new stock": Case(
        DRAW | {"stock": 0, "opts": {"stock_out": "reshuffle_all_but_top"}},
        (),
        "A renew 8C stock 4H",
        "The stock was empty, so the pile is shuffled into a new one (D-R12).",
    ),
    "group": Case(
        holding("4S 4D 4C KD"),
        (),
        "A meld G 4S 4D 4C",
        "A may meld 4S 4D 4C, a group of one rank in different suits (R-3.2).",
    ),
    "group with a joker": Case(
        holding("4S 4D X1 KD"),
        (),
        "A meld G 4S 4D X1",
        "A may meld 4S 4D X1, a group of one rank with a joker in it (R-4.4).",
    ),
    "sequence": Case(
        holding("2H 3H 4H KD", pile="8C"),
        (),
        "A meld R 2H 3H 4H",
        "A may meld 2H 3H 4H, a sequence of one suit (R-3.4).",
    ),
    "sequence with a joker": Case(
        holding("2H X1 4H KD", pile="8C"),
        (),
        "A meld R 2H X1=3H 4H",
        "A may meld 2H X1=3H 4H, a sequence with a joker in a named place (R-4.2).",
    ),
    "lay-off on a sequence": Case(
        holding("4S 3S KD"),
        (),
        "A lay 4S@m1 3S@m1",
        "A may lay off 4S 3S on m1, it continues the sequence (R-5.3).",
    ),
    "lay-off on a group": Case(
        holding("8C KD QD", pile="4H"),
        (),
        "A lay 8C@m2",
        "A may lay off 8C on m2, the group has room for the suit (R-5.2).",
    ),
    "duty met": Case(
        DRAW,
        ("A take 4H",),
        "A meld G 4S 4D 4H",
        "A may meld 4S 4D 4H, a group of one rank in different suits (R-3.2). "
        "With it 4H is on the table, as it had to be (R-6.6).",
    ),
    "all melded": Case(
        holding("4S 4D 4C"),
        (),
        "A meld G 4S 4D 4C",
        "A may meld 4S 4D 4C, a group of one rank in different suits (R-3.2). "
        "A has put everything down and is out (R-7.1).",
    ),
    "all melded, floating": Case(
        holding("4S 4D 4C", opts=FLOATING),
        (),
        "A meld G 4S 4D 4C",
        "A may meld 4S 4D 4C, a group of one rank in different suits (R-3.2). "
        "A has put everything down and floats (12.6).",
    ),
    "swap": Case(
        FAULTY["MUST_MELD_JOKER"].table,
        (),
        "A swap X1@m1 8S",
        "A may put 8S in the place of X1 on m1 (12.11).",
    ),
    "discard": Case(PLAY, (), "A discard KD", "A may end the turn by discarding KD (R-6.9)."),
    "discard after several cards": Case(
        DRAW,
        ("A take 4H", "A meld G 4S 4D 4H"),
        "A discard 8C",
        "A may discard 8C, after several cards from the pile any card will do (R-6.10).",
    ),
    "last discard": Case(
        over(), (), "A discard KD", "A may discard KD, the last card, and is out (R-7.2)."
    ),
    "last discard that can be challenged": Case(
        holding(
            "8S",
            table=MELDS[:1],
            opts={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
        ),
        (),
        "A discard 8S",
        "A discards 8S, the last card, which could be laid off: it may be challenged (12.7).",
    ),
    "challenge": Case(
        holding(
            "8S",
            table=MELDS[:1],
            opts={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
        ),
        ("A discard 8S",),
        DiscardChallenged(seat=2, card="8S", accepted=True, code=None),
        "C may challenge 8S, which can be laid off (12.7).",
    ),
    "draw after a last discard": Case(
        holding(
            "8S",
            table=MELDS[:1],
            opts={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
        ),
        ("A discard 8S",),
        "B stock",
        "Nobody has challenged the last discard, so the draw is not carried out and the deal ends",
    ),
    "refused challenge": Case(
        PLAY,
        ("A discard KD",),
        DiscardChallenged(seat=1, card="KD", accepted=False, code="CHALLENGE_NOT_OPEN"),
        "The challenge by B of KD fell rightly (12.7).",
    ),
    "float": Case(
        holding("", opts=FLOATING, floaters=["A"], pile="4H"),
        (),
        Floated(seat=0),
        "A has no cards and no discard, and floats (12.6).",
    ),
    "call of a meld": Case(
        holding("6H KD", pile="4H 5H"),
        ("A discard 6H",),
        "C rummy 4H",
        "C may call 4H: with only what lies above it, 4H 5H 6H is a meld (R-8.1).",
    ),
    "call of a lay-off": Case(
        CALLS,
        ("A discard 8C",),
        "C rummy 9C",
        "C may call 9C: with only what lies above it, 8C 9C can be laid off on m1 (R-8.1).",
    ),
    "call of the latest discard": Case(
        CALLS | {"opts": {"rummy": "latest_layoff"}},
        ("A discard 8C",),
        "C rummy 8C lay@m1",
        "C may call 8C: with only what lies above it, 8C can be laid off on m1 (V-4a).",
    ),
    "claim": Case(
        CALLS | {"opts": {"rummy_priority": "turn_order"}},
        ("A discard 8C",),
        "C rummy 8C",
        "C may call 8C: with only what lies above it, 8C can be laid off on m1 (R-8.1). "
        "The call stands unless a caller nearer to the discarder follows (R-8.10).",
    ),
    "draw after a claim": Case(
        CALLS | {"opts": {"rummy_priority": "turn_order"}},
        ("A discard 8C", "C rummy 8C"),
        "B stock",
        "The draw closes the window, and the nearest of those who called has the call (R-8.10).",
    ),
    "call in the middle of a turn": Case(
        holding("2H 3H 4H KD", pile="5H", opts={"rummy_window": "also_after_meld"}),
        ("A meld R 2H 3H 4H",),
        "C rummy 5H",
        "C may call 5H: with only what lies above it, 5H can be laid off on m3 (R-8.1). "
        "The call is carried out after this turn's discard (D-R16).",
    ),
    "refused call": Case(
        CALLS,
        ("A discard KD",),
        call("KD", "NOT_CALLABLE"),
        "The call of C for KD fell rightly (R-8.11).",
    ),
    "hand dealt": Case({}, (), Dealt(seat=1, cards=("??",) * 7), "B is due 7 cards (R-1.3)."),
    "end of a deal": Case(
        over(), ("A discard KD",), END, "The deal is over: the last card discarded, by A (R-7.2)."
    ),
    "score": Case(
        over(),
        ("A discard KD", "end"),
        scored(0, -21, -22, totals=(480, -11, -2)),
        "Each has what was put down less what was left in hand (R-9.1).",
    ),
    "next deal": Case(
        over(),
        ("A discard KD", "end", "score"),
        Shuffled(deal=2, dealer=0, method="by hand", deck=("??",) * 54),
        "A is the one to deal (R-1.5).",
    ),
    "won": Case(
        over(totals={"A": 520, "B": 10, "C": 20}),
        ("A discard KD", "end", "score"),
        GameEnded(winner=0, abandoned=False),
        "A has won (R-9.5).",
    ),
    "broken off": Case(
        PLAY,
        (),
        GameEnded(winner=None, abandoned=True),
        "The game may be broken off at any time, nobody wins (R-9.5).",
    ),
    "remark": Case(
        PLAY, (), Remarked(seat=0, text="0" * 64), "This is a fact of the record, no act of play."
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_act_in_words(name: str) -> None:
    state, event = at(LEGAL[name])

    assert RUMMY.judge(state, event) == ()
    assert why(RUMMY, state, event).startswith(LEGAL[name].said)


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_act_in_japanese_words(name: str) -> None:
    state, event = at(LEGAL[name])
    said = why(RUMMY, state, event, lang="ja")

    assert not re.search(r"[a-z]{2,}|[{}?]", said), said
    assert said.endswith("。")


def test_the_players_are_called_by_their_names() -> None:
    state, event = at(LEGAL["top card"])

    assert why(RUMMY, state, event, ["Ann", "Bob", "Cy"]).startswith("Ann may take 8C")
    assert why(RUMMY, state, event, ["花子"], "ja").startswith("花子は8Cを取れます")


@pytest.mark.parametrize("go_out", ["free", "floating", "discard_required"])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_act_of_a_game_has_its_reason(seats: int, go_out: Any) -> None:
    events = play(seats, seats, Ruleset(preset="custom", go_out=go_out))
    state = RUMMY.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        english, japanese = (why(RUMMY, state, event, lang=lang) for lang in ("en", "ja"))
        assert "??" not in english or "??" in str(event)
        assert english.endswith(".")
        assert japanese.endswith("。")
        assert "No rule stands against it" not in english
        state = RUMMY.evolve(state, event)
