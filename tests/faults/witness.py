"""What must hold of a store whatever has happened to it, asked of the whole of it."""

from collections.abc import Iterable
from itertools import pairwise
from uuid import UUID

from sqlalchemy import Engine

from events import scan, store
from projections.sealer import Sealer
from projections.status import status
from tests.faults.victims import Journal, Script
from tests.postgres import Database, connected
from tests.projections.store import session
from tests.waiting import until

_LEFT = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND usename LIKE '%%worker' AND pid <> pg_backend_pid()"""


def nobody_works(database: Database) -> None:
    """Wait until the server has noticed that a worker is gone; its locks are free then."""
    with connected(database.superuser_url) as conn:
        conn = conn.execution_options(isolation_level="AUTOCOMMIT")
        until(lambda: not conn.exec_driver_sql(_LEFT).scalar_one())


def seal_all(database: Database) -> None:
    """Seal until nothing waits."""
    with session(database) as own:
        sealer = Sealer(own)
        while (done := sealer.round()) is None or done.rows:
            pass


def sound(engine: Engine) -> None:
    """Every chain, head, command, and the ledger: without a gap, and with the heads that the games have."""
    with engine.connect() as conn:
        for stretch in list(scan.stretches(conn, 10_000, 1000)):
            assert scan.check(conn, stretch).damages == []


def ledger_covers_all(engine: Engine) -> None:
    """Each game's rows in the ledger, in the order of positions, are its versions from 1 to the last."""
    rows = (
        "SELECT position, game_id, from_version, to_version FROM lanterlog.ledger ORDER BY position"
    )
    with engine.connect() as conn:
        found = conn.exec_driver_sql(rows).all()
        versions = conn.exec_driver_sql("SELECT game_id, version FROM lanterlog.games").all()
    assert [row[0] for row in found] == list(range(1, len(found) + 1))
    by_game: dict[UUID, list[tuple[int, int]]] = {}
    for _, game_id, first, last in found:
        by_game.setdefault(game_id, []).append((first, last))
    for game_id, spans in by_game.items():
        assert spans[0][0] == 1, game_id
        assert all(a[1] + 1 == b[0] for a, b in pairwise(spans)), game_id
    assert {game: spans[-1][1] for game, spans in by_game.items()} == {
        game: version for game, version in versions if version
    }


def accepted_is_there_once(engine: Engine, journal: Journal, scripts: Iterable[Script]) -> int:
    """Every acknowledged piece of a script stands where its answer said, once, and in order; how many events."""
    known, events = journal.read(), 0
    for script in scripts:
        with engine.connect() as conn:
            stored = store.read(conn, script.game_id)
        assert tuple(event.body for event in stored) == script.bodies[: len(stored)]
        for version, head in known.get(script.game_id, {}).items():
            assert stored[version - 1].hash == head
        events += len(stored)
    return events


def is_up_to_date(engine: Engine) -> bool:
    """Whether nothing waits to be sealed, and every model has read all that is."""
    with engine.connect() as conn:
        found = status(conn)
    behind = {one.behind for one in found.projections}
    return found.position > 0 and not found.waiting.events and behind == {0}
