"""A shape that was replaced lives on: its bodies keep their bytes and hashes, in the store and in every file.

`golden/exports` holds files as the program of their day wrote them; they never change.
"""

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine

from events import recorder, store
from events.chain import NIL_HEAD, event_hash, inner_hash, text_hash
from events.common import Remarked
from events.errors import FormatError, RefusedError
from events.formats import ndjson
from events.formats.detect import read_file
from events.formats.notation_writer import write_game
from events.games import RUMMY500
from projections.timeline import Remark, timeline
from tests.events.formats.test_with_store import exported

EXPORTS = Path(__file__).parents[1] / "golden" / "exports"
FIRST = (EXPORTS / "remarks-v1.ndjson").read_bytes()
GAME = UUID("0197a2b0-0000-7000-8000-000000000001")
WHO, SALT = UUID(int=7), bytes(range(16))


def test_no_old_file_has_been_changed() -> None:
    lines = (EXPORTS / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = EXPORTS.glob("*.ndjson")
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in files} == sums


def test_an_old_file_holds_and_is_read_in_the_shapes_of_today() -> None:
    assert ndjson.verify(BytesIO(FIRST)).ok
    (game,) = ndjson.read(FIRST.splitlines(keepends=True))
    remarks = [event for event in game.events if isinstance(event, Remarked)]
    assert [(event.seat, event.about) for event in remarks] == [(2, None), (1, None)]
    assert timeline(RUMMY500, game.events).remarks == (Remark(4, 2), Remark(7, 1))
    assert game.stored is not None
    assert all(b'"v":1' in stored.body for stored in game.stored)


def remark(conn: Connection, about: int | None, text: str) -> recorder.Recorded:
    event = Remarked(seat=None, text=text_hash(SALT, text).hex(), about=about)
    return recorder.record(
        conn,
        GAME,
        [event],
        expected_version=None,
        command_id=uuid4(),
        recorded_by=WHO,
        texts={0: (SALT, text)},
    )


@pytest.fixture
def archive(engine: Engine) -> Engine:
    """A store with the game of the old file in it."""
    with engine.begin() as conn:
        done = recorder.import_games(conn, read_file(BytesIO(FIRST)), WHO)
    assert done.imported == [GAME]
    return engine


@pytest.mark.store
def test_an_old_file_goes_through_the_store_byte_for_byte(archive: Engine) -> None:
    assert exported(archive) == FIRST
    with archive.begin() as conn:
        again = recorder.import_games(conn, read_file(BytesIO(FIRST)), WHO)
    assert (again.imported, again.present) == ([], [GAME])


@pytest.mark.store
def test_both_shapes_stand_in_one_chain(archive: Engine) -> None:
    with archive.begin() as conn:
        done = remark(conn, 5, "The queen of hearts, before it was taken back")
    with archive.connect() as conn:
        log = recorder.load(conn, GAME)
    assert [stored.body for stored in log.stored[:8]] == [
        stored.body for game in ndjson.read(FIRST.splitlines(keepends=True)) for stored in game.stored or ()
    ]  # fmt: skip
    assert b'"v":2' in log.stored[8].body
    head = NIL_HEAD
    for one in log.stored:
        inner = inner_hash(one.salt, one.body)
        head = event_hash(GAME, one.version, head, one.recorded_at, one.recorded_by, inner)
        assert head == one.hash
    assert head == done.head == log.head.head
    assert [event.about for event in log.events if isinstance(event, Remarked)] == [None, None, 5]
    assert "remark about 5:" in "\n".join(write_game(log.events))


@pytest.mark.store
def test_a_file_with_both_shapes_is_read_again(archive: Engine) -> None:
    with archive.begin() as conn:
        remark(conn, 5, "The queen of hearts")
    file = exported(archive)
    assert ndjson.verify(BytesIO(file)).ok
    (game,) = ndjson.read(file.splitlines(keepends=True))
    assert [event.v for event in game.events if isinstance(event, Remarked)] == [2, 2, 2]
    with archive.connect() as conn:
        assert game.stored == store.read(conn, GAME)


@pytest.mark.store
@pytest.mark.parametrize("about", [10, 11, 2**31 - 1])
def test_a_remark_about_what_comes_later_is_refused(archive: Engine, about: int) -> None:
    with archive.begin() as conn:
        assert remark(conn, 8, "the last act").version == 9
    with archive.connect() as conn, pytest.raises(RefusedError) as caught:
        remark(conn, about, "too early")
    assert caught.value.violations[0].code == "REMARK_ABOUT_NOTHING"


def test_a_file_with_a_remark_about_what_comes_later_is_refused() -> None:
    (game,) = ndjson.read(FIRST.splitlines(keepends=True))
    assert game.stored is not None
    assert game.head is not None
    late = b'{"t":"remarked","v":2,"seat":null,"text":"' + b"0" * 64 + b'","about":9}'
    inner = inner_hash(SALT, late)
    hashed = event_hash(GAME, 9, game.head.head, game.head.changed_at, WHO, inner)
    event = store.StoredEvent(GAME, 9, game.head.changed_at, WHO, SALT, hashed, late)
    head = type(game.head)(
        **{name: getattr(game.head, name) for name in game.head.__struct_fields__}
        | {"version": 9, "head": hashed}
    )
    out = BytesIO()
    ndjson.write_game(out, head, [*game.stored, event], {}, game.remarks)
    assert ndjson.verify(BytesIO(out.getvalue())).ok
    with pytest.raises(FormatError, match="a remark about a version that comes later"):
        list(ndjson.read(out.getvalue().splitlines(keepends=True)))
