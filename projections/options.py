"""What a seat may do next, what is due, and what speaks against the rest, computed from a log as somebody sees it.

Pure. Whoever hands in a log that was narrowed to a viewer gets options that tell nothing else. Work is bounded:
acts are listed lazily up to a limit, and of what is not allowed each reason is told once for a kind of act.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from events.common import Event
from events.errors import TooManyActs
from events.game import Game, Judgement, Violation
from projections.seen import SeenLog


class Refusal(msgspec.Struct, frozen=True):
    """An act that is not allowed, as an example of its kind, and the rules against it."""

    event: Event
    judgements: tuple[Judgement, ...]


class Options(msgspec.Struct, frozen=True):
    """What a seat may do at a version: `more` says that there are acts beyond those listed.

    `due` is what dealer or scorer must do first; `turn` is the seat whose turn it is.
    """

    seat: int
    turn: int
    acts: tuple[Event, ...]
    more: bool
    due: tuple[Event, ...]
    refused: tuple[Refusal, ...]


def options(seen: SeenLog, at: int, seat: int | None, limit: int) -> Options:
    """Return what a seat, whoever's turn it is by default, may do at a version as it is seen; at most *limit* acts.

    At a refereed table only what a client may send is listed. The seat must be one of the table's.
    """
    game, state = seen.game, seen.state_at(at)
    asked = state.turn if seat is None else seat
    found, more = listed(game, state, asked, limit)
    refused = tuple(_refusals(game, state, asked, found))
    return Options(asked, state.turn, tuple(found), more, seen.due(at), refused)


def listed(game: Game[Any, Any], state: Any, seat: int, limit: int) -> tuple[list[Event], bool]:
    """Return legal acts of a seat, at most *limit*, and whether there are more."""
    found: list[Event] = []
    try:
        # Not `list()`: what was found before the error counts.
        found.extend(islice(_acts(game, state, seat), limit + 1))
    except TooManyActs:
        return found[:limit], True
    return found[:limit], len(found) > limit


def _acts(game: Game[Any, Any], state: Any, seat: int) -> Iterator[Event]:
    """Yield the legal acts; what the service does first by itself stands behind the act that it is done for."""
    for act in game.legal(state, seat):
        if state.mode != "refereed" or not game.not_for_clients(act):
            yield act
            continue
        for later in game.legal(game.evolve(state, act), seat):
            if game.before(state, later) == (act,):
                yield later


def _refusals(
    game: Game[Any, Any], state: Any, seat: int, allowed: Sequence[Event]
) -> Iterator[Refusal]:
    told: set[object] = set()
    listed = {game.normal(state, act) for act in allowed}
    for act in game.thinkable(state, seat):
        against = game.judge(state, act)
        if game.normal(state, act) in listed or not any(
            isinstance(one, Violation) for one in against
        ):
            continue
        reason = (type(act), tuple((one.code, str(sorted(one.params.items()))) for one in against))
        if reason not in told:
            told.add(reason)
            yield Refusal(act, against)
