"""What an event shape that was replaced leaves behind: how it was, and one step up to the next version. Pure."""

from collections.abc import Callable
from typing import Any

import msgspec

from events.common import Event

Shape = dict[str, Any]


class Step(msgspec.Struct, frozen=True):
    """A shape as it once was, how its values become those of the next version, and a body as an example."""

    shape: type[Event]
    lift: Callable[[Shape], Shape]
    example: bytes
