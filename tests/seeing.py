"""A log as a viewer sees it, by the name of its game."""

from collections.abc import Sequence
from typing import Any

from events.games import GAMES
from projections.seen import seen_as
from projections.viewer import Viewer


def seen_by(game: str, events: Sequence[Any], viewer: Viewer) -> list[Any]:
    """Return the whole log as this viewer may see it, every version kept."""
    return list(seen_as(GAMES[game], events, viewer).shown)
