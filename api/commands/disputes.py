"""`lanterlog dispute`: opens, argues, rules and appeals, and finds what was decided.

Whoever uses the command line has the database itself, so he may speak for every player and rule.
"""

import re
from argparse import Namespace
from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec
from sqlalchemy import Connection

from api import db, dispute_answers, dockets
from api import disputes_wire as wire
from api.asker import OWNER
from api.commands import dispute_telling, output, pick
from api.commands.store import connected
from api.config import Config
from api.dispute_search import search
from events import docket, store
from events.disputing import ANYONE
from events.docket import Done
from events.errors import BadUsage, as_reason
from projections.board import LETTERS

T = TypeVar("T")

LARGEST: Final = 4 * 1024**3
"""Bytes of a file that is evidence, a recording of the table, say."""

_POINTS: Final = re.compile(r"([1-9][0-9]{0,5}):([A-H]|[0-7]):([+-]?[0-9]{1,15})")
_FACT: Final = re.compile(r"([1-9][0-9]{0,9}):([A-Z][A-Z0-9_]{0,39})")


def open_dispute(args: Namespace) -> int:
    """Open a dispute about a game."""
    numbers = [_number(one) for one in args.versions.split(",")]
    asked = _made(
        wire.OpenDispute,
        versions=numbers,
        claim=args.text,
        rules=args.rule,
        remedy=args.remedy,
        demanded=_points(args.demand),
        seat=_seat(args.seat),
    )
    with db.opened(Config.from_environment()) as engine, engine.begin() as conn:
        head = store.head(conn, pick.game_id(conn, args.game))
        table = dockets.table_at(conn, head)
        return _told(conn, dockets.open_dispute(conn, head, asked, ANYONE, table, None), args)


def say(args: Namespace) -> int:
    """Add a statement."""
    return _act(args, do="say", text=args.text, seat=_seat(args.seat))


def link(args: Namespace) -> int:
    """Point to evidence."""
    report = None
    if args.file is not None:
        report = _digest(Path(args.file))
    game = None
    if args.game is not None:
        with connected() as conn:
            game = str(pick.game_id(conn, args.game))
    given = {"version": args.version, "game_id": game, "report": report}
    return _act(args, do="link", text=args.text, seat=_seat(args.seat), **given)


def _digest(path: Path) -> str:
    """Return a file's SHA-256; raises BadUsage for one that is too large, or may have no end."""
    status = path.stat()
    if not S_ISREG(status.st_mode):
        raise BadUsage(f"{path}: no regular file, expected one")
    if status.st_size > LARGEST:
        raise BadUsage(f"{path}: {status.st_size} bytes, expected at most {LARGEST}")
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def withdraw(args: Namespace) -> int:
    """Take a dispute back."""
    return _act(args, do="withdraw", text=args.text, seat=_seat(args.seat))


def rule(args: Namespace) -> int:
    """Decide."""
    return _act(args, do="rule", decision=args.decision, **_decision(args))


def appeal(args: Namespace) -> int:
    """Do not accept the ruling."""
    return _act(args, do="appeal", text=args.text, seat=_seat(args.seat))


def decide(args: Namespace) -> int:
    """Decide an appeal."""
    given = {"outcome": args.outcome, "decision": args.decision}
    return _act(args, do="decide", **given, **_decision(args))


def tag(args: Namespace) -> int:
    """Put a decision under some words."""
    return _act(args, do="tag", tags=args.tags)


def show(args: Namespace) -> int:
    """Print a dispute with all that was said."""
    with connected() as conn:
        entry = docket.load(conn, pick.dispute_id(conn, args.dispute))
        (found,) = dispute_answers.shown(conn, [entry], with_events=True)
        seats = dockets.table_at(conn, store.head(conn, entry.disputed)).seats
    if args.json:
        output.as_json(found)
        return 0
    for line in dispute_telling.title(found, args.lang):
        output.line(line)
    rows = (dispute_telling.row(one, seats, args.lang) for one in found.events or [])
    output.table(dispute_telling.heads(args.lang), rows)
    return 0


def list_disputes(args: Namespace) -> int:
    """Print the disputes that are asked for, the oldest first."""
    names = ("rule", "code", "words", "tag", "standing")
    with connected() as conn:
        game = None if args.game is None else str(pick.game_id(conn, args.game))
        given = {name: getattr(args, name) for name in names}
        asked, more = _made(wire.DisputesQuery, game_id=game, limit=100, **given), True
        rows: list[wire.DisputeShown] = []
        while more:
            page = search(conn, asked, OWNER)
            rows += dispute_answers.shown(conn, docket.many(conn, page.rows))
            asked = msgspec.structs.replace(asked, cursor=page.next)
            more = page.next is not None
    if args.json:
        for one in rows:
            output.as_json(one)
    else:
        columns = ("dispute", "game", "standing", "rules", "tags", "claim")
        output.table(columns, map(_row, rows))
    return 0


def _act(args: Namespace, **given: Any) -> int:
    """Do one act after the version that the dispute has now."""
    with db.opened(Config.from_environment()) as engine, engine.begin() as conn:
        entry = docket.load(conn, pick.dispute_id(conn, args.dispute))
        asked = _made(wire.GoOn, act=_without_none(given), expected_version=entry.head.version)
        table = dockets.table_at(conn, store.head(conn, entry.disputed))
        return _told(conn, dockets.act(conn, entry, asked, ANYONE, table, uuid4()), args)


def _told(conn: Connection, done: Done, args: Namespace) -> int:
    """Say what an act came to, and what the game's scores are now."""
    entry = done.entry
    (found,) = dispute_answers.shown(conn, [entry])
    scores = dispute_answers.game_scores(conn, store.head(conn, entry.disputed))
    if args.json:
        output.as_json(found)
        return 0
    output.line(f"dispute {entry.dispute_id}, version {done.version}: {entry.dispute.standing}")
    if isinstance(scores, wire.ScoresShown) and any(scores.adjusted):
        played, ruled = (_scores(row) for row in (scores.played, scores.ruled))
        winner = scores.winner_ruled
        won = "nobody" if winner is None else LETTERS[winner]
        output.line(f"as played {played}; as ruled {ruled}; won by {won} as ruled")
    return 0


def _scores(row: Iterable[int | None]) -> str:
    shown = ("?" if one is None else str(one) for one in row)
    return " ".join(f"{LETTERS[seat]} {one}" for seat, one in enumerate(shown))


def _row(one: wire.DisputeShown) -> tuple[object, ...]:
    rules = one.rules if one.decision is None else one.decision.rules
    shown = " ".join(rules), " ".join(one.tags), one.claim or "(erased)"
    return one.dispute_id, one.game_id, one.standing, *shown


def _decision(args: Namespace) -> dict[str, Any]:
    found = [(one, True) for one in args.fact] + [(one, False) for one in args.no_breach]
    return {
        "text": args.text,
        "facts": [_fact(one, breach=breach) for one, breach in found],
        "rules": args.rule,
        "adjustments": _points(args.adjust),
        "by": args.by,
    }


def _fact(text: str, *, breach: bool) -> dict[str, Any]:
    found = _FACT.fullmatch(text)
    if found is None:
        raise BadUsage(f"fact {text[:60]!r}, expected VERSION:CODE, for example 41:RUN_END")
    return {"version": int(found[1]), "code": found[2], "breach": breach}


def _points(texts: Iterable[str]) -> list[dict[str, Any]]:
    found = []
    for text in texts:
        parts = _POINTS.fullmatch(text.upper())
        if parts is None:
            raise BadUsage(f"points {text[:60]!r}, expected DEAL:SEAT:POINTS, for example 3:B:-60")
        found.append({"deal": int(parts[1]), "seat": _seat(parts[2]), "points": int(parts[3])})
    return found


def _seat(text: str | None) -> int | None:
    if text is None:
        return None
    seat = LETTERS.find(text.upper()) if text.isalpha() else int(text) if text.isdecimal() else -1
    if not 0 <= seat < len(LETTERS) or len(text) != 1:
        raise BadUsage(f"seat {text!r}, expected 0 to 7 or A to H")
    return seat


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise BadUsage(f"version {text[:20]!r}, expected numbers with commas, for example 105,107")
    return int(text[:12])


def _without_none(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _made(kind: type[T], **given: Any) -> T:
    """Return what HTTP would read from the same values; raise BadUsage as it would refuse them."""
    try:
        return msgspec.convert(_without_none(given), kind)
    except msgspec.ValidationError as error:
        raise BadUsage(as_reason(error)) from error
