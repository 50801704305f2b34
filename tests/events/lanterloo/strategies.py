"""Hypothesis strategies for Lanterloo: rulesets that can be played, and records, most of them nonsense."""

from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from events.common import names
from events.lanterloo.events import LooEvent
from events.lanterloo.ruleset import FORMS, Ruleset
from tests.events.lanterloo.table import LOO, opened
from tests.events.strategies import _Narrow, _Wide

EVENT_TYPES = names(LooEvent)
AMOUNTS = ("unit", "limited_loo", "unlimited_cap", "rounds")


def rulesets(players: int, **fixed: Any) -> st.SearchStrategy[Ruleset]:
    """Return rulesets that can be played by so many, the seed's where nothing is drawn."""
    shape = inspect.type_info(Ruleset)
    assert isinstance(shape, inspect.StructType)
    options = {
        field.name: _Wide().of(field.type)
        for field in shape.fields
        if field.name not in ("preset", *AMOUNTS, *fixed)
    }
    options |= {
        "unit": st.sampled_from([1, 2, 10]),
        "limited_loo": st.sampled_from([None, 30, 300]),
        "unlimited_cap": st.sampled_from([None, 150]),
    }
    options = {name: option for name, option in options.items() if name not in fixed}
    form = st.just(fixed["form"]) if "form" in fixed else st.sampled_from(FORMS)
    drawn = st.tuples(form, st.fixed_dictionaries({}, optional=options))
    made = drawn.map(lambda two: _made(two[0], two[1] | fixed))
    return made.filter(lambda rules: not LOO.problems(opened(players, rules)))


def _made(form: str, values: dict[str, Any]) -> Ruleset:
    """Return a ruleset; what contradicts the form or the stakes is left out, or few would be playable."""
    values = values | {"form": form}
    if form != "loo3":
        values.pop("lone_vs_dealer", None)
    values.pop("unlimited_cap" if values.get("stakes") != "unlimited" else "limited_loo", None)
    return Ruleset(preset="custom", **values)


def any_event() -> st.SearchStrategy[Any]:
    """Return any event that has a shape."""
    return st.sampled_from(sorted(EVENT_TYPES)).flatmap(lambda tag: _Wide().of(_shape(tag)))


def likely_event(seats: int) -> st.SearchStrategy[Any]:
    """Return an event about a table of so many seats, as nonsensical as it may be otherwise."""
    tags = [tag for tag in sorted(EVENT_TYPES) if tag != "game_opened"]
    return st.sampled_from(tags).flatmap(lambda tag: _Narrow(seats).of(_shape(tag)))


def _shape(tag: str) -> inspect.Type:
    member = next(one for one in LooEvent.__args__ if _is(one, tag))
    return inspect.type_info(member)


def _is(member: Any, tag: str) -> bool:
    origin = getattr(member, "__origin__", member)
    return bool(origin.__struct_config__.tag == tag)
