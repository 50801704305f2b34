"""The `lanterlog` command, from its first moment to its last: Ctrl-C ends it at any with one line and code 130.

What a command needs takes a moment to be read in, so it is read in here, and not above.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

INTERRUPTED: Final = 130
_SAID: Final = b"lanterlog: interrupted\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        with at_once():
            from api import calling
        return calling.run(argv)
    except KeyboardInterrupt:
        sys.stderr.write(_SAID.decode())
        return INTERRUPTED


def process() -> NoReturn:
    """Run the command that this process was begun for, and end the process."""
    code: object
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # while its answer was on the way here
        _end()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    sys.exit(code)


@contextmanager
def at_once() -> Iterator[None]:
    """Let Ctrl-C end the process at once, for the length of the block, where it would raise KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int = signal.SIGINT, _frame: FrameType | None = None) -> NoReturn:
    os.write(2, _SAID)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    process()
