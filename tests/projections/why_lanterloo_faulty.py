"""Each code of the rules of Lanterloo, brought about by one act at one table, and what is said of it."""

from events.common import (
    DealEnded,
    DealScored,
    Dealt,
    GameEnded,
)
from events.lanterloo.events import (
    CardPlayed,
    FlushClaimed,
    Looed,
    MissSeen,
    PoolPaid,
    TrickTaken,
)
from tests.projections.why_lanterloo import (
    OF_EIGHT,
    Case,
    change,
    dealt,
    drawing,
    draws,
    eight,
    last_scored,
    leading,
    led,
    many,
    over,
    paid_up,
    passed,
    settling,
    shuffled,
)

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
