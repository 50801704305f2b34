"""Games of 500 Rummy made up by chance, every act a legal one; the same seed always makes the same game.

For tests that need many whole games. Nothing is invented here: what may come next is what `due` and `legal` say.
"""

import random
from collections.abc import Sequence
from uuid import UUID

from events.common import Event, GameOpened, Mode
from events.game import Game
from events.games import RUMMY500
from events.rummy500.events import (
    DrawDeclined,
    LaidOff,
    MeldLaid,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.ruleset import SEED, Ruleset
from events.rummy500.state import State

RUMMY: Game[State, RummyEvent] = RUMMY500
LONGEST = 1500
"""Events of one game: a table that shuffles its pile again and again may play for ever."""
EAGER = 0.85
"""How often a player puts cards down who could as well discard."""
MOST_CARDS = 8
"""How many cards an act moves at most, if there is another: a big hand at two packs has millions of melds."""


def opened(seats: int, ruleset: Ruleset = SEED, mode: Mode = "refereed") -> GameOpened[Ruleset]:
    """Return the first event of a game: seat 0 deals first, the players are the numbers from 1."""
    return GameOpened(
        game="rummy500",
        ruleset=ruleset,
        engine="test",
        seats=tuple(str(UUID(int=player + 1)) for player in range(seats)),
        first_dealer=0,
        mode=mode,
        source=None,
    )


def play(
    seed: int, seats: int = 2, ruleset: Ruleset = SEED, *, deals: int = 1, mode: Mode = "refereed"
) -> list[RummyEvent]:
    """Return the log of a game that ends by itself, or stops when that many deals are scored or it grows long."""
    rng = random.Random(seed)
    opening = opened(seats, ruleset, mode)
    assert not RUMMY.problems(opening), RUMMY.problems(opening)
    events: list[RummyEvent] = [opening]
    state = RUMMY.initial(opening)
    while (
        state.phase != "ended"
        and not (state.phase == "scored" and state.deal >= deals)
        and len(events) < LONGEST
    ):
        event = next_event(state, rng)
        events.append(event)
        state = RUMMY.evolve(state, event)
    return events


def next_event(state: State, rng: random.Random) -> RummyEvent:
    """Return what comes next: what is due, else an act of some player, with the service's part filled in."""
    owed = RUMMY.due(state)
    event = owed[0] if owed else _act(state, rng)
    return RUMMY.complete(state, RUMMY.shuffle(state, event, rng.shuffle))


def _act(state: State, rng: random.Random) -> RummyEvent:
    if state.phase == "window" and rng.random() < 0.5:
        seat = rng.randrange(state.seats)
        calls = [act for act in RUMMY.legal(state, seat) if isinstance(act, RummyCalled)]
        if _short(calls):
            return rng.choice(_short(calls))
    seat = rng.randrange(state.seats) if state.anyone_starts else state.turn
    acts = [act for act in RUMMY.legal(state, seat) if not isinstance(act, RummyCalled)]
    assert acts, f"nothing legal for seat {seat}: {state}"
    return rng.choice(_preferred(_short(acts) or acts, rng))


def _short(acts: Sequence[RummyEvent]) -> list[RummyEvent]:
    return [act for act in acts if len(getattr(act, "cards", ())) <= MOST_CARDS]


def _preferred(acts: Sequence[RummyEvent], rng: random.Random) -> Sequence[RummyEvent]:
    def of(*kinds: type[Event]) -> list[RummyEvent]:
        return [act for act in acts if isinstance(act, kinds)]

    for kinds in ((MeldLaid, LaidOff), (StockDrawn, StockRenewed, DrawDeclined)):
        chosen = of(*kinds)
        if chosen and rng.random() < EAGER:
            return chosen
    return acts
