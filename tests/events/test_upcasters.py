"""Old shapes are read as strictly as on the day they were written, lifted step by step, and none is forgotten."""

from typing import Any

import msgspec
import pytest

from events import codec, upcasters
from events.codec import canonical, decode, decode_log, decode_stored, encode
from events.common import Event, Remarked
from events.errors import CodecError, UpcastError
from events.games import GAMES
from events.rummy500.events import Discarded, MeldLaid, PositionSet
from events.shapes import Shape, Step
from events.upcasters import (
    UPCASTERS,
    Key,
    Lifted,
    Registry,
    check_registry,
    current_version,
    upcast,
)
from tests.events.lanterloo.strategies import EVENT_TYPES as LOO_TYPES
from tests.events.strategies import EVENT_TYPES

HASH = "0" * 64
FIRST = b'{"t":"remarked","v":1,"seat":2,"text":"' + HASH.encode() + b'"}'
KEY = ("rummy500", "remarked", 1)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_remark_of_the_first_version_is_about_where_it_stands(game: str) -> None:
    wanted = Remarked(seat=2, text=HASH, about=None)
    assert decode(game, FIRST) == decode_stored(game, FIRST) == wanted
    assert wanted.v == 2


@pytest.mark.parametrize("game", sorted(GAMES))
def test_both_versions_are_read_from_one_log(game: str) -> None:
    second = encode(Remarked(seat=None, text=HASH, about=7))
    assert [event.about for event in decode_log(game, [FIRST, second, FIRST])] == [None, 7, None]


def test_a_position_from_before_5000_rummy_has_no_wild_rank() -> None:
    step = UPCASTERS["rummy500", "position_set", 1]
    event = decode("rummy500", step.example)
    assert isinstance(event, PositionSet)
    assert (event.v, event.wild, event.hands) == (2, None, (("8C",), ("KD",)))


def test_an_old_body_is_held_to_the_canonical_text_of_its_own_shape() -> None:
    for other in (
        FIRST.replace(b",", b", ", 1),
        FIRST.replace(b'"text":"0', b'"text":"\\u0030'),
        FIRST.replace(b'"seat":2', b'"seat":1,"seat":2'),
        b'{"t":"remarked","v":1,"text":"' + HASH.encode() + b'","seat":2}',
    ):
        with pytest.raises(CodecError, match="not canonical"):
            decode("rummy500", other)
        assert canonical("rummy500", other) == FIRST


@pytest.mark.parametrize(
    "body",
    [
        FIRST.replace(b'"seat":2', b'"seat":99'),
        FIRST.replace(b'"seat":2,', b""),
        FIRST.replace(b'"seat"', b'"chair"'),
        FIRST.replace(b"00", b"zz"),
        FIRST.replace(b"}", b',"about":null}'),
        FIRST.replace(b'"v":1', b'"v":2').replace(b'"text"', b'"about":3,"texts"'),
        FIRST.replace(b'"v":1', b'"v":0'),
        FIRST.replace(b'"v":1', b'"v":3'),
        FIRST.replace(b'"v":1', b'"v":-1'),
        FIRST.replace(b'"v":1', b'"v":"1"'),
        FIRST.replace(b'"v":1', b'"v":1.0'),
        FIRST.replace(b'"v":1', b'"v":[1]'),
        FIRST.replace(b'"v":1', b'"v":true'),
    ],
    ids=[
        *("seat", "missing", "renamed", "hash", "field of a later version", "mixed up"),
        *("before the first", "not yet written", "negative", "text", "fraction", "list", "truth"),
    ],
)
def test_a_faulty_old_body_is_refused(body: bytes) -> None:
    with pytest.raises(CodecError):
        decode("rummy500", body)


def test_a_body_of_today_is_not_touched() -> None:
    body = encode(Discarded(seat=2, card="7H"))
    assert upcast("rummy500", body) is None
    assert decode("rummy500", body) == Discarded(seat=2, card="7H")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"discarded"', b"{}", b'{"t":1}', b"[" * 9999]
)
def test_what_is_no_body_is_not_lifted(body: bytes) -> None:
    assert upcast("rummy500", body) is None


# The registry


def test_the_registry_that_ships_is_whole() -> None:
    check_registry(UPCASTERS)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_shape_says_its_current_version(game: str) -> None:
    for tag, struct in (EVENT_TYPES if game == "rummy500" else LOO_TYPES).items():
        fields = msgspec.structs.fields(struct)
        version = next(field.default for field in fields if field.name == "v")
        assert current_version(game, tag) == version == (2 if (game, tag, 1) in UPCASTERS else 1)


def same(shape: Shape) -> Shape:
    return shape


def changed(**changes: Any) -> dict[Key, Step]:
    """The registry that ships with its first step changed."""
    return {**UPCASTERS, KEY: msgspec.structs.replace(UPCASTERS[KEY], **changes)}


def with_step(*key: Any) -> dict[Key, Step]:
    return {**UPCASTERS, key: UPCASTERS[KEY]}


def without_step() -> dict[Key, Step]:
    return {key: step for key, step in UPCASTERS.items() if key != KEY}


@pytest.mark.parametrize(
    ("registry", "message"),
    [
        (with_step("chess", "discarded", 1), "unknown event: chess discarded 1"),
        (with_step("rummy500", "thrown", 1), "unknown event: rummy500 thrown 1"),
        (with_step("rummy500", "discarded", 1), "expected a version below 1"),
        (with_step("rummy500", "remarked", 2), "expected a version below 2"),
        (with_step("rummy500", "remarked", 0), "expected a version below 2"),
        (without_step(), "no step from rummy500 remarked 1, expected one to 2"),
        (changed(lift=same), "the step to rummy500 remarked 2 leads elsewhere"),
        (changed(lift=lambda old: {**old, "v": 2, "t": "looed"}), "leads elsewhere"),
        (changed(lift=lambda old: {**old, "v": 2, "about": 0}), "is not lifted: Expected"),
        (changed(shape=Remarked), "has the shape of another event"),
        (changed(shape=MeldLaid), "has the shape of another event"),
        (changed(example=FIRST.replace(b",", b", ")), "is none of its shape"),
        (changed(example=encode(Discarded(seat=2, card="7H"))), "is none of its shape"),
        (changed(example=FIRST.replace(b"2", b"9")), "is not lifted: Expected"),
    ],
    ids=[
        *("game", "tag", "never replaced", "today's", "before the first", "gap", "circle"),
        *("another tag", "misfit", "shape of today", "shape of another", "spelling"),
        *("example of another", "faulty example"),
    ],
)
def test_a_registry_with_a_hole_is_refused(registry: Registry, message: str) -> None:
    with pytest.raises(UpcastError, match=message):
        check_registry(registry)


class Remarked2(Event, frozen=True, kw_only=True, tag="remarked"):
    v: int = 2  # type: ignore[assignment]
    seat: int | None
    text: str
    about: int | None


def third(shape: Shape) -> Shape:
    return {**shape, "v": 3, "tone": "polite"}


def test_steps_are_taken_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    second = Step(shape=Remarked2, lift=third, example=b"")
    lifted = upcast("rummy500", FIRST, UPCASTERS | {("rummy500", "remarked", 2): second})
    assert isinstance(lifted, Lifted)
    values = {"t": "remarked", "v": 3, "seat": 2, "text": HASH, "about": None, "tone": "polite"}
    assert lifted.values == values
    assert encode(lifted.written) == FIRST


def test_a_gap_between_two_old_versions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {Remarked: 3, PositionSet: 2}
    monkeypatch.setattr(upcasters, "_version_of", lambda struct: versions.get(struct, 1))
    monkeypatch.setattr(upcasters, "_check_step", lambda key, registry: None)
    with pytest.raises(UpcastError, match="no step from rummy500 remarked 2, expected one to 3"):
        check_registry(UPCASTERS)


def test_the_codec_reads_by_the_registry_that_was_checked() -> None:
    assert vars(codec)["upcast"] is upcast
    assert upcast.__defaults__ == (UPCASTERS,)
