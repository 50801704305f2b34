"""Tables as CSV (RFC 4180, UTF-8, with a heading): one line at a time, in constant memory.

Texts that a spreadsheet would take for a formula get an apostrophe in front, as spreadsheets themselves do it.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from api.tabular import Kind, Row, Seen, Table, rows_of
from api.times import rfc3339

TYPE: Final = "text/csv"
# A line that begins with # is the trailer of a stretch of the archive.
_QUOTED: Final = re.compile(r'[",\r\n#]')
# As a spreadsheet reads it: in some countries also the wide forms of the signs.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def heading(table: Table) -> bytes:
    """Return the first line: the names of the columns."""
    return _line([name for name, _ in table.columns])


def lines(table: Table, games: Iterable[Seen]) -> Iterator[bytes]:
    """Yield a line a row, without the heading."""
    kinds = [kind for _, kind in table.columns]
    for row in rows_of(table, games):
        yield _line(_cells(kinds, row))


def _cells(kinds: Iterable[Kind], row: Row) -> list[str]:
    return [_cell(kind, value) for kind, value in zip(kinds, row, strict=True)]


def _cell(kind: Kind, value: Any) -> str:
    if value is None:
        return ""
    match kind:
        case "time":
            return rfc3339(value)
        case "bool":
            return "true" if value else "false"
        case "ints":
            return " ".join("?" if one is None else str(one) for one in value)
        case "text" if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return str(value)


def _line(cells: Iterable[str]) -> bytes:
    return (",".join(map(_written, cells)) + "\r\n").encode()


def _written(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
