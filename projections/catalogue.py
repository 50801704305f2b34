"""The catalogue: a row a game, with its players, rules, state and scores, and a row a deal of it.

Pure; a read model (`projections.model`). Scores and winner are as ruled; what they were as played stands beside
them. How many findings a game has is asked of the read model of
findings: who may see them is another matter than who may see the game. Players are ids, never names.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from events.common import DealEnded, DealScored, Event, GameEnded, Redealt
from events.game import Game
from projections.model import Row, Sealed, once
from projections.ruling import Scores, disputes_in, scored
from projections.tally import Amounts, Kept, end_of, facts, kept
from projections.views import view_of

name: Final = "catalogue"
version: Final = 2
tables: Final = ("catalogue_games", "catalogue_deals")

_TOLD: Final[frozenset[type[Event]]] = frozenset({DealEnded, DealScored, Redealt})


class _Deal(msgspec.Struct, frozen=True):
    """A deal from one place among the events in force to another; `ended` is why it was over, or void."""

    deal: int
    dealer: int
    first: int
    ended: str | None = None
    out: int | None = None
    scores: tuple[int | None, ...] | None = None
    scored_at: int | None = None


def rows(game: Game[Any, Any], head: Sealed, log: Sequence[Event]) -> Mapping[str, list[Row]]:
    """Return the rows of one game; columns as `projections.schema` has them."""
    found = once(kept, game, log)
    deals, scores = list(_deals(game, found)), once(scored, game, log)
    ruled = {one.version: one.ruled for one in scores.deals}
    return {
        "catalogue_games": [_game(game, head, found, scores, deals, len(disputes_in(log)))],
        "catalogue_deals": [
            (head.game_id, *_deal(found, deal, last, ruled))
            for deal, last in zip(deals, _lasts(found, deals), strict=True)
        ],
    }


def _game(
    game: Game[Any, Any],
    head: Sealed,
    found: Kept,
    scores: Scores,
    deals: Sequence[_Deal],
    disputes: int,
) -> Row:
    opened, end = found.opened, end_of(game, found)
    return (
        head.game_id,
        head.game,
        head.mode,
        head.visibility,
        end.status,
        opened.ruleset.preset,
        opened.engine,
        [UUID(player) for player in opened.seats],
        len({deal.deal for deal in deals}),
        list(scores.ruled),
        scores.winner_ruled,
        head.created_at,
        head.first_at,
        head.changed_at,
        head.version,
        list(scores.played),
        scores.winner_played,
        disputes,
    )


def _deal(found: Kept, deal: _Deal, last: int, ruled: Mapping[int, Amounts]) -> Row:
    played = None if deal.scores is None else list(deal.scores)
    stands = None if deal.scored_at is None else ruled.get(found.versions[deal.scored_at])
    return (
        found.versions[deal.first],
        found.versions[last],
        deal.deal,
        deal.dealer,
        deal.ended,
        deal.out,
        played if stands is None else list(stands),
        played,
    )


def _deals(game: Game[Any, Any], found: Kept) -> Iterator[_Deal]:
    """Yield the deals in order; one that a position begins is one too."""
    begins = view_of(game.name).begins_deal
    deal: _Deal | None = None
    for place, event in facts(game, found, begins | _TOLD):
        if type(event) in begins:
            if deal is not None:
                yield deal
            deal = _Deal(event.deal, event.dealer, place)
        elif deal is not None:
            deal = _told(deal, event, place)
    if deal is not None:
        yield deal


def _told(deal: _Deal, event: Event, place: int) -> _Deal:
    match event:
        case DealEnded():
            return replace(deal, ended=event.reason, out=event.out)
        case DealScored():
            return replace(deal, scores=event.scores, scored_at=place)
        case Redealt():
            return replace(deal, ended=event.reason)
        case _:
            return deal


def _lasts(found: Kept, deals: Sequence[_Deal]) -> Iterator[int]:
    """Yield the place where each deal ends: before the next begins, the end of the game apart."""
    begins = [deal.first for deal in deals]
    for first, end in zip(begins, (*begins[1:], len(found.events)), strict=False):
        last = end - 1
        while last > first and isinstance(found.events[last], GameEnded):
            last -= 1
        yield last
