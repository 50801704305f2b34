"""The case book's notes, each played: CL-15, CL-17, CL-25, CL-39, CL-40, CL-41 and CL-42."""

import pytest

from events.common import DealerDrawn, Draw, GameEnded, Shuffled
from events.lanterloo.events import Exchanged, FlushShown, Looed, MissSeen, PoolPaid, StockRenewed
from tests.events.lanterloo.table import LOO, Table, cards, drawn_for, opened, ruleset


def test_cl_15_a_flush_made_by_the_exchange_sweeps_before_the_first_lead() -> None:
    table = Table("loo5", 3).deal(
        "QD 9D 5D JC 7S", "AS KS 3C 4C 5H", "2S 3S 4S 7C 8C", up="2H", stock="2D"
    )
    table.do("A exchange 7S")
    assert table.state.phase == "declare"
    table.do("B play", "C pass")
    shown = [event for event in table.events if isinstance(event, FlushShown)]
    assert [(one.seat, one.kind) for one in shown] == [(0, "pam_flush")]
    assert sorted(shown[0].cards) == sorted(cards("QD 9D 5D 2D JC"))
    assert next(event for event in table.events if isinstance(event, PoolPaid)).paid_for == "flush"
    assert [event.seat for event in table.events if isinstance(event, Looed)] == [1]


HANDS_OF_EIGHT = (
    "AS KS QS JS TS",
    "9S 8S 7S 6S AD",
    "4S 3S 2S AH KH",
    "QH JH TH 9H 8H",
    "7H 6H 5H 4H 3H",
    "2H AC KC QC TC",
    "9C 8C 7C 6C 5C",
    "4C 3C 2C KD QD",
)


def eight(shortage: str) -> Table:
    table = Table("loo5", 8, exchange_shortage=shortage, flush_autoclaim=False)
    return table.deal(*HANDS_OF_EIGHT, up="JD")


def test_cl_17_nobody_may_ask_for_more_than_the_stock_holds() -> None:
    table = eight("limit").do("A exchange AS KS QS JS TS", "B exchange 9S 8S 7S 6S")
    assert len(table.state.stock) == 2
    too_many = Exchanged(seat=2, put_out=cards("4S 3S 2S"), drawn=("??",) * 3)
    assert table.codes(too_many) == ["STOCK_SHORT"]
    table.do("C exchange 4S 3S")
    assert not table.state.stock


def test_cl_17_hands_that_were_passed_become_a_new_stock() -> None:
    table = eight("recycle_passed").do("A exchange AS KS QS JS TS", "B exchange 9S 8S 7S 6S")
    table.do("C pass", "D exchange QH JH")
    wanted = Exchanged(seat=4, put_out=cards("7H 6H 5H"), drawn=())
    (beneath,) = LOO.before(table.state, wanted)
    assert isinstance(beneath, StockRenewed)
    order = LOO.shuffle(table.state, beneath, lambda pile: pile.sort())
    assert LOO.judge(table.state, order) == ()
    table.record(order)
    assert sorted(table.state.stock) == sorted(HANDS_OF_EIGHT[2].split())
    table.do(LOO.complete(table.state, wanted))
    assert table.state.hands[4] == (*cards("4H 3H"), *sorted(HANDS_OF_EIGHT[2].split())[:3])


def test_cl_25_pam_let_pass_is_played_at_last_and_wins() -> None:
    table = Table("loo5", 3).position("AH 3H", "JC 4S", "2D 3D", tricks=(3, 0, 0))
    table.do("A AH civil")
    assert table.legal("B") == {"4S"}
    table.do("B 4S", "C 2D", "A 3H")
    assert table.legal("B") == {"JC"}
    table.do("B JC", "C 3D")
    looed = [event.seat for event in table.events if isinstance(event, Looed)]
    assert looed == [2]


def test_cl_39_further_hands_are_played_until_nobody_is_looed() -> None:
    table = Table("loo5", 5).position(
        *("",) * 5, deal=5, dealer=3, declared=("stand", "stand", "stand", "pass", "pass"),
        pool=5, tricks=(3, 2, 0, 0, 0),
    )  # fmt: skip
    table.settle("settle", "over")
    assert table.state.pool == 5
    (sixth,) = LOO.due(table.state)
    assert isinstance(sixth, Shuffled)
    assert (sixth.deal, sixth.dealer) == (6, 4)
    table.record(sixth).settle("ante")
    assert table.state.pool == 10
    table.position(*("",) * 5, deal=6, dealer=4, pool=10, tricks=(1, 1, 1, 1, 1))
    table.settle("settle", "over")
    assert [type(event) for event in LOO.due(table.state)] == [GameEnded]


SHOWN = [
    ("7S 3D KH 9C", {}, 1, None),
    ("7S AD KH 9C", {}, 1, None),
    ("4S 4D KH 9C", {}, None, (0, 1)),
    ("7S 3D KH 9C", {"first_dealer": "highest_card"}, 2, None),
    ("TS JD KH QC", {}, 0, None),
    ("TS JD KH QC", {"court_cards_tie": True}, None, (0, 1, 2, 3)),
]


@pytest.mark.parametrize(("shown", "opts", "dealer", "again"), SHOWN)
def test_cl_40_the_lowest_card_deals_and_a_tie_is_drawn_again(shown, opts, dealer, again) -> None:
    state = LOO.initial(drawn_for(opened(4, ruleset("loo3", **opts))))
    draws = tuple(Draw(seat, card) for seat, card in enumerate(shown.split()))
    event = DealerDrawn(draws=draws, dealer=dealer)
    assert LOO.judge(state, event) == ()
    wrong = DealerDrawn(draws=draws, dealer=3)
    assert [found.code for found in LOO.judge(state, wrong)] == ["DEALER_WRONG"]
    after = LOO.evolve(state, event)
    if again is None:
        assert (after.dealer, after.phase) == (dealer, "shuffle")
    else:
        assert (after.drawing, after.phase) == (again, "cut")


def test_cl_40_the_first_knave_deals() -> None:
    state = LOO.initial(drawn_for(opened(3, ruleset("loo3", first_dealer="first_knave"))))
    draws = tuple(Draw(i % 3, card) for i, card in enumerate("7S 3D KH 9C JD".split()))
    assert LOO.judge(state, DealerDrawn(draws=draws, dealer=1)) == ()
    assert LOO.judge(state, DealerDrawn(draws=draws, dealer=2)) != ()
    assert LOO.judge(state, DealerDrawn(draws=draws[:-1], dealer=0)) != ()


def test_cl_41_five_card_ledger_with_an_abandoned_hand_and_a_flush() -> None:
    table = Table("loo5", 5)
    table.deal(
        "AS KS QS 2D 3D",
        "2S 3S 4S AD KD",
        "5S 6S 7S 4D 5D",
        "8S 9S 6C 7C 8C",
        "9C TC JD QD KC",
        up="2H",
    )
    table.do("A play", "B play", "C play", "D pass", "E pass")
    for round_played in (
        ("A AS", "B 2S", "C 5S"),
        ("A KS", "B 3S", "C 6S"),
        ("A QS", "B 4S", "C 7S"),
    ):
        table.do(*round_played)
    table.do("A 2D", "B AD", "C 4D", "B KD", "C 5D", "A 3D")
    assert table.state.balances == (3, 2, -5, 0, -5)
    table.deal(
        "2S 3S 4S 5D 6D",
        "AH KH 9H 4H 2H",
        "QS 8D 7C 3C TD",
        "JC 9S 5S 3D 2C",
        "KC QC TC 9C 8C",
        up="7H",
    )
    table.do("B play", "C play", "D play", "E pass", "A pass")
    assert table.state.balances == (-2, 12, -10, 0, -5)
    assert table.state.pool == 5
    table.deal(
        "2S 3S 4S 5D 6D",
        "AH KH 9H 4C 2H",
        "QS 8D 7C 3C TD",
        "JC 9S 5S 3D 2C",
        "KC QC TC 9C 8S",
        up="7H",
    )
    table.do("C pass", "D pass", "E pass", "A pass")
    assert table.state.balances == (-2, 17, -10, 0, -5)
    assert table.state.pool == 0


def test_cl_42_a_stander_may_not_withdraw() -> None:
    table = Table("loo3", 3, force="off").deal(
        "AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", miss="8H 9H TH"
    )
    assert table.do("A play").codes("A pass") == ["DECLARATION_IS_FINAL"]


def test_cl_42_nobody_sees_the_miss_before_deciding() -> None:
    table = Table("loo3", 3).deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", miss="8H 9H TH")
    assert table.codes(MissSeen(seat=0)) == ["MISS_IS_HIDDEN"]


def test_cl_42_cards_are_changed_once_and_then_played() -> None:
    table = Table("irish", 3, force="off").deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H")
    table.do("A exchange QS", "B play")
    again = Exchanged(seat=0, put_out=("KS",), drawn=("??",))
    assert table.codes(again) == ["EXCHANGE_ONCE"]
    assert table.codes("A pass") == ["MUST_PLAY_AFTER_EXCHANGE"]
    assert table.codes("B pass") == ["DECLARATION_IS_FINAL"]
    assert table.codes(Exchanged(seat=1, put_out=(), drawn=())) == ["DECLARATION_IS_FINAL"]


@pytest.mark.parametrize(("form", "codes"), [("loo3", ["MUST_HEAD"]), ("loo5", [])])
def test_cl_42_heading_is_a_duty_at_three_cards_only(form, codes) -> None:
    table = Table(form, 3).position("9S", "KS 3S AD", "2S", trump="D").record("A 9S")
    assert table.codes("B 3S") == codes


@pytest.mark.parametrize("form", ["loo3", "irish"])
def test_no_new_stock_is_made_where_cards_are_not_changed(form) -> None:
    """L-4.4 belongs to the exchange: in a hand without one, as under club law, a short stock stays short."""
    hands, asked = ("AS KS QS", "2D 3D 4D", "5C 6C 7C"), (None, None, None)
    table = Table(form, 3, force="off", club_law=True, exchange_shortage="recycle_passed")
    table.position(*hands, trump="C", phase="declare", declared=asked).record("A pass")
    renew = StockRenewed(seat=1, cards=("AS", "KS", "QS"))
    assert table.codes(renew) == ["EXCHANGE_NOT_ALLOWED"]
    assert not any(isinstance(act, StockRenewed) for act in LOO.legal(table.state, 1))
