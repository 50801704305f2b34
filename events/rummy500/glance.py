"""What can be told of a pile's cards at a glance, before the exact search: which of them plainly cannot go down.

Looks at nothing but faces, and errs on one side only: a card that could be called is never ruled out.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from events.cards import JOKERS_ONLY, RANK, UNKNOWN, Card, face_of
from events.rummy500.lying import group_rank
from events.rummy500.melds import GROUP_CEILING, rank_at, suit_of
from events.rummy500.state import Meld

_STEPS: Final = (-2, -1, 1, 2)
# The faces of a suit that stand near one in a sequence, an ace next to the king as well.
_NEAR: Final = {
    card: tuple(face_of(rank_at(rank + step), card[1]) for step in _STEPS)
    for card, rank in RANK.items()
}


def promising(
    pile: tuple[Card, ...], table: Sequence[Meld], wilds: str = JOKERS_ONLY
) -> Iterator[int]:
    """Yield the places of a pile, top first, whose card may go on the table with what lies above it."""
    invited, suits = _invited(table)
    above = set[str]()
    anything = None in invited
    for index in range(len(pile) - 1, -1, -1):
        card = pile[index]
        if card == UNKNOWN:
            continue
        anything = anything or card[0] in wilds
        if (
            anything
            or card[0] in invited
            or card[:2] in invited
            or _has_company(card, above, suits)
        ):
            yield index
        above.add(card[:2])


def _invited(table: Sequence[Meld]) -> tuple[set[str | None], set[str | None]]:
    """Return the ranks and faces that melds wait for, None for any card, and the suits of the sequences."""
    invited, suits = set[str | None](), set[str | None]()
    for meld in table:
        if meld.kind == "group":
            if len(meld.cards) < GROUP_CEILING:
                invited.add(group_rank(meld))
            continue
        suit = suit_of(meld)
        if suit is not None:
            suits.add(suit)
            invited |= {face_of(rank_at(place), suit) for place in (meld.low - 1, meld.high + 1)}
    return invited, suits


def _has_company(card: Card, above: set[str], suits: set[str | None]) -> bool:
    """Tell whether cards above make a meld with this one, or bridge its way to a sequence."""
    below_2, below, over, over_2 = (face in above for face in _NEAR[card])
    if below + over and card[1] in suits:
        return True
    if below_2 + below + over + over_2 > 1:
        return True
    return sum(face[0] == card[0] for face in above) > 1
