"""Parts of games on their way into a store: they go on from what is here, or are refused."""

from collections.abc import Sequence
from io import BytesIO
from uuid import UUID

import msgspec
import pytest
from sqlalchemy import Engine

from events import intake, recorder, store
from events.chain import text_hash
from events.codec import encode
from events.common import Remarked
from events.errors import FormatError, NotContinued, OtherHead
from events.formats import Import, ndjson
from events.formats.detect import read_file
from events.rummy500.events import StockDrawn
from tests.events.formats.helpers import RECORDER, recorded
from tests.events.formats.test_ndjson import GAMES
from tests.events.formats.test_ndjson_parts import CUTS, Cut, link, parts

pytestmark = [pytest.mark.store]
GAME = GAMES[0].game_id


def take_in(engine: Engine, cuts: Sequence[Cut]) -> recorder.ImportResult:
    return take_in_file(engine, parts(cuts, 0, 1000))


def take_in_file(engine: Engine, data: bytes) -> recorder.ImportResult:
    with engine.begin() as conn:
        return recorder.import_games(conn, read_file(BytesIO(data)), RECORDER)


def events_of(engine: Engine, game_id: UUID) -> list[store.StoredEvent]:
    with engine.connect() as conn:
        return store.read(conn, game_id)


def test_parts_one_after_the_other_make_the_game(engine: Engine):
    for number, cut in enumerate(CUTS):
        done = take_in(engine, [cut])
        assert done.events == cut[3] - cut[2]
        assert done.imported if number < 2 else done.continued
        assert take_in(engine, [cut]).present == [GAMES[cut[1]].game_id]
    for game, upto in ((0, 12), (1, 9)):
        assert events_of(engine, GAMES[game].game_id) == recorded(GAMES[game], upto)[1]
        with engine.connect() as conn:
            assert store.head(conn, GAMES[game].game_id) == recorded(GAMES[game], upto)[0]


def test_a_file_with_several_parts_of_a_game_is_one_import(engine: Engine):
    done = take_in(engine, CUTS)
    assert (len(done.imported), done.continued, done.present) == (2, [], [])
    assert done.events == 21
    assert take_in(engine, CUTS).events == 0


def test_a_part_that_lies_partly_here_adds_the_rest(engine: Engine):
    take_in(engine, [(1, 0, 0, 5)])
    done = take_in(engine, [(1, 0, 2, 9)])
    assert (done.continued, done.events) == ([GAME], 4)
    assert events_of(engine, GAME) == recorded(GAMES[0], 9)[1]


def test_a_part_after_a_gap_is_refused(engine: Engine):
    with pytest.raises(NotContinued, match="not here, expected its versions up to 4"):
        take_in(engine, [(1, 0, 4, 6)])
    take_in(engine, [(1, 0, 0, 3)])
    with pytest.raises(NotContinued, match="up to version 3 only, expected 4"):
        take_in(engine, [(1, 0, 4, 6)])
    assert len(events_of(engine, GAME)) == 3


def test_a_part_of_another_course_is_refused(engine: Engine):
    take_in(engine, [(1, 0, 0, 5)])
    other = msgspec.structs.replace(GAMES[0], events=[*GAMES[0].events[:4], *GAMES[0].events[5:8]])
    head, stored = recorded(other)
    for after in (0, 3, 4, 5):
        writer = ndjson.Writer()
        goes_on = (after, stored[after - 1].hash) if after else link(0, 0)
        lines = [*writer.part(head, 1, goes_on, stored[after:], {}), writer.end(0, 1)]
        with pytest.raises(OtherHead):
            take_in_file(engine, b"".join(lines))


def test_a_game_that_was_recorded_in_here_takes_no_part(engine: Engine):
    """Else whoever may import could act at a table past its referee."""
    head, _ = recorded(GAMES[0], 6)
    opened = GAMES[0].events[0]
    with engine.begin() as conn:
        store.open_game(conn, GAME, head.game, head.mode)
        store.append(conn, GAME, 0, UUID(int=3), bytes(32), RECORDER, [encode(opened)])
        here = store.read(conn, GAME)
        now = store.head(conn, GAME)
    chained = recorded(GAMES[0], 2)[1][1]
    event = msgspec.structs.replace(chained, recorded_at=here[0].recorded_at + 1)
    event = msgspec.structs.replace(event, hash=intake._hash(event, here[0].hash))
    end = msgspec.structs.replace(now, version=2, head=event.hash)
    writer = ndjson.Writer()
    lines = [*writer.part(end, 1, (1, here[0].hash), [event], {}), writer.end(0, 1)]
    with pytest.raises(NotContinued, match="recorded here"):
        take_in_file(engine, b"".join(lines))


def test_a_game_that_was_imported_and_recorded_in_takes_no_part(engine: Engine):
    take_in(engine, [(1, 0, 0, 4)])
    with engine.begin() as conn:
        body = encode(GAMES[0].events[4])
        store.append(conn, GAME, 4, UUID(int=3), bytes(32), RECORDER, [body])
    with pytest.raises(OtherHead):
        take_in(engine, [(1, 0, 4, 6)])


def test_texts_of_a_part_come_along_once(engine: Engine):
    remark = (b"s" * 16, "the clock stood at seven")
    said = Remarked(seat=0, text=text_hash(*remark).hex())
    events = [*GAMES[0].events[:4], said, *GAMES[0].events[4:6], said]
    game: Import = msgspec.structs.replace(GAMES[0], events=events, remarks={5: remark, 8: remark})
    head, stored = recorded(game)
    for upto, after in ((5, 0), (8, 3), (8, 6)):
        end = msgspec.structs.replace(head, version=upto, head=stored[upto - 1].hash)
        goes_on = (after, stored[after - 1].hash) if after else link(0, 0)
        writer = ndjson.Writer()
        lines = list(writer.part(end, 1, goes_on, stored[after:upto], {}, game.remarks))
        take_in_file(engine, b"".join([*lines, writer.end(0, 1)]))
    with engine.connect() as conn:
        found = store.texts(conn, GAME)
    assert {at: (text.salt, text.text) for at, text in found.items()} == game.remarks


def test_a_part_that_names_no_seat_of_the_table_is_refused(engine: Engine):
    take_in(engine, [(1, 0, 0, 4)])
    wrong: Import = msgspec.structs.replace(
        GAMES[0], events=[*GAMES[0].events[:4], StockDrawn(seat=7, card="??")]
    )
    head, stored = recorded(wrong)
    writer = ndjson.Writer()
    lines = [*writer.part(head, 1, (4, stored[3].hash), stored[4:], {}), writer.end(0, 1)]
    with pytest.raises(FormatError, match="not at this table"):
        take_in_file(engine, b"".join(lines))
    assert len(events_of(engine, GAME)) == 4


def test_the_sealer_takes_what_came_in_parts(engine: Engine):
    take_in(engine, CUTS[:1])
    take_in(engine, [(1, 0, 4, 6)])
    with engine.connect() as conn:
        rows = conn.exec_driver_sql(
            "SELECT version FROM lanterlog.outbox ORDER BY version"
        ).scalars()
        assert list(rows) == [4, 6]
