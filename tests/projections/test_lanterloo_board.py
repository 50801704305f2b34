"""A table of Loo on a terminal: the trick and the pool, and nothing that the viewer may not see."""

import pytest

from events.lanterloo.ruleset import FORMS, Form
from projections.replay import states
from projections.views import board_of, view_state
from tests.events.lanterloo.table import LOO, Table, play, ruleset


def test_the_trick_and_the_pool_are_shown() -> None:
    table = Table("loo5", 3).position("AH 3H", "JC 4S", "2D 3D", tricks=(3, 0, 0), turn_up="9H")
    shown = board_of(view_state("lanterloo", table.do("A AH civil").state, 1), ["Ann", "Bob"])
    assert shown.splitlines() == [
        "Deal 2, C deals: B Bob to follow",
        "Trumps H (turned up: 9H)   Stock 0   Miss 0",
        "Pool   15, played for: 15",
        "        chips tricks declared       hand",
        "  A Ann    +0      3 stands         ??",
        "> B Bob    +0      0 stands         4S JC",
        "  C        +0      0 stands         ?? ??",
        "Trick  A:AH (Pam, be civil)",
    ]


@pytest.mark.parametrize("form", FORMS)
def test_every_moment_of_a_session_fits_the_terminal(form: Form) -> None:
    names = ["A very long name indeed", "Ben", "", "Dora"]
    for step in states(LOO, play(5, 4, ruleset(form), deals=2)):
        for viewer in ("public", "all"):
            shown = board_of(view_state("lanterloo", step.after, viewer), names)
            assert max(map(len, shown.splitlines())) <= 80


def test_an_end_is_told() -> None:
    events = play(3, 4, ruleset("loo3"), deals=99)
    last = list(states(LOO, events))[-1]
    assert "has won most" in board_of(view_state("lanterloo", last.after, "public"))
