"""What the naive referee's table is made of; shares nothing with the engine but the struct of the options."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from events.rummy500.ruleset import Ruleset

Cards = tuple[str, ...]
Act = tuple[Any, ...]

LINE = "A23456789TJQKA"
"""The ranks along a sequence: place 0 is a low ace, place 13 a high one."""


@dataclass(frozen=True)
class Group:
    number: int
    cards: Cards


@dataclass(frozen=True)
class Run:
    """A sequence from place `low` to place `high`; around the corner places go on in both directions."""

    number: int
    suit: str
    low: int
    high: int
    standing: tuple[tuple[int, str], ...] = ()
    """The jokers and wild cards in it, with their places."""


@dataclass(frozen=True)
class Table:
    """The table between two acts. `turn` is who acts, in a window who draws next."""

    rules: Ruleset
    hands: tuple[Cards, ...]
    stock: Cards
    pile: Cards
    turn: int
    phase: str
    melds: tuple[Group | Run, ...] = ()
    wilds: str = "X"
    """The first letters of the cards that can stand for others: jokers, and the wild rank of V-9b."""
    drawn: str | None = None
    taken: Cards = ()
    duty: str | None = None
    renewed: bool = False
    closed_out: int | None = None
    """Who may not call in this window: the player whose turn has just ended (R-8.2)."""
    fresh: bool = False
    floaters: frozenset[int] = frozenset()
    challenged: int | None = None
    """Whose last discard may still be challenged (12.7)."""
    owed: Cards = ()
    """Jokers that were swapped for and must be melded this turn (12.11)."""
    played: bool = False
    noted: tuple[int, Cards] | None = None
    """Who called in the middle of this turn, and what he will take (D-R16)."""
    idle: int = 0
    """Turns on an empty stock in which nothing was put down (D-R27)."""

    @property
    def seats(self) -> int:
        return len(self.hands)


def is_natural(placed: str) -> bool:
    """Whether a card as it lies is there as itself."""
    return "=" not in placed and placed[0] != "X"


def bare(placed: str) -> str:
    return placed.partition("=")[0]


def less(hand: Cards, used: Cards) -> Cards:
    left = Counter(used)
    rest = []
    for card in hand:
        if left[card]:
            left[card] -= 1
        else:
            rest.append(card)
    return tuple(rest)


def with_hand(hands: tuple[Cards, ...], seat: int, hand: Cards) -> tuple[Cards, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
