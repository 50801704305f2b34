"""Several at once, and connections that die: nothing is lost, nothing is stored twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from uuid import UUID, uuid4

import msgspec
import pytest
from sqlalchemy import Connection, Engine

from api import db
from events import store
from events.errors import ConnectionLost, LanterlogError, StaleVersion, StoreBusy
from tests.postgres import Database, body, both_servers, connected, opened_game
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
WRITERS = 8
WAITING = """
SELECT EXISTS (
  SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
)
"""

Answer = store.Appended | LanterlogError


@pytest.fixture
def engine(database: Database) -> Engine:
    """A pool that holds a connection for every writer."""
    return db.engine(msgspec.structs.replace(database.config, pool_size=WRITERS))


@pytest.fixture(autouse=True)
def _closed(engine: Engine) -> object:
    yield
    engine.dispose()


def append(
    engine: Engine, game_id: UUID, expected: int | None, command: UUID, *bodies: bytes
) -> Answer:
    try:
        with engine.begin() as conn:
            return store.append(conn, game_id, expected, command, bytes(32), WHO, bodies)
    except LanterlogError as refused:
        return refused


def at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    """Run the calls in threads that all start together."""
    ready = Barrier(len(calls))

    def run(call: Callable[[], Answer]) -> Answer:
        ready.wait(PATIENCE)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def await_waiting(conn: Connection) -> None:
    """Until another session waits for this one; gives up where it never comes to that."""
    for _ in range(2000):
        if conn.exec_driver_sql(WAITING).scalar_one():
            return
        conn.exec_driver_sql("SELECT pg_sleep(0.005)")
    raise AssertionError("nobody waits for a lock")


def events(engine: Engine, game_id: UUID) -> list[store.StoredEvent]:
    with engine.begin() as conn:
        return store.read(conn, game_id)


def test_one_of_many_appends_to_one_version_wins(engine: Engine) -> None:
    game_id = opened_game(engine, body())
    answers = at_once(
        *(lambda n=n: append(engine, game_id, 1, uuid4(), body(n)) for n in range(WRITERS))
    )
    won = [answer for answer in answers if isinstance(answer, store.Appended)]
    refused = [answer for answer in answers if isinstance(answer, StaleVersion)]
    assert (len(won), len(refused)) == (1, WRITERS - 1)
    assert {error.current for error in refused} == {2}
    assert events(engine, game_id)[1].hash == won[0].head


def test_nothing_is_lost_when_everyone_appends_to_whatever_is_there(engine: Engine) -> None:
    game_id, rounds = opened_game(engine), 5
    answers = at_once(
        *(
            lambda n=n: [append(engine, game_id, None, uuid4(), body(n)) for _ in range(rounds)][-1]
            for n in range(WRITERS)
        )
    )
    assert all(isinstance(answer, store.Appended) for answer in answers)
    stored = events(engine, game_id)
    assert [event.version for event in stored] == list(range(1, WRITERS * rounds + 1))
    by_writer = [sum(event.body == body(n) for event in stored) for n in range(WRITERS)]
    assert by_writer == [rounds] * WRITERS


def test_readers_that_try_again_all_get_their_turn(engine: Engine) -> None:
    """The usual loop of a program: read the head, append after it, begin again if refused."""
    game_id = opened_game(engine)

    def persist(number: int) -> Answer:
        command = uuid4()
        while True:
            with engine.begin() as conn:
                version = store.head(conn, game_id).version
            answer = append(engine, game_id, version, command, body(number))
            if not isinstance(answer, StaleVersion):
                return answer

    answers = at_once(*(lambda n=n: persist(n) for n in range(WRITERS)))
    assert all(isinstance(answer, store.Appended) for answer in answers)
    assert {event.body for event in events(engine, game_id)} == {body(n) for n in range(WRITERS)}


def test_one_command_sent_many_times_at_once_is_stored_once(engine: Engine) -> None:
    game_id, command = opened_game(engine), uuid4()
    answers = at_once(
        *(lambda: append(engine, game_id, 0, command, body()) for _ in range(WRITERS))
    )
    assert all(isinstance(answer, store.Appended) for answer in answers)
    assert [answer.repeated for answer in answers].count(False) == 1  # type: ignore[union-attr]
    assert {(answer.version, answer.head) for answer in answers} == {  # type: ignore[union-attr]
        (1, events(engine, game_id)[0].hash)
    }


def test_games_do_not_wait_for_one_another(engine: Engine) -> None:
    """A writer that stays in its transaction holds up its own game only."""
    held, *others = [opened_game(engine) for _ in range(4)]
    with engine.begin() as conn:
        store.append(conn, held, 0, uuid4(), bytes(32), WHO, [body()])
        answers = at_once(*(lambda g=g: append(engine, g, 0, uuid4(), body()) for g in others))
        assert all(isinstance(answer, store.Appended) for answer in answers)
    assert len(events(engine, held)) == 1


def test_several_games_in_parallel_each_keep_their_own_order(engine: Engine) -> None:
    ids = [opened_game(engine) for _ in range(3)]

    def play(number: int) -> Answer:
        return [append(engine, ids[(number + n) % 3], None, uuid4(), body(n)) for n in range(9)][-1]

    at_once(*(lambda n=n: play(n) for n in range(WRITERS)))
    for game_id in ids:
        stored = events(engine, game_id)
        assert [event.version for event in stored] == list(range(1, 3 * WRITERS + 1))
        assert stored == sorted(stored, key=lambda event: (event.recorded_at, event.version))


def test_a_retry_while_the_first_call_is_open_waits_and_gets_its_answer(engine: Engine) -> None:
    game_id, command = opened_game(engine), uuid4()
    with ThreadPoolExecutor(1) as threads:
        with engine.begin() as conn:
            first = store.append(conn, game_id, 0, command, bytes(32), WHO, [body()])
            retry = threads.submit(append, engine, game_id, 0, command, body())
            await_waiting(conn)
        answer = retry.result()
    assert answer == msgspec.structs.replace(first, repeated=True)
    assert len(events(engine, game_id)) == 1


def test_a_retry_after_the_first_call_was_undone_is_the_first(engine: Engine) -> None:
    game_id, command = opened_game(engine), uuid4()
    with ThreadPoolExecutor(1) as threads:
        with engine.connect() as conn:
            store.append(conn, game_id, 0, command, bytes(32), WHO, [body()])
            retry = threads.submit(append, engine, game_id, 0, command, body())
            await_waiting(conn)
            conn.rollback()
        answer = retry.result()
    assert isinstance(answer, store.Appended)
    assert not answer.repeated


def test_a_connection_killed_after_its_commit_is_retried_with_the_first_answer(
    engine: Engine, database: Database
) -> None:
    game_id, command = opened_game(engine), uuid4()
    with engine.connect() as conn, connected(database.superuser_url) as killer:
        pid = conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        first = store.append(conn, game_id, 0, command, bytes(32), WHO, [body()])
        conn.commit()
        # The client has not heard of its commit, as far as it is concerned.
        killer.exec_driver_sql("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(ConnectionLost):
            store.append(conn, game_id, 0, command, bytes(32), WHO, [body()])
    again = append(engine, game_id, 0, command, body())
    assert again == msgspec.structs.replace(first, repeated=True)
    assert len(events(engine, game_id)) == 1


def test_a_connection_killed_before_its_commit_leaves_nothing(
    engine: Engine, database: Database
) -> None:
    game_id, command = opened_game(engine), uuid4()
    with engine.connect() as conn, connected(database.superuser_url) as killer:
        pid = conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        store.append(conn, game_id, 0, command, bytes(32), WHO, [body()])
        killer.exec_driver_sql("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(ConnectionLost):
            store.head(conn, game_id)
    assert events(engine, game_id) == []
    answer = append(engine, game_id, 0, command, body())
    assert isinstance(answer, store.Appended)
    assert not answer.repeated


def test_calls_are_ordered_by_the_lock_on_the_head(engine: Engine) -> None:
    game_id, locked = opened_game(engine, body()), Event()

    def call() -> Answer:
        with engine.begin() as conn:
            locked.wait(PATIENCE)
            version = store.lock_head(conn, game_id).version
            return store.append(conn, game_id, version, uuid4(), bytes(32), WHO, [body(2)])

    with ThreadPoolExecutor(1) as threads:
        with engine.begin() as conn:
            head = store.lock_head(conn, game_id)
            second = threads.submit(call)
            locked.set()
            await_waiting(conn)
            store.append(conn, game_id, head.version, uuid4(), bytes(32), WHO, [body(1)])
        answer = second.result()
    assert isinstance(answer, store.Appended)
    assert answer.version == 3


def test_a_locked_game_can_still_be_read(engine: Engine) -> None:
    game_id = opened_game(engine, body())
    with engine.begin() as writer, engine.begin() as reader:
        store.lock_head(writer, game_id)
        store.append(writer, game_id, 1, uuid4(), bytes(32), WHO, [body()])
        assert store.head(reader, game_id).version == 1
        assert len(store.read(reader, game_id)) == 1


def test_waiting_too_long_for_a_game_is_an_error_that_says_so(engine: Engine) -> None:
    game_id = opened_game(engine)
    with engine.begin() as holder:
        store.lock_head(holder, game_id)
        with engine.begin() as conn:
            conn.exec_driver_sql("SET LOCAL lock_timeout = '20ms'")
            with pytest.raises(StoreBusy, match="lock timeout"):
                store.lock_head(conn, game_id)
