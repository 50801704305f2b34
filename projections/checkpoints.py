"""How far each read model has come, kept in the same transaction as its rows.

A checkpoint is only ever moved from where the mover found it (compare and set), so one that lagged behind
cannot turn it back. Never commits.
"""

from typing import Final
from uuid import UUID

import msgspec

from events.errors import ProjectionFailed, ProjectionMoved
from projections.sessions import Session

_FIND: Final = """
SELECT version, position, failed_at IS NOT NULL FROM lanterlog_read.checkpoints WHERE name = %s"""
_MAKE: Final = """
INSERT INTO lanterlog_read.checkpoints (name, version, position, updated_at)
VALUES (%s, 0, 0, clock_timestamp()) ON CONFLICT DO NOTHING"""
_MOVE: Final = """
UPDATE lanterlog_read.checkpoints SET version = %s, position = %s, updated_at = clock_timestamp(),
  failed_at = NULL, failed_position = NULL, failed_game_id = NULL, failed_version = NULL, failure = NULL
WHERE name = %s AND version = %s AND position = %s"""
_FAIL: Final = """
UPDATE lanterlog_read.checkpoints SET failed_at = clock_timestamp(), failed_position = %s,
  failed_game_id = %s, failed_version = %s, failure = %s
WHERE name = %s AND version = %s AND position = %s"""


class Checkpoint(msgspec.Struct, frozen=True):
    """A model's version and position; version 0 has no tables yet."""

    name: str
    version: int
    position: int
    failed: bool


def find(conn: Session, name: str, *, locked: bool = False) -> Checkpoint:
    """Return a checkpoint, made if it is missing; *locked* keeps it to this transaction until its end."""
    statement = _FIND + " FOR UPDATE" * locked
    row = conn.execute(statement, (name,)).fetchone()
    if row is None:
        conn.execute(_MAKE, (name,))
        row = conn.execute(statement, (name,)).fetchone()
    assert row is not None
    return Checkpoint(name, *row)


def move(conn: Session, found: Checkpoint, position: int, version: int | None = None) -> None:
    """Move a checkpoint on from where it was found; raise ProjectionMoved if it is not there any more.

    *version* is the new version of the tables where they were made anew.
    """
    to = found.version if version is None else version
    params = (to, position, found.name, found.version, found.position)
    if conn.execute(_MOVE, params).rowcount != 1:
        raise ProjectionMoved(f"checkpoint of {found.name} is not at {found.position} any more")


def fail(conn: Session, found: Checkpoint, failed: ProjectionFailed) -> None:
    """Say where and why a model has stopped, unless it has moved on since."""
    place: tuple[int, UUID, int, str] = (
        failed.position, failed.game_id, failed.version, failed.reason.replace("\0", ""),
    )  # fmt: skip
    conn.execute(_FAIL, (*place, found.name, found.version, found.position))
