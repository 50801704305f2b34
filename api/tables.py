"""The tables that an export can be, by name: those of games and those of disputes."""

from typing import Final

from api.tabular import DEALS, EVENTS, FINDINGS, SCORES, Table, TableName
from api.tabular_disputes import DISPUTES, RULINGS

TABLES: Final[dict[TableName, Table]] = {
    table.name: table for table in (EVENTS, DEALS, SCORES, FINDINGS, DISPUTES, RULINGS)
}
OF_DISPUTES: Final = (DISPUTES, RULINGS)
