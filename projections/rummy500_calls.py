"""The calls of a game of 500 Rummy: which were made, why each stood or fell, and which were possible and not made.

Pure. What was possible is information and no breach; what was decided wrongly is judged by `judge` like any act.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from events.cards import UNKNOWN
from events.common import Remarked, Retracted
from events.game import Judgement, Params, Unchecked, Violation
from events.rummy500.calling import nearest_claim
from events.rummy500.calls import judge_at_best
from events.rummy500.events import DiscardChallenged, RummyCalled, RummyEvent
from events.rummy500.evolve import evolve
from events.rummy500.legal import possible_calls
from events.rummy500.referee import judge
from events.rummy500.state import State
from projections.calls import CallMade, CallMissed, Calls, CallWindow, Outcome
from projections.rummy500_reasons import call_reason
from projections.wording import Found, Reason


def calls(state: State, events: Iterable[tuple[int, RummyEvent]], deal: int | None = None) -> Calls:
    """Return the calls of the events in force after *state*, with their versions; of one deal if it is named."""
    course = _Course()
    deals = {}
    for version, event in events:
        before, state = state, evolve(state, event)
        course.follow(version, event, before, state)
        deals[version] = state.deal
    windows = tuple(course.windows())
    return Calls(
        tuple(one for one in windows if deal in (None, one.deal)),
        tuple(one for one in course.made if deal in (None, deals[one.version])),
    )


class _Course:
    """Follows a game from window to window."""

    def __init__(self) -> None:
        self.made: list[CallMade] = []
        self._all: list[CallWindow] = []
        self._won_by: int | None = None

    def follow(self, version: int, event: RummyEvent, before: State, after: State) -> None:
        """Note what one event does to the calls."""
        self._settle(before, after)
        if isinstance(event, RummyCalled):
            self.made.append(self._made(version, event, before))
        if _keeps_window(event, before, after):
            return
        self._close(version, event)
        if before.deal != after.deal:
            self._won_by = None
        if after.phase == "window" or (after.phase == "play" and after.played):
            self._open(version, after)

    def windows(self) -> Iterator[CallWindow]:
        """Yield the windows in which there was anything, without the calls that were made."""
        for window in self._all:
            named = {one.card for one in self.made if one.window == window.version}
            stood = {
                one.card
                for one in self.made
                if one.window == window.version and one.outcome in ("stood", "gave_way", "open")
            }
            missed = tuple(one for one in window.missed if one.card not in stood)
            if missed or named:
                yield replace(window, missed=missed)

    def _open(self, version: int, state: State) -> None:
        by = state.turn if state.phase == "play" else state.discarder
        known = UNKNOWN not in state.pile
        missed = tuple(_possible(state))
        if state.phase == "window" or missed:
            self._all.append(CallWindow(version, None, state.deal, by, missed, known))

    def _close(self, version: int, event: RummyEvent) -> None:
        if self._all and self._all[-1].closed is None:
            self._all[-1] = replace(self._all[-1], closed=version)
            self._won_by = event.seat if isinstance(event, RummyCalled) else None

    def _made(self, version: int, event: RummyCalled, before: State) -> CallMade:
        outcome, why = self._why(event, before)
        window = self._all[-1] if self._all else None
        opened = window.version if window and window.deal == before.deal else None
        return CallMade(
            version, opened, event.seat, event.card, outcome, why.code, why.rule, why.params
        )

    def _why(self, event: RummyCalled, before: State) -> tuple[Outcome, Found]:
        judged = judge(before, event)
        if judged:
            broken = isinstance(judged[0], Violation)
            return "wrong" if broken else "unchecked", _told(judged[0])
        if event.accepted:
            waits = bool(before.claims) or evolve(before, event).claims or before.phase == "play"
            return "open" if waits else "stood", call_reason(before, event)
        return "fell", self._why_it_fell(event, before)

    def _why_it_fell(self, event: RummyCalled, before: State) -> Found:
        params: Params = {"card": event.card}
        first = next(iter(judge_at_best(before, event)), None)
        if first is None or first.code != event.code:
            return Reason(event.code or "NOT_CALLABLE", "R-8.11", event.seat, params)
        closed = self._all[-1].closed if self._all else None
        if event.code == "NO_CALL_WINDOW" and before.phase == "play" and closed is not None:
            if self._won_by is None:
                return Reason("CALL_CAME_LATE", "R-8.3", event.seat, params)
            won: Params = {"expected": f"seat {self._won_by}"}
            return Reason("CALL_CAME_SECOND", "R-8.10", event.seat, params | won)
        return _told(first)

    def _settle(self, before: State, after: State) -> None:
        """Say of calls that waited how they came out, once that is decided (R-8.10, D-R16)."""
        if before.claims and not after.claims:
            winner = nearest_claim(before).seat
            self._decide(winner, "gave_way", "CALL_GAVE_WAY", "R-8.10")
        elif before.noted is not None and after.noted is None:
            carried = after.drawn == "call" and after.turn == before.noted.seat
            winner = before.noted.seat if carried else -1
            self._decide(winner, "lapsed", "CALL_LAPSED", "D-R16")

    def _decide(self, winner: int, otherwise: Outcome, code: str, rule: str) -> None:
        for index, one in enumerate(self.made):
            if one.outcome != "open":
                continue
            if one.seat == winner:
                self.made[index] = replace(one, outcome="stood")
            else:
                params: Params = {"card": one.card, "expected": f"seat {winner}"}
                self.made[index] = replace(
                    one, outcome=otherwise, code=code, rule=rule, params=params
                )


def _keeps_window(event: RummyEvent, before: State, after: State) -> bool:
    """Tell whether an event leaves the window as it was: a refusal, a claim, a note, a remark."""
    match event:
        case RummyCalled():
            return not event.accepted or after.claims != before.claims or after.noted is not None
        case DiscardChallenged():
            return not event.accepted
        case _:
            return isinstance(event, Remarked | Retracted)


def _possible(state: State) -> Iterator[CallMissed]:
    found: dict[RummyCalled, list[int]] = {}
    for call in possible_calls(state):
        found.setdefault(replace(call, seat=0), []).append(call.seat)
    shown = set()
    for call, seats in found.items():
        if call.card in shown:
            continue
        shown.add(call.card)
        why = call_reason(state, replace(call, seat=seats[0]), "CALL_POSSIBLE")
        params = why.params | {"seats": " ".join(map(str, seats))}
        yield CallMissed(tuple(seats), call.card, call.cards, why.code, why.rule, params)


def _told(found: Judgement) -> Reason:
    params = found.params | ({"why": found.why} if isinstance(found, Unchecked) else {})
    return Reason(found.code, found.rule, found.seat, params)
