"""The audit report of a game, a deal or a range of versions, for whoever has to rule on it.

Pure; knows no particular game, and writes no sentence (`report_text.py`). Everything is computed from the log that
is handed in: one that was narrowed to a viewer gives a report that this viewer may read. Work is bounded: positions,
knowledge and legal acts are told of so many breaches only, and never of what merely follows from them.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from events.common import Event
from events.errors import NoSuchDeal, NoSuchVersion
from events.game import Game, effective, fold_from
from projections.audit import Finding, Report, audit
from projections.correction import Correction, DealCorrection, corrected
from projections.knowledge import Knowledge, knows
from projections.options import listed
from projections.primary import causes
from projections.timeline import timeline
from projections.views import view_state

MOST_MOMENTS: Final = 40
"""Breaches that are told with the position, what was known and what was legal."""
MOST_ACTS: Final = 40
"""Legal acts that are listed at each."""


class Scope(msgspec.Struct, frozen=True):
    """What a report is about: versions `first` to `last`, and the deal if it is one."""

    deal: int | None
    first: int
    last: int


class Moment(msgspec.Struct, frozen=True):
    """The table just before a breach: `view` as a page shows it, what the seat knew, and what was open to it.

    `acts` are legal acts of the seat (`more` of them than are listed), `due` what dealer or scorer had to do first.
    `knowledge` is null where no player acted.
    """

    view: dict[str, Any]
    knowledge: Knowledge | None
    acts: tuple[Event, ...]
    more: bool
    due: tuple[Event, ...]


class Told(msgspec.Struct, frozen=True):
    """A breach: `follows` is the version of the one that it follows from, null if it stands for itself.

    `event` is what happened instead of what was right; `score` is the deal's, as recorded and as it would be.
    `moment` is null where it follows from another, and beyond the first MOST_MOMENTS.
    """

    finding: Finding
    follows: int | None
    event: Event
    moment: Moment | None
    score: DealCorrection | None


class Side(msgspec.Struct, frozen=True):
    """The same under another ruleset: its name, its findings, and the first version where the two part."""

    ruleset: str
    findings: tuple[Finding, ...]
    unchecked: tuple[Finding, ...]
    parts_at: int | None


class AuditReport(msgspec.Struct, frozen=True):
    """A report; `ruleset` is the one judged by, `events` are those in force in the scope, `is_whole` if that is the game."""

    game: str
    ruleset: str
    scope: Scope
    events: int
    is_whole: bool
    finished: bool
    retracted: int
    breaches: tuple[Told, ...]
    unchecked: tuple[Finding, ...]
    correction: Correction
    beside: Side | None

    def following(self, cause: Told) -> tuple[Told, ...]:
        """Return what follows from a breach, another finding of the same act too."""
        version = cause.finding.version
        return tuple(one for one in self.breaches if one.follows == version)

    @property
    def primary(self) -> tuple[Told, ...]:
        """The breaches that stand for themselves."""
        return tuple(one for one in self.breaches if one.follows is None)


def report(
    game: Game[Any, Any],
    events: Sequence[Event],
    *,
    deal: int | None = None,
    first: int | None = None,
    last: int | None = None,
    ruleset: Any = None,
) -> AuditReport:
    """Return the report of a log under its own ruleset and, if one is given, under another beside it.

    Raises NotALogError for a log that does not begin as one does, NoSuchDeal and NoSuchVersion for a scope that it
    does not have.
    """
    scope = _scope(game, events, deal, first, last)
    whole = audit(game, events)
    kept = effective(events)
    follows = causes(game, kept, whole.findings)
    correction = corrected(game, events)
    writer = _Writer(game, events, kept, correction)
    inside = [
        writer.told(one, cause)
        for one, cause in zip(whole.findings, follows, strict=True)
        if _is_in(one, scope)
    ]
    other = None if ruleset is None else audit(game, events, ruleset)
    return AuditReport(
        game=game.name,
        ruleset=whole.ruleset,
        scope=scope,
        events=sum(scope.first <= version <= scope.last for version, _ in kept),
        is_whole=(scope.first, scope.last) == (1, len(events)),
        finished=whole.unfinished is None or scope.last < len(events),
        retracted=whole.retracted,
        breaches=tuple(inside),
        unchecked=tuple(one for one in whole.unchecked if _is_in(one, scope)),
        correction=_narrowed(correction, scope),
        beside=None if other is None else _side(whole, other, scope),
    )


def _scope(
    game: Game[Any, Any],
    events: Sequence[Event],
    deal: int | None,
    first: int | None,
    last: int | None,
) -> Scope:
    """Return what is asked for; of a deal that was dealt again, all of it."""
    begin, end = 1, len(events)
    if deal is not None:
        lines = [line for line in timeline(game, events).deals if line.deal == deal]
        if not lines:
            raise NoSuchDeal(deal)
        begin, end = lines[0].first, lines[-1].last
    for version in (first, last):
        if version is not None and not 1 <= version <= len(events):
            raise NoSuchVersion(version, len(events))
    return Scope(deal, max(begin, first or 1), min(end, last or end))


def _is_in(one: Finding, scope: Scope) -> bool:
    return scope.first <= one.version <= scope.last


def _narrowed(correction: Correction, scope: Scope) -> Correction:
    """Return the scores of the deals that the scope touches; totals are the game's."""
    deals = tuple(
        deal for deal in correction.deals if deal.first <= scope.last and deal.last >= scope.first
    )
    return replace(correction, deals=deals)


def _side(own: Report, other: Report, scope: Scope) -> Side:
    apart = [version for version, *_ in _keys(own) ^ _keys(other)]
    inside = [version for version in apart if scope.first <= version <= scope.last]
    return Side(
        other.ruleset,
        tuple(one for one in other.findings if _is_in(one, scope)),
        tuple(one for one in other.unchecked if _is_in(one, scope)),
        min(inside, default=None),
    )


def _keys(found: Report) -> set[tuple[int, str, str, int | None]]:
    both = (*found.findings, *found.unchecked)
    return {(one.version, one.severity, one.code, one.seat) for one in both}


class _Writer:
    """Tells breaches one after the other, the states between them kept."""

    def __init__(
        self,
        game: Game[Any, Any],
        events: Sequence[Event],
        kept: Sequence[tuple[int, Event]],
        correction: Correction,
    ) -> None:
        self.game, self.events, self.kept, self.correction = game, events, kept, correction
        opened: Any = kept[0][1]
        self._state, self._at = game.initial(opened), 1
        self._told = 0

    def told(self, one: Finding, follows: int | None) -> Told:
        """Return one breach; they come in order."""
        moment = None
        if follows is None and self._told < MOST_MOMENTS:
            self._told += 1
            moment = self._moment(one)
        event = self.events[one.version - 1]
        score = None if one.deal is None else self.correction.of(one.version)
        return Told(one, follows, event, moment, score)

    def _moment(self, one: Finding) -> Moment:
        state = self._before(one.version)
        event = self.events[one.version - 1]
        seat = _actor(one, event)
        acts: Sequence[Event] = ()
        knowledge, more = None, False
        if seat is not None and seat < state.seats:
            acts, more = listed(self.game, state, seat, MOST_ACTS)
            knowledge = knows(self.game, self.events, seat, one.version - 1)
        view = view_state(self.game.name, state, "all")
        return Moment(view, knowledge, tuple(acts), more, self.game.due(state))

    def _before(self, version: int) -> Any:
        """Return the state before a version, no earlier than the last one asked for."""
        end = self._at
        while end < len(self.kept) and self.kept[end][0] < version:
            end += 1
        self._state = fold_from(
            self.game, self._state, (event for _, event in self.kept[self._at : end])
        )
        self._at = end
        return self._state


def _actor(one: Finding, event: Event) -> int | None:
    """Return the player whose act a breach is, None where dealer or scorer erred."""
    if event.__struct_config__.tag in _FACTS:
        return None
    seat = getattr(event, "seat", None)
    return one.seat if seat is None else seat


_FACTS: Final = frozenset(
    (
        *(
            "dealer_drawn",
            "shuffled",
            "dealt",
            "miss_dealt",
            "turn_up",
            "upcard_turned",
            "first_card_turned",
        ),
        *(
            "ante_paid",
            "trick_taken",
            "pool_paid",
            "looed",
            "penalty_paid",
            "flush_shown",
            "floated",
        ),
        *("deal_ended", "deal_scored", "game_ended", "session_divided", "redealt", "stock_renewed"),
    )
)
