"""`lanterlog serve` and `lanterlog migrate`: the service and its database, up and down again."""

import signal
import sys
from argparse import Namespace
from importlib.resources import files as resources
from typing import Any

import msgspec
from sqlalchemy import Engine

from api import db, listing, tokens
from api.access import NOBODY
from api.beside import Beside
from api.commands import output
from api.commands.store import count_games
from api.config import Config
from api.embedded import Embedded, running
from api.loopback import bound, is_loopback, listen, url_of
from api.wire import ListQuery
from events import recorder
from events.errors import BadSetting, NotMigrated
from events.formats.detect import read_file

UP_TO_DATE, DIFFERS = 0, 1


def serve(args: Namespace) -> int:
    """Serve until told to stop; the PostgreSQL that was started stops with it."""
    from api.server import Server

    changes = {"host": args.host, "port": args.port, "open_table": args.open_table or None}
    given = {name: value for name, value in changes.items() if value is not None}
    config = msgspec.structs.replace(Config.from_environment(), **given)
    # Before the database starts: a port that is taken shows at once. From elsewhere nobody gets in before
    # it is known that there are tokens.
    with bound(config.host, config.port) as listening:
        if is_loopback(config.host):
            listen(listening)
        signal.signal(signal.SIGTERM, _stop)
        with running(config) as settled:
            if config.database_url is None:
                db.keep_up(settled)
            with db.opened(settled) as engine:
                check_tokens(engine, settled)
                listen(listening)
                if args.samples:
                    load_samples(engine)
                lines = _links(engine, url_of(listening), settled)
            beside = _beside(settled) if config.database_url is None or args.worker else None
            own = Embedded(config.home, config.roles) if config.database_url is None else None
            return Server(settled, listening, lines, beside, own).serve()


def migrate(args: Namespace) -> int:
    """Bring the schema up to date, or only say whether it is."""
    config = Config.from_environment()
    only_migrates = config.database_url is None and config.migration_database_url is not None
    if only_migrates:  # a server of the user's, which the program need not log in to for this
        config = msgspec.structs.replace(config, database_url=config.migration_database_url)
    with running(config) as settled:
        if args.check:
            return _check(settled)
        db.migrate(settled)
        output.line("the schema is up to date")
    return UP_TO_DATE


def load_samples(engine: Engine) -> int:
    """Load the games that come with the program into a store that has none; return how many."""
    with engine.begin() as conn:
        if count_games(conn):
            return 0
        names = [
            one
            for one in resources("events.samples").iterdir()
            if one.name.endswith((".ndjson", ".txt"))
        ]
        loaded = 0
        with output.progress("loading samples", len(names)) as bar:
            for sample in sorted(names, key=lambda one: one.name):
                with sample.open("rb") as file:
                    loaded += len(recorder.import_games(conn, read_file(file), NOBODY).imported)
                bar.step()
    return loaded


def check_tokens(engine: Engine, config: Config) -> None:
    """Refuse to be asked from elsewhere without tokens, and to ignore them where there are some."""
    with engine.connect() as conn:
        guarded = tokens.are_there(conn)
    if not guarded and not is_loopback(config.host):
        raise BadSetting(
            f"host {config.host!r}: without tokens the service listens on this machine alone, "
            "expected 127.0.0.1, ::1 or localhost, or a token: lanterlog token create NAME --scope ..."
        )
    if guarded and config.open_table:
        raise BadSetting(
            "an open table where there are tokens, expected a token with admin for whoever sees every hand"
        )


def _check(config: Config) -> int:
    engine = db.engine(config)
    try:
        with engine.connect() as conn:
            db.check_schema_version(conn)
    except NotMigrated as error:
        output.line(str(error))
        return DIFFERS
    finally:
        engine.dispose()
    differences = db.schema_differences(config)
    for one in differences:
        output.line(f"differs: {one}")
    if not differences:
        output.line("the schema is up to date")
    return DIFFERS if differences else UP_TO_DATE


def _links(engine: Engine, base: str, config: Config) -> list[str]:
    """Return what to print when the service answers: addresses to open, each of which is there."""
    with engine.connect() as conn:
        found, _ = listing.page(conn, ListQuery(limit=100))
        games = output.count(count_games(conn), "game")
    paths = {"games": "/", "games as JSON": "/v1/games", "health": "/healthz"}
    if found:
        longest = max(found, key=lambda one: one.head.version).head.game_id
        links = listing.links(longest)
        paths = {"games": "/", "replay of a game": f"/games/{longest}"} | paths
        paths |= {f"{look} of a game": links[look] for look in ("timeline", "export.txt")}
    width = max(map(len, paths))
    lines = [f"Lanterlog serves {games}. Stop it with Ctrl-C.", ""]
    lines += [f"  {what:<{width}}  {base}{path}" for what, path in paths.items()]
    if config.open_table:
        lines += ["", "Open table: whoever reaches this port sees every hand."]
    return lines


def _beside(config: Config) -> Beside:
    if config.worker_database_url is None:
        raise BadSetting("--worker without WORKER_DATABASE_URL, expected the worker's login")
    return Beside(config.worker_database_url)


def _stop(_signal: int, _frame: Any) -> None:
    """A stop that comes before the server runs: leave by the same door."""
    sys.exit(0)
