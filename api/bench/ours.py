"""The contestant that is measured: the store as the program uses it, through its own pool and login."""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID, uuid4

from uuid_utils.compat import uuid7

from api import db
from api.bench.chained import whole
from api.bench.place import Place
from api.bench.scripts import Script
from events import bulk, recorder, store
from events.codec import decode_log
from events.game import fold
from events.games import RUMMY500, game_named
from projections.audit import audit

_RECORDER: Final = UUID(int=1)
_REQUEST: Final = bytes(32)


class Lanterlog:
    """Appends with hash chain, command id and outbox row; `records` judges every act besides."""

    def __init__(self, place: Place) -> None:
        self._engine = db.engine(place.config)
        self._one_by_one = db.autocommit(self._engine).connect()

    def appends(self, script: Script) -> Iterator[None]:
        """One call of one SQL function an event."""
        game_id = uuid7()
        store.open_game(self._one_by_one, game_id, RUMMY500.name, "recorded")
        for version, body in enumerate(script.bodies):
            store.append(self._one_by_one, game_id, version, uuid4(), _REQUEST, _RECORDER, [body])
            yield

    def records(self, script: Script) -> Iterator[None]:
        """One command of a recorded game an event: lock, read, fold, judge, append."""
        game_id = uuid7()
        with self._engine.begin() as conn:
            recorder.open_game(conn, script.events[0], game_id=game_id, recorded_by=_RECORDER)
        yield
        for version, event in enumerate(script.events[1:], 1):
            with self._engine.begin() as conn:
                recorder.record(
                    conn,
                    game_id,
                    [event],
                    expected_version=version,
                    command_id=uuid4(),
                    recorded_by=_RECORDER,
                )
            yield

    def bring_in(self, games: Sequence[Script]) -> list[UUID]:
        """Work the chains out, and take the games in in bulk, where every chain is worked out again."""
        wholes = [whole(RUMMY500.name, script.bodies) for script in games]
        with self._engine.begin() as conn:
            return list(bulk.take_in(conn, wholes, _RECORDER, is_checked=True))

    def replay(self, game_id: UUID) -> Any:
        """Read the bodies, decode, fold."""
        bodies = store.read_bodies(self._one_by_one, game_id)
        return fold(RUMMY500, decode_log(RUMMY500.name, bodies))

    def walk(self) -> int:
        """Audit every game."""
        events = 0
        with self._engine.connect() as conn:
            for _, game, bodies in store.stream_bodies(conn):
                events += audit(game_named(game), decode_log(game, bodies)).events
        return events

    def close(self) -> None:
        self._one_by_one.close()
        self._engine.dispose()
