"""The read models of one game say what its replay says at the end, whatever the record holds."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.codec import decode, decode_opening
from events.common import AMOUNT_LIMIT, Event, Remarked, Retracted
from events.errors import NotALogError
from events.game import Game, effective, fold
from events.games import GAMES, LANTERLOO, RUMMY500
from events.rummy500.ruleset import Ruleset
from projections import catalogue, findings, standings
from projections.audit import audit
from projections.model import Log, Model, Sealed
from projections.timeline import timeline
from projections.views import open_upto
from tests import simulate
from tests.events.lanterloo import strategies as loo_strategies
from tests.events.lanterloo import table as loo
from tests.events.strategies import any_event, likely_event, rulesets
from tests.profiles import examples
from tests.projections import golden_findings, tables

GOLDEN = Path(__file__).parents[1] / "golden"
LOGS = golden_findings.LOGS
GAME_ID = UUID(int=77)
MODELS: tuple[Model, ...] = (catalogue, standings, findings)
GAME_COLUMNS = (
    *("game_id", "game", "mode", "visibility", "status", "ruleset", "engine", "players", "deals"),
    *("scores", "winner", "opened_at", "first_at", "last_at", "version"),
    *("scores_played", "winner_played", "disputes"),
)
DEAL_COLUMNS = (
    *("game_id", "from_version", "to_version", "deal", "dealer", "ended", "out", "scores"),
    "scores_played",
)
STANDING_COLUMNS = (
    *("game_id", "player_id", "game", "visibility", "status", "deals", "wins", "points"),
    *("calls_made", "calls_won", "calls_lost", "loos", "chips"),
    *("wins_played", "points_played", "chips_played"),
)


def sealed(game: str, log: Sequence[Event]) -> Sealed:
    return Sealed(
        game_id=GAME_ID,
        kind="game",
        game=game,
        mode="recorded",
        visibility="public",
        version=len(log),
        head=bytes(32),
        created_at=1,
        changed_at=3,
        first_at=2,
    )


def rows(game: Game[Any, Any], log: Sequence[Event]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all models, which must be the same from a log that remembers."""
    head, found = sealed(game.name, log), dict[str, list[tuple[Any, ...]]]()
    remembering = Log(log)
    for model in MODELS:
        told = dict(model.rows(game, head, log))
        assert told == model.rows(game, head, remembering)
        assert tuple(told) == model.tables
        found |= told
    return found


def the_game(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, Any]:
    (one,) = found["catalogue_games"]
    return dict(zip(GAME_COLUMNS, one, strict=True))


def deals(found: dict[str, list[tuple[Any, ...]]]) -> list[dict[str, Any]]:
    return [dict(zip(DEAL_COLUMNS, one, strict=True)) for one in found["catalogue_deals"]]


def standing(found: dict[str, list[tuple[Any, ...]]]) -> list[dict[str, Any]]:
    return [dict(zip(STANDING_COLUMNS, one, strict=True)) for one in found["standings_games"]]


def check(game: Game[Any, Any], log: Sequence[Event]) -> None:
    """Hold the rows of a log against the table as it stands at the end, and against the audit."""
    state, found = fold(game, log), rows(game, log)
    one, report = the_game(found), audit(game, log)
    totals = state.totals if game is RUMMY500 else state.balances
    assert one["scores"] == [each if abs(each) <= AMOUNT_LIMIT else None for each in totals]
    if one["status"] != "open":
        assert (one["winner"], one["status"] == "abandoned") == (state.winner, state.abandoned)
        assert state.phase == "ended"
    for deal in deals(found):
        assert 1 < deal["from_version"] <= deal["to_version"] <= len(log)
    for seat, row in enumerate(standing(found)):
        points = row["points"] if game is RUMMY500 else row["chips"]
        assert points == one["scores"][seat]
    versions = [(row[4], row[7], row[8]) for row in found["findings"]]
    both = (*report.findings, *report.unchecked)
    assert sorted(versions) == sorted((f.version, f.severity, f.code) for f in both)
    upto = open_upto(game.name, log)
    assert [row[-1] for row in found["findings"]] == [row[4] <= upto for row in found["findings"]]


def check_played(game: Game[Any, Any], log: Sequence[Event]) -> None:
    """Hold the rows of a log without nonsense against its timeline too."""
    check(game, log)
    state, found, told = fold(game, log), rows(game, log), timeline(game, log)
    one = the_game(found)
    assert one["status"] == ("open" if state.phase != "ended" else one["status"])
    assert (one["status"] != "open") == told.ended
    assert one["deals"] == audit(game, log).deals
    assert [
        (row["from_version"], row["to_version"], row["deal"], row["dealer"]) for row in deals(found)
    ] == [(line.first, line.last, line.deal, line.dealer) for line in told.deals]
    assert [row["scores"] for row in deals(found)] == [
        None if line.scores is None else list(line.scores) for line in told.deals
    ]
    assert sum(row["wins"] for row in standing(found)) == (one["winner"] is not None)


@given(seed=st.integers(0, 10_000), seats=st.integers(2, 5), data=st.data())
@examples(15, shrink=False)
def test_rows_of_a_game_of_rummy_are_its_replay(seed: int, seats: int, data: st.DataObject) -> None:
    log = simulate.play(seed, seats, deals=3)
    check_played(RUMMY500, log[: data.draw(st.integers(1, len(log)))])


@given(seed=st.integers(0, 10_000), rules=loo_strategies.rulesets(4), data=st.data())
@examples(15, shrink=False)
def test_rows_of_a_session_of_loo_are_its_replay(
    seed: int, rules: Any, data: st.DataObject
) -> None:
    log = loo.play(seed, 4, rules)
    check_played(LANTERLOO, log[: data.draw(st.integers(1, len(log)))])


@st.composite
def nonsense(draw: st.DrawFn) -> tuple[Game[Any, Any], list[Event]]:
    """A log of either game with everything in it that the store can hold."""
    seats = draw(st.integers(2, 4))
    if draw(st.booleans()):
        opening = simulate.opened(seats, draw(rulesets(seats)), "recorded")
        events = st.one_of(likely_event(seats), any_event("game_ended"), any_event("retracted"))
        return RUMMY500, [opening, *draw(st.lists(events, max_size=14))]
    session = loo.opened(seats, draw(loo_strategies.rulesets(seats)), "recorded")
    likely = st.one_of(loo_strategies.likely_event(seats), any_event("retracted"))
    return LANTERLOO, [session, *draw(st.lists(likely, max_size=14))]


@given(nonsense())
@examples(150)
def test_rows_of_whatever_is_on_record_are_its_replay(
    record: tuple[Game[Any, Any], list[Event]],
) -> None:
    check(*record)


@given(st.lists(any_event(), max_size=5))
@examples(50)
def test_events_of_another_table_do_not_count(events: list[Any]) -> None:
    check(RUMMY500, [simulate.opened(2, mode="recorded"), *events])


@given(nonsense())
@examples(60)
def test_what_is_retracted_does_not_count(record: tuple[Game[Any, Any], list[Event]]) -> None:
    game, log = record
    left = [event for _, event in effective(log) if not isinstance(event, Retracted)]
    whole, rest = rows(game, log), rows(game, left)
    assert whole["standings_games"] == rest["standings_games"]
    assert the_game(whole) | {"version": 0} == the_game(rest) | {"version": 0}
    assert [row[3:] for row in whole["catalogue_deals"]] == [
        row[3:] for row in rest["catalogue_deals"]
    ]
    assert [(row[7], row[8]) for row in whole["findings"]] == [
        (row[7], row[8]) for row in rest["findings"]
    ]


def golden(path: Path) -> tuple[Game[Any, Any], list[Event]]:
    bodies = path.read_bytes().splitlines()
    game = decode_opening(bodies[0]).game
    return GAMES[game], [decode(game, body) for body in bodies]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_rows_of_a_golden_log_are_its_replay(path: Path) -> None:
    check(*golden(path))


# What single rows say


def test_a_deal_tells_how_it_ended_and_what_it_brought() -> None:
    log = tables.record(
        tables.draw(1), tables.discard(1, "QH"), tables.ended("DISCARDED_OUT", 1),
        tables.scored((-5, 20, None), (-5, 20, None)), tables.remark(), tables.won(1),
    )  # fmt: skip
    found = rows(RUMMY500, log)
    (deal,) = deals(found)
    assert (deal["from_version"], deal["to_version"]) == (2, 7)
    assert (deal["ended"], deal["out"], deal["scores"]) == ("DISCARDED_OUT", 1, [-5, 20, None])
    one = the_game(found)
    assert (one["status"], one["winner"], one["scores"]) == ("ended", 1, [-5, 20, 0])
    assert [row["wins"] for row in standing(found)] == [0, 1, 0]
    assert [row["deals"] for row in standing(found)] == [1, 1, 1]


def test_times_and_version_are_those_of_the_head() -> None:
    one = the_game(rows(RUMMY500, tables.record()))
    assert (one["opened_at"], one["first_at"], one["last_at"], one["version"]) == (1, 2, 3, 2)


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ([], "ended"),
        ([tables.remark()], "ended"),
        ([tables.discard(7, "QH")], "ended"),
        ([tables.position()], "open"),
        ([tables.back_to(3)], "ended"),
        ([tables.back_to(2)], "open"),
    ],
    ids=["nothing", "remark", "no such seat", "another deal", "kept", "retracted"],
)
def test_a_game_is_over_if_that_is_its_last_fact(after: list[Event], status: str) -> None:
    log = [*tables.record(tables.won(2)), *after]
    assert the_game(rows(RUMMY500, log))["status"] == status


def test_an_abandoned_game_has_no_winner() -> None:
    one = the_game(rows(RUMMY500, tables.record(tables.won(None, abandoned=True))))
    assert (one["status"], one["winner"]) == ("abandoned", None)


def test_calls_are_won_if_they_stood() -> None:
    log = tables.record(
        tables.call(2, "9H", "NOT_CALLABLE"), tables.call(2, "JD"), tables.call(0, "JD")
    )
    calls = [
        (r["calls_made"], r["calls_won"], r["calls_lost"]) for r in standing(rows(RUMMY500, log))
    ]
    assert calls == [(1, 1, 0), (0, 0, 0), (2, 1, 1)]


def test_of_several_claims_only_the_nearest_is_won() -> None:
    rules = Ruleset(preset="custom", rummy_priority="turn_order")
    log = tables.record(
        tables.draw(1), tables.discard(1, "QH"), tables.call(0, "QH"), tables.remark(),
        tables.call(2, "QH"), tables.draw(2), tables.discard(2, "9C"), tables.call(1, "9C"),
        ruleset=rules,
    )  # fmt: skip
    calls = [
        (r["calls_made"], r["calls_won"], r["calls_lost"]) for r in standing(rows(RUMMY500, log))
    ]
    assert calls == [(1, 0, 1), (1, 1, 0), (1, 1, 0)]


def test_who_sits_twice_has_one_row() -> None:
    opening = simulate.opened(3, mode="recorded")
    twice = (opening.seats[0], opening.seats[1], opening.seats[0])
    log = [
        type(opening)(**{**_fields(opening), "seats": twice}),
        tables.position(totals=(1, 2, 4)),
    ]
    found = standing(rows(RUMMY500, log))
    assert [(row["player_id"], row["points"]) for row in found] == [
        (UUID(twice[0]), 5),
        (UUID(twice[1]), 2),
    ]


def _fields(event: Event) -> dict[str, Any]:
    return {field: getattr(event, field) for field in event.__struct_fields__}


def test_no_row_of_rummy_has_chips_and_none_of_loo_has_points() -> None:
    (rummy, *_) = standing(rows(RUMMY500, tables.record()))
    assert (rummy["points"], rummy["calls_made"], rummy["loos"], rummy["chips"]) == (
        0,
        0,
        None,
        None,
    )
    (one, *_) = standing(rows(LANTERLOO, [loo.opened(3, loo.ruleset("loo5"))]))
    assert (one["points"], one["calls_made"], one["loos"], one["chips"]) == (None, None, 0, 0)


def test_a_finding_is_open_once_its_deal_has_ended() -> None:
    act = tables.discard(1, "KD")  # lies in seat 0's hand, and it is not the time for it
    playing = rows(RUMMY500, tables.record(act))["findings"]
    ended = rows(RUMMY500, tables.record(act, tables.ended("DISCARDED_OUT", 1)))["findings"]
    assert [row[-1] for row in playing] == [False] * len(playing)
    assert [row[-1] for row in ended if row[4] == 3] == [True] * len(playing)
    assert len(playing) > 0


def test_a_log_without_a_beginning_is_none() -> None:
    for model in MODELS:
        for log in ([], [Remarked(seat=None, text="0" * 64)]):
            with pytest.raises(NotALogError):
                model.rows(RUMMY500, sealed("rummy500", log), log)


def test_a_row_can_be_written_as_json() -> None:
    found = rows(RUMMY500, tables.record(tables.discard(1, "KD")))
    for row in found["findings"]:
        assert json.loads(json.dumps(row[11])) == row[11]
