"""The ledger as a feed, and the logs of the games that it names, read for the models.

Only reads. A page is one statement: positions have no gaps and are committed in order, so what comes after a
page can never stand before its end. Logs are read up to a version that was sealed, never up to what is newest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg

from events.codec import decode_log, decode_stored
from events.disputes import NAME
from events.games import game_named
from projections.model import Log, Model, Row, Sealed
from projections.sessions import Session

PAGE: Final = 5000
"""Rows of the ledger that are taken at once: the more, the more of them are of the same games."""
MOST_EVENTS: Final = 50_000
"""Events that are folded at once, unless a single game has more."""
DISPUTED: Final = 500
"""Events that a row of a dispute stands for: its game is folded again."""
CHUNK: Final = 20_000
"""The same where several processes share out the archive."""

Rows = Mapping[str, list[Row]]
Chunk = list[tuple[UUID, int]]
"""Games, each with the version up to which it is to be read."""
Progress = Callable[[int, int], None]
"""Called with events done since the last call, and events there are in all."""

_PAGE: Final = """
SELECT l.position, l.game_id, l.from_version, l.to_version, coalesce(g.kind, 'game')
FROM lanterlog.ledger l LEFT JOIN lanterlog.games g ON g.game_id = l.game_id
WHERE l.position > %s ORDER BY l.position LIMIT %s"""
_LAST: Final = "SELECT coalesce(max(position), 0) FROM lanterlog.ledger"
_POSITION: Final = """
SELECT position FROM lanterlog.ledger
WHERE game_id = %s AND from_version <= %s ORDER BY from_version DESC LIMIT 1"""
_SIZES: Final = """
SELECT l.game_id, max(l.to_version) FROM lanterlog.ledger l
JOIN lanterlog.games g ON g.game_id = l.game_id AND g.kind = 'game'
WHERE l.position <= %s GROUP BY l.game_id ORDER BY l.game_id"""
_HEADS: Final = """
SELECT g.game_id, g.kind, g.game, g.mode, g.visibility, l.version, l.hash, g.created_at,
  l.recorded_at, f.recorded_at
FROM unnest(%s::uuid[], %s::int4[]) AS w (game_id, version)
JOIN lanterlog.games g ON g.game_id = w.game_id AND g.kind = 'game'
JOIN lanterlog.events f ON f.game_id = w.game_id AND f.version = 1
JOIN lanterlog.events l ON l.game_id = w.game_id AND l.version = w.version
ORDER BY w.game_id"""
_BODIES: Final = """
SELECT e.game_id, e.body FROM unnest(%s::uuid[], %s::int4[]) AS w (game_id, version)
JOIN lanterlog.games g ON g.game_id = w.game_id AND g.kind = 'game'
JOIN lanterlog.events e ON e.game_id = w.game_id AND e.version <= w.version
ORDER BY e.game_id, e.version"""
# The games that these disputes are about, as far as each was sealed by then.
_DISPUTED: Final = """
SELECT l.game_id, max(l.to_version) FROM lanterlog.ledger l WHERE l.position <= %s AND l.game_id IN (
  SELECT (o.body ->> 'game_id')::uuid FROM lanterlog.events o
  WHERE o.game_id = ANY(%s::uuid[]) AND o.version = 1
) GROUP BY l.game_id"""
_ABOUT: Final = """
SELECT o.body ->> 'game_id', e.game_id, e.body FROM lanterlog.events o
JOIN LATERAL (
  SELECT max(l.to_version) AS version FROM lanterlog.ledger l
  WHERE l.game_id = o.game_id AND l.position <= %s
) sealed ON true
JOIN lanterlog.events e ON e.game_id = o.game_id AND e.version <= sealed.version
WHERE o.version = 1 AND o.body ->> 't' = 'dispute_opened' AND o.body ->> 'game_id' = ANY(%s::text[])
ORDER BY 1, e.game_id, e.version"""
_FIRST: Final = itemgetter(0)
_BODY: Final = itemgetter(1)


class Entry(msgspec.Struct, frozen=True):
    """A row of the ledger: which events of which game, or other stream, come next."""

    position: int
    game_id: UUID
    from_version: int
    to_version: int
    kind: str = "game"


class Stored(msgspec.Struct):
    """A game as far as it was asked for: its head there, the bodies of its events, and those of each dispute
    about it.
    """

    head: Sealed
    bodies: Sequence[bytes]
    disputes: Sequence[Sequence[bytes]] = ()
    _log: Log | None = None

    def log(self) -> Log:
        """Return the events, decoded once; raise CodecError and its like for a body that is none."""
        if self._log is None:
            disputes = (decode_log(NAME, bodies) for bodies in self.disputes)
            self._log = Log(decode_log(self.head.game, self.bodies), disputes)
        return self._log


class Fault(msgspec.Struct, frozen=True):
    """The first event of a game with which its rows cannot be made, and the reason."""

    game_id: UUID
    version: int
    reason: str


def page(conn: Session, after: int, most: int = PAGE) -> list[Entry]:
    """Return the next rows of the ledger, no more than can be folded at once, at least one if there is any."""
    found = [Entry(*row) for row in conn.execute(_PAGE, (after, most), binary=True)]
    known: dict[UUID, int] = {}
    events = 0
    for number, entry in enumerate(found):
        is_game = entry.kind == "game"
        events += entry.to_version - known.get(entry.game_id, 0) if is_game else DISPUTED
        known[entry.game_id] = entry.to_version
        if number and events > MOST_EVENTS:
            return found[:number]
    return found


def wanted(conn: Session, entries: Sequence[Entry]) -> dict[UUID, int]:
    """Return the games of a page, each with the version up to which it is to be read.

    Those too that a dispute in it is about, as far as they were sealed by then: their rows follow the ruling.
    """
    games = {entry.game_id: entry.to_version for entry in entries if entry.kind == "game"}
    disputes = list({entry.game_id for entry in entries if entry.kind == NAME})
    if disputes:
        found = conn.execute(_DISPUTED, (entries[-1].position, disputes), binary=True)
        games |= {row[0]: row[1] for row in found}
    return games


def last_position(conn: Session) -> int:
    """Return the position of the newest row of the ledger, 0 if there is none."""
    return _one(conn, _LAST, ())


def position_of(conn: Session, game_id: UUID, version: int) -> int:
    """Return the position in the ledger at which a sealed event stands."""
    return _one(conn, _POSITION, (game_id, version))


def sizes(conn: Session, upto: int) -> list[tuple[UUID, int]]:
    """Return every game that is sealed up to a position, with its last version there, by id."""
    return [(row[0], row[1]) for row in conn.execute(_SIZES, (upto,), binary=True)]


def chunks(games: Sequence[tuple[UUID, int]]) -> Iterator[Chunk]:
    """Yield the games in portions of about as many events."""
    chunk: Chunk = []
    events = 0
    for game_id, version in games:
        chunk.append((game_id, version))
        events += version
        if events >= CHUNK:
            yield chunk
            chunk, events = [], 0
    if chunk:
        yield chunk


def stored(conn: Session, games: Mapping[UUID, int], position: int) -> Iterator[Stored]:
    """Yield the games among these streams, each up to its version, in three statements.

    With each come the disputes about it, as far as they were sealed up to a position of the ledger.
    """
    params = (list(games), list(games.values()))
    heads = conn.execute(_HEADS, params, binary=True).fetchall()
    bodies = conn.execute(_BODIES, params, binary=True).fetchall()
    disputes = _disputes(conn, games, position)
    for head, (game_id, group) in zip(heads, groupby(bodies, _FIRST), strict=True):
        yield Stored(Sealed(*head), list(map(_BODY, group)), disputes.get(str(game_id), ()))


def _disputes(
    conn: Session, games: Mapping[UUID, int], position: int
) -> dict[str, list[list[bytes]]]:
    """Return the bodies of the disputes about each game, by its id; of most there is none."""
    rows = conn.execute(_ABOUT, (position, list(map(str, games))), binary=True).fetchall()
    found: dict[str, list[list[bytes]]] = {}
    for (game_id, _), group in groupby(rows, itemgetter(0, 1)):
        found.setdefault(game_id, []).append([row[2] for row in group])
    return found


def rows_of(models: Sequence[Model], game: Stored) -> dict[str, Rows]:
    """Return the rows of one game in every model, by the model's name; raises whatever is wrong with it."""
    rules = game_named(game.head.game)
    log = game.log()
    return {model.name: model.rows(rules, game.head, log) for model in models}


class Shelf:
    """The games that were read last, for the next model that asks for them up to the same version."""

    def __init__(self) -> None:
        self._position = 0
        self._games: dict[tuple[UUID, int], Stored] = {}

    def take(self, conn: Session, games: Mapping[UUID, int], position: int) -> list[Stored]:
        """Return the games among these streams like `stored`, and keep them instead of those before."""
        if position != self._position:
            self._games = {}  # a dispute about any of them may have gone on
        missing = {
            one: version for one, version in games.items() if (one, version) not in self._games
        }
        read = {g.head.game_id: g for g in stored(conn, missing, position)} if missing else {}
        found = [self._games.get((one, version)) or read.get(one) for one, version in games.items()]
        taken = [game for game in found if game is not None]
        self._position = position
        self._games = {(game.head.game_id, game.head.version): game for game in taken}
        return taken


def fault(conn: Session, models: Sequence[Model], entry: Entry, error: Exception) -> Fault:
    """Return where *error* comes from: the first event of a ledger row that no rows can be made with.

    Looks for the first body that is no event, else halves what is left; falls back on the last event.
    """
    try:
        [game] = stored(conn, {entry.game_id: entry.to_version}, entry.position)
    except (ValueError, psycopg.DataError) as missing:
        return Fault(entry.game_id, entry.to_version, f"{_told(error)}; {_told(missing)}")
    return fault_in(models, game, error, entry.from_version - 1)


def fault_in(models: Sequence[Model], game: Stored, error: Exception, known_good: int = 0) -> Fault:
    """Return the same of a game that was read; `known_good` is a version up to which rows were made."""
    name, head = game.head.game, game.head
    for version, body in enumerate(game.bodies, 1):
        if wrong := _raised(lambda body=body: decode_stored(name, body)):  # type: ignore[misc]
            return Fault(head.game_id, version, _told(wrong))
    good, bad = known_good, len(game.bodies)
    while bad - good > 1:
        middle = (good + bad) // 2
        part = Stored(_cut(head, middle), game.bodies[:middle], game.disputes)
        if wrong := _raised(lambda part=part: rows_of(models, part)):  # type: ignore[misc]
            bad, error = middle, wrong
        else:
            good = middle
    return Fault(head.game_id, bad, _told(error))


def _cut(head: Sealed, version: int) -> Sealed:
    return msgspec.structs.replace(head, version=version)


def _raised(work: Callable[[], object]) -> Exception | None:
    """Return what *work* raises: an event may be wrong in ways that nobody has thought of."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - returned, and told to whoever looks after the projection
        return error
    return None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:1000]


def _one(conn: Session, statement: str, params: Sequence[Any]) -> int:
    row = conn.execute(statement, params, binary=True).fetchone()
    return int(row[0]) if row else 0
