"""Conservation of cards at a table of 500 Rummy (invariant 14.1): stock, pile, hands and table hold the pack, once each.

Pure. Cards that a set-up position does not name are out of play; `??` counts as one card that may be any.
"""

from collections import Counter
from typing import Final

from events.cards import UNKNOWN, Card, physical, whole_pack
from events.common import Event, Shuffled
from events.rummy500.events import PositionSet, StockRenewed
from events.rummy500.state import State
from events.rummy500.whereabouts import copies_in_pack

# With these a deal begins, and with these the record says anew what lies where.
BEGINS_DEAL: Final = frozenset[type[Event]]({Shuffled, PositionSet})
REPLACES_CARDS: Final = BEGINS_DEAL | {StockRenewed}


def excess(state: State) -> int:
    """Return how many more cards lie at the table than the deal began with, negative if some are lost."""
    count = len(state.stock) + len(state.pile) - state.in_play
    for hand in state.hands:
        count += len(hand)
    for meld in state.table:
        count += len(meld.cards) + len(meld.beside)
    return count


def in_play(state: State) -> int:
    """Return with how many cards the deal began."""
    return state.in_play


def stray(state: State) -> Card | None:
    """Return the last card that the record showed although nobody could have it, None if there is none."""
    return state.surplus[-1] if state.surplus else None


def hides_cards(state: State) -> bool:
    """Tell whether the record does not know some card that counts: one more may be where it lies unseen."""
    return _everywhere_unknown(state) > state.surplus.count(UNKNOWN)


def _everywhere_unknown(state: State) -> int:
    return sum(place.count(UNKNOWN) for place in (state.stock, state.pile, *state.hands))


def duplicates(state: State) -> dict[Card, tuple[int, int]]:
    """Return each card lying in more places than it has copies, with the copies there are and those seen.

    At two packs a card without prime means either copy, so faces are counted; a primed card is one copy.
    Stray cards have been told by `excess` already and are left out.
    """
    if _is_each_once(state):
        return {}
    found = {}
    for card, seen in _counted(state).items():
        copies = 1 if len(card) == 3 and state.packs == 2 else copies_in_pack(state, card)
        if seen > copies:
            found[card] = copies, seen
    return found


def _is_each_once(state: State) -> bool:
    """Tell whether all cards are written differently and are of the pack, so that nothing need be counted."""
    cards = _everywhere(state)
    unknown, shown = cards.count(UNKNOWN), set(cards)
    shown.discard(UNKNOWN)
    pack = whole_pack(state.packs, state.ruleset.jokers_per_pack)
    return len(shown) + unknown == len(cards) and pack >= shown


def _counted(state: State) -> Counter[Card]:
    counts = Counter(_everywhere(state))
    counts.subtract(state.surplus)
    del counts[UNKNOWN]
    if state.packs == 2:
        for card in [card for card, seen in counts.items() if len(card) == 3 and seen == 1]:
            counts[card[:2]] += 1
            del counts[card]
    return counts


def _everywhere(state: State) -> list[Card]:
    cards = [*state.stock, *state.pile]
    for hand in state.hands:
        cards += hand
    for meld in state.table:
        cards += [physical(laid.card) for laid in meld.cards + meld.beside]
    return cards
