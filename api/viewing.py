"""Whose view an answer has: decided by the events and by who asks, never widened by what is asked for.

Where a log is open (the deal has ended) a reader sees everything, or as little as he asks for. Where it is
not, he sees at most what he may as who he is (docs/decisions/0008-tokens.md): the public, a seat, or whatever
view he asks for. Nothing here reads the database.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from api.wire import Viewer
from events.common import Event, GameOpened
from events.game import Game, Judgement, fold
from events.games import game_named
from projections.seen import SeenLog, seen_log
from projections.views import open_upto, view_event


class Eyes(msgspec.Struct, frozen=True):
    """Who looks at one log: what was asked for, up to where it is open, and who sees what is not."""

    game: Game[Any, Any]
    asked: Viewer | None
    upto: int
    closed: Viewer
    writes_as_seat: bool = False
    """Whether he is a player who writes down his own acts: what is said of them is told from what he sees alone."""

    @classmethod
    def of(
        cls, game: str, events: Sequence[Event], asked: Viewer | None, most: Viewer = "public"
    ) -> "Eyes":
        """Return the eyes for a whole log, of somebody who may see as much as *most* of what is not open."""
        opened = events[0] if events else None
        is_recorded = isinstance(opened, GameOpened) and opened.mode == "recorded"
        writes = is_recorded and isinstance(most, int)
        upto = open_upto(game, events)
        return cls(game_named(game), asked, upto, narrowed(asked, most), writes)

    def at(self, version: int) -> Viewer:
        """Return the viewer that a version is shown to."""
        if version > self.upto:
            return self.closed
        return "all" if self.asked is None else self.asked

    def event(self, version: int, event: Event) -> Event:
        """Return the event as it may be seen; the very same object if nothing had to be hidden."""
        return view_event(self.game.name, event, self.at(version))

    def events(self, events: Iterable[Event], first: int = 1) -> list[Event]:
        """Return consecutive events, the first of version *first*, as they may be seen."""
        return [self.event(version, event) for version, event in enumerate(events, first)]

    def sees_all(self, versions: int) -> bool:
        """Tell whether nothing is hidden in a log of so many versions."""
        return self.asked in (None, "all") and (self.closed == "all" or self.upto >= versions)

    def log(self, events: Sequence[Event]) -> SeenLog:
        """Return the whole log as it is seen, with the tables that this makes."""
        if self.sees_all(len(events)):
            return SeenLog(self.game, self.at, events, events)
        return seen_log(self.game, events, self.at)

    def warnings(
        self,
        seen: Callable[[], SeenLog],
        events: Sequence[Event],
        first: int,
        found: Mapping[int, Sequence[Judgement]],
    ) -> Iterator[tuple[int, Judgement]]:
        """Yield what was *found*, by version, of acts that were taken all the same, as `judgements` does.

        The acts are *events*, from version *first* on; *seen* gives the log with them, and is asked only if it tells.
        To a player at a recorded table it is what the rules find in what he sees: which codes
        there are, and whether there are any, would tell him of cards that he may not see.
        """
        told = range(first, first + len(events))
        asked = {v for v in told if self.writes_as_seat or (found.get(v) and self.at(v) != "all")}
        judged = dict(seen().judged(min(asked), told[-1])) if asked else {}
        for version, event in zip(told, events, strict=True):
            if self.writes_as_seat:
                shown: Sequence[Judgement] = judged[version]
            elif version in asked:
                shown = _shown(found[version], judged[version], event)
            else:
                shown = found.get(version, ())
            yield from ((version, one) for one in shown)

    def judgements(
        self, before: Sequence[Event], event: Event, found: Sequence[Judgement]
    ) -> list[Judgement]:
        """Return judgements of the event after *before* without what they tell of hidden cards.

        A violation says what was expected, which may be somebody's whole hand. So it is shown whole only if
        the rules find the very same in what the reader sees; of others, what he wrote himself is left.
        """
        version = len(before) + 1
        if self.at(version) == "all":
            return list(found)
        state = fold(self.game, self.events(before))
        return _shown(found, self.game.judge(state, self.event(version, event)), event)


def narrowed(asked: Viewer | None, most: Viewer) -> Viewer:
    """Return whose view of what is not open somebody gets: what he asks for, but no more than *most*.

    Who may see everything has to ask for it. A seat sees its own cards unless it asks to see less; what
    another seat and it may both see is what the public may.
    """
    match most:
        case "public":
            return "public"
        case "all":
            return "public" if asked is None else asked
        case seat:
            return seat if asked in (None, "all", seat) else "public"


def _shown(found: Sequence[Judgement], known: Sequence[Judgement], event: Event) -> list[Judgement]:
    """Return what was found, whole as far as it is *known* to the reader."""
    return [one if one in known else _as_written(one, event) for one in found]


def _as_written(found: Judgement, event: Event) -> Judgement:
    """Return the judgement with no parameter but the fault itself, if the event names it."""
    own = _texts_in(msgspec.to_builtins(event))
    fault = str(found.params.get("actual", ""))
    params = {"actual": fault} if set(fault.split()) <= own else {}
    return replace(found, params=params)


def _texts_in(value: Any) -> set[str]:
    match value:
        case str():
            return {value}
        case dict():
            return set().union(*map(_texts_in, value.values()))
        case list() | tuple():
            return set().union(*map(_texts_in, value))
    return set()
