"""What a player may come to think of: one simple act for each card, so that somebody can ask what speaks against it.

Pure, and no judge. At most one act a card of the hand, and seven more.
"""

from collections.abc import Iterator
from typing import Final

from events.cards import UNKNOWN
from events.lanterloo.events import Bid, CardPlayed, Choice, Exchanged, FlushClaimed, LooEvent
from events.lanterloo.ruleset import has_miss
from events.lanterloo.state import Phase, State

_BEFORE_PLAY: Final[tuple[Phase, ...]] = ("declare", "claim")
_TO_ACT: Final[tuple[Phase, ...]] = (*_BEFORE_PLAY, "play")


def thinkable(state: State, seat: int) -> Iterator[LooEvent]:
    """Yield the words, the exchange and the cards that this seat could wish for, allowed or not."""
    if state.phase not in _TO_ACT:
        return
    if state.phase in _BEFORE_PLAY:
        yield from _words(state, seat)
    for card in sorted(set(state.hands[seat]) - {UNKNOWN}):
        yield CardPlayed(seat=seat, card=card, civil=False)


def _words(state: State, seat: int) -> Iterator[LooEvent]:
    choices: tuple[Choice, ...] = ("stand", "pass")
    if has_miss(state.ruleset):
        choices = ("stand", "pass", "miss", "defend")
    for choice in choices:
        miss = (UNKNOWN,) * len(state.miss) if choice in ("miss", "defend") else ()
        yield Bid(seat=seat, choice=choice, cards=miss)
    if not has_miss(state.ruleset):
        one = state.hands[seat][:1]
        yield Exchanged(seat=seat, put_out=one, drawn=(UNKNOWN,) * len(one))
    if state.ruleset.form == "loo5":
        yield FlushClaimed(seat=seat, cards=state.hands[seat])
        yield FlushClaimed(seat=seat, cards=())
