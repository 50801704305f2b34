"""Calling "Rummy!": when, who, what is taken and what follows (section 8, V-4)."""

from typing import Any

import pytest

from events.rummy500.events import DiscardChallenged, Placement, RummyCalled
from tests.events.rummy500.helpers import Table

SIX: dict[str, Any] = {
    "players": 4,
    "phase": "play",
    "pile": "2C",
    "hands": {"A": "6S KD 3H", "B": "4D 5D", "C": "QS JH 6H 6D", "D": "KC QD"},
    "table": ["m1:R[7S 8S 9S]@C"],
}
KINGS: dict[str, Any] = {
    "players": 4,
    "phase": "play",
    "pile": "5C AH KS 3H QS 4D 9S",
    "hands": {"A": "JS 2D 7C", "B": "8C 8D", "C": "6C TH", "D": "TC TD"},
}


def call(seat: int, card: str, cards: str = "", lay: Placement | None = None) -> RummyCalled:
    taken = tuple(cards.split())
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=taken, lay=lay)


def test_the_window_is_open_between_discard_and_draw() -> None:
    """R-8.3."""
    table = Table(**SIX).refuses("C rummy 2C", "NO_CALL_WINDOW", "R-8.3")
    table.do("A discard 6S")
    assert table.callable == "6S"
    table.do("B stock").refuses("C rummy 6S", "NO_CALL_WINDOW", "R-8.3")


def test_anybody_may_call_but_the_discarder() -> None:
    """R-8.2."""
    table = Table(**SIX).do("A discard 6S")
    table.refuses("A rummy 6S", "CALLER_IS_DISCARDER", "R-8.2")
    for name in "BCD":
        assert table.codes(f"{name} rummy 6S") == []


def test_an_accepted_call_closes_the_window_and_is_the_whole_turn() -> None:
    """R-8.6, R-8.7: play goes on to the left of the caller."""
    table = Table(**SIX).do("A discard 6S", "C rummy 6S")
    table.refuses("D rummy 6S", "NO_CALL_WINDOW")
    table.refuses("C stock", "NOT_DRAW_PHASE")
    table.refuses("C discard QS", "MUST_MELD_DEEP_CARD", "R-8.5")
    table.do("C lay 6S@m1", "C discard QS")
    assert (table.turn, table.state.phase, table.pile) == ("D", "window", "2C QS")


def test_no_hand_card_makes_a_card_callable_but_then_it_may_be_used() -> None:
    """R-8.1, R-8.5, DP-34."""
    bare = Table(**SIX | {"table": []}).do("A discard 6S")
    bare.refuses("C rummy 6S", "NOT_CALLABLE", "R-8.1")
    table = Table(**SIX).do("A discard 6S", "C rummy 6S", "C meld G 6S 6H 6D", "C discard QS")
    assert table.hand("C") == "JH"


def test_the_caller_takes_everything_above_the_named_card() -> None:
    """R-8.4."""
    table = Table(**KINGS).do("A discard JS")
    assert table.callable == "KS"
    for wrong in ("KS", "KS 3H QS 4D JS", "KS 9S JS", "KS 3H QS 4D 9S"):
        table.refuses(call(2, "KS", wrong), "NOT_IN_PILE", "R-8.4")
    table.refuses("C rummy TD", "NOT_IN_PILE", "R-8.4")
    table.refuses("B rummy QS", "NOT_CALLABLE")
    table.do("C rummy KS", "C meld R JS QS KS", "C discard 6C")
    assert (table.pile, table.turn) == ("5C AH 6C", "D")


def test_a_card_stays_callable_until_it_is_taken() -> None:
    """R-8.9."""
    table = Table(**SIX).do("A discard 6S", "B stock 2H", "B discard 2H")
    table.do("A rummy 6S", "A lay 6S@m1", "A discard KD")
    assert table.turn == "B"


def test_a_joker_in_the_pile_is_callable_and_must_be_declared() -> None:
    """R-8.1, R-4.2."""
    table = Table(**SIX | {"hands": {"A": "X1 KD", "B": "4D 5D", "C": "QS JH", "D": "KC"}})
    table.do("A discard X1", "C rummy X1").refuses("C lay X1@m1", "JOKER_UNDECLARED", "R-4.2")
    table.do("C lay X1=TS@m1", "C discard QS")


def test_a_call_keeps_a_deal_alive_when_the_stock_is_empty() -> None:
    """R-8.12."""
    table = Table(**SIX | {"stock": 0}).do("A discard 6S", "C rummy 6S", "C lay 6S@m1")
    table.do("C discard QS")
    assert (table.state.phase, table.turn) == ("window", "D")


def test_no_call_when_the_deal_has_ended() -> None:
    """R-8.8."""
    table = Table(**SIX | {"hands": {"A": "6S", "B": "4D", "C": "QS", "D": "KC"}})
    table.do("A discard 6S").refuses("C rummy 6S", "HAND_OVER", "R-8.8")


def test_a_player_may_go_out_on_a_call() -> None:
    """R-8.6, DP-35."""
    hands = {"A": "6S KD 3H", "B": "4D 5D", "C": "TH TC TD QS", "D": "KC QD"}
    table = Table(**SIX | {"hands": hands})
    table.do("A discard 6S", "C rummy 6S", "C lay 6S@m1", "C meld G TH TC TD", "C discard QS")
    assert (table.state.ended, table.state.out) == ("DISCARDED_OUT", 2)


def test_a_call_that_could_leave_no_discard_is_refused() -> None:
    """V-5, R-8.6."""
    opts = {"go_out": "discard_required"}
    hands = {"A": "6S KD 3H", "B": "4D 5D", "C": "", "D": "KC QD"}
    table = Table(**SIX | {"hands": hands, "opts": opts}).do("A discard 6S")
    table.refuses("C rummy 6S", "MUST_KEEP_DISCARD", "V-5")
    assert table.codes("D rummy 6S") == []


def test_a_full_call_names_no_meld() -> None:
    """A call that says where the card goes is a lay-off call (V-4a): no way around taking the turn."""
    table = Table(**SIX).do("A discard 6S")
    before = table.state
    for meld in (1, 7):
        table.refuses(call(2, "6S", "6S", Placement("6S", meld, "low")), "NO_SUCH_MELD", "V-4a")
    assert table.state == before


def test_a_refused_call_changes_nothing_and_breaks_nothing() -> None:
    """R-8.11."""
    table = Table(**SIX).do("A discard 6S")
    before = table.state
    fallen = RummyCalled(seat=2, card="2C", accepted=False, code="NOT_CALLABLE", cards=(), lay=None)
    assert table.judge(fallen) == ()
    assert table.record(fallen).state == before
    table.do("C rummy 6S")


def test_without_calls_there_are_none() -> None:
    """V-4b; before the window is looked at."""
    table = Table(**SIX | {"opts": {"rummy": "none"}})
    table.refuses("C rummy 2C", "CALLS_DISABLED", "V-4b")
    table.do("A discard 6S").refuses("C rummy 6S", "CALLS_DISABLED", "V-4b")
    assert table.callable == ""


LATEST = SIX | {
    "opts": {"rummy": "latest_layoff"},
    "hands": {"A": "TS KD 3H", "B": "4D 5D", "C": "QS JH", "D": "KC QD"},
    "pile": "6S 4H",
}


def test_only_the_latest_discard_goes_down_alone_and_the_turn_stays() -> None:
    """V-4a."""
    table = Table(**LATEST).do("A discard TS")
    assert table.callable == "TS"
    table.refuses("A rummy TS lay@m1", "CALLER_IS_DISCARDER")
    table.refuses("D rummy 6S lay@m1", "NOT_CALLABLE", "V-4a")
    table.do("D rummy TS lay@m1")
    assert (table.turn, table.state.phase, table.pile) == ("B", "window", "6S 4H")
    assert table.hand("D") == "KC QD"
    table.refuses("C rummy 6S lay@m1", "NOT_CALLABLE")
    table.refuses("C rummy 4H lay@m1", "NOT_CALLABLE")
    table.do("B take 4H", "B discard 4D")


@pytest.mark.parametrize(
    ("lay", "code"),
    [
        (None, "NO_SUCH_MELD"),
        (Placement("TS", 7, None), "NO_SUCH_MELD"),
        (Placement("6S", 1, "low"), "NO_SUCH_MELD"),
        (Placement("TS", 1, "low"), "RUN_END"),
    ],
    ids=["unnamed", "unknown", "another card", "wrong end"],
)
def test_a_lay_off_call_says_where_its_card_goes(lay: Placement | None, code: str) -> None:
    table = Table(**LATEST).do("A discard TS")
    table.refuses(call(3, "TS", "", lay), code)


def test_a_lay_off_call_takes_that_one_card() -> None:
    table = Table(**LATEST).do("A discard TS")
    place = Placement("TS", 1, "high")
    table.refuses(call(3, "TS", "4H TS", place), "NOT_IN_PILE", "V-4a")
    assert table.codes(call(3, "TS", "TS", place)) == []


def test_a_lay_off_call_is_written_without_prime_too() -> None:
    """At two packs a copy written without its prime means either; the very card goes down."""
    hands = {"A": "TS' KD 3H", "B": "4D 5D", "C": "QS JH", "D": "KC QD", "E": "2D"}
    table = Table(**LATEST | {"players": 5, "hands": hands}).do("A discard TS'")
    table.do("D rummy TS lay@m1")
    assert [laid.card for laid in table.state.table[0].cards] == ["7S", "8S", "9S", "TS'"]
    assert table.state.surplus == ()
    assert table.pile == "6S 4H"


def test_a_position_may_begin_in_a_window() -> None:
    table = Table(
        players=4,
        phase="window",
        turn="B",
        discarder="D",
        pile="2C 6S",
        hands={"A": "KD", "B": "4D", "C": "QS JH", "D": "KC"},
        table=["m1:R[7S 8S 9S]@C"],
    )
    table.refuses("D rummy 6S", "CALLER_IS_DISCARDER")
    table.do("A rummy 6S", "A lay 6S@m1", "A discard KD")
    assert table.state.ended == "DISCARDED_OUT"


DISCARD: dict[str, Any] = {
    "players": 5,
    "phase": "play",
    "turn": "B",
    "hands": {"A": "2S", "B": "6S KD", "C": "KC QC", "D": "KH QH", "E": "3D 4D"},
    "table": ["m1:R[7S 8S 9S]@A"],
}


def test_cr_65_two_calls_for_the_same_discard() -> None:
    """R-8.10, the case book's note: E called first, C sits nearer to the discarder B."""
    first = Table(**DISCARD).do("B discard 6S", "E rummy 6S")
    assert first.turn == "E"
    first.refuses("C rummy 6S", "NO_CALL_WINDOW", "R-8.3")
    nearest = Table(opts={"rummy_priority": "turn_order"}, **DISCARD)
    nearest.do("B discard 6S", "E rummy 6S").do("C rummy 6S")
    assert (nearest.turn, nearest.state.claims) == ("C", ())
    assert nearest.hand("C") == "KC QC 6S"


def test_cr_65_calls_of_the_same_instant_go_to_the_nearest() -> None:
    """R-8.10: E and D at once; whoever writes them down, D has the call."""
    for calls in (("E rummy 6S", "D rummy 6S"), ("D rummy 6S", "E rummy 6S")):
        table = Table(opts={"rummy_priority": "turn_order"}, **DISCARD)
        table.do("B discard 6S", *calls)
        assert [claim.seat for claim in table.state.claims] == [
            "ABCDE".index(call[0]) for call in calls
        ]
        table.do("D lay 6S@m1", "D discard KH")
        assert (table.turn, table.state.phase) == ("E", "window")


def test_a_refused_challenge_is_judged_like_a_refused_call() -> None:
    """12.7: one that should have stood; where there was nothing to challenge it fell rightly."""
    opts = {"go_out": "floating_unplayable", "illegal_final_discard": "challenge"}
    position: dict[str, Any] = {
        "phase": "play",
        "hands": {"A": "6S", "B": "2C", "C": "3C"},
        "table": ["m1:R[7S 8S 9S]@B"],
    }
    refused = DiscardChallenged(seat=1, card="6S", accepted=False, code="CHALLENGE_NOT_OPEN")
    table = Table(opts=opts, **position).do("A discard 6S")
    table.refuses(refused, "CHALLENGE_WRONGLY_REFUSED", "12.7")
    other = Table(opts=opts, **position | {"table": ["m1:R[8S 9S TS]@B"]}).do("A discard 6S")
    assert other.codes(refused) == []
