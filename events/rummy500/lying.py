"""Cards as they lie on the table: as themselves, or as what they stand for (R-4.1, R-4.2, V-9b).

*wilds* are the first letters of the cards that can stand for others (`State.wilds`); a wild card that lies bare
is itself. What makes a meld and what fits on one is told in `melds.py`.
"""

from collections.abc import Sequence

from events.cards import (
    BARE,
    JOKERS_ONLY,
    SUITS,
    Card,
    Placed,
    is_joker,
    lies_as,
    physical,
    stands_for,
)
from events.rummy500.events import Kind
from events.rummy500.state import Meld


def face_placed(placed: Placed) -> Card | None:
    """Return the face that a card as it lies counts as; None for a joker with nothing declared."""
    if len(placed) > BARE:
        return placed[-2:]
    return None if placed[0] == "X" else placed[:2]


def is_natural(placed: Placed) -> bool:
    """Tell whether a card as it lies is there as itself: no joker, no wild card that stands for another."""
    return len(placed) <= BARE and placed[0] != "X"


def in_place(card: Card, face: Card) -> Placed:
    """Return a card of a hand as it lies in a sequence at the place of this face."""
    return card if card[:2] == face else f"{card}={face}"


def group_rank(meld: Meld) -> str | None:
    """Return the letter of a group's rank, None while only jokers lie there."""
    for laid in meld.cards:
        face = face_placed(laid.card)
        if face is not None:
            return face[0]
    return None


def lie_together(kind: Kind, cards: Sequence[Placed], wilds: str) -> tuple[Placed, ...]:
    """Return the cards of a new meld as they lie: each as itself or, if it can, as what it stands for."""
    if wilds == JOKERS_ONLY:
        return tuple([c if len(c) <= BARE else lies_as(physical(c), c) for c in cards])
    rank = _rank_among(cards, wilds) if kind == "group" else None
    return tuple(_lying(placed, kind, rank, wilds) for placed in cards)


def lies_on(meld: Meld, placed: Placed, wilds: str) -> Placed:
    """Return a card as it lies on this meld."""
    if len(placed) <= BARE and placed[0] not in wilds:
        return placed
    rank = group_rank(meld) if meld.kind == "group" else None
    return _lying(placed, meld.kind, rank, wilds)


def _lying(placed: Placed, kind: Kind, rank: str | None, wilds: str) -> Placed:
    card, face = physical(placed), stands_for(placed)
    if is_joker(card) or card[0] not in wilds:
        return lies_as(card, placed)
    if kind == "sequence":
        return card if face is None else in_place(card, face)
    if face is not None:
        # In a group of the wild rank every card is itself.
        return card if face[0] == card[0] else placed
    return card if rank in (None, card[0]) else f"{card}={rank}{SUITS[0]}"


def _rank_among(cards: Sequence[Placed], wilds: str) -> str | None:
    """Return the rank that a group's cards fix: its natural cards, else what is declared, else their own."""
    for placed in cards:
        if placed[0] not in wilds:
            return placed[0]
    faces = [face[0] for face in map(stands_for, cards) if face is not None]
    own = [placed[0] for placed in cards if not is_joker(placed)]
    return next(iter((*faces, *own)), None)
