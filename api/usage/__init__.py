"""The words of the `lanterlog` command, one small function a command, in the order in which help lists them."""

import argparse

from api.usage import disputing, games, keeping, running, tokens, working
from api.usage.words import CODES
from events.version import ENGINE


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command; what it parses has the work to run as `run`."""
    top = argparse.ArgumentParser(
        prog="lanterlog",
        description="Keeps every act of a card game as an event: replay it, audit it, take the log out.",
        epilog=f"{CODES}\n\nsettings: DATABASE_URL, WORKER_DATABASE_URL, MIGRATION_DATABASE_URL, LANTERLOG_HOME (see README)",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"lanterlog {ENGINE}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        running.serve,
        running.migrate,
        working.worker,
        working.projections,
        tokens.token,
        games.import_,
        games.games,
        games.replay,
        games.audit,
        disputing.dispute,
        games.export,
        games.verify,
        keeping.anchor,
        keeping.erase,
        keeping.chances,
        games.casebook,
        games.simulate,
        running.bench,
    ):
        add(commands)
    return top
