"""What a player of Lanterloo knows by sitting there: what he may write down, and which cards came to his hand.

Pure. What is asked here depends on nothing that the seat may not see (docs/decisions/, on seats at recorded tables).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.cards import UNKNOWN, Card
from events.common import Dealt
from events.game import Violation
from events.lanterloo.events import Bid, CardPlayed, Exchanged, FlushClaimed, LooEvent
from events.lanterloo.referee import judge
from events.lanterloo.state import State


def keeps_secret(state: State, event: LooEvent) -> bool:
    """Tell whether an act names no card that only its player can know of afterwards, unless it is on record.

    What he drew and the cards of the miss are `??`, and so is what he put out of a hand that is not on record.
    """
    match event:
        case Exchanged():
            return set(event.drawn) <= {UNKNOWN} and _holds(state, event.seat, event.put_out)
        case Bid():
            return set(event.cards) <= {UNKNOWN}
    return True


def shows_what_lies_there(state: State, event: LooEvent) -> bool:
    """Tell whether every card of an act lies where it is taken from, so that no other place can give it.

    What brings a card that nobody has seen yet has to be allowed, or a player would look through the stock.
    """
    match event:
        case Exchanged() | Bid(choice="miss" | "defend"):
            return not any(isinstance(one, Violation) for one in judge(state, event))
        case CardPlayed():
            return _holds(state, event.seat, (event.card,))
        case FlushClaimed():
            return _holds(state, event.seat, event.cards)
    return True


def brings_unknown(event: LooEvent) -> bool:
    """Tell whether an act brings its player cards that it does not name."""
    match event:
        case Dealt():
            return UNKNOWN in event.cards
        case Exchanged():
            return UNKNOWN in event.drawn
        case Bid(choice="miss" | "defend"):
            return not event.cards or UNKNOWN in event.cards
    return False


def with_cards_got(event: LooEvent, before: tuple[Card, ...], after: tuple[Card, ...]) -> LooEvent:
    """Return such an act with the cards that it brought to its player's hand, told from the hand before and after it."""
    match event:
        case Dealt() if len(after) == len(before) + len(event.cards):
            return replace(event, cards=after[len(before) :])
        case Exchanged() if len(after) >= len(event.drawn):
            return replace(event, drawn=after[len(after) - len(event.drawn) :])
        case Bid() if after != before and len(event.cards) in (0, len(after)):
            return replace(event, cards=after)
    return event


def _holds(state: State, seat: int, cards: Sequence[Card]) -> bool:
    hand = list(state.hands[seat]) if seat < state.seats else []
    for card in cards:
        if card not in hand:
            return False
        hand.remove(card)
    return True
