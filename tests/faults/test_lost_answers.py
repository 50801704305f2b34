"""The line breaks when COMMIT is sent: the same command again tells what was stored, and stores it once."""

import random
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, create_engine, pool
from sqlalchemy.exc import OperationalError

from events import store
from projections import worker
from projections.worker import Worker
from tests.api.conftest import MakeApp, make_app
from tests.api.table import Table, post
from tests.faults import witness
from tests.faults.line import LOSSES, Line, Loss, is_commit, line_to
from tests.postgres import Database, body, both_servers, opened_game
from tests.projections.store import equal_to_a_fresh_fold, take_in
from tests.waiting import joined, until

__all__ = ["make_app"]

pytestmark = [pytest.mark.store, both_servers]

WHO = UUID(int=7)
Lost = pytest.mark.parametrize("lost", LOSSES)


@pytest.fixture
def line(database: Database) -> Iterator[Line]:
    with line_to(database) as found:
        yield found


@Lost
def test_an_append(engine: Engine, database: Database, line: Line, lost: Loss) -> None:
    game_id, command = opened_game(engine), uuid4()
    over = create_engine(line.url(database.app_url), poolclass=pool.NullPool)

    def append() -> store.Appended:
        with over.begin() as conn:
            return store.append(conn, game_id, 0, command, bytes(32), WHO, [body(1), body(2)])

    line.lose(lost, is_commit)
    with pytest.raises(OperationalError) as error:
        append()
    assert error.value.connection_invalidated
    again = append()
    assert again.repeated is (lost == "answer")
    with engine.begin() as conn:
        stored = store.read(conn, game_id)
    assert [event.body for event in stored] == [body(1), body(2)]
    assert (again.first_version, again.version, again.head) == (1, 2, stored[1].hash)
    assert append() == replace(again, repeated=True)
    witness.seal_all(database)
    witness.ledger_covers_all(engine)


@Lost
@pytest.mark.http
def test_an_act_over_http(
    make_app: MakeApp, database: Database, line: Line, lost: Loss, engine: Engine
) -> None:
    """A refereed table answers the second time what it would have answered the first."""
    client = make_app(database_url=line.url(database.app_url)).test_client()
    table = Table.opened(client)
    before, key = table.version, str(uuid4())
    draw = {"t": "stock_drawn", "v": 1, "seat": 1, "card": "??"}
    line.lose(lost, is_commit)
    answer = table.record(draw, key=key)
    assert (answer.status_code, answer.json["code"]) == (503, "connection_lost")
    assert answer.headers["Retry-After"]
    again = table.record(draw, key=key)
    assert again.status_code == 201, again.text
    assert table.version == before + 1
    assert again.json["repeated"] is (lost == "answer")
    third = table.record(draw, key=key, expected_version=before)
    assert third.json == again.json | {"repeated": True}
    witness.seal_all(database)
    witness.sound(engine)


@Lost
@pytest.mark.http
def test_a_game_that_is_opened_over_http(
    make_app: MakeApp, database: Database, line: Line, lost: Loss, engine: Engine
) -> None:
    client = make_app(database_url=line.url(database.app_url)).test_client()
    asked, key = {"seats": ["Ann", "Bob"]}, {"Idempotency-Key": str(uuid4())}
    line.lose(lost, is_commit)
    assert post(client, "/v1/games", asked, key).status_code == 503
    answer = post(client, "/v1/games", asked, key)
    assert answer.status_code in (200, 201)
    assert post(client, "/v1/games", asked, key).json["game_id"] == answer.json["game_id"]
    with engine.connect() as conn:
        assert [str(head.game_id) for head in store.heads(conn)] == [answer.json["game_id"]]


@Lost
def test_a_worker(
    engine: Engine, database: Database, line: Line, lost: Loss, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut off again and again, wherever it may be, while games come in."""
    monkeypatch.setattr(worker, "RECOVERY", 0.01)
    monkeypatch.setattr(worker, "PAUSE", 0.001)
    chance, told, stop = random.Random(lost), list[str](), threading.Event()

    def tell(event: str, /, **_: Any) -> None:
        told.append(event)

    work = threading.Thread(
        target=Worker(line.url(database.worker_url), stop, tell).run, daemon=True
    )
    work.start()
    try:
        for _ in range(12):
            left = iter(range(chance.randint(0, 12), -1, -1))
            take = line.lost
            line.lose(lost, lambda _, left=left: not next(left))  # type: ignore[misc]
            opened_game(engine)
            until(lambda take=take: line.lost > take)  # type: ignore[misc]
        take_in(engine)
        until(lambda: witness.is_up_to_date(engine))
    finally:
        stop.set()
        joined(work)
    assert "interrupted" in told
    witness.nobody_works(database)
    witness.sound(engine)
    witness.ledger_covers_all(engine)
    equal_to_a_fresh_fold(database)
