"""An audit: every event of a game judged in the state before it, and its cards counted.

Pure. What is judged is what counts: events in force at the end of the log; how many were retracted is said.
The rules are asked through `judge` alone, so an audit, a refusal and a warning can never differ; facts of
the dealer and the scorer are compared there with what was due.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from events.common import Event, GameOpened, Remarked
from events.errors import NoSuchDeal, NotALogError
from events.game import Game, Judgement, Params, Unchecked, Violation, effective
from projections.calls import Calls
from projections.explain import Language, verdict
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


class Unfinished(msgspec.Struct, frozen=True):
    """Where the log stops before the game has ended: no breach. `due` are the facts that come next."""

    deal: int
    phase: str
    turn: int
    due: tuple[str, ...]


class Report(msgspec.Struct, frozen=True):
    """The audit of a game, or of one deal of it (`deal`).

    `events` and `deals` count what was judged, `ruleset` is the name of the preset judged by, `remarks` are
    the versions of remarks, `retracted` is the number of events of the whole log that no longer count.
    `calls` explains the calls, null unless it was asked for, and where the game has none.
    """

    game: str
    ruleset: str
    deal: int | None
    events: int
    deals: int
    findings: tuple[Finding, ...]
    unchecked: tuple[Finding, ...]
    remarks: tuple[int, ...]
    retracted: int
    unfinished: Unfinished | None
    verdict: str
    calls: Calls | None = None

    def verdict_in(self, lang: Language) -> str:
        """Return the verdict in another language."""
        versions = [one.version for one in self.findings]
        finished = self.unfinished is None
        return verdict(versions, len(self.unchecked), self.events, finished=finished, lang=lang)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found; what could not be checked is no breach."""
        return not self.findings


class Comparison(msgspec.Struct, frozen=True):
    """One log judged by its own ruleset and by another; `parts_at` is the first version where they differ."""

    own: Report
    other: Report
    parts_at: int | None


def audit(
    game: Game[S, E],
    events: Sequence[E],
    ruleset: Any = None,
    deal: int | None = None,
    *,
    calls: bool = False,
) -> Report:
    """Return what breaks the rules in this log, judged by its own ruleset or by another.

    With *calls* the report explains them, which takes several times as long. With *deal* only that deal is judged, all before it is taken as recorded. Raises NotALogError for a log
    that does not begin as one does and NoSuchDeal for a deal that it does not have.
    """
    opened = _opening(events, ruleset)
    kept = effective(events)
    auditor = _Auditor(game)
    state = game.initial(opened)
    judged: list[_Chapter[E]] = []
    for chapter in _chapters(kept[1:], auditor.view):
        if deal is None or chapter.deal == deal:
            state = auditor.judge(state, chapter)
            judged.append(chapter)
        else:
            state = _passed_over(game, state, chapter)
    if deal is not None and not judged:
        raise NoSuchDeal(deal)
    report = _report(auditor, opened, state, judged, deal, len(events) - len(kept))
    explain_calls = auditor.view.calls
    if not calls or explain_calls is None:
        return report
    return replace(report, calls=explain_calls(game.initial(opened), kept[1:], deal))


def compare(
    game: Game[S, E], events: Sequence[E], ruleset: Any, deal: int | None = None
) -> Comparison:
    """Return the audits under the game's own ruleset and under another, side by side."""
    own, other = audit(game, events, None, deal), audit(game, events, ruleset, deal)
    apart = _told(own) ^ _told(other)
    return Comparison(own, other, min((version for version, *_ in apart), default=None))


def _told(report: Report) -> set[tuple[int, str, int | None]]:
    found = (*report.findings, *report.unchecked)
    return {(one.version, one.severity + one.code, one.seat) for one in found}


def _opening(events: Sequence[Event], ruleset: Any) -> GameOpened[Any]:
    opened = events[0] if events else None
    if not isinstance(opened, GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    return opened if ruleset is None else replace(opened, ruleset=ruleset)


class _Chapter(msgspec.Struct, Generic[E]):
    """A stretch of a deal in which the record only moves cards, never says anew where they lie."""

    deal: int | None
    begins: bool
    events: list[tuple[int, E]]


def _chapters(kept: Sequence[tuple[int, E]], view: GameView) -> Iterator[_Chapter[E]]:
    chapter: _Chapter[E] = _Chapter(None, False, [])
    for version, event in kept:
        kind = type(event)
        if kind in view.replaces_cards:
            yield chapter
            begins = kind in view.begins_deal
            deal = getattr(event, "deal", None) if begins else chapter.deal
            chapter = _Chapter(deal, begins, [])
        chapter.events.append((version, event))
    yield chapter


def _passed_over(game: Game[S, E], state: S, chapter: _Chapter[E]) -> S:
    for _, event in chapter.events:
        state = game.evolve(state, event)
    return state


class _Auditor(Generic[S, E]):
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

    def judge(self, state: S, chapter: _Chapter[E]) -> S:
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

    def _count_again(self, state: S, chapter: _Chapter[E]) -> None:
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
            for card in twice.keys() - known.keys():
                if not self._told(version, "CARD_TWICE"):
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


def _report(
    auditor: _Auditor[S, E],
    opened: GameOpened[Any],
    state: S,
    judged: Sequence[_Chapter[E]],
    deal: int | None,
    retracted: int,
) -> Report:
    found = sorted(auditor.findings, key=lambda one: one.version)
    breaches = tuple(one for one in found if one.severity == "breach")
    unchecked = tuple(one for one in found if one.severity == "unchecked")
    events = sum(len(chapter.events) for chapter in judged) + (deal is None)
    unfinished = _unfinished(auditor.game, state, deal)
    versions = [one.version for one in breaches]
    return Report(
        game=auditor.game.name,
        ruleset=opened.ruleset.preset,
        deal=deal,
        events=events,
        deals=len({chapter.deal for chapter in judged if chapter.begins}),
        findings=breaches,
        unchecked=unchecked,
        remarks=tuple(
            version
            for chapter in judged
            for version, event in chapter.events
            if type(event) is Remarked
        ),
        retracted=retracted,
        unfinished=unfinished,
        verdict=verdict(versions, len(unchecked), events, finished=unfinished is None),
    )


def _unfinished(game: Game[S, E], state: Any, deal: int | None) -> Unfinished | None:
    """Return where the log stops; a deal audited by itself is finished once it is scored or another began."""
    over = state.phase == "ended" if deal is None else state.phase in ("scored", "ended")
    if over or deal not in (None, state.deal):
        return None
    due = tuple(str(event.__struct_config__.tag) for event in game.due(state))
    return Unfinished(state.deal, state.phase, state.turn, due)
