"""`lanterlog audit`: what breaks the rules in one game; the whole archive is `archive.py`'s."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api.calls import calls_told
from api.commands import output, pick
from api.commands.store import connected
from api.engines import Engine, rules_of
from events import recorder
from events.errors import BadUsage
from events.games import game_named
from projections.audit import Finding, Report, audit
from projections.board import LETTERS
from projections.books import by_book
from projections.calls import Calls
from projections.explain import Language, sentence

Row = tuple[object, ...]
CLEAN, FOUND = 0, 1


def audit_games(args: Namespace) -> int:
    """Audit what is named; 1 if any rule was broken."""
    if args.all == bool(args.game):
        raise BadUsage("audit what? expected a GAME or --all")
    for option in ("deal", "calls", "report"):
        if args.all and getattr(args, option):
            raise BadUsage(f"--{option} belongs to one game, expected it without --all")
    for option in ("jobs", "resume", "summary", "against"):
        if not args.all and getattr(args, option):
            raise BadUsage(f"--{option} belongs to the whole archive, expected --all")
    for option in ("first", "last"):
        if getattr(args, option) and not args.report:
            raise BadUsage("--from and --to belong to a report, expected --report")
    if args.all:
        from api.commands import archive

        return archive.audit_all(args)
    with connected() as conn:
        if args.report:
            return _report(conn, args)
        return _audit_one(conn, args)


def preset(game: str, name: str | None, own: Any = None) -> Any:
    """Return the ruleset of this name, None if none is named; raise BadUsage if the game has no such preset.

    With the ruleset that a table was played under, *own*, it has that table's own amounts.
    """
    if name is None:
        return None
    rules = game_named(game)
    presets = rules.presets
    if name not in presets:
        raise BadUsage(f"ruleset {name!r}, expected one of {', '.join(presets)}")
    return presets[name] if own is None else by_book(rules, own, presets[name])


def as_json(game_id: UUID, report: Report, lang: Language) -> dict[str, Any]:
    """Return a report as JSON has it, each finding with its sentence."""
    found = msgspec.structs.asdict(report) | {"verdict": report.verdict_in(lang)}
    for kind in ("findings", "unchecked"):
        found[kind] = [_with_text(one, lang) for one in found[kind]]
    if report.calls is not None:
        found["calls"] = calls_told(report.calls, lang)
    return {"game_id": game_id} | found


def _report(conn: Connection, args: Namespace) -> int:
    from api.commands.reporting import report_game

    if args.calls or args.engine == "recorded":
        raise BadUsage("--report goes without --calls and --engine")
    log = recorder.load(conn, pick.game_id(conn, args.game))
    ruleset = preset(log.head.game, args.ruleset, log.events[0].ruleset)
    return CLEAN if report_game(conn, log, args, ruleset) else FOUND


def _audit_one(conn: Connection, args: Namespace) -> int:
    log = recorder.load(conn, pick.game_id(conn, args.game))
    ruleset = preset(log.head.game, args.ruleset, log.events[0].ruleset)
    rules, engine = rules_of(game_named(log.head.game), log.events[0].engine, args.engine)
    report = audit(rules, log.events, ruleset, args.deal, calls=args.calls)
    if args.json:
        output.as_json(as_json(log.head.game_id, report, args.lang) | {"engine": engine})
    else:
        calls = [] if report.calls is None else list(_call_rows(report.calls, args.lang))
        rows = [*_finding_rows(report, args.lang), *calls, _verdict_row(report, args.lang)]
        output.table(("", "version", "deal", "seat", "rule", "code", "what"), rows)
        if args.engine == "recorded" or engine.corrections:
            output.say(_engines(engine))
    return CLEAN if report.is_clean else FOUND


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


def _with_text(one: Finding, lang: Language) -> dict[str, Any]:
    return msgspec.structs.asdict(one) | {"text": sentence(one, LETTERS, lang)}
