"""The `lanterlog` command: reads its words, calls what does the work, turns errors into one line.

Only the module that a command needs is imported, so `verify` and `casebook` touch no database and no
web framework. Exit codes: 0 done, 1 something was found (a breach, an altered log, a failed case, a schema
that differs), 2 bad usage or not a log; 130 after Ctrl-C.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, cast

from events.errors import LanterlogError
from events.version import ENGINE

FINDINGS, BAD_USAGE, INTERRUPTED = 1, 2, 130

Command = Callable[[argparse.Namespace], int]

_CODES: Final = """\
exit codes: 0 done; 1 something was found: a breach, an altered log, a failed case, a schema that differs;
2 bad usage, or a file that is no log"""
_GAME: Final = "a game's id, the beginning of one (4 characters or more), or 'last'"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        code = _command(args.run)(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _pipe_closed()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (LanterlogError, OSError) as error:
        return _fail(error)
    except Exception as error:
        if not _is_from_database(error):
            raise
        return _fail(getattr(error, "orig", None) or error)


def _command(name: str) -> Command:
    """Return the function that `module:function` names, importing no other."""
    module, _, function = name.partition(":")
    return cast(Command, getattr(import_module(f"api.commands.{module}"), function))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lanterlog",
        description="Keeps every act of a card game as an event: replay it, audit it, take the log out.",
        epilog=f"{_CODES}\n\nsettings: DATABASE_URL, MIGRATION_DATABASE_URL, LANTERLOG_HOME (see README)",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lanterlog {ENGINE}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _serve,
        _migrate,
        _import,
        _games,
        _replay,
        _audit,
        _export,
        _verify,
        _casebook,
        _simulate,
        _bench,
    ):
        add(commands)
    return parser


def _serve(commands: Any) -> None:
    new = _add(
        commands, "serve", "serving:serve", "serve the HTTP interface until Ctrl-C",
        "lanterlog serve", "lanterlog serve --port 8123 --samples",
    )  # fmt: skip
    new.add_argument("--host", help="a loopback address (default: LANTERLOG_HOST or 127.0.0.1)")
    new.add_argument(
        "--port", type=_port, help="0 takes any free one (default: LANTERLOG_PORT or 8500)"
    )
    new.add_argument(
        "--samples", action="store_true", help="load the sample games, if the store has none"
    )
    new.add_argument(
        "--open-table", action="store_true",
        help="whoever reaches the port is the table: may ask for every hand, and for private games",
    )  # fmt: skip


def _migrate(commands: Any) -> None:
    new = _add(
        commands, "migrate", "serving:migrate", "bring the database's schema up to date",
        "lanterlog migrate", "MIGRATION_DATABASE_URL=postgresql://... lanterlog migrate --check",
    )  # fmt: skip
    new.add_argument("--check", action="store_true", help="change nothing; 1 if anything differs")


def _import(commands: Any) -> None:
    new = _add(
        commands, "import", "transfer:import_files", "take in files of any known format",
        "lanterlog import game.ndjson", "lanterlog import --check table.txt",
    )  # fmt: skip
    new.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    new.add_argument("--check", action="store_true", help="store nothing, name the first bad line")
    _json(new)


def _games(commands: Any) -> None:
    new = _add(
        commands, "games", "games:list_games", "list the games in the store",
        "lanterlog games", "lanterlog games --json | jq .players",
    )  # fmt: skip
    _json(new)


def _replay(commands: Any) -> None:
    new = _add(
        commands, "replay", "games:replay", "leaf through a game, or show the table at any version",
        "lanterlog replay last", "lanterlog replay 0197 --at 42 --seat B", "lanterlog replay last | less",
    )  # fmt: skip
    new.add_argument("game", metavar="GAME", help=_GAME)
    new.add_argument("--at", type=_version, metavar="N", help="show the table at this version")
    new.add_argument("--seat", metavar="S", help="as this seat saw it: 0 to 7, or A to H")
    _json(new)


def _audit(commands: Any) -> None:
    new = _add(
        commands, "audit", "audits:audit_games", "name every breach of the rules",
        "lanterlog audit last --calls", "lanterlog audit --all --ruleset seed --lang ja",
    )  # fmt: skip
    new.add_argument("game", nargs="?", metavar="GAME", help=_GAME)
    new.add_argument("--all", action="store_true", help="every game in the store")
    new.add_argument(
        "--ruleset", metavar="R", help="judge by this preset, not by the game's own rules"
    )
    new.add_argument("--deal", type=_version, metavar="D", help="this deal only")
    new.add_argument(
        "--calls", action="store_true",
        help='also why each call of "Rummy!" stood or fell, and which were possible and not made',
    )  # fmt: skip
    new.add_argument(
        "--lang", choices=("en", "ja"), default="en", help="English (default) or Japanese"
    )
    _json(new)


def _export(commands: Any) -> None:
    new = _add(
        commands, "export", "transfer:export_games", "write games to a file",
        "lanterlog export last --format txt", "lanterlog export --all -o archive.ndjson",
    )  # fmt: skip
    new.add_argument("game", nargs="?", metavar="GAME", help=_GAME)
    new.add_argument("--all", action="store_true", help="every game in the store")
    new.add_argument(
        "--format", choices=("ndjson", "txt"), default="ndjson",
        help="ndjson keeps everything (default), txt is for people",
    )  # fmt: skip
    new.add_argument("-o", "--output", metavar="F", help="a file, which appears when it is whole")


def _verify(commands: Any) -> None:
    new = _add(
        commands, "verify", "transfer:verify", "check a log's hashes; needs no database",
        "lanterlog verify archive.ndjson",
    )  # fmt: skip
    new.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    _json(new)


def _casebook(commands: Any) -> None:
    book = commands.add_parser("casebook", help="work with a book of rulings; needs no database")
    new = _add(
        book.add_subparsers(metavar="COMMAND", required=True), "check", "cases:check",
        "run case files through the rules", "lanterlog casebook check rulings.yaml",
    )  # fmt: skip
    new.add_argument("files", nargs="+", metavar="FILE", help="YAML, one case a document")
    new.add_argument("-v", "--verbose", action="store_true", help="also those that passed")
    _json(new)


def _simulate(commands: Any) -> None:
    new = _add(
        commands, "simulate", "simulating:simulate",
        "let programs play games, into the store or into a file",
        "lanterlog simulate --games 10 --seats 4 --bot greedy",
        'lanterlog simulate --seed 7 --ruleset "seed target=1000 go_out=floating" -o games.ndjson',
    )  # fmt: skip
    new.add_argument(
        "--game", choices=("rummy500", "loo5", "loo3", "irish"), default="rummy500",
        help="500 Rummy (default), or Lanterloo: five cards, three, or Irish",
    )  # fmt: skip
    new.add_argument("--games", type=_version, default=1, metavar="N", help="how many (default 1)")
    new.add_argument("--seats", type=_seats, default=4, metavar="K", help="2 to 8 (default 4)")
    new.add_argument(
        "--seed", type=_seed, metavar="S",
        help="makes the same file again, byte by byte (default: any); the store shuffles by itself",
    )  # fmt: skip
    new.add_argument(
        "--bot", choices=("random", "greedy"), default="greedy",
        help="greedy takes what it can (default), random does anything that is legal",
    )  # fmt: skip
    new.add_argument(
        "--ruleset", default="seed", metavar="R", help="a preset's name, then options: see examples"
    )
    new.add_argument(
        "--deals", type=_version, default=50, metavar="D",
        help="abandon a game that has not ended after so many deals (default 50)",
    )  # fmt: skip
    new.add_argument(
        "-o", "--output", metavar="F",
        help="a file instead of the store, .ndjson or .txt; needs no database",
    )  # fmt: skip
    _json(new)


def _bench(commands: Any) -> None:
    new = _add(
        commands, "bench", "measuring:bench",
        "measure against PostgreSQL alone and the eventsourcing package", "lanterlog bench --quick",
    )  # fmt: skip
    # The options of `api.bench.add_arguments`, which would load all that it measures with.
    new.add_argument("--quick", action="store_true", help="a rough run, in a few seconds")
    _json(new)


def _add(commands: Any, name: str, run: str, text: str, *examples: str) -> argparse.ArgumentParser:
    new: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog="examples:\n  " + "\n  ".join(examples) + f"\n\n{_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.set_defaults(run=run)
    return new


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def _port(text: str) -> int:
    return _number(text, range(65536))


def _version(text: str) -> int:
    return _number(text, range(1, 2**31))


def _seats(text: str) -> int:
    return _number(text, range(2, 9))


def _seed(text: str) -> int:
    return _number(text, range(2**32))


def _number(text: str, allowed: range) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:12]) not in allowed:
        wanted = f"a number from {allowed.start} to {allowed.stop - 1}"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}, expected {wanted}")
    return int(text)


def _fail(error: BaseException) -> int:
    """Say in one line what went wrong."""
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = " ".join(str(error).split())
    sys.stderr.write(f"lanterlog: {text[:1000]}\n")
    return BAD_USAGE


def _is_from_database(error: Exception) -> bool:
    """Tell without importing SQLAlchemy, which is not there to fail if it was never loaded."""
    exc = sys.modules.get("sqlalchemy.exc")
    return exc is not None and isinstance(error, (exc.OperationalError, exc.TimeoutError))


def _pipe_closed() -> int:
    """The reader has seen enough: nothing more is written, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
