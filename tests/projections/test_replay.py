"""Any version of a game again: what is in force counts, what was retracted does not."""

import pytest

from events.errors import NoSuchVersion, NotALogError
from events.game import fold
from projections.replay import state_at, states
from tests.projections.tables import GAME, back_to, discard, draw, record, remark
from tests.simulate import RUMMY, play

# version 1 opens, 2 sets the position, 3 draws
MISTAKEN = record(draw(1, "7C"), discard(1, "4S"), back_to(3), discard(1, "QH"), draw(2, "8C"))


def test_the_state_at_a_version_is_that_before_later_retractions() -> None:
    assert state_at(GAME, MISTAKEN, 4).pile == ("JD", "4S")


def test_a_retraction_leads_back_to_the_version_that_it_names() -> None:
    assert state_at(GAME, MISTAKEN, 5) == state_at(GAME, MISTAKEN, 3)


def test_what_follows_a_retraction_counts_without_what_was_retracted() -> None:
    state = state_at(GAME, MISTAKEN)

    assert state.pile == ("JD", "QH")
    assert state.hands[1] == ("4S", "5S", "7C")


def test_a_retraction_that_is_retracted_brings_nothing_back() -> None:
    events = record(
        draw(1, "7C"), discard(1, "4S"), back_to(3), remark(), back_to(3), discard(1, "QH")
    )

    assert state_at(GAME, events).pile == ("JD", "QH")


def test_the_opening_is_never_retracted() -> None:
    events = record(draw(1, "7C"), back_to(1))

    assert state_at(GAME, events) == state_at(GAME, events, 1)


def test_steps_show_every_version_the_retracted_ones_too() -> None:
    steps = list(states(GAME, MISTAKEN))

    assert [step.version for step in steps] == [1, 2, 3, 4, 5, 6, 7]
    assert steps[0].before is None
    assert steps[3].event == discard(1, "4S")
    assert steps[5].before == steps[4].after == steps[2].after


def test_steps_stop_at_the_version_asked_for() -> None:
    assert [step.version for step in states(GAME, MISTAKEN, 3)] == [1, 2, 3]


def test_steps_agree_with_the_fold_on_a_whole_game() -> None:
    events = play(11, 3, deals=2)

    assert all(step.after == fold(RUMMY, events, step.version) for step in states(RUMMY, events))


@pytest.mark.parametrize("version", [0, 8, -1])
def test_a_version_that_the_log_does_not_have_is_refused(version: int) -> None:
    with pytest.raises(NoSuchVersion, match=f"no version {version}, expected 1 to 7"):
        state_at(GAME, MISTAKEN, version)


def test_a_log_begins_with_the_opening() -> None:
    with pytest.raises(NotALogError):
        list(states(GAME, MISTAKEN[1:]))
