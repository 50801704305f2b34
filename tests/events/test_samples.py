"""The games that ship with the program: they import, and the audit says of them what their remarks say."""

from collections import Counter
from importlib.resources import files
from io import BytesIO
from typing import Any

import pytest

from events.common import (
    DealEnded,
    DealerDrawn,
    Redealt,
    Remarked,
)
from events.formats.detect import read_file
from events.formats.notation_writer import write_game
from events.game import Violation, fold
from events.games import LANTERLOO, RUMMY500, game_named
from events.lanterloo.declaring import is_club_law, is_force
from events.lanterloo.events import Bid, TurnUp
from projections.audit import audit
from projections.replay import state_at

NAMES = sorted(
    one.name for one in files("events.samples").iterdir() if one.name.endswith((".txt", ".ndjson"))
)


def games(name: str):
    with files("events.samples").joinpath(name).open("rb") as stream:
        return list(read_file(stream))


def test_there_are_enough_of_each_kind() -> None:
    assert len(NAMES) == 4
    assert [len(games(name)) for name in NAMES] == [3, 1, 4, 7]


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_replays(name: str) -> None:
    for game in games(name):
        rules = game_named(game.events[0].game)
        assert fold(rules, game.events).seats == len(game.names)


def test_some_games_have_breaches_to_look_at() -> None:
    reports = [audit(RUMMY500, game.events) for game in games("delboycodes-three-games.ndjson")]
    assert any(report.findings for report in reports)


def test_only_the_ten_on_the_wrong_meld_is_a_breach_among_the_worked_examples() -> None:
    found = []
    for number, game in enumerate(games("worked-examples.txt"), 1):
        state = RUMMY500.initial(game.events[0])
        for event in game.events[1:]:
            judged = RUMMY500.judge(state, event)
            found += [(number, one.code) for one in judged if isinstance(one, Violation)]
            state = RUMMY500.evolve(state, event)
    assert found == [(3, "RUN_END")]


def test_the_evening_of_loo_has_one_disputed_trick_and_no_other_breach() -> None:
    (game,) = games("evening-of-loo.txt")
    report = audit(LANTERLOO, game.events)
    assert [(one.deal, one.seat, one.code) for one in report.findings] == [(7, 3, "MUST_HEAD")]
    assert (report.findings[0].expected, report.findings[0].actual) == ("QS", "4S")
    assert report.unchecked == ()
    assert (report.deals, report.unfinished) == (11, None)
    text = next(t for v, (_, t) in sorted(game.remarks.items()) if v > report.findings[0].version)
    assert text.startswith("Disputed.")


def test_the_evening_of_loo_has_all_that_three_card_loo_has() -> None:
    (game,) = games("evening-of-loo.txt")
    events = game.events
    endings = [event.reason for event in events if isinstance(event, DealEnded)]
    assert Counter(endings) == {"PLAYED": 9, "WALK_OVER": 2}
    assert [event.dealer for event in events if isinstance(event, DealerDrawn)] == [None, 4]
    misses = [event for event in events if isinstance(event, Bid) and event.choice == "miss"]
    assert [event.seat for event in misses] == [4, 4, 0, 2]
    before = [state_at(LANTERLOO, events, v) for v, e in enumerate(events, 1) if type(e) is TurnUp]
    assert [state.deal for state in before if is_club_law(state)] == [3]
    assert [state.deal for state in before if is_force(state)] == [1, 5, 9]
    assert any(isinstance(event, Redealt) for event in events)
    ended = state_at(LANTERLOO, events)
    assert (ended.balances, ended.pool, ended.winner) == ((-12, 11, 2, -5, 4), 0, 1)


def test_the_evening_of_loo_is_written_and_read_again_unchanged() -> None:
    (game,) = games("evening-of-loo.txt")
    remarks = {version: text for version, (_, text) in game.remarks.items()}
    lines = write_game(game.events, game.names, remarks)
    (again,) = read_file(BytesIO("\n".join(lines).encode()))
    assert played(again.events) == played(game.events)
    assert [text for _, text in again.remarks.values()] == list(remarks.values())


def played(events: list[Any]) -> list[Any]:
    """The events without the ids and hashes that each file makes for itself."""
    return [event for event in events[1:] if not isinstance(event, Remarked)]
