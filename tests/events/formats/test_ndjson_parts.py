"""Parts of games in our own NDJSON: each goes on from a hash, and the file from a place in the ledger."""

from collections.abc import Sequence
from io import BytesIO

import msgspec
import pytest

from events.chain import NIL_HEAD
from events.errors import AlteredFile, AlteredLog, FormatError
from events.formats import Import, ndjson
from events.formats.ndjson_lines import PartLine, check_of, decode_line, encode_line
from events.formats.ndjson_split import split
from events.records import Head, StoredEvent
from tests.events.formats.helpers import recorded
from tests.events.formats.test_ndjson import GAMES, LINES

Cut = tuple[int, int, int, int]
"""Position in the ledger, which game, after which version, up to which."""
CUTS: tuple[Cut, ...] = ((3, 0, 0, 4), (4, 1, 0, 2), (7, 0, 4, 5), (9, 1, 2, 9), (12, 0, 5, 12))
RECORDED = [recorded(game) for game in GAMES]


def ended(game: int, version: int) -> Head:
    head, stored = RECORDED[game]
    return msgspec.structs.replace(head, version=version, head=stored[version - 1].hash)


def link(game: int, after: int) -> tuple[int, bytes]:
    return after, RECORDED[game][1][after - 1].hash if after else NIL_HEAD


def events(game: int, after: int, upto: int) -> Sequence[StoredEvent]:
    return RECORDED[game][1][after:upto]


def parts(
    cuts: Sequence[Cut] = CUTS,
    since: int | None = 2,
    until: int | None = 20,
    withheld: frozenset[int] = frozenset(),
) -> bytes:
    """A file of these parts."""
    writer, out = ndjson.Writer(), list[bytes]()
    for position, game, after, upto in cuts:
        names = {} if after else GAMES[game].names
        out += writer.part(
            ended(game, upto),
            position,
            link(game, after),
            events(game, after, upto),
            names,
            withheld=withheld,
        )
    return b"".join(out) + writer.end(since, until)


FILE = parts()
PART_LINES = FILE.splitlines(True)


def place(data: bytes) -> tuple[int, str]:
    found = ndjson.verify(BytesIO(data)).first_bad
    assert found is not None
    return found.line, found.reason


def test_a_file_of_parts_holds_by_itself_and_says_where_it_lies():
    found = ndjson.verify(BytesIO(FILE))
    assert found == ndjson.VerifyResult(True, 5, 21, None, 2, 20)


def test_a_part_alone_holds_without_what_comes_before_it():
    for cut in CUTS:
        assert ndjson.verify(BytesIO(parts([cut]))).ok


def test_a_stretch_without_anything_in_it_holds():
    assert ndjson.verify(BytesIO(parts([]))) == ndjson.VerifyResult(True, 0, 0, None, 2, 20)


def test_withheld_events_of_a_part_can_be_verified():
    data = parts(withheld=frozenset({5, 8}))
    assert data.count(b'"t":"withheld"') == 4
    assert ndjson.verify(BytesIO(data)).ok
    with pytest.raises(FormatError, match="withheld"):
        list(ndjson.read(data.splitlines(True)))


def test_reading_gives_the_events_with_where_they_go_on():
    found = list(ndjson.read(PART_LINES))
    assert [(one.after, one.previous) for one in found] == [
        link(game, after) for _, game, after, _ in CUTS
    ]
    for one, (_, game, after, upto) in zip(found, CUTS, strict=True):
        assert one.events == GAMES[game].events[after:upto]
        assert one.stored == events(game, after, upto)
        assert one.head is not None
        assert (one.head.version, one.head.head) == (upto, ended(game, upto).head)


def test_every_line_is_its_own_re_encoding():
    for line in PART_LINES:
        assert encode_line(decode_line(line)) == line


@pytest.mark.parametrize("number", range(len(PART_LINES)))
def test_a_line_left_out_is_found(number: int):
    line, _ = place(b"".join(PART_LINES[:number] + PART_LINES[number + 1 :]))
    assert line <= number + 2


@pytest.mark.parametrize("number", range(len(PART_LINES)))
def test_a_changed_byte_is_found_on_its_line(number: int):
    altered = bytearray(PART_LINES[number])
    altered[-4] = ord("0") if altered[-4] != ord("0") else ord("1")
    line, _ = place(b"".join([*PART_LINES[:number], bytes(altered), *PART_LINES[number + 1 :]]))
    assert line == number + 1


def edited(at: int, fields: dict[str, object]) -> bytes:
    """The file with a part's first line written anew, its check with it."""
    line = decode_line(PART_LINES[at])
    assert isinstance(line, PartLine)
    line = msgspec.structs.replace(line, **fields)
    line = msgspec.structs.replace(line, check=check_of(encode_line(line)))
    return b"".join([*PART_LINES[:at], encode_line(line), *PART_LINES[at + 1 :]])


SECOND = next(at for at, line in enumerate(PART_LINES) if b'"number":3,' in line)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"position": 4}, "stands after 4"),
        ({"number": 4}, "game number 4 stands here"),
        ({"previous": "ab" * 32}, "the part before ends otherwise"),
        ({"after": 3}, "the part before ends otherwise"),
        ({"previous": "0" * 64}, "from nowhere"),
        ({"after": 0}, "from nowhere"),
        ({"events": 0}, "from nowhere"),
    ],
)
def test_a_part_must_go_on_where_the_one_before_it_ends(fields: dict[str, object], reason: str):
    line, found = place(edited(SECOND, fields))
    assert (line, reason in found) == (SECOND + 1, True), found


@pytest.mark.parametrize(
    "trailer", [(None, None), (5, 20), (2, 11), (21, 20), (None, 20), (2, None)]
)
def test_a_trailer_must_hold_its_parts(trailer: tuple[int | None, int | None]):
    line, _ = place(parts(since=trailer[0], until=trailer[1]))
    assert line == len(PART_LINES)


def test_whole_games_and_parts_do_not_mix():
    writer = ndjson.Writer()
    whole = writer.game(*RECORDED[0], GAMES[0].names, GAMES[0].remarks)
    part = writer.part(ended(1, 2), 4, link(1, 0), events(1, 0, 2), {})
    lines = [*whole, *part]
    assert "among whole games" in place(b"".join(lines) + writer.end())[1]
    writer = ndjson.Writer()
    lines = [*writer.part(ended(1, 2), 4, link(1, 0), events(1, 0, 2), {})]
    lines += writer.game(*RECORDED[0], GAMES[0].names, GAMES[0].remarks)
    assert "among parts" in place(b"".join(lines) + writer.end(0, 9))[1]
    lines = [*LINES[:-1], PART_LINES[-1]]
    assert "one of whole games" in place(b"".join(lines))[1] or place(b"".join(lines))[0] == len(
        LINES
    )


def test_what_no_table_takes_is_in_no_part():
    opening = GAMES[1].events[0]
    again: Import = msgspec.structs.replace(GAMES[1], events=[*GAMES[1].events[:3], opening])
    head, stored = recorded(again)
    writer = ndjson.Writer()
    lines = [*writer.part(head, 1, (3, stored[2].hash), stored[3:], {}), writer.end(0, 1)]
    with pytest.raises(FormatError, match="opened again"):
        list(ndjson.read(lines))


def test_parts_with_a_hole_are_not_written():
    writer = ndjson.Writer()
    with pytest.raises(AlteredLog):
        list(writer.part(ended(0, 5), 1, link(0, 3), events(0, 4, 5), {}))


def test_a_bulk_import_says_what_it_does_not_take():
    with pytest.raises(FormatError, match="not for a bulk import") as error:
        list(split(PART_LINES))
    assert not isinstance(error.value, AlteredFile)
