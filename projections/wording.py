"""What the languages of `explain` are made of: how a reason, a sentence and a value of one are written.

Pure; holds no words itself. A language brings a `Wording`; `explain` puts sentences together with it.
"""

import re
from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from events.game import Params

# code: the sentence without its full stop, and the detail that follows it ("" for none)
Table = Mapping[str, tuple[str, str]]


class Reason(msgspec.Struct, frozen=True):
    """Why an act stands: a code and its rule, whose act, and what a sentence about it needs."""

    code: str
    rule: str
    seat: int | None = None
    params: Params = {}


class Found(Protocol):
    """A reason, a judgement or a finding: anything with a code and what a sentence about it needs."""

    @property
    def code(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def params(self) -> Params: ...


class Pattern(msgspec.Struct, frozen=True):
    """How values of one shape read: `{0}`, `{1}` are what the groups matched, put into words themselves."""

    shape: re.Pattern[str]
    words: str


class Wording(msgspec.Struct, frozen=True):
    """One language.

    `frame` holds `{text}`, `{detail}` (with `joint` before it, or empty) and `{rule}` (as `cited`, or empty);
    `unknown` and `equal` come before what cannot be told; `known` words single values where the
    detail's own words cannot be filled in; `anyone` is a player whose seat is not known.
    """

    sentences: Table
    values: Mapping[str, str]
    patterns: tuple[Pattern, ...]
    frame: str
    joint: str
    cited: str
    unknown: str
    equal: str
    anyone: str
    detail: str
    known: Mapping[str, str]
    comma: str
    breaches: tuple[str, str]
    clean: str
    open: str
    unfinished: str


SEAT: Final = re.compile(r"\bseat (\d+)\b")


def shaped(shape: str, words: str) -> Pattern:
    """Return how values of a shape read."""
    return Pattern(re.compile(shape), words)
