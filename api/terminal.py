"""A terminal for as long as a `with` block lasts: single keys in, whole screens out, and then as it was before.

It is put back on every way out, also after an exception, Ctrl-C, or a signal that ends the program. Nothing that is
shown can steer the terminal: control characters become question marks. Knows nothing of games.
"""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterable
from contextlib import suppress
from types import FrameType
from typing import Any, Final, Self
from unicodedata import category

from projections.board import width_of

# What keys send: CSI and SS3 forms, with and without the modifier for Shift.
_KEYS: Final = {
    **{f"\x1b{lead}{end}": key for lead in "[O" for end, key in zip("ABCDHF", ("up", "down", "right", "left", "home", "end"), strict=True)},
    **{f"\x1b[1;2{end}": key for end, key in zip("CDAB", ("page down", "page up", "up", "down"), strict=True)},
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[1~": "home",
    "\x1b[7~": "home",
    "\x1b[4~": "end",
    "\x1b[8~": "end",
}  # fmt: skip
_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_PATIENCE: Final = 0.05
"""Seconds to wait for the rest of what one key sends."""
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
RESIZED: Final = "resized"
CLOSED: Final = "closed"


class Terminal:
    """Standard input and output, which must both be a terminal."""

    def __init__(self) -> None:
        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._waiting = b""
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        sys.stdout.flush()
        self._before = termios.tcgetattr(self._in)
        self._woken, self._wakes = os.pipe()
        try:
            for number in _ENDING:
                self._handlers[number] = signal.signal(number, _end)
            self._handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, self._resized)
            tty.setcbreak(self._in)
            self._without_suspending()
            self._write(_ENTER)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with suppress(OSError):  # the terminal has gone away; there is nothing to put back
                self._write(_LEAVE)
        finally:
            with suppress(termios.error):  # gone away likewise
                termios.tcsetattr(self._in, termios.TCSADRAIN, self._before)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            os.close(self._woken)
            os.close(self._wakes)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows as they are now; 80 and 24 where the terminal does not know."""
        columns, rows = os.get_terminal_size(self._out)
        return columns or 80, rows or 24

    def key(self) -> str:
        """Wait for a key and return its name or its letter; RESIZED if the window changed, CLOSED at the end."""
        while not self._waiting:
            ready, _, _ = select.select([self._in, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 1024)
                return RESIZED
            if not self._read():
                return CLOSED
        return self._next()

    def show(self, lines: Iterable[str]) -> None:
        """Show these lines from the top and nothing else; what does not fit the window is cut."""
        columns, rows = self.size
        shown = [_cut(line, columns) for line in list(lines)[:rows]]
        self._write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in shown) + "\x1b[J")

    def _next(self) -> str:
        if self._waiting[:1] == b"\x1b":
            while self._is_begun() and select.select([self._in], [], [], _PATIENCE)[0]:
                if not self._read():
                    break
        text = self._waiting.decode(errors="replace")
        for sent, key in _KEYS.items():
            if text.startswith(sent):
                self._waiting = self._waiting[len(sent) :]
                return key
        if text[0] == "\x1b":
            self._waiting = b""  # a key that means nothing here, whole
            return "escape"
        self._waiting = text[1:].encode()
        return text[0]

    def _is_begun(self) -> bool:
        text = self._waiting.decode(errors="replace")
        return any(sent.startswith(text) and sent != text for sent in _KEYS)

    def _read(self) -> bool:
        try:
            found = os.read(self._in, 1024)
        except OSError:
            return False  # the terminal has gone away
        self._waiting += found
        return bool(found)

    def _resized(self, _number: int, _frame: FrameType | None) -> None:
        os.write(self._wakes, b".")

    def _without_suspending(self) -> None:
        """Ctrl-Z would leave a raw terminal to the shell."""
        mode = termios.tcgetattr(self._in)
        mode[6][termios.VSUSP] = b"\x00"
        termios.tcsetattr(self._in, termios.TCSADRAIN, mode)

    def _write(self, text: str) -> None:
        data = text.encode(errors="replace")
        while data:
            data = data[os.write(self._out, data) :]


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _cut(line: str, columns: int) -> str:
    """Return the line without control characters, as much of it as fits."""
    safe = "".join("?" if category(char)[0] == "C" else char for char in line)
    if width_of(safe) <= columns:
        return safe
    while safe and width_of(safe) > columns - 1:
        safe = safe[:-1]
    return f"{safe}…"
