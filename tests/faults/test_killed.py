"""SIGKILL at any moment of appending, sealing, keeping and rebuilding: what was promised holds, and it goes on."""

import random
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from tests.faults import victims, witness
from tests.faults.victims import Journal, Script, killed
from tests.postgres import Database, both_servers
from tests.projections.store import equal_to_a_fresh_fold, keep, log_of, take_in
from tests.projections.test_rebuild import again

pytestmark = [pytest.mark.store, both_servers]

Times = pytest.mark.parametrize(
    "times",
    [
        pytest.param(3, id="few"),
        pytest.param(50, id="many", marks=pytest.mark.nightly),
    ],
)
"""Of each of the four, on each of two servers: 24 kills in a usual run, 400 at night."""


class Scene:
    """A store with real games, which grows by pieces of them."""

    def __init__(self, engine: Engine, database: Database, folder: Path) -> None:
        self.engine, self.database = engine, database
        self.journal = Journal(folder / "journal")
        self._chance = random.Random(0)
        self.scripts: list[Script] = []
        self._logs = [tuple(log_of(engine, game)) for game in take_in(engine)]

    def more(self) -> list[Script]:
        """Begin another few games."""
        self.scripts += [Script(uuid4(), log) for log in self._chance.sample(self._logs, 3)]
        return self.scripts[-3:]

    def grow(self, pieces: int) -> None:
        """Append pieces of games that have not ended, by somebody who is not killed."""
        for script in self.more():
            for _ in range(pieces):
                self._append(script)

    def _append(self, script: Script) -> None:
        after = self.journal.last(script.game_id)
        if piece := script.piece(after):
            victims.append_one(self.engine, script, after, piece, self.journal)

    def holds(self) -> None:
        """Everything is as if nobody had been killed."""
        witness.nobody_works(self.database)
        keep(self.database)
        witness.sound(self.engine)
        witness.ledger_covers_all(self.engine)
        witness.accepted_is_there_once(self.engine, self.journal, self.scripts)
        equal_to_a_fresh_fold(self.database)


@pytest.fixture
def scene(engine: Engine, database: Database, tmp_path: Path) -> Scene:
    return Scene(engine, database, tmp_path)


@Times
def test_appending(scene: Scene, times: int) -> None:
    """Whoever comes next repeats what had no answer, and gets it, whether it was stored or not."""
    chance = random.Random(times)
    for _ in range(times):
        scripts = [*scene.scripts, *scene.more()]
        seed = chance.getrandbits(32)
        killed(chance, victims.append, scene.database.config, scripts, scene.journal, seed)
        scene.holds()
    assert witness.accepted_is_there_once(scene.engine, scene.journal, scene.scripts) > 0


@Times
def test_sealing(scene: Scene, times: int) -> None:
    chance = random.Random(times)
    for _ in range(times):
        scene.grow(pieces=4)
        killed(chance, victims.seal, scene.database.config, 1)
        scene.holds()


@Times
def test_keeping(scene: Scene, times: int) -> None:
    chance = random.Random(times)
    for _ in range(times):
        scene.grow(pieces=4)
        witness.seal_all(scene.database)
        killed(chance, victims.project, scene.database.config, 1)
        scene.holds()


@Times
def test_rebuilding(scene: Scene, times: int) -> None:
    chance = random.Random(times)
    for number in range(times):
        scene.grow(pieces=4)
        if number % 2:
            keep(scene.database)
        processes = 2 if number == times - 1 else 1
        killed(chance, victims.rebuild_all, scene.database.config, processes)
        scene.holds()
    assert again(scene.database).differing == ()
    scene.holds()
