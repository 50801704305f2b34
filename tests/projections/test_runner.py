"""Keeping a read model: whole steps or none, one keeper at a time, and a stop that says where."""

import random
from collections.abc import Sequence
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import Engine

from events.common import Event
from events.errors import ProjectionMoved
from projections import catalogue, checkpoints, feed, findings, standings
from projections.model import Sealed
from projections.runner import Runner, State
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
    run,
    seal,
    session,
    take_in,
)

pytestmark = [pytest.mark.store, both_servers]

DONE = {"catalogue": State.DONE, "standings": State.DONE, "findings": State.DONE}


def test_every_model_has_the_rows_of_every_game(engine: Engine, database: Database) -> None:
    games = take_in(engine)
    assert keep(database) == DONE
    assert {row[0] for row in rows(database, "catalogue_games")} == set(games)
    assert rows(database, "standings_games")
    assert rows(database, "catalogue_deals")
    assert rows(database, "findings")
    equal_to_a_fresh_fold(database)


def test_nothing_sealed_is_nothing_to_do(database: Database) -> None:
    assert keep(database) == DONE
    assert checkpoint(database, "catalogue")["position"] == 0


def test_what_is_not_sealed_is_not_read(engine: Engine, database: Database) -> None:
    take_in(engine, "worked-examples.txt")
    with session(database) as own:
        assert run(Runner(own, catalogue)) is State.DONE
    assert rows(database, "catalogue_games") == []


def test_games_that_grow_while_they_are_read(
    engine: Engine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Appends, rounds and steps in any order end at what a fresh fold gives."""
    monkeypatch.setattr(feed, "PAGE", 3)
    chance = random.Random(4)
    sources = take_in(engine, "worked-examples.txt")
    left = {opened(engine): log_of(engine, source)[::-1] for source in sources}
    with session(database) as own:
        runners = [Runner(own, model) for model in (catalogue, standings, findings)]
        while left:
            game_id = chance.choice(list(left))
            bodies = [
                left[game_id].pop() for _ in range(min(chance.randint(1, 9), len(left[game_id])))
            ]
            append(engine, game_id, *bodies)
            if not left[game_id]:
                del left[game_id]
            if chance.random() < 0.3:
                seal(database)
            chance.choice(runners).step()
    assert keep(database) == DONE
    equal_to_a_fresh_fold(database)


def test_another_kind_of_stream_is_passed_by(engine: Engine, database: Database) -> None:
    append(engine, opened(engine, kind="admin"), b'{"t":"anything"}')
    assert keep(database) == DONE
    assert checkpoint(database, "findings")["position"] == 1
    assert rows(database, "catalogue_games") == []


@pytest.mark.parametrize("place", ["insert", "move"])
def test_rows_and_checkpoint_are_written_together(
    engine: Engine, database: Database, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that ends in the middle of a step leaves neither."""
    take_in(engine, "worked-examples.txt")
    seal(database)
    module, name = {"insert": (feed, "rows_of"), "move": (checkpoints, "move")}[place]
    with session(database) as own, monkeypatch.context() as patch:

        def hang_up(*_: object) -> None:
            own.close()
            raise psycopg.OperationalError("gone")

        patch.setattr(module, name, hang_up)
        with pytest.raises(psycopg.OperationalError):
            Runner(own, catalogue).step()
    assert rows(database, "catalogue_games") == []
    assert checkpoint(database, "catalogue")["position"] == 0
    assert checkpoint(database, "catalogue")["failed_at"] is None
    assert keep(database) == DONE
    equal_to_a_fresh_fold(database)


def test_one_keeps_and_the_other_takes_over(engine: Engine, database: Database) -> None:
    take_in(engine, "worked-examples.txt")
    seal(database)
    with session(database) as second:
        with session(database) as first:
            assert run(Runner(first, catalogue)) is State.DONE
            waiting = Runner(second, catalogue)
            assert waiting.step().state is State.WAITING
            assert run(Runner(second, standings)) is State.DONE
            pid = first.info.backend_pid
            with connected(database.superuser_url) as conn:
                conn.exec_driver_sql("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            first.close()
        take_in(engine, "evening-of-loo.txt")
        seal(database)
        assert run(waiting) is State.DONE
    assert keep(database) == DONE
    equal_to_a_fresh_fold(database)


def test_one_that_lags_behind_cannot_turn_a_checkpoint_back(
    engine: Engine, database: Database
) -> None:
    take_in(engine, "worked-examples.txt")
    with session(database) as own:
        old = checkpoints.find(own, "catalogue")
        keep(database)
        there = checkpoint(database, "catalogue")["position"]
        with pytest.raises(ProjectionMoved):
            checkpoints.move(own, old, 1)
    assert checkpoint(database, "catalogue")["position"] == there


def raises_at(game_id: UUID, version: int) -> Instead:
    def fail(head: Sealed, log: Sequence[Event]) -> None:
        if head.game_id == game_id and len(log) >= version:
            raise ZeroDivisionError("no such luck")

    return Instead(standings, fail)


def test_an_error_stops_one_model_right_before_it(engine: Engine, database: Database) -> None:
    bodies = log_of(engine, take_in(engine, "evening-of-loo.txt")[0])
    game_id = opened(engine, "lanterloo")
    append(engine, game_id, *bodies[:10])
    seal(database)
    append(engine, game_id, *bodies[10:30])
    take_in(engine, "worked-examples.txt")
    broken = raises_at(game_id, 17)
    assert keep(database, [catalogue, broken, findings]) == DONE | {"standings": State.FAILED}
    found = checkpoint(database, "standings")
    with connected(database.worker_url) as conn:
        [position] = conn.exec_driver_sql(
            "SELECT position FROM lanterlog.ledger WHERE game_id = %s AND from_version = 11",
            (game_id,),
        ).one()
    assert found["position"] == position - 1
    assert (found["failed_position"], found["failed_game_id"], found["failed_version"]) == (
        position,
        game_id,
        17,
    )
    assert found["failure"] == "ZeroDivisionError: no such luck"
    assert found["failed_at"] is not None

    take_in(engine, "timpalpant-four-deals.ndjson")
    assert keep(database, [catalogue, broken, findings]) == DONE | {"standings": State.FAILED}
    assert checkpoint(database, "standings")["position"] == position - 1

    assert keep(database) == DONE  # mended
    assert checkpoint(database, "standings")["failed_at"] is None
    equal_to_a_fresh_fold(database)


def test_a_stopped_model_rests_until_someone_moves_it(engine: Engine, database: Database) -> None:
    [game_id, *_] = take_in(engine, "evening-of-loo.txt")
    calls = []
    seal(database)

    def fail(head: Sealed, _: Sequence[Event]) -> None:
        calls.append(head.version)
        raise ZeroDivisionError

    with session(database) as own:
        runner = Runner(own, Instead(standings, fail))
        assert run(runner) is State.FAILED
        tried = len(calls)
        assert runner.step().state is State.FAILED
        assert len(calls) == tried
        with connected(database.worker_url) as conn:
            conn.exec_driver_sql("UPDATE lanterlog_read.checkpoints SET failed_at = NULL")
            conn.commit()
        assert runner.step().state is State.FAILED
        assert len(calls) > tried
    assert checkpoint(database, "standings")["failed_game_id"] == game_id


def test_a_body_that_is_no_event_is_named(engine: Engine, database: Database) -> None:
    bodies = log_of(engine, take_in(engine, "worked-examples.txt")[0])
    game_id = opened(engine)
    append(engine, game_id, *bodies[:3], b'{"t":"never_heard_of"}', *bodies[3:6])
    assert set(keep(database).values()) == {State.FAILED}
    for name in DONE:
        found = checkpoint(database, name)
        assert (found["failed_game_id"], found["failed_version"]) == (game_id, 4)
        assert "never_heard_of" in found["failure"]


def test_a_row_that_the_table_refuses_is_named(engine: Engine, database: Database) -> None:
    """Here the rows can be made, and only the database says what is wrong with them."""
    [game_id, *_] = take_in(engine, "evening-of-loo.txt")

    class Refused(Instead):
        def rows(self, game, head, log):
            found = super().rows(game, head, log)
            return {"standings_games": [(*row[:-1], 2**70) for row in found["standings_games"]]}

    assert keep(database, [Refused(standings)]) == {"standings": State.FAILED}
    found = checkpoint(database, "standings")
    assert (found["failed_game_id"], found["failed_version"]) == (game_id, 373)
    assert rows(database, "standings_games") == []


def test_a_log_with_a_hole_is_named(engine: Engine, database: Database) -> None:
    [game_id, *_] = take_in(engine, "evening-of-loo.txt")
    seal(database)
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.events DISABLE TRIGGER ALL")
        conn.exec_driver_sql("DELETE FROM lanterlog.events WHERE version = 1")
        conn.commit()
    assert keep(database, [catalogue]) == {"catalogue": State.FAILED}
    assert checkpoint(database, "catalogue")["failed_game_id"] == game_id


@pytest.mark.parametrize(("step", "state"), [(1, State.OUTDATED), (-1, State.AHEAD)])
def test_tables_of_another_version_are_left_alone(
    engine: Engine, database: Database, step: int, state: State
) -> None:
    take_in(engine, "worked-examples.txt")
    other = Instead(catalogue, version=catalogue.version + step)
    assert keep(database, [other]) == {"catalogue": state}
    assert rows(database, "catalogue_games") == []


def test_positions_past_31_bits_are_read(engine: Engine, database: Database) -> None:
    take_in(engine, "worked-examples.txt")
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger DISABLE TRIGGER check_ledger")
        conn.exec_driver_sql(
            "INSERT INTO lanterlog.ledger (position, previous, game_id, from_version, to_version, head)"
            " VALUES (2147483647, %s, gen_random_uuid(), 1, 1, %s)",
            (bytes(32), bytes(32)),
        )
        conn.exec_driver_sql("ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER check_ledger")
        conn.commit()
    assert keep(database) == DONE
    assert checkpoint(database, "catalogue")["position"] > 2**31
    equal_to_a_fresh_fold(database)
