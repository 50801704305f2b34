"""What the statistics of cards and scores answer: shapes alone, worked out in `projections.chances`."""

from typing import Literal

import msgspec

Reference = Literal["shuffle", "permutation", "comparison"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One number that was looked at.

    `kind` is what was counted: special cards (`aces`, `jokers`, `tens`, `trumps`, `pam`), seats that a position
    was ahead of (`places`), the same with players and positions allowed for (`apart`). `reference` is what it
    is compared with: a well-shuffled pack, the deals' own scores handed out anew, or the same games' other
    deals. `seen` and `expected` are totals over `hands` (deals, for scores). `needed` is how many of those it
    takes to see the bias asked for, null if no number would do. For `places`, `score` and `score_expected` are points a deal: of this
    position, and of the average seat. For cards, `counts` says how many hands held none of them, one, two and
    so on, and `counts_expected` how many should have: to be looked at, they have no p-value of their own.
    """

    kind: str
    position: int
    reference: Reference
    hands: int
    seen: float
    expected: float
    p_value: float
    corrected: float
    is_unusual: bool
    needed: int | None
    score: float | None = None
    score_expected: float | None = None
    counts: tuple[int, ...] = ()
    counts_expected: tuple[float, ...] = ()


class Outlook(msgspec.Struct, frozen=True):
    """How many hands a usual table of a game needs to show the bias asked for."""

    game: str
    kind: str
    needed: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found for one dealer, or for all (`dealer` null): every number that was looked at, in order.

    `deals` are those whose hands were counted, `scored` those whose scores were. Left out are `unknown` (a card
    is not known, or what is written cannot have been) and `in_play` (not open to everybody yet). `outlook` is
    for when there is nothing to reckon with.
    """

    dealer: str | None
    games: int
    deals: int
    scored: int
    unknown: int
    in_play: int
    level: float
    power: float
    bias: float
    edge: float
    tests: int
    questions: tuple[Question, ...]
    outlook: tuple[Outlook, ...] = ()

    @property
    def unusual(self) -> tuple[Question, ...]:
        """The numbers that are unusual after all corrections."""
        return tuple(one for one in self.questions if one.is_unusual)
