"""What a read model is: a name, a version, its tables, and one pure function from a log to rows.

Nothing here or in a model reads or writes a database; `projections.runner` does, and may call `rows` as
often as it likes, in any process, for any prefix of a log.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from events.common import Event
from events.disputes import DisputeEvent
from events.game import Game
from events.records import Head

T = TypeVar("T")

Row = tuple[Any, ...]


class Sealed(Head, frozen=True):
    """The head of a stream as far as it was read: `version`, `head` and `changed_at` (microseconds since
    1970 UTC) are those of the log's last event, `first_at` is the time of its first.
    """

    first_at: int


class Log(list[Event]):
    """The events of one game, with what several models ask of them worked out once.

    `disputes` are the streams of the disputes about it, each as far as it was sealed, by id.
    """

    def __init__(
        self, events: Iterable[Event] = (), disputes: Iterable[Sequence[DisputeEvent]] = ()
    ) -> None:
        super().__init__(events)
        self.disputes = tuple(disputes)
        self._answers: dict[Any, Any] = {}

    def once(
        self, question: Callable[[Game[Any, Any], Sequence[Event]], T], game: Game[Any, Any]
    ) -> T:
        """Return what *question* answers about this log, which must not be changed afterwards."""
        if question not in self._answers:
            self._answers[question] = question(game, self)
        answer: T = self._answers[question]
        return answer


class Model(Protocol):
    """A read model; a module with these four names is one.

    `version` counts up whenever `rows` gives something else for the same log, or the tables change: the rows
    are then rebuilt. `tables` are names of `projections.schema`, without the version that a table's real name
    may carry.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def tables(self) -> tuple[str, ...]: ...

    def rows(
        self, game: Game[Any, Any], head: Sealed, log: Sequence[Event]
    ) -> Mapping[str, list[Row]]:
        """Return all rows of ONE game in each of the model's tables, from its whole log up to `head`.

        Pure: the same log gives the same rows, in the same order. A row has the columns of its table in their
        order, the first of them the game's id: UUID, str, int, bool, None, a time as microseconds since 1970
        UTC, a list for an array, and for json whatever msgspec writes. Streams that are no games are never given: those of the
        disputes about a game come with its log (`Log.disputes`). Ask for what costs a walk through the log by `once(audit, game, log)`,
        so that three models pay for it once.
        """
        ...


def once(
    question: Callable[[Game[Any, Any], Sequence[Event]], T],
    game: Game[Any, Any],
    log: Sequence[Event],
) -> T:
    """Return what *question* answers about a log, from memory if it is a `Log` that was asked before."""
    return log.once(question, game) if isinstance(log, Log) else question(game, log)
