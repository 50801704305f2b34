"""The sealer: takes what was appended into the ledger, round by round, one session at a time.

All that it promises is kept by `seal` in the database (`migrations/versions/0002_sealing.py`): this file holds
the lock and asks for rounds. Whoever has no lock waits without queueing, and asks again.
"""

from typing import Final

import msgspec

from projections.sessions import SEALER, Session, take

BATCH: Final = 2000
"""Rows of the outbox that a round takes, from where the last one stopped; at most twice as many."""

PATIENCE: Final = "30s"
"""A session that says nothing for so long is hung up on by the server: its process hangs, or is gone."""


class Round(msgspec.Struct, frozen=True):
    """What one round has sealed: rows of the ledger, events in them, and the last position there is."""

    rows: int
    events: int
    position: int


class Sealer:
    """One session's attempt to be the sealer; make it with a session of its own."""

    def __init__(self, session: Session, batch: int = BATCH) -> None:
        self._session = session
        self._batch = batch
        self.holds = False
        """Whether this session is the sealer; once it is, it stays so until it ends."""

    def round(self) -> Round | None:
        """Seal what there is, as one transaction; None if another session is the sealer.

        Raises psycopg.Error if the database refuses; nothing was sealed then, and the next round may go well.
        """
        if not self.holds:
            self.holds = take(self._session, SEALER)
        if not self.holds:
            return None
        row = self._session.execute(
            "SELECT sealed_rows, sealed_events, last_position FROM lanterlog.seal(%s)",
            (self._batch,),
        ).fetchone()
        assert row is not None
        return Round(*row)
