"""What a seat knew at a version: its own cards, what lies open, what others are known to hold, and what is left.

Pure. The log is folded as that seat saw it, so nothing can be told that it had not seen: a card that was taken
from the pile in front of everybody stays known until it is put down, everything else in a hand stays `??`.
Nothing is concluded from how others play.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from events.cards import UNKNOWN, Card, build_pack
from events.common import Event
from events.errors import NoSuchVersion, NotALogError
from events.game import Game, effective
from projections.views import view_event, view_of, view_state
from projections.whereabouts import Place, lying


class Held(msgspec.Struct, frozen=True):
    """A card that everybody has seen come to another seat's hand, at version `since` by `event`, and stay there."""

    seat: int
    card: Card
    since: int
    event: str


class Hidden(msgspec.Struct, frozen=True):
    """How many cards of a place the seat has not seen, and what each of them can be, in the pack's order.

    `seat` is whose hand it is. At two packs both copies of a face are told apart.
    """

    place: str
    seat: int | None
    count: int
    possible: tuple[Card, ...]


class Knowledge(msgspec.Struct, frozen=True):
    """What `seat` knew after version `at`.

    `own` is its hand, `laid_aside` what it alone knows besides (cards changed, a hand given up), `public` what
    lies open, `held` what others are known to hold, `hidden` all the rest by place; `unseen` is their number.
    """

    seat: int
    at: int
    own: tuple[Card, ...]
    laid_aside: tuple[Card, ...]
    public: tuple[Card, ...]
    held: tuple[Held, ...]
    hidden: tuple[Hidden, ...]
    unseen: int


_OPEN: Final = frozenset({"pile", "meld", "trick", "played", "turn_up"})
_HAND: Final = "hand"
# Cards that the record shows beyond the pack lie elsewhere too.
_COUNTED_ELSEWHERE: Final = "surplus"
# Where a hidden card lies: the name of the place and whose it is.
_Where = tuple[str, int | None]
_STOCK: Final[_Where] = ("stock", None)


def knows(game: Game[Any, Any], events: Sequence[Event], seat: int, at: int) -> Knowledge:
    """Return what a seat knew after version *at* of this log.

    A log that was narrowed to a viewer gives what that viewer may be told of it: a hand that he does not see is
    then unseen. Raises NoSuchVersion, and NotALogError for a log that does not begin as one does.
    """
    if not 1 <= at <= len(events):
        raise NoSuchVersion(at, len(events))
    kept = effective(events, at)
    if game.name != getattr(kept[0][1], "game", None):
        raise NotALogError("a game's log begins with game_opened")
    opened: Any = kept[0][1]
    state, over = game.skip(game.initial(opened), [event for _, event in kept[1:]])
    eyes = _Eyes(game, seat, state)
    for version, event in kept[1 + over :]:
        eyes.see(version, view_event(game.name, event, seat))
    return eyes.told(at)


class _Eyes:
    """A seat that looks on while a log goes by."""

    def __init__(self, game: Game[Any, Any], seat: int, state: Any) -> None:
        self.game, self.seat, self.state = game, seat, state
        self._begins = view_of(game.name).begins_deal
        self._begin_deal()

    def _begin_deal(self) -> None:
        self._since: dict[int, dict[Card, list[tuple[int, str]]]] = {}
        self._pools: dict[_Where, frozenset[Card]] = {}

    def see(self, version: int, event: Event) -> None:
        """Take in one more event, as this seat saw it."""
        if type(event) in self._begins:
            self._begin_deal()
        before, self.state = self.state, self.game.evolve(self.state, event)
        tag = str(event.__struct_config__.tag)
        self._follow_renewal(before, tag)
        self._follow_draw(before, event)
        for seat, hand in enumerate(self.state.hands):
            unchanged = seat < len(before.hands) and hand is before.hands[seat]
            if seat != self.seat and not unchanged:
                self._follow_hand(seat, hand, version, tag)

    def _follow_hand(self, seat: int, hand: Sequence[Card], version: int, tag: str) -> None:
        """Note which known cards came to a hand, and forget those that left it."""
        since = self._since.setdefault(seat, {})
        counts = Counter(card for card in hand if card != UNKNOWN)
        for card in since.keys() - counts.keys():
            del since[card]
        for card, count in counts.items():
            seen = since.setdefault(card, [])
            del seen[count:]
            seen.extend([(version, tag)] * (count - len(seen)))

    def _follow_renewal(self, before: Any, tag: str) -> None:
        """Note that a new stock is made of the pile, which everybody has seen: no hand holds any of it."""
        if tag != "stock_renewed" or not hasattr(before, "pile") or UNKNOWN in before.pile:
            return
        unseen = frozenset(self._unseen(before))
        for seat in range(len(before.hands)):
            where = (_HAND, seat)
            self._pools[where] = self._pools.get(where, unseen) & unseen
        self._pools[_STOCK] = frozenset(before.pile) - frozenset(self.state.pile)

    def _follow_draw(self, before: Any, event: Event) -> None:
        """Note that a hand may now hold any card of the stock."""
        where = (_HAND, getattr(event, "seat", None))
        if where in self._pools and len(self.state.stock) < len(before.stock):
            self._pools[where] |= self._pools[_STOCK]

    def _unseen(self, state: Any) -> list[Card]:
        """Return the cards of the pack that lie nowhere in sight, in the pack's order."""
        view = view_state(self.game.name, state, "all")
        seen = {card for card, place in lying(view) if place.place != _COUNTED_ELSEWHERE}
        packs = getattr(state, "packs", 1)
        pack = build_pack(packs, getattr(state.ruleset, "jokers_per_pack", 0))
        return [card for card in pack if card not in seen]

    def told(self, at: int) -> Knowledge:
        """Return what the seat knows now."""
        view = view_state(self.game.name, self.state, "all")
        cards = [one for one in lying(view) if one[1].place != _COUNTED_ELSEWHERE]
        hidden = tuple(self._hidden(place for card, place in cards if card == UNKNOWN))
        known = [(card, place) for card, place in cards if card != UNKNOWN]
        own, aside, public = _sorted_out(known, self.seat)
        return Knowledge(
            self.seat,
            at,
            own,
            aside,
            public,
            tuple(self._held()),
            hidden,
            sum(one.count for one in hidden),
        )

    def _held(self) -> Iterable[Held]:
        for seat, cards in sorted(self._since.items()):
            for card, seen in cards.items():
                for since, tag in seen:
                    yield Held(seat, card, since, tag)

    def _hidden(self, places: Iterable[Place]) -> Iterable[Hidden]:
        unseen = self._unseen(self.state)
        for (name, seat), count in Counter((one.place, one.seat) for one in places).items():
            pool = self._pools.get((name, seat))
            possible = unseen if pool is None else [card for card in unseen if card in pool]
            yield Hidden(name, seat, count, tuple(possible))


_Cards = tuple[Card, ...]


def _sorted_out(known: Iterable[tuple[Card, Place]], seat: int) -> tuple[_Cards, _Cards, _Cards]:
    """Return of the known cards those in the seat's own hand, those only it knows besides, and the open ones."""
    own, aside, public = list[Card](), list[Card](), list[Card]()
    for card, place in known:
        if place.place in _OPEN:
            public.append(card)
        elif place.place == _HAND:
            if place.seat == seat:
                own.append(card)
        else:
            aside.append(card)
    return tuple(own), tuple(aside), tuple(public)
