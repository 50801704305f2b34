"""Which games are on a page of the list: by the catalogue where it has read a game to its end, by the log where not.

What a game is, whose it is to see and whether it has ended is exact, though the read models are behind: whatever the
catalogue has not come to is in the outbox or in the ledger after its checkpoint, and is looked up in the log. Where that
is much, all is. Filters by what only the catalogue knows follow within seconds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnCollection,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    func,
    literal_column,
    select,
    true,
    union_all,
)

from api.asker import Asker
from api.catalogue_filters import is_listed, only_known
from api.kinds import Kinds
from api.wire import ListQuery
from events.schema import events, games, ledger, outbox
from projections import catalogue
from projections.schema import catalogue_games, checkpoints

_FEW: Final = 500
"""Appends that the catalogue may be behind by; beyond, the log is gone through instead."""
_KINDS: Final = Kinds(catalogue_games, ("game", "mode", "status", "visibility"), ("game_id",))
_OF_A_RULESET: Final = Kinds(
    catalogue_games, ("game", "mode", "status", "visibility"), ("game_id",), given=("ruleset",)
)

Columns = ColumnCollection[str, Any]
Conditions = list[ColumnElement[bool]]


def chosen(conn: Connection, asked: ListQuery, asker: Asker, after: UUID | None) -> Select[Any]:
    """Return the ids of a page's games and of the one after it, in order; *after* is the last of the page before."""
    found = _Choice(asked, asker, after, only_known(conn, asked, asker))
    if found.is_all():
        return found.of_all()
    unread = _unread(conn)
    return found.by_log() if unread is None else found.by_catalogue(unread)


def last_act(heads: FromClause, *conditions: ColumnElement[bool]) -> FromClause:
    """Return a lateral row: the tag of a game's last event that is no remark."""
    return (
        select(literal_column("body->>'t'").label("tag"))
        .select_from(events)
        .where(events.c.game_id == heads.c.game_id, *conditions)
        .where(literal_column("body->>'t'") != "remarked")
        .order_by(events.c.version.desc())
        .limit(1)
        .lateral("last_act")
    )


class _Choice:
    """What is asked, by whom, after which game; `known` is what only the catalogue can tell, but the ruleset."""

    def __init__(
        self, asked: ListQuery, asker: Asker, after: UUID | None, known: Conditions
    ) -> None:
        self._asked = asked
        self._asker = asker
        self._after = after
        self._known = known
        self._ruled = [] if asked.ruleset is None else [catalogue_games.c.ruleset == asked.ruleset]

    def is_all(self) -> bool:
        """Tell whether every game is on some page."""
        asked = (self._asked.game, self._asked.mode, self._asked.status, self._asked.ruleset)
        return self._asker.reads_private and not self._known and asked == (None,) * len(asked)

    def of_all(self) -> Select[Any]:
        return self._first(select(games.c.game_id).where(games.c.kind == "game"), games)

    def by_catalogue(self, unread: Sequence[UUID]) -> Select[Any]:
        """Return those that the catalogue finds, but these, which the log is asked for."""
        but: Conditions = [catalogue_games.c.game_id.not_in(unread)] if unread else []
        parts = list(self._by_kind([*self._known, *but]))
        if unread:
            parts.append(self.by_log(games.c.game_id.in_(unread)))
        if len(parts) == 1:
            return parts[0]
        found = union_all(*(select(part.subquery()) for part in parts)).subquery("found")
        return select(found.c.game_id).order_by(found.c.game_id).limit(self._asked.limit + 1)

    def by_log(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        """Return those that the log finds, going through all games that meet the conditions."""
        last = last_act(games)
        source = games if self._asked.status is None else games.outerjoin(last, true())
        wanted = select(games.c.game_id).select_from(source).where(*conditions)
        wanted = wanted.where(games.c.kind == "game", is_listed(games, self._asker))
        wanted = wanted.where(*self._is_kind(games.c))
        if self._asked.status is not None:
            has_ended = func.coalesce(last.c.tag == "game_ended", False)
            wanted = wanted.where(has_ended.is_(self._asked.status == "ended"))
        if self._known or self._ruled:
            known = select(catalogue_games.c.game_id).where(*self._known, *self._ruled)
            wanted = wanted.where(games.c.game_id.in_(known))
        return self._first(wanted, games)

    def _by_kind(self, conditions: Conditions) -> Iterator[Select[Any]]:
        """Yield those read, at a cost that does not hang on how many are of a kind, or own and not public."""

        def is_wanted(kind: Columns) -> Iterator[ColumnElement[bool]]:
            yield from (*self._is_kind(kind), *self._has_status(kind))
            if not self._asker.reads_private:
                yield kind.visibility == "public"

        yield (_OF_A_RULESET if self._ruled else _KINDS).page(
            is_wanted,
            self._asked.limit + 1,
            after=() if self._after is None else (self._after,),
            given={"ruleset": self._asked.ruleset},
            conditions=conditions,
        )
        if self._asker.own_game is not None:
            table = catalogue_games
            own = (table.c.game_id == self._asker.own_game, table.c.visibility != "public")
            yield self._first(self._read().where(*own, *conditions), table)

    def _read(self) -> Select[Any]:
        table = catalogue_games
        wanted = (*self._is_kind(table.c), *self._has_status(table.c), *self._ruled)
        return select(table.c.game_id).where(*wanted)

    def _is_kind(self, columns: Columns) -> Conditions:
        pairs = ((columns[name], getattr(self._asked, name)) for name in ("game", "mode"))
        return [column == value for column, value in pairs if value is not None]

    def _has_status(self, columns: Columns) -> Conditions:
        if self._asked.status is None:
            return []
        is_open: ColumnElement[bool] = columns.status == "open"
        return [is_open if self._asked.status == "open" else ~is_open]

    def _first(self, wanted: Select[Any], source: FromClause) -> Select[Any]:
        """Return the first of these after the page before."""
        if self._after is not None:
            wanted = wanted.where(source.c.game_id > self._after)
        return wanted.order_by(source.c.game_id).limit(self._asked.limit + 1)


def _unread(conn: Connection) -> list[UUID] | None:
    """Return the games of which the catalogue may not have all, None if there may be many of them. One query."""
    upto = (
        select(func.coalesce(func.max(checkpoints.c.position), 0))
        .where(checkpoints.c.name == catalogue.name)
        .scalar_subquery()
    )
    waiting = select(outbox.c.game_id).limit(_FEW + 1)
    sealed = select(ledger.c.game_id).where(ledger.c.position > upto)
    sealed = sealed.order_by(ledger.c.position).limit(_FEW + 1)
    found = list(conn.execute(union_all(waiting, sealed)).scalars())
    return None if len(found) > _FEW else sorted(set(found))
