"""How many bytes an event takes on the disk, in bulk and one by one. Times nothing."""

from collections.abc import Iterator
from typing import Final, LiteralString

from sqlalchemy.engine import make_url

from api.bench.group import OURS, Row
from api.bench.growing import engine_of
from api.bench.place import Place, tidy
from api.bench.probes import Probe
from projections.sealer import Sealer
from projections.sessions import connect

_BYTES: Final[dict[str, LiteralString]] = {
    "disk_events": "SELECT pg_total_relation_size('lanterlog.events')",
    "disk_store": """
SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
WHERE c.relnamespace = 'lanterlog'::regnamespace AND c.relkind = 'r'
  AND c.relname NOT IN ('commands', 'staged_events', 'staged_games')""",
    "disk_models": """
SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
WHERE c.relnamespace = 'lanterlog_read'::regnamespace AND c.relkind = 'r'""",
}


_COMMANDS: Final = "SELECT pg_total_relation_size('lanterlog.commands')"


def disk(place: Place, events: int) -> Iterator[Row]:
    """Return bytes an event of an archive that was taken in in bulk."""
    tidy(place)
    with place.connect() as conn:
        for key, statement in _BYTES.items():
            row = conn.execute(statement).fetchone()
            assert row is not None
            yield Row(key, "bytes/event", {OURS: float(row[0]) / events}, {})


def singly(place: Place, database: str, count: int) -> Iterator[Row]:
    """Return the same where each event is appended and sealed by itself, as at a table; and of its command."""
    before = _sizes(place, database)
    assert place.config.database_url is not None
    assert place.config.worker_database_url is not None
    probe = Probe(engine_of(place.config.database_url, database))
    worker = make_url(place.config.worker_database_url).set(database=database)
    with connect(
        worker.render_as_string(hide_password=False), "bench", synchronous_commit="off"
    ) as session:
        sealer = Sealer(session)
        probe.hasten()
        for _ in range(count):
            probe.append()
            sealer.round()
    probe.close()
    after = _sizes(place, database)
    for key, now, then in zip(("disk_singly", "disk_commands"), after, before, strict=True):
        yield Row(key, "bytes/event", {OURS: (now - then) / count}, {})


def _sizes(place: Place, database: str) -> list[float]:
    """Return the bytes of the store but commands, and of those, as they are after a while."""
    found = []
    with place.connect(database) as conn:
        conn.execute("VACUUM ANALYZE")
        for statement in (_BYTES["disk_store"], _COMMANDS):
            row = conn.execute(statement).fetchone()
            assert row is not None
            found.append(float(row[0]))
    return found
