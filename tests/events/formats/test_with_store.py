"""Whole logs through a real store and out again: nothing is lost, and a second time nothing changes."""

from io import BytesIO
from uuid import UUID

import pytest
from sqlalchemy import Engine, create_engine

from events import recorder, store
from events.errors import FormatError
from events.formats import ndjson
from events.formats.detect import read_file
from tests.events.formats.helpers import ENGINE_A, ENGINE_B, RECORDER

LOGS = {"A": ENGINE_A.read_bytes(), "B": ENGINE_B.read_bytes()}


def imported(engine: Engine, data: bytes) -> recorder.ImportResult:
    with engine.begin() as conn:
        return recorder.import_games(conn, read_file(BytesIO(data)), RECORDER)


def exported(engine: Engine) -> bytes:
    """Every game of a store, as `export --all` writes it."""
    writer = ndjson.Writer()
    out: list[bytes] = []
    with engine.connect() as conn, engine.connect() as beside:
        for head, stored in store.stream_all(conn):
            seats = recorder.load(beside, head.game_id).events[0].seats
            people = store.people(beside, map(UUID, seats))
            texts = store.texts(beside, head.game_id)
            remarks = {at: (text.salt, text.text) for at, text in texts.items()}
            names = {str(player): name for player, name in people.items()}
            out += writer.game(head, stored, names, remarks)
    return b"".join(out) + writer.end()


@pytest.mark.store
def test_both_logs_go_through_two_stores_unchanged(engine: Engine, cluster):
    for data in LOGS.values():
        first, again = imported(engine, data), imported(engine, data)
        assert (first.present, again.imported, again.present) == ([], [], first.imported)
    file = exported(engine)
    result = ndjson.verify(BytesIO(file))
    assert (result.ok, result.games) == (True, 80)
    with cluster.fresh() as other:
        beside = create_engine(other.app_url)
        try:
            assert len(imported(beside, file).imported) == 80
            assert imported(beside, file).imported == []
            assert exported(beside) == file
        finally:
            beside.dispose()


@pytest.mark.store
@pytest.mark.parametrize("cut", [2, 30, 5000])
def test_of_a_faulty_file_nothing_is_stored(engine: Engine, cut: int):
    for data in LOGS.values():
        with pytest.raises(FormatError):
            imported(engine, data[:-cut])
    with engine.connect() as conn:
        assert store.heads(conn) == []
