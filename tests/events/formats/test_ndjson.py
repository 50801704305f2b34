"""Our own NDJSON: nothing is lost, there is one way to write it, and whatever was changed is named."""

from io import BytesIO
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.chain import text_hash
from events.common import DealScored, Event, GameEnded, Remarked, Retracted
from events.errors import AlteredFile, AlteredLog, FormatError, NotALogError
from events.formats import LONGEST_NAME, Import, delboycodes, ndjson, timpalpant
from events.formats.ndjson_lines import (
    EventLine,
    check_of,
    decode_line,
    encode_line,
    microseconds_of,
    time_text,
)
from events.rummy500.events import Discarded
from events.rummy500.ruleset import Ruleset
from tests.events.formats.helpers import ENGINE_A, ENGINE_B, lines_of_game, recorded, written

GAMES = [
    *delboycodes.read(lines_of_game(ENGINE_A, 1)),
    *timpalpant.read(lines_of_game(ENGINE_B, 32)),
]
FILE = written(GAMES)


def small_file() -> bytes:
    """Three games of 8 events: the second one's last is a remark."""
    opened, *rest = GAMES[1].events[:8]
    remark = (b"s" * 16, "who dealt? – 誰")
    remarked = Remarked(seat=0, text=text_hash(*remark).hex())
    games = [
        Import(UUID(int=number), [opened, *rest[:6], remarked], GAMES[1].names, {8: remark}, 1)
        for number in (1, 2, 3)
    ]
    return written(games)


SMALL = small_file()
LINES = SMALL.splitlines(True)
EVENTS = [at for at, line in enumerate(LINES) if line.startswith(b'{"t":"event"')]


def place(data: bytes) -> ndjson.FirstBad:
    """Where `verify` finds the first fault."""
    result = ndjson.verify(BytesIO(data))
    assert not result.ok
    assert result.first_bad is not None
    return result.first_bad


def expected_place(index: int) -> tuple[UUID | None, int | None]:
    """The game and version that stand on a line of SMALL, counted from 0."""
    at, inside = divmod(index, 9)
    return (UUID(int=at + 1), inside or None) if at < 3 else (None, None)


def test_a_file_holds_and_is_counted():
    result = ndjson.verify(BytesIO(FILE))
    assert result == ndjson.VerifyResult(True, 2, sum(len(g.events) for g in GAMES), None)


def test_reading_gives_back_what_was_written():
    for game, back in zip(GAMES, ndjson.read(FILE.splitlines(True)), strict=True):
        head, stored = recorded(game)
        assert (back.head, back.stored) == (head, stored)
        assert (back.events, back.names, back.remarks) == (game.events, game.names, game.remarks)


def test_writing_what_was_read_gives_the_same_bytes():
    writer = ndjson.Writer()
    again = [
        line
        for game in ndjson.read(FILE.splitlines(True))
        if game.head and game.stored
        for line in writer.game(game.head, game.stored, game.names, game.remarks)
    ]
    assert b"".join(again) + writer.end() == FILE


def test_every_line_is_its_own_re_encoding():
    for line in FILE.splitlines(True):
        assert encode_line(decode_line(line)) == line


def test_a_game_says_on_which_line_it_begins():
    assert [game.line for game in ndjson.read(LINES)] == [1, 10, 19]


def test_one_game_is_a_whole_file():
    out = BytesIO()
    head, stored = recorded(GAMES[1])
    ndjson.write_game(out, head, stored, GAMES[1].names, GAMES[1].remarks)
    assert out.getvalue() == written(GAMES[1:])


def test_a_file_without_games_holds():
    assert ndjson.verify(BytesIO(ndjson.Writer().end())).ok


def test_a_game_without_events_holds():
    data = written([GAMES[1]], 0)
    assert ndjson.verify(BytesIO(data)) == ndjson.VerifyResult(True, 1, 0, None)
    assert [game.events for game in ndjson.read(data.splitlines(True))] == [[]]


def test_texts_that_were_erased_leave_a_file_that_holds():
    head, stored = recorded(GAMES[1])
    writer = ndjson.Writer()
    data = b"".join(writer.game(head, stored, {})) + writer.end()
    assert ndjson.verify(BytesIO(data)).ok
    assert b'"remark"' not in data


def test_withheld_bodies_are_not_in_the_file_and_the_chain_still_holds():
    head, stored = recorded(GAMES[1])
    writer = ndjson.Writer()
    hidden = range(3, len(stored) + 1)
    data = b"".join(writer.game(head, stored, {}, GAMES[1].remarks, hidden)) + writer.end()
    assert ndjson.verify(BytesIO(data)).ok
    assert data.count(b'"t":"withheld"') == len(hidden)
    assert b'"salt"' not in b"".join(data.splitlines()[3:])


def test_a_file_with_withheld_events_is_not_imported():
    head, stored = recorded(GAMES[1])
    writer = ndjson.Writer()
    lines = [*writer.game(head, stored, {}, withheld=(2,)), writer.end()]
    with pytest.raises(FormatError, match="line 3: a withheld event"):
        list(ndjson.read(lines))


def test_a_game_with_an_event_missing_in_the_store_is_not_written():
    head, stored = recorded(GAMES[1])
    with pytest.raises(AlteredLog, match="version 2"):
        list(ndjson.Writer().game(head, [stored[0], *stored[2:]], {}))
    with pytest.raises(AlteredLog, match=f"expected {head.version}"):
        list(ndjson.Writer().game(head, stored[:-1], {}))


@pytest.mark.parametrize("index", range(len(LINES)))
def test_any_changed_byte_is_found_on_its_line(index: int):
    line = LINES[index]
    for at, byte in enumerate(line):
        others = {byte ^ 1, byte ^ 0x20} | ({0x0A} if at % 7 == 0 else set())
        for other in others - {byte}:
            changed = line[:at] + bytes([other]) + line[at + 1 :]
            found = place(b"".join([*LINES[:index], changed, *LINES[index + 1 :]]))
            assert found.line == index + 1, (at, chr(byte), chr(other), found)
            if index in EVENTS:
                assert (found.game_id, found.version) == expected_place(index), (at, found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"t":"event"', b'{ "t":"event"'),
        (b'{"t":"event"', b'{"t":"event","t":"event"'),
        (b'"recorded_by":"00000000-0000-', b'"recorded_by":"000000000000'),
        (str(UUID(int=1)).encode(), UUID(int=1).hex.encode()),
        ("誰".encode(), b"\\u8ab0"),
        (b'"}}\n', b'"}}\r\n'),
        (b'"games":3', b'"games":2'),
        (b'"games":3', b'"games":3.0'),
        (b'"events":24,"sha', b'"events":25,"sha'),
    ],
)
def test_another_way_to_write_the_same_line_is_found(old: bytes, new: bytes):
    assert old in SMALL
    at = SMALL.index(old)
    found = place(SMALL[:at] + new + SMALL[at + len(old) :])
    assert found.line == SMALL[:at].count(b"\n") + 1


@pytest.mark.parametrize("index", range(len(LINES)))
def test_a_dropped_line_is_found_where_it_stood(index: int):
    found = place(b"".join(LINES[:index] + LINES[index + 1 :]))
    assert found.line == index + 1
    if index in EVENTS:
        assert (found.game_id, found.version) == expected_place(index)


@pytest.mark.parametrize("index", range(len(LINES)))
def test_a_doubled_line_is_found(index: int):
    found = place(b"".join(LINES[: index + 1] + LINES[index:]))
    assert found.line == index + 2
    assert found.reason


@pytest.mark.parametrize("index", range(len(LINES)))
def test_swapped_lines_are_found_where_the_first_stood(index: int):
    for other in range(index + 1, len(LINES)):
        lines = list(LINES)
        lines[index], lines[other] = lines[other], lines[index]
        found = place(b"".join(lines))
        assert found.line == index + 1
        if index in EVENTS:
            assert (found.game_id, found.version) == expected_place(index)


@pytest.mark.parametrize("index", range(1, len(LINES)))
def test_a_file_that_is_cut_off_is_found(index: int):
    assert place(b"".join(LINES[:index])).line == index + 1
    begun = b"".join(LINES[:index])
    for length in {1, len(LINES[index]) // 2, len(LINES[index]) - 1}:
        found = place(begun + LINES[index][:length])
        assert (found.line, "cut off" in found.reason) == (index + 1, True)


@pytest.mark.parametrize("number", range(3))
def test_a_dropped_game_is_found(number: int):
    found = place(b"".join(LINES[: number * 9] + LINES[number * 9 + 9 :]))
    assert found.line == number * 9 + 1


def test_swapped_games_are_found():
    assert place(b"".join(LINES[9:18] + LINES[:9] + LINES[18:])).line == 1


@pytest.mark.parametrize("more", [b"\n", b" ", LINES[-1], LINES[0], b"x" * 100])
def test_bytes_after_the_trailer_are_found(more: bytes):
    found = place(SMALL + more)
    assert (found.line, found.reason) == (len(LINES) + 1, "bytes after the trailer")


def test_an_event_changed_with_its_own_hash_is_found_at_the_next():
    line = decode_line(LINES[2])
    assert isinstance(line, EventLine)
    forged = LINES[2].replace(line.hash.encode(), b"0" * 64)
    assert place(b"".join([*LINES[:2], forged, *LINES[3:]])).version == 2


def test_a_forged_tail_does_not_reach_the_head():
    game = Import(UUID(int=1), GAMES[1].events[:8], GAMES[1].names, {}, 1)
    head, stored = recorded(game)
    writer = ndjson.Writer()
    other = Import(UUID(int=1), [*GAMES[1].events[:7], GAMES[1].events[6]], GAMES[1].names, {}, 1)
    forged = recorded(other)[1]
    data = b"".join(writer.game(head, [*stored[:7], forged[7]], {})) + writer.end()
    found = place(data)
    assert (found.version, "head" in found.reason) == (8, True)


def test_reading_stops_where_verify_does():
    changed = SMALL.replace(b'"version":5', b'"version":6', 1).splitlines(True)
    with pytest.raises(AlteredFile, match="line 6: version 5 of game") as caught:
        list(ndjson.read(changed))
    assert (caught.value.game_id, caught.value.version) == (UUID(int=1), 5)


def test_reading_sees_a_trailer_that_is_missing():
    with pytest.raises(AlteredFile, match="cut off"):
        list(ndjson.read(LINES[:-1]))


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"hello\n", b"{}\n", b'{"t":"game"}\n', ENGINE_A.read_bytes(), b"\xff" * 4096],
    ids=["nothing", "empty line", "text", "empty object", "half a header", "another log", "bytes"],
)
def test_what_is_no_log_is_told_from_an_altered_one(data: bytes):
    with pytest.raises(NotALogError):
        ndjson.verify(BytesIO(data))


def test_an_endless_line_is_refused_without_reading_it_whole():
    found = place(LINES[0] + b'{"t":"event","version":1' + b" " * (9 * 1024 * 1024))
    assert (found.line, "bytes in a line" in found.reason) == (2, True)


def test_a_header_that_names_another_mode_than_the_game_is_refused():
    head = LINES[0].replace(b'"mode":"recorded"', b'"mode":"refereed"')
    forged = head[:-67] + check_of(head).encode() + b'"}\n'
    with pytest.raises(FormatError, match="line 2: opened as rummy500 and recorded"):
        list(ndjson.read([forged, *LINES[1:]]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"people":{"', '"people":{"x'),
        ('"kind":"game"', '"kind":"party"'),
        ('"visibility":"unlisted"', '"visibility":"everyone"'),
        ('"mode":"recorded"', '"mode":"guessed"'),
    ],
)
def test_a_header_that_the_store_could_not_take_is_refused(old: str, new: str):
    head = LINES[0].replace(old.encode(), new.encode())
    assert head != LINES[0]
    forged = head[:-67] + check_of(head).encode() + b'"}\n'
    with pytest.raises(FormatError, match=r"line 1: .*not a line of this format"):
        list(ndjson.read([forged, *LINES[1:]]))


def test_a_body_that_is_no_event_is_refused_with_its_line():
    head, stored = recorded(Import(UUID(int=1), GAMES[1].events[:3], {}, {}, 1))
    lines = list(ndjson.Writer().game(head, stored, {}))
    lines[0] = lines[0].replace(b'"game":"rummy500"', b'"game":"rummy501"')
    lines[0] = lines[0][:-67] + check_of(lines[0]).encode() + b'"}\n'
    with pytest.raises(FormatError, match="line 2"):
        list(ndjson.read(lines))


@given(st.integers(min_value=-(2**55), max_value=2**55))
def test_times_lose_nothing(at: int):
    assert microseconds_of(time_text(at)) == at


@pytest.mark.parametrize(
    "text",
    ["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000+01:00", "2026-13-01"],
)
def test_a_time_has_one_way_to_be_written(text: str):
    assert microseconds_of(text) is None


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=40),
    st.binary(min_size=16, max_size=16),
)
def test_any_remark_and_name_comes_back(text: str, salt: bytes):
    opened = GAMES[1].events[0]
    remark = Remarked(seat=None, text=text_hash(salt, text).hex())
    names = dict.fromkeys(GAMES[1].names, text)
    data = written([Import(UUID(int=7), [opened, remark], names, {2: (salt, text)}, 1)])
    (back,) = ndjson.read(data.splitlines(True) if "\r" not in text else BytesIO(data))
    assert (back.remarks, back.names) == ({2: (salt, text)}, names)


def test_a_remark_is_held_to_its_event():
    at = next(i for i in EVENTS if b'"remark"' in LINES[i])
    moved = [*LINES]
    moved[at - 1] = LINES[at - 1][:-2] + LINES[at][LINES[at].index(b',"remark"') :]
    found = place(b"".join(moved))
    assert (found.line, found.reason) == (at, "the remark is not the one that the event names")


def test_the_example_in_the_documentation_holds():
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    example = text.partition("```json\n")[2].partition("```")[0].encode()
    assert ndjson.verify(BytesIO(example)) == ndjson.VerifyResult(True, 1, 2, None)
    assert len(list(ndjson.read(example.splitlines(True)))) == 1


NO_FACTS = {
    "a second opening": (GAMES[1].events[0], "opened again"),
    "a seat": (Discarded(seat=7, card="5H"), "not at this table"),
    "a winner": (GameEnded(winner=7, abandoned=False), "not at this table"),
    "scores": (DealScored(deal=1, scores=(1,) * 8, totals=(1,) * 8), "not at this table"),
}


@pytest.mark.parametrize(("event", "reason"), NO_FACTS.values(), ids=NO_FACTS)
def test_what_is_no_fact_of_the_table_is_refused_though_its_chain_holds(event: Event, reason: str):
    game = Import(UUID(int=1), [*GAMES[1].events[:8], event], GAMES[1].names, {}, 1)
    data = written([game])
    assert ndjson.verify(BytesIO(data)).ok
    with pytest.raises(FormatError, match=reason) as caught:
        list(ndjson.read(data.splitlines(True)))
    assert caught.value.line == 10


def test_a_retraction_at_a_refereed_table_is_refused_though_its_chain_holds():
    opened = replace(GAMES[1].events[0], mode="refereed", ruleset=Ruleset())
    back = Retracted(back_to=1, reason="MISREAD")
    data = written([Import(UUID(int=1), [opened, back], GAMES[1].names, {}, 1)])
    assert ndjson.verify(BytesIO(data)).ok
    with pytest.raises(FormatError, match="retraction at a refereed table"):
        list(ndjson.read(data.splitlines(True)))


def test_a_time_that_runs_back_is_named_though_the_hashes_hold():
    game = Import(UUID(int=9), GAMES[1].events[:6], GAMES[1].names, {}, 1)
    head, stored = recorded(game, step=-1_000_001)
    out = BytesIO()
    ndjson.write_game(out, head, stored, game.names)
    assert place(out.getvalue()).version == 2


def test_a_name_that_goes_on_and_on_is_refused():
    names = dict.fromkeys(GAMES[1].names, "x" * (LONGEST_NAME + 1))
    data = written([Import(UUID(int=9), GAMES[1].events[:6], names, {}, 1)])
    with pytest.raises(FormatError, match="a name of more than"):
        list(ndjson.read(data.splitlines(True)))
