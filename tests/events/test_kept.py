"""Logs that are kept: the same as those that are read, whatever has become of the game meanwhile."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from events import recorder, store
from events.codec import encode
from events.common import Event, Retracted
from events.game import fold
from events.games import RUMMY500
from events.kept import Kept, Known
from tests import simulate

pytestmark = pytest.mark.store

LOG = simulate.play(1, deals=2, mode="recorded")
HALF = len(LOG) // 2


class Reading:
    """A connection, and how many events were read through it."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.events = 0


@pytest.fixture
def reading(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reading]:
    with engine.connect() as conn:
        found = Reading(conn)
        for name in ("read", "read_bodies"):
            ask = getattr(store, name)

            def counted(*given, ask=ask, **named):
                rows = ask(*given, **named)
                found.events += len(rows)
                return rows

            monkeypatch.setattr(store, name, counted)
        yield found


def written(engine: Engine, game_id: UUID, *events: Event) -> None:
    """Append events to a game, which is opened if it is not there."""
    with engine.begin() as conn:
        store.open_game(conn, game_id, "rummy500", "recorded")
        store.append(conn, game_id, None, uuid4(), bytes(32), uuid4(), list(map(encode, events)))


def head_of(engine: Engine, game_id: UUID) -> store.Head:
    with engine.connect() as conn:
        return store.head(conn, game_id)


def is_right(known: Known, upto: int) -> bool:
    return list(known.events) == LOG[:upto] and known.state == fold(RUMMY500, LOG[:upto])


def test_what_is_known_is_not_read_again(engine: Engine, reading: Reading):
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    head = head_of(engine, game_id)
    assert is_right(kept.log(reading.conn, head), HALF)
    assert reading.events == HALF
    assert is_right(kept.log(reading.conn, head), HALF)
    assert reading.events == HALF


def test_of_a_game_that_has_gone_on_only_what_is_new_is_read(engine: Engine, reading: Reading):
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), HALF)
    written(engine, game_id, *LOG[HALF : HALF + 3])
    reading.events = 0
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), HALF + 3)
    assert reading.events == 4  # the last that was known among them, for its hash


def test_a_game_that_went_another_way_is_read_anew(engine: Engine, reading: Reading):
    """As after a restore of an older copy, in which the game then went on."""
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    head = head_of(engine, game_id)
    elsewhere = replace(head, version=HALF - 1, head=bytes(32))
    kept.keep(Known(elsewhere, [*LOG[: HALF - 2], LOG[HALF]]))
    assert is_right(kept.log(reading.conn, head), HALF)
    kept.keep(Known(replace(head, head=bytes(32)), LOG[:HALF][::-1]))
    assert is_right(kept.log(reading.conn, head), HALF)


def test_who_saw_an_older_head_gets_its_log_and_the_newer_one_stays(
    engine: Engine, reading: Reading
):
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    older = head_of(engine, game_id)
    written(engine, game_id, *LOG[HALF:])
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), len(LOG))
    assert is_right(kept.log(reading.conn, older), HALF)
    reading.events = 0
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), len(LOG))
    assert reading.events == 0


def test_what_was_appended_need_not_be_read_at_all(engine: Engine, reading: Reading):
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    for event in LOG[HALF : HALF + 2]:
        with engine.begin() as conn:
            done = recorder.record(
                conn, game_id, [event], expected_version=None, command_id=uuid4(),
                recorded_by=UUID(int=1), kept=kept,
            )  # fmt: skip
        assert done.before is not None
        kept.keep(done.after(done.before))
    reading.events = 0
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), HALF + 2)
    assert reading.events == 0


def test_a_retraction_leads_back(engine: Engine, reading: Reading):
    game_id, kept = uuid4(), Kept()
    written(engine, game_id, *LOG[:HALF])
    assert is_right(kept.log(reading.conn, head_of(engine, game_id)), HALF)
    back = Retracted(back_to=HALF - 4, reason="WRONG_ENTRY")
    later = [back, *LOG[HALF - 4 : HALF - 2]]
    written(engine, game_id, *later)
    found = kept.log(reading.conn, head_of(engine, game_id))
    assert found.state == fold(RUMMY500, [*LOG[:HALF], *later]) == fold(RUMMY500, LOG[: HALF - 2])


def test_no_more_is_kept_than_is_allowed(engine: Engine, reading: Reading):
    kept, ids = Kept(2 * HALF), [uuid4() for _ in range(3)]
    for game_id in ids:
        written(engine, game_id, *LOG[:HALF])
        kept.log(reading.conn, head_of(engine, game_id))
    for game_id, read in ((ids[2], 0), (ids[1], 0), (ids[0], HALF)):
        reading.events = 0
        assert is_right(kept.log(reading.conn, head_of(engine, game_id)), HALF)
        assert reading.events == read
    long = uuid4()
    written(engine, long, *LOG, *LOG[1:])
    for _ in range(2):
        reading.events = 0
        kept.log(reading.conn, head_of(engine, long))
        assert reading.events == 2 * len(LOG) - 1
