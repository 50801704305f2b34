"""Old shapes are lifted step by step, and the registry has no gap."""

from typing import Any

import msgspec
import pytest

from events import codec, upcasters
from events.codec import decode, decode_stored, encode
from events.errors import CodecError, UpcastError
from events.rummy500.events import Discarded
from events.upcasters import Key, Shape, check_registry, current_version, upcast
from tests.events.strategies import EVENT_TYPES

OLD = b'{"t":"discarded","v":0,"seat":2,"what":"7H"}'


def renamed(shape: Shape) -> Shape:
    return {"t": shape["t"], "v": 1, "seat": shape["seat"], "card": shape["what"]}


REGISTRY: dict[Key, Any] = {("rummy500", "discarded", 0): renamed}


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_registry(game: str, body: bytes) -> Shape | None:
        return upcast(game, body, REGISTRY)

    monkeypatch.setattr(codec, "upcast", with_registry)


@pytest.mark.parametrize("tag", sorted(EVENT_TYPES))
def test_every_shape_says_its_current_version(tag: str) -> None:
    fields = msgspec.structs.fields(EVENT_TYPES[tag])
    version = next(field.default for field in fields if field.name == "v")
    assert current_version("rummy500", tag) == version == 1


def test_the_registry_that_ships_is_whole() -> None:
    check_registry(upcasters.UPCASTERS)


def test_an_old_body_is_lifted(registry: None) -> None:
    assert decode("rummy500", OLD) == decode_stored("rummy500", OLD) == Discarded(seat=2, card="7H")


def test_an_old_body_is_held_to_canonical_text_too(registry: None) -> None:
    for other in (
        OLD.replace(b",", b", ", 1),
        OLD.replace(b"7H", b"\\u0037H"),
        OLD.replace(b'"seat":2', b'"seat":1,"seat":2'),
    ):
        with pytest.raises(CodecError, match="not canonical"):
            decode("rummy500", other)


@pytest.mark.parametrize(
    "body",
    [
        OLD.replace(b"7H", b"1H"),
        OLD.replace(b'"seat":2', b'"seat":99'),
        OLD.replace(b',"what":"7H"', b""),
        OLD.replace(b'"what"', b'"card"'),
        OLD.replace(b'"v":0', b'"v":-1'),
        OLD.replace(b'"v":0', b'"v":"0"'),
        OLD.replace(b'"v":0', b'"v":[0]'),
        OLD.replace(b'"v":0', b'"v":false'),
    ],
    ids=["card", "seat", "missing", "renamed", "unknown version", "text", "list", "truth"],
)
def test_a_faulty_old_body_is_refused(registry: None, body: bytes) -> None:
    with pytest.raises(CodecError):
        decode("rummy500", body)


def test_a_body_of_today_is_not_touched(registry: None) -> None:
    body = encode(Discarded(seat=2, card="7H"))
    assert upcast("rummy500", body, REGISTRY) is None
    assert decode("rummy500", body) == Discarded(seat=2, card="7H")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"discarded"', b"{}", b'{"t":1}', b"[" * 9999]
)
def test_what_is_no_body_is_not_lifted(body: bytes) -> None:
    assert upcast("rummy500", body, REGISTRY) is None


def same(shape: Shape) -> Shape:
    return shape


@pytest.mark.parametrize(
    ("registry", "message"),
    [
        ({("chess", "discarded", 1): same}, "unknown event: chess discarded 1"),
        ({("rummy500", "thrown", 1): same}, "unknown event: rummy500 thrown 1"),
        ({("rummy500", "discarded", 1): same}, "expected a version below 1"),
        ({("rummy500", "discarded", 7): same}, "expected a version below 1"),
    ],
)
def test_a_step_that_leads_nowhere_is_refused(registry: dict[Key, Any], message: str) -> None:
    with pytest.raises(UpcastError, match=message):
        check_registry(registry)


def test_a_gap_in_the_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upcasters, "current_version", lambda game, tag: 4)
    steps: dict[Key, Any] = {("rummy500", "discarded", version): same for version in (1, 2, 3)}
    check_registry(steps)
    del steps["rummy500", "discarded", 2]
    with pytest.raises(UpcastError, match="gap after rummy500 discarded 1, expected a step to 4"):
        check_registry(steps)
