"""`lanterlog replay` on a terminal: a game that one leafs through, by events, turns, deals and findings.

Reads nothing from the database: all that is shown is in the game that it is given.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, Protocol

from msgspec.structs import replace

from api.terminal import CLOSED, RESIZED, Terminal
from api.viewing import Eyes
from events.common import Event
from projections.audit import Finding, audit
from projections.board import LETTERS, seat_name, wrapped
from projections.explain import sentence
from projections.seen import SeenLog
from projections.timeline import timeline
from projections.views import board_of

HELP: Final = (
    "left  right                  one event back, one on",
    "Page Up  Page Down           one turn (also Shift with left, right)",
    "up  down                     one deal",
    "Home  End                    the first event, the last",
    "n  N                         the next finding of the audit, the one before",
    "1 to 8                       as the seat A to H saw it",
    "0                            all hands",
    "q                            quit",
)
_NOTHING: Final = "no further finding"


class Screen(Protocol):
    """What a browser needs of a terminal."""

    @property
    def size(self) -> tuple[int, int]: ...
    def key(self) -> str: ...
    def show(self, lines: Sequence[str]) -> None: ...


def browse(
    game: str,
    events: Sequence[Event],
    words: Callable[[int, Event], str],
    names: Sequence[str],
    seat: int | None = None,
) -> None:
    """Show a game on this terminal until the reader quits; *words* says an event in words."""
    browser = Browser(game, events, words, names, seat)
    with Terminal() as terminal:
        run(browser, terminal)


def run(browser: "Browser", screen: Screen) -> None:
    """Show what the browser shows, and press what is pressed, until the end."""
    key = RESIZED
    while key not in ("q", CLOSED):
        screen.show(browser.lines(screen.size[1]))
        key = screen.key()
        browser.press(key)


class Browser:
    """Where the reader is in a game, and whose eyes he looks with; no terminal."""

    def __init__(
        self,
        game: str,
        events: Sequence[Event],
        words: Callable[[int, Event], str],
        names: Sequence[str],
        seat: int | None = None,
    ) -> None:
        self.events, self.words, self.names = events, words, names
        self.at = 1
        self.note = ""
        self.helps = False
        whole = Eyes.of(game, events, "all", "all")
        self.eyes = whole
        course = timeline(whole.game, events)
        self.deals = [deal.first for deal in course.deals]
        self.turns = sorted(step for deal in course.deals for step in deal.steps)
        self.look(seat)

    def look(self, seat: int | None) -> None:
        """Look as a seat does, or with all hands open."""
        asked = "all" if seat is None else seat
        self.eyes = replace(self.eyes, asked=asked, closed=asked)
        for worked_out in ("seen", "findings"):
            self.__dict__.pop(worked_out, None)

    @cached_property
    def seen(self) -> SeenLog:
        """The game as it is seen."""
        return self.eyes.log(self.events)

    @cached_property
    def findings(self) -> dict[int, list[Finding]]:
        """What the audit finds in the game as it is seen, by version."""
        found: dict[int, list[Finding]] = {}
        for one in audit(self.eyes.game, self.seen.shown).findings:
            found.setdefault(one.version, []).append(one)
        return found

    def press(self, key: str) -> None:
        """Do what a key asks for; keys that mean nothing do nothing."""
        self.note = ""
        self.helps = key == "?" and not self.helps
        move = _MOVES.get(key)
        if move is not None:
            self.at = min(max(move(self), 1), len(self.events))
        elif len(key) == 1 and key in "012345678":
            self._press_seat(int(key))

    def lines(self, rows: int) -> list[str]:
        """Return what fits on so many rows: the act, what is wrong with it, the table; where we are comes last."""
        if self.helps:
            return [*HELP[: rows - 1], self._status()]
        event = self.seen.shown[self.at - 1]
        found = self.findings.get(self.at, [])
        told = [f"! {sentence(one, self._called())}" for one in found]
        said = [wrapped("", text, 2) for text in (self.words(self.at, event), *told)]
        board = board_of(self.seen.view(self.at), self.names).splitlines()
        body = [*"\n".join(said).splitlines(), "", *board]
        if len(body) > rows - 1:
            body = [*body[: max(rows - 2, 0)], "..."] if rows > 2 else body[: rows - 1]
        return [*body, self._status()]

    def next_finding(self) -> int:
        """Return the version of the next finding; where there is none, this one, and say so."""
        return self._finding(next((v for v in sorted(self.findings) if v > self.at), None))

    def last_finding(self) -> int:
        """Return the version of the finding before; where there is none, this one, and say so."""
        before = (v for v in sorted(self.findings, reverse=True) if v < self.at)
        return self._finding(next(before, None))

    def _finding(self, version: int | None) -> int:
        self.note = _NOTHING if version is None else ""
        return self.at if version is None else version

    def _press_seat(self, number: int) -> None:
        seats = len(self._called())
        if number > seats:
            self.note = f"there is no seat {number}, expected 1 to {seats}, or 0 for all"
        else:
            self.look(number - 1 if number else None)

    def _called(self) -> list[str]:
        seats: Any = getattr(self.events[0], "seats", ())
        return [seat_name(seat, self.names) for seat in range(len(seats))]

    def _status(self) -> str:
        seen = self.eyes.asked
        whose = f"as {LETTERS[seen]}" if isinstance(seen, int) else "all hands"
        deal = bisect_right(self.deals, self.at)
        dealt = f"deal {deal} of {len(self.deals)}, " if deal else ""
        note = self.note or f"{len(self.findings)} with findings"
        return f"[{self.at} of {len(self.events)}, {dealt}{whose}; {note}]  ? help  q quit"


def _following(starts: Callable[[Browser], list[int]]) -> Callable[[Browser], int]:
    """Return the move to the next of some starts, to the end after the last."""

    def move(browser: Browser) -> int:
        places = starts(browser)
        index = bisect_right(places, browser.at)
        return places[index] if index < len(places) else len(browser.events)

    return move


def _preceding(starts: Callable[[Browser], list[int]]) -> Callable[[Browser], int]:
    def move(browser: Browser) -> int:
        places = starts(browser)
        index = bisect_left(places, browser.at)
        return places[index - 1] if index else 1

    return move


_MOVES: Final[dict[str, Callable[[Browser], int]]] = {
    "left": lambda browser: browser.at - 1,
    "right": lambda browser: browser.at + 1,
    " ": lambda browser: browser.at + 1,
    "page down": _following(lambda browser: browser.turns),
    "page up": _preceding(lambda browser: browser.turns),
    "down": _following(lambda browser: browser.deals),
    "up": _preceding(lambda browser: browser.deals),
    "home": lambda _: 1,
    "end": lambda browser: len(browser.events),
    "n": Browser.next_finding,
    "N": Browser.last_finding,
}
