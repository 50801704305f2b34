"""Commands given to the recorder: retried, stale, empty, unknown, only tried; none is carried out twice."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from events import recorder, store
from events.cards import UNKNOWN
from events.common import (
    Mode,
    Retracted,
)
from events.errors import (
    CommandReused,
    NotStorable,
    StaleVersion,
    UnknownGame,
)
from events.rummy500.events import (
    Discarded,
    DrawDeclined,
    StockDrawn,
)
from tests.events.recording import WHO, open_game, record, stored

pytestmark = pytest.mark.store


def test_a_retried_command_gives_the_first_answer(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    act = StockDrawn(seat=1, card=UNKNOWN)
    first = record(engine, game.game_id, act, expected=6, command_id=command)
    again = record(engine, game.game_id, act, expected=6, command_id=command)
    assert again.repeated
    assert again.events == first.events
    assert (again.version, again.head, again.recorded_at) == (
        *(first.version, first.head, first.recorded_at),
    )
    assert len(stored(engine, game.game_id)) == 7


def test_a_retried_command_repeats_its_warnings(engine: Engine) -> None:
    game, command = open_game(engine, mode="recorded"), uuid4()
    act = Discarded(seat=1, card="7H")
    first = record(engine, game.game_id, act, command_id=command)
    record(engine, game.game_id, Retracted(back_to=1, reason="MISTAKE"))
    again = record(engine, game.game_id, act, command_id=command)
    assert first.warnings == again.warnings != ()


def test_a_command_id_stands_for_one_request(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), command_id=command)
    with pytest.raises(CommandReused):
        record(engine, game.game_id, DrawDeclined(seat=1), command_id=command)


def test_a_stale_version_is_refused_with_the_current_one(engine: Engine) -> None:
    game = open_game(engine)
    record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), expected=6)
    with pytest.raises(StaleVersion) as caught:
        record(engine, game.game_id, Discarded(seat=1, card="7H"), expected=6)
    assert (caught.value.expected, caught.value.current) == (6, 7)


def test_an_unknown_game_is_refused(engine: Engine) -> None:
    with pytest.raises(UnknownGame):
        record(engine, uuid4(), DrawDeclined(seat=1))


def test_a_game_without_events_takes_none_but_its_opening(engine: Engine) -> None:
    game_id = uuid4()
    with engine.begin() as conn:
        store.open_game(conn, game_id, "rummy500", "recorded")
    with engine.begin() as conn, pytest.raises(UnknownGame):
        recorder.record(
            conn,
            game_id,
            [StockDrawn(seat=0, card=UNKNOWN)],
            expected_version=0,
            command_id=uuid4(),
            recorded_by=WHO,
        )


def test_a_command_without_events_is_refused(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(NotStorable):
        record(engine, game.game_id)


@pytest.mark.parametrize("mode", ["refereed", "recorded"])
def test_a_dry_run_answers_and_stores_nothing(engine: Engine, mode: Mode) -> None:
    game, command = open_game(engine, mode=mode), uuid4()
    act: Any = (
        StockDrawn(seat=1, card=UNKNOWN) if mode == "refereed" else Discarded(seat=1, card="7H")
    )
    tried = record(engine, game.game_id, act, command_id=command, dry_run=True)
    assert tried.recorded_at == 0
    assert tried.first_version == tried.version == len(game.events) + 1
    assert stored(engine, game.game_id) == list(game.events)
    done = record(engine, game.game_id, act, command_id=command)
    assert (done.events, done.warnings) == (tried.events, tried.warnings)
    assert not done.repeated
