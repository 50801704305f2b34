"""Judging a log event by event: the findings, and the cards counted at the end of every stretch.

Pure. The rules are asked through `judge` alone; what a finding means for a whole game is told in `audit.py`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar

import msgspec

from events.common import Event
from events.game import Game, Judgement, Params, Unchecked, Violation
from projections.views import GameView, view_of

S = TypeVar("S")
E = TypeVar("E", bound=Event)

Severity = Literal["breach", "unchecked"]


class Finding(msgspec.Struct, frozen=True):
    """One rule broken at one version, or one that the record does not let us check (`unchecked`).

    `event` is the tag of the event judged; `params` hold everything that a sentence needs.
    """

    version: int
    deal: int | None
    seat: int | None
    severity: Severity
    code: str
    rule: str
    expected: str | int | None
    actual: str | int | None
    event: str
    params: Params


class Chapter(msgspec.Struct, Generic[E]):
    """A stretch of a deal in which the record only moves cards, never says anew where they lie."""

    deal: int | None
    begins: bool
    events: list[tuple[int, E]]


def chapters(kept: Sequence[tuple[int, E]], view: GameView) -> Iterator[Chapter[E]]:
    """Yield the events in force, `game_opened` left out, stretch by stretch."""
    chapter: Chapter[E] = Chapter(None, False, [])
    replaces_cards, start = view.replaces_cards, 0
    for index, (_, event) in enumerate(kept):
        kind = type(event)
        if kind in replaces_cards:
            chapter.events.extend(kept[start:index])
            yield chapter
            begins = kind in view.begins_deal
            deal = getattr(event, "deal", None) if begins else chapter.deal
            chapter, start = Chapter(deal, begins, []), index
    chapter.events.extend(kept[start:])
    yield chapter


def passed_over(game: Game[S, E], state: S, chapter: Chapter[E]) -> S:
    """Return the state after a chapter that is taken as it was recorded."""
    for _, event in chapter.events:
        state = game.evolve(state, event)
    return state


class Auditor(Generic[S, E]):
    """Collects what is found while a log is gone through once.

    Cards are counted at the end of each chapter, not after every event. That misses nothing: within a
    chapter cards are moved, never said anew, so a card in two places stays in two places, and one that came
    from nowhere stays in the state's own list of them. If the count is wrong at the end, the chapter is gone
    through again, counting after every event, to find the versions.
    """

    def __init__(self, game: Game[S, E]) -> None:
        self.game = game
        self.view = view_of(game.name)
        self.findings: list[Finding] = []

    def judge(self, state: S, chapter: Chapter[E]) -> S:
        """Return the state after a chapter whose events have all been judged."""
        judge, evolve, start = self.game.judge, self.game.evolve, state
        for index, (version, event) in enumerate(chapter.events):
            after = evolve(state, event)
            judged = judge(state, event, after)
            if judged:
                judged = self._in_hindsight(state, event, judged, chapter.events[index + 1 :])
                self.findings.extend(_finding(version, chapter.deal, event, j) for j in judged)
            state = after
        if self.view.excess(state) or self.view.stray(state) or self.view.duplicates(state):
            self._count_again(start, chapter)
        return state

    def _in_hindsight(
        self, state: S, event: E, judged: tuple[Judgement, ...], rest: Sequence[tuple[int, E]]
    ) -> tuple[Judgement, ...]:
        """Return what is to be said of an act once the rest of its deal is known."""
        if self.game.hindsight is None or all(isinstance(one, Violation) for one in judged):
            return judged
        return self.game.hindsight(state, event, [later for _, later in rest])

    def _count_again(self, state: S, chapter: Chapter[E]) -> None:
        """Report at its version each card that comes from nowhere, is lost, or lies in two places."""
        excess = 0 if chapter.begins else self.view.excess(state)
        twice = {} if chapter.begins else self.view.duplicates(state)
        for version, event in chapter.events:
            state = self.game.evolve(state, event)
            before, excess = excess, self.view.excess(state)
            if excess != before and not self._told(version, "CARD_TWICE", "DEAL_COUNT"):
                params, hidden = _too_many(state, excess, self.view), self.view.hides_cards(state)
                self._add(version, chapter.deal, event, params, hidden=hidden)
            known, twice = twice, self.view.duplicates(state)
            for card in twice:
                if card not in known and not self._told(version, "CARD_TWICE"):
                    self._add(version, chapter.deal, event, _two_places(card, *twice[card]))

    def _add(
        self, version: int, deal: int | None, event: E, params: Params, *, hidden: bool = False
    ) -> None:
        """Report too many cards; where some lie unseen, the one too many may have been one of them (12.13)."""
        seat = getattr(event, "seat", None)
        found: Judgement = Violation("CARD_TWICE", "14.1", seat, params)
        if hidden:
            found = Unchecked("CARD_TWICE", "14.1", "unknown_card", seat, params)
        self.findings.append(_finding(version, deal, event, found))

    def _told(self, version: int, *codes: str) -> bool:
        return any(one.version == version and one.code in codes for one in self.findings)


def _too_many(state: Any, excess: int, view: GameView) -> Params:
    """Return what a wrong number of cards is told by; the stray card only if there is one."""
    params: Params = {"expected": state.in_play, "actual": state.in_play + excess}
    stray = view.stray(state)
    return params if stray is None else params | {"card": stray}


def _two_places(card: str, copies: int, seen: int) -> Params:
    return {"expected": f"{copies} of {card}", "actual": f"{seen} of {card}"}


def _finding(version: int, deal: int | None, event: Event, judged: Judgement) -> Finding:
    params = judged.params
    breach = isinstance(judged, Violation)
    return Finding(
        version=version,
        deal=deal,
        seat=judged.seat,
        severity="breach" if breach else "unchecked",
        code=judged.code,
        rule=judged.rule,
        expected=params.get("expected"),
        actual=params.get("actual"),
        event=str(event.__struct_config__.tag),
        params=params if isinstance(judged, Violation) else params | {"why": judged.why},
    )


def findings_after(game: Game[S, E], state: S, kept: Sequence[tuple[int, E]]) -> list[Finding]:
    """Return what is found in these events, in force, from a state on; their deal is told only from the next one."""
    auditor = Auditor(game)
    for chapter in chapters(kept, auditor.view):
        state = auditor.judge(state, chapter)
    return sorted(auditor.findings, key=lambda one: one.version)
