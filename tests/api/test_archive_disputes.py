"""Disputes in an archive: each after the game that it is about, and in another store what it was here."""

import json
import threading
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, create_engine

from events import recorder, store
from events.chain import text_hash
from events.codec import encode
from events.common import Remarked
from events.formats import ndjson
from events.formats.detect import read_file
from projections.sealer import Sealer
from tests.api.apps import application
from tests.api.conftest import MakeApp
from tests.api.disputing import CLAIM, DECISION, GAME, RULING, SAMPLE, Case, scores
from tests.api.table import Client, Table, send_file
from tests.api.test_archive import WHO, Place, Seal, all_places, got, places, rows, stored, trailer
from tests.api.test_archive import seal as seal  # noqa: PLC0414 - a fixture
from tests.postgres import Cluster, Database
from tests.projections.store import session
from tests.waiting import joined

pytestmark = [pytest.mark.store, pytest.mark.http]


def argued(client: Client, *acts: dict[str, Any]) -> Case:
    """A dispute about the shipped game, which is brought in if it is not here."""
    send_file(client, SAMPLE)
    case = Case.opened(client)
    for act in acts:
        assert case.act(act).status_code == 201
    return case


def taken_in(engine: Engine, data: bytes) -> recorder.ImportResult:
    with engine.begin() as conn:
        return recorder.import_games(conn, read_file(BytesIO(data)), WHO)


def test_disputes_follow_an_archive_into_another_store(
    open_client: Client, engine: Engine, seal: Seal, cluster: Cluster, make_app: MakeApp
):
    case = argued(open_client)
    position, files = 0, []
    for act in (RULING, {"do": "appeal", "seat": 0, "text": "No."}, DECISION, {"do": "tag", "tags": ["x"]}):  # fmt: skip
        seal()
        files.append(got(open_client, f"?since={position}&viewer=all"))
        position = trailer(files[-1])["position"]
        assert case.act(act).status_code == 201
    seal()
    files.append(got(open_client, f"?since={position}&viewer=all"))
    with cluster.fresh() as other, application(other.config) as app:
        there: Client = app.test_client()
        beside = app.extensions["lanterlog"].engine
        for data in files:
            assert ndjson.verify(BytesIO(data)).ok
            done = taken_in(beside, data)
            assert UUID(case.dispute_id) in done.imported + done.continued
            again = taken_in(beside, data)
            assert (again.imported, again.continued, again.events) == ([], [], 0)
        assert stored(beside) == stored(engine)
        assert Case(there, case.dispute_id, 5).shown() == case.shown()
        assert scores(there) == scores(open_client)


def test_a_dispute_goes_only_to_whom_its_game_goes(client: Client, open_client: Client, seal: Seal):
    private = Table.opened(open_client, visibility="private")
    case = Case.opened(open_client, private.game_id, versions=[1], demanded=[])
    seal()
    queries = ("", "?format=csv&table=disputes", "?format=txt", f"?game={private.game_id}")
    for query in queries:
        assert case.dispute_id not in got(client, query).decode()
        assert case.dispute_id in got(open_client, query).decode()
    assert case.dispute_id in got(open_client, "?game=rummy500").decode()
    assert case.dispute_id not in got(open_client, "?game=lanterloo").decode()


def test_tables_and_texts_have_the_disputes(client: Client, seal: Seal):
    case = argued(client, RULING, {"do": "appeal", "seat": 0, "text": "No.\n# no"})
    seal()
    [dispute] = rows(got(client, "?format=csv&table=disputes"))
    assert (dispute["game_id"], dispute["dispute_id"], dispute["standing"]) == (GAME, case.dispute_id, "appealed")  # fmt: skip
    assert (dispute["claim"], dispute["versions"]) == (CLAIM["claim"], "105 107")
    position = trailer(got(client))["position"]
    assert case.act(DECISION).status_code == 201
    seal()
    grown = f"?format=csv&since={position}"
    assert rows(got(client, f"{grown}&table=events")) == []
    [dispute] = rows(got(client, f"{grown}&table=disputes"))
    assert json.loads(dispute["adjustments"]) == DECISION["adjustments"]
    first, second = rows(got(client, f"{grown}&table=rulings"))
    assert (first["reasons"], first["in_force"]) == (RULING["text"], "false")
    assert (second["on_appeal"], second["in_force"]) == ("changed", "true")
    for table in ("disputes", "rulings"):
        one = rows(client.get(f"/v1/games/{GAME}/export.csv?table={table}").data)
        assert one == rows(got(client, f"?format=csv&table={table}"))
    for text in (got(client, "?format=txt"), client.get(f"/v1/games/{GAME}/export.txt").data):
        assert f"dispute {case.dispute_id} about game {GAME}".encode() in text
        assert "decided, changed, upheld, R-6.7, V-3a, 3:B:-85" in text.decode()
    assert len(list(read_file(BytesIO(got(client, "?format=txt"))))) == 3


def test_nothing_is_lost_or_given_twice_while_disputes_are_written(
    make_app: MakeApp, database: Database, engine: Engine, cluster: Cluster
):
    """Four parties and arbiters, one sealer, one who follows the archive, and one who takes out a game."""
    client = make_app().test_client()
    send_file(client, SAMPLE)
    writing = threading.Event()
    writing.set()
    failed: list[object] = []

    def argue() -> None:
        own = make_app().test_client()
        for _ in range(4):
            case = Case.opened(own)
            for act in (RULING, {"do": "appeal", "seat": 0, "text": "No."}, DECISION):
                answer = case.act(act)
                if answer.status_code != 201:
                    failed.append(answer.json)

    def seal() -> None:
        with session(database) as own:
            sealer = Sealer(own, 3)
            while writing.is_set() or (done := sealer.round()) is None or done.rows:
                if writing.is_set():
                    sealer.round()

    writers = [threading.Thread(target=argue, daemon=True) for _ in range(4)]
    sealer = threading.Thread(target=seal, daemon=True)
    for thread in (*writers, sealer):
        thread.start()
    found, files, position = list[Place](), list[bytes](), 0
    while True:
        is_last = not sealer.is_alive()
        files.append(got(client, f"?since={position}"))
        found += places(files[-1])
        position = trailer(files[-1])["position"]
        whole = client.get(f"/v1/games/{GAME}/export.ndjson").data
        assert ndjson.verify(BytesIO(whole)).ok
        if is_last:
            break
        if not any(thread.is_alive() for thread in writers):
            writing.clear()
    joined(*writers, sealer)
    assert failed == []
    assert len(found) == len(set(found))
    assert sorted(found) == all_places(engine)
    with cluster.fresh() as other:
        beside = create_engine(other.app_url)
        try:
            for data in files:
                taken_in(beside, data)
            assert stored(beside) == stored(engine)
        finally:
            beside.dispose()


def test_nothing_is_lost_or_given_twice_while_games_are_written(
    make_app: MakeApp, database: Database, engine: Engine
):
    client = make_app().test_client()
    ids = [UUID(Table.opened(client, mode="recorded").game_id) for _ in range(5)]
    salt = b"s" * 16
    body = encode(Remarked(seat=0, text=text_hash(salt, "on").hex()))
    writing = threading.Event()
    writing.set()

    def write(start: int) -> None:
        for number in range(60):
            with engine.begin() as conn:
                game_id = ids[(start + number * start) % len(ids)]
                store.append(
                    conn, game_id, None, uuid4(), bytes(32), WHO, [body] * (number % 3 + 1)
                )

    def seal() -> None:
        with session(database) as own:
            sealer = Sealer(own, 7)
            while writing.is_set() or (done := sealer.round()) is None or done.rows:
                if writing.is_set():
                    sealer.round()

    writers = [threading.Thread(target=write, args=(start,), daemon=True) for start in (1, 2, 3)]
    sealer = threading.Thread(target=seal, daemon=True)
    for thread in (*writers, sealer):
        thread.start()
    found: list[Place] = []
    csv_rows = position = rounds = 0
    while True:
        is_last = not sealer.is_alive()
        data = got(client, f"?since={position}")
        assert ndjson.verify(BytesIO(data)).ok
        end = trailer(data)
        csv_rows += len(rows(got(client, f"?format=csv&since={position}&until={end['position']}")))
        found += places(data)
        position, rounds = end["position"], rounds + 1
        if is_last:
            break
        if not any(thread.is_alive() for thread in writers):
            writing.clear()
    joined(*writers, sealer)
    assert rounds > 2
    assert len(found) == len(set(found)) == csv_rows
    assert sorted(found) == all_places(engine)
    for game_id in {game for game, _ in found}:
        versions = [version for game, version in found if game == game_id]
        assert versions == list(range(1, len(versions) + 1))
