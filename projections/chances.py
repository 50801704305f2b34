"""Were the cards and scores of many deals such as a well-shuffled pack gives? Figures, and no verdict on anybody.

Pure. What is asked is only whether numbers are unusual. Unusual numbers come by chance too, the more of them
are looked at; so every p-value is given corrected for all that were looked at (`significance.holm`), beside how
many deals it would take to see a bias at all. Nothing here says why a number is unusual, and nothing says that
anyone did anything. Position 0 is the dealer, 1 the player to the dealer's left.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from events.common import Event, GameOpened
from events.game import effective
from projections.apart import TOLERANCE, Apart
from projections.chances_told import Answer, Outlook, Question, Reference
from projections.dealings import Dealing, dealings
from projections.hypergeometric import Draw, expected, hands_by_count
from projections.places import Places, halves
from projections.significance import LEVEL, POWER, Moments, hands_needed, holm
from projections.views import VIEWS, open_upto, view_of

BIAS: Final = 0.25
"""Special cards a hand: the bias for which the number of hands needed is told, unless another is asked for."""
EDGE: Final = 0.1
"""How much more often than half ahead of another seat: the same for scores."""
_NEGLIGIBLE: Final = 0.001
"""A bias below this is none that any number of hands would show."""
SMALLEST: Final = 0.01
MOST: Final = 20.0
MOST_EDGE: Final = 0.49
"""The least that can be asked for, and the most: special cards a hand, and an edge."""
_SEATS: Final = 4
"""Seats of the table of which it is told what it would take, where nothing has been played yet."""


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A number before the others are known: one hand's `spread`, the `bias` that is to be seen.

    `step` and `more` are those of `hands_needed`.
    """

    kind: str
    position: int
    reference: Reference
    hands: int
    seen: float
    expected: float
    p_value: float
    spread: Moments
    bias: float
    step: float = 0.0
    more: float = 0.0
    score: float | None = None
    score_expected: float | None = None
    counts: tuple[int, ...] = ()
    counts_expected: tuple[float, ...] = ()


class Tally:
    """Adds up games one after another, in constant memory.

    *dealer* is the id of the player whose deals alone are looked at. Unless *is_whole*, only deals count that
    are open to everybody, so that the answer tells nothing hidden, whoever gets it.
    """

    def __init__(self, dealer: str | None = None, *, is_whole: bool = False) -> None:
        self.dealer = dealer
        self.games = self.deals = self.scored = self.unknown = self.in_play = 0
        self._is_whole = is_whole
        self._draws: dict[tuple[str, int], Counter[Draw]] = {}
        self._counts: dict[tuple[str, int], Counter[int]] = {}
        self._places, self._apart = Places(), Apart()

    def add(self, events: Sequence[Event]) -> None:
        """Add one game; a log without a start, and one at which the dealer does not sit, adds nothing."""
        if not events or not isinstance(events[0], GameOpened):
            return
        opened = events[0]
        if self.dealer is not None and self.dealer not in opened.seats:
            return
        self.games += 1
        scored = []
        for deal in self._open(opened, events):
            is_own = self._is_own(opened, deal)
            if is_own:
                self._add_cards(opened, deal)
            scores = [one for one in deal.scores if one is not None]
            if len(scores) == len(deal.scores) == len(opened.seats):
                scored.append((deal.dealer, halves(scores)))
                self._add_scores(deal.dealer, scores, is_own=is_own)
        if self.dealer is not None and opened.seats.count(self.dealer) == 1:
            self._apart.add(len(opened.seats), opened.seats.index(self.dealer), scored)

    def _open(self, opened: GameOpened[Any], events: Sequence[Event]) -> Iterator[Dealing]:
        """Yield the deals that may be looked at, and count the others."""
        kept = effective(events)[1:]
        upto = len(events) if self._is_whole else open_upto(opened.game, events)
        for deal in dealings(event for version, event in kept if version <= upto):
            if deal.dealer < len(opened.seats) and (deal.hands or deal.scores):
                yield deal
        closed = dealings(event for version, event in kept if version > upto)
        self.in_play += sum(self._is_own(opened, deal) for deal in closed)

    def _is_own(self, opened: GameOpened[Any], deal: Dealing) -> bool:
        """Tell whether a deal is one of those that are asked about."""
        return self.dealer is None or self.dealer in opened.seats[deal.dealer : deal.dealer + 1]

    def _add_scores(self, dealer: int, scores: Sequence[int], *, is_own: bool) -> None:
        if is_own:
            self.scored += 1
            self._places.add(dealer, scores)

    def _add_cards(self, opened: GameOpened[Any], deal: Dealing) -> None:
        view, seats = view_of(opened.game).chances, len(opened.seats)
        if not deal.is_countable(view.pack(opened), seats):
            self.unknown += 1
            return
        self.deals += 1
        for seat, hand in deal.hands.items():
            for one in view.counted(opened, deal, hand):
                place = (one.kind, (seat - deal.dealer) % seats)
                draw = Draw(one.pack, one.special, len(hand))
                self._draws.setdefault(place, Counter())[draw] += 1
                self._counts.setdefault(place, Counter())[one.came] += 1

    def answer(self, bias: float = BIAS, edge: float = EDGE) -> Answer:
        """Return every number with what was to be expected, corrected for how many there are."""
        asked = [*self._cards(bias), *self._scores(edge), *self._left(edge)]
        corrected = holm([one.p_value for one in asked])
        return Answer(
            dealer=self.dealer,
            games=self.games,
            deals=self.deals,
            scored=self.scored,
            unknown=self.unknown,
            in_play=self.in_play,
            level=LEVEL,
            power=POWER,
            bias=bias,
            edge=edge,
            tests=len(asked),
            questions=tuple(
                _question(one, p, len(asked)) for one, p in zip(asked, corrected, strict=True)
            ),
            outlook=() if asked else outlook(bias, edge),
        )

    def _cards(self, bias: float) -> Iterator[_Asked]:
        for (kind, position), draws in sorted(self._draws.items()):
            whole, counts = expected(draws), self._counts[kind, position]
            seen = sum(came * hands for came, hands in counts.items())
            wanted = hands_by_count(draws, most=max(counts))
            yield _Asked(
                kind=kind,
                position=position,
                reference="shuffle",
                hands=whole.hands,
                seen=seen,
                expected=whole.mean,
                p_value=whole.p_value(seen),
                spread=whole.of_one,
                bias=bias,
                step=1.0,
                more=_of_a_card_more(bias),
                counts=tuple(counts[came] for came in range(len(wanted))),
                counts_expected=wanted,
            )

    def _scores(self, edge: float) -> Iterator[_Asked]:
        for one in self._places.found():
            yield _Asked(
                kind="places",
                position=one.position,
                reference="permutation",
                hands=one.deals,
                seen=one.ahead,
                expected=one.expected.mean / 2,
                p_value=one.p_value,
                spread=Moments(one.expected.of_one.variance / 4),
                bias=edge * one.rivals / one.deals,
                step=0.5,
                score=one.score,
                score_expected=one.scores,
            )

    def _left(self, edge: float) -> Iterator[_Asked]:
        for one in self._apart.found():
            yield _Asked(
                kind="apart",
                position=one.position,
                reference="comparison",
                hands=one.deals,
                seen=one.ahead,
                expected=one.ahead - one.surplus,
                p_value=one.p_value,
                spread=Moments(one.variance / one.deals),
                bias=(edge - TOLERANCE) * one.rivals / one.deals,
            )


def outlook(bias: float, edge: float) -> tuple[Outlook, ...]:
    """Return what it takes at a usual table of each game, as many numbers being looked at as it has."""
    found = []
    scores = Moments((_SEATS * _SEATS - 1) / 12)
    for game, view in VIEWS.items():
        usual = view.chances.usual
        tests = _SEATS * (len(usual) + 1)
        for kind, draw in usual.items():
            hand = expected({draw: 1}).of_one
            more = _of_a_card_more(bias)
            found.append(Outlook(game, kind, hands_needed(hand, bias, tests, step=1.0, more=more)))
        ahead = hands_needed(scores, edge * (_SEATS - 1), tests, step=0.5)
        found.append(Outlook(game, "places", ahead))
    return tuple(found)


def _of_a_card_more(bias: float) -> float:
    """Return the variance that a bias adds which is a card more now and then: 0.25 of them in every fourth hand."""
    part = bias % 1
    return part * (1 - part)


def _question(asked: _Asked, corrected: float, tests: int) -> Question:
    told = msgspec.structs.asdict(asked)
    spread, bias, step, more = (told.pop(name) for name in ("spread", "bias", "step", "more"))
    is_seen = bias > _NEGLIGIBLE
    return Question(
        **told,
        corrected=corrected,
        is_unusual=corrected < LEVEL,
        needed=hands_needed(spread, bias, tests, step=step, more=more) if is_seen else None,
    )
