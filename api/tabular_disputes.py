"""Disputes as tables, one row a dispute or a decision: what CSV and Parquet have alike.

Whoever may see a game may see what is disputed about it, so nothing is withheld here. Reads no request and no database.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from api.tabular import GAME, Row, Seen, Table
from api.wire import encode
from events.disputes import Adjustment, AppealDecided, DisputeOpened, Fact, Ruled
from events.disputing import Dispute, fold


def _folded(seen: Seen) -> tuple[Dispute, DisputeOpened]:
    dispute = fold(seen.game.events[: seen.upto])
    return dispute, dispute.opened


def _said(seen: Seen, version: int) -> str | None:
    found = seen.game.remarks.get(version)
    return None if found is None else found[1]


def _json(found: Sequence[Adjustment] | Sequence[Fact]) -> str:
    return encode(list(found)).decode()


def _disputes(seen: Seen) -> Iterator[Row]:
    dispute, opened = _folded(seen)
    decided = dispute.in_force
    yield (
        opened.game_id,
        opened.game,
        seen.game.head.game_id,
        dispute.standing,
        seen.game.stored[0].recorded_at,
        seen.game.stored[seen.upto - 1].recorded_at,
        opened.versions,
        opened.by,
        None if opened.by is None else seen.game.names.get(opened.by),
        " ".join(opened.rules),
        opened.remedy,
        _json(opened.demanded),
        _said(seen, 1),
        None if decided is None else decided.decision,
        _json(dispute.adjustments),
        " ".join(dispute.tags),
        opened.head,
        seen.game.stored[seen.upto - 1].hash.hex(),
    )


def _rulings(seen: Seen) -> Iterator[Row]:
    dispute, opened = _folded(seen)
    for version, event in enumerate(seen.game.events[: seen.upto], 1):
        if not isinstance(event, Ruled | AppealDecided):
            continue
        stored = seen.game.stored[version - 1]
        yield (
            opened.game_id,
            opened.game,
            seen.game.head.game_id,
            version,
            stored.recorded_at,
            stored.recorded_by,
            event.by,
            event.outcome if isinstance(event, AppealDecided) else None,
            event.decision,
            event is dispute.in_force,
            _json(event.facts),
            " ".join(event.rules),
            _json(event.adjustments),
            _said(seen, version),
            stored.hash.hex(),
        )


DISPUTES: Final = Table(
    "disputes",
    (
        *GAME,
        ("dispute_id", "id"),
        ("standing", "text"),
        ("opened_at", "time"),
        ("changed_at", "time"),
        ("versions", "ints"),
        ("player_id", "id"),
        ("player", "text"),
        ("rules", "text"),
        ("remedy", "text"),
        ("demanded", "json"),
        ("claim", "text"),
        ("decision", "text"),
        ("adjustments", "json"),
        ("tags", "text"),
        ("game_hash", "text"),
        ("hash", "text"),
    ),
    _disputes,
    kind="dispute",
)
RULINGS: Final = Table(
    "rulings",
    (
        *GAME,
        ("dispute_id", "id"),
        ("version", "int"),
        ("recorded_at", "time"),
        ("recorded_by", "id"),
        ("arbiter_id", "id"),
        ("on_appeal", "text"),
        ("decision", "text"),
        ("in_force", "bool"),
        ("facts", "json"),
        ("rules", "text"),
        ("adjustments", "json"),
        ("reasons", "text"),
        ("hash", "text"),
    ),
    _rulings,
    kind="dispute",
)
