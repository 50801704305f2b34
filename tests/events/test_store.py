"""The store in daily use: open, append, read, list, stream; and how many queries that takes."""

from itertools import pairwise
from tempfile import TemporaryFile
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from api import db
from events import store
from events.chain import MAX_VERSION, NIL_HEAD
from events.errors import CommandReused, GameFull, NotStorable, StaleVersion, UnknownGame
from tests.postgres import Database, body, both_servers, connected, opened_game, statements

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)


def append(
    engine: Engine,
    game_id: UUID,
    expected: int | None,
    *bodies: bytes,
    command_id: UUID | None = None,
    request: bytes = bytes(32),
) -> store.Appended:
    with engine.begin() as conn:
        command = command_id or uuid4()
        return store.append(conn, game_id, expected, command, request, WHO, bodies)


def test_an_opened_game_is_empty(engine: Engine) -> None:
    game_id = uuid4()
    with engine.begin() as conn:
        assert store.open_game(conn, game_id, "rummy500", "refereed", "unlisted", "dispute")
        head = store.head(conn, game_id)
        assert store.read(conn, game_id) == []
    assert (head.kind, head.game, head.mode, head.visibility) == (
        "dispute",
        "rummy500",
        "refereed",
        "unlisted",
    )
    assert (head.version, head.head) == (0, NIL_HEAD)
    assert head.created_at == head.changed_at > 0


def test_opening_again_changes_nothing(engine: Engine) -> None:
    game_id = opened_game(engine, body())
    with engine.begin() as conn:
        before = store.head(conn, game_id)
        assert not store.open_game(conn, game_id, "lanterloo", "refereed")
        assert store.head(conn, game_id) == before


@pytest.mark.parametrize(
    ("mode", "visibility", "kind"),
    [("guessed", "public", "game"), ("recorded", "secret", "game"), ("recorded", "public", "cup")],
    ids=["mode", "visibility", "kind"],
)
def test_a_game_of_an_unknown_sort_is_refused(
    engine: Engine, mode: str, visibility: str, kind: str
) -> None:
    with engine.begin() as conn, pytest.raises(NotStorable, match="check constraint"):
        store.open_game(conn, uuid4(), "rummy500", mode, visibility, kind)


def test_what_is_appended_is_read_byte_for_byte(engine: Engine) -> None:
    bodies = [body(1, "Zoë ♠"), b'{ "b" : 1.0, "a":"\\u0041\\u0000" ,"b":2}', b'"\xf0\x9f\x83\x81"']
    game_id = opened_game(engine)
    appended = append(engine, game_id, 0, *bodies)
    with engine.begin() as conn:
        events = store.read(conn, game_id)
        head = store.head(conn, game_id)
    assert [event.body for event in events] == bodies
    assert [event.version for event in events] == [1, 2, 3]
    assert {event.game_id for event in events} == {game_id}
    assert {event.recorded_by for event in events} == {WHO}
    assert len({event.salt for event in events}) == 3
    assert appended == store.Appended(1, 3, events[-1].hash, events[-1].recorded_at, False)
    assert (head.version, head.head, head.changed_at) == (3, appended.head, appended.recorded_at)


def test_a_part_of_a_game_is_read_by_versions(engine: Engine) -> None:
    game_id = opened_game(engine, *(body(n) for n in range(1, 11)))
    with engine.begin() as conn:
        assert [e.version for e in store.read(conn, game_id, after=7)] == [8, 9, 10]
        assert [e.version for e in store.read(conn, game_id, upto=3)] == [1, 2, 3]
        assert [e.version for e in store.read(conn, game_id, after=2, limit=2)] == [3, 4]
        assert [e.version for e in store.read(conn, game_id, after=2, upto=3, limit=9)] == [3]
        assert store.read(conn, uuid4()) == []
        assert store.read_bodies(conn, game_id) == [body(n) for n in range(1, 11)]
        assert store.read_bodies(conn, game_id, upto=2) == [body(1), body(2)]


def test_a_stale_version_is_refused_with_the_current_one(engine: Engine) -> None:
    game_id = opened_game(engine, body(), body())
    for expected in (0, 1, 3):
        with pytest.raises(StaleVersion, match=f"at version 2, expected {expected}") as refused:
            append(engine, game_id, expected, body())
        assert (refused.value.current, refused.value.expected) == (2, expected)
    assert append(engine, game_id, 2, body()).version == 3


def test_without_an_expected_version_an_append_follows_whatever_is_there(engine: Engine) -> None:
    game_id = opened_game(engine, body(), body())
    assert append(engine, game_id, None, body()).first_version == 3


def test_a_repeated_command_gets_the_first_answer(engine: Engine) -> None:
    game_id, command = opened_game(engine), uuid4()
    first = append(engine, game_id, 0, body(1), body(2), command_id=command)
    append(engine, game_id, 2, body(3))
    again = append(engine, game_id, 0, body(1), body(2), command_id=command)
    assert again == store.Appended(1, 2, first.head, first.recorded_at, True)
    with engine.begin() as conn:
        assert store.head(conn, game_id).version == 3


def test_a_command_id_with_another_request_is_refused(engine: Engine) -> None:
    game_id, command = opened_game(engine), uuid4()
    append(engine, game_id, 0, body(), command_id=command)
    with pytest.raises(CommandReused, match=str(command)):
        append(engine, game_id, 1, body(), command_id=command, request=bytes(31) + b"\1")


def test_a_command_id_belongs_to_its_game(engine: Engine) -> None:
    here, there, command = opened_game(engine), opened_game(engine), uuid4()
    append(engine, here, 0, body(), command_id=command)
    assert not append(engine, there, 0, body(), command_id=command).repeated


def test_a_command_can_be_found(engine: Engine) -> None:
    game_id, command = opened_game(engine, body()), uuid4()
    answer = append(engine, game_id, 1, body(), body(), command_id=command, request=b"r" * 32)
    with engine.begin() as conn:
        found = store.find_command(conn, game_id, command)
        assert store.find_command(conn, game_id, uuid4()) is None
    assert found == store.Command(game_id, command, b"r" * 32, 2, 3, answer.recorded_at)


def test_an_unknown_game_is_refused_everywhere(engine: Engine) -> None:
    game_id = uuid4()
    with pytest.raises(UnknownGame, match=str(game_id)):
        append(engine, game_id, 0, body())
    with engine.begin() as conn:
        for ask in (store.head, store.lock_head):
            with pytest.raises(UnknownGame):
                ask(conn, game_id)


@pytest.mark.parametrize(
    ("bodies", "request_hash", "texts"),
    [
        ([], bytes(32), []),
        ([b"1", b"{"], bytes(32), []),
        ([b"1", b"\xff"], bytes(32), []),
        ([b"1", b'"\0"'], bytes(32), []),
        ([b"1"], bytes(31), []),
        ([b"1", b"2"], bytes(32), [store.Text(2, bytes(16), "after the last event")]),
        ([b"1", b"2"], bytes(32), [store.Text(-1, bytes(16), "before the first")]),
        ([b"1"], bytes(32), [store.Text(0, bytes(15), "short salt")]),
        ([b"1"], bytes(32), [store.Text(0, bytes(16), "nul \0")]),
        ([b"1"], bytes(32), [store.Text(0, bytes(16), "half a pair \ud800")]),
    ],
    ids=[
        "nothing",
        "no JSON",
        "no UTF-8",
        "NUL",
        "short hash",
        "text too late",
        "text too early",
        "short salt",
        "NUL in a text",
        "surrogate in a text",
    ],
)
def test_what_cannot_be_stored_is_refused_whole(
    engine: Engine, bodies: list[bytes], request_hash: bytes, texts: list[store.Text]
) -> None:
    game_id = opened_game(engine, body())
    with pytest.raises(NotStorable), engine.begin() as conn:
        store.append(conn, game_id, 1, uuid4(), request_hash, WHO, bodies, texts)
    with engine.begin() as conn:
        assert store.head(conn, game_id).version == len(store.read(conn, game_id)) == 1


def test_the_last_version_is_used_and_no_more(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine)
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.events DISABLE TRIGGER check_event")
        conn.exec_driver_sql(
            "UPDATE lanterlog.games SET version = %s WHERE game_id = %s", (MAX_VERSION - 1, game_id)
        )
        conn.commit()
    with pytest.raises(GameFull, match=str(MAX_VERSION - 1)):
        append(engine, game_id, None, body(), body())
    assert append(engine, game_id, None, body()).version == MAX_VERSION
    with pytest.raises(GameFull):
        append(engine, game_id, MAX_VERSION, body())
    with engine.begin() as conn:
        assert [event.version for event in store.read(conn, game_id)] == [MAX_VERSION]


def test_time_never_goes_back_inside_a_game(engine: Engine, database: Database) -> None:
    game_id = opened_game(engine, body())
    ahead = 4_000_000_000_000_000
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql(
            "UPDATE lanterlog.games SET changed_at = to_timestamp(4000000000) WHERE game_id = %s",
            (game_id,),
        )
        conn.commit()
    assert append(engine, game_id, 1, body()).recorded_at == ahead
    assert append(engine, game_id, 2, body()).recorded_at == ahead


def test_texts_lie_beside_the_log(engine: Engine) -> None:
    game_id, text = opened_game(engine, body()), store.Text(1, b"s" * 16, "was that mine? Zoë")
    with engine.begin() as conn:
        store.append(conn, game_id, 1, uuid4(), bytes(32), WHO, [body(), body()], [text])
    with engine.begin() as conn:
        assert store.texts(conn, game_id) == {3: store.Text(2, text.salt, text.text)}
        assert not any(b"mine" in event.body for event in store.read(conn, game_id))


def test_people_keep_the_name_they_have(engine: Engine) -> None:
    ann, bob = uuid4(), uuid4()
    with engine.begin() as conn:
        store.ensure_people(conn, {ann: "Ann"})
        store.ensure_people(conn, {ann: "Anna", bob: "Bob"})
        store.ensure_people(conn, {})
        assert store.people(conn, [ann, bob, uuid4()]) == {ann: "Ann", bob: "Bob"}


def test_heads_are_paged_by_game_id(engine: Engine) -> None:
    ids = sorted(opened_game(engine) for _ in range(5))
    with engine.begin() as conn:
        first = store.heads(conn, limit=2)
        second = store.heads(conn, after=first[-1].game_id, limit=2)
        rest = store.heads(conn, after=second[-1].game_id)
        assert store.head(conn, ids[0]) == first[0]
    assert [head.game_id for head in (*first, *second, *rest)] == ids


def test_many_games_are_read_in_the_order_asked_for(engine: Engine) -> None:
    ids = [opened_game(engine, *(body(n) for n in range(count))) for count in (3, 0, 1)]
    wanted = [ids[2], uuid4(), *ids]
    with engine.begin() as conn:
        found = list(store.read_many(conn, wanted, batch=2))
        assert [game_id for game_id, _ in found] == wanted
        assert [len(events) for _, events in found] == [1, 0, 3, 0, 1]
        assert found[2][1] == store.read(conn, ids[0])


@pytest.mark.parametrize("isolation", ["AUTOCOMMIT", "READ COMMITTED"])
def test_the_archive_is_streamed_game_by_game(engine: Engine, isolation: str) -> None:
    for count in (3, 0, 5):
        opened_game(engine, *(body(n) for n in range(count)))
    with engine.execution_options(isolation_level=isolation).connect() as conn:
        seen = []
        for head, events in store.stream_all(conn, page=2):
            assert store.head(conn, head.game_id) == head  # the connection is free in between
            assert store.read(conn, head.game_id) == events
            seen.append((head.game_id, head.version))
    assert sorted(version for _, version in seen) == [0, 3, 5]
    assert seen == sorted(seen)


def test_an_empty_archive_streams_nothing(engine: Engine) -> None:
    with engine.begin() as conn:
        assert list(store.stream_all(conn)) == []


def test_the_store_never_commits(engine: Engine) -> None:
    game_id = uuid4()
    with engine.connect() as conn:
        store.open_game(conn, game_id, "rummy500", "recorded")
        store.append(conn, game_id, 0, uuid4(), bytes(32), WHO, [body()])
        conn.rollback()
    with engine.connect() as conn, pytest.raises(UnknownGame):
        store.head(conn, game_id)


def test_each_question_is_one_query(engine: Engine) -> None:
    ids = [opened_game(engine, *(body(n) for n in range(250))) for _ in range(4)]
    with db.autocommit(engine).connect() as conn:
        for ask, queries in (
            (lambda: store.read(conn, ids[0]), 1),
            (lambda: store.head(conn, ids[0]), 1),
            (lambda: store.heads(conn), 1),
            (lambda: store.append(conn, ids[0], 250, uuid4(), bytes(32), WHO, [body()] * 9), 1),
            (lambda: list(store.read_many(conn, ids, batch=4)), 1),
            (lambda: list(store.read_many(conn, ids, batch=2)), 2),
        ):
            with TemporaryFile("w+") as log, statements(conn, log) as sent:
                ask()
            assert len(sent) == queries


def test_every_append_leaves_one_row_for_the_sealer(engine: Engine, database: Database) -> None:
    game_id, command = opened_game(engine), uuid4()
    append(engine, game_id, 0, body(), body(), command_id=command)
    append(engine, game_id, 0, body(), body(), command_id=command)
    append(engine, game_id, 2, body())
    with connected(database.worker_url) as conn:
        rows = conn.exec_driver_sql("SELECT game_id, version FROM lanterlog.outbox ORDER BY 2")
        assert [tuple(row) for row in rows] == [(game_id, 2), (game_id, 3)]


def test_versions_and_hashes_form_one_chain(engine: Engine) -> None:
    game_id = opened_game(engine, *(body(n) for n in range(3)))
    append(engine, game_id, 3, body(), body())
    with engine.begin() as conn:
        events = store.read(conn, game_id)
    assert all(a.version + 1 == b.version for a, b in pairwise(events))
    assert all(a.recorded_at <= b.recorded_at for a, b in pairwise(events))


def test_the_bodies_of_the_archive_are_those_of_its_games(engine: Engine) -> None:
    for count in (0, 1, 7):
        opened_game(engine, *(body(n) for n in range(count)))
    with engine.begin() as conn:
        whole = [
            (head.game_id, head.game, [event.body for event in events])
            for head, events in store.stream_all(conn)
            if events
        ]
        assert list(store.stream_bodies(conn)) == whole
        assert list(store.stream_bodies(conn, page=1)) == whole
