"""What a player may come to think of: one simple act for each card, so that somebody can ask what speaks against it.

Pure, and no judge. Melds and lay-offs are left out: what cannot be put down is nearly everything. At most one
act a card of the hand, two a card of the pile, and three more.
"""

from collections.abc import Iterator

from events.cards import UNKNOWN
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    PileTaken,
    RummyCalled,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.state import IN_PLAY, State


def thinkable(state: State, seat: int) -> Iterator[RummyEvent]:
    """Yield the draws, discards and calls that this seat could wish for, allowed or not."""
    if state.phase not in IN_PLAY:
        return
    yield StockDrawn(seat=seat, card=UNKNOWN)
    pile = state.pile
    yield from (PileTaken(seat=seat, cards=pile[depth:]) for depth in reversed(range(len(pile))))
    yield DrawDeclined(seat=seat)
    for card in sorted(set(state.hands[seat]) - {UNKNOWN}):
        yield Discarded(seat=seat, card=card)
    calls_a_lay_off = state.ruleset.rummy == "latest_layoff"
    for depth in reversed(range(len(pile))):
        cards = () if calls_a_lay_off else pile[depth:]
        yield RummyCalled(
            seat=seat, card=pile[depth], accepted=True, code=None, cards=cards, lay=None
        )
    if state.challenge is not None and pile:
        yield DiscardChallenged(seat=seat, card=pile[-1], accepted=True, code=None)
