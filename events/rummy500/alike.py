"""Which cards of a hand are alike, and acts written with the first of them.

Two cards are alike if they are jokers, or two copies of one face, and the turn so far makes no difference
between them: both or neither are barred, owed, the duty's card. Exchanging them in an act changes nothing
that a rule asks for, so of all such acts `legal` lists one and `normal` returns that one. Nothing here judges.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from events.cards import FACE, JOKERS, UNKNOWN, Card, Placed, is_joker, physical
from events.rummy500.ending import outlook
from events.rummy500.events import Placement
from events.rummy500.state import State

Cards: TypeAlias = tuple[Card, ...]
# The face, `X1` for every joker; then what the turn so far has made of the card.
Likeness: TypeAlias = tuple[str, bool, bool, bool, bool]


class Hand(msgspec.Struct, frozen=True):
    """The known cards of a seat, alike ones side by side and jokers last, what they are like, which are wild."""

    cards: Cards
    likeness: dict[Card, Likeness]
    wilds: str


def hand_of(state: State, seat: int, first: Card | None = None) -> Hand:
    """Return a seat's hand in order; *first* stands before the cards that it is like."""
    view = outlook(state, seat)
    only = () if view.duty is None or view.duty_from is None else view.duty_from
    likeness = {
        card: (
            JOKERS[0] if is_joker(card) else FACE[card],
            card == view.duty,
            card in view.barred,
            card in view.owed,
            card in only,
        )
        for card in view.hand
        if card != UNKNOWN
    }
    known = (card for card in view.hand if card != UNKNOWN)
    return Hand(
        tuple(sorted(known, key=lambda c: (likeness[c], c != first, c))), likeness, view.wilds
    )


def first_alike(hand: Hand, placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return what lies there after an exchange of alike cards: the first of each kind, jokers in order.

    Cards that the hand does not hold together are left as they are written, and so are all where a natural
    card is said to be another.
    """
    cards = list(map(physical, placed))
    if any("=" in one and one[0] not in hand.wilds for one in placed) or any(
        cards.count(card) > hand.cards.count(card) for card in cards
    ):
        return tuple(placed)
    kinds = [hand.likeness[card] for card in cards]
    left = list(hand.cards)
    chosen = []
    # Which joker lies where makes no difference: those that are alike go side by side.
    jokers = iter(sorted(kind for card, kind in zip(cards, kinds, strict=True) if is_joker(card)))
    for written, card, kind in zip(placed, cards, kinds, strict=True):
        wanted = next(jokers) if is_joker(card) else kind
        stand_in = next(one for one in left if hand.likeness[one] == wanted)
        left.remove(stand_in)
        chosen.append(stand_in + written[len(card) :])
    return tuple(chosen)


def first_placed(hand: Hand, placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return a lay-off after such an exchange."""
    cards = first_alike(hand, [placement.card for placement in placements])
    return tuple(replace(p, card=card) for p, card in zip(placements, cards, strict=True))
