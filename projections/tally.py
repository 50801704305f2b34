"""What a game has come to in numbers, and which of its events count: what read models are made of.

Pure, and quick: a tally looks at the few kinds of events that move points, chips or calls, and rebuilds no
table. Each game brings its own (`rummy500_tally.py`, `lanterloo_tally.py`); `views.py` knows which.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from events.common import AMOUNT_LIMIT, Event, GameEnded, GameOpened, Remarked, Retracted
from events.errors import NotALogError
from events.game import Game, effective

Status = Literal["open", "ended", "abandoned"]
Amounts = tuple[int | None, ...]

_NO_FACTS: Final[tuple[type[Event], ...]] = (Remarked, Retracted)


class Kept(msgspec.Struct, frozen=True):
    """The events in force at the end of a log, and beside each its version in the log."""

    opened: GameOpened[Any]
    versions: Sequence[int]
    events: Sequence[Event]


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What a game has come to; all rows are by seat.

    `totals` are points, or chips won and lost, as the state at the end has them; null where a record's own
    amounts have run out of what an amount can be. `scored` counts the deals with a score. Of the calls of
    "Rummy!" `won` were accepted, and not overtaken by a nearer one where the nearest of several stands
    (R-8.10); the rest of those `made` were lost.
    """

    totals: Amounts
    scored: int
    made: tuple[int, ...] = ()
    won: tuple[int, ...] = ()
    loos: tuple[int, ...] = ()


class End(msgspec.Struct, frozen=True):
    """Whether a game is over, and which seat won it if one did."""

    status: Status
    winner: int | None


def kept(_game: Game[Any, Any], log: Sequence[Event]) -> Kept:
    """Return the events of a log that count; raise NotALogError for one that does not begin as one does."""
    opened = log[0] if log else None
    if not isinstance(opened, GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    if Retracted not in map(type, log):
        return Kept(opened, range(1, len(log) + 1), log)
    pairs = effective(log)
    return Kept(opened, [version for version, _ in pairs], [event for _, event in pairs])


def facts(
    game: Game[Any, Any], found: Kept, kinds: frozenset[type[Event]]
) -> Iterator[tuple[int, Any]]:
    """Yield (place, event) of the kinds that are asked for, without what speaks of seats that are not there."""
    table = game.initial(found.opened)
    for place, event in enumerate(found.events):
        if type(event) in kinds and not game.is_off_the_table(table, event):
            yield place, event


def end_of(game: Game[Any, Any], found: Kept) -> End:
    """Return how a game stands: over if its last fact is `game_ended`, remarks do not open it again."""
    table = game.initial(found.opened)
    for event in reversed(found.events):
        if type(event) in _NO_FACTS or game.is_off_the_table(table, event):
            continue
        if isinstance(event, GameEnded):
            return End("abandoned" if event.abandoned else "ended", event.winner)
        break
    return End("open", None)


def written(amounts: Sequence[int]) -> Amounts:
    """Return amounts with null for those beyond every reader of JSON."""
    return tuple(amount if abs(amount) <= AMOUNT_LIMIT else None for amount in amounts)
