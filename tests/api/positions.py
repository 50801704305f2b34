"""Games whose record begins in the middle of a deal: with a position, and what was played from there."""

import random
from typing import Any

import msgspec
from msgspec.structs import replace

from events.formats.rulings_record import position_of
from events.game import Course
from events.games import GAMES


def from_position(log: list[Any], rng: random.Random) -> list[Any]:
    """Return a game of which somebody wrote down a position in the midst of it and what followed; any act can come next."""
    rules = GAMES[log[0].game]
    course: Course[Any, Any] = Course(rules, log[0])
    shown = [position_of(course.state), *(position_of(course.take(event)) for event in log[1:])]
    at = rng.choice([at for at, position in enumerate(shown) if position is not None])
    position = msgspec.convert(shown[at], rules.event_type)
    return [replace(log[0], mode="recorded"), position, *log[at + 1 :]]
