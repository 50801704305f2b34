"""What a later showing of a hand tells about a card played before: judged at the version of the act (L-12.3)."""

from collections.abc import Sequence

from events.cards import UNKNOWN
from events.game import Judgement
from events.lanterloo.events import CardPlayed, LooEvent
from events.lanterloo.referee import judge
from events.lanterloo.state import State
from events.lanterloo.whereabouts import is_known, with_hand


def hindsight(state: State, event: LooEvent, later: Sequence[LooEvent]) -> tuple[Judgement, ...]:
    """Judge an act by what its player has shown of his hand by the end of the deal.

    *later* are the events after it, of the same deal. What stays hidden stays uncheckable.
    """
    if not isinstance(event, CardPlayed) or UNKNOWN not in state.hands[event.seat]:
        return judge(state, event)
    shown = [one.card for one in later if isinstance(one, CardPlayed) and one.seat == event.seat]
    return judge(_with_shown(state, event, shown), event)


def _with_shown(state: State, event: CardPlayed, shown: Sequence[str]) -> State:
    """Return the state with cards in place of `??`: those shown later that were nowhere else."""
    hand = list(state.hands[event.seat])
    for card in dict.fromkeys((event.card, *shown)):
        if UNKNOWN in hand and card not in hand and not is_known(state, card):
            hand[hand.index(UNKNOWN)] = card
    return with_hand(state, event.seat, tuple(hand))
