"""Which irregularity an act is, for tables where irregularities are paid for (L-12.2)."""

from events.cards import UNKNOWN
from events.lanterloo.events import Bid, CardPlayed, Exchanged
from events.lanterloo.hidden import hand_that_played
from events.lanterloo.state import State
from events.lanterloo.tricks import refusal


def offence(state: State, event: CardPlayed | Bid | Exchanged) -> str | None:
    """Return the code of the rule that an act breaks, out of turn or in following and leading; None if none."""
    wanted = ("claim", "play") if isinstance(event, CardPlayed) else ("declare",)
    if state.phase in wanted and event.seat != state.turn:
        return "NOT_YOUR_TURN"
    if not isinstance(event, CardPlayed) or state.phase not in wanted:
        return None
    if event.card == UNKNOWN or state.trump is None:
        return None
    found = refusal(state, hand_that_played(state, event.seat, event.card), event.card)
    return None if found is None else found[0]
