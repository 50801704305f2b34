"""A game as those who follow it are told of it: each event's line is made once for all who see the same of it.

What is told holds for the log as it was read; of one that has grown another is made, since more may be open then.
"""

from typing import Final

from api import answers
from api.asker import Sight
from api.viewing import Eyes
from api.wire import Viewer, encode
from events.recorder import Log

MOST: Final = 500
"""Lines that are made at once: who joins late must not hold up the others."""

Line = tuple[int, bytes]
"""A version, and its event as JSON."""


class Told:
    """A log, and what was told of it to whom."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._eyes: dict[tuple[Viewer | None, Sight], Eyes] = {}
        self._lines: dict[tuple[Viewer | None, Sight, int], bytes] = {}

    @property
    def last(self) -> int:
        """The last version."""
        return len(self.log.events)

    def lines(self, asked: Viewer | None, most: Sight, after: int) -> list[Line]:
        """Return the next events after a version to somebody who asks for a view and may see as much as *most*."""
        eyes = self._eyes.get((asked, most))
        if eyes is None:
            eyes = Eyes.of(self.log.head.game, self.log.events, asked, most)
            self._eyes[asked, most] = eyes
        upto = min(after + MOST, self.last)
        return [(at, self._line(eyes, (asked, most, at))) for at in range(after + 1, upto + 1)]

    def _line(self, eyes: Eyes, which: tuple[Viewer | None, Sight, int]) -> bytes:
        found = self._lines.get(which)
        if found is None:
            at = which[2] - 1
            # Without the text of a remark, which may be erased while the log is kept: it is to be had at /events.
            line = answers.event_line(eyes, self.log.stored[at], self.log.events[at], None)
            self._lines[which] = found = encode(line)
        return found
