"""What reading a game of table notation is, whichever game it is: head, remarks, retractions, scores, the record.

A game brings a `TableReader` of its own that knows the words of its acts and facts (`notation_reader.py`,
`loo_reader.py`). Every fault becomes a FormatError with its line.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar
from uuid import UUID, uuid5

import msgspec

from events.chain import text_hash
from events.common import DealScored, GameOpened, Remarked, Retracted
from events.errors import ActError, FormatError, LanterlogError
from events.formats import Import
from events.formats.notation_parts import is_number, read_players
from events.game import Course, Game
from events.version import ENGINE

SOURCE: Final = "table notation"
MOST_EVENTS: Final = 20_000
"""Of one game in this notation: a long evening has some hundreds."""
HEAD_KEYS: Final = ("game", "players", "ruleset", "dealer")


class _Table(Protocol):
    """What every game's table says of itself."""

    @property
    def deal(self) -> int: ...


S = TypeVar("S", bound=_Table)


class TableReader(ABC, Generic[S]):
    """Reads the lines of one game into events, with the table as it stands after each."""

    game: ClassVar[Game[Any, Any]]

    def __init__(self, game_id: UUID, line: int) -> None:
        self.game_id, self.first_line, self.line = game_id, line, line
        self.head: dict[str, str] = {}
        self.labels: tuple[str, ...] = ()
        self.names: dict[str, str] = {}
        self.events: list[Any] = []
        self.remarks: dict[int, tuple[bytes, str]] = {}
        self.course: Course[S, Any] | None = None
        self.scores: tuple[int | None, ...] | None = None

    def take(self, line: int, words: str) -> None:
        """Read one line; every fault becomes a FormatError with that line."""
        self.line = line
        self._guarded(lambda: self._take(words))

    def finish(self) -> Import:
        """Return the game that was read."""
        self._guarded(self._close)
        return Import(self.game_id, self.events, self.names, self.remarks, self.first_line)

    @abstractmethod
    def _take(self, words: str) -> None:
        """Read one line; raise ActError for one that says nothing."""

    @abstractmethod
    def _close(self) -> None:
        """Put on record what the last lines leave open; raise ActError for a head alone that is no game."""

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except FormatError:
            raise
        except (LanterlogError, msgspec.ValidationError) as error:
            raise FormatError(self.line, str(error)) from error

    # The head

    def _sit_down(self) -> None:
        """Take the players from the head; ids are made from the game's."""
        people = read_players(self.head.get("players", ""))
        self.labels = tuple(people)
        self.names = {str(uuid5(self.game_id, label)): name for label, name in people.items()}

    def _open_table(self, ruleset: Any, dealer: str | None) -> None:
        """Put the opening on record; raise ActError for a table that cannot be played at."""
        opened: GameOpened[Any] = GameOpened(
            game=self.game.name,
            ruleset=ruleset,
            engine=ENGINE,
            seats=tuple(self.names),
            first_dealer=None if dealer is None else self._seat(dealer),
            mode="recorded",
            source=SOURCE,
        )
        found = self.game.problems(opened)
        if found:
            raise ActError("; ".join(f"{one.code} {dict(one.params)}" for one in found))
        self.events.append(opened)
        self.course = Course(self.game, opened)

    def _seat(self, label: str) -> int:
        if label not in self.labels:
            raise ActError(f"no such player: {label!r}, expected one of {', '.join(self.labels)}")
        return self.labels.index(label)

    # What is put on record

    @property
    def _now(self) -> S:
        assert self.course is not None
        return self.course.state

    def _add(self, event: Any) -> None:
        assert self.course is not None
        if len(self.events) == MOST_EVENTS:
            raise ActError(f"a game of more than {MOST_EVENTS} events")
        checked = msgspec.convert(msgspec.to_builtins(event), self.game.event_type)
        if self.game.is_off_the_table(self.course.state, checked):
            raise ActError("the event names a seat that is not at this table")
        self.events.append(checked)
        self.course.take(checked)

    def _remark(self, seat: int | None, about: int | None, text: str) -> None:
        version = len(self.events) + 1
        salt = uuid5(self.game_id, f"remark {version}").bytes
        self._add(Remarked(seat=seat, text=text_hash(salt, text).hex(), about=about))
        self.remarks[version] = (salt, text)

    def _retract(self, rest: str) -> None:
        match rest.split():
            case ["to", version, reason] if is_number(version):
                back_to = int(version)
            case ["to", version] if is_number(version):
                back_to, reason = int(version), "WRITTEN_WRONG"
            case _:
                raise ActError(f"expected e.g. 'retract to 12 MISREAD', not {rest[:40]!r}")
        if not 1 <= back_to <= len(self.events):
            raise ActError(f"version {back_to} is not there, expected 1 to {len(self.events)}")
        self._add(Retracted(back_to=back_to, reason=reason))

    def _keep_scores(self, numbers: dict[str, int]) -> None:
        """Wait with a line of scores for the totals that may follow."""
        self.scores = tuple(numbers.get(label) for label in self.labels)

    def _add_totals(self, numbers: dict[str, int]) -> None:
        if self.scores is None:
            raise ActError("totals without scores before them")
        self._flush_scores(tuple(numbers.get(label) for label in self.labels))

    def _flush_scores(self, totals: tuple[int | None, ...] = ()) -> None:
        scores, self.scores = self.scores, None
        if scores is not None:
            unknown = (None,) * len(self.labels)
            self._add(DealScored(deal=self._now.deal, scores=scores, totals=totals or unknown))
