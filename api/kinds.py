"""Rows in the order of their ids, by columns that have few values each, at a cost that the table's size does not change.

A condition that few rows meet, or none, would make a page of them a walk through the whole table. Here the combinations of
values that there are, the kinds, are found by going from each to the next in an index that begins with their columns,
and of every kind that is wanted no more rows are looked at than a page holds. A kind has a handful of values a column, so
there are never more than some dozens of kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    CTE,
    Column,
    ColumnCollection,
    ColumnElement,
    Select,
    Table,
    literal,
    select,
    true,
    tuple_,
)

Wanted = Callable[[ColumnCollection[str, Any]], Iterable[ColumnElement[bool]]]
"""Tells what a kind must be, by its columns."""


class Kinds(msgspec.Struct, frozen=True):
    """An index of a table: columns that are always asked for, those of the kinds, and those that order the rows."""

    table: Table
    kind: tuple[str, ...]
    order: tuple[str, ...]
    given: tuple[str, ...] = ()

    def page(
        self,
        is_wanted: Wanted,
        limit: int,
        *,
        after: Sequence[Any] = (),
        given: Mapping[str, Any] = {},
        conditions: Iterable[ColumnElement[bool]] = (),
    ) -> Select[Any]:
        """Return the keys of the first rows of the wanted kinds, those that come after these keys.

        *conditions* are what else the rows must be, which the planner serves as best it can.
        """
        kinds, rows = self._kinds(given), self.table.c
        keys = [rows[name] for name in self.order]
        here = select(*keys).where(*self._given(given), *conditions)
        here = here.where(*(rows[name] == kinds.c[name] for name in self.kind))
        if after:
            here = here.where(tuple_(*keys) > tuple_(*map(literal, after)))
        found = here.order_by(*keys).limit(limit).lateral("of_a_kind")
        ordered = [found.c[name] for name in self.order]
        return (
            select(*ordered)
            .select_from(kinds.join(found, true()))
            .where(*is_wanted(kinds.c))
            .order_by(*ordered)
            .limit(limit)
        )

    def _kinds(self, given: Mapping[str, Any]) -> CTE:
        """Return every combination that there is: from each the index leads to the next."""
        columns = self._columns()
        first = select(*columns).where(*self._given(given)).order_by(*columns).limit(1)
        kinds = first.cte("kinds", recursive=True)
        later = tuple_(*columns) > tuple_(*(kinds.c[name] for name in self.kind))
        following = (
            select(*columns)
            .where(*self._given(given), later)
            .order_by(*columns)
            .limit(1)
            .lateral("following")
        )
        return kinds.union_all(select(*following.c).select_from(kinds.join(following, true())))

    def _columns(self) -> list[Column[Any]]:
        return [self.table.c[name] for name in self.kind]

    def _given(self, given: Mapping[str, Any]) -> list[ColumnElement[bool]]:
        return [self.table.c[name] == given[name] for name in self.given]
