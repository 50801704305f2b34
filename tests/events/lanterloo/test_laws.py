"""The laws of the rules: `judge` agrees with `legal` and `due`, cards and chips are conserved, play never gets stuck."""

import random
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.cards import FIRST_PACK, UNKNOWN
from events.common import (
    DealerDrawn,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.lanterloo.events import (
    Bid,
    Looed,
    LooEvent,
    MissSeen,
    PoolPaid,
    PositionSet,
    SessionDivided,
    StockRenewed,
    TrickTaken,
)
from events.lanterloo.ruleset import FORMS, PRESETS, Ruleset, hand_size
from events.lanterloo.state import State
from tests.events.lanterloo.mutants import mutants
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, all_cards, drawn_for, next_event, opened, play
from tests.profiles import examples

# What a record says beside the acts and the dealer's and scorer's facts: no law says when it may be said.
OUTSIDE = (Remarked, Retracted, PositionSet, GameOpened, DealerDrawn, Redealt, SessionDivided)


@st.composite
def tables(draw: st.DrawFn, most: int = 120) -> tuple[State, random.Random]:
    """A table after so many legal events, made up from a seed."""
    seats = draw(st.sampled_from([3, 4, 5, 8]))
    opening = opened(seats, draw(rulesets(seats)))
    rng = random.Random(draw(st.integers(0, 10_000)))
    state = LOO.initial(drawn_for(opening) if draw(st.booleans()) else opening)
    for _ in range(draw(st.integers(0, most))):
        if state.phase == "ended":
            break
        state = LOO.evolve(state, next_event(state, rng))
    return state, rng


def listed(state: State) -> list[LooEvent]:
    acts = [act for seat in range(state.seats) for act in LOO.legal(state, seat)]
    return [*acts, *LOO.due(state)]


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
    if left == UNKNOWN:
        return isinstance(right, str)
    return bool(left == right)


def is_outside(event: Any) -> bool:
    return getattr(event, "abandoned", False) or isinstance(event, OUTSIDE)


@given(tables())
@examples(80)
def test_an_act_is_listed_exactly_when_nothing_speaks_against_it(
    table: tuple[State, random.Random],
) -> None:
    state, rng = table
    acts: list[LooEvent] = [one for one in listed(state) if not isinstance(one, DealerDrawn)]
    for act in acts:
        assert LOO.judge(state, act) == (), act
        assert LOO.normal(state, act) == act
    for act in mutants(state, acts, rng):
        if LOO.judge(state, act) != () or is_outside(act):
            continue
        plain = LOO.normal(state, act)
        assert any(matches(plain, one) for one in acts), (act, plain)
        assert shown(LOO.evolve(state, act)) == shown(LOO.evolve(state, plain)), act


def shown(state: State) -> dict[str, Any]:
    """A table as people see it: hands and heaps in no order, words that have no effect left out."""
    values: dict[str, Any] = {name: getattr(state, name) for name in State.__struct_fields__}
    values["hands"] = [sorted(hand) for hand in state.hands]
    values["put_out"] = sorted(state.put_out)
    values["shown"] = [(one.seat, one.kind, sorted(one.cards)) for one in state.shown]
    values["trick"] = [(one.seat, one.card) for one in state.trick]
    return values


@given(tables())
@examples(60)
def test_somebody_can_always_go_on(table: tuple[State, random.Random]) -> None:
    state, _ = table
    if state.phase == "ended":
        assert listed(state) == []
    else:
        assert LOO.due(state) or list(LOO.legal(state, state.turn))


@given(tables())
@examples(40)
def test_what_is_due_is_due_to_nobody_but_the_service(table: tuple[State, random.Random]) -> None:
    state, _ = table
    for fact in LOO.due(state):
        assert LOO.not_for_clients(fact) != ()
    for seat in range(state.seats):
        for act in LOO.legal(state, seat):
            if not isinstance(act, StockRenewed):
                assert LOO.not_for_clients(act) == ()


@given(tables(), st.data())
@examples(30)
def test_a_session_can_be_broken_off_at_any_time(
    table: tuple[State, random.Random], data: st.DataObject
) -> None:
    state, _ = table
    if state.phase == "ended":
        return
    end = GameEnded(winner=None, abandoned=True)
    for fact in LOO.before(state, end):
        assert LOO.judge(state, fact) == ()
        state = LOO.evolve(state, fact)
    assert LOO.judge(state, end) == ()
    assert state.pool == 0
    assert sum(state.balances) == 0


@given(st.data())
@examples(40)
def test_cards_and_chips_are_conserved_to_the_end_of_a_session(data: st.DataObject) -> None:
    seats = data.draw(st.integers(3, 8))
    rules = data.draw(rulesets(seats))
    events = play(data.draw(st.integers(0, 10_000)), seats, rules, deals=5)
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    defended = False
    for event in events[1:]:
        before, state = state, LOO.evolve(state, event)
        defended |= isinstance(event, Bid) and event.choice == "defend"
        assert sum(state.balances) + state.pool == 0
        assert state.surplus == ()
        if state.deck:
            assert sorted(all_cards(state)) == sorted(FIRST_PACK), event
        if isinstance(event, TrickTaken):
            assert before.trick
        if isinstance(event, Looed):
            assert before.bids[event.seat] != "pass" or rules.flush_looes == "all"
        if state.phase == "declare":
            assert state.stake > 0
            # Once a dealer has defended, shares lie in the pool (L-4.8), and one alone does not go into three.
            assert defended or state.stake % hand_size(rules) == 0
        if state.phase == "settle" and state.ended == "PLAYED":
            assert sum(state.tricks) == hand_size(rules)


def test_what_does_not_go_into_the_tricks_stays_in_the_pool() -> None:
    """A pool with shares that a defending dealer won need not be a multiple of three: each share is rounded down."""
    rules = replace(PRESETS["hoyle1909-loo3"], force="first_hand", all_pass="dealer")
    odd = 0
    for seed in range(40):
        opening, *events = play(seed, 4, rules, deals=5)
        assert isinstance(opening, GameOpened)
        state, stake = LOO.initial(opening), 0
        for event in events:
            if state.phase == "play":
                stake = state.stake
            if isinstance(event, PoolPaid) and event.paid_for == "tricks":
                odd += stake % 3 > 0
                assert event.amount == stake * state.tricks[event.seat] // 3
            state = LOO.evolve(state, event)
            assert sum(state.balances) + state.pool == 0
    assert odd


@given(st.data())
@examples(40)
def test_who_keeps_pam_is_never_looed(data: st.DataObject) -> None:
    """L-7.7, under every option but the one that has people looed by a flush before they play."""
    seats = data.draw(st.integers(3, 6))
    rules = data.draw(rulesets(seats, form="loo5", flush_looes="standers"))
    events = play(data.draw(st.integers(0, 10_000)), seats, rules, deals=3)
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    holder = None
    for event in events[1:]:
        if isinstance(event, Looed):
            assert event.seat != holder
        state = LOO.evolve(state, event)
        if state.phase in ("play", "claim", "show") and not state.trick and not any(state.tricks):
            holder = next((s for s in state.players if state.pam in state.hands[s]), None)
        elif state.phase in ("shuffle", "ante", "deal", "declare"):
            holder = None


STANDARD = st.sampled_from([PRESETS[f"seed-{form}"] for form in FORMS])


@given(
    rules=STANDARD, stakes=st.sampled_from(["limited", "unlimited"]), seed=st.integers(0, 10_000)
)
@examples(30)
def test_the_pool_is_empty_exactly_when_nobody_was_looed(
    rules: Ruleset, stakes: Any, seed: int
) -> None:
    """Invariants 15.7 and 15.8, under the default options."""
    played = msgspec.structs.replace(rules, preset="custom", stakes=stakes)
    events = play(seed, 4, played, deals=8)
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state, dealers = LOO.initial(opening), list[int]()
    for event in events[1:]:
        state = LOO.evolve(state, event)
        if isinstance(event, Shuffled):
            dealers.append(event.dealer)
        if state.phase == "over":
            assert (state.pool == 0) == (state.loos == 0)
    assert all(later == (one + 1) % 4 for one, later in pairwise(dealers))
    if state.phase == "ended":
        assert (state.loos, state.pool) == (0, 0)
        assert state.deal >= 4


@pytest.mark.parametrize("name", sorted(PRESETS))
@given(seed=st.integers(0, 10_000))
@examples(3)
def test_every_preset_plays(name: str, seed: int) -> None:
    events = play(seed, 5, PRESETS[name], deals=3)
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    for event in events[1:]:
        assert LOO.judge(state, event) == (), event
        state = LOO.evolve(state, event)


def test_looking_at_the_miss_is_never_in_order() -> None:
    state = LOO.initial(opened(3, PRESETS["seed-loo3"]))
    assert [found.code for found in LOO.judge(state, MissSeen(seat=0))] == ["MISS_IS_HIDDEN"]
