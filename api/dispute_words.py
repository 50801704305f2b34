"""Acts in disputes in words of English, a line each, as the command line and the table notation show them.

Reads no table. The page has words of its own, in both languages.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from api.files import Filed
from api.times import rfc3339
from events.disputes import (
    Adjustment,
    AppealDecided,
    DisputeEvent,
    DisputeOpened,
    EvidenceLinked,
    Fact,
    PrecedentTagged,
    Ruled,
    ToGame,
    ToReport,
    ToVersion,
)
from events.disputing import fold
from projections.board import LETTERS

ERASED: Final = "(erased)"


def lines(dispute: Filed, upto: int | None = None) -> Iterator[str]:
    """Yield a dispute up to a version: what it is about and how it stands, and a line for each act."""
    events = dispute.events[:upto]
    found, opened = fold(events), events[0]
    assert isinstance(opened, DisputeOpened)
    versions = " ".join(map(str, opened.versions))
    yield f"dispute {dispute.head.game_id} about game {opened.game_id}, versions {versions}: {found.standing}"
    names = dispute.names
    for version, (stored, event) in enumerate(zip(dispute.stored, events, strict=False), 1):
        said = None if version not in dispute.remarks else dispute.remarks[version][1]
        who, what, text = told(event, said, names)
        parts = (str(version), rfc3339(stored.recorded_at), who, what, text)
        yield "  ".join(part for part in (" ".join(one.split()) for one in parts) if part)


def told(event: DisputeEvent, said: str | None, names: Mapping[str, str]) -> tuple[str, str, str]:
    """Return who did what with which text; *names* by the player's id."""
    by = None if isinstance(event, PrecedentTagged) else event.by
    who = "arbiter" if by is None else names.get(by, by)
    text = ERASED if said is None and getattr(event, "text", None) is not None else said or ""
    return who, ", ".join(_what(event)), text


def points(adjustments: Iterable[Adjustment]) -> Iterator[str]:
    """Yield adjustments as the command line takes them: DEAL:SEAT:POINTS."""
    for one in adjustments:
        yield f"{one.deal}:{LETTERS[one.seat]}:{one.points:+d}"


def _what(event: DisputeEvent) -> Iterator[str]:
    yield str(event.__struct_config__.tag).replace("_", " ")
    match event:
        case DisputeOpened():
            yield event.remedy
            yield from event.rules
            yield from points(event.demanded)
        case Ruled() | AppealDecided():
            if isinstance(event, AppealDecided):
                yield event.outcome
            yield event.decision
            yield from event.rules
            yield from map(_fact, event.facts)
            yield from points(event.adjustments)
        case EvidenceLinked(evidence=ToVersion(version=version)):
            yield f"version {version}"
        case EvidenceLinked(evidence=ToGame() as game):
            yield f"game {game.game_id}, version {game.version}"
        case EvidenceLinked(evidence=ToReport() as report):
            yield f"file with SHA-256 {report.sha256}"
        case PrecedentTagged():
            yield from event.tags


def _fact(fact: Fact) -> str:
    return f"{fact.version}:{fact.code}{'' if fact.breach else ' (none)'}"
