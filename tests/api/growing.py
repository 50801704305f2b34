"""An archive that grows by copies of two games, and the blocks that an answer is read from.

One game is of the common kind, of which there are as many as one likes, the other of a rare one. Copies are made by SQL and have no
chain of their own: lists do not ask for it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, LiteralString
from uuid import UUID

import psycopg
import pytest
from psycopg import Cursor, sql
from sqlalchemy import Table as SqlTable

from events.schema import events, games
from projections.schema import catalogue_deals, catalogue_games, findings, standings_games
from tests.api.table import FACTS, Client, Table, discard, draw
from tests.postgres import Database
from tests.projections.store import keep

_READS: Final = re.compile(r"[\s(]*(SELECT|WITH)\b")
_CALLS: Final = re.compile(r"lanterlog\.\w+\(")
"""A call of a function of the store's own, which may write and is not to be made twice."""
COPIED: Final = (games, events, catalogue_games, catalogue_deals, standings_games, findings)
ENDED: Final = {"t": "game_ended", "v": 1, "winner": None, "abandoned": True}
_LEDGER: Final = """
INSERT INTO lanterlog.ledger (position, game_id, from_version, to_version, head, previous, sealed_at)
SELECT last.position + row_number() OVER (), c.new, 1, g.version, g.head, g.head, g.changed_at
FROM copies c JOIN lanterlog.games g ON g.game_id = c.new,
  (SELECT max(position) AS position FROM lanterlog.ledger) last"""
_READ: Final = """
UPDATE lanterlog_read.checkpoints SET position = (SELECT max(position) FROM lanterlog.ledger)"""
_RARE: Final = """
INSERT INTO lanterlog_read.findings
SELECT r.game_id, 1, 'lanterloo', r.visibility, 3, 1, 0, 'unchecked', 'RARE_CODE', 'L-4.8', f.event, f.params, true
FROM lanterlog_read.catalogue_games r, lanterlog_read.findings f WHERE r.game_id = %s AND f.game_id = %s"""


class Archive:
    """A store with one game of the common kind and one of the rare."""

    def __init__(self, database: Database, client: Client, visibility: str) -> None:
        self._url = database.superuser_url.replace("+psycopg", "")
        common = Table.opened(client, seats=["Una", "Ute"], mode="recorded", visibility=visibility)
        common.record(*FACTS, draw(1), discard(1, "KH"), ENDED)
        rare = Table.opened(
            client, seats=["Rae", "Rex", "Roy"], game="lanterloo", ruleset="seed-loo3"
        )
        self.common, self.rare = common.game_id, rare.game_id
        keep(database)
        self._run("UPDATE lanterlog_read.findings SET is_open = true")
        self._run(
            "UPDATE lanterlog_read.catalogue_games SET first_at = '2001-01-01Z' WHERE game_id = %s",
            self.rare,
        )
        self._run(
            "UPDATE lanterlog_read.catalogue_games SET last_at = '2091-01-01Z' WHERE game_id = %s",
            self.rare,
        )
        self._run(_RARE, self.rare, self.common)

    def grow(self, copies: int) -> None:
        """Add copies of the common game, and leave statistics as they are after a while."""
        with psycopg.connect(self._url, autocommit=True) as conn:
            for name in ("games", "events", "ledger"):
                guarded = sql.Identifier("lanterlog", name)
                conn.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER ALL").format(guarded))
            conn.execute(
                "CREATE TEMP TABLE copies AS SELECT %s::uuid AS old, gen_random_uuid() AS new"
                " FROM generate_series(1, %s)",
                (self.common, copies),
            )
            for table in COPIED:
                conn.execute(_copy(table))
            conn.execute(_LEDGER)
            conn.execute(_READ)
            conn.execute("VACUUM ANALYZE")

    def players(self, game_id: str) -> list[UUID]:
        """Return who sits there."""
        return list(
            self._row(
                "SELECT players FROM lanterlog_read.catalogue_games WHERE game_id = %s", game_id
            )[0]
        )

    def finding(self) -> tuple[str, str]:
        """Return the code and the rule of what was found in the common game."""
        code, rule = self._row(
            "SELECT code, rule FROM lanterlog_read.findings WHERE game_id = %s", self.common
        )
        return code, rule

    def _row(self, query: LiteralString, *params: object) -> tuple[Any, ...]:
        with psycopg.connect(self._url) as conn:
            row = conn.execute(query, params).fetchone()
        assert row is not None
        return row

    def _run(self, statement: LiteralString, *params: object) -> None:
        with psycopg.connect(self._url) as conn:
            assert conn.execute(statement, params or None).rowcount > 0


def _copy(table: SqlTable) -> sql.Composed:
    rest = [column.name for column in table.columns if column.name != "game_id"]
    return sql.SQL(
        "INSERT INTO {table} (game_id, {rest}) SELECT c.new, {rest} FROM {table} t JOIN copies c ON c.old = t.game_id {where}"
    ).format(
        where=sql.SQL("WHERE version IN (1, 8)" if table is events else ""),
        table=sql.Identifier(str(table.schema), table.name),
        rest=sql.SQL(", ").join(map(sql.Identifier, rest)),
    )


@contextmanager
def blocks_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, str]]]:
    """Collect every query with how many blocks of tables and indexes it is answered from."""
    found: list[tuple[int, str]] = []
    execute = Cursor.execute

    def spy(self: Any, query: Any, params: Any = None, *args: Any, **more: Any) -> Any:
        text = query.decode() if isinstance(query, bytes) else str(query)
        if _READS.match(text) and not _CALLS.search(text):
            explained = Cursor(self.connection)
            execute(explained, f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}", params)
            ((plans,),) = explained.fetchall()
            plan = plans[0]["Plan"]
            found.append((plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], text))
        return execute(self, query, params, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Cursor, "execute", spy)
        yield found
