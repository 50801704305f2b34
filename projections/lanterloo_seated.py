"""Whether a player of Lanterloo writes down what he may know, told from the table as his seat sees it.

Pure. What is asked here depends on nothing that the seat may not see (docs/decisions/, on seats at recorded tables).
"""

from collections.abc import Sequence

from events.cards import UNKNOWN, Card
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


def _holds(state: State, seat: int, cards: Sequence[Card]) -> bool:
    hand = list(state.hands[seat]) if seat < state.seats else []
    for card in cards:
        if card not in hand:
            return False
        hand.remove(card)
    return True
