"""`lanterlog worker` as a process, and the commands that see, rebuild and compare the read models."""

import json
import os
import signal
import subprocess
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from projections.status import Status, status
from tests.postgres import Database, connected
from tests.projections.store import append, equal_to_a_fresh_fold, keep, opened, seal, take_in
from tests.served import command, running
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.store


def environment(database: Database) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": database.app_url,
        "WORKER_DATABASE_URL": database.worker_url,
        "MIGRATION_DATABASE_URL": "",
    }


def working(database: Database, log: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """A worker in a process of its own."""
    return running("worker", env=environment(database), err=log)


def told(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def now(engine: Engine) -> Status:
    with engine.connect() as conn:
        return status(conn)


def is_up_to_date(engine: Engine) -> bool:
    found = now(engine)
    behind = {one.behind for one in found.projections}
    return found.position > 0 and found.waiting.events == 0 and behind == {0}


def test_a_worker_seals_and_keeps_until_it_is_told_to_stop(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    take_in(engine, "evening-of-loo.txt")
    with working(database, tmp_path / "log") as process:
        until(lambda: is_up_to_date(engine))
        take_in(engine, "worked-examples.txt")
        until(lambda: is_up_to_date(engine))
        found = now(engine)
        assert found.sealer is not None
        assert found.sealer.since is not None
        assert {one.holder.pid for one in found.projections if one.holder}
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    until(lambda: now(engine).sealer is None)
    assert {line["event"] for line in told(tmp_path / "log")} == {"working"}
    assert {line["task"] for line in told(tmp_path / "log")} == {
        "sealer", "catalogue", "standings", "findings",
    }  # fmt: skip
    equal_to_a_fresh_fold(database)


def test_another_worker_takes_over_from_one_that_is_killed(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(working(database, tmp_path / "first"))
        until(lambda: now(engine).sealer is not None)
        holder = now(engine).sealer
        stack.enter_context(working(database, tmp_path / "second"))
        take_in(engine, "worked-examples.txt")
        until(lambda: is_up_to_date(engine))
        first.kill()
        first.wait(PATIENCE)
        take_in(engine, "evening-of-loo.txt")
        until(lambda: is_up_to_date(engine))
        assert now(engine).sealer not in (None, holder)
    assert {line["task"] for line in told(tmp_path / "second")} >= {"sealer", "catalogue"}
    equal_to_a_fresh_fold(database)


def test_a_worker_goes_on_when_its_sessions_are_ended(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    with working(database, tmp_path / "log"):
        until(lambda: now(engine).sealer is not None)
        with connected(database.superuser_url) as conn:
            conn.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE usename = 'lanterlog_worker' AND datname = current_database()"
            ).all()
        take_in(engine, "evening-of-loo.txt")
        until(lambda: is_up_to_date(engine))
    assert "interrupted" in {line["event"] for line in told(tmp_path / "log")}


def test_an_event_at_fault_is_told_once_and_stops_nothing_else(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    game_id = opened(engine)
    append(engine, game_id, b'{"t":"never_heard_of"}')
    with working(database, tmp_path / "log"):
        until(lambda: all(one.failure for one in now(engine).projections))
        take_in(engine, "evening-of-loo.txt")
        until(lambda: now(engine).waiting.events == 0)
    stopped = [line for line in told(tmp_path / "log") if line["event"] == "stopped"]
    assert len(stopped) == 3
    assert {(line["position"], line["game"], line["version"]) for line in stopped} == {
        (1, str(game_id), 1)
    }
    done = run(database, "projections", "status")
    assert done.returncode == 1
    assert f"catalogue stopped at position 1: version 1 of game {game_id}" in done.stdout


def test_a_table_that_someone_has_locked_holds_up_its_model_alone(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    with working(database, tmp_path / "log"), connected(database.superuser_url) as conn:
        conn.exec_driver_sql("LOCK TABLE lanterlog_read.catalogue_games IN SHARE MODE")
        take_in(engine, "evening-of-loo.txt")
        until(lambda: [one.behind for one in now(engine).projections] == [1, 0, 0])
        until(lambda: "held up" in {line["event"] for line in told(tmp_path / "log")})
        conn.rollback()
        until(lambda: is_up_to_date(engine))


def test_tables_of_an_older_version_are_rebuilt_without_being_asked(
    engine: Engine, database: Database, tmp_path: Path
) -> None:
    take_in(engine, "evening-of-loo.txt")
    keep(database)
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql(
            "UPDATE lanterlog_read.checkpoints SET version = 0 WHERE name = 'standings'"
        )
        conn.exec_driver_sql("DROP TABLE lanterlog_read.standings_games")
        conn.commit()
    with working(database, tmp_path / "log"):
        until(lambda: all(one.version == one.wanted for one in now(engine).projections))
    events = [(line["event"], line["task"]) for line in told(tmp_path / "log")]
    assert ("not kept", "standings") in events
    equal_to_a_fresh_fold(database)


def run(database: Database, *words: str) -> subprocess.CompletedProcess[str]:
    return command(*words, env=environment(database))


def test_the_status_says_what_waits_and_for_how_long(engine: Engine, database: Database) -> None:
    take_in(engine, "evening-of-loo.txt")
    found = now(engine)
    assert (found.position, found.sealer) == (0, None)
    assert (found.waiting.games, found.waiting.events) == (1, 373)
    assert found.waiting.seconds > 0
    seal(database)
    found = now(engine)
    assert found.waiting.events == 0
    assert [(one.name, one.behind) for one in found.projections] == [
        ("catalogue", 1), ("findings", 1), ("standings", 1),
    ]  # fmt: skip
    assert all(one.seconds > 0 for one in found.projections)
    keep(database)
    assert [(one.behind, one.seconds) for one in now(engine).projections] == [(0, 0.0)] * 3


def test_the_commands_see_rebuild_and_compare(engine: Engine, database: Database) -> None:
    [game_id] = take_in(engine, "evening-of-loo.txt")
    keep(database)
    done = run(database, "projections", "status")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "ledger: position 1, sealed by nobody"
    assert "findings\t1\t1\t0\t0.0\tnobody\tup to date" in done.stdout.splitlines()

    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("UPDATE lanterlog_read.catalogue_games SET deals = 0")
        conn.commit()
    done = run(database, "projections", "verify", "all")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == ["catalogue: 1 of 1 game differ", f"  {game_id}"]

    done = run(database, "projections", "rebuild", "all", "--jobs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = done.stdout.splitlines()
    assert first.startswith("rebuilt all: 1 game, 373 events in ")
    assert second == "1 of 1 that could be compared had other rows before"
    assert third == f"  {game_id}"

    done = run(database, "projections", "verify", "catalogue", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["differing"] == {"catalogue": []}


def test_a_worker_needs_a_login_of_its_own(database: Database) -> None:
    settings = environment(database) | {"WORKER_DATABASE_URL": ""}
    done = command("worker", env=settings)
    assert done.returncode == 2
    assert done.stderr.startswith("lanterlog: no WORKER_DATABASE_URL")


def test_a_worker_with_too_many_rights_is_refused(database: Database) -> None:
    settings = environment(database) | {"WORKER_DATABASE_URL": database.superuser_url}
    done = command("worker", env=settings)
    assert done.returncode == 2
    assert "is a superuser" in done.stderr


def test_the_service_needs_that_login_for_a_worker_beside_it(database: Database) -> None:
    settings = environment(database) | {"WORKER_DATABASE_URL": ""}
    done = command("serve", "--port", "0", "--worker", env=settings)
    assert done.returncode == 2
    assert done.stderr.startswith("lanterlog: --worker without WORKER_DATABASE_URL")


@pytest.mark.parametrize(
    "words", ["worker", "projections status", "projections rebuild", "projections verify"]
)
def test_every_command_has_help_with_an_example(database: Database, words: str) -> None:
    done = run(database, *words.split(), "--help")
    assert done.returncode == 0
    assert f"lanterlog {words}" in done.stdout.partition("examples:")[2]
