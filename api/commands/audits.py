"""`lanterlog audit`: what breaks the rules, in one game or in the whole archive."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api.calls import calls_told
from api.commands import output, pick
from api.commands.store import connected, count_games
from api.engines import Engine, rules_of
from events import recorder, store
from events.codec import decode_log
from events.errors import BadUsage
from events.games import game_named
from projections.audit import Finding, Report, audit
from projections.board import LETTERS
from projections.calls import Calls
from projections.explain import Language, sentence

Row = tuple[object, ...]
CLEAN, FOUND = 0, 1


def audit_games(args: Namespace) -> int:
    """Audit what is named; 1 if any rule was broken."""
    if args.all == bool(args.game):
        raise BadUsage("audit what? expected a GAME or --all")
    for option in ("deal", "calls"):
        if args.all and getattr(args, option):
            raise BadUsage(f"--{option} belongs to one game, expected it without --all")
    with connected() as conn:
        return _audit_all(conn, args) if args.all else _audit_one(conn, args)


def _audit_one(conn: Connection, args: Namespace) -> int:
    log = recorder.load(conn, pick.game_id(conn, args.game))
    ruleset = _ruleset(log.head.game, args)
    rules, engine = rules_of(game_named(log.head.game), log.events[0].engine, args.engine)
    report = audit(rules, log.events, ruleset, args.deal, calls=args.calls)
    if args.json:
        output.as_json(_as_json(log.head.game_id, report, args.lang) | {"engine": engine})
    else:
        calls = [] if report.calls is None else list(_call_rows(report.calls, args.lang))
        rows = [*_finding_rows(report, args.lang), *calls, _verdict_row(report, args.lang)]
        output.table(("", "version", "deal", "seat", "rule", "code", "what"), rows)
        if args.engine == "recorded" or engine.corrections:
            output.say(_engines(engine))
    return CLEAN if report.is_clean else FOUND


def _audit_all(conn: Connection, args: Namespace) -> int:
    totals = {"games": 0, "events": 0, "breaches": 0, "unchecked": 0}
    reports = _reports(conn, args, totals)
    if args.json:
        for game_id, report in reports:
            output.as_json(_as_json(game_id, report, args.lang))
    else:
        columns = ("game", "ruleset", "deals", "events", "breaches", "unchecked", "verdict")
        output.table(
            columns, (_game_row(game_id, report, args.lang) for game_id, report in reports)
        )
    output.say(", ".join(f"{count} {what}" for what, count in totals.items()))
    return FOUND if totals["breaches"] else CLEAN


def _reports(
    conn: Connection, args: Namespace, totals: dict[str, int]
) -> Iterator[tuple[UUID, Report]]:
    """Yield a report for every game of the archive, read as one stream."""
    with output.progress("auditing", count_games(conn)) as bar:
        for game_id, game, bodies in store.stream_bodies(conn):
            bar.step()
            events = decode_log(game, bodies)
            rules, _ = rules_of(game_named(game), events[0].engine, args.engine)
            report = audit(rules, events, _ruleset(game, args))
            totals["games"] += 1
            totals["events"] += report.events
            totals["breaches"] += len(report.findings)
            totals["unchecked"] += len(report.unchecked)
            yield game_id, report


def _ruleset(game: str, args: Namespace) -> Any:
    if args.ruleset is None:
        return None
    presets = game_named(game).presets
    if args.ruleset not in presets:
        raise BadUsage(f"ruleset {args.ruleset!r}, expected one of {', '.join(presets)}")
    return presets[args.ruleset]


def _engines(engine: Engine) -> str:
    """Return by which version was judged, and what the other one would have judged differently."""
    by = f"opened by engine {engine.recorded}, judged by {engine.judged_by}"
    told = "; ".join(f"{one.rule} since {one.engine}: {one.what}" for one in engine.corrections)
    return f"{by}; corrected in between: {told or 'nothing'}"


def _finding_rows(report: Report, lang: Language) -> Iterator[Row]:
    for one in sorted((*report.findings, *report.unchecked), key=lambda found: found.version):
        seat = "" if one.seat is None else LETTERS[one.seat]
        text = sentence(one, LETTERS, lang)
        yield one.severity, one.version, one.deal, seat, one.rule, one.code, text


def _call_rows(calls: Calls, lang: Language) -> Iterator[Row]:
    """Yield the calls in order of arrival and, where its window opened, each that nobody made."""
    deals = {window.version: window.deal for window in calls.windows}
    made: list[tuple[int, Row]] = []
    for one in calls.made:
        text, seat = sentence(one, LETTERS, lang), LETTERS[one.seat]
        deal = "" if one.window is None else deals[one.window]
        row = (f"call {one.outcome}", one.version, deal, seat, one.rule, one.code, text)
        made.append((one.version, row))
    missed: list[tuple[int, Row]] = []
    for window in calls.windows:
        for other in window.missed:
            text, seats = sentence(other, LETTERS, lang), " ".join(LETTERS[s] for s in other.seats)
            row = ("not called", window.version, window.deal, seats, other.rule, other.code, text)
            missed.append((window.version, row))
    yield from (row for _, row in sorted((*missed, *made), key=lambda pair: pair[0]))


def _verdict_row(report: Report, lang: Language) -> Row:
    under = f"{report.verdict_in(lang)} ({report.ruleset})"
    return "verdict", "", report.deal, "", "", "", under


def _game_row(game_id: UUID, report: Report, lang: Language) -> Row:
    breaches, unchecked = len(report.findings), len(report.unchecked)
    verdict = report.verdict_in(lang)
    return game_id, report.ruleset, report.deals, report.events, breaches, unchecked, verdict


def _as_json(game_id: UUID, report: Report, lang: Language) -> dict[str, Any]:
    found = msgspec.structs.asdict(report) | {"verdict": report.verdict_in(lang)}
    for kind in ("findings", "unchecked"):
        found[kind] = [_with_text(one, lang) for one in found[kind]]
    if report.calls is not None:
        found["calls"] = calls_told(report.calls, lang)
    return {"game_id": game_id} | found


def _with_text(one: Finding, lang: Language) -> dict[str, Any]:
    return msgspec.structs.asdict(one) | {"text": sentence(one, LETTERS, lang)}
