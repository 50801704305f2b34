"""What every game must offer, and how a log is folded with it.

`evolve` copies facts and never refuses; `judge` says which rules an event breaks in the state before it;
`legal` and `due` say what may and what must come next. Nothing here knows any particular game.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import msgspec

from events.common import Event, GameOpened, Retracted
from events.errors import NotALogError

S = TypeVar("S")
E = TypeVar("E", bound=Event)
S_contra = TypeVar("S_contra", contravariant=True)
E_contra = TypeVar("E_contra", contravariant=True)

_EVENT: Final = itemgetter(1)

Params = dict[str, str | int]
WhyUnchecked = Literal["unknown_card", "equal_cards"]


class Violation(msgspec.Struct, frozen=True, tag="violation"):
    """A rule that an event breaks: its code and rule number, whose act, and what prose needs.

    The parameters `expected` and `actual` are set wherever the two can be told apart.
    """

    code: str
    rule: str
    seat: int | None = None
    params: Params = {}


class Unchecked(msgspec.Struct, frozen=True, tag="unchecked"):
    """A rule that the record does not let us check: neither a breach nor a clearance (12.13)."""

    code: str
    rule: str
    why: WhyUnchecked
    seat: int | None = None
    params: Params = {}


Judgement = Violation | Unchecked


class Judge(Protocol[S_contra, E_contra]):
    """Says which rules an event breaks in the state before it.

    Some rules ask what the event leads to. Who has worked that out already passes it as *after*; it must be
    what `evolve` makes of the two, so that nothing is judged differently, only sooner.
    """

    def __call__(
        self, state: S_contra, event: E_contra, after: S_contra | None = None, /
    ) -> tuple[Judgement, ...]: ...


class Game(msgspec.Struct, Generic[S, E], frozen=True):
    """The rules of one game, as functions over its states and events.

    - `initial(opened)` gives the state after `game_opened`.
    - `evolve(state, event)` is total: whatever the record says, it says what the table then looks like.
    - `judge(state, event)` gives every rule broken, in the order phase, object, shape, duty; who has the
      state after the event already may pass it on.
    - `legal(state, seat)` yields what that seat may do, `due(state)` what dealer or scorer must do next;
      both leave `??` where the deck or a shuffle decides.
    - `normal(state, event)` rewrites an act as `legal` would write it, without changing what it means.
    - `complete(state, event)` fills in what only the service can see; `shuffle` puts an order into the
      events that a shuffle decides; `before(state, event)` is what the dealer does first.
    - `not_for_clients(event)` says why a client of a refereed table may not write an event, by its shape
      alone; `refused(state, event, violations)` is what is recorded of an act that fell, if anything, and
      `fallen(event)` what such a record says was wrong with it, None for any other event.
    - `races(event)` tells whether players do this as fast as they can, so that no one can say which version
      he saw.
    - `problems(opened)` gives the reasons why such a game cannot be opened.
    - `is_off_the_table(state, event)` tells whether an event names seats that this table does not have.
    - `skip(state, events)` leaves out what does not tell in the end: a state from which going on after so
      many of the events (those in force) ends as going through all of them does.
    - `hindsight(state, event, later)` judges an act by what the rest of its deal has shown, for games where
      that can tell more than `judge`; only an audit has the rest of the deal.
    - `thinkable(state, seat)` yields simple acts that a player could wish for, allowed or not: a few for each
      card, for telling what speaks against those that are not `legal`.
    - `bots` are players that are programs, by name; `next_act(state, bot, chance)` is what players do next
      if all of them are this one.
    """

    name: str
    event_type: Any
    presets: dict[str, Any]
    initial: Callable[[GameOpened[Any]], S]
    evolve: Callable[[S, E], S]
    judge: Judge[S, E]
    legal: Callable[[S, int], Iterator[E]]
    due: Callable[[S], tuple[E, ...]]
    normal: Callable[[S, E], E]
    complete: Callable[[S, E], E]
    shuffle: Callable[[S, E, Callable[[list[str]], None]], E]
    before: Callable[[S, E], tuple[E, ...]]
    not_for_clients: Callable[[E], tuple[Violation, ...]]
    refused: Callable[[S, E, tuple[Any, ...]], E | None]
    fallen: Callable[[E], Violation | None]
    races: Callable[[E], bool]
    problems: Callable[[GameOpened[Any]], tuple[Violation, ...]]
    is_off_the_table: Callable[[S, E], bool]
    skip: Callable[[S, Sequence[E]], tuple[S, int]]
    bots: Mapping[str, Any]
    next_act: Callable[[S, Any, Any], E]
    thinkable: Callable[[S, int], Iterator[E]]
    hindsight: Callable[[S, E, Sequence[E]], tuple[Judgement, ...]] | None = None


class Breach(msgspec.Struct, Generic[S], frozen=True):
    """Where a replay broke: the state before the event, its version, and what was wrong with it."""

    state: S
    version: int
    violations: tuple[Violation, ...]


def effective(events: Iterable[E], upto: int | None = None) -> list[tuple[int, E]]:
    """Return (version, event) for the events in force at version *upto*: retractions undo a suffix.

    Versions count from 1. A `retracted` itself is kept: it is a fact, and `evolve` passes over it.
    """
    numbered = list(islice(enumerate(events, 1), upto))
    if Retracted not in map(type, map(_EVENT, numbered)):
        return numbered  # most logs have no retraction, and are done soon
    kept: list[tuple[int, E]] = []
    for version, event in numbered:
        if isinstance(event, Retracted):
            while kept and kept[-1][0] > max(event.back_to, 1):
                kept.pop()
        kept.append((version, event))
    return kept


def last_in_force(events: Sequence[Event], kinds: tuple[type[Event], ...]) -> int:
    """Return the last version in force that is of one of these kinds, 0 if none is."""
    if Retracted in map(type, events):
        return max((v for v, event in effective(events) if isinstance(event, kinds)), default=0)
    here = range(len(events), 0, -1)  # from the end: in most games it is not far
    return next((version for version in here if isinstance(events[version - 1], kinds)), 0)


def fold(game: Game[S, E], events: Sequence[E], upto: int | None = None) -> S:
    """Return the state after *events*, or after version *upto* of them; the first opens the game."""
    kept = _in_force(events, upto)[1:]
    state, taken = game.skip(game.initial(_opening(events)), kept)
    return fold_from(game, state, kept[taken:])


def fold_from(game: Game[S, E], state: S, events: Iterable[E]) -> S:
    """Return the state after more events, none of them a retraction."""
    evolve = game.evolve
    for event in events:
        state = evolve(state, event)
    return state


def replay_while_clean(game: Game[S, E], events: Sequence[E]) -> tuple[S, Breach[S] | None]:
    """Replay up to the first event that breaks a rule; return the last clean state and the breach."""
    state = game.initial(_opening(events))
    for version, event in effective(events)[1:]:
        broken = tuple(found for found in game.judge(state, event) if isinstance(found, Violation))
        if broken:
            return state, Breach(state, version, broken)
        state = game.evolve(state, event)
    return state, None


class Course(Generic[S, E]):
    """A log while it is read or written: the state now, and short ways back for retractions.

    A state is kept for every *stride* events in force, so a retraction costs no more steps than that.
    """

    def __init__(self, game: Game[S, E], opening: GameOpened[Any], stride: int = 64) -> None:
        self.game = game
        self.stride = stride
        self.version = 1
        self.state = game.initial(opening)
        self._in_force: list[tuple[int, E]] = []
        self._kept = [self.state]

    def take(self, event: E) -> S:
        """Return the state after the next event, a retraction too."""
        self.version += 1
        if isinstance(event, Retracted):
            self._go_back(event.back_to)
        self._in_force.append((self.version, event))
        self.state = self.game.evolve(self.state, event)
        if len(self._in_force) % self.stride == 0:
            self._kept.append(self.state)
        return self.state

    def is_in_force(self, version: int) -> bool:
        """Tell whether an earlier version still counts, so that a retraction can go back to it."""
        index = bisect_left(self._in_force, version, key=itemgetter(0))
        found = self._in_force[index : index + 1]
        return version == 1 or (bool(found) and found[0][0] == version)

    def _go_back(self, version: int) -> None:
        while self._in_force and self._in_force[-1][0] > version:
            self._in_force.pop()
        strides = len(self._in_force) // self.stride
        del self._kept[strides + 1 :]
        rest = self._in_force[strides * self.stride :]
        self.state = fold_from(self.game, self._kept[-1], (event for _, event in rest))


def _in_force(events: Sequence[E], upto: int | None) -> Sequence[E]:
    """Return what `effective` does without the versions; most logs have no retraction, and are done soon."""
    if Retracted not in map(type, events):
        return events[:upto]
    return [event for _, event in effective(events, upto)]


def _opening(events: Sequence[Event]) -> GameOpened[Any]:
    if not events or not isinstance(events[0], GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    return events[0]
