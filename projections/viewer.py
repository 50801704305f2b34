"""Who looks at a game: a seat, the public, or an arbiter who sees all."""

from typing import Literal, TypeAlias

from events.cards import UNKNOWN, Card

Viewer: TypeAlias = int | Literal["public", "all"]


def backs(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return as many unknown cards: their number is public, the cards are not."""
    return (UNKNOWN,) * len(cards)


def may_see(viewer: Viewer, seat: int | None) -> bool:
    """Tell whether a viewer may see what a seat holds; None stands for what no player may see."""
    return viewer == "all" or (seat is not None and viewer == seat)
