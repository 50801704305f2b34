"""Games as files, for the HTTP service and the command line alike: written from the store, taken in.

An archive of any size is written in constant memory, with two more queries for every few dozen games.
Never commits.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection, select

from events import docket, store
from events.codec import decode_stored
from events.common import Event, GameOpened
from events.formats import ndjson
from events.records import Head, StoredEvent
from events.schema import texts

BATCH: Final = 50
"""Games whose names and remarks are read at one go."""
_NO_VERSIONS: Final[Container[int]] = frozenset()


class Filed(msgspec.Struct, frozen=True):
    """A game with all that a file says of it: names by player id, remarks by version."""

    head: Head
    stored: Sequence[StoredEvent]
    events: Sequence[Any]
    names: dict[str, str]
    remarks: dict[int, tuple[bytes, str]]


def gather(
    conn: Connection, games: Iterable[tuple[Head, Sequence[StoredEvent]]]
) -> Iterator[Filed]:
    """Yield each game with its names and remarks."""
    waiting = iter(games)
    while batch := list(islice(waiting, BATCH)):
        decoded = [[decode_stored(head.game, e.body) for e in stored] for head, stored in batch]
        remarks = _remarks(conn, [head.game_id for head, _ in batch])
        names = _names(conn, decoded)
        for (head, stored), events in zip(batch, decoded, strict=True):
            own = {player: names[player] for player in people(events) if player in names}
            yield Filed(head, stored, events, own, remarks.get(head.game_id, {}))


def write_ndjson(
    games: Iterable[Filed], withheld: Container[int] = _NO_VERSIONS
) -> Iterator[bytes]:
    """Yield the lines of our own format; of the *withheld* versions of games only the inner hash."""
    writer = ndjson.Writer()
    for game in games:
        hidden = withheld if game.head.kind == "game" else _NO_VERSIONS
        yield from writer.game(game.head, game.stored, names_kept(game), game.remarks, hidden)
    yield writer.end()


def names_kept(game: Filed) -> dict[str, str]:
    """Return the names that a file takes along: not those that were taken out of the store."""
    return {player: name for player, name in game.names.items() if name != store.ERASED_NAME}


def people(events: Sequence[Any]) -> tuple[str, ...]:
    """Return who sits at a game's table, or speaks in a dispute, each once."""
    if events and isinstance(events[0], GameOpened):
        return events[0].seats
    speakers = (getattr(event, "by", None) for event in events)
    return tuple(dict.fromkeys(by for by in speakers if by is not None))


def with_disputes(
    conn: Connection, games: Iterable[tuple[Head, Sequence[StoredEvent]]]
) -> Iterator[tuple[Head, Sequence[StoredEvent]]]:
    """Yield each game, and behind it the disputes about it: one more query for every few dozen games."""
    waiting = iter(games)
    while batch := list(islice(waiting, BATCH)):
        about = docket.about(conn, [head.game_id for head, _ in batch])
        for head, stored in batch:
            yield head, stored
            for dispute in docket.many(conn, about.get(head.game_id, [])):
                yield dispute.head, dispute.stored


def _names(conn: Connection, games: Sequence[Sequence[Event]]) -> dict[str, str]:
    ids = {UUID(seat) for events in games for seat in people(events)}
    found = store.people(conn, ids) if ids else {}
    return {str(player): name for player, name in found.items()}


def _remarks(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, dict[int, tuple[bytes, str]]]:
    columns = texts.c
    statement = select(columns.game_id, columns.version, columns.salt, columns.text)
    found: dict[UUID, dict[int, tuple[bytes, str]]] = {}
    for game_id, version, salt, text in conn.execute(statement.where(columns.game_id.in_(ids))):
        found.setdefault(game_id, {})[version] = (bytes(salt), text)
    return found
