"""Where a follower gets a game's events from as they come: by asking again and again.

The one promise is `Feed`: events in the order of their versions, each once, nothing left out. Whoever follows
does not see how they come.
"""

import time
from collections.abc import Callable, Iterator
from typing import Protocol
from uuid import UUID

from api.wire import EventLine, EventPage, Viewer


class Reads(Protocol):
    """What a feed needs of a client."""

    def events(
        self, game_id: UUID, *, after: int = 0, limit: int = 200, viewer: Viewer | None = None
    ) -> EventPage:
        """Return a page of events after a version."""
        ...


class Feed(Protocol):
    """Gives the events of a game after a version, without end; waits where there are none yet."""

    def __call__(
        self, client: Reads, game_id: UUID, after: int, viewer: Viewer | None
    ) -> Iterator[EventLine]:
        """Yield each event once, in the order of versions."""
        ...


class Polling:
    """Asks for what is new, with a pause of *every* seconds where there was nothing."""

    def __init__(self, every: float = 0.5, sleep: Callable[[float], None] = time.sleep) -> None:
        self._every = every
        self._sleep = sleep

    def __call__(
        self, client: Reads, game_id: UUID, after: int, viewer: Viewer | None
    ) -> Iterator[EventLine]:
        """Yield each event once, in the order of versions."""
        while True:
            page = client.events(game_id, after=after, viewer=viewer)
            yield from page.events
            if page.events:
                after = page.events[-1].version
            else:
                self._sleep(self._every)
