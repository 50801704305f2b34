"""Why an act of Lanterloo is legal or not, in words: every code of its rules brought about by one act at one table."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Draw,
    GameEnded,
    Redealt,
    Remarked,
    Shuffled,
)
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Looed,
    LooEvent,
    MissDealt,
    MissSeen,
    PenaltyPaid,
    PoolPaid,
    SessionDivided,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.ruleset import FORMS, PRESETS
from projections import lanterloo_words
from projections.explain import why
from projections.lanterloo_reason_words import ENGLISH as REASONS
from projections.lanterloo_reasons import reasons
from tests.events.lanterloo.table import LOO, Table, drawn_for, opened, play, ruleset, trick
from tests.projections.test_explain import WORDS

RULES = Path(__file__).parents[2] / "docs" / "rules" / "lanterloo.md"
CODE = re.compile(r"`([A-Z]+(?:_[A-Z]+)+)`")
# What looks like a code on the rules page, and is the name of a kind of hand.
NO_CODES = {"PAM_FLUSH", "TRUMP_FLUSH", "PLAIN_FLUSH", "PAM_BLAZE"}

THREE = ("AS KS QS", "2D 3D 4D", "5C 6C 7C")
FIVE = ("AS KS QS 2D 3D", "2S 3S 4S AD KD", "5S 6S 7S 4D 5D")
FLUSH = ("AH KH 9H 4H 2H", "2S 3S 4S AD KD", "5S 6S 7S 4D 5D")


class Case(NamedTuple):
    """What makes the table, the act that is asked about, and what is said of it in English."""

    table: Callable[[], Table]
    act: str | LooEvent
    said: str


def dealt(form: Any = "loo3", *hands: str, up: str = "2H", stock: str = "", **opts: Any) -> Table:
    """A hand dealt between A, B and C, who deals; A is asked first, and no hand is forced."""
    seats = hands or (FIVE if form == "loo5" else THREE)
    miss = "8H 9H TH" if form == "loo3" else ""
    table = Table(form, 3, **{"force": "off"} | opts)
    return table.deal(*seats, up=up, miss=miss, stock=stock)


def led(card: str, hand: str, form: Any = "loo3", trump: str = "H", **opts: Any) -> Table:
    """A has led this card, B with this hand follows."""
    civil = opts.pop("said", False)
    table = Table(form, 3, **opts)
    return table.position(
        "", hand, "9C", trump=trump, turn=1, trick=trick(f"A:{card}", civil=civil)
    )


def leading(hand: str, form: Any = "loo3", tricks: Any = (0, 0, 0), **opts: Any) -> Table:
    """A leads from this hand, hearts being trumps."""
    return Table(form, 3, **opts).position(hand, "2S 3S 4S", "5S 6S 7S", tricks=tricks)


def settling(form: Any = "loo3", tricks: Any = (2, 1, 0), pool: int = 9, **opts: Any) -> Table:
    """All tricks are played and have to be settled."""
    return Table(form, 3, **opts).position("", "", "", tricks=tricks, pool=pool)


def passed(form: Any = "loo3", *says: str, **opts: Any) -> Table:
    return dealt(form, **opts).do(*says)


def begun(form: Any = "loo3", **opts: Any) -> Table:
    """A session of which nothing has happened."""
    return Table(form, 3, **opts)


def shuffled(**opts: Any) -> Table:
    table = begun(**opts)
    return table.record(LOO.due(table.state)[0])


def drawing(**opts: Any) -> Table:
    table = begun(**opts)
    table.state = LOO.initial(drawn_for(opened(3, ruleset("loo3", **opts))))
    return table


PACK = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
OF_EIGHT = [PACK[seat::8][:5] for seat in range(8)]


def eight(*acts: str, **opts: Any) -> Table:
    """Eight at five cards, so that the stock holds eleven."""
    table = Table("loo5", 8, flush_autoclaim=False, **opts)
    return table.deal(*map(" ".join, OF_EIGHT), up=PACK[-1]).do(*acts)


def many(seat: int, count: int) -> str:
    """The words with which one of the eight changes so many cards."""
    return f"{'ABCDEFGH'[seat]} exchange {' '.join(OF_EIGHT[seat][:count])}"


def swept(form: Any = "loo5", **opts: Any) -> Table:
    """A's flush is open, and the others have to pay."""
    return Table(form, 3, **opts).position(*FLUSH, pool=15).settle("show")


def over(**opts: Any) -> Table:
    return settling(**opts).settle("settle")


def paid_up(table: Table, until: type[LooEvent]) -> Table:
    """The table once a fact of this kind is due."""
    while not isinstance(LOO.due(table.state)[0], until):
        table.record(LOO.due(table.state)[0])
    return table


def hands_dealt(form: Any = "loo3", **opts: Any) -> Table:
    """Cards that nobody knows are dealt, and trumps are to be turned up."""
    table = Table(form, 3, **opts)
    return table.record(LOO.due(table.state)[0]).settle("ante", "deal")


def last_scored(*tricks: int) -> Table:
    """The last deal of the only round is scored, and A and B share a pool of nine."""
    table = Table("loo3", 3)
    table.position(
        "", "", "", deal=3, tricks=(*tricks, 0), pool=9, declared=("stand", "stand", "pass"),
        balances=(0, 3, -12),
    )  # fmt: skip
    return table.settle("settle", "over")


def overtrumped() -> Table:
    """C, void of the spades led, cannot beat the trump that B has played."""
    table = Table("loo3", 3, must_undertrump=True)
    return table.position("", "", "5H 4H KC", turn=2, trick=trick("A:9S", "B:7H"))


def change(seat: int, cards: str = "", drawn: str = "") -> Exchanged:
    return Exchanged(seat=seat, put_out=tuple(cards.split()), drawn=tuple(drawn.split()))


def draws(cards: str, dealer: int | None) -> DealerDrawn:
    shown = tuple(Draw(seat, card) for seat, card in enumerate(cards.split()))
    return DealerDrawn(draws=shown, dealer=dealer)


FAULTY: dict[str, Case] = {
    # declaring
    "DECLARATION_IS_FINAL": Case(
        lambda: passed("loo3", "A play"),
        "A pass",
        "A had declared already: stand, then pass (L-4.2).",
    ),
    "MUST_PLAY": Case(
        lambda: dealt(force="single_pool"),
        "A pass",
        "A had to play: nobody may pass in this hand (L-5.1).",
    ),
    "MISS_NOT_AVAILABLE": Case(
        lambda: passed("loo3", "A miss"),
        "B miss",
        "B could not have the miss: no miss to take (L-4.6).",
    ),
    "MISS_IS_HIDDEN": Case(
        dealt, MissSeen(seat=1), "B looked at the miss without having taken it (L-4.7)."
    ),
    "EXCHANGE_ONCE": Case(
        lambda: dealt("irish").do("A exchange QS"),
        change(0, "KS", "??"),
        "A had changed cards already (L-4.3).",
    ),
    "MUST_PLAY_AFTER_EXCHANGE": Case(
        lambda: dealt("irish").do("A exchange QS"),
        "A pass",
        "A had changed cards and had to play (L-4.3).",
    ),
    "EXCHANGE_NOT_ALLOWED": Case(
        dealt, change(0, "QS", "??"), "A could not change cards in this hand (L-4.3)."
    ),
    "STOCK_SHORT": Case(
        lambda: eight(many(0, 5), many(1, 4)),
        change(2, " ".join(OF_EIGHT[2][:3]), "?? ?? ??"),
        "C asked for more cards than the stock holds: expected at most 2, found 3 (L-4.4).",
    ),
    "DEALER_MUST_DEFEND": Case(
        lambda: passed("loo3", "A pass", "B play", lone_vs_dealer="must_defend"),
        "C pass",
        "C dealt and had to defend the pool against the one stander: stand, miss or defend (L-4.8).",
    ),
    # flushes
    "NO_SUCH_FLUSH": Case(
        lambda: passed("loo5", "A play", "B play", "C play", flush_autoclaim=False),
        FlushClaimed(seat=0, cards=("AS", "KS", "QS", "2D", "3D")),
        "A had no such flush to show: expected a flush, found AS KS QS 2D 3D (L-6.1).",
    ),
    "FLUSH_TOO_LATE": Case(
        lambda: passed("loo5", "A play", "B play", "C play", flush_autoclaim=False).do("A AS"),
        FlushClaimed(seat=1, cards=("2S", "3S", "4S", "AD", "KD")),
        "B came too late with a flush: it must be shown before the first lead (L-6.5).",
    ),
    # playing
    "NOT_YOUR_TURN": Case(
        lambda: leading("KS 2S 3D"), "C 5S", "C acted out of turn: it was the turn of A (L-7.1)."
    ),
    "NOT_IN_HAND": Case(
        lambda: leading("KS 2S 3D"),
        "A KD",
        "A did not hold that card: KD is not among KS 2S 3D (15.1).",
    ),
    "MUST_FOLLOW": Case(
        lambda: led("KS", "4S 5H 6D"),
        "B 6D",
        "B had to follow suit: 6D was played, 4S could be (L-8.4).",
    ),
    "MUST_HEAD": Case(
        lambda: led("9S", "KS 3S AD"),
        "B 3S",
        "B had to head the trick: 3S was played, KS could be (L-8.4).",
    ),
    "MUST_LEAD_TRUMP": Case(
        lambda: leading("KH 4H AS"),
        "A AS",
        "A had to lead a trump: AS was led, KH 4H could be (L-8.1).",
    ),
    "MUST_LEAD_ACE": Case(
        lambda: leading("AH 4H AS", lead_ace="ace_or_king"),
        "A 4H",
        "A had to lead the ace of trumps, or the king where the ace is turned up: 4H was led, not AH (L-8.2).",
    ),
    "PAM_BE_CIVIL": Case(
        lambda: led("AH", "JC 4H 3S", "loo5", said=True),
        "B JC",
        "B had to let the ace of trumps pass: JC was played (L-7.6).",
    ),
    # dealer's and scorer's facts
    "DEAL_COUNT": Case(
        lambda: shuffled().settle("ante"),
        Dealt(seat=0, cards=("??",) * 4),
        "The number of cards is not what was due: expected 3, found 4 (L-2.3).",
    ),
    "DRAW_NOT_TOP": Case(
        lambda: dealt("irish", stock="9H"),
        change(0, "QS", "TH"),
        "That card was not the next of the stock: expected 9H, found TH (L-4.3).",
    ),
    "CARD_TWICE": Case(
        lambda: shuffled().settle("ante").record(Dealt(seat=0, cards=("AS", "??", "??"))),
        Dealt(seat=1, cards=("AS", "??", "??")),
        "There are more cards than the pack holds: expected 1 of AS, found 2 of AS (15.1).",
    ),
    "DEALER_WRONG": Case(
        drawing,
        draws("4S AD KH", 0),
        "Another deal or dealer was due: expected B, found A (L-2.1).",
    ),
    "TRICK_WRONG": Case(
        lambda: leading("KS 2S 3D").record("A KS", "B 4S", "C 7S"),
        TrickTaken(seat=2, trick=1),
        "The trick went to another: expected trick 1 to A, found trick 1 to C (L-7.5).",
    ),
    "AMOUNT_WRONG": Case(
        settling,
        PoolPaid(seat=0, amount=7, paid_for="tricks"),
        "The amount is not what was due from or to A: expected 6, found 7 (L-9.2).",
    ),
    "LOOED_WRONG": Case(
        lambda: paid_up(settling(), Looed),
        Looed(seat=1, amount=3, to=None),
        "Another was looed: expected C, found B (L-9.3).",
    ),
    "POOL_WRONG": Case(
        over,
        DealScored(deal=2, scores=(6, 3, -3), totals=(6, 3, -2)),
        "The pool does not come out: expected -3, found -2 (15.3).",
    ),
    "WINNER_WRONG": Case(
        lambda: last_scored(1, 2),
        GameEnded(winner=0, abandoned=False),
        "The game did not end so: expected B, found A (L-9.7).",
    ),
    "DEAL_END_WRONG": Case(
        lambda: paid_up(settling(), DealEnded),
        DealEnded(deal=2, reason="CARRIED", out=None),
        "The deal did not end so: expected deal 2 with the tricks played, found deal 2 with the pool carried over (L-9.6).",
    ),
    "NO_SUCH_SEAT": Case(
        lambda: leading("KS 2S 3D"),
        CardPlayed(seat=5, card="KS", civil=False),
        "This table has no such seat: expected seats A to C (L-1.1).",
    ),
}


LEGAL: dict[str, Case] = {
    # declaring
    "LOO_STAND": Case(
        dealt, "A play", "A may stand, who must then take a trick or be looed (L-4.1)."
    ),
    "LOO_STAND_FORCED": Case(
        lambda: dealt(force="single_pool"),
        "A play",
        "A stands, as all must in a bold stand (L-5.1).",
    ),
    "LOO_STAND_CLUB_LAW": Case(
        lambda: dealt(up="2C", club_law=True),
        "A play",
        "A stands, as all must when clubs are turned up (L-5.5).",
    ),
    "LOO_PASS": Case(
        dealt,
        "A pass",
        "A may give up the hand, at no cost and with nothing to win (L-4.1).",
    ),
    "LOO_SURRENDER": Case(
        lambda: passed("loo3", "A pass"),
        "B pass",
        "Nobody has stood, and with this pass the pool goes to C (L-4.8).",
    ),
    "LOO_MISS": Case(
        dealt,
        "A miss",
        "A may have the miss, which nobody has taken, and must play it (L-4.6).",
    ),
    "LOO_MISS_ELDEST": Case(
        lambda: dealt(force="single_pool"),
        "A miss",
        "A is eldest, who alone may have the miss in a bold stand (L-5.2).",
    ),
    "LOO_DEFEND": Case(
        lambda: passed("loo3", "A pass", "B play", lone_vs_dealer="must_defend"),
        "C defend",
        "C dealt and may take the miss to defend the pool against one stander (L-4.8).",
    ),
    "LOO_IN_VAIN": Case(
        lambda: dealt().record("A pass", "B pass"),
        Bid(seat=2, choice="stand", cards=()),
        "The pool has fallen to C already, so the word has no effect (L-4.5).",
    ),
    "LOO_EXCHANGE": Case(
        lambda: dealt("irish"),
        "A exchange QS KS",
        "A stands, and may change 2 of the cards in hand once (L-4.3).",
    ),
    "LOO_KEEPS": Case(
        lambda: dealt("irish"), "A exchange", "A stands and keeps the hand as it is (L-4.3)."
    ),
    "LOO_RENEW": Case(
        lambda: eight(many(0, 5), many(1, 4), "C pass", exchange_shortage="recycle_passed"),
        StockRenewed(seat=3, cards=tuple(OF_EIGHT[2])),
        "The stock is short, so the hands of those who passed are dealt again (L-4.4).",
    ),
    # flushes
    "LOO_FLUSH": Case(
        lambda: Table("loo5", 3).position(*FLUSH),
        FlushShown(seat=0, kind="trump_flush", cards=tuple(FLUSH[0].split())),
        "A has a flush of trumps: AH KH 9H 4H 2H (L-6.5).",
    ),
    "LOO_NO_CLAIM": Case(
        lambda: (
            Table("loo5", 3, flush_autoclaim=False)
            .position(*FLUSH)
            .record(FlushClaimed(seat=0, cards=tuple(FLUSH[0].split())))
        ),
        FlushClaimed(seat=1, cards=()),
        "B has no flush to show (L-6.5).",
    ),
    # leading
    "LOO_LEAD_ANY": Case(
        lambda: leading("KH 4H AS", "loo5"),
        "A AS",
        "A may lead AS, any card may be led at five cards (L-7.2).",
    ),
    "LOO_LEAD_FREE": Case(
        lambda: leading("KH 4D AS"), "A AS", "A may lead AS, no duty binds this lead (L-8.1)."
    ),
    "LOO_LEAD_TWO": Case(
        lambda: leading("KH 4H AS"),
        "A 4H",
        "A has two trumps or more and must lead one, which 4H is (L-8.1).",
    ),
    "LOO_LEAD_ACE": Case(
        lambda: leading("AH 4H AS", lead_ace="ace_or_king"),
        "A AH",
        "A must lead AH, the best trump that there is (L-8.2).",
    ),
    "LOO_LEAD_TRUMP_AGAIN": Case(
        lambda: leading("4H AS", tricks=(1, 0, 0), trump_after_trick=True),
        "A 4H",
        "A has won a trick and must lead a trump, which 4H is (L-8.3).",
    ),
    "LOO_CIVIL": Case(
        lambda: leading("AH 4D AS", "loo5"),
        "A AH civil",
        "A may lead AH, any card may be led at five cards (L-7.2). With these words Pam has to let the ace of trumps pass (L-7.6).",
    ),
    # following
    "LOO_FOLLOW": Case(
        lambda: led("9S", "KS 3S AD", "loo5"), "B 3S", "B may play 3S, it follows suit (L-7.3)."
    ),
    "LOO_FOLLOW_HEADS": Case(
        lambda: led("9S", "KS 3S AD"),
        "B KS",
        "B may play KS, it follows suit and heads the trick (L-8.4).",
    ),
    "LOO_FOLLOW_LOW": Case(
        lambda: led("9S", "8S 3S AD"),
        "B 3S",
        "B may play 3S, it follows suit and no card of it could win (L-8.4).",
    ),
    "LOO_TRUMPS": Case(
        lambda: led("9S", "4H 3D AD"),
        "B 4H",
        "B cannot follow suit and heads the trick with a trump, 4H (L-8.4).",
    ),
    "LOO_UNDERTRUMPS": Case(
        overtrumped, "C 4H", "C cannot follow suit or win, and plays a trump, 4H (L-8.4)."
    ),
    "LOO_VOID": Case(
        lambda: led("9S", "4H 3D AD", "loo5"),
        "B 3D",
        "B cannot follow suit and may play any card, 3D too (L-7.3).",
    ),
    "LOO_VOID_LOW": Case(
        lambda: led("9S", "4C 3D AD"),
        "B 3D",
        "B can neither follow suit nor win, so 3D may be played (L-8.4).",
    ),
    "LOO_PAM_FREE": Case(
        lambda: led("9S", "JC 3S AD", "loo5", pam_suit="free"),
        "B JC",
        "B may play Pam at any time (L-3.2).",
    ),
    "LOO_PAM_FOLLOWS": Case(
        lambda: led("9H", "JC 3H AD", "loo5"),
        "B JC",
        "B may play Pam, who belongs to the suit led and beats all (L-7.4).",
    ),
    "LOO_PAM_TRUMPS": Case(
        lambda: led("9S", "JC 3H AD", "loo5"),
        "B JC",
        "B cannot follow suit, and Pam beats all (L-7.4).",
    ),
    "LOO_PAM_LAST": Case(
        lambda: led("AH", "JC", "loo5", said=True), "B JC", "B has no card left but Pam (L-7.6)."
    ),
    "LOO_PAM_WAITS": Case(
        lambda: led("AH", "JC 3H AD", "loo5", said=True),
        "B 3H",
        "B may play 3H, it follows suit (L-7.3). Pam has been asked to be civil and is kept back (L-7.6).",
    ),
    # dealer's and scorer's facts
    "OK_SHUFFLE": Case(
        begun,
        Shuffled(deal=1, dealer=2, method="by hand", deck=("??",) * 52),
        "C is the one to deal (L-1.3).",
    ),
    "OK_DEALT": Case(
        lambda: shuffled().settle("ante"),
        Dealt(seat=0, cards=("??",) * 3),
        "A is due 3 cards (L-2.3).",
    ),
    "OK_REDEALT": Case(
        shuffled,
        Redealt(reason="CARD_FACED"),
        "The deal is void, the same dealer deals again (L-12.2).",
    ),
    "OK_DEAL_ENDED": Case(
        lambda: paid_up(settling(), DealEnded),
        DealEnded(deal=2, reason="PLAYED", out=None),
        "The deal is over: the tricks played (L-9.6).",
    ),
    "OK_FACT": Case(
        dealt,
        Remarked(seat=0, text="0" * 64),
        "This is a fact of the record, no act of play.",
    ),
    "LOO_ANTE": Case(
        shuffled,
        AntePaid(seat=2, amount=3),
        "C deals and alone pays an ante, which is 3 (L-2.2).",
    ),
    "LOO_ANTE_ALL": Case(
        lambda: shuffled(ante_by="all_dealer_double"),
        AntePaid(seat=2, amount=6),
        "All pay an ante, the dealer two, and C pays 6 (L-2.2).",
    ),
    "LOO_MISS_DEALT": Case(
        lambda: shuffled().settle("ante"),
        MissDealt(cards=("??",) * 3),
        "A spare hand of 3 cards is dealt (L-2.3).",
    ),
    "LOO_TURN_UP": Case(
        lambda: hands_dealt(force="off"),
        TurnUp(card="2H"),
        "2H is turned up and makes trumps (L-2.4).",
    ),
    "LOO_PAM_TURNED": Case(
        lambda: hands_dealt("loo5"),
        TurnUp(card="JC"),
        "JC is turned up and makes trumps (L-2.4). Pam is out of play in this hand (L-3.3).",
    ),
    "LOO_BOLD_STAND": Case(
        hands_dealt,
        TurnUp(card="2H"),
        "2H is turned up and makes trumps (L-2.4). The pool is only the antes, so all must play (L-5.1).",
    ),
    "LOO_CLUB_LAW": Case(
        lambda: hands_dealt(club_law=True),
        TurnUp(card="2C"),
        "2C is turned up and makes trumps (L-2.4). Clubs are turned up, so all must play (L-5.5).",
    ),
    "LOO_DRAWN_LOWEST": Case(
        drawing, draws("4S AD KH", 1), "B drew the lowest card and deals first (L-2.1)."
    ),
    "LOO_DRAWN_HIGHEST": Case(
        lambda: drawing(first_dealer="highest_card"),
        draws("4S AD KH", 2),
        "C drew the highest card and deals first (L-2.1).",
    ),
    "LOO_DRAWN_KNAVE": Case(
        lambda: drawing(first_dealer="first_knave"),
        draws("4S JD", 1),
        "B drew the first knave and deals first (L-2.1).",
    ),
    "LOO_DRAWN_TIE": Case(
        drawing,
        draws("4S 4D KH", None),
        "The cards drawn are equal, so there is another draw (L-2.1).",
    ),
    "LOO_TRICK_TRUMP": Case(
        lambda: led("9S", "4H 3D AD").record("B 4H", "C 9C"),
        TrickTaken(seat=1, trick=1),
        "B takes the trick, 4H is the highest trump in it (L-7.5).",
    ),
    "LOO_TRICK_SUIT": Case(
        lambda: led("9S", "4C 3D AD").record("B 4C", "C 9C"),
        TrickTaken(seat=0, trick=1),
        "A takes the trick, 9S is the highest of the suit led (L-7.5).",
    ),
    "LOO_SHARE": Case(
        settling,
        PoolPaid(seat=0, amount=6, paid_for="tricks"),
        "A is paid 6 for 2 of 3 tricks (L-9.2).",
    ),
    "LOO_WALK_OVER": Case(
        lambda: dealt().record("A pass", "B pass"),
        PoolPaid(seat=2, amount=3, paid_for="walk_over"),
        "C has the pool of 3 without play, as nobody else stands (L-4.5).",
    ),
    "LOO_SWEEP": Case(
        swept,
        PoolPaid(seat=0, amount=15, paid_for="flush"),
        "A sweeps the pool with the best flush and is paid 15 (L-6.4).",
    ),
    "LOO_LOOED": Case(
        lambda: paid_up(settling(), Looed),
        Looed(seat=2, amount=3, to=None),
        "C stood, took no trick and is looed, which costs 3 (L-9.3).",
    ),
    "LOO_LOOED_BOARD": Case(
        lambda: paid_up(settling(stakes="unlimited"), Looed),
        Looed(seat=2, amount=9, to=None),
        "C stood, took no trick and is looed the board, which costs 9 (L-9.5).",
    ),
    "LOO_LOOED_FLUSH": Case(
        lambda: paid_up(swept(), Looed),
        Looed(seat=1, amount=5, to=None),
        "B is looed by the flush, which costs 5 (L-6.4).",
    ),
    "LOO_PENALTY": Case(
        lambda: led("KS", "4S 5H 6D", on_violation="loo").record("B 6D"),
        PenaltyPaid(seat=1, amount=3, to="next", reason="MUST_FOLLOW"),
        "B pays 3 for an irregularity: not following suit (L-12.2).",
    ),
    "LOO_DIVIDED": Case(
        dealt,
        SessionDivided(shares=(1, 1, 1)),
        "The session is broken off, and the pool is divided equally (L-10.3).",
    ),
    "LOO_SCORED": Case(
        over,
        DealScored(deal=2, scores=(6, 3, -3), totals=(6, 3, -3)),
        "Each has what came out of the pool less what was paid into it (L-9.7).",
    ),
    "LOO_WON": Case(
        lambda: last_scored(1, 2),
        GameEnded(winner=1, abandoned=False),
        "The rounds are over and nobody was looed; B has the most chips (L-10.2).",
    ),
    "LOO_NOBODY_AHEAD": Case(
        lambda: last_scored(2, 1),
        GameEnded(winner=None, abandoned=False),
        "The rounds are over and nobody was looed; several have the most (L-10.2).",
    ),
    "LOO_ABANDONED": Case(
        begun,
        GameEnded(winner=None, abandoned=True),
        "A session may be broken off at any time, once the pool is divided (L-10.3).",
    ),
}


OF_THE_PAGE = set(CODE.findall(RULES.read_text(encoding="utf-8"))) - NO_CODES


def at(case: Case) -> tuple[Any, LooEvent]:
    """Return the table of a case and its act."""
    table = case.table()
    return table.state, table.read(case.act) if isinstance(case.act, str) else case.act


def test_every_code_of_the_rules_page_has_its_case() -> None:
    assert {"MUST_HEAD", "DEALER_MUST_DEFEND", "POOL_WRONG"} <= OF_THE_PAGE
    assert OF_THE_PAGE - FAULTY.keys() == set()


def test_every_code_of_loo_in_the_tables_has_its_case() -> None:
    of_rulesets = {"AMOUNT_INDIVISIBLE", "TOO_FEW_PLAYERS"}
    assert set(lanterloo_words.ENGLISH) - of_rulesets <= FAULTY.keys()
    assert set(REASONS) <= LEGAL.keys()


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_words(code: str) -> None:
    state, event = at(FAULTY[code])

    assert LOO.judge(state, event)[0].code == code
    assert why(LOO, state, event) == FAULTY[code].said


@pytest.mark.parametrize("code", LEGAL)
def test_a_legal_act_in_words(code: str) -> None:
    state, event = at(LEGAL[code])

    assert LOO.judge(state, event) == ()
    assert code in {reason.code for reason in reasons(state, event)}
    assert why(LOO, state, event) == LEGAL[code].said


@pytest.mark.parametrize("code", [*FAULTY, *LEGAL])
def test_the_same_in_japanese_words(code: str) -> None:
    state, event = at(FAULTY.get(code) or LEGAL[code])
    said = why(LOO, state, event, lang="ja")

    assert not WORDS.search(said), said
    assert "_" not in said
    assert said.endswith("。")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("opts", [{}, {"stakes": "unlimited", "club_law": True}])
def test_every_act_of_a_session_has_its_reason(form: Any, opts: Any) -> None:
    events = play(7, 4, ruleset(form, **opts), deals=6)
    state = LOO.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        english, japanese = (why(LOO, state, event, lang=lang) for lang in ("en", "ja"))
        assert "??" not in english
        assert english.endswith(".")
        assert japanese.endswith("。")
        assert "No rule stands against it" not in english
        state = LOO.evolve(state, event)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_act_that_a_book_allows_has_its_reason(preset: str) -> None:
    events = play(11, 5, PRESETS[preset], deals=4)
    state = LOO.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        for seat in range(state.seats):
            for act in LOO.legal(state, seat):
                (first, *_) = reasons(state, act)
                assert first.code in REASONS, (act, first)
        state = LOO.evolve(state, event)
