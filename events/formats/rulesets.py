"""A ruleset as people write it, whatever the game: a preset's name and the options in which it differs."""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from events.errors import ActError

R = TypeVar("R", bound=msgspec.Struct)

_NUMBER: Final = re.compile(r"-?[0-9]{1,7}")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "none": None}


def read_ruleset(text: str, presets: Mapping[str, R], default: str = "seed") -> R:
    """Return the ruleset that ``seed target=1000 low_ace=fifteen`` writes; raise ActError if it writes none.

    ``none`` is no value, and one number stands for a whole row of them.
    """
    preset, *options = text.split() or [default]
    if preset not in presets:
        raise ActError(f"no such ruleset: {preset!r}, expected one of {', '.join(presets)}")
    start = presets[preset]
    values: dict[str, Any] = msgspec.to_builtins(start)
    for option in options:
        name, sign, value = option.partition("=")
        if not sign or name not in values or name == "preset":
            raise ActError(f"no such option: {option!r}, expected e.g. {_example(values)}")
        values[name] = _value(type(start), name, value)
    try:
        return msgspec.convert(values, type(start))
    except msgspec.ValidationError as error:
        raise ActError(f"ruleset {text!r}: {error}") from error


def write_ruleset(ruleset: R, presets: Mapping[str, R]) -> str:
    """Return a ruleset as `read_ruleset` reads it: its preset's name, else the first one's, and what differs."""
    name = next((n for n, one in presets.items() if n == getattr(ruleset, "preset", "")), None)
    base = presets[name or next(iter(presets))]
    values, start = msgspec.to_builtins(ruleset), msgspec.to_builtins(base)
    differing = (key for key in values if key != "preset" and values[key] != start[key])
    options = (f"{key}={_written(values[key])}" for key in differing)
    return " ".join((name or next(iter(presets)), *options))


def _example(values: Mapping[str, Any]) -> str:
    name = next(name for name in values if name != "preset")
    return f"{name}={_written(values[name])}"


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_written, value))
    words = {True: "true", False: "false"}
    return "none" if value is None else words[value] if isinstance(value, bool) else str(value)


def _value(ruleset: type[msgspec.Struct], name: str, text: str) -> object:
    size = _row(ruleset, name)
    if size:
        numbers = [int(one) if one.isdecimal() else one for one in text.split(",")]
        return numbers * size if len(numbers) == 1 else numbers
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _NUMBER.fullmatch(text) else text


def _row(ruleset: type[msgspec.Struct], name: str) -> int:
    """Return how many numbers an option is a row of, 0 if it is none."""
    shape = inspect.type_info(ruleset)
    assert isinstance(shape, inspect.StructType)
    field = next(one.type for one in shape.fields if one.name == name)
    return len(field.item_types) if isinstance(field, inspect.TupleType) else 0
