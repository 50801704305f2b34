"""The examples of `/openapi.json`: requests that were really sent, one after another, and what was answered.

They lie in `examples.json`, which `python -m tests.api.make_examples` writes; the tests send all of them again.
"""

from importlib.resources import files
from typing import Any, Final

import msgspec

Json = dict[str, Any]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A request with its answer, under a name; `answer` is None where it is no JSON."""

    name: str
    endpoint: str
    method: str
    path: str
    body: Any
    status: int
    answer: Any


def _load() -> tuple[Example, ...]:
    data = files("api").joinpath("examples.json").read_bytes()
    return tuple(msgspec.json.decode(data, type=list[Example]))


EXAMPLES: Final = _load()
GAME: Final = "01900000-0000-7000-8000-000000000001"
"""The game of all examples."""
_DISPUTE: Final = "01900000-0000-7000-8000-000000000009"
_PATHS: Final = {"game_id": GAME, "dispute_id": _DISPUTE, "card": "5H", "name": "page.css"}


def parameter(name: str) -> Json:
    """Return the example of a part of a path, as a member of a parameter."""
    return {"example": _PATHS[name]}


def bodies(endpoint: str) -> Json:
    """Return the bodies that an address was sent, by name."""
    return {
        one.name: {"value": one.body}
        for one in EXAMPLES
        if one.endpoint == endpoint and one.body is not None
    }


def answers(endpoint: str, status: int) -> Json:
    """Return what an address answered with a status, by name."""
    return {
        one.name: {"summary": f"{one.method} {one.path}", "value": one.answer}
        for one in EXAMPLES
        if one.endpoint == endpoint and one.status == status and one.answer is not None
    }
