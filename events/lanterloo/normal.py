"""Acts and facts as `legal` and `due` write them: one way to write what can be written in several.

What an event does to the table stays the same; nothing here judges.
"""

from msgspec.structs import replace

from events.cards import UNKNOWN, Card
from events.lanterloo.events import Bid, CardPlayed, Exchanged, FlushClaimed, FlushShown, LooEvent
from events.lanterloo.state import State
from events.lanterloo.turns import is_off_the_table


def normal(state: State, event: LooEvent) -> LooEvent:
    """Return an act as `legal` writes it: cards as the hand holds them, civility only where it tells."""
    if is_off_the_table(state, event):
        return event
    match event:
        case CardPlayed():
            return replace(event, civil=event.civil and civility_tells(state, event.card))
        case Bid() if event.choice in ("miss", "defend") and not event.cards:
            return replace(event, cards=(UNKNOWN,) * len(state.miss))
        case Exchanged():
            put_out = _as_held(state, event.seat, event.put_out)
            return replace(event, put_out=put_out)
        case FlushClaimed() | FlushShown():
            return replace(event, cards=_as_held(state, event.seat, event.cards))
        case _:
            return event


def civility_tells(state: State, card: Card) -> bool:
    """Tell whether saying "Pam, be civil" with this card has an effect: the ace of trumps led (L-7.6)."""
    leads = not state.trick and state.pam is not None and card == f"A{state.trump}"
    return leads and state.ruleset.civil == "spoken"


def _as_held(state: State, seat: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards in the order in which the hand holds them, unknown ones and strangers last."""
    hand = state.hands[seat]
    return tuple(sorted(cards, key=lambda card: hand.index(card) if card in hand else len(hand)))
