"""A store that was tampered with: the first bad version of each damaged game is named."""

from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from events import scan, store
from events.chain import NIL_HEAD, event_hash, inner_hash, ledger_hash, text_hash
from events.soundness import Damage
from tests.postgres import Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
SALT = b"s" * 16
REMARK = b'{"t":"remarked","v":1,"seat":0,"text":"%s"}' % text_hash(SALT, "hush").hex().encode()
UPDATE_EVENT = """
UPDATE lanterlog.events SET hash = %s, salt = %s, body = %s::json WHERE game_id = %s AND version = %s"""


class Tampering:
    """A superuser with the triggers switched off, and a game of nine events: the second append is a remark."""

    def __init__(self, conn: Connection, game: UUID) -> None:
        self.conn = conn
        self.game = game

    def run(self, statement: str, *params: object) -> None:
        self.conn.exec_driver_sql(statement, params)

    def of_game(self, statement: str) -> None:
        self.run(f"{statement.replace('?', '%s')}", self.game)

    def rechain(self, first: int, note: str) -> None:
        """Rewrite the bodies from a version on with the hashes that follow, and the head: a careful forger."""
        events = store.read(self.conn, self.game)
        previous = events[first - 2].hash if first > 1 else NIL_HEAD
        for event in events[first - 1 :]:
            text = body(event.version, note)
            previous = event_hash(
                self.game, event.version, previous, event.recorded_at, event.recorded_by,
                inner_hash(event.salt, text),
            )  # fmt: skip
            self.run(UPDATE_EVENT, previous, event.salt, text.decode(), self.game, event.version)
        self.run("UPDATE lanterlog.games SET head = %s WHERE game_id = %s", previous, self.game)

    def reseal(self) -> None:
        """Rewrite the ledger, too, so that it follows from the events: a careful superuser."""
        before, rows = NIL_HEAD, list(self.rows())
        for position, game_id, first, last, at in rows:
            head = store.read(self.conn, game_id, after=last - 1, limit=1)[0].hash
            self.run(
                "UPDATE lanterlog.ledger SET head = %s, previous = %s WHERE position = %s",
                head, before, position,
            )  # fmt: skip
            before = ledger_hash(position, before, game_id, first, last, head, at)

    def rows(self) -> Iterator[tuple[int, UUID, int, int, int]]:
        found = self.conn.exec_driver_sql(
            "SELECT position, game_id, from_version, to_version,"
            " (extract(epoch FROM sealed_at) * 1000000)::bigint"
            " FROM lanterlog.ledger ORDER BY position"
        )
        yield from (tuple(row) for row in found)


@pytest.fixture
def game(engine: Engine, database: Database) -> UUID:
    """A game of nine events in three appends, all sealed, between two others."""
    opened_game(engine, *map(body, range(5)))
    game_id = opened_game(engine, *map(body, range(1, 4)))
    seal(database)
    append(engine, game_id, REMARK, body(5), texts=[store.Text(0, SALT, "hush")])
    seal(database)
    append(engine, game_id, *map(body, range(6, 10)))
    opened_game(engine)
    opened_game(engine, body())
    seal(database)
    return game_id


def append(
    engine: Engine, game_id: UUID, *bodies: bytes, texts: list[store.Text] | None = None
) -> None:
    with engine.begin() as conn:
        store.append(conn, game_id, None, uuid4(), bytes(32), WHO, bodies, texts or [])


def seal(database: Database) -> None:
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(1000)")
        conn.commit()


def checked(engine: Engine, most_events: int = 20_000) -> scan.Checked:
    snapshot = engine.execution_options(isolation_level="REPEATABLE READ")
    with snapshot.connect() as conn:
        parts = [scan.check(conn, one) for one in scan.stretches(conn, most_events, 1000)]
    return scan.Checked(
        sum(part.games for part in parts),
        sum(part.events for part in parts),
        sum(part.rows for part in parts),
        [damage for part in parts for damage in part.damages],
    )


@pytest.fixture
def tampering(database: Database, game: UUID) -> Iterator[Tampering]:
    tables = ("games", "events", "texts", "commands", "imports", "ledger", "outbox")
    with connected(database.superuser_url) as conn:
        for table in tables:
            conn.exec_driver_sql(f"ALTER TABLE lanterlog.{table} DISABLE TRIGGER ALL")
        yield Tampering(conn, game)


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize("most_events", [1, 3, 20_000])
def test_an_untouched_store_is_sound(engine: Engine, most_events: int) -> None:
    found = checked(engine, most_events)
    assert (found.games, found.events, found.rows, found.damages) == (4, 15, 5, [])


def test_an_empty_store_is_sound(engine: Engine) -> None:
    assert checked(engine) == scan.Checked(0, 0, 0, [])


def test_what_waits_for_the_sealer_is_sound(engine: Engine, game: UUID) -> None:
    append(engine, game, body(10))
    assert checked(engine).damages == []


def _insert_after_end(t: Tampering) -> None:
    last = store.read(t.conn, t.game)[-1]
    text = body(10)
    hash_ = event_hash(t.game, 10, last.hash, last.recorded_at, WHO, inner_hash(SALT, text))
    t.run(
        "INSERT INTO lanterlog.events SELECT game_id, 10, recorded_at, %s, %s, %s, %s::json"
        " FROM lanterlog.events WHERE game_id = %s AND version = 9",
        WHO, SALT, hash_, text.decode(), t.game,
    )  # fmt: skip


def _insert_between(t: Tampering) -> None:
    for version in range(9, 4, -1):
        t.run(
            "UPDATE lanterlog.events SET version = %s WHERE game_id = %s AND version = %s",
            version + 1, t.game, version,
        )  # fmt: skip
    t.run(
        "INSERT INTO lanterlog.events SELECT game_id, 5, recorded_at, recorded_by, salt, hash, '{}'"
        " FROM lanterlog.events WHERE game_id = %s AND version = 4",
        t.game,
    )


def _swap(t: Tampering) -> None:
    fourth, fifth = store.read(t.conn, t.game)[5:7]
    for here, there in ((fourth, fifth), (fifth, fourth)):
        t.run(UPDATE_EVENT, there.hash, there.salt, there.body.decode(), t.game, here.version)


def _cut(t: Tampering) -> None:
    """Cut the tail as if it had never been: the head and the ledger's row go, too."""
    _cut_events(t)
    left = store.read(t.conn, t.game)[-1]
    t.run("UPDATE lanterlog.games SET version = 5, head = %s WHERE game_id = %s", left.hash, t.game)


def _cut_events(t: Tampering) -> None:
    t.of_game("DELETE FROM lanterlog.commands WHERE game_id = ? AND last_version = 9")
    t.of_game("DELETE FROM lanterlog.events WHERE game_id = ? AND version > 5")


def _remove(t: Tampering) -> None:
    for table in ("commands", "texts", "events", "games"):
        t.of_game(f"DELETE FROM lanterlog.{table} WHERE game_id = ?")


E = "UPDATE lanterlog.events SET"
W = "WHERE game_id = ? AND version ="
CASES: dict[str, tuple[Callable[[Tampering], None], int, str, str]] = {
    "byte flipped": (
        lambda t: t.of_game(f"{E} body = replace(body::text, ':6,', ':7,')::json {W} 6"),
        6, "events", "another hash",
    ),
    "hash flipped": (
        lambda t: t.of_game(f"{E} hash = set_byte(hash, 0, get_byte(hash, 0) # 1) {W} 3"),
        3, "events", "another hash",
    ),
    "time moved": (
        lambda t: t.of_game(f"{E} recorded_at = recorded_at + interval '1 microsecond' {W} 1"),
        1, "events", "another hash",
    ),
    "recorder": (lambda t: t.of_game(f"{E} recorded_by = gen_random_uuid() {W} 2"), 2, "events", "another hash"),
    "removed from the middle": (
        lambda t: t.of_game(f"DELETE FROM lanterlog.events {W} 7"), 7, "events", "is missing",
    ),
    "first removed": (
        lambda t: t.of_game(f"DELETE FROM lanterlog.events {W} 1"), 1, "events", "is missing",
    ),
    "swapped": (_swap, 6, "events", "another hash"),
    "tail cut": (_cut_events, 6, "events", "the ledger counts it"),
    "tail cut with head": (_cut, 6, "events", "the ledger counts it"),
    "inserted at the end": (_insert_after_end, 10, "events", "after the last version"),
    "inserted between": (_insert_between, 5, "events", "another hash"),
    "recomputed": (lambda t: t.rechain(6, "forged"), 6, "ledger", "to 9 has another hash than position"),
    "all recomputed": (lambda t: t.rechain(1, "forged"), 1, "ledger", "to 3 has another hash"),
    "head's hash": (
        lambda t: t.of_game("UPDATE lanterlog.games SET head = sha256(head) WHERE game_id = ?"),
        9, "head", "another hash than the head",
    ),
    "head's version": (
        lambda t: t.of_game("UPDATE lanterlog.games SET version = 8 WHERE game_id = ?"),
        9, "events", "after the last version",
    ),
    "head gone": (
        lambda t: t.of_game("DELETE FROM lanterlog.games WHERE game_id = ?"), 1, "head", "no head",
    ),
    "all gone": (_remove, 1, "events", "the ledger counts it"),
    "text": (
        lambda t: t.of_game("UPDATE lanterlog.texts SET text = 'loud' WHERE game_id = ?"),
        4, "text", "another text",
    ),
    "text's salt": (
        lambda t: t.of_game("UPDATE lanterlog.texts SET salt = sha256(salt)[1] WHERE game_id = ?"
                            .replace("sha256(salt)[1]", "substr(sha256(salt), 1, 16)")),
        4, "text", "another text",
    ),
    "text moved": (
        lambda t: t.of_game("UPDATE lanterlog.texts SET version = 5 WHERE game_id = ?"),
        5, "text", "another text",
    ),
    "text after the end": (
        lambda t: t.of_game("UPDATE lanterlog.texts SET version = 50 WHERE game_id = ?"),
        50, "text", "no event",
    ),
    "command's range": (
        lambda t: t.of_game(
            "UPDATE lanterlog.commands SET first_version = 3 WHERE game_id = ? AND first_version = 4"
        ),
        3, "command", "not what was appended",
    ),
    "import": (
        lambda t: t.of_game("INSERT INTO lanterlog.imports VALUES (?, gen_random_uuid(), now(), 12)"),
        12, "import", "it was imported",
    ),
    "ledger's row taken out": (
        lambda t: t.of_game("DELETE FROM lanterlog.ledger WHERE game_id = ? AND from_version = 4"),
        4, "ledger", "not where position",
    ),
    "ledger's last row gone": (
        lambda t: t.of_game("DELETE FROM lanterlog.ledger WHERE game_id = ? AND from_version = 6"),
        6, "ledger", "neither in the ledger",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "version", "part", "reason"), CASES.values(), ids=CASES.keys())
def test_the_first_bad_version_is_named(
    engine: Engine,
    tampering: Tampering,
    tamper: Callable[[Tampering], None],
    version: int,
    part: str,
    reason: str,
) -> None:
    tamper(tampering)
    tampering.conn.commit()
    damages = [one for one in checked(engine).damages if one.game_id is not None]
    assert [(one.game_id, one.version, one.part) for one in damages] == [
        (tampering.game, version, part)
    ]
    assert reason in damages[0].reason
    assert [one for one in checked(engine, 2).damages if one.game_id is not None] == damages


@pytest.mark.parametrize(
    ("statement", "position"),
    [
        ("UPDATE lanterlog.ledger SET previous = sha256(previous) WHERE position = 3", 3),
        ("UPDATE lanterlog.ledger SET sealed_at = now() - interval '1 day' WHERE position = 2", 3),
        ("DELETE FROM lanterlog.ledger WHERE position = 4", 4),
        ("DELETE FROM lanterlog.ledger WHERE position = 1", 1),
        ("UPDATE lanterlog.ledger SET position = 100 WHERE position = 5", 5),
    ],
    ids=["hash", "time", "gap", "first", "moved"],
)
@pytest.mark.parametrize("most_events", [1, 2, 20_000])
def test_the_first_bad_position_of_the_ledger_is_named(
    engine: Engine, tampering: Tampering, statement: str, position: int, most_events: int
) -> None:
    tampering.run(statement)
    tampering.conn.commit()
    found = [one.position for one in checked(engine, most_events).damages if one.position]
    assert min(found) == position


def test_only_anchors_find_a_superuser_who_rewrote_the_ledger_too(
    engine: Engine, tampering: Tampering
) -> None:
    with engine.connect() as conn:
        before = scan.anchor_now(conn, "2026-01-31T18:30:00Z")
    tampering.rechain(6, "forged")
    tampering.run("DELETE FROM lanterlog.commands")
    tampering.reseal()
    tampering.conn.commit()
    assert checked(engine).damages == []
    with engine.connect() as conn:
        holding, damages = scan.check_anchors(conn, iter([replace(before, position=0), before]))
    assert (holding, [(one.part, one.position) for one in damages]) == (1, [("anchor", 5)])


def test_an_anchor_finds_a_ledger_that_was_cut(engine: Engine, tampering: Tampering) -> None:
    with engine.connect() as conn:
        before = scan.anchor_now(conn, "2026-01-31T18:30:00Z")
    tampering.run("TRUNCATE lanterlog.ledger, lanterlog.games CASCADE")
    tampering.conn.commit()
    with engine.connect() as conn:
        assert scan.check_anchors(conn, iter([before])) == (
            0,
            [Damage("anchor", "is missing: it was there on 2026-01-31T18:30:00Z", position=5)],
        )


def test_anchors_hold_while_the_ledger_grows(
    engine: Engine, database: Database, game: UUID
) -> None:
    with engine.connect() as conn:
        anchors = [scan.anchor_now(conn, "2026-01-31T18:30:00Z")]
    append(engine, game, body(10))
    seal(database)
    with engine.connect() as conn:
        anchors.append(scan.anchor_now(conn, "2026-02-01T18:30:00Z"))
        assert scan.check_anchors(conn, iter(anchors)) == (2, [])
    assert [one.position for one in anchors] == [5, 6]
