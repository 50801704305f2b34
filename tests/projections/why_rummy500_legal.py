"""Acts that the rules of 500 Rummy allow, each for another reason, and what is said of it."""

from events.common import Dealt, GameEnded, Remarked, Shuffled
from events.rummy500.events import (
    DiscardChallenged,
    Floated,
)
from tests.projections.why_rummy500 import (
    CALLS,
    DRAW,
    END,
    HANDS,
    MELDS,
    PLAY,
    SWAP,
    Case,
    call,
    holding,
    over,
    scored,
)

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
        SWAP,
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
