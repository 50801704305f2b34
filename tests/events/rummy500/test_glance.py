"""The glance over a pile before the exact search: it may let too much pass, never too little."""

import random

from hypothesis import given
from hypothesis import strategies as st

from events.cards import UNKNOWN, build_pack, physical
from events.rummy500.glance import promising
from events.rummy500.reach import callable_cards, is_callable
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from tests.events.strategies import rulesets
from tests.profiles import examples
from tests.simulate import RUMMY, opened, play


def some_table(seed: int, seats: int, ruleset: Ruleset, chance: random.Random) -> State:
    """The table as it lay at some moment of a made-up deal."""
    events = play(seed, seats, ruleset)[1:]
    state = RUMMY.initial(opened(seats, ruleset))
    for event in events[: chance.randint(len(events) // 2, len(events))]:
        state = RUMMY.evolve(state, event)
    return state


def some_pile(state: State, chance: random.Random) -> tuple[str, ...]:
    """Cards that do not lie on the table, some of them unknown."""
    lying = {physical(laid.card) for meld in state.table for laid in meld.cards}
    pack = build_pack(state.packs, state.ruleset.jokers_per_pack)
    rest = [card for card in pack if card not in lying]
    cards = chance.sample(rest, min(len(rest), chance.randint(1, 25)))
    return tuple(UNKNOWN if chance.random() < 0.1 else card for card in cards)


@given(seats=st.integers(2, 6), seed=st.integers(0, 5000), data=st.data())
@examples(30)
def test_no_callable_card_is_passed_over(seats: int, seed: int, data: st.DataObject) -> None:
    ruleset = data.draw(
        rulesets(seats, rummy=data.draw(st.sampled_from(["full", "latest_layoff"])))
    )
    chance = random.Random(seed)
    state = some_table(seed, seats, ruleset, chance)
    for _ in range(8):
        pile = some_pile(state, chance)
        places = range(len(pile) - 1, -1, -1)
        every = [at for at in places if is_callable(at, pile, state.table, ruleset, state.wilds)]
        assert set(every) <= set(promising(pile, state.table, state.wilds))
        assert callable_cards(pile, state.table, ruleset, state.wilds) == tuple(
            pile[at] for at in every
        )


def test_a_glance_rules_out_most_of_a_pile() -> None:
    assert list(promising(("2C", "9H", "KS", "5D"), ())) == []
    assert list(promising(("7H", "2C", "7S", "7D"), ())) == [0]
    assert list(promising(("KH", "2H", "AH"), ())) == [0]
    assert list(promising(("KH", "X1", "AH"), ())) == [1, 0]
