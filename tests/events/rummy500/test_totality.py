"""Whatever a record says, it can be replayed and judged: nothing raises, and no card comes or goes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import UNKNOWN, lies_as, physical
from events.codec import decode, encode
from events.common import Dealt, GameOpened
from events.rummy500.events import (
    Discarded,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    Placement,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from tests.events.strategies import any_event, likely_event, rulesets
from tests.profiles import examples
from tests.simulate import RUMMY, opened, play

GAME = "rummy500"


def cards_of(state: State) -> list[str]:
    """Every card that the record has anywhere."""
    table = (laid for meld in state.table for laid in (*meld.cards, *meld.beside))
    hands = (card for hand in state.hands for card in hand)
    return [*state.stock, *state.pile, *hands, *(physical(laid.card) for laid in table)]


@st.composite
def records(draw: st.DrawFn) -> tuple[int, Ruleset, list[RummyEvent]]:
    seats = draw(st.integers(2, 4))
    ruleset = draw(rulesets(seats))
    return seats, ruleset, draw(st.lists(likely_event(seats), max_size=14))


def take(state: State, event: RummyEvent) -> State:
    """Carry on with an event whatever it is, asking everything that can be asked on the way."""
    after = RUMMY.evolve(state, event)
    assert RUMMY.judge(state, event, after) == RUMMY.judge(state, event)
    RUMMY.normal(state, event)
    RUMMY.complete(state, event)
    for fact in RUMMY.due(after):
        assert decode(GAME, encode(fact)) == fact
    for seat in range(after.seats):
        for act in RUMMY.legal(after, seat):
            assert decode(GAME, encode(act)) == act
    return after


@given(records())
@examples(150)
def test_every_record_is_replayed_and_no_card_comes_or_goes(
    record: tuple[int, Ruleset, list[RummyEvent]],
) -> None:
    seats, ruleset, events = record
    state = RUMMY.initial(opened(seats, ruleset))
    for event in events:
        before, state = state, take(state, event)
        if before.in_play == state.in_play:
            assert len(cards_of(state)) - len(state.surplus) == (
                len(cards_of(before)) - len(before.surplus)
            ), event


@given(st.lists(any_event(), max_size=6))
@examples(80)
def test_events_about_another_table_are_passed_over(events: list[Any]) -> None:
    state = RUMMY.initial(opened(2))
    for event in events:
        state = take(state, event)
    assert len(state.hands) == len(state.totals) == 2


@given(seed=st.integers(0, 500), data=st.data())
@examples(25)
def test_nonsense_in_the_middle_of_a_game_is_survived(seed: int, data: st.DataObject) -> None:
    events = play(seed, data.draw(st.sampled_from([2, 3, 5])), mode="recorded")
    at = data.draw(st.integers(1, len(events)))
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = RUMMY.initial(opening)
    nonsense = data.draw(st.lists(likely_event(state.seats), min_size=1, max_size=4))
    for event in (*events[1:at], *nonsense, *events[at:]):
        state = take(state, event)


def dealt_table(*hands: str, packs: int = 1, **changes: Any) -> State:
    """A table in the middle of seat 0's turn that holds these hands and nothing else."""
    state = RUMMY.initial(opened(len(hands), Ruleset(packs=packs)))
    values = {name: getattr(state, name) for name in State.__struct_fields__}
    cards = tuple(tuple(hand.split()) for hand in hands)
    in_play = sum(map(len, cards)) + sum(len(changes.get(name, ())) for name in ("stock", "pile"))
    return State(
        **values | {"hands": cards, "in_play": in_play, "phase": "play", "drawn": "stock"} | changes
    )


def test_a_second_hand_is_added_to_the_first() -> None:
    state = dealt_table("7H", "2C", stock=("5D", "6D"), phase="deal")
    after = RUMMY.evolve(state, Dealt(seat=0, cards=("5D",)))
    assert after.hands[0] == ("7H", "5D")
    assert after.stock == ("6D",)


def test_a_hand_written_without_primes_is_the_one_that_the_deck_gives() -> None:
    state = RUMMY.initial(opened(5))
    deck = ("7H'", "2C'", "3C", "4C", "5C", "6C", "7C", "7H", *("??",) * 100)
    (shuffle,) = RUMMY.due(state)
    values = {name: getattr(shuffle, name) for name in shuffle.__struct_fields__}
    state = RUMMY.evolve(state, type(shuffle)(**values | {"deck": deck}))
    after = RUMMY.evolve(state, Dealt(seat=1, cards=("7H", "6C", *("??",) * 5)))
    assert after.hands[1][:2] == ("7H'", "6C")
    assert "7H" in after.stock
    assert "7H'" not in after.stock


def test_a_joker_that_is_not_on_the_meld_comes_from_where_it_is() -> None:
    state = dealt_table("8C 2D", "X1 3D")
    after = RUMMY.evolve(state, JokerSwapped(seat=0, meld=1, joker="X1", card="8C"))
    assert after.hands == (("2D", "X1"), ("3D",))
    assert sorted(cards_of(after)) == ["2D", "3D", "8C", "X1"]


def test_a_called_card_goes_down_as_the_card_that_it_is() -> None:
    lay = Placement("3S", 1, None)
    call = RummyCalled(seat=1, card="2S", accepted=True, code=None, cards=(), lay=lay)
    after = RUMMY.evolve(dealt_table("7H", "2C", pile=("3S", "2S")), call)
    assert sorted(cards_of(after)) == ["2C", "2S", "3S", "7H"]
    assert after.pile == ("2S",)


def test_a_new_stock_leaves_what_it_does_not_name_on_the_pile() -> None:
    state = dealt_table("7H", "2C", pile=("3S", "4S", "5S"), phase="draw")
    after = RUMMY.evolve(state, StockRenewed(seat=0, stock=("4S", "2C"), pile=("??",)))
    assert (after.stock, after.pile) == (("4S", "2C"), ("3S", "??"))
    assert after.hands == (("7H",), ())


def test_a_natural_card_lies_as_itself_whatever_is_written_of_it() -> None:
    assert lies_as("7H", "7H=8H") == "7H"
    assert lies_as("X1", "X1=8H") == "X1=8H"
    state = dealt_table("7H 8H 9H 2C", "2D")
    melded = MeldLaid(seat=0, meld=1, kind="sequence", cards=("7H=7H", "8H", "9H"))
    after = RUMMY.evolve(state, melded)
    assert [laid.card for laid in after.table[0].cards] == ["7H", "8H", "9H"]


def test_a_lay_off_on_no_meld_lies_alone_and_counts() -> None:
    state = dealt_table("7H 8H", "2D")
    after = RUMMY.evolve(state, LaidOff(seat=0, cards=(Placement("7H", 9, None),)))
    assert after.hands[0] == ("8H",)
    assert after.table[0].beside[0].card == "7H"
    assert UNKNOWN not in cards_of(after)


@pytest.mark.parametrize("rummy", ["full", "latest_layoff"])
@pytest.mark.parametrize("cards", ["", "4D", "4D 9S", "KC KC KC KC KC"])
@pytest.mark.parametrize("lay", [None, Placement("9S", 1, None), Placement("4D", 7, "low")])
def test_a_call_in_the_middle_of_a_turn_is_survived_however_it_is_written(
    rummy: Any, cards: str, lay: Placement | None
) -> None:
    """What was noted of it is looked up at the turn's discard (D-R16), where a call has named nothing too."""
    ruleset = Ruleset(rummy=rummy, rummy_window="also_after_meld")
    state = dealt_table("7H 8C", "2C 3C", pile=("4D", "9S"), played=True, ruleset=ruleset)
    call = RummyCalled(
        seat=1, card="4D", accepted=True, code=None, cards=tuple(cards.split()), lay=lay
    )
    for event in (call, Discarded(seat=0, card="7H"), StockDrawn(seat=1, card=UNKNOWN)):
        state = take(state, event)
    assert {"4D", "9S", "7H", "8C", "2C", "3C"} <= set(cards_of(state))
