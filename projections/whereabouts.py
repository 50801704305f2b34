"""Where a card was from one version to the next, as a viewer sees the table: in the stock, a hand, a meld.

Pure. Read off the views themselves (`SeenLog.cards`), so it tells nothing that the table at that version
does not show: while a viewer cannot see where the card lies, nothing is told of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from events.cards import Card, physical, twin_of
from events.common import Event
from projections.seen import SeenLog
from projections.views import view_of

View = dict[str, Any]


class Place(msgspec.Struct, frozen=True):
    """A place at a table: whose, if it is somebody's, and which meld; `meant` is what a wild card stands for."""

    place: str
    seat: int | None = None
    meld: int | None = None
    meant: str | None = None


class Stay(msgspec.Struct, frozen=True, kw_only=True):
    """A card, as it is written, in one place from version `first` to `last`; `event` brought it there.

    `event` is the tag of the event at `first`, also where that only let it be seen.
    """

    card: Card
    deal: int
    place: str
    seat: int | None
    meld: int | None
    meant: str | None
    first: int
    last: int
    event: str


Lying = tuple[Card, Place]
_Open = dict[tuple[Card, Place, int], Stay]


def copies_of(card: Card, packs: int) -> tuple[Card, ...]:
    """Return the texts under which a card may be written: at two packs one without its prime means either copy."""
    twin = twin_of(card)
    return (card,) if packs < 2 or twin is None or len(card) > len("7H") else (card, twin)


def stays(seen: SeenLog, cards: Iterable[Card], upto: int | None = None) -> list[Stay]:
    """Return where these cards were at every version of a log as it is seen, in the order in which they came there.

    Where the record writes two copies alike, they stay in two places at a time.
    """
    wanted = frozenset(cards)
    begins = view_of(seen.game.name).begins_deal
    lying: _Open = {}
    found: list[Stay] = []
    for version, event, deal, cards_seen in seen.cards(upto):
        if type(event) in begins:
            found += lying.values()
            lying = {}
        lying = _moved(lying, _counted(cards_seen, wanted), deal, version, event, found)
    found += lying.values()
    return sorted(found, key=lambda stay: (stay.first, stay.card, stay.place))


def _counted(view: View, wanted: frozenset[Card]) -> Counter[Lying]:
    return Counter(lying(view, wanted))


def _moved(
    before: _Open, now: Counter[Lying], deal: int, version: int, event: Event, done: list[Stay]
) -> _Open:
    """Return the stays that go on or begin at a version; those that are over are added to *done*."""
    after: _Open = {}
    for (card, place), count in now.items():
        for number in range(count):
            key = (card, place, number)
            old = before.get(key)
            after[key] = (
                msgspec.structs.replace(old, last=version)
                if old is not None
                else Stay(
                    card=card,
                    deal=deal,
                    **msgspec.structs.asdict(place),
                    first=version,
                    last=version,
                    event=str(event.__struct_config__.tag),
                )
            )
    done += [stay for key, stay in before.items() if key not in after]
    return after


_ROWS: Final = (("pile", "pile"), ("stock_cards", "stock"), ("miss", "miss"))
_LOOSE: Final = (("put_out", "put_out"), ("surplus", "surplus"))
_HELD: Final = (("hands", "hand"), ("aside", "aside"))
_PLAYED: Final = (("trick", "trick"), ("played", "played"))


def lying(view: View, wanted: frozenset[Card] | None = None) -> Iterator[Lying]:
    """Yield every card of a view, or those that are *wanted*, with its place, whatever the game; `??` for hidden ones."""
    for place, cards in _rows(view):
        if wanted is None:
            yield from ((card, place) for card in cards)
        elif not wanted.isdisjoint(cards):
            yield from ((card, place) for card in cards if card in wanted)
    for card, place in _singles(view):
        if wanted is None or card in wanted:
            yield card, place


def _rows(view: View) -> Iterator[tuple[Place, Sequence[Card]]]:
    """Yield the places at which cards lie one like the other."""
    for name, place in (*_ROWS, *_LOOSE):
        yield Place(place), view.get(name) or ()
    for name, place in _HELD:
        for seat, hand in enumerate(view.get(name, ())):
            yield Place(place, seat), hand


def _singles(view: View) -> Iterator[Lying]:
    """Yield the cards that lie for themselves: whose they are, or what for, is said of each."""
    for name, place in _PLAYED:
        for one in view.get(name, ()):
            yield one["card"], Place(place, one["seat"])
    if view.get("turn_up"):
        yield view["turn_up"], Place("turn_up")
    for meld in view.get("melds", ()):
        for laid in meld["cards"]:
            yield physical(laid["card"]), Place("meld", laid["seat"], meld["meld"], laid["as"])
