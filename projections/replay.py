"""Any moment of a game again: the state after every version, retractions honoured.

Pure; knows no particular game. A version is a place in the log, from 1. A state is that of the version
itself: events that a later version retracts still count before it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from events.common import Event, GameOpened, Retracted
from events.errors import NoSuchVersion, NotALogError
from events.game import Game, fold

S = TypeVar("S")
E = TypeVar("E", bound=Event)


class Step(msgspec.Struct, Generic[S, E], frozen=True):
    """One version: its event, the state before it (None before `game_opened`) and after it.

    After a retraction the state is that of what still counts, so `before` need not lead to `after`.
    """

    version: int
    event: E
    before: S | None
    after: S


def states(
    game: Game[S, E], events: Sequence[E], upto: int | None = None, first: int = 1
) -> Iterator[Step[S, E]]:
    """Yield every version in turn, the retracted ones too, from *first* up to *upto*; raise NotALogError without a start.

    What comes before *first* is folded, not gone through, unless a retraction leads back there.
    """
    stretch = events[max(first, 1) - 1 : upto]
    if first > 1 and Retracted not in map(type, stretch):
        yield from _later(game, fold(game, events, first - 1), stretch, first)
        return
    for step in _all(game, events[:upto]):
        if step.version >= first:
            yield step


def _later(game: Game[S, E], before: S, events: Sequence[E], first: int) -> Iterator[Step[S, E]]:
    """Yield consecutive versions, none of them a retraction, from the state before them."""
    for version, event in enumerate(events, first):
        after = game.evolve(before, event)
        yield Step(version, event, before, after)
        before = after


def _all(game: Game[S, E], events: Sequence[E]) -> Iterator[Step[S, E]]:
    before: S | None = None
    kept: list[tuple[int, S]] = []
    for version, event in enumerate(events, 1):
        if before is None:
            after = game.initial(_opening(event))
        elif isinstance(event, Retracted):
            after = _rewound(kept, event.back_to)
        else:
            after = game.evolve(before, event)
        kept.append((version, after))
        yield Step(version, event, before, after)
        before = after


def _rewound(kept: list[tuple[int, S]], back_to: int) -> S:
    """Drop the states of what came after *back_to*; return the last one left (never before version 1)."""
    while kept[-1][0] > max(back_to, 1):
        kept.pop()
    return kept[-1][1]


def _opening(event: Event) -> GameOpened[Any]:
    if not isinstance(event, GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    return event


def state_at(game: Game[S, E], events: Sequence[E], version: int | None = None) -> S:
    """Return the state at one version, the last by default; several of one log are cheaper by `states`."""
    last = len(events)
    version = last if version is None else version
    if not 1 <= version <= last:
        raise NoSuchVersion(version, last)
    return fold(game, events, version)
