"""What a case may say: every key that the case books describe is read, and any other is told, never passed over."""

from io import BytesIO

import pytest

from events.formats.casebook import CaseResult, check

PLAY = """
type: play
state: {turn: A, phase: draw, pile: "QC 9C", hands: {A: "5H", B: "AS", C: "3D"}}
do: ["A take 9C", "A discard 5H"]
expect: {pile: "QC 5H"}
"""
STRANGE = {
    "melds": "type: melds\nrows: [{meld: R AH 2H 3H, vaild: true}]",
    "totals": "type: totals\nrows: [{totals: {A: 505, B: 520}, winer: B, winner: B}]",
    "layout": "type: layout\nrows: [{players: 2, card: 54}]",
    "play": PLAY + "exepct: {}",
    "variant": PLAY + "variants: [{dos: []}]",
    "case": PLAY + "ops: {target: 1500}",
    "settle": "type: settle\ngame: loo3\npool: 3\ntricks: {A: 3, B: 0}\nlooes: B",
    "declare": "type: declare\ngame: loo3\norder: A B C\nsays: play play play\nwinner: A",
    "follow": "type: follow\ngame: loo3\ntrump: D\nhand: KS 3S\ntrick: 9S\nlegall: KS",
    "lead": "type: lead\ngame: loo3\ntrump: D\nhand: KS 3S\nlegal: KS 3S\nfirts: true",
    "trick": "type: trick\ngame: loo3\ntrump: D\nplays: A:KS B:3S\nwinner: A\nlead: A",
    "flush": "type: flush\ngame: loo5\ntrump: D\norder: A B\nhands: {}\nwinner: null\nclas: BLAZE",
    "ledger": "type: ledger\ngame: loo3\nplayers: A B C\nhands: [{dealer: C, pool: 3, trick: {}}]",
}


def results(text: str) -> list[CaseResult]:
    return list(check(BytesIO(text.encode())))


def comes_out(text: str) -> str:
    (result,) = results(text)
    return result.reason if result.outcome == "failed" else result.outcome


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_a_key_that_nothing_reads_is_told(text: str) -> None:
    assert "unknown in a case of type" in comes_out(text)


def test_remarks_may_stand_anywhere() -> None:
    assert comes_out(PLAY + "id: X-1\nseed: true\nrule: [R-6.3]\nnote: as ever\n") == "passed"
    assert comes_out(PLAY + "title: A card back\ntext: ...\nsource: club\nsee: X-2\n") == "passed"


def test_a_position_may_be_asked_about_before_any_act() -> None:
    position = PLAY.replace('do: ["A take 9C", "A discard 5H"]\n', "")
    assert comes_out(position.replace("QC 5H", "QC 9C")) == "passed"
    assert "pile" in comes_out(position)


@pytest.mark.parametrize("type_", ["melds", "play", "totals"])
def test_a_case_without_a_row_is_no_case(type_: str) -> None:
    key = "variants" if type_ == "play" else "rows"
    assert "with something in it" in comes_out(f"type: {type_}\n{key}: []")


def test_what_a_case_does_not_say_is_named() -> None:
    assert "it says no pool" in comes_out("type: settle\ngame: loo3\ntricks: {A: 3}")


def test_one_row_need_not_be_a_list() -> None:
    assert comes_out("type: totals\ntotals: {A: 505, B: 520}\nwinner: B") == "passed"


TOTALS = "type: totals\ntotals: {A: %s, B: 90}\nwinner: %s\nopts: {%s}"


@pytest.mark.parametrize(
    ("total", "winner", "opts"),
    [
        (4999, "null", "variant: rummy5000"),
        (5000, "A", "variant: rummy5000"),
        (2200, "A", "variant: rummy5000, target: 2200"),
        (1500, "null", "preset: rummy5000"),
        (500, "A", "preset: delboycodes"),
    ],
)
def test_another_game_s_rules_stand_behind_its_name(total: int, winner: str, opts: str) -> None:
    assert comes_out(TOTALS % (total, winner, opts)) == "passed"


def test_a_preset_that_there_is_not_is_told() -> None:
    assert "no such preset: 'house'" in comes_out(TOTALS % (500, "A", "preset: house"))
    lead = "type: lead\ngame: loo3\ntrump: D\nhand: KS\nlegal: KS\nopts: {preset: house}"
    assert "no such preset: 'house'" in comes_out(lead)


OVER = """
type: play
state: {turn: B, phase: over, ended: DISCARDED_OUT, out: A, pile: "TS", hands: {A: "", B: "AS", C: "3D"},
        table: ["m1:R[7S 8S 9S]@B"]}
do: "C rummy TS"
expect: {error: HAND_OVER, ended: DISCARDED_OUT, out: A, phase: over, scores: {B: 9, C: -3}}
"""


def test_a_position_may_be_that_of_a_deal_that_is_over() -> None:
    assert comes_out(OVER) == "passed"
    assert "HAND_OVER" in comes_out(OVER.replace("error: HAND_OVER, ", ""))


LOO = "game: loo3\npool: 18\n"


def test_a_pool_taken_unplayed_is_settled_too() -> None:
    money = "paid: {D: 18}\nlooed: ''\npool_after: 0\nnext_pool: 3\nnext_is_single: true"
    assert comes_out(f"type: settle\n{LOO}walkover: D\n{money}") == "passed"
    said = "order: A B C D\nsays: pass pass pass pass\noutcome: WALKOVER\nby: D\n"
    assert comes_out(f"type: declare\n{LOO}{said}{money}") == "passed"
    assert "next_pool" in comes_out(f"type: declare\n{LOO}{said}next_pool: 21")


def test_a_stander_may_be_named_without_his_tricks() -> None:
    named = "standers: A B C\ntricks: {A: 2, B: 1}\nlooed: C\nnext_pool: 6"
    assert comes_out(f"type: settle\n{LOO}{named}") == "passed"
    assert "D did not stand" in comes_out(f"type: settle\n{LOO}{named}".replace("B: 1", "D: 1"))


def test_a_dealer_who_defends_has_tricks_and_no_share() -> None:
    defended = "standers: A\ntricks: {A: 0, C: 3}\npaid: {}\nlooed: A\npool_after: 21"
    opts = "opts: {lone_vs_dealer: must_defend}"
    assert comes_out(f"type: settle\n{LOO}{defended}\n{opts}") == "passed"


def test_the_hands_of_a_ledger_may_say_who_was_looed() -> None:
    hand = (
        "{dealer: C, pool: 3, tricks: {A: 2, B: 1, C: 0}, looed: %s, paid: {A: 2, B: 1}, after: 3}"
    )
    ledger = f"type: ledger\ngame: loo3\nplayers: A B C\nhands: [{hand}]"
    assert comes_out(ledger % "C") == "passed"
    assert "hand 1 looed" in comes_out(ledger % "B")


@pytest.mark.parametrize(
    ("says", "outcome"),
    [("play pass pass pass", "error: DEALER_MUST_DEFEND"), ("miss pass pass pass", "by: A")],
)
def test_a_book_s_name_means_its_rules_for_the_form_played(says: str, outcome: str) -> None:
    case = f"type: declare\ngame: loo3\norder: A B C D\npool: 9\nsays: {says}\n{outcome}\n"
    assert comes_out(case + "opts: {preset: hoyle1909}") == "passed"


def test_a_pool_of_all_antes_is_a_single() -> None:
    opts = "opts: {ante_by: all_dealer_double}"
    case = (
        f"type: declare\ngame: loo3\norder: A B C\nsays: pass play play\nerror: MUST_PLAY\n{opts}\n"
    )
    assert comes_out(case + "pool: 12") == "passed"
    assert "MUST_PLAY" in comes_out(case + "pool: 15")


def test_the_turn_up_alone_says_what_is_trumps() -> None:
    case = "type: follow\ngame: loo3\nturnup: 5D\nhand: KS AD\ntrick: 9H\nlegal: AD"
    assert comes_out(case) == "passed"
    assert "legal" in comes_out(case.replace("5D", "5C"))


def test_yaml_s_on_means_the_only_other_value() -> None:
    flush = 'hands: {A: "KS QS JD KC QD", B: "9S 8S 7D 2C 3C"}\nwinner: A\nclass: BLAZE'
    case = f"type: flush\ngame: loo5\ntrump: H\norder: A B\nopts: {{blaze: on}}\n{flush}"
    assert comes_out(case) == "passed"
