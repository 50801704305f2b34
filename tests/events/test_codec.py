"""Events to canonical text and back: one text for each event, and nothing else is let in."""

import json
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from events.codec import (
    MAX_BODY,
    MAX_DEPTH,
    decode,
    decode_log,
    decode_opening,
    decode_stored,
    encode,
)
from events.common import Remarked
from events.errors import CodecError, NotALogError
from events.rummy500.events import Discarded, LaidOff, Placement
from tests.events.strategies import EVENT_TYPES, any_event
from tests.profiles import examples
from tests.simulate import opened

GAME = "rummy500"
DISCARD = b'{"t":"discarded","v":1,"seat":0,"card":"7H"}'


def variant(old: bytes, new: bytes) -> bytes:
    assert old in DISCARD
    return DISCARD.replace(old, new)


OTHER_TEXTS = {
    "version missing": variant(b'"v":1,', b""),
    "version after a space": variant(b',"v"', b', "v"'),
    "version first": b'{"v":1,"t":"discarded","seat":0,"card":"7H"}',
    "version last": b'{"t":"discarded","seat":0,"card":"7H","v":1}',
    "version doubled": variant(b'"v":1', b'"v":1,"v":1'),
    "version of another type": variant(b'"v":1', b'"v":"1"'),
    "version of no shape": variant(b'"v":1', b'"v":2'),
    "version zero": variant(b'"v":1', b'"v":0'),
    "version as a fraction": variant(b'"v":1', b'"v":1.0'),
    "tag missing": variant(b'"t":"discarded",', b""),
    "tag unknown": variant(b"discarded", b"thrown"),
    "tag doubled": variant(b'"t":"discarded"', b'"t":"discarded","t":"discarded"'),
    "key order": b'{"t":"discarded","v":1,"card":"7H","seat":0}',
    "key doubled": variant(b'"seat":0', b'"seat":1,"seat":0'),
    "key doubled at the end": variant(b'"7H"}', b'"7H","card":"7H"}'),
    "key unknown": variant(b'"seat":0', b'"seat":0,"note":0'),
    "key missing": variant(b'"seat":0,', b""),
    "key as an escape": variant(b'"seat"', b'"se\\u0061t"'),
    "value as an escape": variant(b"7H", b"\\u0037H"),
    "space after a colon": variant(b'"seat":0', b'"seat": 0'),
    "space before": b" " + DISCARD,
    "newline after": DISCARD + b"\n",
    "byte order mark": b"\xef\xbb\xbf" + DISCARD,
    "UTF-16": DISCARD.decode().encode("utf-16"),
    "not UTF-8": variant(b"7H", b"7\xff"),
    "overlong UTF-8": variant(b"7H", b"7\xc1\x88"),
    "surrogate in UTF-8": variant(b"7H", b"7\xed\xa0\x80"),
    "lone surrogate": variant(b"7H", b"\\ud800"),
    "control character": variant(b"7H", b"7\x00"),
    "escaped control character": variant(b"7H", b"7H\\u0000"),
    "minus zero": variant(b'"seat":0', b'"seat":-0'),
    "leading zero": variant(b'"seat":0', b'"seat":00'),
    "fraction": variant(b'"seat":0', b'"seat":0.0'),
    "power": variant(b'"seat":0', b'"seat":0e0'),
    "not a number": variant(b'"seat":0', b'"seat":NaN'),
    "infinity": variant(b'"seat":0', b'"seat":Infinity'),
    "infinite power": variant(b'"seat":0', b'"seat":1e999'),
    "number of another world": variant(b'"seat":0', b'"seat":' + b"1" * 5000),
    "number below": variant(b'"seat":0', b'"seat":-1'),
    "number above": variant(b'"seat":0', b'"seat":8'),
    "truth": variant(b'"seat":0', b'"seat":false'),
    "null": variant(b'"seat":0', b'"seat":null'),
    "text for a number": variant(b'"seat":0', b'"seat":"0"'),
    "no such card": variant(b"7H", b"1H"),
    "card in lower case": variant(b"7H", b"7h"),
    "trailing byte": DISCARD + b"}",
    "trailing NUL": DISCARD + b"\0",
    "two bodies": DISCARD + DISCARD,
    "cut off": DISCARD[:-1],
    "nothing": b"",
    "a list": b"[" + DISCARD + b"]",
    "a bare text": b'"discarded"',
    "null alone": b"null",
    "a comment": DISCARD + b"//",
    "single quotes": DISCARD.replace(b'"', b"'"),
    "deep lists": variant(b'"7H"', b"[" * 200_000),
    "deep objects": b'{"t":' * 10_000,
    "deep but short": variant(b'"7H"', b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)),
    "over-long": DISCARD + b" " * MAX_BODY,
}


def test_an_event_is_written_with_tag_version_and_every_field_in_order() -> None:
    placements = (Placement("X1=8H", 1, "high"), Placement("9C'", 2, None))
    assert encode(LaidOff(seat=3, cards=placements)) == (
        b'{"t":"laid_off","v":1,"seat":3,"cards":[{"card":"X1=8H","meld":1,"end":"high"},'
        b'{"card":"9C\'","meld":2,"end":null}]}'
    )


@pytest.mark.parametrize("tag", sorted(EVENT_TYPES))
@given(data=st.data())
@examples(25)
def test_what_was_written_is_read_back(tag: str, data: st.DataObject) -> None:
    event = data.draw(any_event(tag))
    body = encode(event)
    assert decode(GAME, body) == event
    assert type(decode(GAME, body)) is EVENT_TYPES[tag]
    assert decode_stored(GAME, body) == event


@pytest.mark.parametrize("body", OTHER_TEXTS.values(), ids=OTHER_TEXTS)
def test_every_other_way_to_write_it_is_refused(body: bytes) -> None:
    with pytest.raises(CodecError):
        decode(GAME, body)


@given(event=any_event(), data=st.data())
@examples(150)
def test_the_same_values_in_another_dress_are_refused(event: Any, data: st.DataObject) -> None:
    body = encode(event)
    values = json.loads(body)
    keys = data.draw(st.permutations(list(values)))
    dressed = {
        "keys": json.dumps({key: values[key] for key in keys}, separators=(",", ":")),
        "spaces": json.dumps(values),
        "sorted": json.dumps(values, separators=(",", ":"), sort_keys=True),
        "lines": json.dumps(values, indent=1),
        "unknown": json.dumps(values | {"z": None}, separators=(",", ":")),
        "missing": json.dumps(
            {k: v for k, v in values.items() if k != keys[0]}, separators=(",", ":")
        ),
    }
    for text in dressed.values():
        if text.encode() != body:
            with pytest.raises(CodecError):
                decode(GAME, text.encode())


@given(event=any_event(), data=st.data())
@examples(300)
def test_one_byte_changed_gives_another_event_or_none(event: Any, data: st.DataObject) -> None:
    body = encode(event)
    place = data.draw(st.integers(0, len(body) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = body[:place] + bytes([byte]) + body[place + 1 :]
    assume(changed != body)
    try:
        other = decode(GAME, changed)
    except CodecError:
        return
    assert other != event
    assert encode(other) == changed


@given(st.binary(max_size=200))
@example(b'{"t":"retracted","v":1,"back_to":1' + b"0" * 4000 + b"}")
@example(b'{"t":"remarked","v":1,"seat":null,"text":"\\')
@examples(200)
def test_no_bytes_raise_anything_else(body: bytes) -> None:
    with pytest.raises(CodecError):
        decode(GAME, body)
    with pytest.raises((CodecError, NotALogError)):
        decode_opening(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["7H"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(event=any_event(), data=st.data())
@examples(200)
def test_no_json_raises_anything_else(event: Any, data: st.DataObject) -> None:
    values = json.loads(encode(event))
    key = data.draw(st.sampled_from(sorted(values)))
    body = json.dumps(values | {key: data.draw(json_values)}, separators=(",", ":")).encode()
    with suppress(CodecError):
        assert encode(decode(GAME, body)) == body


def test_a_game_that_nobody_knows_is_refused() -> None:
    with pytest.raises(CodecError, match="no such game: 'chess', expected one of rummy500"):
        decode("chess", DISCARD)


def test_a_strange_value_is_shown_shortly() -> None:
    with pytest.raises(CodecError) as caught:
        decode(GAME, DISCARD + b" " * 60_000)
    assert len(str(caught.value)) < 1000


def test_text_that_is_no_text_cannot_be_written() -> None:
    with pytest.raises(CodecError, match="not an event that can be written"):
        encode(Remarked(seat=None, text="\ud800"))
    with pytest.raises(CodecError, match="not an event that can be written"):
        encode(Discarded(seat=0, card=object()))  # type: ignore[arg-type]


def test_a_log_is_decoded_as_its_events_are() -> None:
    assert decode_log(GAME, [DISCARD, DISCARD]) == [decode_stored(GAME, DISCARD)] * 2


@pytest.mark.parametrize(
    ("game", "body"), [(GAME, b'{"t":"discarded"}'), (GAME, b"\xff"), ("whist", DISCARD)]
)
def test_a_log_with_a_body_that_cannot_be_read_is_refused_with_the_reason(
    game: str, body: bytes
) -> None:
    with pytest.raises(CodecError) as alone:
        decode_stored(game, body)
    with pytest.raises(CodecError) as among_others:
        decode_log(game, [DISCARD, body])

    assert str(among_others.value) == str(alone.value)


def test_the_first_event_says_which_game_it_is() -> None:
    opening = opened(3)
    assert decode_opening(encode(opening)) == opening


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (DISCARD, NotALogError),
        (b"{}", NotALogError),
        (b'{"t":"game_opened"}', CodecError),
        (b'{"t":"game_opened","game":"chess"}', CodecError),
        (encode(opened(2)).replace(b",", b", ", 1), CodecError),
        (b'{"a":' * 10_000, CodecError),
        (b"\xff", NotALogError),
    ],
    ids=["other event", "no event", "no game", "unknown game", "spaces", "deep", "not text"],
)
def test_a_log_that_begins_otherwise_is_none(body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_opening(body)


def test_an_opening_spells_out_every_option() -> None:
    values = json.loads(encode(opened(2)))
    assert list(values) == [
        *("t", "v", "game", "ruleset", "engine", "seats", "first_dealer", "mode", "source")
    ]
    shortened = values | {"ruleset": {k: v for k, v in values["ruleset"].items() if k != "target"}}
    with pytest.raises(CodecError):
        decode(GAME, msgspec.json.encode(shortened))


def test_a_player_is_one_canonical_uuid() -> None:
    seat = str(UUID(int=1))
    for other in (seat.upper().replace("0001", "000A"), seat.replace("-", ""), f"{{{seat}}}"):
        body = encode(opened(2)).replace(seat.encode(), other.encode())
        assert body != encode(opened(2))
        with pytest.raises(CodecError):
            decode(GAME, body)
