"""`lanterlog worker` and `lanterlog projections`: what goes on behind the log, and how it stands."""

import os
import signal
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine, pool

from api import db, logs
from api.commands import output
from api.config import Config
from api.embedded import running
from events.errors import BadSetting
from projections.feed import Progress
from projections.rebuild import rebuild as rebuild_models
from projections.status import Holder, Standing, Status, status
from projections.verify import verify as verify_models
from projections.worker import Worker

CLEAN, FOUND = 0, 1


def worker(_args: Namespace) -> int:
    """Seal, and keep the read models, until SIGTERM or Ctrl-C."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with worker_url() as url:
        logs.configure()
        Worker(url, stop, logs.tell).run()
    return CLEAN


def show(args: Namespace) -> int:
    """Print how the sealer and the read models stand; 1 if a model has stopped."""
    with db.opened(Config.from_environment()) as engine, engine.connect() as conn:
        found = status(conn)
    if args.json:
        output.as_json(found)
    else:
        _print(found)
    return FOUND if any(one.failure for one in found.projections) else CLEAN


def rebuild(args: Namespace) -> int:
    """Make read models anew, and say which games had other rows before."""
    begun = time.monotonic()
    with worker_url() as url, _bar(f"rebuilding {args.name}") as progress:
        done = rebuild_models(url, [args.name], _processes(args), progress)
    if args.json:
        output.as_json(done)
        return CLEAN
    seconds = time.monotonic() - begun
    games, events = output.count(done.games, "game"), output.count(done.events, "event")
    output.line(
        f"rebuilt {args.name}: {games}, {events} in {seconds:.1f} s, to position {done.position}"
    )
    output.line(
        f"{len(done.differing)} of {done.compared} that could be compared had other rows before"
    )
    for game_id in done.differing:
        output.line(f"  {game_id}")
    return CLEAN


def verify(args: Namespace) -> int:
    """Compare read models with the log; 1 if any game differs."""
    with worker_url() as url, _bar(f"verifying {args.name}") as progress:
        done = verify_models(url, [args.name], _processes(args), progress)
    wrong = bool(done.outdated) or any(done.differing.values())
    if args.json:
        output.as_json(done)
        return FOUND if wrong else CLEAN
    for name, ids in done.differing.items():
        output.line(f"{name}: {len(ids)} of {output.count(done.games, 'game')} differ")
        for game_id in ids:
            output.line(f"  {game_id}")
    for name in done.outdated:
        output.line(f"{name}: its tables are of another version, expected a rebuild")
    return FOUND if wrong else CLEAN


@contextmanager
def worker_url() -> Iterator[str]:
    """Give the worker's login, checked, with the database up and migrated if it is ours.

    Raises BadSetting without one, TooManyRights, NotMigrated.
    """
    config = Config.from_environment()
    with running(config) as settled:
        if config.database_url is None:
            db.keep_up(settled)
        url = settled.worker_database_url
        if url is None:
            raise BadSetting(
                "no WORKER_DATABASE_URL, expected the login that keeps the read models"
            )
        _check(url)
        yield url


def _check(url: str) -> None:
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as conn:
        db.check_is_direct(conn, "WORKER_DATABASE_URL")
        db.check_login_rights(conn)
        db.check_schema_version(conn)


def _processes(args: Namespace) -> int:
    return int(args.jobs or len(os.sched_getaffinity(0)))


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    """Show how many of how many events are done, from the moment the second number is known."""
    with output.progress(what, None) as bar:

        def step(done: int, total: int) -> None:
            bar.total(total)
            bar.step(done)

        yield step


def _print(found: Status) -> None:
    waiting = found.waiting
    output.line(f"ledger: position {found.position}, sealed by {_who(found.sealer)}")
    output.line(
        f"not sealed yet: {output.count(waiting.events, 'event')} of "
        f"{output.count(waiting.games, 'game')}, for {waiting.seconds:.1f} s"
    )
    columns = ("projection", "version", "position", "behind", "seconds", "kept by", "state")
    output.table(columns, (_row(one) for one in found.projections))
    for one in found.projections:
        if one.failure is not None:
            failure = one.failure
            output.line(
                f"{one.name} stopped at position {failure.position}: version {failure.version} "
                f"of game {failure.game_id}: {failure.reason}"
            )


def _row(one: Standing) -> tuple[Any, ...]:
    seconds = f"{one.seconds:.1f}"
    return one.name, one.version, one.position, one.behind, seconds, _who(one.holder), _state(one)


def _state(one: Standing) -> str:
    if one.failure is not None:
        return "stopped"
    if one.version != one.wanted:
        return f"tables of version {one.version}, expected {one.wanted}"
    return "up to date" if not one.behind else "behind"


def _who(holder: Holder | None) -> str:
    if holder is None:
        return "nobody"
    return f"process {holder.pid}" + (f" since {holder.since}" if holder.since else "")
