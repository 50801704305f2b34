"""Acts given to the recorder on a real PostgreSQL, and what is stored of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine

from events import recorder
from events.cards import UNKNOWN
from events.common import (
    Mode,
)
from events.errors import (
    RefusedError,
)
from events.game import fold
from events.recorder import Recorded
from events.rummy500.events import (
    Discarded,
    StockDrawn,
)
from events.rummy500.ruleset import SEED, Ruleset
from events.rummy500.state import State
from tests.simulate import RUMMY, opened

WHO = UUID(int=7)
SALT = bytes(range(16))
SMALL = Ruleset(preset="custom", deal_size=(3, 3, 3, 3, 3, 3, 3))


def open_game(
    engine: Engine, seats: int = 3, ruleset: Ruleset = SEED, mode: Mode = "refereed"
) -> Recorded:
    with engine.begin() as conn:
        return recorder.open_game(conn, opened(seats, ruleset, mode), recorded_by=WHO)


def record(
    engine: Engine, game_id: UUID, *events: Any, expected: int | None = None, **more: Any
) -> Recorded:
    """Record, committing as a caller does: also when a call that fell was stored."""
    more.setdefault("command_id", uuid4())
    with engine.connect() as conn:
        try:
            done = recorder.record(
                conn, game_id, events, expected_version=expected, recorded_by=WHO, **more
            )
        except RefusedError as refusal:
            if refusal.recorded is not None:
                conn.commit()
            raise
        conn.commit()
        return done


def stored(engine: Engine, game_id: UUID) -> list[Any]:
    with engine.connect() as conn:
        return recorder.load(conn, game_id).events


def state_of(engine: Engine, game_id: UUID) -> State:
    return fold(RUMMY, stored(engine, game_id))


def to_a_window(engine: Engine, game_id: UUID) -> State:
    """Let the player whose turn it is draw and discard."""
    state = state_of(engine, game_id)
    record(engine, game_id, StockDrawn(seat=state.turn, card=UNKNOWN))
    state = state_of(engine, game_id)
    record(engine, game_id, Discarded(seat=state.turn, card=state.hands[state.turn][0]))
    return state_of(engine, game_id)


def tags(events: Sequence[Any]) -> list[str]:
    return [str(event.__struct_config__.tag) for event in events]
