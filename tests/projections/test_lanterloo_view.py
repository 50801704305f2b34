"""What a viewer of Loo sees is what his own log tells: nothing shown is computed from what is hidden."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.common import Dealt, GameEnded, Shuffled
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Exchanged,
    LooEvent,
    MissDealt,
    StockRenewed,
    TurnUp,
)
from events.lanterloo.ruleset import FORMS
from projections.audit import audit
from projections.replay import states
from projections.views import open_upto, view_event, view_state
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, Table, play, ruleset
from tests.profiles import examples
from tests.seeing import seen_by

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


@given(seed=st.integers(0, 10_000), data=st.data())
@examples(15)
def test_a_seat_knows_its_own_hands_and_what_lay_open_and_nothing_else(
    seed: int, data: st.DataObject
) -> None:
    """Own hand, own exchange, the miss only when taken; nobody sees passed cards before the session has ended."""
    rules, seat = data.draw(rulesets(4)), data.draw(st.integers(0, 3))
    events: list[Any] = [
        one for one in play(seed, 4, rules, deals=3) if not isinstance(one, GameEnded)
    ]
    for whole, seen in zip(events, seen_by(GAME, events, seat), strict=True):
        match seen:
            case Dealt() | Bid():
                assert (seen == whole) == (seen.seat == seat or not named(whole.cards))
                assert named(seen.cards) == (named(whole.cards) if seen.seat == seat else [])
            case Exchanged():
                own = seen.seat == seat
                assert named(seen.put_out) == (named(whole.put_out) if own else [])
                assert named(seen.drawn) == (named(whole.drawn) if own else [])
            case MissDealt() | StockRenewed():
                assert named(seen.cards) == []
            case Shuffled():
                assert named(seen.deck) == []
            case _:
                assert seen is whole


def named(cards: tuple[str, ...]) -> list[str]:
    return [card for card in cards if card != "??"]


def test_what_a_player_laid_aside_or_changed_is_seen_by_no_other() -> None:
    table = Table("loo3", 3, force="off").deal(
        "AS KS QS", "2D 3D 4D", "5C 6C 7C", up="2H", miss="8H 9H TH"
    )
    table.do("A miss", "B pass", "C play")
    views: list[tuple[Any, str]] = [(0, "AS KS QS"), (1, "2D 3D 4D"), ("public", "")]
    for viewer, own in views:
        seen = view_state(GAME, table.state, viewer)
        shown = [named(tuple(pile)) for pile in seen["aside"]]
        assert [pile for pile in shown if pile] == ([own.split()] if own else [])
        assert (named(tuple(seen["hands"][0])) == ["8H", "9H", "TH"]) == (viewer == 0)


@pytest.mark.parametrize("viewer", ["public", 0, 1, 2])
def test_an_audit_for_a_viewer_accuses_nobody_by_hidden_cards(viewer: Any) -> None:
    table = Table("loo3", 3, force="off").deal(
        "9S 3D 2D", "KS 3S AD", "5C 6C 7C", up="2H", miss="8H 9H TH"
    )
    table.do("A play", "B play", "C play", "A 9S").record("B 3S")
    report = audit(LOO, seen_by(GAME, table.events, viewer))
    assert [one.code for one in report.findings] == (["MUST_HEAD"] if viewer == 1 else [])
    assert ["KS" in str(one.params) for one in report.unchecked] == [False] * len(report.unchecked)
