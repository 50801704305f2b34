"""The table at one version as named parts (regions), each a template and what it is filled with.

Pure. Works on what `views.view_state` returns, so a part holds nothing that the viewer may not see. Two
regions that are equal look equal: only what changed from one version to the next is rendered and sent.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from api.viewer.texts import Texts
from events.cards import RANK, UNKNOWN, is_joker, physical
from events.common import Event, Retracted, Shuffled
from events.lanterloo.events import AntePaid, Looed, PenaltyPaid, PoolPaid
from projections.board import in_hand_order
from projections.viewer import Viewer

View = Mapping[str, Any]

_FLAGS: Final = {"callable": "!", "taken": "↑", "owed": "✱", "civil": "♪"}
"""What is drawn on a card with such a mark: nothing is told by colour alone."""
_CARD_FIELDS: Final = ("card", "cards", "put_out", "drawn", "joker", "pile")


class Region(msgspec.Struct, frozen=True):
    """A part of the table: the template's macro and its context."""

    macro: str
    context: dict[str, Any]


class Face(msgspec.Struct, frozen=True):
    """A card as it is drawn: what lies there, the event that brought it, and marks.

    `card` is None for a back. `meant` is what a joker or wild card stands for, `owner` the seat that laid it,
    `by` that seat's name where it is written under the card.
    """

    card: str | None
    label: str
    at: int | None = None
    meant: str | None = None
    owner: int | None = None
    marks: str = ""
    by: str = ""

    @property
    def flag(self) -> str:
        """A sign for what the marks say, "" for none."""
        return next((_FLAGS[mark] for mark in self.marks.split() if mark in _FLAGS), "")

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


class Note(msgspec.Struct, frozen=True):
    """A badge: its kind, what it shows, and what it says where that is something else."""

    kind: str
    shown: str
    said: str


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


class Payment(msgspec.Struct, frozen=True):
    """Chips that a seat paid (below 0) or took in a deal, and what for."""

    version: int
    seat: int
    amount: int
    reason: str
    to: int | None = None


class Payments:
    """What has been paid in the deal that is shown; what was taken back is not."""

    def __init__(self) -> None:
        self._paid: list[Payment] = []
        self._began: list[int] = []

    def take(self, version: int, event: Event) -> None:
        """Note what an event paid."""
        match event:
            case Shuffled():
                self._began.append(version)
            case Retracted(back_to=back_to):
                self._paid = [one for one in self._paid if one.version <= back_to]
                self._began = [one for one in self._began if one <= back_to]
            case AntePaid():
                self._add(version, event.seat, -event.amount, "ante")
            case PoolPaid():
                self._add(version, event.seat, event.amount, event.paid_for)
            case Looed():
                self._add(version, event.seat, -event.amount, "looed", event.to)
            case PenaltyPaid():
                self._add(version, event.seat, -event.amount, "penalty")

    def _add(
        self, version: int, seat: int, amount: int, reason: str, to: int | None = None
    ) -> None:
        self._paid.append(Payment(version, seat, amount, reason, to))

    def now(self) -> list[Payment]:
        """Return the payments of the deal, in order."""
        began = self._began[-1] if self._began else 0
        return [one for one in self._paid if one.version > began]


def _cards_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield one if isinstance(one, str) else getattr(one, "card", UNKNOWN)


class Scene:
    """What every part of a page knows: the words, who sits where and looks, and where cards and chips come from."""

    def __init__(
        self, texts: Texts, names: Sequence[str], full_names: Sequence[str], origins: Origins
    ) -> None:
        self.texts, self.names, self.full_names, self.origins = texts, names, full_names, origins
        self.payments = Payments()
        self.viewer: Viewer = "all"

    def take(self, version: int, event: Event) -> None:
        """Note what an event moved."""
        self.origins.take(version, event)
        self.payments.take(version, event)

    def veil(self, game: str) -> str:
        """Return what the viewer is told about what he does not see, "" for who sees all."""
        if self.viewer == "all":
            return ""
        if self.viewer == "public" or self.viewer >= len(self.names):  # nobody sits there
            return self.texts[f"veil.{game}"]
        return self.texts.fill(f"veil.{game}.seat", who=self.who(self.viewer))

    def note(self, kind: str, key: str, cards: Sequence[str] = (), **values: object) -> Note:
        """Return a badge; its cards are drawn as symbols and said in words."""
        comma = self.texts["comma"]
        shown = " ".join(self.texts.symbol(card) for card in cards)
        said = comma.join(self.texts.card(card) for card in cards)
        return Note(
            kind,
            self.texts.fill(key, cards=shown, **values),
            self.texts.fill(key, cards=said, **values),
        )

    def who(self, seat: int | None) -> str:
        """Return the name of a seat."""
        return self.texts["anyone"] if seat is None else self.names[seat]

    def face(self, card: str, **more: Any) -> Face:
        """Return a card with its label in words and the event that brought it."""
        if card == UNKNOWN:
            return Face(None, self.texts["back"], **more)
        return Face(card, self.texts.card(card), self.origins.of(card), **more)

    def hand(self, cards: Sequence[str], owed: Collection[str] = ()) -> list[Face]:
        """Return a hand in order, suit by suit, with those marked that must be melded this turn."""
        return [
            self.marked(card, "owed" if card in owed else "")
            for card in sorted(cards, key=in_hand_order)
        ]

    def marked(self, card: str, mark: str) -> Face:
        """Return a card with a mark, which its label says too; no mark for ""."""
        face = self.face(card)
        if not mark or face.card is None:
            return face
        label = self.texts["comma"].join((face.label, self.texts[f"mark.{mark}"]))
        return msgspec.structs.replace(face, label=label, marks=mark)


def is_card(text: str) -> bool:
    """Tell whether a text names a card that can lie at a table, or a hidden one."""
    return text == UNKNOWN or text in RANK or (text != "" and is_joker(text))
