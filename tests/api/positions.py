"""Games whose record begins in the middle of a deal: with a position, and what was played from there."""

import random
from typing import Any

from msgspec.structs import replace

from events import lanterloo, rummy500
from events.game import Course
from events.games import GAMES
from events.rummy500.events import MeldPosition


def from_position(log: list[Any], rng: random.Random) -> list[Any]:
    """Return a game of which somebody wrote down a position in the midst of it and what followed; any act can come next."""
    game = log[0].game
    course: Course[Any, Any] = Course(GAMES[game], log[0])
    tables = [course.state, *(course.take(event) for event in log[1:])]
    places = [at for at, state in enumerate(tables) if state.phase in PHASES[game]]
    at = rng.choice(places)
    opened = replace(log[0], mode="recorded")
    return [opened, POSITIONS[game](tables[at]), *log[at + 1 :]]


def _rummy500(state: Any) -> rummy500.events.PositionSet:
    melds = [
        MeldPosition(meld=one.meld, kind=one.kind, cards=tuple(one.cards)) for one in state.table
    ]
    return rummy500.events.PositionSet(
        deal=state.deal,
        dealer=state.dealer,
        wild=None,
        turn=state.turn,
        phase=state.phase,
        stock=state.stock,
        pile=state.pile,
        hands=state.hands,
        melds=tuple(melds),
        drawn=state.drawn if state.phase == "play" else None,
        taken=state.taken if state.phase == "play" else (),
        duty=state.duty,
        discarder=None,
        floaters=state.floaters,
        totals=state.totals,
    )


def _lanterloo(state: Any) -> lanterloo.events.PositionSet:
    return lanterloo.events.PositionSet(
        deal=state.deal,
        dealer=state.dealer,
        turn=state.turn,
        phase=state.phase,
        pool=state.pool,
        single=state.single,
        trump=state.trump,
        turn_up=state.turn_up,
        stock=state.stock,
        miss=state.miss,
        hands=state.hands,
        aside=state.aside,
        declared=state.bids,
        tricks=state.tricks,
        trick=state.trick,
        balances=state.balances,
    )


PHASES = {"rummy500": ("draw", "play"), "lanterloo": ("declare", "play")}
POSITIONS = {"rummy500": _rummy500, "lanterloo": _lanterloo}
