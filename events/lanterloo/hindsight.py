"""What a later showing of a hand tells about a card played before: judged at the version of the act (L-12.3)."""

from collections.abc import Sequence

from events.cards import UNKNOWN
from events.game import Judgement
from events.lanterloo.events import Bid, CardPlayed, Exchanged, LooEvent
from events.lanterloo.referee import judge
from events.lanterloo.state import State
from events.lanterloo.whereabouts import is_known, with_hand


def hindsight(state: State, event: LooEvent, later: Sequence[LooEvent]) -> tuple[Judgement, ...]:
    """Judge an act by what its player has shown of his hand by the end of the deal.

    *later* are the events after it, of the same deal. What stays hidden stays uncheckable.
    """
    if not isinstance(event, CardPlayed) or UNKNOWN not in state.hands[event.seat]:
        return judge(state, event)
    return judge(_with_shown(state, event, _shown_of_it(event.seat, later)), event)


def _shown_of_it(seat: int, later: Sequence[LooEvent]) -> list[str]:
    """Return what a seat shows of its hand; once it takes up other cards, what it shows may be of those."""
    shown = []
    for one in later:
        if isinstance(one, Bid | Exchanged) and one.seat == seat:
            break
        if isinstance(one, CardPlayed) and one.seat == seat:
            shown.append(one.card)
    return shown


def _with_shown(state: State, event: CardPlayed, shown: Sequence[str]) -> State:
    """Return the state with cards in place of `??`: those shown later that were nowhere else."""
    hand = list(state.hands[event.seat])
    for card in dict.fromkeys((event.card, *shown)):
        if UNKNOWN in hand and card not in hand and not is_known(state, card):
            hand[hand.index(UNKNOWN)] = card
    return with_hand(state, event.seat, tuple(hand))
