"""The games that are measured with: made up by the rules themselves, the same ones every time.

What may come next is what `due` and `legal` say; a seed decides among it. No database here.
"""

import random
from collections.abc import Sequence
from itertools import count
from typing import Any, Final
from uuid import UUID

import msgspec

from events.codec import encode
from events.common import GameOpened
from events.games import RUMMY500
from events.rummy500.events import DrawDeclined, LaidOff, MeldLaid, RummyCalled, StockDrawn
from events.rummy500.ruleset import SEED
from events.version import ENGINE

SEATS: Final = 3
LENGTH: Final = 250
"""Events of a game: about three deals."""
_EAGER: Final = 0.85
_SPREAD: Final = 1000


class Script(msgspec.Struct, frozen=True):
    """One game's first `LENGTH` events: as events, as canonical text, and as (tag, fields)."""

    events: list[Any]
    bodies: list[bytes]
    acts: list[tuple[str, dict[str, Any]]]


def scripts(number: int, first: int = 0) -> list[Script]:
    """Return different games; those from another `first` are others again (below a thousand of them)."""
    return [_script(seed) for seed in range(first, first + number)]


def _script(seed: int) -> Script:
    """Return the first game from this seed on that lasts long enough."""
    games = (_play(random.Random(seed + later)) for later in count(step=_SPREAD))  # noqa: S311
    events = next(game for game in games if len(game) == LENGTH)
    bodies = [encode(event) for event in events]
    return Script(events, bodies, [_act(body) for body in bodies])


def _act(body: bytes) -> tuple[str, dict[str, Any]]:
    fields = msgspec.json.decode(body)
    del fields["v"]
    return fields.pop("t"), fields


def _play(rng: random.Random) -> list[Any]:
    opening = GameOpened(
        game=RUMMY500.name,
        ruleset=SEED,
        engine=ENGINE,
        seats=tuple(str(UUID(int=seat + 1)) for seat in range(SEATS)),
        first_dealer=0,
        mode="recorded",
        source="bench",
    )
    events: list[Any] = [opening]
    state = RUMMY500.initial(opening)
    while state.phase != "ended" and len(events) < LENGTH:
        owed = RUMMY500.due(state)
        event = owed[0] if owed else _choice(list(RUMMY500.legal(state, state.turn)), rng)
        event = RUMMY500.complete(state, RUMMY500.shuffle(state, event, rng.shuffle))
        events.append(event)
        state = RUMMY500.evolve(state, event)
    return events


def _choice(acts: Sequence[Any], rng: random.Random) -> Any:
    """Return one act: mostly cards are put down rather than kept, and drawn from the stock, as people do."""
    for kinds in ((MeldLaid, LaidOff), (StockDrawn, DrawDeclined)):
        wanted = [act for act in acts if isinstance(act, kinds)]
        if wanted and rng.random() < _EAGER:
            return rng.choice(wanted)
    return rng.choice([act for act in acts if not isinstance(act, RummyCalled)])
