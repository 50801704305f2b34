"""Answers: structs of `api.wire` filled from what the events say, narrowed to what the reader may see."""

from collections import Counter
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Response, g
from msgspec import UNSET

from api import parsing
from api.calls import calls_told
from api.engines import Engine
from api.problems import problem
from api.times import rfc3339
from api.viewing import Eyes
from api.wire import (
    Added,
    AuditAnswer,
    AuditBeside,
    AuditFinding,
    EventLine,
    Judged,
    RecordAnswer,
    Viewer,
    encode,
)
from events.chain import inner_hash
from events.codec import encode as encode_event
from events.common import Event
from events.errors import RefusedError, RulesetError
from events.game import Judgement, Unchecked
from events.recorder import Recorded
from events.records import Head, StoredEvent
from projections.audit import Finding, Report
from projections.explain import Language, sentence
from projections.seen import SeenLog


def answer(body: Any, status: HTTPStatus = HTTPStatus.OK, **headers: str) -> Response:
    """Return a JSON answer."""
    return Response(encode(body), status, headers, content_type=parsing.JSON)


def told(body: Any, status: HTTPStatus = HTTPStatus.OK, **headers: str) -> Response:
    """Return a JSON answer that holds sentences, and says in which language."""
    found = answer(body, status, **headers)
    found.headers["Content-Language"] = parsing.language()
    return found


def judged(found: Judgement, version: int | None = None) -> Judged:
    """Return a judgement with its sentence."""
    return Judged(
        code=found.code,
        rule=found.rule,
        seat=found.seat,
        params=found.params,
        text=sentence(found, lang=parsing.language()),
        unchecked=found.why if isinstance(found, Unchecked) else UNSET,
        version=UNSET if version is None else version,
    )


def event_line(eyes: Eyes, stored: StoredEvent, event: Event, remark: str | None) -> EventLine:
    """Return a stored event as the reader may see it, so that he can check its hash either way."""
    seen = eyes.event(stored.version, event)
    whole = seen is event
    return EventLine(
        version=stored.version,
        recorded_at=rfc3339(stored.recorded_at),
        recorded_by=stored.recorded_by,
        hash=stored.hash.hex(),
        salt=stored.salt.hex() if whole else UNSET,
        inner=UNSET if whole else inner_hash(stored.salt, stored.body).hex(),
        event=msgspec.Raw(stored.body if whole else encode_event(seen)),
        remark=UNSET if remark is None else remark,
    )


def recorded(
    eyes: Eyes, seen: Callable[[], SeenLog], done: Recorded, *, dry_run: bool = False
) -> RecordAnswer:
    """Return what an append came to; *seen* gives the whole log with the new events as it is seen.

    A dry run shows no events: what would come of an act (the card drawn, the hands at the end of the deal)
    is not on record, so nobody may see it.
    """
    new = [] if dry_run else eyes.events(done.events, done.first_version)
    found = _by_version(done.warnings)
    if not dry_run:
        g.stored = len(done.events), done.repeated
    return RecordAnswer(
        game_id=done.game_id,
        first_version=done.first_version,
        version=done.version,
        head=done.head.hex(),
        recorded_at=None if dry_run else rfc3339(done.recorded_at),
        repeated=done.repeated,
        dry_run=dry_run,
        viewer=eyes.at(done.version),
        events=[
            Added(version, msgspec.Raw(encode_event(event)))
            for version, event in enumerate(new, done.first_version)
        ],
        warnings=[
            judged(one, version)
            for version, one in eyes.warnings(seen, done.events, done.first_version, found)
        ],
    )


def refused(
    eyes: Eyes, log: Sequence[Event], events: Sequence[Event], error: RefusedError
) -> Response:
    """Return the problem for acts that a table refuses; *log* is the log as it is now."""
    before = [*log[: error.version], *events[: error.index]]
    found = eyes.judgements(before, events[error.index], error.violations)
    first = found[0]
    members: dict[str, Any] = {
        "rule": first.rule,
        "index": error.index,
        "version": error.version if error.recorded is None else error.recorded.version,
        "violations": [judged(one) for one in found],
    }
    if error.recorded is not None:
        members["recorded"] = recorded(eyes, lambda: eyes.log(log), error.recorded)
    lang = parsing.language()
    answer = problem(f"rule/{first.code}", sentence(first, lang=lang), **members)
    answer.headers["Content-Language"] = lang
    return answer


def audited(
    head: Head, viewer: Viewer, report: Report, engine: Engine, beside: Report | None = None
) -> AuditAnswer:
    """Return a report with its sentences, in the reader's language, and another ruleset's beside it."""
    lang = parsing.language()
    return AuditAnswer(
        game_id=head.game_id,
        version=head.version,
        viewer=viewer,
        game=report.game,
        ruleset=report.ruleset,
        deal=report.deal,
        events=report.events,
        deals=report.deals,
        verdict=report.verdict_in(lang),
        findings=[audit_finding(one, lang) for one in report.findings],
        unchecked=[audit_finding(one, lang) for one in report.unchecked],
        remarks=list(report.remarks),
        retracted=report.retracted,
        unfinished=report.unfinished,
        calls=None if report.calls is None else calls_told(report.calls, lang),
        engine=engine,
        beside=None if beside is None else _beside(report, beside, lang),
    )


def _beside(report: Report, other: Report, lang: Language) -> AuditBeside:
    return AuditBeside(
        ruleset=other.ruleset,
        verdict=other.verdict_in(lang),
        findings=[audit_finding(one, lang) for one in other.findings],
        unchecked=[audit_finding(one, lang) for one in other.unchecked],
        differing=_differing(report, other),
    )


def _differing(one: Report, other: Report) -> list[int]:
    """Return the versions of which two reports do not say the same, in order."""
    mine = Counter(map(encode, (*one.findings, *one.unchecked)))
    others = Counter(map(encode, (*other.findings, *other.unchecked)))
    both = (*one.findings, *one.unchecked, *other.findings, *other.unchecked)
    return sorted({f.version for f in both if mine[encode(f)] != others[encode(f)]})


def audit_finding(found: Finding, lang: Language) -> AuditFinding:
    """Return a finding with its sentence."""
    return AuditFinding(**msgspec.structs.asdict(found), text=sentence(found, lang=lang))


def unplayable(error: RulesetError) -> Response:
    """Return the problem for options that no table can play by."""
    if not error.violations:
        return problem("ruleset", str(error))
    code = f"ruleset/{error.violations[0].code}"
    violations = [judged(one) for one in error.violations]
    return problem(code, str(error), violations=violations)


def _by_version(warnings: Sequence[tuple[int, Judgement]]) -> dict[int, list[Judgement]]:
    found: dict[int, list[Judgement]] = {}
    for version, one in warnings:
        found.setdefault(version, []).append(one)
    return found
