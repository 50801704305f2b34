"""Conservation of cards at a table of Lanterloo (invariant 15.1): wherever they lie, they are the pack, once each.

Pure. Cards that a set-up position does not name are out of play; `??` counts as one card that may be any.
"""

from collections import Counter
from typing import Final

from events.cards import FIRST_PACK, UNKNOWN, Card
from events.common import Event, Shuffled
from events.lanterloo.events import PositionSet
from events.lanterloo.state import State
from events.lanterloo.whereabouts import everywhere

# The events with which a deal begins, and those that say anew where every card lies.
BEGINS_DEAL: Final[frozenset[type[Event]]] = frozenset({Shuffled, PositionSet})
REPLACES_CARDS: Final[frozenset[type[Event]]] = frozenset({Shuffled, PositionSet})

_PACK: Final = frozenset(FIRST_PACK)


def excess(state: State) -> int:
    """Return how many more cards lie at the table than the deal began with, negative if some are lost."""
    return sum(map(len, everywhere(state))) - state.in_play


def stray(state: State) -> Card | None:
    """Return the last card that the record showed although nobody could have it, None if there is none."""
    return state.surplus[-1] if state.surplus else None


def duplicates(state: State) -> dict[Card, tuple[int, int]]:
    """Return each card lying in more places than it has copies, with the copies there are and those seen.

    Stray cards have been told by `excess` already and are left out.
    """
    cards = [card for place in everywhere(state) for card in place]
    if _PACK.issuperset(cards) and len(set(cards)) == len(cards):
        return {}
    counts = Counter(cards)
    counts.subtract(state.surplus)
    del counts[UNKNOWN]
    copies = {card: int(card in _PACK) for card in counts}
    return {card: (copies[card], seen) for card, seen in counts.items() if seen > copies[card]}


def hides_cards(state: State) -> bool:
    """Tell whether the record does not know some card that counts: one more may be where it lies unseen."""
    unknown = sum(place.count(UNKNOWN) for place in everywhere(state))
    return unknown > state.surplus.count(UNKNOWN)
