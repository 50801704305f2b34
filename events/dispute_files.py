"""Disputes in files that are taken in: each is about a log that is here, as it was when the dispute was opened.

Only reads. That a dispute's chain holds, and that its events can stand in this order, whoever read the file has seen
already; of parts that go on it is seen here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from sqlalchemy import Connection

from events import store
from events.codec import decode_log
from events.disputes import NAME, DisputeOpened
from events.disputing import evolve, fold, impossible
from events.errors import AbsentGame, DisputeError, FormatError
from events.formats import Import

Log: TypeAlias = tuple[str, Sequence[store.StoredEvent]]
"""The name of a game's rules, and its events."""

_NOT_KNOWN: Final[Mapping[UUID, Log]] = {}
MOST_LATE: Final = 1000
"""Disputes of a file that wait for their games; where more stand before their games the file is refused."""


def in_order(conn: Connection, imports: Iterable[Import]) -> Iterator[Import]:
    """Yield what was read, disputes checked; one whose game has not come yet waits for the end of the file.

    Raises what `check_import` raises.
    """
    late: list[Import] = []
    for one in imports:
        if one.head is not None and one.head.kind == NAME:
            waits = any(before.game_id == one.game_id for before in late)
            try:
                if not waits:
                    check_import(conn, one)
            except AbsentGame:
                if len(late) >= MOST_LATE:
                    raise
                waits = True
            if waits:
                late.append(one)
                continue
        yield one
    for one in late:
        check_import(conn, one)
        yield one


def check_import(conn: Connection, one: Import, before: Mapping[UUID, Log] = _NOT_KNOWN) -> None:
    """Refuse a dispute, or a part of one, about a log that is not here as it was when the dispute was opened.

    *before* are games that come with it. Raises FormatError with the line; AbsentGame where the game is simply not
    here.
    """
    if one.after:
        _check_part(conn, one, one.after)
        return
    opened = one.events[0] if one.events else None
    if not isinstance(opened, DisputeOpened):
        raise FormatError(one.line, "a dispute without its opening")
    game_id = UUID(opened.game_id)
    found = _there(before[game_id], opened.at) if game_id in before else _here(conn, opened)
    if found is None:
        reason = f"about version {opened.at} of game {game_id}, which is not here"
        raise AbsentGame(one.line, f"a dispute {reason}: expected the game first")
    if found != (opened.game, opened.head):
        reason = f"about a game {game_id} that went on otherwise by version {opened.at}"
        raise FormatError(one.line, f"a dispute {reason}")


def _there(log: Log, version: int) -> tuple[str, str] | None:
    """Return a log's rules and the hash that it has at a version, if it has come so far."""
    name, stored = log
    return (name, stored[version - 1].hash.hex()) if version <= len(stored) else None


def _here(conn: Connection, opened: DisputeOpened) -> tuple[str, str] | None:
    """Return the same of a game in the store."""
    game_id = UUID(opened.game_id)
    stored = store.read(conn, game_id, after=opened.at - 1, limit=1)
    head = store.head(conn, game_id) if stored else None
    return (head.game, stored[0].hash.hex()) if head is not None and head.kind == "game" else None


def _check_part(conn: Connection, one: Import, after: int) -> None:
    """Refuse a part that goes on as no dispute does from what is here; that there is no gap, the store sees to."""
    stored = store.read(conn, one.game_id, upto=after)
    if not stored:
        return
    dispute = fold(decode_log(NAME, [event.body for event in stored]))
    for event in one.events:
        found = impossible(dispute, event)
        if found:
            raise FormatError(one.line, str(DisputeError(found)))
        dispute = evolve(dispute, event)
