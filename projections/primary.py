"""Which findings stand for themselves, and which only follow from an earlier one.

Pure; knows no particular game. A breach is mended in thought: in its place comes what would have been right there,
every legal act, whatever was due, or nothing. A later finding follows from it if, with one of these, it is not
found, and nothing is found before it that the record does not show. What the rules say is asked of `judge` alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from events.common import Event
from events.errors import TooManyActs
from events.game import Game, Violation
from projections.judging import Finding, findings_after
from projections.views import view_of

MOST_MENDED: Final = 20
"""Breaches of a log that are mended in thought; of later findings none is told to follow from another."""
_MOST_ACTS: Final = 2000
"""Legal acts of a seat that are tried in place of one."""
_MOST_WORLDS: Final = 8
"""Mended logs, those that fit the rest of the record best, that are judged as a whole."""
_MOST_DUE: Final = 12
_MOST_STEPS: Final = 150_000
"""Events that are judged again for one log, whatever it holds; what is then left untold stands for itself."""

Versioned = tuple[int, Event]
# What tells one finding from another, whatever the numbers in it.
_Key = tuple[int, str, int | None]


class _World(msgspec.Struct, frozen=True):
    """What is found in a mended log, and the first version where it is none of the recorded findings."""

    found: frozenset[_Key]
    parts_at: float


def causes(
    game: Game[Any, Any], kept: Sequence[Versioned], findings: Sequence[Finding]
) -> tuple[int | None, ...]:
    """Return for each finding the version of the one that it follows from, None if it stands for itself.

    *kept* are the events in force from `game_opened` on, *findings* the breaches among them in order. Of several
    at one version only the first can stand for itself: they are of one act.
    """
    return tuple(_Causes(game, kept, findings).tell())


class _Causes:
    def __init__(
        self, game: Game[Any, Any], kept: Sequence[Versioned], findings: Sequence[Finding]
    ) -> None:
        self.game, self.findings = game, findings
        self.recorded = frozenset(map(_key, findings))
        self.kept = _upto(game, kept, findings)
        self.states = _states_before(game, kept, {one.version for one in findings})
        self._begins = view_of(game.name).begins_deal
        self.worlds: dict[int, list[_World]] = {}
        self._steps = _MOST_STEPS

    def tell(self) -> Iterator[int | None]:
        """Yield the causes, in the order of the findings."""
        primary: int | None = None
        for one in self.findings:
            if one.version == primary:
                yield primary
                continue
            cause = self._cause_of(one)
            if cause is None:
                primary = one.version
                if len(self.worlds) < MOST_MENDED:
                    self.worlds[primary] = self._mended(primary)
            yield cause

    def _cause_of(self, one: Finding) -> int | None:
        key = _key(one)
        for version, worlds in self.worlds.items():
            if any(key not in world.found and world.parts_at > one.version for world in worlds):
                return version
        return None

    def _mended(self, version: int) -> list[_World]:
        """Return what is found after a breach was mended, for the ways that fit the record best."""
        later = [one for one in self.findings if one.version > version]
        if not later:
            return []
        state, at = self.states[version]
        event, rest = self.kept[at][1], self.kept[at + 1 :]
        fits: list[tuple[float, int, Sequence[Versioned]]] = []
        for number, mended in enumerate(_mendings(self.game, state, version, event)):
            if self._steps <= 0:
                break
            log: Sequence[Versioned] = [*mended, *rest]
            parts_at, is_clean, joins_at = self._parts_at(state, log)
            if is_clean:
                return [_World(self._recorded_from(joins_at), float("inf"))]
            if parts_at > later[0].version:
                fits.append((-parts_at, number, self._as_far_as(log, min(parts_at, joins_at))))
        worlds = []
        for _, _, log in sorted(fits)[:_MOST_WORLDS]:
            self._steps -= len(log)
            if self._steps > 0:
                worlds.append(self._world(state, log))
        return worlds

    def _recorded_from(self, version: float) -> frozenset[_Key]:
        return frozenset(key for key in self.recorded if key[0] >= version)

    def _as_far_as(self, log: Sequence[Versioned], end: float) -> Sequence[Versioned]:
        """Return a mended log to the end of the deal in which it parts from the record, or joins it again."""
        for index, (version, event) in enumerate(log):
            if version >= end and index and type(event) in self._begins:
                return log[:index]
        return log

    def _parts_at(self, state: Any, log: Sequence[Versioned]) -> tuple[float, bool, float]:
        """Return how a mended log goes on.

        The version of the first breach that is not on record, whether there is none at all, and the version with
        which a deal begins at a table that is the recorded one again, so that all after it is as recorded.
        """
        is_clean, never = True, float("inf")
        self._steps -= 1  # a walk that ends at once is cheap, but not for nothing
        for version, event in log:
            self._steps -= 1
            after = self.game.evolve(state, event)
            for judged in self.game.judge(state, event, after):
                if isinstance(judged, Violation):
                    is_clean = False
                    if (version, judged.code, judged.seat) not in self.recorded:
                        return version, False, never
            joined = type(event) in self._begins and self.states[version][0] == after
            if joined and not self._counts_wrong(state):
                return never, is_clean, version
            state = after
        return never, is_clean and not self._counts_wrong(state), never

    def _counts_wrong(self, state: Any) -> bool:
        view = view_of(self.game.name)
        return bool(view.excess(state) or view.stray(state) or view.duplicates(state))

    def _world(self, state: Any, log: Sequence[Versioned]) -> _World:
        found = frozenset(
            _key(one) for one in findings_after(self.game, state, log) if one.severity == "breach"
        )
        new = (version for version, *_ in found - self.recorded)
        # What comes after the part that was judged is as recorded.
        rest = self._recorded_from(log[-1][0] + 1) if log else frozenset()
        return _World(found | rest, min(new, default=float("inf")))


def _key(one: Finding) -> _Key:
    return one.version, one.code, one.seat


def _upto(
    game: Game[Any, Any], kept: Sequence[Versioned], findings: Sequence[Finding]
) -> Sequence[Versioned]:
    """Return the events up to the end of the deal of the last finding: later ones cannot tell of any."""
    begins, last = view_of(game.name).begins_deal, max((one.version for one in findings), default=0)
    for index, (version, event) in enumerate(kept):
        if version > last and type(event) in begins:
            return kept[:index]
    return kept


def _states_before(
    game: Game[Any, Any], kept: Sequence[Versioned], wanted: Iterable[int]
) -> dict[int, tuple[Any, int]]:
    """Return the state before each of these versions, and where its event stands among those in force.

    With which a deal begins, the state is the one after it.
    """
    versions, begins = frozenset(wanted), view_of(game.name).begins_deal
    opened: Any = kept[0][1]
    state = game.initial(opened)
    found = {}
    for index, (version, event) in enumerate(kept[1:], 1):
        before, state = state, game.evolve(state, event)
        if version in versions:
            found[version] = before, index
        elif type(event) in begins:
            found[version] = state, index
    return found


def _mendings(
    game: Game[Any, Any], state: Any, version: int, event: Event
) -> Iterator[Sequence[Versioned]]:
    """Yield what could stand in place of a breach: what was due, alone or before it, an act, nothing."""
    due = game.due(state)
    yield from ([(version, one)] for one in due)
    owed = _all_due(game, state)
    yield [(version, one) for one in (*owed, event)]
    yield [(version, one) for one in owed]
    turn = state.turn
    seats = dict.fromkeys([turn, getattr(event, "seat", None), *range(state.seats)])
    for seat in seats:
        if isinstance(seat, int) and seat < state.seats:
            yield from ([(version, act)] for act in _acts(game, state, seat))
    yield []


def _all_due(game: Game[Any, Any], state: Any) -> list[Event]:
    """Return what dealer and scorer would have put on record, one fact after the other."""
    facts: list[Event] = []
    while len(facts) < _MOST_DUE and (due := game.due(state)):
        facts.append(due[0])
        state = game.evolve(state, due[0])
    return facts


def _acts(game: Game[Any, Any], state: Any, seat: int) -> Iterator[Event]:
    try:
        for act in islice(game.legal(state, seat), _MOST_ACTS):
            yield game.complete(state, act)
    except TooManyActs:
        return
