"""Acts in disputes, for the HTTP service and the command line alike, made into events.

One place says who an asker is in a dispute. Never commits; refuses nothing itself but what cannot be made an event:
the rest is for `events.disputing`.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api import disputes_wire as wire
from api.asker import Asker
from events import docket, recorder, store
from events.disputes import (
    Adjustment,
    AppealDecided,
    Appealed,
    DisputeEvent,
    DisputeOpened,
    DisputeWithdrawn,
    Evidence,
    EvidenceLinked,
    Fact,
    PrecedentTagged,
    Ruled,
    StatementAdded,
    ToGame,
    ToReport,
    ToVersion,
)
from events.disputing import Actor, Dispute, Table
from events.docket import NO_TEXT, Done, Entry
from events.errors import DisputeError, RequestError
from events.game import Violation
from events.games import game_named
from projections.ruling import table_of


def actor_of(asker: Asker, table: Table, game_id: UUID) -> Actor:
    """Return who an asker is in disputes about a game.

    A token with `admin` is an arbiter's, one for a seat speaks for that seat's player, any other for every
    player. Where no token was ever made, whoever is at this machine is all of them.
    """
    token = asker.token
    if token is None:
        return Actor(asker.identity, asker.trusted, None if asker.trusted else frozenset())
    is_arbiter = "admin" in token.scopes and token.covers(game_id)
    if token.seat is None:
        return Actor(asker.identity, is_arbiter, None)
    own = table.seats[token.seat : token.seat + 1]
    return Actor(asker.identity, is_arbiter, frozenset(own))


def table_at(conn: Connection, head: store.Head) -> Table:
    """Return what of a game a dispute can speak of. One query."""
    return table_of(game_named(head.game), recorder.events_of(conn, head))


def open_dispute(
    conn: Connection,
    game: store.Head,
    asked: wire.OpenDispute,
    actor: Actor,
    table: Table,
    command_id: UUID | None,
) -> Done:
    """Open a dispute about a game; raises DisputeError, CommandReused."""
    opened = DisputeOpened(
        game_id=str(game.game_id),
        game=game.game,
        at=game.version,
        head=NO_TEXT,
        versions=tuple(sorted({*asked.versions})),
        by=_speaker(asked, actor, table),
        rules=tuple(asked.rules),
        remedy=asked.remedy,
        demanded=_points(asked.demanded),
        text=NO_TEXT,
    )
    # Not the version that the game is at: asked again, it may have gone on.
    opened = msgspec.structs.replace(opened, at=max(1, *opened.versions))
    return docket.file(
        conn, opened, asked.claim, game=game, table=table, actor=actor, command_id=command_id
    )


def act(
    conn: Connection,
    entry: Entry,
    asked: wire.GoOn,
    actor: Actor,
    table: Table,
    command_id: UUID,
) -> Done:
    """Do one act in a dispute; raises StaleVersion, DisputeError, CommandReused."""
    event, words = _event(conn, entry.dispute, asked.act, actor, table)
    return docket.record(
        conn,
        entry.dispute_id,
        event,
        words,
        expected_version=asked.expected_version,
        table=table,
        actor=actor,
        command_id=command_id,
    )


def _event(
    conn: Connection, dispute: Dispute, asked: wire.Act, actor: Actor, table: Table
) -> tuple[DisputeEvent, str | None]:
    """Return the event that an act is, and its words."""
    match asked:
        case wire.Say():
            return StatementAdded(by=_speaker(asked, actor, table), text=NO_TEXT), asked.text
        case wire.Link():
            by, evidence = _speaker(asked, actor, table), _evidence(conn, asked)
            text = None if asked.text is None else NO_TEXT
            return EvidenceLinked(by=by, evidence=evidence, text=text), asked.text
        case wire.Withdraw():
            text = None if asked.text is None else NO_TEXT
            is_named = asked.seat is not None or asked.by is not None
            by = _speaker(asked, actor, table) if is_named else dispute.opened.by
            return DisputeWithdrawn(by=by, text=text), asked.text
        case wire.Rule_():
            decided = _decided(asked.facts, asked.rules, asked.adjustments, asked.by)
            return Ruled(decision=asked.decision, **decided), asked.text
        case wire.Appeal():
            return Appealed(by=_speaker(asked, actor, table), text=NO_TEXT), asked.text
        case wire.Decide():
            return _on_appeal(dispute, asked), asked.text
        case wire.Tag_():
            return PrecedentTagged(tags=tuple(sorted({*asked.tags}))), None


def _on_appeal(dispute: Dispute, asked: wire.Decide) -> AppealDecided:
    """Return a decision on appeal; one that upholds says again what the ruling said."""
    ruling = dispute.ruling
    if asked.outcome == "upheld" and ruling is not None:
        if asked.decision or asked.adjustments:
            raise RequestError("bad_body", "a decision of its own, expected none where one upholds")
        return AppealDecided(
            by=None if asked.by is None else str(asked.by),
            outcome="upheld",
            decision=ruling.decision,
            facts=_facts(asked.facts) or ruling.facts,
            rules=tuple(asked.rules) or ruling.rules,
            adjustments=ruling.adjustments,
            text=NO_TEXT,
        )
    if asked.decision is None:
        raise RequestError("bad_body", "no decision, expected upheld, partly or rejected")
    decided = _decided(asked.facts, asked.rules, asked.adjustments, asked.by)
    return AppealDecided(outcome=asked.outcome, decision=asked.decision, **decided)


def _decided(
    facts: Iterable[wire.Found],
    rules: Iterable[str],
    adjustments: Iterable[wire.Points],
    by: UUID | None,
) -> dict[str, Any]:
    return {
        "by": None if by is None else str(by),
        "facts": _facts(facts),
        "rules": tuple(rules),
        "adjustments": _points(adjustments),
        "text": NO_TEXT,
    }


def _facts(found: Iterable[wire.Found]) -> tuple[Fact, ...]:
    return tuple(Fact(one.version, one.code, one.breach) for one in found)


def _points(given: Iterable[wire.Points]) -> tuple[Adjustment, ...]:
    """Return adjustments in the order in which they are written."""
    found = sorted(given, key=lambda one: (one.deal, one.seat))
    return tuple(Adjustment(one.deal, one.seat, one.points) for one in found)


def _speaker(asked: wire.Speaker, actor: Actor, table: Table) -> str | None:
    """Return the player for whom is spoken, None for the arbiter."""
    if asked.seat is not None:
        if asked.seat >= len(table.seats):
            params: dict[str, str | int] = {
                "actual": str(asked.seat),
                "expected": f"0 to {len(table.seats) - 1}",
            }
            raise DisputeError([Violation("NO_SUCH_SEAT", "P-3", None, params)])
        return table.seats[asked.seat]
    if asked.by is not None:
        return str(asked.by)
    own = actor.players
    return next(iter(own)) if own and not actor.is_arbiter else None


def _evidence(conn: Connection, asked: wire.Link) -> Evidence:
    if asked.report is not None and asked.version is None and asked.game_id is None:
        return ToReport(asked.report)
    if asked.report is None and asked.game_id is not None:
        head = store.head(conn, asked.game_id)
        version = asked.version or head.version
        found = store.read(conn, asked.game_id, after=version - 1, limit=1)
        if not found:
            raise RequestError("bad_body", f"version {version}, expected 1 to {head.version}")
        return ToGame(str(asked.game_id), version, found[0].hash.hex())
    if asked.report is None and asked.version is not None:
        return ToVersion(asked.version)
    raise RequestError("bad_body", "expected a version, a game_id, or a report, and one of them")
