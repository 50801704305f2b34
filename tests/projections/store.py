"""Archives of real games for the tests of what keeps read models: appended, sealed, folded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine

from events import store
from events.common import Event
from events.formats.detect import read_file
from events.game import Game
from events.recorder import import_games
from projections.model import Model, Row, Sealed
from projections.models import MODELS
from projections.runner import Runner, State
from projections.sealer import Sealer
from projections.sessions import Session, connect, release
from projections.verify import Verified, verify
from tests.postgres import Database, connected

WHO = UUID(int=7)
SAMPLES = ("worked-examples.txt", "evening-of-loo.txt", "timpalpant-four-deals.ndjson")


def take_in(engine: Engine, *samples: str) -> list[UUID]:
    """Import games that come with the program; return their ids."""
    found: list[UUID] = []
    for sample in samples or SAMPLES:
        with files("events.samples").joinpath(sample).open("rb") as file, engine.begin() as conn:
            found += import_games(conn, read_file(file), WHO).imported
    return found


def append(engine: Engine, game_id: UUID, *bodies: bytes) -> None:
    with engine.begin() as conn:
        store.append(conn, game_id, None, uuid4(), bytes(32), WHO, bodies)


def opened(engine: Engine, game: str = "rummy500", kind: str = "game") -> UUID:
    """An empty stream, committed."""
    game_id = uuid4()
    with engine.begin() as conn:
        store.open_game(conn, game_id, game, "recorded", kind=kind)
    return game_id


def log_of(engine: Engine, game_id: UUID) -> list[bytes]:
    with engine.begin() as conn:
        return store.read_bodies(conn, game_id)


@contextmanager
def session(database: Database, task: str = "test") -> Iterator[Session]:
    with connect(database.worker_url, task) as found:
        yield found
        release(found)


def seal(database: Database) -> int:
    """Seal all there is; return the last position."""
    with session(database) as own:
        done = Sealer(own).round()
        assert done is not None
        return done.position


def keep(database: Database, models: Sequence[Model] = MODELS) -> dict[str, State]:
    """Seal, and bring the models up to date as far as they go; where each ended."""
    seal(database)
    with session(database) as own:
        return {model.name: run(Runner(own, model)) for model in models}


def run(runner: Runner) -> State:
    """Step until nothing moves."""
    while (step := runner.step()).state is State.MOVED:
        pass
    return step.state


def rows(database: Database, table: str) -> list[tuple[Any, ...]]:
    with connected(database.app_url) as conn:
        found = conn.exec_driver_sql(f"SELECT * FROM lanterlog_read.{table} t ORDER BY t::text")
        return [tuple(row) for row in found]


def checkpoint(database: Database, name: str) -> Mapping[str, Any]:
    with connected(database.app_url) as conn:
        statement = "SELECT * FROM lanterlog_read.checkpoints WHERE name = %s"
        return dict(conn.exec_driver_sql(statement, (name,)).mappings().one())


def equal_to_a_fresh_fold(database: Database) -> Verified:
    """Check every model against the log, and that it has read all that is sealed."""
    done = verify(database.worker_url, ["all"])
    assert done.outdated == ()
    assert {name: ids for name, ids in done.differing.items() if ids} == {}
    last = seal(database)
    assert {checkpoint(database, model.name)["position"] for model in MODELS} == {last}
    return done


class Instead:
    """A model that does something else where *rows* says so, or has another version."""

    def __init__(
        self,
        model: Model,
        rows: Callable[[Sealed, Sequence[Event]], None] = lambda *_: None,
        version: int | None = None,
    ) -> None:
        self._model = model
        self._first = rows
        self.name = model.name
        self.tables = model.tables
        self.version = model.version if version is None else version

    def rows(
        self, game: Game[Any, Any], head: Sealed, log: Sequence[Event]
    ) -> Mapping[str, list[Row]]:
        self._first(head, log)
        return self._model.rows(game, head, log)
