"""Calls of "Rummy!" given to the recorder: stored also when they fall, and put in order by the lock."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder
from events.common import (
    Remarked,
)
from events.errors import (
    RefusedError,
)
from events.formats import Import
from events.recorder import Recorded
from events.rummy500.calls import open_calls
from events.rummy500.events import (
    RummyCalled,
)
from events.rummy500.state import State
from tests.events.recording import WHO, open_game, record, state_of, stored, to_a_window
from tests.simulate import RUMMY, opened, play
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store


def wrong_call(state: State) -> RummyCalled:
    """A call by somebody who may call, of a card that is not callable."""
    seat = state.seat_after(state.turn)
    card = next(card for card in state.pile if card not in open_calls(state))
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=(), lay=None)


def test_a_call_that_falls_is_stored_as_refused(engine: Engine) -> None:
    """R-8.11."""
    game = open_game(engine)
    call = wrong_call(to_a_window(engine, game.game_id))
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, call)
    fallen = caught.value.recorded
    assert caught.value.violations[0].code == "NOT_CALLABLE"
    assert fallen is not None
    assert fallen.events == (
        RummyCalled(
            seat=call.seat, card=call.card, accepted=False, code="NOT_CALLABLE", cards=(), lay=None
        ),
    )
    assert stored(engine, game.game_id)[-1] == fallen.events[0]
    assert fallen.version == 9


def test_a_late_call_is_stored_with_why_it_fell(engine: Engine) -> None:
    game = open_game(engine)
    call = RummyCalled(seat=2, card="7H", accepted=True, code=None, cards=(), lay=None)
    with pytest.raises(RefusedError):
        record(engine, game.game_id, call)
    assert stored(engine, game.game_id)[-1].code == "NO_CALL_WINDOW"


def test_a_retried_call_that_fell_gives_the_first_answer(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    call = wrong_call(to_a_window(engine, game.game_id))
    refusals = []
    for _ in range(2):
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, call, command_id=command)
        refusals.append(caught.value)
    first, again = refusals
    assert first.violations == again.violations
    assert (first.index, first.version, str(first)) == (again.index, again.version, str(again))
    assert again.recorded.repeated
    assert first.recorded.events == again.recorded.events
    assert first.recorded.head == again.recorded.head
    assert len(stored(engine, game.game_id)) == 9


def test_a_call_that_falls_among_other_acts_stores_nothing(engine: Engine) -> None:
    game = open_game(engine)
    state = to_a_window(engine, game.game_id)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, wrong_call(state), Remarked(seat=None, text="0" * 64))
    assert caught.value.recorded is None
    assert len(stored(engine, game.game_id)) == 8


def test_two_calls_at_once_are_put_in_order_by_the_lock(engine: Engine) -> None:
    """R-8.10: neither names a version; the one recorded first stands, the other falls and is recorded."""
    game_id = game_with_a_callable_card(engine)
    state = state_of(engine, game_id)
    callers = [seat for seat in range(4) if seat != state.discarder][:2]
    ready = Barrier(2)

    def call(seat: int) -> Recorded | RefusedError:
        act = RummyCalled(
            seat=seat, card=open_calls(state)[0], accepted=True, code=None, cards=(), lay=None
        )
        ready.wait(PATIENCE)
        try:
            return record(engine, game_id, act)
        except RefusedError as refusal:
            return refusal

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(call, callers))
    accepted = [one for one in answers if isinstance(one, Recorded)]
    fallen = [one for one in answers if isinstance(one, RefusedError)]
    assert len(accepted) == len(fallen) == 1
    assert fallen[0].recorded.first_version == accepted[0].version + 1
    assert fallen[0].violations[0].code == "NO_CALL_WINDOW"
    assert [event.accepted for event in stored(engine, game_id)[-2:]] == [True, False]


def game_with_a_callable_card(engine: Engine) -> UUID:
    """Store a refereed game of four in which a card lies open to a call; found among made-up games."""
    for seed in range(200):
        log = play(seed, 4)
        state = RUMMY.initial(opened(4))
        for version, event in enumerate(log[1:], 2):
            state = RUMMY.evolve(state, event)
            if open_calls(state):
                with engine.begin() as conn:
                    one = Import(uuid4(), log[:version], {}, {}, 1)
                    recorder.import_games(conn, [one], WHO)
                return one.game_id
    raise AssertionError("no made-up game has a callable card")


def test_a_dry_run_of_a_call_that_falls_stores_nothing(engine: Engine) -> None:
    game = open_game(engine)
    call = wrong_call(to_a_window(engine, game.game_id))
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, call, dry_run=True)
    assert caught.value.recorded is None
    assert len(stored(engine, game.game_id)) == 8
