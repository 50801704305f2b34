"""The laws of the rules: `judge` agrees with `legal` and `due`, cards are conserved, play never gets stuck."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import UNKNOWN, build_pack, is_joker
from events.common import (
    DealerDrawn,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.rummy500.events import PositionSet, RummyEvent
from events.rummy500.ruleset import PRESETS, Ruleset
from events.rummy500.state import Meld, State
from tests.events.rummy500.mutants import mutants
from tests.events.rummy500.test_totality import cards_of
from tests.events.strategies import rulesets
from tests.profiles import examples
from tests.simulate import RUMMY, next_event, opened, play

# What a record says beside the acts and the dealer's and scorer's facts: no law says when it may be said.
OUTSIDE = (Remarked, Retracted, PositionSet, GameOpened, DealerDrawn, Redealt)


def walk(seed: int, seats: int, ruleset: Ruleset, steps: int) -> tuple[State, random.Random]:
    """Return a table after so many legal events made up from a seed."""
    rng = random.Random(seed)
    state = RUMMY.initial(opened(seats, ruleset))
    for _ in range(steps):
        if state.phase == "ended":
            break
        state = RUMMY.evolve(state, next_event(state, rng))
    return state, rng


@st.composite
def tables(draw: st.DrawFn) -> tuple[State, random.Random]:
    seats = draw(st.sampled_from([2, 3, 4, 5, 8]))
    ruleset = draw(rulesets(seats))
    return walk(draw(st.integers(0, 10_000)), seats, ruleset, draw(st.integers(0, 150)))


def listed(state: State) -> list[RummyEvent]:
    acts = [act for seat in range(state.seats) for act in RUMMY.legal(state, seat)]
    return [*acts, *RUMMY.due(state)]


def matches(event: Any, expected: Any) -> bool:
    """Tell whether an event is the expected one, `??` standing for whatever a deck or shuffle decides."""
    left, right = msgspec.to_builtins(event), msgspec.to_builtins(expected)
    if isinstance(expected, Shuffled):
        left["method"] = right["method"] = ""
    return _agrees(left, right)


def _agrees(left: Any, right: Any) -> bool:
    if right == UNKNOWN:
        return isinstance(left, str)
    if isinstance(right, dict) and isinstance(left, dict):
        return left.keys() == right.keys() and all(_agrees(left[k], right[k]) for k in right)
    if isinstance(right, list | tuple) and isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(_agrees, left, right))
    return bool(left == right)


def is_outside(event: Any) -> bool:
    refused = getattr(event, "accepted", True) is False
    return refused or getattr(event, "abandoned", False) or isinstance(event, OUTSIDE)


@given(tables())
@examples(60, shrink=False)
def test_an_act_is_listed_exactly_when_nothing_speaks_against_it(
    table: tuple[State, random.Random],
) -> None:
    state, rng = table
    acts = listed(state)
    for act in acts:
        assert RUMMY.judge(state, act) == (), act
        assert RUMMY.normal(state, act) == act
    for act in mutants(state, acts, rng):
        if RUMMY.judge(state, act) != () or is_outside(act):
            continue
        plain = RUMMY.normal(state, act)
        assert any(matches(plain, one) for one in acts), (act, plain)
        assert shown(RUMMY.evolve(state, act)) == shown(RUMMY.evolve(state, plain)), act


def shown(state: State) -> dict[str, Any]:
    """A table as people see it: no numbers of melds, a group in any order, of alike cards any one."""
    values = {name: getattr(state, name) for name in State.__struct_fields__}
    hands = [sorted(map(_face, hand)) for hand in state.hands]
    calls = [call for call in (state.noted, *state.claims) if call is not None]
    waiting = [(call.seat, len(call.cards)) for call in calls]
    as_shown = {"table": list(map(_shown_meld, state.table)), "hands": hands}
    return values | as_shown | {"noted": waiting, "claims": None}


def _shown_meld(meld: Meld) -> object:
    layers = [(_face(laid.card), laid.seat) for laid in meld.cards]
    if meld.kind == "group" and not all(is_joker(laid.card) for laid in meld.cards):
        layers = sorted((card.partition("=")[0], seat) for card, seat in layers)
    return meld.kind, meld.low, layers


def _face(placed: str) -> str:
    """What a card looks like, whichever copy or joker it is."""
    return "X" + placed[2:] if is_joker(placed) else placed.replace("'", "")


def games() -> Iterator[Any]:
    for name, ruleset in PRESETS.items():
        most = 4 if ruleset.packs == 1 else 8
        for seats in (3 if ruleset.variant == "rummy5000" else 2, most):
            yield pytest.param(ruleset, seats, id=f"{name}-{seats}")


@pytest.mark.parametrize(("ruleset", "seats"), list(games()))
@given(seed=st.integers(0, 10_000))
@examples(4, shrink=False)
def test_every_physical_card_is_somewhere_exactly_once(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    mode: Any = "recorded" if ruleset.first_player == "recorded" else "refereed"
    state = RUMMY.initial(opened(seats, ruleset, mode))
    for event in play(seed, seats, ruleset, deals=2, mode=mode)[1:]:
        state = RUMMY.evolve(state, event)
        pack = build_pack(state.packs, ruleset.jokers_per_pack)
        assert sorted(cards_of(state)) == sorted(pack), event
        assert state.surplus == ()
        assert len(pack) == state.in_play


@given(tables())
@examples(40, shrink=False)
def test_somebody_can_always_go_on(table: tuple[State, random.Random]) -> None:
    state, _ = table
    if state.phase == "ended":
        assert listed(state) == []
        return
    owed = RUMMY.due(state)
    assert owed or list(RUMMY.legal(state, state.turn))


@given(tables())
@examples(30, shrink=False)
def test_what_is_due_is_due_to_nobody_but_the_service(table: tuple[State, random.Random]) -> None:
    state, _ = table
    for fact in RUMMY.due(state):
        assert RUMMY.not_for_clients(fact) != ()
    for act in listed(state)[: -len(RUMMY.due(state)) or None]:
        if type(act).__name__ != "StockRenewed":
            assert RUMMY.not_for_clients(act) == ()
