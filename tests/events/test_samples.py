"""The games that ship with the program: they import, and the audit says of them what their remarks say."""

from importlib.resources import files

import pytest

from events.formats.detect import read_file
from events.game import Violation, fold
from events.games import LANTERLOO, RUMMY500, game_named
from projections.audit import audit

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
    assert [(one.deal, one.seat, one.code) for one in report.findings] == [(7, 2, "MUST_FOLLOW")]
    assert report.unchecked == ()
    assert report.deals == 11
    texts = [text for _, text in game.remarks.values()]
    assert any(text.startswith("A bold stand") for text in texts)
    assert any(text.startswith("Clubs are turned up") for text in texts)
    assert any("takes the miss" in text for text in texts)
    version = report.findings[0].version
    assert game.remarks[version + 1][1].startswith("Disputed")
