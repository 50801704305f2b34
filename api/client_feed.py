"""Following a game: its events as they come, each once, none left out, over every connection that is lost.

`Streaming` is told by the service; `Polling` asks again and again, which is left for where there are no streams.
Either is a `Feed`: whoever follows does not see how the events come. Knows no rules and no tokens.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Final, Protocol, TypeVar
from uuid import UUID

from api.client_answers import Answer
from api.client_errors import (
    BadAnswer,
    ClientError,
    NoStream,
    Problem,
    Unreachable,
    decoded,
    printable,
)
from api.client_messages import Message, messages
from api.client_wire import Retries
from api.wire import EventLine, EventPage, Viewer

T = TypeVar("T")

PERSISTENT: Final = Retries(attempts=15, first=0.25, longest=20.0)
"""How long a follower tries to come back: about three minutes without any sign of life."""
_STREAM: Final = "text/event-stream"
_NONE_HERE: Final = frozenset({405, 406, 501})
_ONE_MORE: Final = 60.0
"""Seconds of polling after which a service that had too many streams is asked for one again."""


class Source(Protocol):
    """What a feed needs of a client."""

    def events(
        self, game_id: UUID, *, after: int = 0, limit: int = 200, viewer: Viewer | None = None
    ) -> EventPage:
        """Return a page of events after a version."""
        ...

    def stream(
        self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None, silence: float
    ) -> Answer:
        """Return the open stream of the events after a version, at the first attempt or not at all."""
        ...


class Halt:
    """Says that following is to end, from any thread: wakes who waits, and hangs up."""

    def __init__(self) -> None:
        self._told = threading.Event()
        self._lock = threading.Lock()
        self._answer: Answer | None = None

    @property
    def is_told(self) -> bool:
        """Whether it was said."""
        return self._told.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for so long, or until it is said; tell whether it was."""
        return self._told.wait(seconds)

    def tell(self) -> None:
        """Say it."""
        self._told.set()
        with self._lock:
            if self._answer is not None:
                self._answer.hang_up()

    @contextmanager
    def holding(self, answer: Answer) -> Iterator[Answer]:
        """Keep an answer that is hung up if it is said; closed at the end of the block."""
        with answer:
            with self._lock:
                self._answer = answer
            try:
                if self.is_told:  # said before there was anything to hang up
                    answer.hang_up()
                yield answer
            finally:
                with self._lock:
                    self._answer = None


class Feed(Protocol):
    """Gives the events of a game after a version, until it is told to stop; waits where there are none yet."""

    def __call__(
        self, source: Source, game_id: UUID, after: int, viewer: Viewer | None, halt: Halt
    ) -> Iterator[EventLine]:
        """Yield each event once, in the order of versions."""
        ...


class Following(Iterator[EventLine]):
    """The events of a game as they come; an iterator, a context manager, and to be closed from any thread."""

    def __init__(self, follow: Callable[[Halt], Generator[EventLine, None, None]]) -> None:
        self._halt = Halt()
        self._lines = follow(self._halt)

    def __next__(self) -> EventLine:
        if self._halt.is_told:
            raise StopIteration
        try:
            return next(self._lines)
        except ClientError:
            if self._halt.is_told:  # what was hung up is no failure
                raise StopIteration from None
            raise

    def __enter__(self) -> "Following":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it: whoever waits for the next event gets no more, and the connection is given up."""
        self._halt.tell()
        with suppress(ValueError):  # another thread is in it, and has been woken
            self._lines.close()


class Polling:
    """Asks for what is new, with a pause of *every* seconds where there was nothing.

    It gives up after *retries* attempts without an answer, each of which the client itself tries several times.
    """

    def __init__(self, every: float = 0.5, retries: Retries = PERSISTENT) -> None:
        self._every = every
        self._retries = retries

    def __call__(
        self,
        source: Source,
        game_id: UUID,
        after: int,
        viewer: Viewer | None,
        halt: Halt,
        seconds: float | None = None,
    ) -> Iterator[EventLine]:
        """Yield each event once, in the order of versions; with *seconds* only until so much was waited."""
        waited = 0.0
        while not halt.is_told and (seconds is None or waited < seconds):
            ask = partial(source.events, game_id, after=after, viewer=viewer)
            page = persistently(ask, self._retries, halt)
            lines = [] if page is None else page.events
            for line in lines:
                yield _next(line, after)
                after = line.version
            if not lines:
                halt.wait(self._every)
                waited += self._every


class Streaming:
    """Listens to the service's stream, and comes back where it was whenever that is cut off.

    A stream that says nothing for *silence* seconds counts as cut off; the service says something every 15. It
    gives up after *retries* attempts without any sign of life. Only where the service answers that there is no
    stream to be had, it asks with *polling* instead.
    """

    def __init__(
        self,
        retries: Retries = PERSISTENT,
        silence: float = 45.0,
        polling: Polling | None = None,
    ) -> None:
        self._retries = retries
        self._silence = silence
        self._polling = polling or Polling()

    def __call__(
        self, source: Source, game_id: UUID, after: int, viewer: Viewer | None, halt: Halt
    ) -> Iterator[EventLine]:
        """Yield each event once, in the order of versions."""
        attempt, least = 1, 0.0
        while True:
            try:
                for message in self._said(source, game_id, after, viewer, halt):
                    line = _line_of(message, after)
                    if line is not None:
                        yield line
                        after = line.version
                    if line is not None or message.comment:
                        attempt = 1
                    if message.retry is not None:
                        least = message.retry / 1000
                failure: Problem | Unreachable = _ended("without a word")
            except (Problem, Unreachable) as error:
                failure = error
            if halt.is_told:
                return
            if _is_none_here(failure):
                for line in self._polled(source, game_id, after, viewer, halt, failure):
                    yield line
                    after = line.version
                continue
            pause = self._retries.pause(attempt, failure, least)
            if pause is None:
                raise failure.after(attempt) if isinstance(failure, Unreachable) else failure
            halt.wait(pause)
            attempt += 1

    def _said(
        self, source: Source, game_id: UUID, after: int, viewer: Viewer | None, halt: Halt
    ) -> Iterator[Message]:
        """Yield what one stream says, until it ends; raise Unreachable if it was lost."""
        stream = source.stream(game_id, after=after, viewer=viewer, silence=self._silence)
        with halt.holding(stream) as answer:
            if answer.kind != _STREAM:
                found = printable(answer.kind)[:80]
                raise BadAnswer(f"a stream of type {found!r}, expected {_STREAM}")
            yield from messages(answer.chunks(), answer.bounds.line)

    def _polled(
        self,
        source: Source,
        game_id: UUID,
        after: int,
        viewer: Viewer | None,
        halt: Halt,
        reason: ClientError,
    ) -> Iterator[EventLine]:
        seconds = _ONE_MORE if isinstance(reason, NoStream) else None
        return self._polling(source, game_id, after, viewer, halt, seconds)


def persistently(ask: Callable[[], T], retries: Retries, halt: Halt) -> T | None:
    """Return what is asked for, however long the service is away within *retries*; None if it was told to halt."""
    attempt = 1
    while not halt.is_told:
        try:
            return ask()
        except (Problem, Unreachable) as error:
            pause = retries.pause(attempt, error)
            if pause is None:
                raise
            halt.wait(pause)
            attempt += 1
    return None


def _line_of(message: Message, after: int) -> EventLine | None:
    """Return the event that a message brings, None for one that brings none, or none that is new.

    Raises Unreachable for a message that ends the stream: whoever asks again is told why.
    """
    if message.data is None:
        return None
    if message.event == "end":
        raise _ended(f"with {printable(message.data[:200].decode(errors='replace'))}")
    if message.event != "version":
        return None
    line = decoded(message.data, EventLine)
    if message.id != str(line.version):
        raise BadAnswer(f"version {line.version} under an id that is not its own")
    return _next(line, after) if line.version > after else None


def _next(line: EventLine, after: int) -> EventLine:
    """Return the line that comes after a version; raise BadAnswer for any other."""
    if line.version != after + 1:
        raise BadAnswer(f"version {line.version} after {after}, expected {after + 1}")
    return line


def _ended(how: str) -> Unreachable:
    return Unreachable("GET", _STREAM, 1, f"it ended {how}")


def _is_none_here(failure: ClientError) -> bool:
    """Tell whether the service says that it has no stream for this: too many already, or it knows none."""
    return isinstance(failure, NoStream) or (
        isinstance(failure, Problem)
        and (failure.status in _NONE_HERE or failure.code == "not_found")
    )
