"""Answers that the client gives with more of their types than the service writes them with.

The service knows which game it speaks of, and writes whatever that game has; here the game is read first.
"""

from typing import Final
from uuid import UUID

import msgspec
from msgspec import UNSET, Raw, UnsetType

from api.client_errors import BadAnswer, decoded, printable
from api.disputes_wire import ScoresShown
from api.wire import GameSummary, Viewer
from projections.lanterloo_course import LooDeal
from projections.rummy500_course import RummyDeal
from projections.timeline import Timeline


class GameShown(GameSummary, frozen=True, kw_only=True):
    """A game, the event that opened it, and its scores as played and as ruled if they were asked for."""

    opened: Raw
    scores: ScoresShown | UnsetType = UNSET


class RummyTimeline(Timeline, frozen=True, kw_only=True):
    """The course of a game of 500 Rummy."""

    deals: tuple[RummyDeal, ...]


class LooTimeline(Timeline, frozen=True, kw_only=True):
    """The course of a session of Lanterloo."""

    deals: tuple[LooDeal, ...]


class TimelineShown(msgspec.Struct, frozen=True):
    """The course of a game, computed from what the viewer sees."""

    game_id: UUID
    version: int
    viewer: Viewer
    timeline: RummyTimeline | LooTimeline


class _Named(msgspec.Struct, frozen=True):
    game: str


class _Course(msgspec.Struct, frozen=True):
    game_id: UUID
    version: int
    viewer: Viewer
    timeline: Raw


_COURSES: Final[dict[str, type[RummyTimeline] | type[LooTimeline]]] = {
    "rummy500": RummyTimeline,
    "lanterloo": LooTimeline,
}


def timeline_of(raw: bytes) -> TimelineShown:
    """Return a timeline with the deals of its game; raise BadAnswer for a game that is not known here."""
    found = decoded(raw, _Course)
    course = bytes(found.timeline)
    game = decoded(course, _Named).game
    if game not in _COURSES:
        raise BadAnswer(f"a game {printable(game)[:40]!r}, expected one of {', '.join(_COURSES)}")
    return TimelineShown(
        found.game_id, found.version, found.viewer, decoded(course, _COURSES[game])
    )
