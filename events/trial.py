"""A game in memory while a command is carried out: what may be taken, what is due then, what is told as a warning.

A refereed table refuses what `judge` objects to, and the dealer's and the scorer's work is added; in a recorded
game everything is taken that can be a fact about it at all. Nothing here reads or stores anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from events.chain import text_hash
from events.common import GameOpened, Remarked, Retracted
from events.errors import RefusedError
from events.game import Course, Game, Judgement, Violation, fold
from events.games import game_named
from events.records import Head

Texts = Mapping[int, tuple[bytes, str]]
"""Salt and text of remarks, by the index of the event among those that are sent."""
Shuffle = Callable[[list[str]], None]

NO_TEXTS: Final[Texts] = {}


class Trial:
    """A game in memory, as its head and its events tell it: every further event is judged before it is taken.

    *shuffle* puts cards into an order, in place. Who knows the state after the events already may pass it on.
    """

    def __init__(
        self,
        head: Head,
        events: Sequence[Any],
        shuffle: Shuffle,
        texts: Texts = NO_TEXTS,
        state: Any = None,
    ) -> None:
        self.game = game_named(head.game)
        self.version = head.version
        self.refereed = head.mode == "refereed"
        self.events = events
        self.shuffle = shuffle
        self.state: Any = fold(self.game, events) if state is None else state
        self.course: Course[Any, Any] | None = None
        self.added: list[Any] = []
        self.warnings: list[tuple[int, Judgement]] = []
        self.given_texts = texts
        self.texts: dict[int, tuple[bytes, str]] = {}

    def take_all(self, events: Sequence[Any]) -> None:
        """Take events as they come; raise RefusedError with the first one's index that cannot be."""
        for index, event in enumerate(events):
            broken = self._no_fact(index, event)
            if not broken and self.refereed:
                broken = self.game.not_for_clients(event)
            if broken:
                raise RefusedError(index, self.version, broken)
            if self.refereed:
                self._referee(index, event)
            else:
                self._write_down(event)
            if index in self.given_texts:
                self.texts[len(self.added) - 1] = self.given_texts[index]

    def refused(self, refusal: RefusedError, events: Sequence[Any]) -> Any:
        """Return what is recorded of a refused act that was sent alone, None for most."""
        if not self.refereed or len(events) != 1:
            return None
        return self.game.refused(self.state, events[0], refusal.violations)

    def _referee(self, index: int, event: Any) -> None:
        for act in (*self.game.before(self.state, event), event):
            shuffled = self.game.shuffle(self.state, act, self.shuffle)
            complete = self.game.complete(self.state, shuffled)
            broken = [f for f in self.game.judge(self.state, complete) if isinstance(f, Violation)]
            if broken:
                raise RefusedError(index, self.version, broken)
            self._add(complete)
        for due in what_is_due(self.game, self.state, self.shuffle):
            self._add(due)

    def _write_down(self, event: Any) -> None:
        version = self.version + len(self.added) + 1
        self.warnings += [(version, found) for found in self.game.judge(self.state, event)]
        self._add(event)

    def _add(self, event: Any) -> None:
        self.added.append(event)
        if self.course is None:
            self.state = self.game.evolve(self.state, event)
        else:
            self.state = self.course.take(event)

    def _no_fact(self, index: int, event: Any) -> tuple[Violation, ...]:
        """Return why an event cannot be a fact about this game at all, in whatever mode."""
        if isinstance(event, GameOpened):
            return (Violation("GAME_IS_OPEN", "1.1"),)
        if isinstance(event, Retracted):
            return self._bad_retraction(event)
        if isinstance(event, Remarked) and not self._is_earlier(event.about):
            params: dict[str, str | int] = {"expected": "an earlier version"}
            params["actual"] = event.about or 0
            return (Violation("REMARK_ABOUT_NOTHING", "1.1", event.seat, params),)
        text = self.given_texts.get(index)
        if text is not None:
            expected = event.text if isinstance(event, Remarked) else ""
            if text_hash(*text).hex() != expected:
                return (Violation("TEXT_HASH_WRONG", "1.1", getattr(event, "seat", None)),)
        found = self.game.judge(self.state, event)
        return tuple(f for f in found if isinstance(f, Violation) and f.code == "NO_SUCH_SEAT")

    def _is_earlier(self, version: int | None) -> bool:
        """Tell whether a remark can be about a version: one that is there, retracted or not."""
        return version is None or version <= self.version + len(self.added)

    def _bad_retraction(self, event: Retracted) -> tuple[Violation, ...]:
        here = self.version + len(self.added)
        in_force = event.back_to < here and self._way_back().is_in_force(event.back_to)
        if self.refereed or not in_force:
            params: dict[str, str | int] = {"expected": "an earlier version in force"}
            return (
                Violation("NOTHING_TO_RETRACT", "1.1", None, params | {"actual": event.back_to}),
            )
        return ()

    def _way_back(self) -> Course[Any, Any]:
        """Return the game's course, walked once when the first retraction asks for it."""
        if self.course is None:
            opening, *later = (*self.events, *self.added)
            self.course = Course(self.game, opening)
            for event in later:
                self.course.take(event)
        return self.course


def what_is_due(game: Game[Any, Any], state: Any, shuffle: Shuffle) -> tuple[Any, ...]:
    """Return all that dealer and scorer do from here until it is for the players to act."""
    done: list[Any] = []
    while due := game.due(state):
        event = game.shuffle(state, due[0], shuffle)
        done.append(event)
        state = game.evolve(state, event)
    return tuple(done)
