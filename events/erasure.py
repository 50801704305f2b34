"""Takes a person's name and texts out of the store for good, and leaves every hash as it is.

Runs on the owner's connection only: the program's own login has no right to any of this. A salt goes with
its text, so that what the log keeps of it tells nothing. The store remembers which ids and which texts are
gone (triggers on `people` and `texts`), since an old export would bring them back. Never commits.
"""

from collections.abc import Sequence
from typing import Final, Literal
from unicodedata import normalize
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import Connection
from uuid_utils.compat import uuid7

from events import administration, store
from events.administration import PersonErased
from events.codec import encode
from events.errors import UnknownPerson
from events.postgres import Call, every, one, streamed

Reach = Literal["own", "games", "all"]
"""Which texts go: those that the person wrote; also those at the person's tables that hold the name; or
also those anywhere."""

_BY_NAME: Final = (
    "SELECT player_id FROM lanterlog.people WHERE name = %s ORDER BY player_id LIMIT 3"
)
_NAME: Final = "SELECT name FROM lanterlog.people WHERE player_id = %s"
_SEATED: Final = """
SELECT count(*) FROM lanterlog.games g
JOIN lanterlog.events o ON o.game_id = g.game_id AND o.version = 1
WHERE g.kind = 'game' AND o.body::text LIKE '%%' || %s || '%%'"""
# Who sits where stands in a game's first event; of a dispute, in that of the game that it is about.
_TEXTS: Final = """
SELECT t.game_id, t.version, t.text, e.recorded_by, e.body ->> 'seat', e.body ->> 'by',
  coalesce(o.body -> 'seats', d.body -> 'seats')
FROM lanterlog.texts t
JOIN lanterlog.events e ON e.game_id = t.game_id AND e.version = t.version
JOIN lanterlog.events o ON o.game_id = t.game_id AND o.version = 1
LEFT JOIN lanterlog.events d ON d.game_id = (o.body ->> 'game_id')::uuid AND d.version = 1
ORDER BY t.game_id, t.version"""
# Waits for whoever is writing names or texts now, and lets nobody begin.
_LOCK: Final = "LOCK TABLE lanterlog.people, lanterlog.texts IN SHARE ROW EXCLUSIVE MODE"
_REMEMBER: Final = """
WITH person AS (
  INSERT INTO lanterlog.erased_people (player_id) VALUES (%s) ON CONFLICT DO NOTHING
)
DELETE FROM lanterlog.people WHERE player_id = %s"""
_FORGET: Final = """
WITH gone AS (
  DELETE FROM lanterlog.texts t USING unnest(%s::uuid[], %s::int4[]) AS w (game_id, version)
  WHERE t.game_id = w.game_id AND t.version = w.version
  RETURNING t.game_id, t.version
)
INSERT INTO lanterlog.erased_texts (game_id, version) SELECT game_id, version FROM gone
ON CONFLICT DO NOTHING"""
_STREAM: Final = """
SELECT game_id FROM lanterlog.games WHERE kind = 'admin' AND game = %s ORDER BY created_at LIMIT 1"""


class Plan(msgspec.Struct, frozen=True):
    """What goes of a person; `elsewhere` counts texts that hold the name and stay."""

    player_id: UUID
    name: str | None
    games: int
    texts: tuple[tuple[UUID, int], ...]
    elsewhere: int


def find_person(conn: Connection, person: str) -> UUID:
    """Return whom an id or an exact name means; raise UnknownPerson if that is nobody, or not one alone.

    An id is taken as it is: one whose name has gone already can be erased again.
    """
    try:
        return UUID(person)
    except ValueError:
        found = [row[0] for row in every(conn, _BY_NAME, (person,), Call())]
    if len(found) != 1:
        many = f", e.g. {found[0]} and {found[1]}: expected an id" if found else ""
        raise UnknownPerson(
            f"{'more than one person has' if found else 'nobody has'} this name{many}"
        )
    person_id: UUID = found[0]
    return person_id


def plan(conn: Connection, player_id: UUID, reach: Reach = "games") -> Plan:
    """Return what would go. Looks at every text there is, in constant memory."""
    row = one(conn, _NAME, (player_id,), Call())
    name = None if row is None else str(row[0])
    seated = one(conn, _SEATED, (str(player_id),), Call())
    going, elsewhere = [], 0
    for game_id, version, text, recorder, seat, by, seats in streamed(conn, _TEXTS, 1000):
        players = _players(seats)
        own = recorder == player_id or str(player_id) in (by, _at(players, seat))
        named = name is not None and _folded(name) in _folded(text)
        at_table = str(player_id) in players
        if own or (named and (reach == "all" or (reach == "games" and at_table))):
            going.append((game_id, version))
        elif named:
            elsewhere += 1
    return Plan(player_id, name, 0 if seated is None else seated[0], tuple(going), elsewhere)


def erase(conn: Connection, player_id: UUID, reach: Reach, recorded_by: UUID) -> Plan:
    """Take everything of the plan out, remember it, and put on record that it was done; return the plan.

    Until the caller commits, nobody writes names or texts. Afterwards `compact` must make the files forget.
    """
    conn.exec_driver_sql(_LOCK)
    found = plan(conn, player_id, reach)
    conn.exec_driver_sql(_REMEMBER, (player_id, player_id))
    if found.texts:
        games, versions = zip(*found.texts, strict=True)
        conn.exec_driver_sql(_FORGET, (list(games), list(versions)))
    event = PersonErased(player=str(player_id), texts=len(found.texts))
    body = encode(event)
    store.append(conn, _stream(conn), None, uuid4(), bytes(32), recorded_by, [body])
    return found


def compact(conn: Connection) -> None:
    """Write both tables anew, so that their files hold nothing that was deleted; needs AUTOCOMMIT.

    Waits until nobody reads or writes them. The old files are gone at the next checkpoint.
    """
    conn.exec_driver_sql("VACUUM (FULL) lanterlog.people, lanterlog.texts")


def _stream(conn: Connection) -> UUID:
    """Return the store's administration stream, which the first erasure makes; the lock keeps it the only one."""
    row = one(conn, _STREAM, (administration.NAME,), Call())
    if row is not None:
        found: UUID = row[0]
        return found
    made = uuid7()
    store.open_game(conn, made, administration.NAME, "recorded", "private", kind="admin")
    return made


def _players(seats: bytes | None) -> list[str]:
    try:
        return msgspec.json.decode(seats or b"[]", type=list[str])
    except msgspec.DecodeError:
        return []


def _at(players: Sequence[str], seat: str | None) -> str | None:
    number = int(seat) if seat and seat.isascii() and seat.isdigit() and len(seat) < 3 else -1
    return players[number] if 0 <= number < len(players) else None


def _folded(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold())
