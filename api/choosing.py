"""Which games are on a page of the list: by the catalogue where it has read a game to its end, by the log where not.

What a game is, whose it is to see and whether it has ended is exact, though the read models are behind: whatever the
catalogue has not come to is in the outbox or in the ledger after its checkpoint, and is looked up one by one.
Filters by what only the catalogue knows follow within seconds.
"""

from collections.abc import Iterator
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
    union,
    union_all,
)

from api.asker import Asker
from api.catalogue_filters import is_listed, only_known
from api.kinds import Kinds
from api.wire import ListQuery
from events.schema import events, games, ledger, outbox
from projections import catalogue
from projections.schema import catalogue_games, checkpoints

_FARTHEST: Final = 2**62
_KINDS: Final = Kinds(catalogue_games, ("game", "mode", "status", "visibility"), ("game_id",))
_OF_A_RULESET: Final = Kinds(
    catalogue_games, ("game", "mode", "status", "visibility"), ("game_id",), given=("ruleset",)
)

Columns = ColumnCollection[str, Any]
Conditions = list[ColumnElement[bool]]


def chosen(conn: Connection, asked: ListQuery, asker: Asker, after: UUID | None) -> Select[Any]:
    """Return the ids of a page's games and of the one after it, in order; *after* is the last of the page before."""
    found = _Choice(asked, asker, after, only_known(conn, asked, asker))
    return found.of_all() if found.is_all() else found.of_some()


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
        self._unread = _unread()

    def is_all(self) -> bool:
        """Tell whether every game is on some page."""
        asked = (self._asked.game, self._asked.mode, self._asked.status, self._asked.ruleset)
        return self._asker.reads_private and not self._known and asked == (None,) * len(asked)

    def of_all(self) -> Select[Any]:
        return self._first(select(games.c.game_id).where(games.c.kind == "game"), games)

    def of_some(self) -> Select[Any]:
        parts = (self._by_log(), *(self._by_search() if self._known else self._by_kind()))
        found = union_all(*(select(part.subquery()) for part in parts)).subquery("found")
        return select(found.c.game_id).order_by(found.c.game_id).limit(self._asked.limit + 1)

    def _by_log(self) -> Select[Any]:
        """Return those unread: each is looked up by itself, which a limit in a lateral makes sure of."""
        last = last_act(games)
        source = games if self._asked.status is None else games.outerjoin(last, true())
        wanted = select(games.c.game_id).select_from(source)
        wanted = wanted.where(games.c.game_id == self._unread.c.game_id, games.c.kind == "game")
        wanted = wanted.where(is_listed(games, self._asker), *self._is_kind(games.c))
        if self._asked.status is not None:
            has_ended = func.coalesce(last.c.tag == "game_ended", False)
            wanted = wanted.where(has_ended.is_(self._asked.status == "ended"))
        if self._known or self._ruled:
            known = select(catalogue_games.c.game_id).where(*self._known, *self._ruled)
            here = known.where(catalogue_games.c.game_id == games.c.game_id)
            wanted = wanted.where(here.exists())
        found = wanted.limit(1).lateral("unread_game")
        each = select(found.c.game_id).select_from(self._unread.join(found, true()))
        return self._first(each, found)

    def _by_search(self) -> Iterator[Select[Any]]:
        """Yield those read as the planner finds them best: how many pass is not known before."""
        is_shown = is_listed(catalogue_games, self._asker)
        yield self._first(self._read().where(is_shown, *self._known), catalogue_games)

    def _by_kind(self) -> Iterator[Select[Any]]:
        """Yield those read, at a cost that does not hang on how many pass."""

        def is_wanted(kind: Columns) -> Iterator[ColumnElement[bool]]:
            yield from (*self._is_kind(kind), *self._has_status(kind))
            if not self._asker.reads_private:
                yield kind.visibility == "public"

        yield (_OF_A_RULESET if self._ruled else _KINDS).page(
            is_wanted,
            self._asked.limit + 1,
            after=() if self._after is None else (self._after,),
            given={"ruleset": self._asked.ruleset},
            but=[self._is_read()],
        )
        if self._asker.own_game is not None:
            table = catalogue_games
            own = (table.c.game_id == self._asker.own_game, table.c.visibility != "public")
            yield self._first(self._read().where(*own), table)

    def _read(self) -> Select[Any]:
        table = catalogue_games
        wanted = (*self._is_kind(table.c), *self._has_status(table.c), *self._ruled)
        return select(table.c.game_id).where(self._is_read(), *wanted)

    def _is_read(self) -> ColumnElement[bool]:
        return catalogue_games.c.game_id.not_in(select(self._unread.c.game_id))

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


def _unread() -> FromClause:
    """Return the games of which the catalogue may not have all.

    The far end of the stretch is for the planner, which takes a stretch for a short one, and what has no end for a third of
    the ledger.
    """
    upto = (
        select(func.coalesce(func.max(checkpoints.c.position), 0))
        .where(checkpoints.c.name == catalogue.name)
        .scalar_subquery()
    )
    later = ledger.c.position.between(upto + 1, _FARTHEST)
    return union(select(outbox.c.game_id), select(ledger.c.game_id).where(later)).cte("unread")
