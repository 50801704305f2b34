"""Every decision of section 14 at a table: what it says by default, and what its option makes of it.

Most are worked out in positions.yaml beside this, row by row from the text; the rest is played here.
"""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.common import DealerDrawn, Draw, Shuffled
from events.formats.casebook import CaseResult, check
from events.lanterloo.events import (
    Exchanged,
    FlushShown,
    Looed,
    PoolPaid,
    SessionDivided,
    StockRenewed,
)
from events.lanterloo.ruleset import FORMS, PRESETS, Ruleset
from tests.events.lanterloo.table import LOO, Table, cards, drawn_for, opened, ruleset, trick

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rules" / "lanterloo.md").read_text(encoding="utf-8")
POSITIONS = Path(__file__).with_name("positions.yaml")


def positions() -> list[CaseResult]:
    with POSITIONS.open("rb") as stream:
        return list(check(stream))


@pytest.mark.parametrize("row", positions(), ids=lambda row: f"{row.case}-{row.part}")
def test_a_position_comes_out_as_the_text_has_it(row: CaseResult) -> None:
    assert row.outcome == "passed", row.reason


def test_every_decision_has_its_test() -> None:
    decided = re.findall(r"^\| (D-L\d\d) \|", PAGE, flags=re.MULTILINE)
    assert len(decided) == 26
    tested = {name.split("_")[2].upper() for name in globals() if name.startswith("test_d_l")}
    assert {one.replace("D-", "") for one in decided} == tested


def test_every_option_is_in_a_position_or_a_test() -> None:
    tests = (Path(__file__).with_name(name) for name in ("test_decisions.py", "test_disputes.py"))
    texts = "".join(path.read_text(encoding="utf-8") for path in (POSITIONS, *tests))
    options = set(Ruleset.__struct_fields__) - {"preset", "form"}
    used = set(re.findall(r'\b(\w+)"?(?:=|: )', texts))
    assert options - used == set()


# --- section 13 ---------------------------------------------------------------------------------------------


def preset_rows() -> list[tuple[str, str, str, str]]:
    """The rows of the table of section 13: an option, and its value in each book."""
    section = PAGE.split("## 13. Presets")[1].split("## 14.")[0]
    found = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or cells[0] in ("Option", "---"):
            continue
        options = re.findall(r"`(\w+)`", cells[0]) or ["court_cards_tie"]
        values = [cell.split(", ") for cell in cells[1:]]
        for at, option in enumerate(options):
            found.append((option, *(row[at] for row in values)))
    return found


def as_value(option: str, text: str) -> object:
    is_flag = isinstance(getattr(Ruleset(), option), bool)
    return text in ("on", "true", "yes") if is_flag else text


@pytest.mark.parametrize("row", preset_rows(), ids=lambda row: row[0])
def test_d_l01_the_books_differ_as_the_page_says(row: tuple[str, str, str, str]) -> None:
    option, *values = row
    for book, text in zip(("seed", "hoyle1909", "enquire"), values, strict=True):
        for form in FORMS:
            rules = PRESETS[f"{book}-{form}"]
            if option == "lone_vs_dealer" and form != "loo3":
                assert rules.lone_vs_dealer == "dealer_may_pass"
            else:
                assert getattr(rules, option) == as_value(option, text), (book, form)


def test_d_l01_beside_that_every_book_plays_the_seeds_game() -> None:
    told = {option for option, *_ in preset_rows()} | {"preset", "form", "misdeal"}
    seed = msgspec.structs.asdict(Ruleset())
    for name, rules in PRESETS.items():
        others = {k: v for k, v in msgspec.structs.asdict(rules).items() if k not in told}
        assert others == {k: v for k, v in seed.items() if k not in told}, name


# --- the deal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "opts", "dealer"),
    [
        ("2S AD KH", {}, 1),
        ("2S AD KH", {"first_dealer": "highest_card"}, 2),
        ("TS JD KH", {}, 0),
        ("TS JD KH", {"court_cards_tie": True}, None),
    ],
)
def test_d_l02_lowest_deals_and_the_ace_is_low(drawn: str, opts: Any, dealer: int | None) -> None:
    state = LOO.initial(drawn_for(opened(3, ruleset("loo3", **opts))))
    shown = tuple(Draw(seat, card) for seat, card in enumerate(drawn.split()))
    found = {who: LOO.judge(state, DealerDrawn(draws=shown, dealer=who)) for who in (0, 1, 2, None)}
    assert [who for who, judged in found.items() if not judged] == [dealer]


@pytest.mark.parametrize(
    ("order", "eldest", "miss"),
    [("last", "AS 5S 9S", "4S 8S QS"), ("first", "2S 6S TS", "AS 5S 9S")],
)
def test_d_l03_the_miss_has_its_card_in_every_round(order: Any, eldest: str, miss: str) -> None:
    table = Table("loo3", 3, miss_order=order, force="off")
    deck = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    (shuffled,) = LOO.due(table.state)
    assert isinstance(shuffled, Shuffled)
    table.record(msgspec.structs.replace(shuffled, deck=tuple(deck)))
    table.settle("ante", "deal", "turn_up")
    assert table.state.hands[0] == cards(eldest)
    assert table.state.miss == cards(miss)
    assert table.state.turn_up == "KS"


def test_packets_of_three_and_two_are_dealt_too() -> None:
    table = Table("loo5", 3, packets="three_two")
    deck = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    (shuffled,) = LOO.due(table.state)
    assert isinstance(shuffled, Shuffled)
    table.record(msgspec.structs.replace(shuffled, deck=tuple(deck))).settle("ante", "deal")
    assert table.state.hands[1] == cards("4S 5S 6S QS KS")


def test_d_l04_pam_turned_up_is_out_of_play() -> None:
    table = Table("loo5", 3).deal("AC KC QC TC 9H", "2C 3S 4S 5S 6S", "7S 8S 9S TS JS", up="JC")
    assert (table.state.trump, table.state.pam) == ("C", None)
    table.do("A play", "B play", "C pass", "A AC")
    assert table.legal("B") == {"2C"}


@pytest.mark.parametrize(
    ("pam_suit", "clubs_led", "trumps_led"),
    [("trump", "5C", "JC"), ("clubs", "5C JC", "2D 5C JC"), ("free", "5C JC", "2D 5C JC")],
)
def test_d_l05_pam_belongs_to_trumps_clubs_or_nothing(
    pam_suit: Any, clubs_led: str, trumps_led: str
) -> None:
    for led, may in (("9C", clubs_led), ("9H", trumps_led)):
        table = Table("loo5", 3, pam_suit=pam_suit)
        table.position("", "JC 5C 2D", "", turn=1, trick=trick(f"A:{led}"))
        assert table.legal("B") == set(may.split())


@pytest.mark.parametrize(
    ("opts", "may"),
    [
        ({}, "2D 3S"),
        ({"civil_scope": "without_revoke"}, "JC"),
        ({"civil": "off"}, "JC"),
        ({"civil": "auto"}, "2D 3S"),
    ],
)
def test_d_l06_pam_is_civil_unless_he_is_the_last_card(opts: Any, may: str) -> None:
    table = Table("loo5", 3, **opts)
    table.position("", "JC 2D 3S", "", turn=1, trick=trick("A:AH", civil=True))
    assert table.legal("B") == set(may.split())


def test_d_l07_the_exchange_is_the_declaration() -> None:
    table = Table("irish", 3, force="off").deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H")
    table.do(Exchanged(seat=0, put_out=(), drawn=()))
    assert table.state.standers == (0,)
    assert table.state.turn == 1
    assert table.codes("A play") == ["DECLARATION_IS_FINAL"]


# --- who stands and who pays ------------------------------------------------------------------------------------


def test_d_l08_only_standers_without_a_trick_are_looed() -> None:
    table = Table("loo5", 4).position(
        *("",) * 4, tricks=(5, 0, 0, 0), declared=("stand", "stand", "pass", "pass")
    )
    table.settle("settle")
    assert [event.seat for event in table.events if isinstance(event, Looed)] == [1]


@pytest.mark.parametrize(
    ("shortage", "codes"), [("limit", ["STOCK_SHORT"]), ("recycle_passed", ["STOCK_SHORT"])]
)
def test_d_l09_a_short_stock_limits_until_it_is_renewed(shortage: Any, codes: list[str]) -> None:
    table = Table("irish", 3, exchange_shortage=shortage).position(
        "2S 3S 4S", "5S 6S 7S", "8S 9S TS", stock=("AD",), phase="declare",
        declared=(None,) * 3,
    )  # fmt: skip
    table.record("A pass")
    wanted = Exchanged(seat=1, put_out=cards("5S 6S"), drawn=("??", "??"))
    assert table.codes(wanted) == codes
    renewed = StockRenewed(seat=1, cards=cards("4S 2S 3S"))
    assert (table.codes(renewed) == []) == (shortage == "recycle_passed")
    table.record(renewed)
    assert table.codes(wanted) == []


@pytest.mark.parametrize("form", FORMS)
def test_d_l10_when_all_pass_the_dealer_has_the_pool_or_it_is_carried(form: Any) -> None:
    asked: dict[str, Any] = {"phase": "declare", "declared": (None,) * 3, "pool": 15}
    hands = ("?? ?? ??",) * 3
    table = Table(form, 3).position(*hands, **asked).do("A pass", "B pass")
    assert table.state.balances == (0, 0, 15)
    table = Table(form, 3, all_pass="carry").position(*hands, **asked).do("A pass", "B pass")
    assert table.state.phase == "declare"
    assert table.do("C pass").state.pool == 15


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("dealer_may_pass", {"stand", "pass", "miss"}),
        ("must_defend", {"stand", "miss", "defend"}),
    ],
)
def test_d_l11_one_stander_against_the_dealer(rule: Any, words: set[str]) -> None:
    table = Table("loo3", 3, lone_vs_dealer=rule).position(
        *("2S 3S 4S", "5S 6S 7S", "8S 9S TS"), miss=cards("AD KD QD"), phase="declare",
        declared=("pass", "stand", None), turn=2,
    )  # fmt: skip
    assert table.words("C") == words


FLUSH = ("AH KH 9H 4H 2H", "2S 3S 4S AD KD", "5S 6S 7S 4D 5D", "JC 6D 7D 8D TD")


@pytest.mark.parametrize(
    ("opts", "looed", "pool"),
    [
        ({}, [1], 5),
        ({"flush_looes": "all"}, [1, 2, 3], 15),
        ({"flush_paid_to": "winner"}, [1], 0),
    ],
)
def test_d_l12_who_pays_on_a_flush_and_to_whom(opts: Any, looed: list[int], pool: int) -> None:
    table = Table("loo5", 4, **opts).position(
        *FLUSH, declared=("stand", "stand", "pass", "pass"), pool=15
    )
    table.settle("show", "settle")
    paid = [event for event in table.events if isinstance(event, Looed)]
    assert sorted(event.seat for event in paid) == looed
    assert table.state.pool == pool


@pytest.mark.parametrize(
    ("tie", "winners"), [("cards_then_elder", [1]), ("elder", [0]), ("split", [0, 1])]
)
def test_d_l13_two_flushes_of_a_class(tie: Any, winners: list[int]) -> None:
    table = Table("loo5", 3, flush_tie=tie).position(
        "KS QS 9S 4S 2S", "AD 7D 5D 3D 2D", "2C 3C 4H 5H 6C"
    )
    table.settle("show", "settle")
    paid = [event.seat for event in table.events if isinstance(event, PoolPaid)]
    assert paid == winners


@pytest.mark.parametrize(
    ("force", "first", "later"),
    [("single_pool", True, True), ("first_hand", True, False), ("off", False, False)],
)
def test_d_l14_which_hands_are_forced(force: Any, first: bool, later: bool) -> None:
    for deal, must in ((1, first), (4, later)):
        table = Table("loo3", 3, force=force).position(
            *("2S 3S 4S", "5S 6S 7S", "8S 9S TS"), phase="declare", declared=(None,) * 3,
            deal=deal, single=True, pool=3,
        )  # fmt: skip
        assert ("pass" not in table.words("A")) == must


@pytest.mark.parametrize(
    ("rule", "words"), [("withdrawn", {"stand"}), ("allowed", {"stand", "miss"})]
)
def test_d_l15_club_law_and_the_miss(rule: Any, words: set[str]) -> None:
    table = Table("loo3", 3, club_law=True, club_law_miss=rule, force="off")
    table.deal("AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2C", miss="8H 9H TH")
    assert table.words("A") == words


@pytest.mark.parametrize(("blaze", "kinds"), [("off", []), ("below_flush", ["blaze"])])
def test_d_l16_five_court_cards(blaze: Any, kinds: list[str]) -> None:
    table = Table("loo5", 3, blaze=blaze)
    table.position("KS QS JD KC QD", "9S 8S 7D 2C 3C", "AC TC 4H 3H 2H").settle("show")
    assert [one.kind for one in table.events if isinstance(one, FlushShown)] == kinds


def test_a_flush_to_be_claimed_is_five_cards_once_a_card_is_led() -> None:
    table = Table("loo5", 4, flush_autoclaim=False).position(*FLUSH)
    assert table.state.phase == "claim"
    assert table.codes(f"A flush {FLUSH[0]}") == []
    table.do("A 2H", "B 2S", "C 5S")
    assert table.codes(f"A flush {FLUSH[0]}") == ["FLUSH_TOO_LATE"]
    assert not table.state.shown


# --- play, stakes and the end ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opts", "may"),
    [
        ({}, "KD 4D"),
        ({"lead_two": "highest"}, "KD"),
        ({"lead_two": "highest_if_two_players"}, "KD 4D"),
        ({"lead_two": "off"}, "KD 4D AS"),
    ],
)
def test_d_l17_two_trumps(opts: Any, may: str) -> None:
    table = Table("loo3", 3, **opts).position("KD 4D AS", "2S", "3S", trump="D")
    assert table.legal("A") == set(may.split())


@pytest.mark.parametrize(
    ("opts", "may"),
    [
        ({}, "AD 4S"),
        ({"lead_ace": "ace_or_king"}, "AD"),
        ({"lead_ace": "ace_first_lead"}, "AD 4S"),
        ({"trump_after_trick": True}, "AD"),
    ],
)
def test_d_l18_neither_ace_nor_trump_has_to_be_led_after_a_trick(opts: Any, may: str) -> None:
    table = Table("loo3", 3, **opts)
    table.position("AD 4S", "2S 3C", "3S 4C", trump="D", tricks=(1, 0, 0))
    assert table.legal("A") == set(may.split())


@pytest.mark.parametrize(("must", "may"), [(False, "5D 4D KC"), (True, "5D 4D")])
def test_d_l19_a_trump_too_small_to_win(must: bool, may: str) -> None:
    table = Table("loo3", 3, must_undertrump=must)
    table.position("", "", "5D 4D KC", trump="D", turn=2, trick=trick("A:9S", "B:7D"))
    assert table.legal("C") == set(may.split())


@pytest.mark.parametrize(
    ("form", "pool", "loo"), [("loo5", 20, 5), ("loo3", 18, 3), ("irish", 9, 3)]
)
def test_d_l20_a_limited_loo_is_the_dealers_ante(form: Any, pool: int, loo: int) -> None:
    size = 5 if form == "loo5" else 3
    table = Table(form, 3).position("", "", "", tricks=(size, 0, 0), pool=pool).settle("settle")
    assert {one.amount for one in table.events if isinstance(one, Looed)} == {loo}


def test_d_l21_any_hand_without_a_loo_ends_the_series() -> None:
    table = Table("loo3", 3, stakes="unlimited", rounds=9).position(
        *("2S 3S 4S",) * 3, phase="declare", declared=(None,) * 3, pool=18
    )
    table.do("A play", "B pass", "C pass")
    table.record(*LOO.due(table.state)).settle("ante", "deal", "turn_up")
    assert table.state.single
    assert table.codes("B pass") == ["MUST_PLAY"]


def test_d_l22_who_is_looed_the_board_pays_what_lay_there() -> None:
    table = Table("loo3", 3, stakes="unlimited").position("", "", "", tricks=(2, 1, 0), pool=21)
    table.settle("settle")
    assert [one.amount for one in table.events if isinstance(one, Looed)] == [21]
    assert table.state.pool == 21


def test_d_l23_after_the_last_round_hands_follow_one_by_one() -> None:
    table = Table("loo3", 3, rounds=2).position("", "", "", deal=6, tricks=(3, 0, 0), pool=9)
    (following,) = LOO.due(table.settle("settle", "over").state)
    assert isinstance(following, Shuffled)
    assert (following.deal, following.dealer) == (7, 0)


def test_d_l24_an_abandoned_pool_is_divided_odd_chips_to_the_eldest() -> None:
    table = Table("loo3", 4).position(
        *("2S 3S 4S",) * 4, dealer=1, turn=2, phase="declare", declared=(None,) * 4, pool=18
    )
    assert LOO.judge(table.state, SessionDivided(shares=(4, 4, 5, 5))) == ()
    assert LOO.judge(table.state, SessionDivided(shares=(5, 5, 4, 4))) != ()


@pytest.mark.parametrize(("rule", "price"), [("reject", []), ("loo", [3]), ("four_singles", [12])])
def test_d_l25_what_a_breach_costs(rule: Any, price: list[int]) -> None:
    table = Table("loo3", 3, on_violation=rule)
    table.position("KS 2S 3D", "4S 5H 6D", "7S 8D 9D", pool=9).record("A KS", "B 5H")
    assert [one.amount for one in table.state.penalties] == price


def test_d_l26_the_first_stander_leads() -> None:
    table = Table("loo3", 4, force="off").deal(
        "AS KS QS", "2D 3D 4D", "5C 6C 7C", "AH KH QH", up="2H", miss="8H 9H TH"
    )
    table.do("A pass", "B play", "C pass", "D play")
    assert table.state.turn == 1
    assert table.codes("D AH") == ["NOT_YOUR_TURN"]
