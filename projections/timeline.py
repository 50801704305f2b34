"""A game at a glance: its deals with the versions they span, who dealt, how they ended, and what was done in them.

Pure; knows no particular game: what is told of a deal each game brings (`rummy500_course.py`, `lanterloo_course.py`).
Only what is in force counts, but every retraction is listed. A timeline tells what its events tell: for a viewer,
make it from the log as that viewer sees it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from events.common import Event, GameEnded, GameOpened, Remarked, Retracted
from events.errors import NotALogError
from events.game import Game, effective
from projections.audit import Finding, Severity, audit
from projections.course import DealLine
from projections.views import view_of


class Remark(msgspec.Struct, frozen=True):
    """Where a remark was made, and the version that it is about; its text lies beside the log."""

    version: int
    seat: int | None
    about: int | None = None


class Retraction(msgspec.Struct, frozen=True):
    """Where the record went back, and to where."""

    version: int
    back_to: int
    reason: str


class FindingLine(msgspec.Struct, frozen=True):
    """Where a rule was broken, or could not be checked."""

    version: int
    deal: int | None
    seat: int | None
    severity: Severity
    code: str
    rule: str


class Timeline(msgspec.Struct, frozen=True):
    """A whole game; `winner` is null while it goes on and when it was abandoned.

    `findings` are those of the audit of the same events, in order; null unless they were asked for.
    """

    game: str
    seats: int
    versions: int
    deals: tuple[DealLine, ...]
    remarks: tuple[Remark, ...]
    retractions: tuple[Retraction, ...]
    ended: bool
    winner: int | None
    abandoned: bool
    findings: tuple[FindingLine, ...] | None = None


def timeline(game: Game[Any, Any], events: Sequence[Event], *, findings: bool = False) -> Timeline:
    """Return the timeline of a log; raise NotALogError for one that does not begin as one does.

    With *findings* the log is audited too, which takes several times as long.
    """
    if not events or not isinstance(events[0], GameOpened):
        raise NotALogError("a game's log begins with game_opened")
    table = game.initial(events[0])
    kept = [pair for pair in effective(events) if not game.is_off_the_table(table, pair[1])]
    end = next((event for _, event in kept if isinstance(event, GameEnded)), None)
    return Timeline(
        game=game.name,
        seats=len(events[0].seats),
        versions=len(events),
        deals=tuple(view_of(game.name).deals(kept)),
        remarks=tuple(
            Remark(version, event.seat, event.about)
            for version, event in kept
            if isinstance(event, Remarked)
        ),
        retractions=tuple(
            Retraction(version, event.back_to, event.reason)
            for version, event in enumerate(events, 1)
            if isinstance(event, Retracted)
        ),
        ended=end is not None,
        winner=None if end is None else end.winner,
        abandoned=end is not None and end.abandoned,
        findings=_findings(game, events) if findings else None,
    )


def _findings(game: Game[Any, Any], events: Sequence[Event]) -> tuple[FindingLine, ...]:
    report = audit(game, events)
    found = sorted((*report.findings, *report.unchecked), key=lambda one: one.version)
    return tuple(_line(one) for one in found)


def _line(one: Finding) -> FindingLine:
    return FindingLine(one.version, one.deal, one.seat, one.severity, one.code, one.rule)


__all__ = ["DealLine", "FindingLine", "Remark", "Retraction", "Timeline", "timeline"]
