"""Playing cards as short texts, and the packs that they come from.

A card is the text that a person would write: rank and suit (``"TD"``), a prime for the copy from the
second pack (``"7H'"``), ``"X1"`` to ``"X4"`` for jokers, ``"??"`` for a card that the record does not
know. Ranks are numbers from 1 (ace) to 13 (king). This module knows no rules and imports nothing of ours.
"""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from events.errors import CardError

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
UNKNOWN: Final = "??"
JOKERS: Final = ("X1", "X2", "X3", "X4")
JOKERS_ONLY: Final = "X"
"""The first letters of the cards that can stand for others, where only jokers can."""

FIRST_PACK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
SECOND_PACK: Final = tuple(face + "'" for face in FIRST_PACK)
NATURALS: Final = FIRST_PACK + SECOND_PACK
ALL_CARDS: Final = (*NATURALS, *JOKERS, UNKNOWN)

if TYPE_CHECKING:
    Card: TypeAlias = str
    Face: TypeAlias = str
else:
    # A closed list of texts: msgspec checks it while decoding, faster than a pattern.
    Card = Literal[ALL_CARDS]
    Face = Literal[FIRST_PACK]

# A card on the table: itself, or a wild card with the face that it stands for (``"X1=8H"``).
Placed: TypeAlias = Annotated[
    str,
    msgspec.Meta(pattern=r"^(?:[A2-9TJQK][SHDC]'?|X[1-4])(?:=[A2-9TJQK][SHDC])?\Z", max_length=6),
]

BARE: Final = 3
"""The greatest length of a card on the table of which nothing was declared."""

RANK: Final[dict[str, int]] = {card: RANKS.index(card[0]) + 1 for card in NATURALS}
SUIT: Final[dict[str, str]] = {card: card[1] for card in NATURALS}
FACE: Final[dict[str, str]] = {card: card[:2] for card in ALL_CARDS}
_KNOWN: Final = frozenset(ALL_CARDS)


def parse_card(text: str) -> Card:
    """Return the card that *text* writes; raise CardError with the text if it writes none."""
    if text not in _KNOWN:
        raise CardError(f"not a card: {text!r}, expected e.g. 7H, TD, 7H', X1 or ??")
    return text


def face_of(rank: int, suit: str) -> Face:
    """Return the face with this rank (1 to 13) and suit, as the first pack writes it."""
    return RANKS[rank - 1] + suit


def is_joker(card: Card) -> bool:
    """Tell whether the card is one of the jokers."""
    return card[0] == "X"


def twin_of(card: Card) -> Card | None:
    """Return the other pack's copy of a natural card, None for a joker or an unknown card."""
    if card not in RANK:
        return None
    return card[:2] if len(card) == 3 else card + "'"


def physical(placed: Placed) -> Card:
    """Return the card that lies there, without what it stands for."""
    return placed if len(placed) <= BARE else placed.partition("=")[0]


def stands_for(placed: Placed) -> Face | None:
    """Return the face that a placed card was declared to be, None where nothing was declared."""
    return placed.partition("=")[2] or None


def lies_as(card: Card, written: Placed) -> Placed:
    """Return a card as it lies on the table: only a joker can stand for what was written of it."""
    if card == written or not is_joker(card):
        return card
    return card + written[len(physical(written)) :]


def build_pack(packs: int, jokers_per_pack: int) -> tuple[Card, ...]:
    """Return every physical card of one or two packs in a fixed order (R-1.2)."""
    jokers = tuple(JOKERS[2 * pack + j] for pack in range(packs) for j in range(jokers_per_pack))
    return FIRST_PACK + (SECOND_PACK if packs == 2 else ()) + jokers


@cache
def whole_pack(packs: int, jokers_per_pack: int) -> frozenset[Card]:
    """Return the cards that `build_pack` gives, to look one up."""
    return frozenset(build_pack(packs, jokers_per_pack))


def known(cards: Iterable[Card]) -> list[Card]:
    """Return the cards that the record knows, in the order given."""
    return [card for card in cards if card != UNKNOWN]


def write_cards(cards: Iterable[str]) -> str:
    """Return the cards as one line with single spaces between them."""
    return " ".join(cards)
