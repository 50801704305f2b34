"""What every command's words are made of: how one is added, and the kinds of numbers.

Imports nothing that a command needs, so that asking for help loads no database and no web framework.
"""

import argparse
from datetime import UTC, date, datetime
from typing import Any, Final

CODES: Final = """\
exit codes: 0 done; 1 something was found: a breach, an altered log, a failed case, a schema that differs;
2 bad usage, or a file that is no log; 130 after Ctrl-C"""
_DIGITS: Final = 12
"""Of a number on the command line: more means none that is allowed."""
GAME: Final = "a game's id, the beginning of one (4 characters or more), or 'last'"

DISPUTE: Final = "a dispute's id, the beginning of one (4 characters or more), or 'last'"


def add(commands: Any, name: str, run: str, text: str, *examples: str) -> argparse.ArgumentParser:
    """Add a command that runs *run* (`module:function` of `api.commands`), with examples below its help."""
    new: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog="examples:\n  " + "\n  ".join(examples) + f"\n\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.set_defaults(run=run)
    return new


def as_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def port(text: str) -> int:
    """Return a port, 0 for any."""
    return _number(text, range(65536))


def version(text: str) -> int:
    """Return a number that counts from 1: a version, a deal, how many."""
    return _number(text, range(1, 2**31))


def position(text: str) -> int:
    """Return a position in the ledger, 0 for before the first."""
    return _number(text, range(10**11))


def seats(text: str) -> int:
    """Return a number of seats."""
    return _number(text, range(2, 9))


def seat(text: str) -> int:
    """Return a seat."""
    return _number(text, range(8))


def seed(text: str) -> int:
    """Return a seed."""
    return _number(text, range(2**32))


def bias(text: str) -> float:
    """Return a number of cards from 0.01 to 20, with a fraction."""
    return _share(text, 20.0)


def edge(text: str) -> float:
    """Return a share from 0.01 to 0.49."""
    return _share(text, 0.49)


def day(text: str) -> datetime:
    """Return the beginning of a day, in UTC."""
    try:
        found = date.fromisoformat(text[:12])
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r}, expected a day such as 2026-11-30"
        ) from None
    return datetime(found.year, found.month, found.day, tzinfo=UTC)


def _share(text: str, most: float) -> float:
    try:
        found = float(text[:12])
    except ValueError:
        found = 0.0
    if not 0.01 <= found <= most:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}, expected a number from 0.01 to {most:g}")
    return found


def _number(text: str, allowed: range) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    if not is_number or int(text) not in allowed:
        wanted = f"a number from {allowed.start} to {allowed.stop - 1}"
        raise argparse.ArgumentTypeError(f"{text[:40]!r}, expected {wanted}")
    return int(text)
