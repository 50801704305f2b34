"""An audit report of a stored game for one reader, for the HTTP interface, the page and the command line alike.

Reads no request. What is told is computed from the log as the reader sees it.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Raw
from sqlalchemy import Connection, select

from api.answers import audit_finding
from api.times import microseconds, rfc3339
from api.viewing import Eyes
from api.wire_reports import (
    Breach,
    HeldCard,
    HiddenCards,
    Imported,
    Known,
    RecorderLine,
    RecordPart,
    ReportAnswer,
    ReportSide,
    Scope,
    Score,
)
from events.codec import encode
from events.docket import Entry
from events.recorder import Log
from events.schema import imports
from projections.correction import Correction, DealCorrection
from projections.knowledge import Knowledge
from projections.recording import Recording, recording
from projections.report import AuditReport, Told, report
from projections.report_text import Teller


class Import(msgspec.Struct, frozen=True):
    """How a game was brought in: by whom, when (microseconds since 1970 UTC), up to which version."""

    imported_by: UUID
    imported_at: int
    version: int


class Reported(msgspec.Struct, frozen=True):
    """A report, and what the store knows of how the game was recorded and what was disputed about it."""

    log: Log
    report: AuditReport
    recording: Recording
    imported: Import | None
    disputes: Sequence[Entry] = ()


def import_of(conn: Connection, game_id: UUID) -> Import | None:
    """Return how a game was brought in, None if it was recorded here. One query."""
    columns = (imports.c.imported_by, imports.c.imported_at, imports.c.version)
    row = conn.execute(select(*columns).where(imports.c.game_id == game_id)).first()
    if row is None:
        return None
    return Import(row.imported_by, microseconds(row.imported_at), row.version)


def reported(
    log: Log, eyes: Eyes, imported: Import | None, disputes: Sequence[Entry] = (), **asked: Any
) -> Reported:
    """Return the report of a log for its reader; *asked* is what `projections.report` takes."""
    found = report(eyes.game, eyes.events(log.events), **asked)
    return Reported(log, found, recording(log.head, log.stored), imported, disputes)


def answer(found: Reported, eyes: Eyes, teller: Teller) -> ReportAnswer:
    """Return a report as JSON, with its sentences."""
    told, head = found.report, found.log.head
    side = told.beside
    return ReportAnswer(
        game_id=head.game_id,
        version=head.version,
        viewer=eyes.at(head.version),
        game=told.game,
        ruleset=told.ruleset,
        scope=Scope(told.scope.deal, told.scope.first, told.scope.last, teller.scope(told)),
        events=told.events,
        retracted=told.retracted,
        verdict=teller.verdict(told),
        breaches=[_breach(one, teller) for one in told.breaches],
        unchecked=[audit_finding(one, teller.lang) for one in told.unchecked],
        scores=[_score(one, teller) for one in told.correction.deals],
        total=_total(told.correction, teller),
        beside=None
        if side is None
        else ReportSide(
            ruleset=side.ruleset,
            parts_at=side.parts_at,
            findings=[audit_finding(one, teller.lang) for one in side.findings],
            unchecked=[audit_finding(one, teller.lang) for one in side.unchecked],
            text=teller.sides(told, side),
        ),
        record=_record(found, teller),
    )


def _breach(told: Told, teller: Teller) -> Breach:
    moment = told.moment
    known = None if moment is None else moment.knowledge
    return Breach(
        **msgspec.structs.asdict(told.finding),
        text=teller.sentence(told.finding),
        follows=told.follows,
        happened=Raw(encode(told.event)),
        happened_text=teller.happened(told),
        position=None if moment is None else moment.view,
        knowledge=None if known is None else _known(known, teller),
        acts=[] if moment is None else [Raw(encode(act)) for act in moment.acts],
        more=moment is not None and moment.more,
        due=[] if moment is None else [Raw(encode(one)) for one in moment.due],
        score=_score(told.score, teller, teller.breach_effect(told)),
    )


def _known(known: Knowledge, teller: Teller) -> Known:
    return Known(
        seat=known.seat,
        at=known.at,
        own=list(known.own),
        laid_aside=list(known.laid_aside),
        public=list(known.public),
        held=[HeldCard(one.seat, one.card, one.since, one.event) for one in known.held],
        hidden=[
            HiddenCards(one.place, one.seat, one.count, list(one.possible)) for one in known.hidden
        ],
        unseen=known.unseen,
        text=teller.knowledge(known),
    )


def _score(one: DealCorrection | None, teller: Teller, text: str | None = None) -> Score:
    why = None if one is None else one.undefined
    return Score(
        deal=None if one is None else one.deal,
        recorded=None if one is None or one.recorded is None else list(one.recorded),
        corrected=None if one is None or one.corrected is None else list(one.corrected),
        undefined=None if why is None else why.reason,
        version=None if why is None else why.version,
        text=teller.effect(one) if text is None else text,
    )


def _total(correction: Correction, teller: Teller) -> Score:
    why = correction.undefined
    return Score(
        deal=None,
        recorded=list(correction.recorded),
        corrected=None if correction.totals is None else list(correction.totals),
        undefined=None if why is None else why.reason,
        version=None if why is None else why.version,
        text=teller.total(correction),
    )


def _record(found: Reported, teller: Teller) -> RecordPart:
    chain, one = found.recording.chain, found.imported
    return RecordPart(
        recorders=[
            RecorderLine(
                recorded_by=who.recorded_by,
                events=who.events,
                first=who.first,
                last=who.last,
                first_at=rfc3339(who.first_at),
                last_at=rfc3339(who.last_at),
            )
            for who in found.recording.recorders
        ],
        imported=None
        if one is None
        else Imported(
            imported_by=one.imported_by,
            imported_at=rfc3339(one.imported_at),
            version=one.version,
        ),
        chain_holds=chain.holds,
        wrong=chain.wrong,
        head=chain.head.hex(),
        text=record_lines(found, teller),
    )


def record_lines(found: Reported, teller: Teller) -> list[str]:
    """Return how the game was recorded, a sentence each."""
    lines = teller.record(found.recording)
    one = found.imported
    if one is not None:
        lines.append(teller.imported(one.imported_by, one.imported_at, one.version))
    if found.report.retracted:
        lines.append(teller.say("record.retracted", count=found.report.retracted))
    lines.append(teller.chain(found.recording))
    return [*lines, *(_disputed(one, teller) for one in found.disputes)]


def _disputed(one: Entry, teller: Teller) -> str:
    versions = " ".join(map(str, one.dispute.opened.versions))
    standing = teller.words[f"dispute.{one.dispute.standing}"]
    return teller.say("record.dispute", versions=versions, standing=standing, id=one.dispute_id)
