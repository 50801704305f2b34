"""What a viewer of Loo sees is what his own log tells: nothing shown is computed from what is hidden."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.common import Dealt, GameEnded
from events.lanterloo.events import Bid, CardPlayed, Exchanged, LooEvent, MissDealt, TurnUp
from events.lanterloo.ruleset import FORMS
from projections.replay import states
from projections.views import open_upto, seen_by, view_event, view_state
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, Table, play, ruleset
from tests.profiles import examples

GAME = "lanterloo"
VIEWERS: list[Any] = ["public", 0, 2]


def plain(event: LooEvent) -> str:
    return msgspec.json.encode(event).decode()


@given(st.data())
@examples(25)
def test_a_view_can_be_made_from_the_viewers_own_log(data: st.DataObject) -> None:
    rules = data.draw(rulesets(4))
    viewer = data.draw(st.sampled_from(VIEWERS))
    events = play(data.draw(st.integers(0, 10_000)), 4, rules, deals=3)
    if isinstance(events[-1], GameEnded):
        events = events[:-1]
    own = seen_by(GAME, events, viewer)
    for whole, seen in zip(states(LOO, events), states(LOO, own), strict=True):
        if whole.after.phase == "show" or whole.after.shown:
            continue
        shown = view_state(GAME, whole.after, viewer)
        assert shown == view_state(GAME, seen.after, viewer), whole.event


@given(seed=st.integers(0, 10_000), form=st.sampled_from(FORMS))
@examples(15)
def test_the_public_log_names_played_and_turned_up_cards_only(seed: int, form: Any) -> None:
    events = play(seed, 4, ruleset(form), deals=2)[:-1]
    for event in seen_by(GAME, events, "public"):
        if not isinstance(event, CardPlayed | TurnUp) and type(event).__name__ != "FlushShown":
            cards = [value for value in getattr(event, "cards", ()) if value != "??"]
            assert cards == [], event


def test_everything_is_open_once_the_session_has_ended() -> None:
    events = play(3, 4, ruleset("loo3"), deals=99)
    assert isinstance(events[-1], GameEnded)
    assert open_upto(GAME, events) == len(events)
    assert open_upto(GAME, events[:-1]) == 0
    assert seen_by(GAME, events, "public") == events


@pytest.mark.parametrize(
    ("event", "own", "other"),
    [
        (Dealt(seat=0, cards=("AS", "KS")), ("AS", "KS"), ("??", "??")),
        (MissDealt(cards=("AS",)), ("??",), ("??",)),
        (Bid(seat=0, choice="miss", cards=("AS",)), ("AS",), ("??",)),
    ],
    ids=["hand", "miss", "miss taken"],
)
def test_cards_are_seen_by_who_holds_them(event: Any, own: Any, other: Any) -> None:
    assert view_event(GAME, event, 0).cards == own
    assert view_event(GAME, event, 1).cards == other
    assert view_event(GAME, event, "all") is event


def test_an_exchange_is_seen_by_who_made_it() -> None:
    event = Exchanged(seat=1, put_out=("AS",), drawn=("KD",))
    assert view_event(GAME, event, 1) is event
    assert plain(view_event(GAME, event, "public")).count("??") == 2


def test_a_flush_that_nobody_has_shown_yet_is_not_told() -> None:
    table = Table("loo5", 3).position("AH KH 9H 4H 2H", "2C 3C 4D 5D 6S", "7C 8C 9D TD JS")
    assert table.state.phase == "show"
    public = view_state(GAME, table.state, "public")
    assert (public["phase"], public["due"]) == ("play", [])
    assert view_state(GAME, table.state, "all")["phase"] == "show"


def test_a_revoke_that_nobody_has_seen_is_not_told() -> None:
    table = Table("loo3", 3, on_violation="loo")
    table.position("KS 2S 3D", "4S 5H 6D", "7S 8D 9D").record("A KS", "B 5H")
    public, everything = (view_state(GAME, table.state, viewer) for viewer in ("public", "all"))
    assert (public["penalties"], public["due"]) == ([], [])
    assert [one["seat"] for one in everything["penalties"]] == [1]
