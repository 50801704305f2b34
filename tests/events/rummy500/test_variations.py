"""House variations (section 12), as positions in the words of the case books."""

import random
import textwrap
from io import BytesIO

import msgspec
import pytest

from events.common import DealerDrawn, Draw, Shuffled
from events.formats.casebook import check
from events.formats.positions import opened_for, read_position
from events.games import RUMMY500
from events.rummy500.events import Discarded
from events.rummy500.ruleset import SEED
from tests import simulate

FLOATS = "opts: {go_out: floating_unplayable, illegal_final_discard: challenge%s}"
EIGHT = """
type: play
%s
state: {turn: A, phase: play, pile: "2H", hands: {A: "8H", B: "AS KD 9H", C: "3D 9C"}, table: ["m1:R[5H 6H 7H]@A"]}
"""

CASES = {
    # 12.7: what may follow a playable last discard
    "a draw ends the deal": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, B stock]
        expect: {{ended: DISCARDED_OUT, out: A, pile: "2H 8H", hands: {{B: "AS KD 9H"}}}}""",
    "a challenge gives it back": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, C challenge 8H, A lay 8H@m1]
        expect: {{ended: null, floaters: [A], turn: B, phase: window, pile: "2H"}}""",
    "it must be laid off": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, C challenge 8H, A discard 8H]
        expect: {{error: MUST_MELD_DEEP_CARD}}""",
    "not by who discarded": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, A challenge 8H]
        expect: {{error: CALLER_IS_DISCARDER}}""",
    "the first recorded stands": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, C challenge 8H, B challenge 8H]
        expect: {{error: CHALLENGE_NOT_OPEN}}""",
    "a good discard cannot be challenged": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, B stock, C challenge 8H]
        expect: {{error: HAND_OVER}}""",
    "a call names that card only": f"""{EIGHT % FLOATS % ""}
        do: [A discard 8H, C rummy 2H]
        expect: {{error: NOT_CALLABLE, callable: "8H"}}""",
    "without calls a challenge stays": f"""{EIGHT % FLOATS % ", rummy: none"}
        do: [A discard 8H, C rummy 8H]
        expect: {{error: CALLS_DISABLED}}""",
    "a lay-off call makes him float": f"""{EIGHT % FLOATS % ", rummy: latest_layoff"}
        do: [A discard 8H, C rummy 8H lay@m1]
        expect: {{ended: null, floaters: [A], turn: B, phase: window, pile: "2H"}}""",
    # 12.6 and its options
    "a floater may be kept from calling": """
        type: play
        opts: {go_out: floating, floater_calls: false}
        state: {turn: B, phase: play, floaters: [A], pile: "2C", hands: {A: "", B: "8H KD 4C", C: "3D"}, table: ["m1:R[5H 6H 7H]@A"]}
        do: [B discard 8H, A rummy 8H]
        expect: {error: CALLS_DISABLED}""",
    "a floater may be kept to the stock": """
        type: play
        opts: {go_out: floating_unplayable, floater_draw: stock_only}
        state: {turn: A, phase: draw, floaters: [A], pile: "2C 8H", hands: {A: "", B: "KD", C: "3D"}, table: ["m1:R[5H 6H 7H]@A"]}
        do: [A take 8H]
        expect: {error: FLOATER_MUST_USE_STOCK}""",
    "but not when it is empty": """
        type: play
        opts: {go_out: floating_unplayable, floater_draw: stock_only}
        state: {turn: A, phase: draw, stock: 0, floaters: [A], pile: "2C 8H", hands: {A: "", B: "KD", C: "3D"}, table: ["m1:R[5H 6H 7H]@A"]}
        do: [A take 8H, A lay 8H@m1]
        expect: {floaters: [A], turn: B}""",
    "a floater takes no card that stays": """
        type: play
        opts: {go_out: floating}
        state: {turn: A, phase: draw, floaters: [A], pile: "2C KC", hands: {A: "", B: "KD", C: "3D"}, table: ["m1:R[5H 6H 7H]@A"]}
        do: [A take KC]
        expect: {error: NO_LEGAL_DISCARD_LEFT}""",
    "after a float nothing is the latest discard": """
        type: play
        opts: {go_out: floating, rummy: latest_layoff}
        state: {turn: A, phase: play, pile: "8H", hands: {A: "5H 6H 7H", B: "KD", C: "3D"}}
        do: [A meld R 5H 6H 7H]
        expect: {callable: "", floaters: [A]}""",
    # other decisions
    "D-R15 the called card goes down without hand cards": """
        type: play
        opts: {call_meld_may_use_hand: false}
        players: 4
        state: {turn: A, phase: play, pile: "2C", hands: {A: "6S KD 3H", B: "4D 5D", C: "6H 6D QS JH", D: "KC QD"}, table: ["m1:R[7S 8S 9S]@B"]}
        variants:
          - {do: [A discard 6S, C rummy 6S, C meld G 6S 6H 6D], expect: {error: MUST_MELD_DEEP_CARD}}
          - {do: [A discard 6S, C rummy 6S, C lay 6S@m1, C discard QS], expect: {turn: D}}""",
    "D-R19 a wrong call costs what the table says": """
        type: play
        opts: {false_call_penalty: 10}
        state: {turn: A, phase: play, pile: "2C", hands: {A: "6S KD", B: "4D", C: "QS"}}
        do: [A discard 6S, C rummy 6S refused NOT_CALLABLE]
        expect: {scores: {A: -10, B: -4, C: -20}, phase: window}""",
    "D-R27 idle rounds end the deal": """
        type: play
        opts: {idle_rounds: 1}
        state: {turn: A, phase: draw, stock: 0, pile: "QC 9C", hands: {A: "2S 4H", B: "AS 5D", C: "3D 8C"}}
        variants:
          - {do: [A take 9C, A discard 2S, B take 2S, B discard AS], expect: {ended: null}}
          - {do: [A take 9C, A discard 2S, B take 2S, B discard AS, C take AS, C discard 3D], expect: {ended: STOCK_EXHAUSTED, out: null}}""",
    "D-R16 a call after a meld waits for the discard": """
        type: play
        opts: {rummy_window: also_after_meld}
        players: 4
        state: {turn: A, phase: draw, pile: "5C AH KS 3H QS 4D 9S", hands: {A: "5H 6H 2D 7C", B: "8C 8D", C: "6C TH", D: "TC TD"}}
        variants:
          - {do: [A stock 4H, A meld R 4H 5H 6H, D rummy 3H, A discard 7C], expect: {pile: "5C AH KS 7C", turn: D, phase: play, hands: {D: "3H 4D 9S QS TC TD"}}}
          - {do: [A stock 4H, A meld R 4H 5H 6H, D rummy 3H, A discard 7C, D lay 3H@m1, D discard QS], expect: {pile: "5C AH KS 7C QS", turn: A, phase: window}}
          - {do: [A stock 4H, A meld R 4H 5H 6H, D rummy 3H, B rummy 3H], expect: {error: NO_CALL_WINDOW}}
          - {do: [A stock 4H, A meld R 4H 5H 6H, A rummy 3H], expect: {error: CALLER_IS_DISCARDER}}
          - {do: [A stock 4H, D rummy 3H], expect: {error: NO_CALL_WINDOW}}""",
    "D-R17 the claimant nearest to the discarder has the call": """
        type: play
        opts: {rummy_priority: turn_order}
        players: 5
        state: {turn: B, phase: play, hands: {A: "2S", B: "6S KD", C: "KC QC", D: "KH QH", E: "3D 4D"}, pile: "2C", table: ["m1:R[7S 8S 9S]@A"]}
        variants:
          - {do: [B discard 6S, E rummy 6S, C rummy 6S], expect: {turn: C, phase: play, hands: {C: "KC QC 6S"}}}
          - {do: [B discard 6S, E rummy 6S, D rummy 6S, C stock], expect: {turn: D, phase: play, hands: {D: "KH QH 6S"}, stock: 20}}
          - {do: [B discard 6S, E rummy 6S, D rummy 6S, D lay 6S@m1, D discard KH], expect: {turn: E, phase: window}}
          - {do: [B discard 6S, E rummy 6S, E rummy 6S], expect: {error: NO_CALL_WINDOW}}
          - {do: [B discard 6S, E rummy 6S, D lay 6S@m1], expect: {error: NOT_YOUR_TURN}}""",
    "D-R17 otherwise the call recorded first stands": """
        type: play
        players: 5
        state: {turn: B, phase: play, hands: {A: "2S", B: "6S KD", C: "KC QC", D: "KH QH", E: "3D 4D"}, pile: "2C", table: ["m1:R[7S 8S 9S]@A"]}
        do: [B discard 6S, E rummy 6S, C rummy 6S]
        expect: {error: NO_CALL_WINDOW, turn: E, phase: play}""",
    "a joker may be swapped for its very card": """
        type: play
        opts: {joker_swap: true}
        state: {turn: B, phase: play, hands: {A: "KS", B: "8C 9H 9D 2C", C: "3S"}, table: ["m1:R[6C 7C X1=8C]@A"]}
        variants:
          - {do: [B swap X1@m1 8C, B meld G 9H 9D X1, B discard 2C], expect: {ended: DISCARDED_OUT, table: ["m1:R[6C/A 7C/A 8C/B]", "m2:G[9H/B 9D/B X1/B]"]}}
          - {do: [B swap X1@m1 8C, B discard 2C], expect: {error: MUST_MELD_JOKER}}
          - {do: [B swap X1@m1 9H], expect: {error: JOKER_STAYS}}
          - {opts: {joker_swap: false}, do: [B swap X1@m1 8C], expect: {error: JOKER_STAYS}}""",
    "a swap does not meet the duty, but may help to": """
        type: play
        opts: {joker_swap: true}
        state: {turn: B, phase: draw, pile: "9S 4D", hands: {A: "KS", B: "8C 9H 2C KD", C: "3S"}, table: ["m1:R[6C 7C X1=8C]@A"]}
        variants:
          - {do: [B take 9S, B swap X1@m1 8C, B meld G 9S 9H X1, B discard 2C], expect: {hands: {B: "4D KD"}}}
          - {do: [B take 9S, B swap X1@m1 8C, B discard 2C], expect: {error: MUST_MELD_DEEP_CARD}}
          - {opts: {joker_swap: false}, do: [B take 9S], expect: {error: DEEP_CARD_UNMELDABLE}}""",
    "D-R05 a joker counts as what it stands for": """
        type: melds
        opts: {joker_scores: represented}
        rows:
          - {meld: "R X1=AH 2H 3H", valid: true, points: 6}
          - {meld: "R 6C 7C X1=8C", valid: true, points: 21}
          - {meld: "G 9S 9H X1", valid: true, points: 27}""",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_variation_comes_out_as_the_rules_say(case: str) -> None:
    lines = [
        line.strip() if not line.strip().startswith("- ") else "  " + line.strip()
        for line in textwrap.dedent(case).splitlines()
    ]
    results = list(check(BytesIO("\n".join(lines).encode())))
    assert results
    assert [(one.outcome, one.reason) for one in results] == [("passed", "")] * len(results)


def test_the_lowest_card_deals_first_and_ties_draw_again() -> None:
    ruleset = msgspec.structs.replace(SEED, first_dealer="low_card")
    opened = msgspec.structs.replace(simulate.opened(3, ruleset), first_dealer=None)
    state = RUMMY500.initial(opened)
    tied = DealerDrawn(draws=(Draw(0, "3S"), Draw(1, "X1"), Draw(2, "3H")), dealer=None)
    assert RUMMY500.judge(state, tied) == ()
    state = RUMMY500.evolve(state, tied)
    owed = RUMMY500.due(state)[0]
    assert isinstance(owed, DealerDrawn)
    assert [draw.seat for draw in owed.draws] == [0, 2]
    drawn = DealerDrawn(draws=(Draw(0, "KS"), Draw(2, "AH")), dealer=2)
    wrong = msgspec.structs.replace(drawn, dealer=0)
    assert [found.code for found in RUMMY500.judge(state, wrong)] == ["DEALER_WRONG"]
    assert RUMMY500.judge(state, drawn) == ()
    state = RUMMY500.evolve(state, drawn)
    shuffle = RUMMY500.due(state)[0]
    assert isinstance(shuffle, Shuffled)
    assert shuffle.dealer == 2


def test_the_service_draws_for_the_deal() -> None:
    ruleset = msgspec.structs.replace(SEED, first_dealer="low_card")
    opened = msgspec.structs.replace(simulate.opened(4, ruleset), first_dealer=None)
    state = RUMMY500.initial(opened)
    chance = random.Random(3)
    while state.phase == "cut":
        event = RUMMY500.shuffle(state, RUMMY500.due(state)[0], chance.shuffle)
        assert RUMMY500.judge(state, event) == ()
        state = RUMMY500.evolve(state, event)
    assert state.phase == "shuffle"


def test_a_refereed_table_has_no_claims() -> None:
    ruleset = msgspec.structs.replace(SEED, rummy_priority="turn_order")
    found = RUMMY500.problems(simulate.opened(4, ruleset))
    assert [one.code for one in found] == ["OPTIONS_CONTRADICT"]


def test_a_refereed_table_takes_a_prime_at_its_word_and_a_scribe_may_be_unsure() -> None:
    for mode, codes in (("refereed", ["NOT_IN_HAND"]), ("recorded", [])):
        opened = msgspec.structs.replace(opened_for(SEED, 5), mode=mode)
        given = {"turn": "A", "phase": "play", "hands": {"A": "7H 2C"}}
        state = RUMMY500.evolve(RUMMY500.initial(opened), read_position(given, "ABCDE"))
        found = RUMMY500.judge(state, Discarded(seat=0, card="7H'"))
        assert [one.code for one in found] == codes
        assert RUMMY500.judge(state, Discarded(seat=0, card="7H")) == ()
