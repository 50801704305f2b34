"""A log as one viewer sees it, and the tables that it makes: nothing is worked out from what is hidden from him.

Pure. A record may say what cannot be: that somebody drew a card which lies in another hand. The whole record then moves
it from there; to a viewer who does not see which card it was, the stock grew smaller, as at any draw. So what he is
shown is what his own log leads to, not the whole log's table with some of it covered.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from events.common import Event
from events.game import Game, Judgement, fold, fold_from
from projections.replay import Step, state_at, states
from projections.viewer import Viewer
from projections.views import open_upto, view_event, view_of, view_state

Sees = Callable[[int], Viewer]
"""Whose view a version has."""


class Seen(NamedTuple):
    """One version as it is seen: its event, and the view of the table after it."""

    version: int
    event: Event
    view: dict[str, Any]


class CardsSeen(NamedTuple):
    """One version as it is seen: its event, the deal, and where the cards are."""

    version: int
    event: Event
    deal: int
    cards: dict[str, Any]


class SeenLog:
    """A whole log as one viewer sees it; make one by `seen_log`."""

    def __init__(
        self, game: Game[Any, Any], sees: Sees, shown: Sequence[Event], held: Sequence[Event]
    ) -> None:
        self.game = game
        self.sees = sees
        self.shown = shown
        """The events, each as it may be seen."""
        self.held = held
        """The same, with the cards in it that the record gave to the viewer's own hand where an act of his says `??`."""

    @cached_property
    def state(self) -> Any:
        """The state that what is seen leads to; raises NotALogError for a log without a start."""
        return fold(self.game, self.held)

    def state_at(self, version: int) -> Any:
        """Return the state that what is seen up to a version leads to; raise NoSuchVersion."""
        is_last = version == len(self.held)
        return self.state if is_last else state_at(self.game, self.held, version)

    def view(self, version: int | None = None) -> dict[str, Any]:
        """Return the view at a version, the last by default; raise NoSuchVersion."""
        version = len(self.held) if version is None else version
        return view_state(self.game.name, self.state_at(version), self.sees(version))

    def due(self, version: int) -> tuple[Event, ...]:
        """Return what must come next from dealer and scorer at a version, nothing where its view does not say so."""
        told = self.view(version)["due"]
        found = self.game.due(self.state_at(version))
        return tuple(event for event in found if event.__struct_config__.tag in told)

    def steps(self, first: int = 1, last: int | None = None) -> Iterator[Seen]:
        """Yield the versions from *first* to *last* with their views, the retracted ones too."""
        for step in states(self.game, self.held, last, first):
            at = step.version
            yield Seen(
                at, self.shown[at - 1], view_state(self.game.name, step.after, self.sees(at))
            )

    def cards(self, last: int | None = None) -> Iterator[CardsSeen]:
        """Yield every version up to *last* with the part of its view that says where the cards are."""
        part = view_of(self.game.name).cards
        for step in states(self.game, self.held, last):
            at, after = step.version, step.after
            yield CardsSeen(at, self.shown[at - 1], after.deal, part(after, self.sees(at)))

    def judged(self, first: int, last: int) -> Iterator[tuple[int, Sequence[Judgement]]]:
        """Yield what the rules find in the acts from version *first*, which is not the opening, to *last*."""
        for step in states(self.game, self.held, last, first):
            yield step.version, self.game.judge(step.before, self.shown[step.version - 1])

    def with_more(self, events: Sequence[Event], sees: Sees) -> "SeenLog":
        """Return the log with what has come since, *events* being the whole of it; what was seen stays as it was.

        Only where the past is seen as before: no deal has ended since, and nothing was taken back.
        """
        known = len(self.held)
        later = _shown(self.game, events[known:], sees, known + 1)
        shown = [*self.shown, *later]
        held = [*self.held, *_held(self.game, events, shown, sees, known + 1)[known:]]
        more = SeenLog(self.game, sees, shown, held)
        if "state" in self.__dict__:
            more.state = fold_from(self.game, self.state, held[known:])
        return more


def seen_log(game: Game[Any, Any], events: Sequence[Event], sees: Sees) -> SeenLog:
    """Return a whole log as it is seen by whom *sees* names for each version."""
    shown = _shown(game, events, sees, 1)
    return SeenLog(game, sees, shown, _held(game, events, shown, sees, 1))


def seen_as(game: Game[Any, Any], events: Sequence[Event], viewer: Viewer) -> SeenLog:
    """Return a whole log as a viewer sees it to whom what has ended is open."""
    upto = open_upto(game.name, events)
    return seen_log(game, events, lambda version: "all" if version <= upto else viewer)


def _shown(
    game: Game[Any, Any], events: Sequence[Event], sees: Sees, first: int
) -> Sequence[Event]:
    return [
        view_event(game.name, event, sees(version)) for version, event in enumerate(events, first)
    ]


def _held(
    game: Game[Any, Any], events: Sequence[Event], shown: Sequence[Event], sees: Sees, first: int
) -> Sequence[Event]:
    """Return the events as shown, those from version *first* with the cards that the viewer's own hand got."""
    view = view_of(game.name)
    wanted = [
        version
        for version, event in enumerate(shown[first - 1 :], first)
        if view.brings_unknown(event) and sees(version) == getattr(event, "seat", None)
    ]
    if not wanted:
        return shown
    held, own = list(shown), frozenset(wanted)
    steps: Iterator[Step[Any, Any]] = states(game, events, wanted[-1], wanted[0])
    for step in steps:
        seat, before = sees(step.version), step.before or step.after
        if step.version in own and seat in range(before.seats):  # a record may speak of others
            held[step.version - 1] = view.with_cards_got(
                step.event, before.hands[seat], step.after.hands[seat]
            )
    return held
