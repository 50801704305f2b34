"""An audit: every event of a game judged in the state before it, and its cards counted.

Pure. What is judged is what counts: events in force at the end of the log; how many were retracted is said.
The rules are asked through `judge` alone, so an audit, a refusal and a warning can never differ; facts of
the dealer and the scorer are compared there with what was due.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from events.common import Event, GameOpened, Remarked
from events.errors import NoSuchDeal, NotALogError
from events.game import Game, effective
from projections.calls import Calls
from projections.explain import Language, verdict
from projections.judging import Auditor, Chapter, Finding, Severity, chapters, passed_over

S = TypeVar("S")
E = TypeVar("E", bound=Event)


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
    auditor = Auditor(game)
    state = game.initial(opened)
    judged: list[Chapter[E]] = []
    for chapter in chapters(kept[1:], auditor.view):
        if deal is None or chapter.deal == deal:
            state = auditor.judge(state, chapter)
            judged.append(chapter)
        else:
            state = passed_over(game, state, chapter)
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


def _report(
    auditor: Auditor[S, E],
    opened: GameOpened[Any],
    state: S,
    judged: Sequence[Chapter[E]],
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


__all__ = ["Comparison", "Finding", "Report", "Severity", "Unfinished", "audit", "compare"]
