"""A file's format is found by its first lines, and a file that nobody knows is refused kindly."""

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import FormatError
from events.formats import MAX_LINE, delboycodes, detect, timpalpant
from tests.events.formats.helpers import ENGINE_A, ENGINE_B, lines_of_game, written

LOGS = {
    "delboycodes": b"".join(lines_of_game(ENGINE_A, 1)),
    "timpalpant": b"".join(lines_of_game(ENGINE_B, 1)),
}
NOTATION = """# Written on a long evening.
game: rummy500
players: A=Anna, B=Ben
ruleset: seed
dealer: B

deal 1
hand A: 2C 4H 5D 8S JC KD KS
upcard: 6D
A stock
A discard 2C
"""
LOGS["notation"] = NOTATION.encode()
LOGS["ours"] = written(list(delboycodes.read(LOGS["delboycodes"].splitlines(True))))


@pytest.mark.parametrize("path", [ENGINE_A, ENGINE_B], ids=["A", "B"])
def test_a_log_of_another_program_is_read_from_its_file(path):
    reader = delboycodes if path == ENGINE_A else timpalpant
    with path.open("rb") as file:
        assert list(detect.read_file(file)) == list(reader.read(path.read_bytes().splitlines(True)))


def test_a_file_of_ours_is_read_from_its_stream():
    (game,) = detect.read_file(BytesIO(LOGS["ours"]))
    (original,) = delboycodes.read(LOGS["delboycodes"].splitlines(True))
    assert (game.events, game.names) == (original.events, original.names)
    assert game.stored


def test_table_notation_is_read_from_its_stream():
    (game,) = detect.read_file(BytesIO(LOGS["notation"]))
    assert list(game.names.values()) == ["Anna", "Ben"]


def test_a_long_comment_may_come_before_table_notation():
    (game,) = detect.read_file(BytesIO(b"# and so on\n" * 1000 + LOGS["notation"]))
    assert game.line == 1002


def test_table_notation_that_is_too_long_is_refused_without_reading_it_whole():
    endless = BytesIO(LOGS["notation"] + b"# and so on\n" * 2_000_000)
    with pytest.raises(FormatError, match="the most that is read"):
        list(detect.read_file(endless))
    assert endless.read(1)


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"", "the file is empty"),
        (b"Dear diary,\nwe played", "'Dear diary,'"),
        (b"\xff\xfe\x00", "begins with"),
        (b'{"t":"game"}\n', '\'{"t":"game"}\''),
    ],
    ids=["empty", "prose", "bytes", "other JSON"],
)
def test_an_unknown_file_is_refused_with_what_was_looked_for(data: bytes, shown: str):
    with pytest.raises(FormatError) as caught:
        list(detect.read_file(BytesIO(data)))
    assert caught.value.line == 1
    for words in (
        shown,
        "Lanterlog's own NDJSON",
        "delboycodes/rummy-500",
        "timpalpant/rummy",
        "notation",
    ):
        assert words in caught.value.reason


@pytest.mark.parametrize("name", ["ours", "delboycodes", "timpalpant"])
def test_an_endless_line_is_refused(name: str):
    first = LOGS[name].splitlines(True)[0]
    with pytest.raises(FormatError, match=f"line 2: .*more than {MAX_LINE} bytes"):
        list(detect.read_file(BytesIO(first + b" " * (MAX_LINE + 1))))


@pytest.mark.parametrize("name", LOGS)
@given(data=st.data())
def test_whatever_is_changed_a_file_is_read_or_refused(name: str, data: st.DataObject):
    lines = LOGS[name].splitlines(True)
    at = data.draw(st.integers(0, len(lines) - 1))
    line = lines[at]
    start = data.draw(st.integers(0, len(line) - 1))
    length = data.draw(st.integers(0, 12))
    put = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"[[", b'"K\xe2\x99\xa0"']))
    lines[at] = line[:start] + put + line[start + length :]
    games = []
    with suppress(FormatError):
        games = list(detect.read_file(BytesIO(b"".join(lines))))
    assert len(games) <= 1
