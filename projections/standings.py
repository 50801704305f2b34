"""The standings: a row a game and player, of which sums are made when they are asked for.

Pure; a read model (`projections.model`). A player is an id, never a name; who sits at one table twice has
one row all the same. Wins, points and chips are as ruled; what they were as played stands beside them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from events.common import Event
from events.game import Game
from projections.model import Row, Sealed, once
from projections.ruling import scored
from projections.tally import Amounts, Tally, end_of, kept
from projections.views import tallied

name: Final = "standings"
version: Final = 2
tables: Final = ("standings_games",)


def rows(game: Game[Any, Any], head: Sealed, log: Sequence[Event]) -> Mapping[str, list[Row]]:
    """Return the rows of one game, players in the order of their first seats."""
    found = once(kept, game, log)
    end, tally = end_of(game, found), once(tallied, game, log)
    scores = once(scored, game, log)
    seats: dict[str, list[int]] = {}
    for seat, player in enumerate(found.opened.seats):
        seats.setdefault(player, []).append(seat)
    return {
        "standings_games": [
            (
                head.game_id,
                UUID(player),
                head.game,
                head.visibility,
                end.status,
                tally.scored,
                int(scores.winner_ruled in own),
                *_counts(tally, scores.ruled, own),
                int(scores.winner_played in own),
                *_played(tally, scores.played, own),
            )
            for player, own in seats.items()
        ]
    }


def _counts(tally: Tally, totals: Amounts, seats: Sequence[int]) -> Iterator[int | None]:
    """Yield points, calls made, won and lost, loos, chips; null is what this game does not have."""
    total = _total(totals, seats)
    made, won, loos = (_sum(row, seats) for row in (tally.made, tally.won, tally.loos))
    yield total if made is not None else None
    yield made
    yield won
    yield None if made is None or won is None else made - won
    yield loos
    yield total if loos is not None else None


def _played(tally: Tally, totals: Amounts, seats: Sequence[int]) -> tuple[int | None, int | None]:
    """Return points and chips as played."""
    points, *_, chips = _counts(tally, totals, seats)
    return points, chips


def _total(totals: Amounts, seats: Sequence[int]) -> int | None:
    own = [totals[seat] for seat in seats]
    return None if None in own else sum(one for one in own if one is not None)


def _sum(row: Sequence[int], seats: Sequence[int]) -> int | None:
    return sum(row[seat] for seat in seats) if row else None
