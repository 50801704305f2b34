"""What is asked of every contestant, and who they are.

A contestant that is not installed is told from one that fails: see `missing`.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Final, Literal, Protocol
from uuid import UUID

from api.bench.place import Place
from api.bench.scripts import Script

Name = Literal["lanterlog", "postgresql", "eventsourcing", "eventsourcing_functions"]
Kind = Literal["append", "record"]

LANTERLOG: Final[Name] = "lanterlog"
PLAIN: Final[Name] = "postgresql"
RIVAL: Final[Name] = "eventsourcing"
RIVAL_FUNCTIONS: Final[Name] = "eventsourcing_functions"


class Contestant(Protocol):
    """One way to store games; made in the process that uses it."""

    def appends(self, script: Script) -> Iterator[None]:
        """Store the game's events as a new game, one event and one commit a step."""
        ...

    def records(self, script: Script) -> Iterator[None]:
        """The same, where each step first reads the game and works out its state."""
        ...

    def bring_in(self, games: Sequence[Script]) -> list[UUID]:
        """Store whole games in one transaction, a few at a time; return their ids."""
        ...

    def replay(self, game_id: UUID) -> object:
        """Read a game and return its state."""
        ...

    def walk(self) -> int:
        """Go through the whole archive in constant memory, as an audit does; return the number of events."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


def missing(name: Name) -> bool:
    """Whether what this contestant needs is not installed."""
    return name in (RIVAL, RIVAL_FUNCTIONS) and find_spec("eventsourcing") is None


def prepare(place: Place) -> None:
    """Make the tables of those who bring their own, once, before anybody enters."""
    if not missing(RIVAL):
        from api.bench.rival import Rival

        Rival(place, create=True).close()


def enter(name: Name, place: Place) -> Contestant:
    """Return the contestant, connected."""
    return _makers()[name](place)


def _makers() -> dict[Name, Callable[[Place], Contestant]]:
    from api.bench.ours import Lanterlog
    from api.bench.plain import Plain

    makers: dict[Name, Callable[[Place], Contestant]] = {LANTERLOG: Lanterlog, PLAIN: Plain}
    if not missing(RIVAL):
        from api.bench.rival import Rival

        makers[RIVAL] = Rival
        makers[RIVAL_FUNCTIONS] = lambda place: Rival(place, functions=True)
    return makers
