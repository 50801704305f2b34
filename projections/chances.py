"""Were the cards and scores of many deals such as a well-shuffled pack gives? Figures, and no verdict on anybody.

Pure. What is asked is only whether numbers are unusual. Unusual numbers come by chance too, the more of them
are looked at; so every p-value is given corrected for all that were looked at, beside how many deals it would
take to see a bias at all. Nothing here says why a number is unusual, and nothing says that anyone did anything.

Counted are deals whose hands are known. Position 0 is the dealer, 1 the player to the dealer's left.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from events.cards import UNKNOWN, is_joker
from events.common import DealScored, Dealt, Event, GameOpened, Shuffled
from events.game import effective
from projections.hypergeometric import Draw, expected, hands_needed, holm, rank_sum_p

LEVEL: Final = 0.05
"""Corrected p-values below this are called unusual."""
BIAS: Final = 0.25
"""Special cards a hand: the bias for which the number of deals needed is told, unless another is asked for."""
_PAM: Final = "JC"


class Question(msgspec.Struct, frozen=True):
    """One number that was looked at.

    `kind` is what was counted (`aces`, `jokers`, `tens`, `trumps`, `pam`, or `scores`), `position` whose hand.
    `seen` and `expected` are totals over `hands`; for `scores`, averages of the dealer's own scores: when he
    dealt, and when others did. `needed` is how many hands it takes to see `bias`, null for scores.
    """

    kind: str
    position: int
    hands: int
    seen: float
    expected: float
    p_value: float
    corrected: float
    is_unusual: bool
    needed: int | None


class Answer(msgspec.Struct, frozen=True):
    """What was found for one dealer, or for all (`dealer` null): every number that was looked at, in order."""

    dealer: str | None
    games: int
    deals: int
    unknown: int
    level: float
    bias: float
    questions: tuple[Question, ...]

    @property
    def unusual(self) -> tuple[Question, ...]:
        """The numbers that are unusual after all corrections."""
        return tuple(one for one in self.questions if one.is_unusual)


class Tally:
    """Adds up games one after another, in constant memory for the cards; scores are kept as numbers."""

    def __init__(self, dealer: str | None = None) -> None:
        self.dealer = dealer
        self.games = self.deals = self.unknown = 0
        self._draws: dict[tuple[str, int], Counter[Draw]] = {}
        self._seen: Counter[tuple[str, int]] = Counter()
        self._own: list[float] = []
        self._others: list[float] = []

    def add(self, events: Sequence[Event]) -> None:
        """Add one game; a log without a start adds nothing."""
        if not events or not isinstance(events[0], GameOpened):
            return
        opened = events[0]
        if self.dealer is not None and self.dealer not in opened.seats:
            return
        self.games += 1
        for deal in _deals([event for _, event in effective(events)[1:]]):
            self._add_deal(opened, deal)

    def _add_deal(self, opened: GameOpened[Any], deal: "_Deal") -> None:
        seats = opened.seats
        by = seats[deal.dealer] if deal.dealer < len(seats) else None
        if self.dealer is not None:
            self._add_score(seats.index(self.dealer), deal, is_own=by == self.dealer)
        if self.dealer is not None and by != self.dealer:
            return
        if not deal.is_known:
            self.unknown += 1
            return
        self.deals += 1
        for seat, hand in deal.hands.items():
            position = (seat - deal.dealer) % len(seats)
            for kind, special, count, pack in _special(opened, deal, hand):
                place = (kind, position)
                self._draws.setdefault(place, Counter())[Draw(pack, special, len(hand))] += 1
                self._seen[place] += count

    def _add_score(self, seat: int, deal: "_Deal", *, is_own: bool) -> None:
        score = deal.scores[seat] if seat < len(deal.scores) else None
        if score is not None:
            (self._own if is_own else self._others).append(score)

    def answer(self, bias: float = BIAS) -> Answer:
        """Return every number with what was to be expected, corrected for how many there are."""
        asked = [*self._cards(), *self._scores()]
        corrected = holm([one[-2] for one in asked])
        tests = len(asked)
        return Answer(
            dealer=self.dealer,
            games=self.games,
            deals=self.deals,
            unknown=self.unknown,
            level=LEVEL,
            bias=bias,
            questions=tuple(
                Question(
                    *one[:6],
                    corrected=p,
                    is_unusual=p < LEVEL,
                    needed=None if one[6] is None else hands_needed(one[6], bias, tests),
                )
                for one, p in zip(asked, corrected, strict=True)
            ),
        )

    def _cards(self) -> Iterator[tuple[str, int, int, float, float, float, float | None]]:
        for (kind, position), draws in sorted(self._draws.items()):
            whole, seen = expected(draws), self._seen[kind, position]
            spread = whole.variance / whole.hands
            yield kind, position, whole.hands, seen, whole.mean, whole.p_value(seen), spread

    def _scores(self) -> Iterator[tuple[str, int, int, float, float, float, float | None]]:
        if self._own and self._others:
            own, others = self._own, self._others
            averages = sum(own) / len(own), sum(others) / len(others)
            yield "scores", 0, len(own), *averages, rank_sum_p(own, others), None


class _Deal(msgspec.Struct):
    """What a deal's record says of how it was dealt and how it ended."""

    dealer: int
    hands: dict[int, tuple[str, ...]] = {}
    deck: int = 52
    turn_up: str | None = None
    scores: Sequence[int | None] = ()

    @property
    def is_known(self) -> bool:
        return bool(self.hands) and not any(UNKNOWN in hand for hand in self.hands.values())


def _deals(events: Iterable[Event]) -> Iterator[_Deal]:
    deal: _Deal | None = None
    for event in events:
        match event:
            case Shuffled():
                if deal is not None:
                    yield deal
                deal = _Deal(event.dealer, {}, len(event.deck))
            case Dealt() if deal is not None:
                deal.hands[event.seat] = event.cards
            case DealScored() if deal is not None:
                deal.scores = event.scores
            case _ if deal is not None and event.__struct_config__.tag == "turn_up":
                deal.turn_up = getattr(event, "card", None)
            case _:
                pass
    if deal is not None:
        yield deal


def _special(
    opened: GameOpened[Any], deal: _Deal, hand: tuple[str, ...]
) -> Iterator[tuple[str, int, int, int]]:
    """Yield each kind of special card: its name, how many the pack has, how many the hand has, the pack's size."""
    packs = 2 if deal.deck > 60 else 1
    yield "aces", 4 * packs, sum(card[0] == "A" for card in hand), deal.deck
    if deal.turn_up is not None:
        # The card turned up is known not to be in any hand.
        suit = deal.turn_up[1]
        yield "trumps", 12, sum(card[1] == suit for card in hand), deal.deck - 1
        if deal.turn_up != _PAM and getattr(opened.ruleset, "form", "") == "loo5":
            yield "pam", 1, hand.count(_PAM), deal.deck - 1
        return
    yield "tens", 16 * packs, sum(card[0] in "TJQK" for card in hand), deal.deck
    jokers = deal.deck - 52 * packs
    if jokers > 0:
        yield "jokers", jokers, sum(map(is_joker, hand)), deal.deck
