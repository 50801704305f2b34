"""Calls of "Rummy!" that race at a refereed table: kept in the order in which they arrived, decided by section 8."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder
from events.cards import UNKNOWN
from events.errors import RefusedError, StaleVersion
from events.formats import Import
from events.game import fold
from events.recorder import Recorded
from events.rummy500.calls import open_calls
from events.rummy500.events import RummyCalled, StockDrawn
from events.rummy500.legal import possible_calls
from events.rummy500.state import State
from projections.audit import Report, audit
from tests.simulate import RUMMY, opened, play
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store

WHO = UUID(int=7)
SEATS = 4
Answer = Recorded | RefusedError | StaleVersion


@pytest.fixture
def game_id(engine: Engine) -> UUID:
    """A refereed game in a window with something to call and something that is not callable."""
    for seed in range(200):
        log = play(seed, SEATS)
        state = RUMMY.initial(opened(SEATS))
        for version, event in enumerate(log[1:], 2):
            state = RUMMY.evolve(state, event)
            if _is_lively(state):
                with engine.begin() as conn:
                    one = Import(uuid4(), log[:version], {}, {}, 1)
                    recorder.import_games(conn, [one], WHO)
                return one.game_id
    raise AssertionError("no made-up game has such a window")


def _is_lively(state: State) -> bool:
    if state.phase != "window" or not state.stock or len(open_calls(state)) == len(state.pile):
        return False
    return len({call.seat for call in possible_calls(state)}) == SEATS - 1


def state_of(engine: Engine, game_id: UUID) -> State:
    with engine.connect() as conn:
        return fold(RUMMY, recorder.load(conn, game_id).events)


def report(engine: Engine, game_id: UUID) -> Report:
    with engine.connect() as conn:
        return audit(RUMMY, recorder.load(conn, game_id).events, calls=True)


def record(engine: Engine, game_id: UUID, act: Any, expected: int | None = None) -> Answer:
    """Record on a connection of its own, committing as a caller does."""
    with engine.connect() as conn:
        try:
            done = recorder.record(
                conn, game_id, [act], expected_version=expected, command_id=uuid4(), recorded_by=WHO
            )
        except RefusedError as refusal:
            conn.commit()
            return refusal
        except StaleVersion as stale:
            return stale
        conn.commit()
        return done


def race(*acts: Callable[[], Answer]) -> list[Answer]:
    ready = Barrier(len(acts))

    def run(act: Callable[[], Answer]) -> Answer:
        ready.wait(PATIENCE)
        return act()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))


def call(seat: int, card: str) -> RummyCalled:
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=(), lay=None)


def versions(answers: Sequence[Answer]) -> list[int]:
    """The version that each answer says its call was recorded at."""
    done = [one.recorded if isinstance(one, RefusedError) else one for one in answers]
    assert all(isinstance(one, Recorded) for one in done)
    return [one.first_version for one in done if isinstance(one, Recorded)]


def test_good_wrong_and_forbidden_calls_at_once(engine: Engine, game_id: UUID) -> None:
    """R-8.2, R-8.10, R-8.11: four connections; whoever arrives first is first, and only one stands."""
    state = state_of(engine, game_id)
    by = state.discarder
    assert by is not None
    others = [seat for seat in range(SEATS) if seat != by]
    good, wrong = open_calls(state)[0], next(c for c in state.pile if c not in open_calls(state))
    sent = [call(by, good), call(others[0], wrong), call(others[1], good), call(others[2], good)]
    answers = race(*(lambda act=act: record(engine, game_id, act) for act in sent))

    made = report(engine, game_id).calls
    assert made is not None
    ours = dict(zip(versions(answers), sent, strict=True))
    arrived = [one for one in made.made if one.version in ours]
    assert [one.version for one in arrived] == sorted(ours)
    assert [(one.seat, one.card) for one in arrived] == [
        (ours[version].seat, ours[version].card) for version in sorted(ours)
    ]
    outcomes = {one.seat: one.outcome for one in arrived}
    assert outcomes[by] == outcomes[others[0]] == "fell"
    assert sorted((outcomes[others[1]], outcomes[others[2]])) == ["fell", "stood"]
    # the loser of the two came after the winner, and the audit says so
    winner = next(one for one in arrived if one.outcome == "stood")
    loser = next(one for one in arrived if one.seat in others[1:] and one.outcome == "fell")
    assert loser.version > winner.version
    assert (loser.code, loser.params["expected"]) == ("CALL_CAME_SECOND", f"seat {winner.seat}")
    for one in arrived:
        if one.version < winner.version:
            expected = {by: "CALLER_IS_DISCARDER", others[0]: "NOT_CALLABLE"}
            assert one.code == expected[one.seat]
    assert report(engine, game_id).is_clean


def test_a_call_races_the_next_draw(engine: Engine, game_id: UUID) -> None:
    """R-8.3: either the call stands and the draw is stale, or the draw has closed the window."""
    state = state_of(engine, game_id)
    caller = next(seat for seat in range(SEATS) if seat not in (state.discarder, state.turn))
    act, card = StockDrawn(seat=state.turn, card=UNKNOWN), open_calls(state)[0]
    with engine.connect() as conn:
        version = recorder.load(conn, game_id).head.version
    drawn, called = race(
        lambda: record(engine, game_id, act, version),
        lambda: record(engine, game_id, call(caller, card)),
    )

    found = report(engine, game_id)
    assert found.is_clean
    assert found.calls is not None
    last = found.calls.made[-1]
    if isinstance(called, Recorded):
        assert isinstance(drawn, StaleVersion)
        assert (last.version, last.outcome) == (version + 1, "stood")
    else:
        assert isinstance(drawn, Recorded)
        assert isinstance(called, RefusedError)
        assert (last.version, last.outcome, last.code) == (version + 2, "fell", "CALL_CAME_LATE")
    assert last.seat == caller


def test_a_late_call_is_told_from_a_wrong_one(engine: Engine, game_id: UUID) -> None:
    state = state_of(engine, game_id)
    caller = next(seat for seat in range(SEATS) if seat not in (state.discarder, state.turn))
    card = open_calls(state)[0]
    record(engine, game_id, StockDrawn(seat=state.turn, card=UNKNOWN))
    late = record(engine, game_id, call(caller, card))

    assert isinstance(late, RefusedError)
    found = report(engine, game_id)
    assert found.is_clean
    assert found.calls is not None
    assert (found.calls.made[-1].code, found.calls.made[-1].rule) == ("CALL_CAME_LATE", "R-8.3")
    window = next(one for one in found.calls.windows if one.version == found.calls.made[-1].window)
    assert card in [one.card for one in window.missed]
