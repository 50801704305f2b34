"""Draw, play, discard: the order of a turn, its duties, and that no legal act leads into a trap (R-6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.game import Violation
from events.rummy500.ending import (
    can_end,
    duty_plays,
    may_discard_some,
    outlook,
    plainly_ends,
)
from events.rummy500.events import PileTaken
from events.rummy500.referee import judge
from tests.events.rummy500 import oracle
from tests.events.rummy500.helpers import Table
from tests.events.rummy500.oracle import Options, Turn
from tests.events.rummy500.positions import hands, rules, seen, state_with, tables
from tests.profiles import examples

all_options = st.builds(
    Options,
    run_two_aces=st.just(False),
    around_corner=st.booleans(),
    must_keep_discard=st.booleans(),
    redraw_scope=st.sampled_from(["physical_card", "same_face", "any_taken"]),
    by_turn_end=st.booleans(),
    new_meld_only=st.booleans(),
)


@given(data=st.data(), options=all_options)
@examples(250)
def test_a_turn_can_end_as_brute_force_says(data: st.DataObject, options: Options) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    hand = data.draw(hands(packs, 5, 1))
    melds = data.draw(tables(2))
    taken = hand[: data.draw(st.integers(0, len(hand)))]
    duty = data.draw(st.sampled_from([None, *taken[:1]]))
    ruleset = rules(packs, options)
    state = state_with(
        ruleset, hand, melds, taken=taken, duty=duty, drawn="pile" if taken else "stock"
    )
    turn = Turn(hand, seen(melds), taken, len(taken) == 1, duty)
    assert can_end(outlook(state, 0)) == oracle.can_end(turn, options)


@given(data=st.data(), options=all_options)
@examples(200)
def test_a_draw_from_the_pile_is_refused_when_brute_force_finds_no_way(
    data: st.DataObject, options: Options
) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    cards = data.draw(hands(packs, 6, 1))
    depth = data.draw(st.integers(1, min(3, len(cards))))
    melds = data.draw(tables(2))
    hand, taken = cards[depth:], cards[:depth]
    state = state_with(rules(packs, options), hand, melds, phase="draw", pile=taken, drawn=None)
    owes = depth > 1 or options.new_meld_only
    turn = Turn(cards[depth:] + taken, seen(melds), taken, depth == 1, taken[0] if owes else None)
    found = judge(state, PileTaken(seat=0, cards=taken))
    assert (found == ()) == oracle.can_end(turn, options), found
    if found:
        assert isinstance(found[0], Violation)
        assert found[0].code == _why(turn, options)


def _why(turn: Turn, options: Options) -> str:
    """R-6.7, R-6.11: what stands in the way of a draw after which the turn cannot end."""
    relaxed = Options(
        **{**vars(options), "must_keep_discard": False, "redraw_scope": "physical_card"}
    )
    free = Turn(turn.hand, turn.table, (), False, turn.duty)
    if not oracle.can_end(free, relaxed):
        return "DEEP_CARD_UNMELDABLE"
    kept = Options(**{**vars(options), "must_keep_discard": False})
    if options.must_keep_discard and oracle.can_end(turn, kept) and _only_by_all(turn, options):
        return "MUST_KEEP_DISCARD"
    return "NO_LEGAL_DISCARD_LEFT"


def _only_by_all(turn: Turn, options: Options) -> bool:
    """Tell whether every way to meet the duty leaves an empty hand."""
    rests = [now for now in oracle.acts(turn, options) if turn.duty and now.duty is None]
    return bool(rests) and not any(now.hand for now in rests)


@given(data=st.data(), options=all_options)
@examples(200)
def test_a_glance_promises_no_end_that_the_search_does_not_find(
    data: st.DataObject, options: Options
) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    hand = data.draw(hands(packs, 14, 2))
    taken = hand[: data.draw(st.integers(0, len(hand)))]
    state = state_with(
        rules(packs, options), hand, (), taken=taken, duty=taken[0] if taken else None, drawn="pile"
    )
    view = outlook(state, 0)
    if plainly_ends(view):
        rests = []
        for play in duty_plays(view):
            rest = list(view.hand)
            for card in play.used:
                rest.remove(card)
            rests.append(tuple(rest))
        assert any(may_discard_some(rest, view.barred) for rest in rests)


@pytest.mark.parametrize(
    ("hand", "taken", "says"),
    [
        ("5S 5H 5D 9C JC", "5S", True),
        ("QS KS AS 9C JC", "AS", True),
        ("AS 2S 3S 9C JC", "2S", True),
        ("5S 5H X1 9C JC", "5S", False),
        ("KS AS 2S 9C JC", "AS", False),
        ("5S 5H 5D", "5S", False),
        ("5S 5H 5D 9C JC", "5S 9C", False),
    ],
)
def test_a_glance_sees_groups_and_sequences_of_natural_cards(
    hand: str, taken: str, says: bool
) -> None:
    own, lifted = tuple(hand.split()), tuple(taken.split())
    anything = Options(
        run_two_aces=False, around_corner=False, must_keep_discard=True,
        redraw_scope="any_taken", by_turn_end=True, new_meld_only=False,
    )  # fmt: skip
    state = state_with(rules(1, anything), own, (), taken=lifted, duty=lifted[0], drawn="pile")

    assert plainly_ends(outlook(state, 0)) == says


def test_a_bridge_is_chosen_so_that_a_card_is_left_to_discard() -> None:
    """R-6.7: which copy is the bridge decides whether one is left that may be thrown away."""
    opts = {"go_out": "discard_required", "redraw_scope": "any_taken", "packs": 2}
    table = ["m1:R[4S 5S 6S]@B"]
    twins = Table(opts=opts, pile="8S 7S", hands={"A": "7S'", "B": "2C", "C": "3C"}, table=table)
    twins.do("A take 8S", "A lay 7S@m1 8S@m1", "A discard 7S'")
    assert twins.state.ended == "DISCARDED_OUT"
    wild = Table(opts=opts, pile="8S X1", hands={"A": "7S", "B": "2C", "C": "3C"}, table=table)
    wild.do("A take 8S", "A lay X1=7S@m1 8S@m1", "A discard 7S")
    none = Table(opts=opts, pile="8S 7S", hands={"A": "", "B": "2C", "C": "3C"}, table=table)
    none.refuses("A take 8S", "MUST_KEEP_DISCARD", "V-5")


def test_a_turn_is_draw_then_play_then_discard() -> None:
    """R-6.1."""
    table = Table(pile="QC 9C", hands={"A": "5H 6H 7H 2S", "B": "AS", "C": "3D"})
    table.refuses("A discard 2S", "NOT_PLAY_PHASE")
    table.refuses("B stock", "NOT_YOUR_TURN")
    table.do("A stock 4H", "A meld R 4H 5H 6H 7H").refuses("A take 9C", "NOT_DRAW_PHASE")
    table.refuses("B lay AS@m1", "NOT_YOUR_TURN")
    table.do("A discard 2S")
    assert table.state.ended == "DISCARDED_OUT"
    table.refuses("B stock", "HAND_OVER", "R-7.4")


def test_the_first_action_after_a_deep_draw_has_the_deep_card() -> None:
    """R-6.6; the other cards taken may stay in hand, and any may be thrown away (R-6.10)."""
    table = Table(pile="9D 4S 2H 7C", hands={"A": "4H 4C TS TD TC", "B": "3S", "C": "3D"})
    table.do("A take 4S").refuses("A discard 7C", "MUST_MELD_DEEP_CARD", "R-6.6")
    table.refuses("A meld G TS TD TC", "MUST_MELD_DEEP_CARD", "R-6.6")
    table.do("A meld G 4S 4H 4C", "A meld G TS TD TC", "A discard 7C")
    assert (table.hand("A"), table.pile) == ("2H", "9D 7C")


def test_a_bridging_card_may_go_first_in_the_same_lay_off() -> None:
    """R-6.6, R-5.8."""
    table = Table(
        pile="9H 2C", hands={"A": "8H KC", "B": "3S", "C": "3D"}, table=["m1:R[5H 6H 7H]@B"]
    )
    table.do("A take 9H").refuses("A lay 8H@m1", "MUST_MELD_DEEP_CARD")
    table.do("A lay 8H@m1 9H@m1", "A discard 2C")


def test_by_turn_end_the_deep_card_may_come_later_but_not_never() -> None:
    """D-R09, R-6.11."""
    table = Table(
        opts={"deep_timing": "by_turn_end"},
        pile="4S 2H",
        hands={"A": "4H 4C KS KD KC", "B": "3S", "C": "3D"},
    )
    table.do("A take 4S", "A meld G KS KD KC").refuses("A discard 2H", "MUST_MELD_DEEP_CARD")
    table.do("A meld G 4S 4H 4C", "A discard 2H")
    other = Table(
        opts={"deep_timing": "by_turn_end"},
        pile="4S 2H",
        hands={"A": "4H 5H 6H 4C", "B": "3S", "C": "3D"},
    )
    other.do("A take 4S").refuses("A meld R 4H 5H 6H", "MUST_MELD_DEEP_CARD", "R-6.11")


def test_a_single_card_from_the_pile_may_be_kept_but_not_thrown_back() -> None:
    """R-6.3, R-6.4."""
    table = Table(pile="2D 9C", hands={"A": "5H", "B": "3S", "C": "3D"})
    table.do("A take 9C").refuses("A discard 9C", "REDISCARD_OF_DRAWN_TOP", "R-6.4")
    table.do("A discard 5H")
    assert table.hand("A") == "9C"


def test_taking_a_top_card_that_could_never_be_thrown_away_is_a_trap() -> None:
    """R-6.11: with an empty hand the card taken is the only one, and barred."""
    floor = Table(pile="2D 9C", hands={"A": "", "B": "3S", "C": "3D"})
    floor.refuses("A take 9C", "NO_LEGAL_DISCARD_LEFT", "R-6.11")
    fits = Table(pile="2D 9C", hands={"A": "", "B": "3S", "C": "3D"}, table=["m1:G[9S 9H 9D]@B"])
    fits.do("A take 9C", "A lay 9C@m1")
    assert fits.state.ended == "MELDED_OUT"


def test_melding_all_but_the_barred_card_is_a_trap() -> None:
    """R-6.11."""
    table = Table(pile="2D 9C", hands={"A": "5H 6H 7H", "B": "3S", "C": "3D"})
    table.do("A take 9C").refuses("A meld R 5H 6H 7H", "NO_LEGAL_DISCARD_LEFT", "R-6.11")
    table.do("A discard 5H")


def test_declining_needs_an_empty_stock_and_ends_the_deal() -> None:
    """R-6.12, R-7.3."""
    full = Table(pile="9C", hands={"A": "5H", "B": "3S", "C": "3D"}, stock=1)
    full.refuses("A pass", "MUST_DRAW", "R-6.12")
    dry = Table(pile="9C", hands={"A": "5H", "B": "3S", "C": "3D"}, stock=0)
    dry.refuses("A stock", "STOCK_EMPTY", "R-6.2").do("A pass")
    assert (dry.state.ended, dry.state.out) == ("STOCK_EXHAUSTED", None)


def test_with_stock_and_pile_empty_the_deal_ends_by_itself() -> None:
    """R-6.12."""
    table = Table(pile="8C 8D", stock=0, hands={"A": "8S 2C", "B": "3S", "C": "3D"})
    table.do("A take 8C", "A meld G 8C 8D 8S", "A discard 2C")
    assert table.state.ended == "DISCARDED_OUT"
    bare = Table(phase="window", turn="B", pile="", stock=0, hands={"A": "2C", "B": "3S", "C": ""})
    bare.settle()
    assert bare.state.ended == "STOCK_EXHAUSTED"


def test_a_lay_off_is_carried_out_whole_or_not_at_all() -> None:
    """R-5.8."""
    table = Table(
        phase="play",
        hands={"A": "8H 9H 2C KC", "B": "3S", "C": "3D"},
        table=["m1:R[5H 6H 7H]@B", "m2:G[2S 2H 2D]@C"],
    )
    before = table.state
    table.refuses("A lay 9H@m1 8H@m1", "RUN_END", "R-5.3")
    table.refuses("A lay 8H@m1 2C@m2", "ONE_MELD_PER_LAYOFF", "R-5.8")
    table.refuses("A lay 8H@m7", "NO_SUCH_MELD", "R-5.5")
    table.refuses("A lay 8H@m1 8H@m1", "NOT_IN_HAND")
    assert table.state == before
    table.do("A lay 8H@m1 9H@m1", "A lay 2C@m2", "A discard KC")


def test_several_breaches_come_in_the_order_phase_object_shape_duty() -> None:
    table = Table(pile="9C", hands={"A": "5H", "B": "3S", "C": "3D"}, table=["m1:R[5C 6C 7C]@B"])
    assert table.codes("B meld G m1: KS KH") == [
        *("NOT_YOUR_TURN", "MELD_ID_TAKEN", "NOT_IN_HAND", "MELD_SIZE")
    ]
    assert table.codes("A lay 8H@m1") == ["NOT_PLAY_PHASE", "NOT_IN_HAND", "RUN_SUIT"]
    assert table.codes("A discard 8H") == ["NOT_PLAY_PHASE", "NOT_IN_HAND"]
