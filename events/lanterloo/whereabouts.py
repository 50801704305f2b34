"""Where the record last had a card, and moving it from there.

A card moves from wherever the record last had it; known nowhere, it takes the place of a `??` of the actor;
with none left it enters as surplus (L-12.3).
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from events.cards import FIRST_PACK, UNKNOWN, Card
from events.lanterloo.state import State

Cards = tuple[Card, ...]

_PACK = frozenset(FIRST_PACK)


def everywhere(state: State) -> Iterable[Cards]:
    """Yield the cards of every place at the table."""
    yield from state.hands
    yield from state.aside
    yield state.stock
    yield state.miss
    yield state.put_out
    yield tuple(one.card for one in state.trick)
    yield tuple(one.card for one in state.played)
    if state.turn_up is not None:
        yield (state.turn_up,)


def is_known(state: State, card: Card) -> bool:
    """Tell whether a card cannot be one that the record does not know: it is elsewhere, or not in the pack."""
    return card not in _PACK or any(card in place for place in everywhere(state))


def first_not_held(state: State, seat: int, cards: Iterable[Card]) -> Card | None:
    """Return the first of these cards that a seat cannot have all together, None if it can have them."""
    hand, shown = list(state.hands[seat]), set[Card]()
    for card in cards:
        if card in hand:
            hand.remove(card)
        elif UNKNOWN in hand and card not in shown and not is_known(state, card):
            hand.remove(UNKNOWN)
            shown.add(card)
        else:
            return card
    return None


T = TypeVar("T")


def without(cards: tuple[T, ...], card: T) -> tuple[T, ...]:
    """Return the cards, or other things, less one copy of *card*, which must be among them."""
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]


def with_hand(state: State, seat: int, hand: Cards) -> State:
    """Return the state with this hand for a seat."""
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def take_from_hand(state: State, seat: int, card: Card) -> State:
    """Take a card that the record says came from this hand, or from wherever it was."""
    hand = state.hands[seat]
    if card in hand:
        return with_hand(state, seat, without(hand, card))
    if UNKNOWN in hand and not is_known(state, card):
        return with_hand(state, seat, without(hand, UNKNOWN))
    return take_from_anywhere(state, card)


def take_from_stock(state: State, card: Card) -> State:
    """Take a card that the record says came from the stock, or from wherever it was."""
    if card in state.stock:
        return replace(state, stock=without(state.stock, card))
    if UNKNOWN in state.stock and not is_known(state, card):
        return replace(state, stock=without(state.stock, UNKNOWN))
    return take_from_anywhere(state, card)


def take_from_anywhere(state: State, card: Card) -> State:
    """Take a card from wherever the record last had it; nowhere at all, it is surplus."""
    if card == UNKNOWN:
        return replace(state, surplus=(*state.surplus, card))
    for name in ("stock", "miss", "put_out"):
        place: Cards = getattr(state, name)
        if card in place:
            return replace(state, **{name: without(place, card)})
    for name in ("hands", "aside"):
        for seat, held in enumerate(getattr(state, name)):
            if card in held:
                rows = list(getattr(state, name))
                rows[seat] = without(held, card)
                return replace(state, **{name: tuple(rows)})
    if card == state.turn_up:
        return replace(state, turn_up=None)
    for name in ("trick", "played"):
        row = getattr(state, name)
        index = next((i for i, one in enumerate(row) if one.card == card), None)
        if index is not None:
            return replace(state, **{name: row[:index] + row[index + 1 :]})
    return replace(state, surplus=(*state.surplus, card))


def reveal(state: State, seat: int, cards: Cards) -> State:
    """Return the state with these cards known to be in a hand; what is not in it already moves there."""
    for card in cards:
        hand = state.hands[seat]
        if card != UNKNOWN and card not in hand:
            state = take_from_hand(state, seat, card)
            state = with_hand(state, seat, (*state.hands[seat], card))
    return state


def can_be(written: Sequence[Card], lying: Sequence[Card]) -> bool:
    """Tell whether cards as written can be the ones that lie there, `??` on either side fitting all."""
    if written == lying:
        return True
    return len(written) == len(lying) and all(
        UNKNOWN in (one, there) or one == there for one, there in zip(written, lying, strict=True)
    )


def as_lying(written: Cards, lying: Cards) -> Cards:
    """Return cards as they lie there if they can be the ones that are written, else as written."""
    if written == lying or not can_be(written, lying):
        return written
    return tuple(
        one if there == UNKNOWN else there for one, there in zip(written, lying, strict=True)
    )
