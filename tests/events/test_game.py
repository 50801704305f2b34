"""Folding a log: in parts as in one, up to a version, with what was retracted left out, up to the first breach."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from events.common import GameEnded, GameOpened, Remarked, Retracted, Shuffled
from events.errors import NotALogError
from events.game import Course, effective, fold, fold_from, replay_while_clean
from events.rummy500.events import Discarded, StockDrawn
from events.rummy500.ruleset import Ruleset
from tests.events.strategies import likely_event, rulesets
from tests.profiles import examples
from tests.simulate import RUMMY, opened, play

GAME = play(1, 3, mode="recorded")


def step_by_step(events: list[Any]) -> Any:
    """The state after a log without retractions, one event after the other."""
    state = RUMMY.initial(events[0])
    for event in events[1:]:
        state = RUMMY.evolve(state, event)
    return state


def back_to(version: int) -> Retracted:
    return Retracted(back_to=version, reason="MISTAKE")


@st.composite
def records(draw: st.DrawFn) -> list[Any]:
    """A log of sense and nonsense about one table, without retractions."""
    seats = draw(st.integers(2, 3))
    opening = opened(seats, draw(rulesets(seats)), "recorded")
    event = likely_event(seats).filter(lambda one: not isinstance(one, Retracted))
    clean = play(draw(st.integers(0, 50)), seats, mode="recorded")[1:]
    cut = draw(st.integers(0, min(len(clean), 60)))
    nonsense = draw(st.lists(event, max_size=8))
    return [opening, *nonsense[:3], *clean[:cut], *nonsense[3:]]


@given(events=records(), data=st.data())
@examples(60, shrink=False)
def test_a_log_is_folded_in_parts_as_in_one(events: list[Any], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(events)))
    first = fold(RUMMY, events[:cut])
    assert fold_from(RUMMY, first, events[cut:]) == fold(RUMMY, events) == step_by_step(events)


@given(events=records(), stride=st.integers(1, 5), data=st.data())
@examples(60, shrink=False)
def test_a_log_that_is_written_has_the_state_that_folding_it_gives(
    events: list[Any], stride: int, data: st.DataObject
) -> None:
    written = events[:1]
    course = Course(RUMMY, events[0], stride)
    for event in events[1:]:
        retraction = data.draw(st.none() | st.integers(1, len(written)).map(back_to))
        for one in (event, retraction):
            if one is not None:
                written.append(one)
                assert course.take(one) == course.state == fold(RUMMY, written)


@given(events=records(), data=st.data())
@examples(30, shrink=False)
def test_the_state_at_a_version_is_that_of_the_log_up_to_it(
    events: list[Any], data: st.DataObject
) -> None:
    version = data.draw(st.integers(1, len(events)))
    assert fold(RUMMY, events, version) == step_by_step(events[:version])


@pytest.mark.parametrize("deals", [1, 3])
def test_a_game_of_several_deals_is_folded_as_it_was_played(deals: int) -> None:
    events = play(3, 2, Ruleset(target=5000), deals=deals)
    for version in range(1, len(events) + 1, 7):
        assert fold(RUMMY, events, version) == step_by_step(events[:version])


def test_what_was_retracted_does_not_count() -> None:
    log = [*GAME[:20], back_to(12), *GAME[12:30]]
    assert fold(RUMMY, log) == step_by_step(GAME[:30])
    assert [version for version, _ in effective(log)] == [*range(1, 13), *range(21, 40)]


def test_a_state_before_the_retraction_shows_what_was_shown() -> None:
    log = [*GAME[:20], back_to(12)]
    assert fold(RUMMY, log, 20) == step_by_step(GAME[:20])
    assert fold(RUMMY, log, 21) == fold(RUMMY, log) == step_by_step(GAME[:12])


def test_retractions_nest() -> None:
    log = [*GAME[:20], back_to(15), *GAME[15:18], back_to(10), *GAME[10:25]]
    assert fold(RUMMY, log) == step_by_step(GAME[:25])
    later = [*GAME[:20], back_to(10), *GAME[10:12], back_to(22), GAME[11]]
    assert fold(RUMMY, later) == step_by_step(GAME[:12])


def test_nothing_brings_back_what_was_retracted() -> None:
    log = [*GAME[:20], back_to(10), back_to(15)]
    assert fold(RUMMY, log) == step_by_step(GAME[:10])


def test_the_opening_is_never_retracted() -> None:
    assert fold(RUMMY, [*GAME[:20], back_to(1)]) == RUMMY.initial(opened(3, mode="recorded"))


@given(data=st.data())
@examples(40)
def test_retractions_undo_exactly_a_suffix(data: st.DataObject) -> None:
    """Against a naive reading: keep a list of what stands, and cut it at each retraction."""
    log: list[Any] = [GAME[0]]
    standing: list[tuple[int, Any]] = [(1, GAME[0])]
    for event in GAME[1 : data.draw(st.integers(2, 25))]:
        log.append(event)
        standing.append((len(log), event))
        if data.draw(st.integers(0, 3)) == 0:
            to = data.draw(st.integers(1, len(log)))
            log.append(back_to(to))
            standing = [(v, e) for v, e in standing if v <= to]
            standing.append((len(log), log[-1]))
    assert effective(log) == standing
    plain = [event for _, event in standing if not isinstance(event, Retracted)]
    assert fold(RUMMY, log) == step_by_step(plain)


@pytest.mark.parametrize("log", [[], [GAME[1]], [Remarked(seat=None, text="0" * 64)]])
def test_a_log_begins_with_an_opening(log: list[Any]) -> None:
    for read in (fold, replay_while_clean):
        with pytest.raises(NotALogError, match="begins with game_opened"):
            read(RUMMY, log)


def test_a_clean_game_is_replayed_to_its_end() -> None:
    assert replay_while_clean(RUMMY, GAME) == (fold(RUMMY, GAME), None)


def test_a_replay_stops_before_the_first_breach_and_says_where() -> None:
    at = next(i for i, event in enumerate(GAME) if isinstance(event, Discarded))
    wrong = StockDrawn(seat=0, card="??")
    state, breach = replay_while_clean(RUMMY, [*GAME[:at], wrong, *GAME[at:]])
    assert breach is not None
    assert (breach.version, breach.state) == (at + 1, state)
    assert state == step_by_step(GAME[:at])
    assert breach.violations == RUMMY.judge(state, wrong)


def test_a_breach_that_was_retracted_is_none() -> None:
    log = [*GAME[:10], GameEnded(winner=2, abandoned=False), back_to(10), *GAME[10:]]
    state, breach = replay_while_clean(RUMMY, log)
    assert breach is None
    assert state == fold(RUMMY, GAME)


@given(st.lists(st.integers(1, 12), max_size=4))
@example([1, 1])
@examples(30, shrink=False)
def test_an_unchecked_doubt_is_no_breach(hidden: list[int]) -> None:
    """A hand that the record does not know is judged as far as it can be."""
    log = [_hide(event) if index in hidden else event for index, event in enumerate(GAME)]
    assert replay_while_clean(RUMMY, log)[1] is None


def _hide(event: Any) -> Any:
    if isinstance(event, Shuffled):
        return Shuffled(
            deal=event.deal, dealer=event.dealer, method="hand", deck=("??",) * len(event.deck)
        )
    return event


def test_an_opening_in_the_middle_changes_nothing() -> None:
    second: GameOpened[Ruleset] = opened(2)
    assert RUMMY.evolve(fold(RUMMY, GAME), second) == fold(RUMMY, GAME)
