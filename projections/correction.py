"""What the scores would be if the rules had been followed, where that can be said.

Pure; knows no particular game. The log is gone through a second time: players' acts and the dealer's cards stay as
they were recorded, what the scorer writes (tricks, payments, ends, scores) is replaced by what was due. A deal in
which a player broke a rule, or an act would no longer have been possible, has no such score: play would have gone
another way. The deals after it are taken from the record as it stands, and the game has no corrected total.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from events.common import DealEnded, DealScored, Event, GameEnded, Remarked, Retracted
from events.game import Game, Violation, effective
from projections.views import view_of

Points = tuple[int | None, ...]
Reason = Literal[
    "act_breach",  # a player broke a rule
    "deal_breach",  # the cards were dealt, or the deal ended, against the rules
    "other_way",  # what was done could not have been done at a table kept by the rules
    "would_have_ended",  # the game would have been over before this deal
    "would_go_on",  # the game would not have been over yet
    "unknown_cards",
    "unfinished",
]


class Undefined(msgspec.Struct, frozen=True):
    """Why there is no corrected score: the version where it is lost and the rule broken there, if one was."""

    reason: Reason
    version: int | None = None
    code: str | None = None


class DealCorrection(msgspec.Struct, frozen=True):
    """A deal's scores as recorded and as they would be; null where there are none, a seat null where unknown."""

    deal: int
    first: int
    last: int
    recorded: Points | None
    corrected: Points | None
    undefined: Undefined | None

    @property
    def differs(self) -> bool:
        """Whether the score would be another one."""
        return self.corrected is not None and _differ(self.recorded, self.corrected)


class Correction(msgspec.Struct, frozen=True):
    """A game's scores as recorded and as they would be; `totals` are null where a deal or the end is undefined."""

    deals: tuple[DealCorrection, ...]
    recorded: tuple[int, ...]
    totals: tuple[int, ...] | None
    undefined: Undefined | None
    recorded_winner: int | None
    winner: int | None

    def of(self, version: int) -> DealCorrection | None:
        """Return the deal that a version belongs to, None before the first."""
        return next((deal for deal in reversed(self.deals) if deal.first <= version), None)


_SCORERS: Final = frozenset(
    (
        *("ante_paid", "trick_taken", "pool_paid", "looed", "penalty_paid", "floated"),
        *("deal_ended", "deal_scored", "game_ended", "session_divided"),
    )
)
_MOST_DUE: Final = 200
"""Facts in a row; no table owes so many."""


def corrected(game: Game[Any, Any], events: Sequence[Event]) -> Correction:
    """Return the scores of a log as they would be under its own ruleset; the log begins with `game_opened`."""
    kept = effective(events)
    opened: Any = kept[0][1]
    line = _Line(game, opened)
    for version, event in kept[1:]:
        line.take(version, event)
    return line.told()


def _differ(one: Points | None, other: Points) -> bool:
    if one is None:
        return False
    pairs = zip(one, other, strict=True)
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)


class _Line:
    """The game as it was recorded and, beside it, the game as its scorer should have kept it."""

    def __init__(self, game: Game[Any, Any], opened: Any) -> None:
        self.game = game
        self.truth: Any = game.initial(opened)
        self.state: Any = self.truth
        self.lost: Undefined | None = None
        self.lost_for_good: Undefined | None = None
        self.deals: list[DealCorrection] = []
        self._begins = view_of(game.name).begins_deal

    def take(self, version: int, event: Event) -> None:
        """Go on by one event of the record."""
        before, self.truth = self.truth, self.game.evolve(self.truth, event)
        if type(event) in self._begins:
            self._begin_deal(version, event, before)
        if self.deals:
            self._note(version, event)
        if self.lost is None:
            self._follow(version, event, before)

    def _begin_deal(self, version: int, event: Event, before: Any) -> None:
        self._settle()
        self._close_deal()
        if self.lost is not None or hasattr(event, "hands"):
            self.state = before  # a set-up position says everything anew
        self.lost = None
        deal: int = getattr(event, "deal", len(self.deals) + 1)
        self.deals.append(DealCorrection(deal, version, version, None, None, None))
        due = self.game.due(self.state)
        if due and isinstance(due[0], GameEnded):
            self._lose("would_have_ended", version)

    def _note(self, version: int, event: Event) -> None:
        changes: dict[str, Any] = {"last": version}
        if isinstance(event, DealScored):
            changes["recorded"] = event.scores
        if not isinstance(event, GameEnded):
            self._change(**changes)

    def _change(self, **changes: Any) -> None:
        self.deals[-1] = msgspec.structs.replace(self.deals[-1], **changes)

    def _follow(self, version: int, event: Event, before: Any) -> None:
        if isinstance(event, GameEnded):
            self._end(version, event)
        elif isinstance(event, DealScored):
            self._settle()
        elif isinstance(event, DealEnded):
            self._end_deal(version, event)
        elif _tag(event) == "session_divided":
            self._divide(version, event)
        elif _tag(event) == "trick_taken":
            self._take_trick(version, event)
        elif _tag(event) in _SCORERS:
            self._pay(event)
        elif not isinstance(event, Remarked | Retracted):
            self._act(version, event, before)

    def _pay(self, event: Event) -> None:
        """Write down what was due where the record has this, if that is of its kind."""
        due = [one for one in self.game.due(self.state) if type(one) is type(event)]
        own = [one for one in due if getattr(one, "seat", None) == getattr(event, "seat", None)]
        right = event if event in due else next(iter(own or due), None)
        if right is not None and not getattr(self.state, "open_loos", ()):
            self.state = self.game.evolve(self.state, right)

    def _act(self, version: int, event: Event, before: Any) -> None:
        """Take an act, or the dealer's cards, as recorded, if they are possible here too."""
        self._settle()
        code = self._against(self.state, event)
        if code is None:
            self.state = self.game.evolve(self.state, event)
        elif self._against(before, event) is None:
            self._lose("other_way", version, code)
        else:
            is_act = hasattr(event, "seat") and _tag(event) != "dealt"
            self._lose("act_breach" if is_act else "deal_breach", version, code)

    def _against(self, state: Any, event: Event) -> str | None:
        judged = self.game.judge(state, event)
        return next((one.code for one in judged if isinstance(one, Violation)), None)

    def _take_trick(self, version: int, event: Event) -> None:
        """Give a trick to whom it was due; as recorded, if cards that nobody knows leave that open."""
        due = [one for one in self.game.due(self.state) if type(one) is type(event)]
        if event in due or len(due) == 1:
            self.state = self.game.evolve(self.state, event if event in due else due[0])
        elif due:
            self._lose("unknown_cards", version)

    def _end_deal(self, version: int, event: DealEnded) -> None:
        """End a deal as it was due; one that is broken off ends where the record says so."""
        self._settle(upto="deal_ended")
        due = self.game.due(self.state)
        if due and isinstance(due[0], DealEnded):
            self.state = self.game.evolve(self.state, due[0])
        elif self._over():
            return
        elif self._against(self.state, event) is None:
            self.state = self.game.evolve(self.state, event)
        else:
            self._lose("deal_breach", version, self._against(self.state, event))

    def _over(self) -> bool:
        return self.state.phase in ("over", "scored", "ended")

    def _divide(self, version: int, event: Event) -> None:
        """Divide the pool of a session that was broken off."""
        right = view_of(self.game.name).division(self.state)
        if right is None:
            self._lose("deal_breach", version, self._against(self.state, event))
        else:
            self.state = self.game.evolve(self.state, right)

    def _end(self, version: int, event: GameEnded) -> None:
        if event.abandoned:
            self._settle()
            self.state = self.game.evolve(self.state, event)
            return
        self._settle()
        if self.state.phase != "ended":
            self.lost_for_good = self.lost_for_good or Undefined("would_go_on", version)

    def _settle(self, upto: str | None = None) -> None:
        """Write down what the scorer owes."""
        for _ in range(_MOST_DUE if self.lost is None else 0):
            due = self.game.due(self.state)
            if not due or _tag(due[0]) not in _SCORERS or _tag(due[0]) == upto:
                return
            if len(due) > 1 and _tag(due[0]) == "trick_taken":
                return
            if getattr(self.state, "open_loos", ()):
                self._lose("unknown_cards")
                return
            if isinstance(due[0], DealScored) and self.deals:
                self._change(corrected=due[0].scores)
                if None in due[0].scores:
                    self._lose("unknown_cards")
                    return
            self.state = self.game.evolve(self.state, due[0])

    def _lose(self, reason: Reason, version: int | None = None, code: str | None = None) -> None:
        self.lost = Undefined(reason, version, code)
        if self.lost_for_good is None:
            self.lost_for_good = self.lost

    def _close_deal(self) -> None:
        """Say of the last deal why it has no corrected score, if it has none."""
        if not self.deals:
            return
        if self.lost is not None and self.lost.reason != "unknown_cards":
            self._change(corrected=None, undefined=self.lost)
        elif self.lost is not None:
            self._change(undefined=self.lost)
        elif self.deals[-1].corrected is None:
            self._change(undefined=Undefined("unfinished"))

    def told(self) -> Correction:
        """Return what it came to."""
        self._settle()
        self._close_deal()
        return Correction(
            tuple(_voided(self.deals)),
            _balance(self.truth),
            None if self.lost_for_good else _balance(self.state),
            self.lost_for_good,
            self.truth.winner,
            None if self.lost_for_good else self.state.winner,
        )


def _voided(deals: Sequence[DealCorrection]) -> Iterator[DealCorrection]:
    """Yield the deals that count: one that was dealt again has no score of its own."""
    for index, deal in enumerate(deals):
        again = deals[index + 1 : index + 2]
        if not again or again[0].deal != deal.deal or deal.recorded is not None:
            yield deal


def _balance(state: Any) -> tuple[int, ...]:
    found: tuple[int, ...] = getattr(state, "totals", None) or state.balances
    return found
