"""What outlives a deal, so that a replay need not go through the deals before the last one.

A deal that is shuffled, dealt and turned up in one go says anew where every card lies and whose turn it is,
as a set-up position does. Of all before it only who deals, the totals and the game's end are left.
"""

from collections.abc import Sequence
from typing import Final

from events.common import DealerDrawn, DealScored, Dealt, GameEnded, Remarked, Shuffled
from events.rummy500.events import FirstCardTurned, PositionSet, RummyEvent, UpcardTurned
from events.rummy500.evolve import evolve
from events.rummy500.state import State
from events.rummy500.turns import is_off_the_table

_OUTLIVE: Final = frozenset({DealScored, DealerDrawn, GameEnded, PositionSet})
_BETWEEN: Final = frozenset({Dealt, FirstCardTurned, Remarked})


def skip(state: State, events: Sequence[RummyEvent]) -> tuple[State, int]:
    """Return a state and a number: going on from there after so many events ends as going through all does.

    *state* is the one after `game_opened`. The state returned is none that the table ever had.
    """
    start = _last_beginning(state, events)
    for event in events[:start]:
        if type(event) in _OUTLIVE:
            state = evolve(state, event)
    return state, start


def _last_beginning(state: State, events: Sequence[RummyEvent]) -> int:
    """Return the index of the last event with which everything begins anew, 0 if there is none."""
    turned_up = False
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        kind = type(event)
        begins = kind is PositionSet or (kind is Shuffled and turned_up)
        if begins and not is_off_the_table(state, event):
            return index
        if kind not in _BETWEEN:
            turned_up = kind is UpcardTurned
    return 0
