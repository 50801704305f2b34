"""A page that applies one frame after another shows what a view of each version shows."""

import msgspec
import pytest

from projections.frames import Frame, View, applied, frames
from projections.seen import seen_as
from projections.viewer import Viewer
from projections.views import open_upto
from tests.projections.tables import GAME, back_to, discard, draw, lay, meld, record
from tests.seeing import seen_by
from tests.simulate import RUMMY, play


def changed(frame: Frame) -> set[str]:
    return set(frame.changed)


def test_a_discard_changes_hand_pile_and_turn_only() -> None:
    frame = list(frames(seen_as(GAME, record(draw(1, "7C"), discard(1, "QH")), "all")))[-1]

    assert changed(frame) >= {"hands", "pile", "turn", "phase"}
    assert not changed(frame) & {"melds", "totals", "stock", "ruleset", "dealer"}
    assert frame.changed["hands"] == {"1": ["4S", "5S", "7C"]}


def test_a_lay_off_changes_its_meld_only() -> None:
    events = record(draw(0, "7C"), meld(0, 1, "AS 2S 3S"), draw(1, "8C"), lay(1, "4S", 1))

    assert list(frames(seen_as(GAME, events, "all")))[-1].changed["melds"].keys() == {"1"}


def test_a_retraction_leads_back() -> None:
    events = record(draw(0, "7C"), meld(0, 1, "AS 2S 3S"), back_to(3))

    assert list(frames(seen_as(GAME, events, "all")))[-1].changed["melds"] == {"1": None}


def test_a_hidden_card_changes_nothing_but_a_number_of_backs() -> None:
    frame = list(frames(seen_as(GAME, record(draw(1, "7C")), "public")))[-1]

    assert frame.changed["hands"] == {"1": ["??"] * 4}
    assert frame.event == draw(1)


@pytest.mark.parametrize("viewer", ["public", 1, "all"])
def test_frames_applied_in_turn_give_every_view(viewer: Viewer) -> None:
    events = play(8, 3, deals=2)[:-5]
    events += [back_to(len(events) - 20)]
    seen = seen_by("rummy500", events, viewer)
    view: View = {}

    for frame in frames(seen_as(RUMMY, events, viewer)):
        view = applied(view, msgspec.json.decode(msgspec.json.encode(frame.changed)))
        assert view == seen_as(RUMMY, events, viewer).view(frame.version)
        assert frame.event == seen[frame.version - 1]

    assert open_upto("rummy500", events) < len(events)


def test_frames_build_on_the_view_before_the_first() -> None:
    events = play(9, 2)
    view = seen_as(RUMMY, events, "all").view(29)

    some = list(frames(seen_as(RUMMY, events, "all"), 30, 40))

    assert [frame.version for frame in some] == list(range(30, 41))
    for frame in some:
        view = applied(view, frame.changed)
    assert view == seen_as(RUMMY, events, "all").view(40)
