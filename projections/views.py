"""What a viewer may see, whatever the game; the one file of `projections` that knows every game.

Pure. What is open is decided by the events of the whole log, never by the request: ask `open_upto` with
all of them, also when an old version is to be shown. A viewer's log (`projections.seen`) holds only what that viewer
may see, so everything computed from it, findings, timelines, legal acts, is as safe as the log itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from events.cards import Card
from events.common import Event, GameOpened
from events.errors import CodecError
from events.game import Game
from events.lanterloo.due import division
from projections import (
    board,
    lanterloo_board,
    lanterloo_cards,
    lanterloo_chances,
    lanterloo_course,
    lanterloo_reasons,
    lanterloo_seated,
    lanterloo_tally,
    lanterloo_view,
    rummy500_calls,
    rummy500_cards,
    rummy500_chances,
    rummy500_course,
    rummy500_reasons,
    rummy500_seated,
    rummy500_tally,
    rummy500_view,
)
from projections.calls import Calls
from projections.course import DealLine, Versioned
from projections.dealings import Counted, Dealing, Pack
from projections.hypergeometric import Draw
from projections.tally import Kept, Tally, kept
from projections.viewer import Viewer
from projections.wording import Reason

E = TypeVar("E", bound=Event)


def no_rule_against(_state: Any, event: Any) -> tuple[Reason, ...]:
    """Return the reason why a legal act of a game is legal that has no more to say about it."""
    return (Reason("OK", "", getattr(event, "seat", None)),)


def nothing_to_divide(_state: Any) -> Event | None:
    """Return how a pool is divided at a table that has none."""
    return None


class Shuffle(msgspec.Struct, frozen=True):
    """What a game's hands are compared with: the pack, which cards are counted, and the hands of a usual table."""

    pack: Callable[[GameOpened[Any]], Pack]
    counted: Callable[[GameOpened[Any], Dealing, Sequence[str]], Iterator[Counted]]
    usual: Mapping[str, Draw]


class GameView(msgspec.Struct, frozen=True):
    """What each game brings for its viewers, and for an auditor who counts the cards."""

    state: Callable[[Any, Viewer], dict[str, Any]]
    cards: Callable[[Any, Viewer], dict[str, Any]]
    event: Callable[..., Event]
    open_upto: Callable[[Sequence[Event]], int]
    begins_deal: frozenset[type[Event]]
    replaces_cards: frozenset[type[Event]]
    excess: Callable[[Any], int]
    stray: Callable[[Any], Card | None]
    duplicates: Callable[[Any], dict[Card, tuple[int, int]]]
    board: Callable[[dict[str, Any], Sequence[str], str], str]
    hides_cards: Callable[[Any], bool]
    tally: Callable[[Game[Any, Any], Kept], Tally]
    winner: Callable[[Any, Sequence[int], int | None], int | None]
    deals: Callable[[Sequence[Versioned]], Iterator[DealLine]]
    keeps_secret: Callable[[Any, Any], bool]
    shows_what_lies_there: Callable[[Any, Any], bool]
    brings_unknown: Callable[[Any], bool]
    with_cards_got: Callable[[Any, tuple[Card, ...], tuple[Card, ...]], Any]
    chances: Shuffle
    reasons: Callable[[Any, Any], tuple[Reason, ...]] = no_rule_against
    calls: Callable[..., Calls] | None = None
    division: Callable[[Any], Event | None] = nothing_to_divide


VIEWS: Final = {
    "rummy500": GameView(
        state=rummy500_view.view_state,
        cards=rummy500_view.view_cards,
        event=rummy500_view.view_event,
        open_upto=rummy500_view.open_upto,
        begins_deal=rummy500_cards.BEGINS_DEAL,
        replaces_cards=rummy500_cards.REPLACES_CARDS,
        excess=rummy500_cards.excess,
        stray=rummy500_cards.stray,
        duplicates=rummy500_cards.duplicates,
        board=board.render,
        hides_cards=rummy500_cards.hides_cards,
        tally=rummy500_tally.tally,
        winner=rummy500_tally.winner,
        deals=rummy500_course.deals,
        keeps_secret=rummy500_seated.keeps_secret,
        shows_what_lies_there=rummy500_seated.shows_what_lies_there,
        brings_unknown=rummy500_seated.brings_unknown,
        with_cards_got=rummy500_seated.with_cards_got,
        chances=Shuffle(rummy500_chances.pack, rummy500_chances.counted, rummy500_chances.USUAL),
        reasons=rummy500_reasons.reasons,
        calls=rummy500_calls.calls,
    ),
    "lanterloo": GameView(
        state=lanterloo_view.view_state,
        cards=lanterloo_view.view_cards,
        event=lanterloo_view.view_event,
        open_upto=lanterloo_view.open_upto,
        begins_deal=lanterloo_cards.BEGINS_DEAL,
        replaces_cards=lanterloo_cards.REPLACES_CARDS,
        excess=lanterloo_cards.excess,
        stray=lanterloo_cards.stray,
        duplicates=lanterloo_cards.duplicates,
        hides_cards=lanterloo_cards.hides_cards,
        tally=lanterloo_tally.tally,
        winner=lanterloo_tally.winner,
        deals=lanterloo_course.deals,
        keeps_secret=lanterloo_seated.keeps_secret,
        shows_what_lies_there=lanterloo_seated.shows_what_lies_there,
        brings_unknown=lanterloo_seated.brings_unknown,
        with_cards_got=lanterloo_seated.with_cards_got,
        chances=Shuffle(lanterloo_chances.pack, lanterloo_chances.counted, lanterloo_chances.USUAL),
        board=lanterloo_board.render,
        reasons=lanterloo_reasons.reasons,
        division=division,
    ),
}


def view_of(game_name: str) -> GameView:
    """Return what a game brings; raise CodecError with the names there are."""
    try:
        return VIEWS[game_name]
    except KeyError:
        raise CodecError(
            f"no such game: {game_name!r}, expected one of {', '.join(VIEWS)}"
        ) from None


def view_state(game_name: str, state: Any, viewer: Viewer) -> dict[str, Any]:
    """Return the state as JSON-ready values with `??` for hidden cards."""
    return view_of(game_name).state(state, viewer)


def board_of(view: dict[str, Any], names: Sequence[str] = (), lang: str = "en") -> str:
    """Return a viewed state as lines of at most 80 columns, for a terminal."""
    return view_of(view["game"]).board(view, names, lang)


def view_event(game_name: str, event: E, viewer: Viewer) -> E:
    """Return the event with `??` for hidden cards; the same object exactly if nothing had to be hidden."""
    seen = view_of(game_name).event(event, viewer)
    assert isinstance(seen, type(event))
    return seen


def open_upto(game_name: str, events: Sequence[Event]) -> int:
    """Return the last version up to which events and states of this whole log hide nothing from anyone."""
    return view_of(game_name).open_upto(events)


def tallied(game: Game[Any, Any], log: Sequence[Event]) -> Tally:
    """Return what a log has come to; raise NotALogError for one that does not begin as one does."""
    return view_of(game.name).tally(game, kept(game, log))
