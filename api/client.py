"""A client of the HTTP interface: record, follow, replay, audit, argue, export and import, in structs.

    with Client("http://127.0.0.1:8500") as client:
        game = client.open_game(["Ann", "Bob"])

Knows no rules and keeps no game. Every command goes out with an id of its own, so one whose answer was lost is
sent again and counts once. Raises what `api.client_errors` draws.
"""

from collections.abc import Generator, Iterator
from functools import partial
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Final, Literal
from uuid import UUID
from weakref import WeakSet

import httpx
import msgspec

from api.client_answers import Bounds
from api.client_disputes import Disputes
from api.client_errors import decoded
from api.client_feed import PERSISTENT, Feed, Following, Halt, Streaming, persistently
from api.client_files import Files
from api.client_lists import Lists
from api.client_reading import Reading, event_of
from api.client_recording import Act, Mode, Recording
from api.client_service import About
from api.client_wire import PATIENT, Retries, Wire
from api.wire import EventLine, Viewer

__all__ = ["Act", "Client", "Mode", "event_of"]

_LAST: Final = "game_ended"
_PAGE: Final = 1000


class _Tagged(msgspec.Struct, frozen=True):
    t: str


class Client(Recording, Reading, Lists, Files, About):
    """One service and who asks it; a context manager, and safe to use from several threads.

    *token* is sent as a bearer token and shown nowhere, *language* is that of sentences. Raises BadSettings for an
    address or a token that cannot be one. *transport* is for tests.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        retries: Retries = PATIENT,
        timeout: float = 30.0,
        bounds: Bounds | None = None,
        language: Literal["en", "ja"] | None = None,
        feed: Feed | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        wire = Wire(
            base_url,
            token,
            retries=retries,
            timeout=timeout,
            bounds=bounds,
            language=language,
            transport=transport,
        )
        super().__init__(wire)
        self.disputes = Disputes(wire)
        self._feed: Feed = feed or Streaming()
        self._followings: WeakSet[Following] = WeakSet()
        self._lock = Lock()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._wire!r})"

    def close(self) -> None:
        """End all that is followed, and every connection."""
        with self._lock:
            followings = list(self._followings)
        for following in followings:
            following.close()
        self._wire.close()

    def follow(self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None) -> Following:
        """Return the events after a version, and those to come as they come, up to the end of the game.

        Each comes once and none is left out, whatever happens to the connection. What a line hides stays hidden in
        it; read the game again when the deal has ended. Close it to end it before, from any thread.
        """
        following = Following(partial(self._followed, game_id, after, viewer))
        with self._lock:
            self._followings.add(following)
        return following

    def _followed(
        self, game_id: UUID, after: int, viewer: Viewer | None, halt: Halt
    ) -> Generator[EventLine, None, None]:
        if self.game(game_id).status == "open":
            for line in self._feed(self, game_id, after, viewer, halt):
                yield line
                after = line.version
                is_last = decoded(bytes(line.event), _Tagged).t == _LAST
                # A recorded game may have taken its end back since, and gone on.
                if is_last and self._has_ended(game_id, halt):
                    break
            else:
                return
        yield from self._rest(game_id, after, viewer, halt)

    def _has_ended(self, game_id: UUID, halt: Halt) -> bool:
        game = persistently(lambda: self.game(game_id), PERSISTENT, halt)
        return game is None or game.status == "ended"

    def _rest(
        self, game_id: UUID, after: int, viewer: Viewer | None, halt: Halt
    ) -> Iterator[EventLine]:
        """Yield what there is after a version and no more, a page at a time."""
        while True:
            page = persistently(partial(self._page, game_id, after, viewer), PERSISTENT, halt)
            if not page:
                return
            yield from page
            after = page[-1].version

    def _page(self, game_id: UUID, after: int, viewer: Viewer | None) -> list[EventLine]:
        return list(islice(self.all_events(game_id, after=after, viewer=viewer), _PAGE))
