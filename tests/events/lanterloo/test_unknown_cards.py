"""Cards that the record does not know: no breach and no clearance by them, and judged once they are shown (L-12.3)."""

import pytest

from events.cards import UNKNOWN
from events.game import Unchecked
from events.lanterloo.events import Bid, FlushShown, Looed, PenaltyPaid, TrickTaken, TurnUp
from projections.audit import audit
from tests.events.lanterloo.table import LOO, Table, cards

HIDDEN = "?? ?? ??"


def hidden_hands(*acts: str, **opts: object) -> Table:
    """A record of three-card Loo, trumps hearts, whose scribe saw only what was played."""
    table = Table("loo3", 3, **opts)  # type: ignore[arg-type]
    table.position(HIDDEN, HIDDEN, HIDDEN, stock=("??",) * 43)
    for act in acts:
        table.record(act).settle("trick", "settle", "over")
    return table


def unchecked(table: Table, act: str) -> list[str]:
    return [one.code for one in table.judge(act) if isinstance(one, Unchecked)]


def test_a_card_that_follows_may_still_have_to_head() -> None:
    assert unchecked(hidden_hands("A 9S"), "B 3S") == ["MUST_HEAD"]
    assert unchecked(hidden_hands("A 9S"), "B 2D") == ["MUST_FOLLOW"]
    five = Table("loo5", 3).position(*("?? ?? ?? ?? ??",) * 3).record("A 9S")
    assert five.judge("B 3S") == ()


def test_a_card_takes_the_place_of_an_unknown_one() -> None:
    table = hidden_hands("A 9S", "B 3S")
    assert table.state.hands == (("??", "??"), ("??", "??"), ("??", "??", "??"))
    assert table.codes("C 9S") == ["NOT_IN_HAND"]


def test_a_revoke_is_found_at_its_version_once_the_hand_is_shown() -> None:
    table = hidden_hands(
        *("A 9S", "B 2D", "C 3C"), *("A AS", "B KS", "C 4C"), *("A 2C", "B 5D", "C 5C")
    )
    report = audit(LOO, table.events)
    revoke = next(
        v for v, event in enumerate(table.events, 1) if getattr(event, "card", "") == "2D"
    )
    assert [(one.version, one.code, one.seat) for one in report.findings] == [
        (revoke, "MUST_FOLLOW", 1)
    ]


def test_a_hand_that_was_shown_whole_is_cleared() -> None:
    table = hidden_hands(
        *("A 9S", "B 2D", "C 3C"), *("A AS", "B 3D", "C 4C"), *("A 2S", "B 5D", "C 5C")
    )
    report = audit(LOO, table.events)
    assert (report.findings, report.unchecked) == ((), ())


def test_what_was_never_shown_stays_open() -> None:
    table = hidden_hands("A 9S", "B 2D", "C 3C", "A AS")
    report = audit(LOO, table.events)
    assert report.findings == ()
    assert {one.code for one in report.unchecked} >= {"MUST_FOLLOW"}


def test_a_trick_with_an_unknown_card_may_go_to_anybody() -> None:
    table = Table("loo3", 3).position(HIDDEN, HIDDEN, HIDDEN).record("A 9S", "B ??", "C 3S")
    for seat in range(3):
        (found,) = LOO.judge(table.state, TrickTaken(seat=seat, trick=1))
        assert isinstance(found, Unchecked)


def test_unknown_trumps_leave_the_play_open() -> None:
    table = Table("loo3", 3, force="off")
    table.record(LOO.due(table.state)[0]).settle("ante", "deal")
    table.record(TurnUp(card="??"))
    assert (table.state.trump, table.state.phase) == (None, "declare")
    table.record("A play", "B play", "C play", "A 9S")
    assert unchecked(table, "B 3S") == ["MUST_FOLLOW"]


def test_a_flush_can_come_out_of_unknown_cards_and_pam_may_exempt() -> None:
    table = Table("loo5", 3).position(*("?? ?? ?? ?? ??",) * 3, stock=("??",) * 36)
    shown = FlushShown(seat=1, kind="trump_flush", cards=cards("AH KH 9H 4H 2H"))
    assert LOO.judge(table.state, shown) == ()
    table.record(shown)
    assert table.state.owed[0].seat == 1
    assert table.state.open_loos == (0, 2)
    (found,) = LOO.judge(table.record(table.state.owed[0]).state, Looed(seat=0, amount=5, to=None))
    assert isinstance(found, Unchecked)


@pytest.mark.parametrize("hand", ["AH KH 9H 4H 2S", "AH KH 9H 4H ??"])
def test_what_is_no_flush_cannot_be_shown(hand: str) -> None:
    table = Table("loo5", 3).position(*("?? ?? ?? ?? ??",) * 3, stock=("??",) * 36)
    shown = FlushShown(seat=1, kind="trump_flush", cards=cards(hand))
    assert table.codes(shown) == ["NO_SUCH_FLUSH"]


def scribes(rule: str) -> Table:
    """B plays a diamond to a spade; whoever wrote this down saw no hand."""
    table = Table("loo3", 3, on_violation=rule)
    table.position(HIDDEN, HIDDEN, HIDDEN, stock=("??",) * 43, pool=9)
    return table.record("A KS", "B 3D")


PAID = {"loo": 3, "four_singles": 12}


@pytest.mark.parametrize("rule", PAID)
@pytest.mark.parametrize("reason", ["MUST_FOLLOW", "MUST_HEAD"])
def test_a_penalty_for_what_the_record_cannot_tell_is_neither_right_nor_wrong(
    rule: str, reason: str
) -> None:
    table = scribes(rule)
    paid = PenaltyPaid(seat=1, amount=PAID[rule], to="next", reason=reason)
    assert [type(one) for one in table.judge(paid)] == [Unchecked]
    assert LOO.due(table.state) == ()
    table.record(paid, "C 2S").settle("trick")
    assert table.codes(paid) == ["AMOUNT_WRONG"]  # it was paid once
    table.record("A AS", "B 4D", "C 4C").settle("trick").record("A 5C", "B 5H", "C 6C")
    table.settle("trick", "settle", "over")
    share = 0 if rule == "four_singles" else 3
    assert table.state.balances == (6, share - PAID[rule], -3)
    # Later cards show that he had a trump and did not play it: the payment is none the worse for it.
    assert [one.event for one in audit(LOO, table.events).findings] == ["card_played"] * 2


@pytest.mark.parametrize(
    "paid",
    [
        PenaltyPaid(seat=1, amount=6, to="next", reason="MUST_FOLLOW"),
        PenaltyPaid(seat=2, amount=3, to="next", reason="MUST_FOLLOW"),
        PenaltyPaid(seat=1, amount=3, to="pool", reason="MUST_FOLLOW"),
        PenaltyPaid(seat=1, amount=3, to="next", reason="NOT_YOUR_TURN"),
    ],
    ids=["another amount", "another player", "another pool", "what can be told"],
)
def test_a_penalty_that_no_card_could_have_earned_is_wrong(paid: PenaltyPaid) -> None:
    assert len(scribes("loo").codes(paid)) == 1


def test_a_hand_known_to_have_played_rightly_owes_nothing() -> None:
    table = Table("loo3", 3, on_violation="loo").position("KS 2C 3C", "4D 5D 6D", "7C 8C 9C")
    table.record("A KS", "B 4D")
    assert table.state.doubtful == ()
    assert table.codes(PenaltyPaid(seat=1, amount=3, to="next", reason="MUST_FOLLOW"))


def test_cards_taken_up_later_do_not_accuse_what_was_played_before() -> None:
    """B has no spade, takes the miss long after he has played, and shows a spade of it."""
    table = Table("loo3", 3)
    table.position(HIDDEN, HIDDEN, HIDDEN, stock=("??",) * 40, miss=("??",) * 3)
    table.record("A KS", "B 3D", "C 4S").settle("trick")
    table.record(Bid(seat=1, choice="miss", cards=(UNKNOWN,) * 3))
    table.record("A 2S", "B 5S", "C 6S").settle("trick")
    found = audit(LOO, table.events).findings
    assert [one.code for one in found if one.event == "card_played"] == []
