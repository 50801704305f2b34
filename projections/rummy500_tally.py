"""What a game of 500 Rummy has come to: totals, deals scored, and the calls of each seat.

Pure. Points are counted as `evolve` counts them, of the events that tell them alone.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from events.common import DealScored, Event, Remarked
from events.game import Game
from events.rummy500.events import Discarded, Floated, PositionSet, RummyCalled
from events.rummy500.ruleset import Ruleset
from events.rummy500.scoring import winner_of
from projections.tally import Kept, Tally, facts, written

_KINDS: Final[frozenset[type[Event]]] = frozenset({DealScored, PositionSet, RummyCalled})


def tally(game: Game[Any, Any], found: Kept) -> Tally:
    """Return the tally of a log."""
    seats = len(found.opened.seats)
    totals, made, won, scored = [0] * seats, [0] * seats, [0] * seats, 0
    for _, event in facts(game, found, _KINDS):
        match event:
            case DealScored():
                totals, scored = _added(totals, event), scored + 1
            case PositionSet():
                totals = list(event.totals)
            case RummyCalled():
                made[event.seat] += 1
                won[event.seat] += event.accepted
    for seat in _overtaken(found):
        won[seat] -= 1
    return Tally(totals=written(totals), scored=scored, made=tuple(made), won=tuple(won))


def winner(ruleset: Ruleset, totals: Sequence[int], out: int | None) -> int | None:
    """Return who has won a game that ended with these totals, *out* having gone out last; None if nobody has."""
    return winner_of(totals, ruleset, out)


def _added(totals: Sequence[int], event: DealScored) -> list[int]:
    return [
        before + (score or 0) if total is None else total
        for before, score, total in zip(totals, event.scores, event.totals, strict=True)
    ]


def _overtaken(found: Kept) -> Iterator[int]:
    """Yield the seat of each accepted call that a nearer one took over (R-8.10).

    The calls between two other acts are those of one window; only the seat first clockwise from the
    discarder has the card.
    """
    if found.opened.ruleset.rummy_priority != "turn_order":
        return
    seats = len(found.opened.seats)
    claims: list[int] = []
    begin = -1
    for event in found.events:
        kind = type(event)
        if isinstance(event, RummyCalled):
            if event.accepted and event.seat < seats:
                claims.append((event.seat - begin - 1) % seats)
        elif kind is not Remarked:
            yield from _after_the_first(claims, begin, seats)
            claims = []
            begin = _discarder(event, begin)
    yield from _after_the_first(claims, begin, seats)


def _after_the_first(claims: list[int], begin: int, seats: int) -> Iterator[int]:
    """Yield the seats of all claims but the nearest, each told by its distance from the discarder."""
    for distance in sorted(claims)[1:]:
        yield (distance + begin + 1) % seats


def _discarder(event: Event, before: int) -> int:
    match event:
        case Discarded() | Floated():
            return event.seat
        case PositionSet():
            return -1 if event.discarder is None else event.discarder
        case _:
            return before
