"""The record around a disputed fact, and the shortest position from which a case can show it.

Pure. Where a position does not hold all that tells (penalties of earlier deals, a stock that is renewed, the first
deal), the case goes back to an earlier one, in the end to the opening of the game: what it shows is what was recorded.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from string import ascii_uppercase
from typing import Any, Final

import msgspec

from events.common import DealScored, Event, Remarked
from events.disputes import Adjustment
from events.formats.casebook import Case, run_case
from events.formats.casebook_acts import scores_due
from events.game import Game, Violation, fold_from
from events.games import RUMMY500
from events.lanterloo.events import PositionSet as LooPosition
from events.lanterloo.ruleset import SEED as LOO_SEED
from events.rummy500.events import Layer, MeldPosition
from events.rummy500.events import PositionSet as RummyPosition
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import IN_PLAY

_SCORERS: Final = frozenset(
    {"ante_paid", "trick_taken", "pool_paid", "looed", "penalty_paid", "flush_shown", "floated"}
    | {"deal_ended", "deal_scored", "game_ended", "session_divided"}
)
_DEALERS: Final = frozenset(
    {"dealer_drawn", "shuffled", "dealt", "miss_dealt", "turn_up", "upcard_turned"}
    | {"first_card_turned", "redealt", "position_set"}
)
_MOST_BACK: Final = 60
"""Events that a case goes back to find a position, before it begins with the game."""


class Record:
    """The events in force of a log, and the place among them of the one that is ruled on."""

    def __init__(self, game: Game[Any, Any], events: Sequence[Any], place: int) -> None:
        self.game, self.events, self.place = game, events, place
        self.opened = events[0]
        self.event = events[place]
        # The place after the last thing that a player did before it.
        self.settled = 1 + max((n for n in range(1, place) if is_act(events[n])), default=0)

    @cached_property
    def before(self) -> Any:
        """The table before the disputed event."""
        return self.state_at(self.place)

    def state_at(self, place: int) -> Any:
        """Return the table before the event at a place."""
        start = self.game.initial(self.opened)
        return fold_from(self.game, start, self.events[1:place])

    @cached_property
    def code(self) -> str | None:
        """The first breach that the rules program finds in it."""
        judged = self.game.judge(self.before, self.event)
        return next((one.code for one in judged if isinstance(one, Violation)), None)

    def scores_as_ruled(
        self, adjustments: Sequence[Adjustment], *, breach: bool
    ) -> dict[str, int] | None:
        """Return by letter what the deal should have brought as ruled: what was scored and what the decision adds.

        None where the event is not a scorer's at the end of a deal, where the record has no score, or where a breach
        was found and no points were given for it.
        """
        scored = self._scored
        if scored is None or None in scored.scores:
            return None
        more = {one.seat: one.points for one in adjustments if one.deal == scored.deal}
        if bool(more) != breach or scores_due(self.game, self.state_at(self.settled)) is None:
            return None
        return {
            ascii_uppercase[seat]: (score or 0) + more.get(seat, 0)
            for seat, score in enumerate(scored.scores)
        }

    @property
    def _scored(self) -> DealScored | None:
        """The score that the event is a part of the reckoning of."""
        if any(isinstance(one, DealScored) for one in self.events[self.settled : self.place]):
            return None
        for one in self.events[self.place :]:
            if isinstance(one, DealScored):
                return one
            if _tag(one) not in _SCORERS and not isinstance(one, Remarked):
                return None
        return None


def is_act(event: Event) -> bool:
    """Tell whether a player did it, and not the dealer or the scorer."""
    return _tag(event) not in _SCORERS | _DEALERS | {"game_opened", "remarked", "retracted"}


def shown(found: Record) -> Case:
    """Return a case of type `act` about the event, without what is expected of it."""
    first = {"first_dealer": found.opened.first_dealer}
    whole = heading(found) | first | _acts(found, 1)
    for body in _from_positions(found):
        if _agrees(found, body):
            return body
    return whole


def _from_positions(found: Record) -> Iterator[Case]:
    for place in range(found.settled - 1, max(0, found.settled - _MOST_BACK), -1):
        position = position_of(found.state_at(place)) if is_act(found.events[place]) else None
        if position is not None:
            yield heading(found) | {"state": position} | _acts(found, place)


def _acts(found: Record, first: int) -> Case:
    written = [msgspec.to_builtins(event) for event in found.events]
    told = {
        "played": written[first : found.settled],
        "booked": written[max(first, found.settled) : found.place],
    }
    return {name: one for name, one in told.items() if one} | {"do": [written[found.place]]}


def _agrees(found: Record, body: Case) -> bool:
    """Tell whether a case comes to the same from its position as the whole record does."""
    expected: Case = {"error": found.code}
    scores = scores_due(found.game, found.state_at(found.settled))
    if scores is not None:
        expected["scores"] = dict(zip(ascii_uppercase, scores, strict=False))
    part = {"do": body["do"], "expect": expected}
    case = {name: one for name, one in body.items() if name != "do"} | {"rows": [part]}
    return all(one.outcome == "passed" for one in run_case(case, ""))


def heading(found: Record) -> Case:
    """Return how a case of type `act` begins."""
    ruleset, seats = found.opened.ruleset, len(found.opened.seats)
    if found.game.name == RUMMY500.name:
        return {"type": "act", "players": seats, "opts": options(ruleset, Ruleset())}
    told: Case = {"game": ruleset.form, "type": "act", "players": seats}
    return told | {"opts": options(ruleset, LOO_SEED, "form")}


def options(ruleset: Any, seed: Any, *without: str) -> dict[str, Any]:
    """Return the options in which a table differs from the seed's game."""
    mine, theirs = msgspec.to_builtins(ruleset), msgspec.to_builtins(seed)
    # Without the preset's name: what differs is told from the seed, not from a book.
    named = {name: one for name, one in mine.items() if theirs[name] != one and name != "preset"}
    return {name: _plain(one) for name, one in named.items() if name not in without}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def position_of(state: Any) -> Case | None:
    """Return a table as a set-up position, None where no such position shows it."""
    if hasattr(state, "pool"):
        is_shown = (
            state.phase in ("declare", "play") and state.trump is not None and state.pool >= 0
        )
        return msgspec.to_builtins(_loo_position(state)) if is_shown else None
    return msgspec.to_builtins(_rummy_position(state)) if state.phase in IN_PLAY else None


def _rummy_position(state: Any) -> RummyPosition:
    melds = tuple(
        MeldPosition(
            meld.meld,
            meld.kind,
            tuple(Layer(laid.card, laid.seat) for laid in (*meld.cards, *meld.beside)),
        )
        for meld in state.table
    )
    return RummyPosition(
        deal=state.deal,
        dealer=state.dealer,
        wild=state.wilds[1:] or None,
        turn=state.turn,
        phase=state.phase,
        stock=state.stock,
        pile=state.pile,
        hands=state.hands,
        melds=melds,
        drawn=state.drawn,
        taken=state.taken,
        duty=state.duty,
        discarder=state.discarder,
        floaters=state.floaters,
        totals=state.totals,
    )


def _loo_position(state: Any) -> LooPosition:
    return LooPosition(
        deal=state.deal,
        dealer=state.dealer,
        turn=state.turn,
        phase=state.phase,
        pool=state.pool,
        single=state.single,
        trump=state.trump,
        turn_up=state.turn_up,
        stock=state.stock,
        miss=state.miss,
        hands=state.hands,
        aside=state.aside,
        declared=state.bids,
        tricks=state.tricks,
        trick=state.trick,
        balances=state.balances,
    )


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)
