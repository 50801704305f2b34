"""Catalogue and standings follow a ruling: a dispute's row in the ledger leads to the rows of its game."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import docket, recorder, store
from events.disputes import Adjustment, AppealDecided, Appealed, DisputeEvent, DisputeOpened, Ruled
from events.disputing import ANYONE
from events.docket import NO_TEXT
from events.games import game_named
from projections.rebuild import rebuild
from projections.ruling import table_of
from tests.postgres import Database
from tests.projections.store import equal_to_a_fresh_fold, keep, rows, seal, take_in

pytestmark = [pytest.mark.store]

GAME = UUID("3a22c177-e3cc-5d99-b7ae-3e463fc1ac9d")
RULING = Ruled(
    by=None, decision="upheld", facts=(), rules=(), text=NO_TEXT,
    adjustments=(Adjustment(3, 1, -85),),
)  # fmt: skip


def opened(engine: Engine) -> UUID:
    with engine.begin() as conn:
        log = recorder.load(conn, GAME)
        dispute = DisputeOpened(
            game_id=str(GAME), game="rummy500", at=1, head=NO_TEXT, versions=(1,), by=None, rules=(),
            remedy="adjust", demanded=(), text=NO_TEXT,
        )  # fmt: skip
        table = table_of(game_named(log.head.game), log.events)
        done = docket.file(conn, dispute, "?", game=log.head, table=table, actor=ANYONE)
        return done.entry.dispute_id


def act(engine: Engine, dispute_id: UUID, event: DisputeEvent) -> None:
    with engine.begin() as conn:
        log, version = recorder.load(conn, GAME), store.head(conn, dispute_id).version
        docket.record(
            conn, dispute_id, event, "?", expected_version=version, actor=ANYONE,
            table=table_of(game_named(log.head.game), log.events), command_id=uuid4(),
        )  # fmt: skip


def standing(database: Database) -> list[tuple[object, ...]]:
    """Wins and points, as ruled and as played, of the game's two players."""
    found = [row for row in rows(database, "standings_games") if row[0] == GAME]
    return sorted((row[6], row[7], row[13], row[14]) for row in found)


def in_catalogue(database: Database) -> tuple[object, ...]:
    (found,) = [row for row in rows(database, "catalogue_games") if row[0] == GAME]
    return found[9], found[10], found[15], found[16], found[17]


PLAYED = [(0, 173, 0, 173), (1, 561, 1, 561)]


def test_rows_follow_each_decision(engine: Engine, database: Database):
    take_in(engine, "delboycodes-three-games.ndjson")
    seal(database)
    keep(database)
    assert standing(database) == PLAYED
    assert in_catalogue(database) == ([173, 561], 1, [173, 561], 1, 0)
    dispute = opened(engine)
    act(engine, dispute, RULING)
    keep(database)
    seal(database)
    keep(database)
    assert standing(database) == [(0, 173, 0, 173), (0, 476, 1, 561)]
    assert in_catalogue(database) == ([173, 476], None, [173, 561], 1, 1)
    deals = {row[3]: row[7:9] for row in rows(database, "catalogue_deals") if row[0] == GAME}
    assert deals[3] == ([67, 0], [67, 85])
    act(engine, dispute, Appealed(by=_player(engine), text=NO_TEXT))
    decided = AppealDecided(
        by=None, outcome="changed", decision="rejected", facts=(), rules=(), adjustments=(),
        text=NO_TEXT,
    )  # fmt: skip
    act(engine, dispute, decided)
    seal(database)
    keep(database)
    assert standing(database) == PLAYED
    equal_to_a_fresh_fold(database)


def test_a_rebuild_gives_the_same(engine: Engine, database: Database):
    take_in(engine, "delboycodes-three-games.ndjson")
    dispute = opened(engine)
    act(engine, dispute, RULING)
    seal(database)
    keep(database)
    done = rebuild(database.worker_url, ["all"])
    assert done.differing == ()
    assert standing(database) == [(0, 173, 0, 173), (0, 476, 1, 561)]
    equal_to_a_fresh_fold(database)


def _player(engine: Engine) -> str:
    with engine.begin() as conn:
        return str(recorder.load(conn, GAME).events[0].seats[0])
