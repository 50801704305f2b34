"""Where the record last had a card, and moving it from there.

A card moves from wherever the record last had it; known nowhere, it takes the place of a `??` of the actor;
with none left it enters as surplus (12.13). At a table with two packs a copy written without its prime
means either, so an exact match is looked for first.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.cards import BARE, JOKERS, UNKNOWN, Card, is_joker, physical, twin_of
from events.rummy500.state import Laid, Meld, State

Cards = tuple[Card, ...]


def first_not_held(state: State, seat: int, cards: Sequence[Card]) -> Card | None:
    """Return the first of these cards that a seat cannot have all together, None if it can have them."""
    held = state.hands[seat]
    if len(set(cards)) == len(cards) and not [card for card in cards if card not in held]:
        return None
    hand, shown = list(held), list[Card]()
    for card in cards:
        if card in hand:
            hand.remove(card)
            continue
        found = _held_in(state, hand, card, shown)
        if found is None:
            return card
        if found == UNKNOWN:
            shown.append(card)
        hand.remove(found)
    return None


def as_held(state: State, seat: int, card: Card) -> Card:
    """Return the card of a hand that is meant, by the text under which the record knows it."""
    held = _held_in(state, state.hands[seat], card)
    return card if held in (None, UNKNOWN) else held


def _held_in(
    state: State, hand: Sequence[Card], card: Card, shown: Sequence[Card] = ()
) -> Card | None:
    """Return what leaves a hand as this card: itself, an unknown one that can be it, its twin; else None.

    The twin comes last: where a card of the hand is unknown, the other copy need not be the one that is known.
    *shown* are cards that have just turned out to be unknown ones of this hand.
    """
    if card in hand:
        return card
    if UNKNOWN in hand and not all_copies_known(state, card, shown):
        return UNKNOWN
    if state.mode == "refereed" and len(card) == 3:
        return None  # the service knows every copy: a prime says which one
    return held_as(hand, card, state.packs)


def without(cards: Cards, card: Card) -> Cards:
    """Return the cards less one copy of *card*, which must be among them."""
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]


def held_as(hand: Sequence[Card], card: Card, packs: int) -> Card | None:
    """Return the text under which this hand holds the card: itself, or at two packs its twin."""
    if card in hand:
        return card
    if packs == 2:
        twin = twin_of(card)
        if twin is not None and twin in hand:
            return twin
    return None


def means(written: Card, actual: Card, packs: int) -> bool:
    """Tell whether the card as written can be this one: without a prime it means either copy."""
    return written == actual or (packs == 2 and len(written) == 2 and actual[:2] == written)


def copies_in_pack(state: State, card: Card) -> int:
    """Return how many physical cards can be written so: two faces at two packs, none of a strange card."""
    if is_joker(card):
        pack = JOKERS.index(card) // 2
        return int(pack < state.packs and JOKERS.index(card) % 2 < state.ruleset.jokers_per_pack)
    return 0 if len(card) > 2 and state.packs == 1 else state.packs


def all_copies_known(state: State, card: Card, shown: Sequence[Card] = ()) -> bool:
    """Tell whether the record has every copy of this card in a known place, *shown* being known besides.

    A copy written with its prime is that very one.
    """
    is_only_one = state.packs == 1 and len(card) == 2 and not is_joker(card)
    if is_only_one or len(card) == 3:
        seen = card in shown or _lies_anywhere(state, card)
        if seen or is_only_one:
            return seen
    lately = sum(one[:2] == card[:2] for one in shown)
    return copies_known(state, card) + lately >= copies_in_pack(state, card)


def _lies_anywhere(state: State, card: Card) -> bool:
    if card in state.pile or card in state.stock:
        return True
    for hand in state.hands:
        if card in hand:
            return True
    for meld in state.table:
        for laid in meld.cards + meld.beside:
            if laid.card == card or (len(laid.card) > BARE and physical(laid.card) == card):
                return True
    return False


def copies_known(state: State, card: Card) -> int:
    """Return how many copies of this card the record has in known places."""
    places = (*state.hands, state.pile, state.stock)
    if state.packs == 1 or is_joker(card):
        return sum(place.count(card) for place in places) + _on_table(state, card, card)
    face, twin = card[:2], card[:2] + "'"
    lying = sum(place.count(face) + place.count(twin) for place in places)
    return lying + _on_table(state, face, twin)


def _on_table(state: State, card: Card, twin: Card) -> int:
    lying = [physical(laid.card) for meld in state.table for laid in meld.cards + meld.beside]
    return lying.count(card) + (lying.count(twin) if twin != card else 0)


def take_from_hand(state: State, seat: int, card: Card) -> tuple[State, Card]:
    """Take a card that the record says came from this hand; return it as the record knew it."""
    hand = state.hands[seat]
    held = _held_in(state, hand, card)
    if held is None:
        return take_from_anywhere(state, card, seat), card
    return with_hand(state, seat, without(hand, held)), card if held == UNKNOWN else held


def take_from_anywhere(state: State, card: Card, seat: int | None = None) -> State:
    """Take a card from wherever the record last had it.

    Known nowhere, it takes the place of a `??` of the seat that shows it (12.13); without one it is surplus.
    """
    for holder, hand in enumerate(state.hands):
        if card in hand:
            return with_hand(state, holder, without(hand, card))
    if card in state.pile:
        return replace(state, pile=without(state.pile, card))
    if card in state.stock:
        return replace(state, stock=without(state.stock, card))
    for meld in state.table:
        if any(physical(laid.card) == card for laid in (*meld.cards, *meld.beside)):
            return with_meld(state, _less(meld, card))
    if seat is not None and UNKNOWN in state.hands[seat] and card != UNKNOWN:
        return with_hand(state, seat, without(state.hands[seat], UNKNOWN))
    return replace(state, surplus=(*state.surplus, card))


def with_hand(state: State, seat: int, hand: Cards) -> State:
    """Return the state with this hand for a seat."""
    hands = list(state.hands)
    hands[seat] = hand
    return replace(state, hands=tuple(hands))


def with_meld(state: State, changed: Meld) -> State:
    """Return the state with a meld in place of the one with its id; an empty meld is cleared away."""
    if changed.cards or changed.beside:
        table = [changed if meld.meld == changed.meld else meld for meld in state.table]
    else:
        table = [meld for meld in state.table if meld.meld != changed.meld]
    return replace(state, table=tuple(table))


def _less(meld: Meld, card: Card) -> Meld:
    """Return the meld less one copy of a card that lies on it or beside it."""
    for row, name in ((meld.cards, "cards"), (meld.beside, "beside")):
        index = place_in(row, card)
        if index is not None:
            low = meld.low + 1 if name == "cards" and index == 0 else meld.low
            return replace(meld, **{name: row[:index] + row[index + 1 :], "low": low})
    return meld


def place_in(row: tuple[Laid, ...], card: Card) -> int | None:
    """Return where in a row of the table a card first lies, None if it does not."""
    cards = [physical(laid.card) for laid in row]
    return cards.index(card) if card in cards else None
