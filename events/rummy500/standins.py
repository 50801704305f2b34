"""The cards of a hand that can stand for others, shared out over the places that a shape leaves open for them.

Which of them lies where makes no difference (alike.py), so each choice of cards is laid once. Only where wild cards
can be swapped out again (`wild_swap`) does it tell which lies where, and all orders are spelled out. Nothing here judges.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations

from events.cards import JOKERS_ONLY, Face, Placed, is_joker
from events.rummy500.alike import Cards, Hand, arranged, can_lie

# A place of a shape that a card takes which stands for another is written like this one, before the face.
OPEN = "="


class StandIns:
    """The cards of a hand that can stand for others, shared out over the open places of shapes."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._chosen: dict[tuple[Cards, int], tuple[Cards, ...]] = {}
        # No joker ever lies as itself: all of a hand are there for every shape, and they fit every face.
        only_jokers = hand.wilds == JOKERS_ONLY
        self._jokers = tuple(filter(is_joker, hand.cards)) if only_jokers else None

    def filled(self, shape: tuple[Placed, ...], left: Cards) -> Iterator[tuple[Placed, ...]]:
        """Yield the shape with its open places taken by cards of those left, alike ones once."""
        faces = [one[1:] for one in shape if one[0] == OPEN]
        if not faces:
            yield shape
            return
        for cards in self._ways(faces, left):
            taking = iter(cards)
            yield tuple([next(taking) + one if one[0] == OPEN else one for one in shape])

    def _ways(self, faces: list[Face], left: Cards) -> Iterable[Cards]:
        if self._jokers is not None:
            return self._choices(self._jokers, len(faces))
        return self._wild_ways(faces, left)

    def _wild_ways(self, faces: list[Face], left: Cards) -> Iterator[Cards]:
        wilds = tuple([card for card in left if card[0] in self._hand.wilds])
        for chosen in self._choices(wilds, len(faces)):
            if self._hand.told_apart:
                yield from self._orders(faces, chosen)
            elif can_lie(faces, chosen):
                yield arranged(faces, chosen)

    def _choices(self, wilds: Cards, count: int) -> tuple[Cards, ...]:
        """Return so many of these cards in every way, in the hand's order, alike ones once."""
        known = self._chosen.get((wilds, count))
        if known is None:
            likeness = self._hand.likeness
            ways: dict[tuple[object, ...], Cards] = {}
            for chosen in combinations(wilds, count):
                ways.setdefault(tuple(likeness[card] for card in chosen), chosen)
            known = self._chosen[wilds, count] = tuple(ways.values())
        return known

    def _orders(self, faces: list[Face], chosen: Cards) -> Iterator[Cards]:
        likeness = self._hand.likeness
        seen = set()
        for cards in permutations(chosen):
            kinds = tuple(likeness[card] for card in cards)
            is_new = kinds not in seen
            if is_new and all(card[:2] != face for card, face in zip(cards, faces, strict=True)):
                yield cards
            seen.add(kinds)
