"""Every event shape that has ever been replaced, and one step up from each: (game, tag, version) to version + 1.

Stored bodies are never rewritten: an old one is read in the shape that it was written in, as strictly as on
that day, and lifted step by step to the shape of today. A step works on plain JSON values and is pure. The
registry is checked when it is loaded, so a program with a hole in it does not start.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from events.common import Event, Seat, Sha256, names
from events.errors import UpcastError
from events.games import OLD_SHAPES
from events.shapes import Shape, Step
from events.streams import UNIONS

Key = tuple[str, str, int]


Registry = Mapping[Key, Step]


class Lifted(msgspec.Struct, frozen=True):
    """An old body as it was written, and its values in today's shape."""

    written: Event
    values: Shape


class Remarked1(Event, frozen=True, kw_only=True, tag="remarked"):
    """A remark before it could be about another version than its own (0.1)."""

    seat: Seat | None
    text: Sha256


def _remarked_1(shape: Shape) -> Shape:
    return {**shape, "v": 2, "about": None}


_REMARKED_1: Final = Step(
    shape=Remarked1,
    lift=_remarked_1,
    example=b'{"t":"remarked","v":1,"seat":0,"text":"' + b"0" * 64 + b'"}',
)
UPCASTERS: Final[dict[Key, Step]] = {
    ("rummy500", "remarked", 1): _REMARKED_1,
    ("lanterloo", "remarked", 1): _REMARKED_1,
    **{
        (game, tag, version): step
        for game, steps in OLD_SHAPES.items()
        for (tag, version), step in steps.items()
    },
}


def current_version(game: str, tag: str) -> int:
    """Return the version of a shape that the codec writes today."""
    return _version_of(_shapes(game)[tag])


def check_registry(registry: Registry) -> None:
    """Raise UpcastError unless every version below today's has its shape and a step that leads one up.

    So there is no unknown tag, no gap and no way round in a circle, and each example of an old shape is
    lifted to one that today's program reads.
    """
    for key in registry:
        _check_known(key)
    for stream in UNIONS:
        for tag, struct in _shapes(stream).items():
            newest = _version_of(struct)
            for version in range(1, newest):
                key = stream, tag, version
                if key not in registry:
                    raise UpcastError(f"no step from {_show(key)}, expected one to {newest}")
                _check_step(key, registry)


def upcast(game: str, body: bytes, registry: Registry = UPCASTERS) -> Lifted | None:
    """Return an old body's values in today's shape, None if it is in no shape that was replaced.

    Raises msgspec.DecodeError for a body that is not in the shape that its version says.
    """
    key = _key_of(game, body)
    if key is None or key not in registry:
        return None
    written = msgspec.json.decode(body, type=registry[key].shape)
    values: Shape = msgspec.to_builtins(written)
    while (step := registry.get(key)) is not None:
        values, key = step.lift(values), (key[0], key[1], key[2] + 1)
        if (values.get("t"), values.get("v")) != key[1:]:
            raise UpcastError(f"the step to {_show(key)} leads elsewhere")
    return Lifted(written, values)


def _key_of(game: str, body: bytes) -> Key | None:
    try:
        shape = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    tag, version = (shape.get("t"), shape.get("v")) if isinstance(shape, dict) else (None, None)
    # `true` is an int to Python, and no version.
    if not isinstance(tag, str) or type(version) is not int:
        return None
    return game, tag, version


def _check_known(key: Key) -> None:
    game, tag, version = key
    if game not in UNIONS or tag not in _shapes(game):
        raise UpcastError(f"upcaster for an unknown event: {_show(key)}")
    newest = current_version(game, tag)
    if not 1 <= version < newest:
        raise UpcastError(f"upcaster {_show(key)}, expected a version below {newest}")


def _check_step(key: Key, registry: Registry) -> None:
    game, tag, version = key
    step = registry[key]
    if (step.shape.__struct_config__.tag, _version_of(step.shape)) != (tag, version):
        raise UpcastError(f"upcaster {_show(key)} has the shape of another event")
    try:
        lifted = upcast(game, step.example, registry)
        if lifted is None or msgspec.json.encode(lifted.written) != step.example:
            raise UpcastError(f"the example of {_show(key)} is none of its shape")
        msgspec.convert(lifted.values, UNIONS[game])
    except msgspec.MsgspecError as error:
        raise UpcastError(f"the example of {_show(key)} is not lifted: {error}") from error


def _shapes(stream: str) -> dict[str, type[Event]]:
    return names(UNIONS[stream])


def _version_of(struct: type[Event]) -> int:
    version: int = next(f.default for f in msgspec.structs.fields(struct) if f.name == "v")
    return version


def _show(key: Key) -> str:
    return " ".join(map(str, key))


check_registry(UPCASTERS)
