"""Rebuilding beside the live tables: the same rows, no moment without any, and an end in every case."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events.errors import ProjectionBusy, ProjectionError, ProjectionFailed
from projections import catalogue, feed, models, rebuild, sessions
from projections.rebuild import Rebuilt
from projections.runner import State
from projections.verify import verify
from tests.migrations.test_read_models import shape
from tests.postgres import Database, both_servers, connected
from tests.projections.store import (
    Instead,
    append,
    checkpoint,
    equal_to_a_fresh_fold,
    keep,
    log_of,
    opened,
    rows,
    seal,
    session,
    take_in,
)
from tests.waiting import joined

pytestmark = [pytest.mark.store, both_servers]

TABLES = ["catalogue_games", "catalogue_deals", "standings_games", "findings"]


def everything(database: Database) -> dict[str, list[tuple[object, ...]]]:
    return {table: rows(database, table) for table in TABLES}


def again(database: Database, *names: str, processes: int = 1) -> Rebuilt:
    return rebuild.rebuild(database.worker_url, names or ["all"], processes)


def built_tables(database: Database) -> list[str]:
    with connected(database.superuser_url) as conn:
        found = conn.exec_driver_sql(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'lanterlog_build'"
        )
        return list(found.scalars())


def test_the_same_rows_come_out(engine: Engine, database: Database) -> None:
    games = take_in(engine)
    keep(database)
    before = everything(database)
    with connected(database.superuser_url) as conn:
        looks = shape(conn, "lanterlog_read")
    done = again(database)
    assert (done.games, done.compared, done.differing) == (len(games), len(games), ())
    assert everything(database) == before
    with connected(database.superuser_url) as conn:
        assert shape(conn, "lanterlog_read") == looks
    assert built_tables(database) == []
    equal_to_a_fresh_fold(database)


def test_several_processes_share_it_out(
    engine: Engine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "FEW", 0)
    monkeypatch.setattr(feed, "CHUNK", 100)
    games = take_in(engine)
    seal(database)
    steps: list[tuple[int, int]] = []
    done = rebuild.rebuild(
        database.worker_url, ["all"], 2, lambda events, total: steps.append((events, total))
    )
    assert done.games == len(games)
    assert sum(events for events, _ in steps) == done.events == steps[0][1]
    assert len(steps) > 3
    equal_to_a_fresh_fold(database)


def test_an_empty_store_is_rebuilt_to_nothing(database: Database) -> None:
    assert again(database, processes=2) == Rebuilt(0, 0, 0, 0, ())
    assert everything(database) == {table: [] for table in TABLES}


def test_one_model_is_rebuilt_by_itself(engine: Engine, database: Database) -> None:
    take_in(engine)
    keep(database)
    with connected(database.worker_url) as conn:
        for table in TABLES:
            conn.exec_driver_sql(f"DELETE FROM lanterlog_read.{table}")
        conn.commit()
    again(database, "findings")
    assert [table for table in TABLES if rows(database, table)] == ["findings"]


def test_rows_that_were_wrong_are_named_and_put_right(engine: Engine, database: Database) -> None:
    [game_id, *_] = take_in(engine)
    keep(database)
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql(
            "UPDATE lanterlog_read.catalogue_games SET deals = deals + 1 WHERE game_id = %s",
            (game_id,),
        )
        conn.commit()
    assert again(database).differing == (game_id,)
    equal_to_a_fresh_fold(database)


def test_what_is_not_read_as_far_is_not_compared(engine: Engine, database: Database) -> None:
    take_in(engine, "evening-of-loo.txt")
    keep(database)
    take_in(engine, "worked-examples.txt")
    seal(database)
    done = again(database)
    assert (done.compared, done.differing) == (1, ())
    equal_to_a_fresh_fold(database)


def test_an_event_at_fault_ends_it_and_leaves_what_was_there(
    engine: Engine, database: Database
) -> None:
    take_in(engine)
    keep(database)
    before = everything(database)
    game_id = opened(engine)
    bodies = log_of(engine, take_in(engine, "delboycodes-three-games.ndjson")[0])
    append(engine, game_id, *bodies[:2])
    seal(database)
    append(engine, game_id, bodies[2], b'{"t":"never_heard_of"}', bodies[3])
    position = seal(database)
    with pytest.raises(ProjectionFailed, match="never_heard_of") as failed:
        again(database)
    assert (failed.value.position, failed.value.game_id, failed.value.version) == (
        position,
        game_id,
        4,
    )
    assert everything(database) == before
    assert built_tables(database) == []


def test_one_rebuild_at_a_time(database: Database) -> None:
    with session(database) as own:
        assert sessions.lock(own, "rebuild")
        with pytest.raises(ProjectionBusy, match="another session is rebuilding"):
            again(database)
    again(database)


def test_what_a_rebuild_that_died_has_left_is_cleared_away(
    engine: Engine, database: Database
) -> None:
    take_in(engine)
    seal(database)
    with session(database) as own:
        rebuild._Rebuild(own, database.worker_url, list(models.MODELS))._make()
    assert sorted(built_tables(database)) == sorted(TABLES)
    again(database)
    equal_to_a_fresh_fold(database)


def test_a_process_left_over_from_another_rebuild_writes_nothing(
    engine: Engine, database: Database
) -> None:
    [game_id] = take_in(engine, "evening-of-loo.txt")
    with session(database) as own:
        work = rebuild._Rebuild(own, database.worker_url, [catalogue])
        work._make()
        oids = {table: work._oid(table) for table in catalogue.tables}
        with rebuild.builder(database.worker_url, ["catalogue"], oids, 0) as build:
            work._make()
            with pytest.raises(ProjectionBusy, match="another rebuild"):
                build([(game_id, 373)])
            with connected(database.worker_url) as conn:
                count = "SELECT count(*) FROM lanterlog_build.catalogue_games"
                assert conn.exec_driver_sql(count).scalar_one() == 0


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do something again and again in another thread; raises here what it raises."""
    stop, raised = threading.Event(), list[BaseException]()

    def repeat() -> None:
        try:
            while not stop.is_set():
                work()
        except BaseException as error:  # noqa: BLE001 - raised again below
            raised.append(error)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        joined(thread)
    if raised:
        raise raised[0]


def test_writers_and_readers_go_on_meanwhile(engine: Engine, database: Database) -> None:
    """A game grows, is sealed and read into the live tables, while all is rebuilt several times."""
    take_in(engine)
    bodies = log_of(engine, take_in(engine, "delboycodes-three-games.ndjson")[0])
    growing = opened(engine)
    left = iter(bodies)
    keep(database)
    least = len(rows(database, "catalogue_games"))
    seen: list[int] = []
    sizes: list[int] = []

    def write() -> None:
        for _ in range(5):
            if (body := next(left, None)) is not None:
                append(engine, growing, body)
        assert set(keep(database).values()) <= {State.DONE}

    def look() -> None:
        with engine.connect() as conn:
            count = "SELECT count(*) FROM lanterlog_read.catalogue_games"
            seen.append(conn.exec_driver_sql(count).scalar_one())
            version = "SELECT version FROM lanterlog_read.catalogue_games WHERE game_id = %s"
            sizes.extend(conn.exec_driver_sql(version, (growing,)).scalars())

    with meanwhile(write), meanwhile(look):
        for _ in range(4):
            assert again(database).differing == ()
    assert min(seen) >= least
    assert sizes == sorted(sizes)
    keep(database)
    equal_to_a_fresh_fold(database)


def test_a_reader_who_does_not_let_go_ends_it(
    engine: Engine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "ATTEMPTS", 2)
    take_in(engine)
    keep(database)
    before = everything(database)
    with connected(database.app_url) as conn:
        conn.exec_driver_sql("SELECT * FROM lanterlog_read.findings").all()
        with pytest.raises(ProjectionBusy, match="read without an end"):
            again(database)
    assert everything(database) == before
    again(database)


def test_tables_of_an_older_version_are_made_anew(
    engine: Engine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_in(engine)
    keep(database)
    newer = Instead(catalogue, version=catalogue.version + 1)
    monkeypatch.setattr(models, "MODELS", (newer,))
    assert keep(database, [newer]) == {"catalogue": State.OUTDATED}
    assert again(database, "catalogue").compared == 0
    assert keep(database, [newer]) == {"catalogue": State.DONE}
    assert keep(database, [catalogue]) == {"catalogue": State.AHEAD}
    assert checkpoint(database, "catalogue")["version"] == newer.version


def test_a_model_that_has_stopped_starts_again(engine: Engine, database: Database) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    take_in(engine)
    assert keep(database, [Instead(catalogue, fail)]) == {"catalogue": State.FAILED}
    again(database, "catalogue")
    assert checkpoint(database, "catalogue")["failed_at"] is None
    assert keep(database, [catalogue]) == {"catalogue": State.DONE}


def test_no_other_names(database: Database) -> None:
    with pytest.raises(
        ProjectionError, match="'nonsense', expected catalogue, standings, findings"
    ):
        again(database, "nonsense")


def changed(database: Database, statement: str, *params: object) -> dict[str, tuple[UUID, ...]]:
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql(statement, params)
        conn.commit()
    found = verify(database.worker_url, ["all"])
    return {name: ids for name, ids in found.differing.items() if ids}


def test_a_comparison_names_the_games_that_differ(engine: Engine, database: Database) -> None:
    first, *_ = take_in(engine)
    keep(database)
    stray = uuid4()
    assert changed(database, "SELECT 1") == {}
    update = "UPDATE lanterlog_read.{} SET {} WHERE game_id = %s"
    scores = update.format("catalogue_games", "scores = scores || 1::bigint")
    assert changed(database, scores, first) == {"catalogue": (first,)}
    params = """UPDATE lanterlog_read.findings SET params = '{"a": 1}'"""
    others = {row[0] for row in rows(database, "findings")}
    assert changed(database, params) == {"catalogue": (first,), "findings": tuple(sorted(others))}
    again(database)
    assert changed(
        database,
        "UPDATE lanterlog_read.standings_games SET game_id = %s WHERE game_id = %s",
        stray,
        first,
    ) == {"standings": tuple(sorted((first, stray)))}
    again(database)
    one_deal = "DELETE FROM lanterlog_read.catalogue_deals WHERE deal = 1 AND game_id = %s"
    assert changed(database, one_deal, first) == {"catalogue": (first,)}


def test_a_model_that_lags_behind_is_compared_where_it_is(
    engine: Engine, database: Database
) -> None:
    bodies = log_of(engine, take_in(engine, "evening-of-loo.txt")[0])
    game_id = opened(engine, "lanterloo")
    append(engine, game_id, *bodies[:100])
    keep(database)
    append(engine, game_id, *bodies[100:])
    seal(database)
    assert changed(database, "SELECT 1") == {}
    keep(database, [catalogue])
    assert changed(database, "SELECT 1") == {}
