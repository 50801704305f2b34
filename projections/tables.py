"""Rows of the models into their tables and out again: by COPY, in PostgreSQL's binary form.

Never commits; the caller owns the transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final
from uuid import UUID

import msgspec
from psycopg import sql

from projections import schema
from projections.feed import Rows
from projections.model import Model, Row
from projections.sessions import Session, named

_ENCODER: Final = msgspec.json.Encoder()


def insert(conn: Session, model: Model, games: Iterable[Rows], where: str) -> int:
    """Add the rows of games that have none there yet; return how many rows."""
    count = 0
    found = list(games)
    for table in model.tables:
        rows = [row for game in found for row in game[table]]
        if rows:
            _copy(conn, table, rows, where)
        count += len(rows)
    return count


def replace(
    conn: Session, model: Model, game_ids: Collection[UUID], games: Iterable[Rows], where: str
) -> int:
    """Put the rows of games in the place of what there is of them; return how many rows."""
    for table in model.tables:
        conn.execute(
            sql.SQL("DELETE FROM {} WHERE game_id = ANY(%s)").format(named(where, table)),
            (list(game_ids),),
        )
    return insert(conn, model, games, where)


def read(
    conn: Session, model: Model, game_ids: Sequence[UUID], where: str
) -> dict[UUID, dict[str, list[Row]]]:
    """Return the rows of games as they are, by game and table, in no order; see `comparable`."""
    found: dict[UUID, dict[str, list[Row]]] = {
        game_id: {table: [] for table in model.tables} for game_id in game_ids
    }
    for table in model.tables:
        statement = sql.SQL("SELECT * FROM {} WHERE game_id = ANY(%s)").format(named(where, table))
        for row in conn.execute(statement, (list(game_ids),), binary=True):
            found[row[0]][table].append(row)
    return found


def comparable(rows: Rows) -> dict[str, list[str]]:
    """Return a game's rows so that two of them are equal if the tables cannot tell them apart."""
    found = {}
    for table, those in rows.items():
        json = [place for place, kind in enumerate(schema.types(table)) if kind == "json"]
        found[table] = sorted(repr(_plain(row, json)) for row in those)
    return found


def _plain(row: Row, json: Collection[int]) -> list[object]:
    """Return a row as it is read back: json as its bytes, every sequence as a list."""
    return [
        cell
        if not isinstance(cell, (dict, list, tuple)) and place not in json
        else _text(cell)
        if place in json
        else list(cell)
        for place, cell in enumerate(row)
    ]


def _text(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else _ENCODER.encode(cell)


def _copy(conn: Session, table: str, rows: Iterable[Row], where: str) -> None:
    statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(named(where, table))
    with conn.cursor() as cur, cur.copy(statement) as copy:
        copy.set_types(schema.types(table))
        for row in rows:
            copy.write_row(row)
