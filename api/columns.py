"""Tables as Parquet, for whoever asks questions of an archive: pandas, Polars, DuckDB. Needs the parquet extra.

A file grows by row groups, so an archive of any size takes the same memory. Each says in its metadata by which
version of the program it was made, and up to which position of the ledger the archive went.
"""

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from api.tabular import Kind, Row, Seen, Table
from events.errors import BadUsage
from events.version import ENGINE

ROWS: Final = 20_000
"""Rows of a row group."""


class Writer:
    """Writes one table into one file; give rows, then `close`. Raises BadUsage where pyarrow is missing."""

    def __init__(self, path: Path, table: Table, told: Mapping[str, str]) -> None:
        pyarrow, parquet = _libraries()
        kinds = _types(pyarrow)
        fields = [pyarrow.field(name, kinds[kind]) for name, kind in table.columns]
        self._table = table
        self._pyarrow = pyarrow
        metadata = {f"lanterlog.{name}": text for name, text in told.items()}
        self._schema = pyarrow.schema(fields, metadata=metadata)
        self._file = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows, and write those that make a row group."""
        for row in rows:
            self._waiting.append(row)
            if len(self._waiting) >= ROWS:
                self._write(self._waiting)
                self._waiting = []

    def close(self) -> None:
        """Write what is left and end the file."""
        if self._waiting:
            self._write(self._waiting)
        self._file.close()

    def _write(self, rows: list[Row]) -> None:
        columns = [
            self._pyarrow.array([_value(kind, value) for value in column], field.type)
            for (_, kind), field, column in zip(
                self._table.columns, self._schema, zip(*rows, strict=True), strict=True
            )
        ]
        batch = self._pyarrow.record_batch(columns, schema=self._schema)
        self._file.write_batch(batch, row_group_size=ROWS)


def write(
    folder: Path, tables: Iterable[Table], games: Iterable[Seen], told: Mapping[str, str]
) -> None:
    """Write a file for each table into a folder that is there, one pass over the games."""
    _libraries()
    made = {"lanterlog": ENGINE, **told}
    with ExitStack() as stack:
        writers = []
        for table in tables:
            writers.append((table, Writer(folder / f"{table.name}.parquet", table, made)))
            stack.callback(writers[-1][1].close)
        for game in games:
            for table, writer in writers:
                writer.add(table.rows(game))


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        command = f"{sys.executable} -m pip install pyarrow"
        raise BadUsage(f"Parquet needs pyarrow, which is not installed: {command}") from None
    return pa, parquet


def _types(pyarrow: Any) -> dict[Kind, Any]:
    text = pyarrow.string()
    return {
        "text": text,
        "id": text,
        "json": text,
        "int": pyarrow.int64(),
        "bool": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
        "ints": pyarrow.list_(pyarrow.int64()),
    }


def _value(kind: Kind, value: Any) -> Any:
    if value is None:
        return None
    match kind:
        case "id":
            return str(value)
        case "ints":
            return list(value)
        case _:
            return value
