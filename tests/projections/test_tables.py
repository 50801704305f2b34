"""Rows into PostgreSQL and back: whatever a record holds, its rows fit and come out as they went in."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from events.common import Event
from events.game import Game
from projections import findings, tables
from projections.models import MODELS
from projections.schema import READING
from projections.sessions import Session
from tests.postgres import Cluster
from tests.profiles import examples
from tests.projections.store import session
from tests.projections.test_read_models import GAME_ID, nonsense, sealed

pytestmark = pytest.mark.store


@pytest.fixture(scope="module")
def own(cluster: Cluster) -> Iterator[Session]:
    """A session of the worker's into a database that nobody else uses."""
    with cluster.fresh() as database, session(database) as found:
        yield found


@given(record=nonsense())
@examples(60)
def test_rows_of_whatever_is_on_record_fit(
    own: Session, record: tuple[Game[Any, Any], list[Event]]
) -> None:
    game, log = record
    head = sealed(game.name, log)
    with own.transaction(force_rollback=True):
        for model in MODELS:
            rows = model.rows(game, head, log)
            tables.insert(own, model, [rows], READING)
            found = tables.read(own, model, [GAME_ID], READING)[GAME_ID]
            assert tables.comparable(found) == tables.comparable(rows)


def test_replacing_takes_away_what_is_there_no_more(own: Session) -> None:
    row = (
        GAME_ID,
        1,
        "rummy500",
        "public",
        3,
        1,
        None,
        "breach",
        "C",
        "R-1",
        "t",
        {"a": "ä\n"},
        True,
    )
    two = {"findings": [row, (GAME_ID, 2, *row[2:])]}
    with own.transaction(force_rollback=True):
        assert tables.replace(own, findings, [GAME_ID], [two], READING) == 2
        assert tables.replace(own, findings, [GAME_ID], [{"findings": [row]}], READING) == 1
        found = tables.read(own, findings, [GAME_ID], READING)[GAME_ID]
        assert found == {"findings": [(*row[:-2], '{"a":"ä\\n"}'.encode(), True)]}


def test_rows_that_differ_anywhere_are_told_apart() -> None:
    row = (GAME_ID, 1, "rummy500", "public", 3, 1, None, "breach", "C", "R-1", "t", {"a": 1}, True)
    others = [(*row[:at], cell, *row[at + 1 :]) for at, cell in enumerate("abcdefghijk")]
    others += [(*row[:-2], {"a": 2}, True), (*row[:-1], False)]
    known = tables.comparable({"findings": [row]})
    for other in others:
        assert tables.comparable({"findings": [other]}) != known
    assert tables.comparable({"findings": [row, row]}) != known
    assert tables.comparable({"findings": []}) != known
