"""Whatever a record says, it can be replayed and judged: nothing raises, no card and no chip comes or goes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from events.codec import decode, encode
from events.common import GameOpened
from events.lanterloo.events import LooEvent, PositionSet
from events.lanterloo.ruleset import FORMS, Ruleset
from events.lanterloo.state import State
from tests.events.lanterloo.strategies import any_event, likely_event, rulesets
from tests.events.lanterloo.table import LOO, all_cards, opened, play, ruleset
from tests.profiles import examples

GAME = "lanterloo"


def take(state: State, event: LooEvent) -> State:
    """Carry on with an event whatever it is, asking everything that can be asked on the way."""
    after = LOO.evolve(state, event)
    assert LOO.judge(state, event, after) == LOO.judge(state, event)
    LOO.normal(state, event)
    LOO.complete(state, event)
    LOO.before(state, event)
    for fact in LOO.due(after):
        assert decode(GAME, encode(fact)) == fact
    for seat in range(after.seats):
        for act in LOO.legal(after, seat):
            assert decode(GAME, encode(act)) == act
    if not isinstance(event, PositionSet):
        assert sum(after.balances) + after.pool == sum(state.balances) + state.pool
    if after.in_play == state.in_play:
        strays = len(after.surplus) - len(state.surplus)
        assert len(all_cards(after)) - len(all_cards(state)) == strays or _begins(event)
    return after


def _begins(event: LooEvent) -> bool:
    return type(event).__name__ in ("Shuffled", "PositionSet")


@st.composite
def records(draw: st.DrawFn) -> tuple[int, Ruleset, list[LooEvent]]:
    seats = draw(st.integers(3, 4))
    return seats, draw(rulesets(seats)), draw(st.lists(likely_event(seats), max_size=14))


@given(records())
@examples(120)
def test_every_record_is_replayed(record: tuple[int, Ruleset, list[LooEvent]]) -> None:
    seats, rules, events = record
    state = LOO.initial(opened(seats, rules, "recorded"))
    for event in events:
        state = take(state, event)


@given(st.lists(any_event(), max_size=6))
@examples(60)
def test_events_about_another_table_are_passed_over(events: list[Any]) -> None:
    state = LOO.initial(opened(3, Ruleset(), "recorded"))
    for event in events:
        state = take(state, event)
    assert len(state.hands) == len(state.balances) == 3


@given(seed=st.integers(0, 500), form=st.sampled_from(FORMS), data=st.data())
@examples(25)
def test_nonsense_in_the_middle_of_a_session_is_survived(
    seed: int, form: Any, data: st.DataObject
) -> None:
    paid = data.draw(st.sampled_from(["reject", "loo", "four_singles"]))
    events = play(seed, 4, ruleset(form, on_violation=paid), deals=2, mode="recorded")
    at = data.draw(st.integers(1, len(events)))
    opening = events[0]
    assert isinstance(opening, GameOpened)
    state = LOO.initial(opening)
    nonsense = data.draw(st.lists(likely_event(4), min_size=1, max_size=4))
    for event in (*events[1:at], *nonsense, *events[at:]):
        state = take(state, event)


@given(any_event())
@examples(150)
def test_what_was_written_is_read_back(event: Any) -> None:
    assert decode(GAME, encode(event)) == event
