"""Which irregularity an act is, for tables where irregularities are paid for (L-12.2)."""

from events.cards import UNKNOWN
from events.lanterloo.events import Bid, CardPlayed, Exchanged
from events.lanterloo.hidden import cannot_tell, hand_that_played
from events.lanterloo.state import State
from events.lanterloo.tricks import refusal
from events.lanterloo.whereabouts import first_not_held


def may_offend(state: State, event: CardPlayed | Bid | Exchanged) -> str | None:
    """Return the code of a rule that a card in turn may break by what the record does not know (L-12.3)."""
    if not isinstance(event, CardPlayed) or event.seat != state.turn:
        return None
    if state.phase not in ("claim", "play") or UNKNOWN not in state.hands[event.seat]:
        return None
    if event.card == UNKNOWN:
        return "MUST_FOLLOW"
    duty = cannot_tell(state, event.seat, event.card)
    return None if duty is None else duty[0]


def offence(state: State, event: CardPlayed | Bid | Exchanged) -> str | None:
    """Return the code of the rule that an act breaks, out of turn or in following and leading; None if none."""
    wanted = ("claim", "play") if isinstance(event, CardPlayed) else ("declare",)
    if state.phase in wanted and event.seat != state.turn:
        return "NOT_YOUR_TURN"
    if not isinstance(event, CardPlayed) or state.phase not in wanted:
        return None
    card = event.card
    if card == UNKNOWN or state.trump is None or first_not_held(state, event.seat, (card,)):
        return None
    found = refusal(state, hand_that_played(state, event.seat, card), card)
    return None if found is None else found[0]
