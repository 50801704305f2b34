"""What a player of 500 Rummy knows by sitting there: what he may write down, and which cards came to his hand.

Pure. What is asked here depends on nothing that the seat may not see (docs/decisions/, on seats at recorded tables).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, physical
from events.common import Dealt
from events.game import Violation
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    RummyCalled,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.moves import same_cards
from events.rummy500.referee import judge
from events.rummy500.state import State
from events.rummy500.whereabouts import held_as, means, place_in


def keeps_secret(state: State, event: RummyEvent) -> bool:  # noqa: ARG001 - the same for every game
    """Tell whether an act names no card that only its player can know of afterwards: what he drew is `??`."""
    return not isinstance(event, StockDrawn) or event.card == UNKNOWN


def shows_what_lies_there(state: State, event: RummyEvent) -> bool:
    """Tell whether every card of an act lies where it is taken from, so that no other place can give it.

    What brings a card that nobody has seen yet has to be allowed, or a player would look through the stock.
    """
    match event:
        case StockDrawn():
            return not any(isinstance(one, Violation) for one in judge(state, event))
        case Discarded():
            return _holds(state, event.seat, (event.card,))
        case MeldLaid():
            return _holds(state, event.seat, tuple(map(physical, event.cards)))
        case LaidOff():
            return _holds(state, event.seat, [physical(one.card) for one in event.cards])
        case JokerSwapped():
            meld = state.meld(event.meld)
            lies = meld is not None and place_in(meld.cards, event.joker) is not None
            return lies and _holds(state, event.seat, (event.card,))
        case PileTaken():
            return _lie_in_pile(state, event.cards)
        case RummyCalled():
            laid = () if event.lay is None else (physical(event.lay.card),)
            return _lie_in_pile(state, laid or event.cards or (event.card,))
        case DiscardChallenged():
            return _lie_in_pile(state, (event.card,))
    return True


def brings_unknown(event: RummyEvent) -> bool:
    """Tell whether an act brings its player cards that it does not name."""
    match event:
        case StockDrawn():
            return event.card == UNKNOWN
        case Dealt():
            return UNKNOWN in event.cards
    return False


def with_cards_got(
    event: RummyEvent, before: tuple[Card, ...], after: tuple[Card, ...]
) -> RummyEvent:
    """Return such an act with the cards that it brought to its player's hand, told from the hand before and after it."""
    got = after[len(before) :]
    match event:
        case StockDrawn() if len(got) == 1:
            return replace(event, card=got[0])
        case Dealt() if len(got) == len(event.cards):
            return replace(event, cards=got)
    return event


def _holds(state: State, seat: int, cards: Sequence[Card]) -> bool:
    """Tell whether a hand holds these cards as the record knows them.

    Where it holds unknown cards, another copy could be one of these, so each must stand there as it is written.
    """
    hand = list(state.hands[seat]) if seat < state.seats else []
    packs = 1 if UNKNOWN in hand else state.packs
    for card in cards:
        held = held_as(hand, card, packs)
        if held is None:
            return False
        hand.remove(held)
    return True


def _lie_in_pile(state: State, cards: tuple[Card, ...]) -> bool:
    if same_cards(cards, state.pile[len(state.pile) - len(cards) :], state.packs):
        return True
    pile = list(state.pile)
    for card in cards:
        lying = (
            card if card in pile else next((p for p in pile if means(card, p, state.packs)), None)
        )
        if lying is None:
            return False
        pile.remove(lying)
    return True
