"""The tables by which events are looked up: one entry for every event of a game, with a function that takes it."""

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from events.common import Event
from events.lanterloo import evolve as loo_evolve
from events.lanterloo import referee as loo_referee
from events.lanterloo.events import LooEvent
from events.rummy500 import evolve as rummy_evolve
from events.rummy500 import referee as rummy_referee
from events.rummy500.events import RummyEvent

Table = Mapping[type[Event], Callable[..., Any]]

TABLES: dict[str, tuple[Any, list[Table]]] = {
    "lanterloo changes": (LooEvent, [loo_evolve._CHANGES]),
    "lanterloo judgements": (LooEvent, [loo_referee._JUDGES]),
    "rummy500 changes": (RummyEvent, [rummy_evolve._CHANGES]),
    "rummy500 judgements": (
        RummyEvent,
        [rummy_referee._BY_THE_OUTCOME, rummy_referee._BY_THE_STATE],
    ),
}


def kinds(union: Any) -> set[type]:
    """The events of a union; one that has a ruleset, without it."""
    return {get_origin(one) or one for one in get_args(union) or (union,)}


@pytest.mark.parametrize(("union", "tables"), TABLES.values(), ids=TABLES)
def test_every_event_of_a_game_is_looked_up_in_one_table(union: Any, tables: list[Table]) -> None:
    found = [kind for table in tables for kind in table]
    assert set(found) == kinds(union)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("kind", "function"),
    [entry for _, tables in TABLES.values() for table in tables for entry in table.items()],
    ids=lambda one: one.__name__,
)
def test_what_an_event_is_given_to_takes_this_event(
    kind: type, function: Callable[..., Any]
) -> None:
    hints = get_type_hints(function)
    taken = list(hints)[1]
    assert kind in kinds(hints[taken])
