"""A command of `lanterlog`: reads its words, calls what does the work, turns errors into one line.

Only the module that a command needs is imported, so `verify` and `casebook` touch no database and no
web framework. Exit codes: 0 done, 1 something was found (a breach, an altered log, a failed case, a schema
that differs), 2 bad usage or not a log; 130 after Ctrl-C.
"""

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from api import cli, usage
from events.errors import LanterlogError

FINDINGS, BAD_USAGE = 1, 2

Command = Callable[[argparse.Namespace], int]


def run(argv: Sequence[str] | None) -> int:
    """Run one command and return its exit code; raises KeyboardInterrupt."""
    _prepare_output()
    with cli.at_once():  # nothing has begun that would have to be ended in order
        args = usage.parser().parse_args(argv)
        command = _command(args.run)
    try:
        code = command(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _pipe_closed()
    except (LanterlogError, OSError) as error:
        return _fail(error)
    except Exception as error:
        if not _is_from_database(error):
            raise
        return _fail(getattr(error, "orig", None) or error)


def _prepare_output() -> None:
    """Have somewhere to write to, and write what the terminal's own letters lack as escapes: names are in any script."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever called us
            stream = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
            setattr(sys, name, stream)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _command(name: str) -> Command:
    """Return the function that `module:function` names, importing no other."""
    module, _, function = name.partition(":")
    return cast(Command, getattr(import_module(f"api.commands.{module}"), function))


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
