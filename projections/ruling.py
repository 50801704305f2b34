"""A game's scores as played, and as ruled: as played plus what the decisions in force add.

Pure. Nothing of the game is played again: a decision names points by deal and seat, and these are added. Of each
dispute the last decision counts, and of several disputes all do. A read model finds a game's disputes in its log.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from events.common import AMOUNT_LIMIT, DealEnded, DealScored, Event
from events.disputing import Dispute, Table, fold
from events.game import Game
from projections.model import Log, once
from projections.tally import Amounts, Kept, end_of, facts, kept
from projections.views import tallied, view_of


class DealScores(msgspec.Struct, frozen=True):
    """A scored deal: the version of its score, and by seat what was scored and what stands after all rulings."""

    deal: int
    version: int
    played: Amounts
    ruled: Amounts


class Scores(msgspec.Struct, frozen=True):
    """What a game has come to, as played and as ruled; `adjusted` is what is added to each seat's total.

    A winner is null where nobody has won: as ruled also where the game ended and by the totals that stand nobody
    would have won. Adjustments of deals that were retracted since count in the totals all the same.
    """

    deals: tuple[DealScores, ...]
    adjusted: tuple[int, ...]
    played: Amounts
    ruled: Amounts
    winner_played: int | None
    winner_ruled: int | None

    @property
    def is_adjusted(self) -> bool:
        """Whether any score is another than was played."""
        return any(self.adjusted) or any(one.played != one.ruled for one in self.deals)


def as_ruled(
    game: Game[Any, Any], log: Sequence[Event], disputes: Iterable[Dispute] = ()
) -> Scores:
    """Return a game's scores under all its disputes; raise NotALogError for a log that is none."""
    found, tally = once(kept, game, log), once(tallied, game, log)
    seats = len(found.opened.seats)
    by_deal: dict[int, list[int]] = {}
    for one in (one for dispute in disputes for one in dispute.adjustments):
        if one.seat < seats:
            by_deal.setdefault(one.deal, [0] * seats)[one.seat] += one.points
    adjusted = tuple(sum(row[seat] for row in by_deal.values()) for seat in range(seats))
    ruled = _added(tally.totals, adjusted)
    return Scores(
        deals=_deals(game, found, by_deal),
        adjusted=adjusted,
        played=tally.totals,
        ruled=ruled,
        winner_played=end_of(game, found).winner,
        winner_ruled=_winner(game, found, ruled, is_adjusted=any(adjusted)),
    )


def disputes_in(log: Sequence[Event]) -> list[Dispute]:
    """Return the disputes that were read with a log, none for a plain list of events."""
    return [fold(events) for events in log.disputes] if isinstance(log, Log) else []


def scored(game: Game[Any, Any], log: Sequence[Event]) -> Scores:
    """Return a game's scores under the disputes that were read with it: what a read model asks, once a log."""
    return as_ruled(game, log, disputes_in(log))


def table_of(game: Game[Any, Any], log: Sequence[Event]) -> Table:
    """Return what of a game a dispute can speak of."""
    found = kept(game, log)
    deals = (event.deal for _, event in facts(game, found, frozenset({DealScored})))
    return Table(tuple(found.opened.seats), len(log), frozenset(deals))


def _deals(
    game: Game[Any, Any], found: Kept, by_deal: dict[int, list[int]]
) -> tuple[DealScores, ...]:
    """Return the scored deals in order; of a number that was scored twice, the last one is adjusted."""
    rows = [
        (found.versions[place], event)
        for place, event in facts(game, found, frozenset({DealScored}))
    ]
    last = {event.deal: version for version, event in rows}
    none = [0] * len(found.opened.seats)
    return tuple(
        DealScores(
            event.deal,
            version,
            tuple(event.scores),
            _added(event.scores, by_deal.get(event.deal, none))
            if last[event.deal] == version
            else tuple(event.scores),
        )
        for version, event in rows
    )


def _added(amounts: Sequence[int | None], more: Sequence[int]) -> Amounts:
    """Return sums; null where the amount is not known, or no number holds the sum."""
    sums = (None if a is None else a + b for a, b in zip(amounts, more, strict=True))
    return tuple(None if one is None or abs(one) > AMOUNT_LIMIT else one for one in sums)


def _winner(game: Game[Any, Any], found: Kept, ruled: Amounts, *, is_adjusted: bool) -> int | None:
    end = end_of(game, found)
    if not is_adjusted or end.status != "ended":
        return end.winner
    totals = [total for total in ruled if total is not None]
    if len(totals) < len(ruled):
        return None
    outs = [event.out for _, event in facts(game, found, frozenset({DealEnded}))]
    ruleset = found.opened.ruleset
    return view_of(game.name).winner(ruleset, totals, outs[-1] if outs else None)
