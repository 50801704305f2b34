"""Disputes and scores as answers, commands and case files show them, with their texts and names.

Only reads; who may see a dispute is for the caller.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from api import disputes_wire as wire
from api.times import rfc3339
from events import docket, recorder, store
from events.codec import encode
from events.disputes import Adjustment, AppealDecided, Fact
from events.disputing import Dispute
from events.docket import Entry
from events.games import game_named
from projections.ruling import as_ruled


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
    """Return disputes as they are shown, with their texts and names: two queries, none for none."""
    ids = {UUID(by) for entry in entries for by in _speakers(entry)}
    names = {str(one): name for one, name in store.people(conn, ids).items()} if ids else {}
    texts = store.texts_of(conn, [entry.dispute_id for entry in entries]) if entries else {}
    return [
        _shown(entry, texts.get(entry.dispute_id, {}), names, with_events=with_events)
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
