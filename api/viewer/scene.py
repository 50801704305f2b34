"""The table at one version as named parts (regions), each a template and what it is filled with.

Pure. Works on what `views.view_state` returns, so a part holds nothing that the viewer may not see. Two
regions that are equal look equal: only what changed from one version to the next is rendered and sent.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from api.viewer.texts import Texts
from events.cards import RANK, UNKNOWN, is_joker, physical
from events.common import Event, Shuffled
from projections.board import in_hand_order

View = Mapping[str, Any]

_CARD_FIELDS: Final = ("card", "cards", "put_out", "drawn", "joker", "pile")


class Region(msgspec.Struct, frozen=True):
    """A part of the table: the template's macro and its context."""

    macro: str
    context: dict[str, Any]


class Face(msgspec.Struct, frozen=True):
    """A card as it is drawn: what lies there, the event that brought it, and marks.

    `card` is None for a back. `meant` is what a joker stands for, `owner` the seat that laid it.
    """

    card: str | None
    label: str
    at: int | None = None
    meant: str | None = None
    owner: int | None = None
    marks: str = ""

    @property
    def suit(self) -> str:
        """The letter of the suit, J for a joker, the class that colours the card."""
        if self.card is None:
            return "back"
        return "J" if is_joker(self.card) else self.card[1]

    @property
    def rank(self) -> str:
        """What stands in the corner."""
        if self.card is None or is_joker(self.card):
            return ""
        return "10" if self.card[0] == "T" else self.card[0]


class Origins:
    """Which event brought each card to where it lies now; of hidden cards nothing is kept."""

    def __init__(self) -> None:
        self._at: dict[str, int] = {}

    def take(self, version: int, event: Event) -> None:
        """Note the cards that an event moved."""
        if isinstance(event, Shuffled):
            self._at.clear()
        for field in _CARD_FIELDS:
            for card in _cards_of(getattr(event, field, None)):
                self._at[physical(card)] = version

    def of(self, card: str) -> int | None:
        """Return the version of the event that last moved this card, None if none did."""
        return self._at.get(card)


def _cards_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield one if isinstance(one, str) else getattr(one, "card", UNKNOWN)


class Scene:
    """What every part of a page knows: the words, who sits where, and where cards come from."""

    def __init__(self, texts: Texts, names: Sequence[str], origins: Origins) -> None:
        self.texts, self.names, self.origins = texts, names, origins

    def who(self, seat: int | None) -> str:
        """Return the name of a seat."""
        return self.texts["anyone"] if seat is None else self.names[seat]

    def face(self, card: str, **more: Any) -> Face:
        """Return a card with its label in words and the event that brought it."""
        if card == UNKNOWN:
            return Face(None, self.texts["back"], **more)
        return Face(card, self.texts.card(card), self.origins.of(card), **more)

    def hand(self, cards: Sequence[str]) -> list[Face]:
        """Return a hand in order, suit by suit."""
        return [self.face(card) for card in sorted(cards, key=in_hand_order)]

    def row(self, cards: Sequence[str]) -> str:
        """Return cards in words, one after another."""
        return self.texts["comma"].join(self.texts.card(card) for card in cards)


def is_card(text: str) -> bool:
    """Tell whether a text names a card that can lie at a table."""
    return text in RANK or is_joker(text)
