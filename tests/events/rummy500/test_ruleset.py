"""Every option that is built has a test of what it changes; what is not built or contradicts is refused."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.common import DealEnded, DealScored, Shuffled
from events.rummy500.events import StockRenewed
from events.rummy500.ruleset import (
    PRESETS,
    Ruleset,
    deal_size_for,
    pack_size,
    packs_for,
    problems,
)
from tests.events.rummy500.helpers import Table
from tests.profiles import examples
from tests.simulate import RUMMY, opened, play


def with_options(**opts: Any) -> Any:
    """Return a table maker for these options and for the seed's, to show the difference."""

    def make(**position: Any) -> tuple[Table, Table]:
        return Table(opts=opts, **position), Table(**position)

    return make


HANDS = {"A": "9C 4S", "B": "3S", "C": "", "D": "", "E": ""}


@pytest.mark.parametrize(
    ("players", "jokers", "cards", "deal"),
    [(2, 2, 54, 13), (3, 2, 54, 7), (4, 2, 54, 7), (5, 2, 108, 7), (8, 2, 108, 7), (8, 0, 104, 7)],
)
def test_packs_and_hands_go_by_the_number_of_players(
    players: int, jokers: int, cards: int, deal: int
) -> None:
    """R-1.2, R-1.3, V-1."""
    ruleset = Ruleset(jokers_per_pack=jokers)
    assert (pack_size(ruleset, players), deal_size_for(ruleset, players)) == (cards, deal)
    assert packs_for(ruleset, players) == (1 if players <= 4 else 2)
    assert packs_for(Ruleset(packs=2), players) == 2


@pytest.mark.parametrize(("size", "seats"), [(10, 2), (5, 4), (3, 8)])
def test_deal_size(size: int, seats: int) -> None:
    log = play(1, seats, Ruleset(deal_size=(size,) * 7))
    hands = [len(event.cards) for event in log[2 : 2 + seats]]  # type: ignore[union-attr]
    assert hands == [size] * seats


def test_max_players() -> None:
    found = problems(opened(4, Ruleset(max_players=3)))
    assert [one.code for one in found] == ["TOO_MANY_PLAYERS"]
    assert problems(opened(3, Ruleset(max_players=3))) == ()


@pytest.mark.parametrize(
    ("opts", "option"),
    [
        ({"illegal_final_discard": "challenge"}, "illegal_final_discard"),
        ({"illegal_final_discard": "challenge", "go_out": "floating"}, "illegal_final_discard"),
        ({"floater_calls": False}, "floater_calls"),
        ({"floater_draw": "stock_only"}, "floater_draw"),
        ({"rummy": "none", "rummy_window": "also_after_meld"}, "rummy_window"),
        ({"rummy": "none", "rummy_priority": "turn_order"}, "rummy_priority"),
        ({"rummy": "none", "call_meld_may_use_hand": False}, "call_meld_may_use_hand"),
        ({"rummy": "none", "false_call_penalty": 5}, "false_call_penalty"),
        ({"run_two_aces": True, "runs": "around_corner"}, "run_two_aces"),
        ({"variant": "rummy5000"}, "variant"),
        ({"variant": "rummy5000", "jokers_per_pack": 1}, "variant"),
        ({"preset": "rummy5000", "joker_swap": True}, "joker_swap"),
        ({"preset": "rummy5000", "deal_size": (7,) * 7}, "deal_size"),
        ({"wild_swap": True}, "wild_swap"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_options_that_contradict_one_another_are_refused(opts: dict[str, Any], option: str) -> None:
    """12.10."""
    preset = PRESETS[opts.get("preset", "seed")]
    found = problems(opened(3, msgspec.structs.replace(preset, **opts)))
    clashes = [one for one in found if one.code == "OPTIONS_CONTRADICT"]
    assert option in [one.params["option"] for one in clashes]
    assert all(one.params["expected"] for one in clashes)


def test_rummy5000_is_not_for_two() -> None:
    found = problems(opened(2, Ruleset(variant="rummy5000", jokers_per_pack=0)))
    assert "3 to 8 players" in [one.params["expected"] for one in found]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_opened_under_its_name(name: str) -> None:
    ruleset = PRESETS[name]
    assert ruleset.preset == name
    assert problems(opened(3, ruleset, "recorded")) == ()


@given(st.data())
@examples(40)
def test_whatever_is_opened_can_be_dealt(data: st.DataObject) -> None:
    """R-1.3: no ruleset passes that has fewer cards than hands and upcard need."""
    seats = data.draw(st.integers(2, 8))
    ruleset = Ruleset(
        packs=data.draw(st.integers(0, 2)),
        jokers_per_pack=data.draw(st.integers(0, 2)),
        deal_size=(data.draw(st.integers(1, 26)),) * 7,
    )
    opening = opened(seats, ruleset)
    if problems(opening):
        assert pack_size(ruleset, seats) < seats * deal_size_for(ruleset, seats) + 1
        return
    state = RUMMY.initial(opening)
    while owed := RUMMY.due(state):
        state = RUMMY.evolve(state, RUMMY.shuffle(state, owed[0], list.reverse))
    assert (state.phase, len(state.pile), state.surplus) == ("draw", 1, ())
    assert {len(hand) for hand in state.hands} == {ruleset.deal_size[0]}


def test_players_must_be_different_and_the_dealer_one_of_them() -> None:
    opening = opened(3)
    twice = msgspec.structs.replace(opening, seats=(opening.seats[0],) * 3)
    assert [one.code for one in problems(twice)] == ["PLAYER_TWICE"]
    assert [one.code for one in problems(msgspec.structs.replace(opening, first_dealer=3))] == [
        "DEALER_UNKNOWN"
    ]


def test_pile_rule_always_meld() -> None:
    """V-3a: also a single card owes; a lay-off pays."""
    make = with_options(pile_rule="always_meld")
    option, seed = make(pile="6D 9C", hands={"A": "2C 9S", "B": "3S"}, table=["m1:R[6C 7C 8C]@B"])
    seed.do("A take 9C", "A discard 2C")
    option.do("A take 9C").refuses("A discard 2C", "MUST_MELD_DEEP_CARD", "V-3a")
    option.do("A lay 9C@m1", "A discard 2C")
    bare, _ = make(pile="6D 9C", hands={"A": "2C 9S", "B": "3S"})
    bare.refuses("A take 9C", "DEEP_CARD_UNMELDABLE", "R-6.7")


def test_pile_rule_always_new_meld() -> None:
    """V-3b: a lay-off does not pay, but in a call it does (D-R23)."""
    make = with_options(pile_rule="always_new_meld")
    option, seed = make(
        pile="6D 9C KH", hands={"A": "2C 9H 9S", "B": "3S"}, table=["m1:R[6C 7C 8C]@B"]
    )
    seed.do("A take 9C", "A lay 9C@m1", "A discard KH")
    option.do("A take 9C").refuses("A lay 9C@m1", "MUST_BE_NEW_MELD", "V-3b")
    option.do("A meld G 9C 9H 9S", "A discard KH")
    call, _ = make(phase="play", hands={"A": "9C KD", "B": "3S 4S"}, table=["m1:R[6C 7C 8C]@B"])
    call.do("A discard 9C", "B rummy 9C", "B lay 9C@m1", "B discard 3S")


def test_deep_timing() -> None:
    """D-R09."""
    make = with_options(deep_timing="by_turn_end")
    option, seed = make(pile="4S 2H", hands={"A": "4H 4C KS KD KC", "B": "3S"})
    for table in (option, seed):
        table.do("A take 4S")
    seed.refuses("A meld G KS KD KC", "MUST_MELD_DEEP_CARD")
    option.do("A meld G KS KD KC", "A meld G 4S 4H 4C", "A discard 2H")


@pytest.mark.parametrize(
    ("scope", "twin", "other"),
    [("physical_card", True, True), ("same_face", False, True), ("any_taken", True, False)],
)
def test_redraw_scope(scope: str, twin: bool, other: bool) -> None:
    """R-6.4, D-R13, 12.11: the twin of a single card drawn; the top card of a deep draw."""
    single = Table(opts={"redraw_scope": scope}, pile="2D 9C", hands=HANDS | {"A": "9C' 4S"})
    single.do("A take 9C").refuses("A discard 9C", "REDISCARD_OF_DRAWN_TOP")
    assert (single.codes("A discard 9C'") == []) == twin
    deep = Table(opts={"redraw_scope": scope}, pile="9C 2D", hands=HANDS | {"A": "9S 9H 4S"})
    deep.do("A take 9C", "A meld G 9C 9S 9H")
    assert (deep.codes("A discard 2D") == []) == other


def test_stock_out_end_at_once() -> None:
    """D-R12: the deal ends after the turn that drew the last stock card, without a window."""
    option, seed = with_options(stock_out="end_at_once")(
        pile="2D", stock="9C", hands={"A": "4S", "B": "3S"}
    )
    for table in (option, seed):
        table.do("A stock", "A discard 9C")
    assert (option.state.ended, option.state.out) == ("STOCK_EXHAUSTED", None)
    assert seed.state.phase == "window"


def test_stock_out_reshuffle_all_but_top() -> None:
    """D-R12: the top stays, the rest is drawn from; a pile of one card ends the deal."""
    option, seed = with_options(stock_out="reshuffle_all_but_top")(
        pile="2D 9C 5H", stock=0, hands={"A": "4S", "B": "3S"}
    )
    option.refuses("A pass", "MUST_DRAW", "R-6.12").refuses("A stock", "STOCK_EMPTY")
    option.refuses(StockRenewed(seat=0, stock=("5H", "2D"), pile=("9C",)), "CARD_TWICE")
    option.refuses(StockRenewed(seat=0, stock=("2D",), pile=("5H",)), "DEAL_COUNT")
    option.refuses(StockRenewed(seat=1, stock=("9C", "2D"), pile=("5H",)), "NOT_YOUR_TURN")
    option.do(StockRenewed(seat=0, stock=("9C", "2D"), pile=("5H",)))
    option.refuses("A take 5H", "MUST_DRAW", "R-6.12").do("A stock 9C", "A discard 4S")
    assert (option.pile, len(option.state.stock)) == ("5H 4S", 1)
    seed.refuses(StockRenewed(seat=0, stock=("9C", "2D"), pile=("5H",)), "STOCK_EMPTY")
    one, _ = with_options(stock_out="reshuffle_all_but_top")(
        pile="2D", stock=0, hands={"A": "4S", "B": "3S"}
    )
    assert one.do("A pass").state.ended == "STOCK_EXHAUSTED"


def test_stock_out_reshuffle_all_turn_one() -> None:
    """D-R12: the whole pile is shuffled and one card turned up."""
    option, _ = with_options(stock_out="reshuffle_all_turn_one")(
        pile="2D 9C 5H", stock=0, hands={"A": "4S", "B": "3S"}
    )
    option.do(StockRenewed(seat=0, stock=("5H", "9C"), pile=("2D",)), "A stock 5H")
    assert option.pile == "2D"


def test_a_stock_that_lasts_is_not_renewed() -> None:
    option, _ = with_options(stock_out="reshuffle_all_but_top")(
        pile="2D 9C", stock=1, hands={"A": "4S", "B": "3S"}
    )
    option.refuses(StockRenewed(seat=0, stock=("2D",), pile=("9C",)), "MUST_DRAW")


def test_go_out_discard_required() -> None:
    """V-5."""
    option, seed = with_options(go_out="discard_required")(
        phase="play", hands={"A": "5H 6H 7H", "B": "3S"}
    )
    assert seed.do("A meld R 5H 6H 7H").state.ended == "MELDED_OUT"
    option.refuses("A meld R 5H 6H 7H", "MUST_KEEP_DISCARD", "V-5").do("A discard 5H")
    deep, _ = with_options(go_out="discard_required")(pile="8C 8D", hands={"A": "8S", "B": "3S"})
    deep.refuses("A take 8C", "MUST_KEEP_DISCARD", "V-5")


def test_runs_around_corner() -> None:
    """12.11: lay-offs only; END_UNDECLARED where the last missing card fits both ends."""
    option, seed = with_options(runs="around_corner")(
        phase="play",
        hands={"A": "KH QH 2C 2D 3D KD AD", "B": "3S"},
        table=["m1:R[AH 2H 3H]@B", "m2:R[QC KC AC]@B"],
    )
    seed.refuses("A lay KH@m1", "RUN_END").refuses("A lay 2C@m2", "RUN_END")
    option.refuses("A meld R KD AD 2D", "RUN_NOT_CONSECUTIVE", "R-3.5")
    option.do("A lay KH@m1 QH@m1", "A lay 2C@m2")
    assert [laid.card for laid in option.state.table[0].cards] == ["QH", "KH", "AH", "2H", "3H"]
    full, _ = with_options(runs="around_corner")(
        phase="play",
        hands={"A": "KS 2C X1", "B": "3S"},
        table=["m1:R[AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS]@B"],
    )
    full.refuses("A lay KS@m1", "END_UNDECLARED", "R-5.3").do("A lay KS@m1:low")
    full.refuses("A lay X1=QS@m1:low", "RUN_END").do("A discard 2C")


def test_run_two_aces() -> None:
    """D-R06."""
    position: dict[str, Any] = {
        "players": 5,
        "phase": "play",
        "hands": {"A": "AS' 2C", "B": "3S"},
        "table": ["m1:R[AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS]@B"],
    }
    option, seed = with_options(run_two_aces=True)(**position)
    seed.refuses("A lay AS'@m1", "RUN_END", "R-5.3")
    option.do("A lay AS'@m1", "A discard 2C")


def test_jokers_per_pack_and_packs() -> None:
    """V-1."""
    option, seed = with_options(jokers_per_pack=0)(phase="play", hands={"A": "?? ??", "B": "3S"})
    option.refuses("A discard X1", "NOT_IN_HAND")
    assert seed.codes("A discard X1") == []
    two, _ = with_options(packs=2)(phase="play", hands={"A": "?? ??", "B": "3S"})
    assert two.codes("A discard 3S") == []
    seed.refuses("A discard 3S'", "NOT_IN_HAND")


@pytest.mark.parametrize(
    ("least", "cards", "ok"),
    [
        (1, "R KS X1=AS QS", False),
        (1, "G KS X1 X2", True),
        (2, "G KS X1 X2", False),
        (2, "G KS KH X1", True),
        (3, "G KS KH X1", False),
        (3, "G KS KH KD X1", True),
        (2, "R 5H X1=6H X2=7H", False),
        (2, "R 5H X1=6H X2=7H 8H", True),
        (3, "R 5H X1=6H X2=7H 8H", False),
        (3, "R 5H X1=6H X2=7H 8H 9H", True),
    ],
)
def test_min_naturals(least: int, cards: str, ok: bool) -> None:
    """R-4.7, D-R07."""
    hands = {"A": "KS KH KD QS X1 X2 5H 8H 9H 2C", "B": "3S"}
    table = Table(opts={"min_naturals": least}, phase="play", hands=hands)
    found = table.codes(f"A meld {cards}")
    assert (found == []) == ok
    assert ok or found[0] in ("MELD_NEEDS_NATURAL", "RUN_NOT_CONSECUTIVE")


@pytest.mark.parametrize(
    ("least", "pile", "hand", "ok"),
    [
        # the deep card is a joker: with two natural cards it is enough for two, not for three
        (2, "X1 2C", "KS KH 4D", True),
        (3, "X1 2C", "KS KH 4D", False),
        (3, "X1 2C", "KS KH KD 4D", True),
        (3, "X1 2C", "5H 6H 7H 4D", True),
        # the deep card is natural and needs jokers as bridges
        (2, "5H 2C", "X1 X2 8H 4D", True),
        (3, "5H 2C", "X1 X2 8H 4D", False),
        (3, "5H 2C", "X1 X2 8H 9H 4D", True),
    ],
)
def test_min_naturals_decides_what_can_be_taken(least: int, pile: str, hand: str, ok: bool) -> None:
    """R-6.7 with melds of more than three cards."""
    table = Table(opts={"min_naturals": least}, pile=pile, hands={"A": hand, "B": "3S"})
    taken = pile.split(maxsplit=1)[0]
    assert (table.codes(f"A take {taken}") == []) == ok
    if ok:
        table.do(f"A take {taken}")
        assert any(True for _ in RUMMY.legal(table.state, 0))


def test_min_naturals_and_calls() -> None:
    """R-8.1: a called card needs its natural cards above it in the pile."""
    position: dict[str, Any] = {
        "phase": "play",
        "pile": "5H X1 X2 8H",
        "hands": {"A": "9H 2C", "B": "3S", "C": "4S"},
    }
    for least, callable_cards in ((1, "X1 5H"), (2, "5H"), (3, "5H")):
        table = Table(opts={"min_naturals": least}, **position).do("A discard 9H")
        assert set(callable_cards.split()) <= set(table.callable.split()), least
    strict = Table(opts={"min_naturals": 3}, **position).do("A discard 2C")
    assert "5H" not in strict.callable.split()


def test_a_joker_that_must_go_down_can_be_bridged_to() -> None:
    """R-6.7: what is barred and lies between goes down with it, further out than the joker needs."""
    opts = {"redraw_scope": "any_taken"}
    table = Table(
        opts=opts, pile="X1 4H 5H", hands={"A": "", "B": "3S"}, table=["m1:R[AH 2H 3H]@B"]
    )
    table.do("A take X1", "A lay 4H@m1 5H@m1 X1=6H@m1")
    assert table.state.ended == "MELDED_OUT"


def test_next_dealer_and_first_player() -> None:
    """R-1.5, D-R03, 12.11: who deals next, who begins."""

    def second_deal(**opts: Any) -> tuple[int, int, int | None]:
        ruleset = Ruleset(target=5000, **opts)
        log, out = _deal_won_by_another(ruleset)
        dealers = [event.dealer for event in log if isinstance(event, Shuffled)]
        state = RUMMY.initial(opened(3, ruleset))
        for event in log[1:]:
            state = RUMMY.evolve(state, event)
            if state.deal == 2 and state.phase == "draw":
                break
        return dealers[1], state.turn, out

    assert second_deal()[:2] == (1, 2)
    dealer, turn, out = second_deal(next_dealer="hand_winner")
    assert (dealer, turn) == (out, (dealer + 1) % 3)
    assert second_deal(first_player="fixed")[:2] == (1, 1)


def _deal_won_by_another(ruleset: Ruleset) -> tuple[list[Any], int | None]:
    """A game of three whose first deal was won by somebody else than the player who would deal next."""
    for seed in range(30):
        log = play(seed, 3, ruleset, deals=2)
        out = next(event.out for event in log if isinstance(event, DealEnded))
        if out in (0, 2):
            return log, out
    raise AssertionError("no such deal")


def test_first_player_recorded() -> None:
    """12.11: the record says who began; after that turns go on from there."""
    log = play(1, 3, Ruleset(first_player="recorded"), mode="recorded")
    state = RUMMY.initial(log[0])  # type: ignore[arg-type]
    for event in log[1:6]:
        state = RUMMY.evolve(state, event)
    assert state.anyone_starts
    for seat in range(3):
        assert list(RUMMY.legal(state, seat)) != []
    first = next(act for act in RUMMY.legal(state, 2) if type(act).__name__ == "StockDrawn")
    after = RUMMY.evolve(state, first)
    assert (after.turn, after.anyone_starts) == (2, False)


def test_target_and_target_test() -> None:
    """D-R21, V-9a: the game ends when it is reached."""

    def last_total(ruleset: Ruleset) -> int:
        log = play(1, 2, ruleset, deals=500)
        scored = [event for event in log if isinstance(event, DealScored)]
        best = [max(total or 0 for total in event.totals) for event in scored]
        assert all(total < ruleset.target for total in best[:-1])
        return best[-1]

    assert last_total(Ruleset(target=60)) >= 60
    assert last_total(Ruleset(target=120)) >= 120


def test_win_must_go_out_takes_no_other_winner() -> None:
    """V-8; the totals themselves are tested with the scores."""
    log = play(4, 2, Ruleset(target=40, win="must_go_out"), deals=500)
    ends = [event for event in log if type(event).__name__ == "DealEnded"]
    assert log[-1].winner == ends[-1].out  # type: ignore[union-attr]
