"""Acts that the rules of Lanterloo allow, each for another reason, and what is said of it."""

from events.common import (
    DealEnded,
    DealScored,
    Dealt,
    GameEnded,
    Redealt,
    Remarked,
    Shuffled,
)
from events.lanterloo.events import (
    AntePaid,
    Bid,
    FlushClaimed,
    FlushShown,
    Looed,
    MissDealt,
    PenaltyPaid,
    PoolPaid,
    SessionDivided,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from tests.events.lanterloo.table import Table
from tests.projections.why_lanterloo import (
    FLUSH,
    OF_EIGHT,
    Case,
    begun,
    dealt,
    drawing,
    draws,
    eight,
    hands_dealt,
    last_scored,
    leading,
    led,
    many,
    over,
    overtrumped,
    paid_up,
    passed,
    settling,
    shuffled,
    swept,
)

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
