"""What a log says of each deal that was shuffled: who dealt, who got what, what came of it.

Pure, and the same for every game. Deals that begin with a set-up position are passed over, since nobody
shuffled for them; a void deal is told like any other. Looks at what a log says, not at whether it is allowed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from events.cards import FACE, UNKNOWN, is_joker, whole_pack
from events.common import DealScored, Dealt, Event, Shuffled

_POSITION: Final = "position_set"
_OPEN_CARD: Final = "first_card_turned"
_TURN_UP: Final = "turn_up"


class Pack(msgspec.Struct, frozen=True):
    """What is shuffled at a table: packs of 52, and the jokers with each."""

    packs: int = 1
    jokers_each: int = 0

    @property
    def jokers(self) -> int:
        """How many jokers there are."""
        return self.packs * self.jokers_each

    @property
    def size(self) -> int:
        """How many cards that are."""
        return 52 * self.packs + self.jokers


class Counted(msgspec.Struct, frozen=True):
    """Special cards of one kind in a hand: how many came, of how many in a pack of so many."""

    kind: str
    came: int
    special: int
    pack: int


class Dealing(msgspec.Struct):
    """One deal: `hands` by seat as dealt, `deck` how many cards were shuffled, `scores` by seat, empty if none.

    `is_sized` says that a card which was dealt decided how many more came (5000 Rummy).
    """

    dealer: int
    deck: int
    hands: dict[int, tuple[str, ...]] = {}
    turn_up: str | None = None
    scores: Sequence[int | None] = ()
    is_sized: bool = False

    def is_countable(self, pack: Pack, seats: int) -> bool:
        """Tell whether every hand is wholly known and all of them can have come from this pack to these seats.

        A record can hold what cannot have been, such as five aces of one pack; of that there are no chances.
        """
        cards = [card for hand in self.hands.values() for card in hand]
        if self.is_sized or not cards or UNKNOWN in cards or self.deck != pack.size:
            return False
        if max(self.hands) >= seats:
            return False
        if self.turn_up is not None:
            cards.append(self.turn_up)
        # A card of two packs may be written without saying of which, so copies are counted by face.
        faces = Counter(FACE[card] for card in cards)
        return whole_pack(pack.packs, pack.jokers_each).issuperset(cards) and all(
            n <= (1 if is_joker(face) else pack.packs) for face, n in faces.items()
        )


def dealings(events: Iterable[Event]) -> Iterator[Dealing]:
    """Yield the deals among events in force, in order."""
    deal: Dealing | None = None
    for event in events:
        if isinstance(event, Shuffled):
            if deal is not None:
                yield deal
            deal = Dealing(event.dealer, len(event.deck))
        elif deal is not None and event.__struct_config__.tag == _POSITION:
            yield deal
            deal = None
        elif deal is not None:
            _take(deal, event)
    if deal is not None:
        yield deal


def _take(deal: Dealing, event: Event) -> None:
    match event:
        case Dealt():
            deal.hands[event.seat] = event.cards
        case DealScored():
            deal.scores = event.scores
        case _ if event.__struct_config__.tag == _TURN_UP:
            deal.turn_up = getattr(event, "card", None)
        case _ if event.__struct_config__.tag == _OPEN_CARD:
            deal.is_sized = True
        case _:
            pass
