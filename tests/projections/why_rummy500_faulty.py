"""Each code of the rules of 500 Rummy, brought about by one act at one table, and what is said of it."""

from events.common import DealEnded, Dealt, GameEnded, Shuffled
from events.rummy500.events import (
    DiscardChallenged,
    Floated,
    JokerSwapped,
)
from tests.projections.why_rummy500 import (
    CALLS,
    CHALLENGED,
    DRAW,
    HANDS,
    MELDS,
    PLAY,
    SWAP,
    Case,
    call,
    holding,
    over,
    scored,
    two_packs,
)

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
        SWAP,
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
