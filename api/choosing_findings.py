"""Which findings are on a page of the list across games: those that a list shows whoever asks, and that may be told him."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnCollection, ColumnElement, Select, and_, literal, not_, select, tuple_
from sqlalchemy import union_all as all_of

from api.asker import NOBODY, Asker
from api.catalogue_filters import is_listed, is_told
from api.kinds import Kinds
from api.lists_wire import FindingsQuery
from projections.schema import findings

_KIND: Final = ("game", "severity", "visibility", "is_open")
_ORDER: Final = ("game_id", "number")
_KINDS: Final = Kinds(findings, _KIND, _ORDER)
_OF_A_CODE: Final = Kinds(findings, ("rule", *_KIND), _ORDER, given=("code",))
_OF_A_RULE: Final = Kinds(findings, _KIND, _ORDER, given=("rule",))
_KEYS: Final = tuple(findings.c[name] for name in _ORDER)

Columns = ColumnCollection[str, Any]
Conditions = Iterator[ColumnElement[bool]]


def chosen(asked: FindingsQuery, asker: Asker, after: Sequence[Any]) -> Select[Any]:
    """Return the rows of a page and of the one after it, in order; *after* are the keys of the last of the page before."""
    parts = [select(part.subquery()) for part in _parts(asked, asker, after)]
    found = (all_of(*parts) if len(parts) > 1 else parts[0]).subquery("found")
    is_found = and_(*(findings.c[name] == found.c[name] for name in _ORDER))
    return select(findings).join(found, is_found).order_by(*_KEYS).limit(asked.limit + 1)


def _parts(asked: FindingsQuery, asker: Asker, after: Sequence[Any]) -> Iterator[Select[Any]]:
    sees_all = asker.own_game is None and asker.sight(NOBODY) == "all"
    is_all = (asked.game, asked.code, asked.rule, asked.severity) == (None,) * 4
    if asked.game_id is not None or (is_all and asker.reads_private and sees_all):
        yield _first(_plain(asked, asker), asked, after)
        return

    def is_wanted(kind: Columns) -> Conditions:
        yield from _has(asked, kind)
        if not asker.reads_private:
            yield kind.visibility == "public"
        if not sees_all:
            yield kind.is_open

    given = {"code": asked.code, "rule": asked.rule}
    yield _kinds(asked).page(is_wanted, asked.limit + 1, after=after, given=given)
    if asker.own_game is not None:
        is_there = and_(findings.c.visibility == "public", findings.c.is_open)
        own = _plain(asked, asker).where(findings.c.game_id == asker.own_game, not_(is_there))
        yield _first(own, asked, after)


def _kinds(asked: FindingsQuery) -> Kinds:
    if asked.code is not None:
        return _OF_A_CODE
    return _KINDS if asked.rule is None else _OF_A_RULE


def _has(asked: FindingsQuery, columns: Columns) -> Conditions:
    """Yield what is asked of these columns, as far as it is asked of them."""
    for name in ("game", "code", "rule", "severity"):
        value = getattr(asked, name)
        if value is not None and name in columns:
            yield columns[name] == value


def _plain(asked: FindingsQuery, asker: Asker) -> Select[Any]:
    wanted = select(*_KEYS).where(is_listed(findings, asker), is_told(asker))
    if asked.game_id is not None:
        wanted = wanted.where(findings.c.game_id == asked.game_id)
    return wanted.where(*_has(asked, findings.c))


def _first(wanted: Select[Any], asked: FindingsQuery, after: Sequence[Any]) -> Select[Any]:
    if after:
        wanted = wanted.where(tuple_(*_KEYS) > tuple_(*map(literal, after)))
    return wanted.order_by(*_KEYS).limit(asked.limit + 1)
