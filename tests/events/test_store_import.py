"""Taking in a game with its chain: kept as it is, or refused; and both chains agree."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api import db
from events import intake, postgres, store
from events.chain import MAX_VERSION, NIL_HEAD, event_hash, inner_hash, text_hash
from events.errors import AlteredLog, NotStorable, OtherHead
from tests.postgres import Cluster, Database, body, both_servers, connected, opened_game

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
NOW = 1_700_000_000_000_001


def rechained(events: Sequence[store.StoredEvent]) -> list[store.StoredEvent]:
    """The same events with the hashes that follow from them: what a careful forger would send."""
    chain, previous = [], NIL_HEAD
    for event in events:
        inner = inner_hash(event.salt, event.body)
        previous = event_hash(
            event.game_id, event.version, previous, event.recorded_at, event.recorded_by, inner
        )
        chain.append(replace(event, hash=previous))
    return chain


def exported(count: int = 4) -> tuple[store.Head, list[store.StoredEvent]]:
    """A game from elsewhere."""
    game_id = uuid4()
    events = rechained(
        [
            store.StoredEvent(game_id, n, NOW + n, uuid4(), uuid4().bytes, b"", body(n))
            for n in range(1, count + 1)
        ]
    )
    return ended(game_id, events), events


def ended(game_id: UUID, events: Sequence[store.StoredEvent]) -> store.Head:
    """The head that belongs to these events."""
    head, at = (events[-1].hash, events[-1].recorded_at) if events else (NIL_HEAD, NOW)
    return store.Head(
        game_id, "game", "rummy500", "recorded", "unlisted", len(events), head, NOW, at
    )


def take_in(
    engine: Engine,
    head: store.Head,
    events: Sequence[store.StoredEvent],
    texts: Sequence[store.Text] = (),
) -> str:
    with engine.begin() as conn:
        return intake.import_game(conn, head, events, texts, WHO)


def test_a_game_is_kept_as_it_was(engine: Engine) -> None:
    head, events = exported()
    text = store.Text(2, b"s" * 16, "from elsewhere")
    assert take_in(engine, head, events, [text]) == "imported"
    with engine.begin() as conn:
        assert store.head(conn, head.game_id) == head
        assert store.read(conn, head.game_id) == events
        assert store.texts(conn, head.game_id) == {3: text}


def test_a_game_goes_from_one_store_to_another_and_on(engine: Engine, cluster: Cluster) -> None:
    for count in (0, 1, 7):
        opened_game(engine, *(body(n) for n in range(count)))
    with engine.begin() as conn:
        archive = list(store.stream_all(conn))
    with cluster.fresh() as other:
        there = db.engine(other.config)
        assert {take_in(there, head, events) for head, events in archive} == {"imported"}
        with there.begin() as conn:
            assert list(store.stream_all(conn)) == archive
        longest, events = max(archive, key=lambda game: game[0].version)
        with there.begin() as conn:
            store.append(conn, longest.game_id, 7, uuid4(), bytes(32), WHO, [body()])
            assert len(store.read(conn, longest.game_id)) == len(events) + 1
        there.dispose()


def test_the_same_game_again_changes_nothing(engine: Engine, database: Database) -> None:
    head, events = exported()
    assert [take_in(engine, head, events) for _ in range(2)] == ["imported", "present"]
    with connected(database.worker_url) as conn:
        for table in ("imports", "outbox"):
            rows = conn.exec_driver_sql(f"SELECT game_id, version FROM lanterlog.{table}").all()
            assert [tuple(row) for row in rows] == [(head.game_id, 4)]


def test_who_imported_when_is_kept_outside_the_chain(engine: Engine) -> None:
    head, events = exported()
    take_in(engine, head, events)
    with engine.begin() as conn:
        row = conn.exec_driver_sql(
            "SELECT imported_by, imported_at > to_timestamp(%s) FROM lanterlog.imports",
            (NOW / 1e6,),
        ).one()
        assert WHO not in {event.recorded_by for event in store.read(conn, head.game_id)}
    assert tuple(row) == (WHO, True)


def test_a_game_that_is_here_with_another_end_is_refused(engine: Engine) -> None:
    head, events = exported()
    take_in(engine, head, events)
    shorter = events[:-1]
    longer = rechained([*events, replace(events[-1], version=5)])
    other = rechained([*shorter, replace(events[-1], body=body(99))])
    for forged in (shorter, longer, other):
        with pytest.raises(OtherHead, match="at version 4 with another head"):
            take_in(engine, ended(head.game_id, forged), forged)
    with engine.begin() as conn:
        assert store.read(conn, head.game_id) == events


ALTERATIONS: dict[str, Callable[[list[store.StoredEvent]], list[store.StoredEvent]]] = {
    "body": lambda e: [e[0], replace(e[1], body=body(99)), *e[2:]],
    "salt": lambda e: [e[0], replace(e[1], salt=bytes(16)), *e[2:]],
    "long salt": lambda e: [e[0], replace(e[1], salt=bytes(17)), *e[2:]],
    "time": lambda e: [e[0], replace(e[1], recorded_at=NOW), *e[2:]],
    "recorder": lambda e: [e[0], replace(e[1], recorded_by=WHO), *e[2:]],
    "hash": lambda e: [e[0], replace(e[1], hash=bytes(32)), *e[2:]],
    "dropped": lambda e: [e[0], *e[2:]],
    "swapped": lambda e: [e[0], e[2], e[1], *e[3:]],
    "doubled": lambda e: [e[0], e[0], *e[1:]],
    "renumbered": lambda e: [e[0], replace(e[1], version=3), *e[2:]],
    "of another game": lambda e: [e[0], replace(e[1], game_id=uuid4()), *e[2:]],
    "time gone back": lambda e: rechained([e[0], replace(e[1], recorded_at=0), *e[2:]]),
}


@pytest.mark.parametrize("alter", ALTERATIONS.values(), ids=ALTERATIONS.keys())
def test_an_altered_chain_is_refused_at_its_first_wrong_version(
    engine: Engine, alter: Callable[[list[store.StoredEvent]], list[store.StoredEvent]]
) -> None:
    head, events = exported()
    with pytest.raises(AlteredLog) as refused:
        take_in(engine, head, alter(events))
    assert (refused.value.game_id, refused.value.version) == (head.game_id, 2)
    with engine.begin() as conn:
        assert store.heads(conn) == []


def test_a_tail_that_was_cut_off_is_noticed_by_the_head(engine: Engine) -> None:
    head, events = exported()
    with pytest.raises(AlteredLog, match="is the last one, expected version 4"):
        take_in(engine, head, events[:-1])


# The database is not told versions and games of single events, so it cannot be lied to about them.
UNTOLD = {"renumbered", "of another game"}


@pytest.mark.parametrize("name", sorted(ALTERATIONS.keys() - UNTOLD))
def test_the_database_believes_nobody(
    engine: Engine, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without our own check the database still finds what is wrong, by its trigger."""
    head, events = exported()
    altered = ALTERATIONS[name](events)
    monkeypatch.setattr(intake, "check_chain", lambda *_: None)
    with pytest.raises((AlteredLog, NotStorable)):
        take_in(engine, ended(head.game_id, altered), altered)


@pytest.mark.parametrize("at", [-(2**63), 2**63 - 1, 253_402_300_800_000_000])
def test_a_time_that_the_database_cannot_hold_is_refused(engine: Engine, at: int) -> None:
    head, events = exported(1)
    events = rechained([replace(events[0], recorded_at=at)])
    with pytest.raises(NotStorable, match="expected the years 1 to 9999"):
        take_in(engine, ended(head.game_id, events), events)


def test_a_time_that_the_hash_cannot_hold_is_refused(engine: Engine) -> None:
    head, events = exported(1)
    with pytest.raises(NotStorable, match="expected 64 bits"):
        take_in(engine, head, [replace(events[0], recorded_at=2**63)])


@pytest.mark.parametrize("at", [-62_135_596_800_000_000, -1, 0, 253_402_300_799_999_999])
def test_the_oldest_and_the_latest_time_survive(engine: Engine, at: int) -> None:
    head, events = exported(1)
    events = rechained([replace(events[0], recorded_at=at)])
    take_in(engine, ended(head.game_id, events), events)
    with engine.begin() as conn:
        assert store.read(conn, head.game_id) == events


def test_erasing_a_text_leaves_the_chain_whole(engine: Engine, database: Database) -> None:
    """Text and salt go together: what is left in the log tells nothing and still verifies."""
    text = store.Text(0, uuid4().bytes, "what Ann said")
    game_id = opened_game(engine)
    told = body(note=text_hash(text.salt, text.text).hex())
    with engine.begin() as conn:
        store.append(conn, game_id, 0, uuid4(), bytes(32), WHO, [told, body()], [text])
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("DELETE FROM lanterlog.texts")
        conn.commit()
    with engine.begin() as conn:
        events = store.read(conn, game_id)
        assert store.texts(conn, game_id) == {}
    assert rechained(events) == events


def test_both_chains_agree_on_a_thousand_random_events(engine: Engine) -> None:
    chance = random.Random(20_240_229)
    rows = [
        (
            UUID(bytes=chance.randbytes(16)),
            chance.choice([1, 2, MAX_VERSION, chance.randrange(1, MAX_VERSION)]),
            chance.randbytes(32),
            chance.choice([-1, 0, 1, NOW, chance.randrange(-(2**55), 2**57)]),
            UUID(bytes=chance.randbytes(16)),
            chance.randbytes(16),
            "".join(chance.choices('aZ09{}":, äß♠🂡\n\\', k=chance.randrange(200))),
        )
        for _ in range(1000)
    ]
    ours = [
        event_hash(game, version, previous, at, who, inner_hash(salt, text.encode()))
        for game, version, previous, at, who, salt, text in rows
    ]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[3] = [epoch + timedelta(microseconds=row[3]) for row in rows]
    with engine.begin() as conn:
        theirs = conn.exec_driver_sql(
            "SELECT lanterlog.event_hash(r.game, r.version, r.previous, r.at, r.who,"
            " lanterlog.inner_hash(r.salt, r.body))"
            " FROM unnest(%s::uuid[], %s::int4[], %s::bytea[], %s::timestamptz[], %s::uuid[],"
            " %s::bytea[], %s::text[]) WITH ORDINALITY"
            " AS r (game, version, previous, at, who, salt, body, nr) ORDER BY r.nr",
            tuple(columns),
        )
        assert theirs.scalars().all() == ours


def test_what_the_database_chained_our_chain_accepts(engine: Engine) -> None:
    chance = random.Random(5)
    bodies = [body(n, chance.randbytes(chance.randrange(90)).hex()) for n in range(200)]
    game_id = opened_game(engine, *bodies)
    with engine.begin() as conn:
        events = store.read(conn, game_id)
        assert rechained(events) == events
        assert store.head(conn, game_id).head == events[-1].hash


def test_a_row_comes_in_the_binary_form_that_the_store_counts_on(engine: Engine) -> None:
    with engine.begin() as conn:
        row = postgres.one(
            conn, "SELECT '1970-01-01Z'::timestamptz, '{ }'::json", (), postgres.Call()
        )
    assert row == (-postgres.EPOCH, b"{ }")


def test_a_new_game_has_not_changed_since_it_was_made(engine: Engine) -> None:
    for _ in range(200):
        opened_game(engine)
    with engine.begin() as conn:
        heads = [head for head, _ in store.stream_all(conn)]
    assert [head for head in heads if head.changed_at != head.created_at] == []
