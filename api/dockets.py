"""Disputes for the HTTP service and the command line alike: acts made into events, and disputes shown.

One place says who an asker is in a dispute. Never commits; refuses nothing itself but what cannot be made an event:
the rest is for `events.disputing`.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api import disputes_wire as wire
from api.asker import Asker
from api.wire import rfc3339
from events import docket, recorder, store
from events.codec import encode
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
from projections.ruling import as_ruled, table_of


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


def game_scores(conn: Connection, head: store.Head) -> wire.ScoresShown | msgspec.UnsetType:
    """Return a game's scores as played and as ruled; nothing for one that has no events yet."""
    events = recorder.events_of(conn, head)
    if not events:
        return msgspec.UNSET
    entries = docket.of_game(conn, head.game_id)
    scores = as_ruled(game_named(head.game), events, [entry.dispute for entry in entries])
    return wire.ScoresShown(
        played=list(scores.played),
        ruled=list(scores.ruled),
        adjusted=list(scores.adjusted),
        winner_played=scores.winner_played,
        winner_ruled=scores.winner_ruled,
        deals=[
            wire.DealShown(
                deal=one.deal, version=one.version, played=list(one.played), ruled=list(one.ruled)
            )
            for one in scores.deals
        ],
        disputes=[entry.dispute_id for entry in entries],
    )


def facts_of(dispute: Dispute) -> tuple[Fact, ...]:
    """Return what the decision in force found; a claim rejected without facts had none at its versions."""
    decided = dispute.in_force
    if decided is None:
        return ()
    if decided.facts or decided.decision != "rejected":
        return decided.facts
    return tuple(Fact(version, "NO_BREACH", False) for version in dispute.opened.versions)


def shown(
    conn: Connection, entries: Sequence[Entry], *, with_events: bool = False
) -> list[wire.DisputeShown]:
    """Return disputes as they are shown, with their texts and names: one query for the names, one a dispute."""
    ids = {UUID(by) for entry in entries for by in _speakers(entry)}
    names = {str(one): name for one, name in store.people(conn, ids).items()} if ids else {}
    return [
        _shown(entry, store.texts(conn, entry.dispute_id), names, with_events=with_events)
        for entry in entries
    ]


def _speakers(entry: Entry) -> list[str]:
    found = (getattr(event, "by", None) for event in entry.events)
    return [by for by in found if by is not None]


def _shown(
    entry: Entry, texts: dict[int, store.Text], names: dict[str, str], *, with_events: bool
) -> wire.DisputeShown:
    opened, said = entry.dispute.opened, {at: text.text for at, text in texts.items()}
    base = f"/v1/disputes/{entry.dispute_id}"
    return wire.DisputeShown(
        dispute_id=entry.dispute_id,
        game_id=entry.disputed,
        game=opened.game,
        standing=entry.dispute.standing,
        version=entry.head.version,
        head=entry.head.head.hex(),
        opened_at=rfc3339(entry.stored[0].recorded_at),
        changed_at=rfc3339(entry.stored[-1].recorded_at),
        versions=list(opened.versions),
        by=opened.by,
        claim=said.get(1),
        rules=list(opened.rules),
        remedy=opened.remedy,
        demanded=_points_shown(opened.demanded),
        decision=_decision(entry, said),
        tags=list(entry.dispute.tags),
        people={by: names[by] for by in _speakers(entry) if by in names},
        links={
            "self": base,
            "events": f"{base}/events",
            "game": f"/v1/games/{entry.disputed}",
        },
        events=_lines(entry, said) if with_events else msgspec.UNSET,
    )


def _decision(entry: Entry, said: dict[int, str]) -> wire.DecisionShown | None:
    decided = entry.dispute.in_force
    if decided is None:
        return None
    version = next(at for at, one in enumerate(entry.events, 1) if one is decided)
    return wire.DecisionShown(
        version=version,
        on_appeal=isinstance(decided, AppealDecided),
        decision=decided.decision,
        facts=[
            wire.Found(version=one.version, code=one.code, breach=one.breach)
            for one in decided.facts
        ],
        rules=list(decided.rules),
        adjustments=_points_shown(decided.adjustments),
        by=decided.by,
        text=said.get(version),
    )


def _points_shown(adjustments: Iterable[Adjustment]) -> list[wire.Points]:
    return [wire.Points(deal=one.deal, seat=one.seat, points=one.points) for one in adjustments]


def _lines(entry: Entry, said: dict[int, str]) -> list[wire.Line]:
    return [
        wire.Line(
            version=stored.version,
            recorded_at=rfc3339(stored.recorded_at),
            recorded_by=stored.recorded_by,
            hash=stored.hash.hex(),
            salt=stored.salt.hex(),
            event=msgspec.Raw(encode(event)),
            text=said.get(stored.version),
        )
        for stored, event in zip(entry.stored, entry.events, strict=True)
    ]
