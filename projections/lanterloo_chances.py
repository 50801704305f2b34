"""Which cards of Lanterloo are counted when hands are compared with what a well-shuffled pack gives. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from events.common import GameOpened
from projections.dealings import Counted, Dealing, Pack
from projections.hypergeometric import Draw

USUAL: Final = {"aces": Draw(52, 4, 5), "pam": Draw(51, 1, 5), "trumps": Draw(51, 12, 5)}
"""Hands of five-card Loo; the card turned up is in none."""


def pack(_opened: GameOpened[Any]) -> Pack:
    """Return what is shuffled at this table."""
    return Pack()


def counted(opened: GameOpened[Any], deal: Dealing, hand: Sequence[str]) -> Iterator[Counted]:
    """Yield each kind of special card in a hand; the card turned up is known to be in none."""
    size = pack(opened).size
    yield Counted("aces", sum(card[0] == "A" for card in hand), 4, size)
    if deal.turn_up is None:
        return
    suit = deal.turn_up[1]
    yield Counted("trumps", sum(card[1] == suit for card in hand), 12, size - 1)
    pam = "J" + suit if opened.ruleset.pam_card == "trump_knave" else opened.ruleset.pam_card
    if opened.ruleset.form == "loo5" and deal.turn_up != pam:
        yield Counted("pam", sum(card == pam for card in hand), 1, size - 1)
