"""Hypothesis strategies for every event shape, read off the shapes themselves.

`any_event` gives whatever the codec accepts; `likely_event` the same shapes about one small table, so that
cards, seats and melds meet. Neither knows a rule: what they give is mostly nonsense, as a record can be.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from events.cards import ALL_CARDS
from events.common import Mode, names
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import RUMMY5000, SEED, Ruleset, problems
from tests.simulate import opened

EVENT_TYPES = names(RummyEvent)
_OPENED = "game_opened"
# Cards that often meet: two suits of low cards, the second pack's copies of some, jokers, unknown ones.
FEW_CARDS = (
    *("AH", "2H", "3H", "4H", "5H", "KH", "QH", "AS", "2S", "3S", "KS"),
    *("AH'", "2H'", "3H'", "2D", "2C", "KD", "AD", "X1", "X2", "??"),
)
MOST_SEATS = 8


def any_event(tag: str | None = None) -> st.SearchStrategy[Any]:
    """Return any event that has a shape, of this tag or of all."""
    tags = sorted(EVENT_TYPES) if tag is None else [tag]
    return st.sampled_from(tags).flatmap(_wide)


def likely_event(seats: int, tag: str | None = None) -> st.SearchStrategy[Any]:
    """Return an event about a table of so many seats, as nonsensical as it may be otherwise."""
    tags = [one for one in sorted(EVENT_TYPES) if one != _OPENED] if tag is None else [tag]
    return st.sampled_from(tags).flatmap(lambda one: _narrow(one, seats))


def rulesets(players: int, *, mode: Mode = "refereed", **fixed: Any) -> st.SearchStrategy[Ruleset]:
    """Return rulesets that so many can play, the seed's or those of 5000 Rummy where nothing is drawn."""
    shape = inspect.type_info(Ruleset)
    assert isinstance(shape, inspect.StructType)
    options = {
        field.name: _Wide().of(field.type)
        for field in shape.fields
        if field.name not in ("preset", "variant", "max_players", "deal_size", "target", *fixed)
    }
    options["deal_size"] = st.integers(3, 13).map(lambda size: (size,) * 7)
    options["target"] = st.sampled_from([1, 50, 500])

    def is_playable(ruleset: Ruleset) -> bool:
        return not problems(opened(players, ruleset, mode))

    def made_from(preset: Ruleset, *without: str) -> st.SearchStrategy[Ruleset]:
        free = {name: option for name, option in options.items() if name not in without}
        drawn = st.fixed_dictionaries({}, optional=free)
        return drawn.map(lambda values: _replace(preset, preset="custom", **(values | fixed)))

    tables = [made_from(SEED, "wild_swap")]
    if players > 2:
        tables.append(made_from(RUMMY5000, "jokers_per_pack", "joker_swap", "deal_size"))
    return st.one_of(tables).filter(is_playable)


@cache
def _wide(tag: str) -> st.SearchStrategy[Any]:
    return _Wide().of(_shape(tag))


@cache
def _narrow(tag: str, seats: int) -> st.SearchStrategy[Any]:
    return _Narrow(seats).of(_shape(tag))


def _replace(ruleset: Ruleset, **changes: Any) -> Ruleset:
    values = {name: getattr(ruleset, name) for name in Ruleset.__struct_fields__}
    return Ruleset(**values | changes)


def _shape(tag: str) -> inspect.Type:
    member = next(
        one for one in RummyEvent.__args__ if names(_Union((one,))) == {tag: EVENT_TYPES[tag]}
    )
    return inspect.type_info(member)


class _Union:
    """Looks like a union of events to `names`."""

    def __init__(self, members: Sequence[Any]) -> None:
        self.__args__ = members


class _Wide:
    """Builds a strategy for a type from its own limits."""

    def of(self, shape: inspect.Type) -> st.SearchStrategy[Any]:
        match shape:
            case inspect.StructType():
                fields = {f.encode_name: self.of(f.type) for f in shape.fields}
                return st.builds(shape.cls, **fields)
            case inspect.Metadata():
                return self.of(shape.type)
            case inspect.UnionType():
                return st.one_of([self.of(one) for one in shape.types])
            case inspect.NoneType():
                return st.none()
            case inspect.BoolType():
                return st.booleans()
            case inspect.LiteralType():
                return self.literal(shape)
            case inspect.IntType():
                return self.integer(shape)
            case inspect.StrType():
                assert shape.pattern is not None
                return st.from_regex(shape.pattern.removesuffix(r"\Z"), fullmatch=True)
            case inspect.VarTupleType():
                return self.row(shape)
            case inspect.TupleType():
                return st.tuples(*map(self.of, shape.item_types))
            case _:
                raise AssertionError(f"no strategy for {shape}")

    def literal(self, shape: inspect.LiteralType) -> st.SearchStrategy[Any]:
        return st.sampled_from(shape.values)

    def integer(self, shape: inspect.IntType) -> st.SearchStrategy[int]:
        return st.integers(shape.ge, shape.le)

    def row(self, shape: inspect.VarTupleType) -> st.SearchStrategy[tuple[Any, ...]]:
        longest = min(shape.max_length or 120, 12)
        items = st.lists(self.of(shape.item_type), min_size=shape.min_length or 0, max_size=longest)
        return items.map(tuple)


class _Narrow(_Wide):
    """The same about one small table."""

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def literal(self, shape: inspect.LiteralType) -> st.SearchStrategy[Any]:
        if set(shape.values) == set(ALL_CARDS):
            return st.sampled_from(FEW_CARDS)
        return super().literal(shape)

    def integer(self, shape: inspect.IntType) -> st.SearchStrategy[int]:
        if (shape.ge, shape.le) == (0, MOST_SEATS - 1):
            return st.integers(0, self.seats - 1)
        if (shape.ge, shape.le) == (1, 1000):
            return st.integers(1, 4)
        return super().integer(shape)

    def of(self, shape: inspect.Type) -> st.SearchStrategy[Any]:
        if isinstance(shape, inspect.StrType) and shape.pattern and "X[1-4]" in shape.pattern:
            return placed_cards()
        return super().of(shape)

    def row(self, shape: inspect.VarTupleType) -> st.SearchStrategy[tuple[Any, ...]]:
        if (shape.min_length, shape.max_length) == (2, MOST_SEATS):
            return st.tuples(*[self.of(shape.item_type)] * self.seats)
        return super().row(shape)


def placed_cards() -> st.SearchStrategy[str]:
    """Return one of the few cards as it lies on the table, mostly as it should be declared."""
    known = [card for card in FEW_CARDS if card != "??"]
    faces = [card for card in known if len(card) == 2 and card[0] != "X"]
    jokers = st.tuples(st.sampled_from(("X1", "X2")), st.sampled_from(faces)).map("=".join)
    strange = st.tuples(st.sampled_from(known), st.sampled_from(faces)).map("=".join)
    return st.one_of(st.sampled_from(known), jokers, strange)
