"""How the store's background work stands: what waits to be sealed, how far the models are, who is at work.

A few cheap statements under the program's own login, for a command and for metrics alike. Writes nothing.
"""

from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Row, text

from projections.models import MODELS
from projections.sessions import SEALER

_LAG: Final = text("""
SELECT
  (SELECT coalesce(max(position), 0) FROM lanterlog.ledger) AS position,
  count(*) AS games,
  coalesce(sum(o.version - coalesce(l.to_version, 0)), 0)::bigint AS events,
  coalesce(extract(epoch FROM clock_timestamp() - min(o.since)), 0)::float8 AS seconds
FROM (
  SELECT game_id, max(version) AS version, min(appended_at) AS since
  FROM lanterlog.outbox GROUP BY game_id
) o LEFT JOIN LATERAL (
  SELECT to_version FROM lanterlog.ledger
  WHERE game_id = o.game_id ORDER BY from_version DESC LIMIT 1
) l ON true""")
# The time of the first row that a model has not read tells how long it has been behind.
_CHECKPOINTS: Final = text("""
SELECT c.name, c.version, c.position, c.updated_at::text AS updated_at,
  (SELECT coalesce(max(position), 0) FROM lanterlog.ledger) - c.position AS behind,
  coalesce(extract(epoch FROM clock_timestamp() - (
    SELECT l.sealed_at FROM lanterlog.ledger l WHERE l.position > c.position
    ORDER BY l.position LIMIT 1
  )), 0)::float8 AS seconds,
  c.failed_at::text AS failed_at, c.failed_position, c.failed_game_id, c.failed_version, c.failure
FROM lanterlog_read.checkpoints c ORDER BY c.name""")
_HOLDERS: Final = text("""
SELECT t.task, l.pid, a.application_name
FROM unnest(CAST(:tasks AS text[])) AS t (task)
JOIN pg_catalog.pg_locks l ON l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
  AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
  AND l.classid::bigint = hashtext('lanterlog')::bigint & 4294967295
  AND l.objid::bigint = hashtext(t.task)::bigint & 4294967295
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid""")


class Holder(msgspec.Struct, frozen=True):
    """The session that has a task's lock: PostgreSQL's process, the session's name, and since when it works."""

    pid: int
    application: str
    since: str | None


class Waiting(msgspec.Struct, frozen=True):
    """What was appended and is not sealed yet: games, events, and for how long the first has waited."""

    games: int
    events: int
    seconds: float


class Failure(msgspec.Struct, frozen=True):
    """Where and why a model has stopped."""

    at: str
    position: int
    game_id: UUID
    version: int
    reason: str


class Standing(msgspec.Struct, frozen=True):
    """How far a model is; `behind` counts rows of the ledger, `seconds` tells since when it is behind.

    `version` is that of the tables, `wanted` that of the program, None if it knows no such model.
    """

    name: str
    version: int
    wanted: int | None
    position: int
    behind: int
    seconds: float
    updated_at: str
    holder: Holder | None
    failure: Failure | None


class Status(msgspec.Struct, frozen=True):
    """Everything at one moment; `position` is the ledger's last."""

    position: int
    waiting: Waiting
    sealer: Holder | None
    projections: tuple[Standing, ...]


def status(conn: Connection) -> Status:
    """Return how the background work stands; any login that may read the store may ask."""
    lag = conn.execute(_LAG).one()
    rows = conn.execute(_CHECKPOINTS).all()
    holders = _holders(conn, [SEALER, *(row.name for row in rows)])
    wanted = {model.name: model.version for model in MODELS}
    standings = [_standing(row, wanted.get(row.name), holders.get(row.name)) for row in rows]
    return Status(
        lag.position,
        Waiting(lag.games, lag.events, max(lag.seconds, 0.0)),
        holders.get(SEALER),
        tuple(standings),
    )


def _holders(conn: Connection, tasks: list[str]) -> dict[str, Holder]:
    rows = conn.execute(_HOLDERS, {"tasks": tasks}).all()
    return {row.task: _holder(row.pid, row.application_name or "") for row in rows}


def _holder(pid: int, application: str) -> Holder:
    _, _, since = application.partition(" since ")
    return Holder(pid, application, since or None)


def _standing(row: Row[Any], wanted: int | None, holder: Holder | None) -> Standing:
    failure = None
    if row.failed_at is not None:
        failure = Failure(
            row.failed_at, row.failed_position, row.failed_game_id, row.failed_version, row.failure
        )
    return Standing(
        row.name,
        row.version,
        wanted,
        row.position,
        row.behind,
        max(row.seconds, 0.0),
        row.updated_at,
        holder,
        failure,
    )
