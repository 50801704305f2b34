"""Which cards of a hand are alike, and acts written with the first of them.

Two cards are alike if they are jokers, or two copies of one face, and the turn so far makes no difference
between them: both or neither are barred, owed, the duty's card. Exchanging them in an act changes nothing
that a rule asks for, so of all such acts `legal` lists one and `normal` returns that one. Of cards that stand for
others in one act, wild cards too, it makes no difference which lies where: their first arrangement is taken, in
the hand's order, none on its own face, where it would be itself. Nothing here judges.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from events.cards import (
    FACE,
    JOKERS,
    UNKNOWN,
    Card,
    Face,
    Placed,
    is_joker,
    physical,
    stands_for,
)
from events.rummy500.ending import outlook
from events.rummy500.events import Placement
from events.rummy500.state import State

Cards: TypeAlias = tuple[Card, ...]
# The face, `X1` for every joker; then what the turn so far has made of the card.
Likeness: TypeAlias = tuple[str, bool, bool, bool, bool]


class Hand(msgspec.Struct, frozen=True):
    """The known cards of a seat, alike ones side by side and jokers last, what they are like, which are wild.

    `told_apart`: it tells which of several wild cards lies where, because they can be swapped out again.
    """

    cards: Cards
    likeness: dict[Card, Likeness]
    wilds: str
    told_apart: bool = False


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
        tuple(sorted(known, key=lambda c: (likeness[c], c != first, c))),
        likeness,
        view.wilds,
        view.ruleset.wild_swap,
    )


def first_alike(hand: Hand, placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return what lies there after an exchange of alike cards: the first of each kind, stand-ins in one order.

    Cards that the hand does not hold together are left as they are written, and so are all where a natural
    card is said to be another.
    """
    cards = list(map(physical, placed))
    if any("=" in one and one[0] not in hand.wilds for one in placed) or any(
        cards.count(card) > hand.cards.count(card) for card in cards
    ):
        return tuple(placed)
    stand_ins = [at for at, written in enumerate(placed) if _stands_in(written)]
    chosen, left = dict[int, Card](), list(hand.cards)
    for at in (*(at for at in range(len(cards)) if at not in stand_ins), *stand_ins):
        kind = hand.likeness[cards[at]]
        chosen[at] = next(one for one in left if hand.likeness[one] == kind)
        left.remove(chosen[at])
    if not hand.told_apart:
        faces = [stands_for(placed[at]) for at in stand_ins]
        in_order = sorted((chosen[at] for at in stand_ins), key=hand.cards.index)
        chosen |= dict(zip(stand_ins, arranged(faces, in_order), strict=True))
    return tuple(chosen[at] + written[len(cards[at]) :] for at, written in enumerate(placed))


def _stands_in(written: Placed) -> bool:
    """Tell whether a card lies there for another: a joker always, a wild card if it is not on its own face."""
    return is_joker(written) or stands_for(written) not in (None, written[:2])


def first_placed(hand: Hand, placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return a lay-off after such an exchange."""
    cards = first_alike(hand, [placement.card for placement in placements])
    return tuple(replace(p, card=card) for p, card in zip(placements, cards, strict=True))


def can_lie(faces: Sequence[Face | None], cards: Sequence[Card]) -> bool:
    """Tell whether these cards can take as many faces with none on its own."""
    own = {card[:2] for card in cards}.intersection(faces)
    return all(
        sum(card[:2] == face for card in cards) + faces.count(face) <= len(cards) for face in own
    )


def arranged(faces: Sequence[Face | None], cards: Sequence[Card]) -> Cards:
    """Return the cards, given in the hand's order, in their first arrangement on these faces; there must be one."""
    if {card[:2] for card in cards}.isdisjoint(faces):
        return tuple(cards)
    left, lying = list(cards), list[Card]()
    for index, face in enumerate(faces, 1):
        for card in left:
            rest = list(left)
            rest.remove(card)
            if card[:2] != face and can_lie(faces[index:], rest):
                break
        left.remove(card)
        lying.append(card)
    return tuple(lying)
