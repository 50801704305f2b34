"""The examples of `/openapi.json`: requests that were really sent, one after another, and what was answered.

They lie in `examples.json`, which `python -m tests.api.make_examples` writes; the tests send all of them again.
"""

from importlib.resources import files
from shlex import quote
from typing import Any, Final

import msgspec

Json = dict[str, Any]
JSON: Final = "application/json"


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request with its answer, under a name; a body and an answer that are no JSON are texts, of these types."""

    name: str
    endpoint: str
    method: str
    path: str
    headers: dict[str, str] = {}
    body: Any = None
    sends: str = JSON
    status: int
    answer: Any = None
    gives: str = JSON

    def curl(self, base: str) -> str:
        """Return the request as a command for a shell, to the service at *base*."""
        words = ["curl"]
        if self.method not in ("GET", "POST") or (self.method == "POST" and self.body is None):
            words += ["-X", self.method]
        words.append(quote(base + self.path))
        words += [f"-H {quote(f'{name}: {value}')}" for name, value in self.headers.items()]
        if self.body is not None:
            is_text = isinstance(self.body, str)
            data = self.body if is_text else msgspec.json.encode(self.body).decode()
            words += ["-H", quote(f"Content-Type: {self.sends}"), "--data-binary", quote(data)]
        return " ".join(words)


def _load() -> tuple[Example, ...]:
    data = files("api").joinpath("examples.json").read_bytes()
    return tuple(msgspec.json.decode(data, type=list[Example]))


EXAMPLES: Final = _load()
GAME: Final = "01900000-0000-7000-8000-000000000001"
"""The game of most examples."""
_DISPUTE: Final = next(
    (
        one.answer["dispute"]["dispute_id"]
        for one in EXAMPLES
        if one.endpoint == "disputes.open_dispute" and one.status == 201
    ),
    GAME,
)
_PATHS: Final = {"game_id": GAME, "dispute_id": _DISPUTE, "card": "5H", "name": "page.css"}


def parameter(name: str) -> Json:
    """Return the example of a part of a path, as a member of a parameter."""
    return {"example": _PATHS[name]}


def bodies(endpoint: str, kind: str) -> Json:
    """Return the bodies of a type that an address was sent and took, by name."""
    return {
        one.name: {"value": one.body}
        for one in EXAMPLES
        if one.endpoint == endpoint
        and one.body is not None
        and one.sends == kind
        and one.status < 300
    }


def answers(endpoint: str, status: int, kind: str) -> Json:
    """Return what an address answered with a status in a type, by name."""
    return {
        one.name: {"summary": f"{one.method} {one.path}", "value": one.answer}
        for one in EXAMPLES
        if (one.endpoint, one.status, one.gives) == (endpoint, status, kind)
        if one.answer is not None
    }


def problem(endpoint: str, code: str) -> Json | None:
    """Return the problem with a code that an address answered, None if it was not asked for one."""
    for one in EXAMPLES:
        if one.endpoint == endpoint and one.status >= 400:
            found: Json = one.answer
            if found["code"].partition("/")[0] == code:
                return found
    return None
