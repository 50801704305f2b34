"""Which cards of 500 Rummy are counted when hands are compared with what a well-shuffled pack gives. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from events.cards import is_joker
from events.common import GameOpened
from events.rummy500.ruleset import packs_for
from projections.dealings import Counted, Dealing, Pack
from projections.hypergeometric import Draw

TENS: Final = frozenset("TJQK")
"""Ranks of the cards that count ten points."""
USUAL: Final = {"aces": Draw(54, 4, 7), "tens": Draw(54, 16, 7), "jokers": Draw(54, 2, 7)}
"""Hands of a table of four by the seed's rules."""


def pack(opened: GameOpened[Any]) -> Pack:
    """Return what is shuffled at this table."""
    return Pack(packs_for(opened.ruleset, len(opened.seats)), opened.ruleset.jokers_per_pack)


def counted(opened: GameOpened[Any], _deal: Dealing, hand: Sequence[str]) -> Iterator[Counted]:
    """Yield each kind of special card in a hand."""
    whole = pack(opened)
    size, packs = whole.size, whole.packs
    yield Counted("aces", sum(card[0] == "A" for card in hand), 4 * packs, size)
    yield Counted("tens", sum(card[0] in TENS for card in hand), 16 * packs, size)
    if whole.jokers:
        yield Counted("jokers", sum(map(is_joker, hand)), whole.jokers, size)
