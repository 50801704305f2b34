"""One step up for every event shape that has ever been replaced: (game, tag, version) to version + 1.

An upcaster works on plain JSON values and is pure. The registry is checked when it is loaded: every step
must lead to a known tag, without a gap, up to the version that the codec now writes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from events.common import names
from events.errors import UpcastError
from events.games import GAMES

Shape = dict[str, Any]
Key = tuple[str, str, int]

UPCASTERS: Final[dict[Key, Callable[[Shape], Shape]]] = {}


def current_version(game: str, tag: str) -> int:
    """Return the version of a shape that the codec writes today."""
    struct = names(GAMES[game].event_type)[tag]
    version: int = next(f.default for f in msgspec.structs.fields(struct) if f.name == "v")
    return version


def check_registry(registry: Mapping[Key, Callable[[Shape], Shape]]) -> None:
    """Raise UpcastError unless every step leads without a gap to the version written today."""
    for game, tag, version in registry:
        if game not in GAMES or tag not in names(GAMES[game].event_type):
            raise UpcastError(f"upcaster for an unknown event: {game} {tag} {version}")
        newest = current_version(game, tag)
        if not 1 <= version < newest:
            raise UpcastError(f"upcaster {game} {tag} {version}, expected a version below {newest}")
        if version + 1 < newest and (game, tag, version + 1) not in registry:
            raise UpcastError(f"gap after {game} {tag} {version}, expected a step to {newest}")


def upcast(
    game: str, body: bytes, registry: Mapping[Key, Callable[[Shape], Shape]] = UPCASTERS
) -> Shape | None:
    """Return an old body's values in today's shape, None if there is no step for it."""
    try:
        shape = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(shape, dict):
        return None
    lifted = False
    while (step := _step(game, shape, registry)) is not None:
        shape, lifted = step(shape), True
    return shape if lifted else None


def _step(
    game: str, shape: Shape, registry: Mapping[Key, Callable[[Shape], Shape]]
) -> Callable[[Shape], Shape] | None:
    tag, version = shape.get("t"), shape.get("v")
    # `true` is an int to Python, and no version.
    if not isinstance(tag, str) or type(version) is not int:
        return None
    return registry.get((game, tag, version))


check_registry(UPCASTERS)
