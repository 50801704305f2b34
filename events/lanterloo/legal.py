"""Every legal act of a seat: candidates are spelled out, and `judge` alone says which of them stand.

Acts are written in normal form: cards in the order in which the hand holds them, `??` for what comes from the
stock or the miss, "be civil" only where it tells.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from events.cards import UNKNOWN
from events.game import Violation
from events.lanterloo.declaring import speaks_in_vain
from events.lanterloo.due import renewal
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Choice,
    Exchanged,
    FlushClaimed,
    LooEvent,
)
from events.lanterloo.normal import civility_tells
from events.lanterloo.referee import judge
from events.lanterloo.state import State

_CHOICES: Final[tuple[Choice, ...]] = ("stand", "pass", "miss", "defend")


def legal(state: State, seat: int) -> Iterator[LooEvent]:
    """Yield every act that this seat may do now, in normal form; `??` where the stock decides."""
    return (act for act in _candidates(state, seat) if not _breaks(state, act))


def _breaks(state: State, act: LooEvent) -> bool:
    """Tell whether a rule is broken for sure; with hidden cards an act may be legal and not checkable."""
    return any(isinstance(found, Violation) for found in judge(state, act))


def _candidates(state: State, seat: int) -> Iterator[LooEvent]:
    if (state.phase == "declare" and seat == state.turn) or speaks_in_vain(state, seat):
        yield from _declarations(state, seat)
    if state.phase in ("declare", "claim"):
        yield FlushClaimed(seat=seat, cards=state.hands[seat])
        yield FlushClaimed(seat=seat, cards=())
    if state.phase in ("claim", "play") and seat == state.turn:
        for card in sorted(set(state.hands[seat])):
            yield CardPlayed(seat=seat, card=card, civil=False)
            if civility_tells(state, card):
                yield CardPlayed(seat=seat, card=card, civil=True)


def _declarations(state: State, seat: int) -> Iterator[LooEvent]:
    for choice in _CHOICES:
        miss = (UNKNOWN,) * len(state.miss) if choice in ("miss", "defend") else ()
        yield Bid(seat=seat, choice=choice, cards=miss)
    hand = state.hands[seat]
    for size in range(len(hand) + 1):
        for put_out in dict.fromkeys(combinations(hand, size)):
            yield Exchanged(seat=seat, put_out=put_out, drawn=(UNKNOWN,) * size)
    beneath = renewal(state, seat)
    if beneath is not None:
        yield beneath
