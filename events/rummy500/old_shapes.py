"""Event shapes of 500 Rummy that were replaced: read for ever, written no more. No rules."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from events.cards import Card
from events.common import Amount, Cards, Deal, Event, Seat
from events.rummy500.events import Drawn, MeldPosition, Phase
from events.shapes import Shape, Step


class PositionSet1(Event, frozen=True, kw_only=True, tag="position_set"):
    """A position of 500 Rummy from before a rank could be wild (0.1)."""

    deal: Deal
    dealer: Seat
    turn: Seat
    phase: Phase
    stock: Cards
    pile: Cards
    hands: Annotated[tuple[Cards, ...], Meta(min_length=2, max_length=8)]
    melds: Annotated[tuple[MeldPosition, ...], Meta(max_length=100)]
    drawn: Drawn | None
    taken: Cards
    duty: Card | None
    discarder: Seat | None
    floaters: Annotated[tuple[Seat, ...], Meta(max_length=8)]
    totals: Annotated[tuple[Amount, ...], Meta(min_length=2, max_length=8)]


def _position_set_1(shape: Shape) -> Shape:
    return {**shape, "v": 2, "wild": None}


STEPS: Final[Mapping[tuple[str, int], Step]] = {
    ("position_set", 1): Step(
        shape=PositionSet1,
        lift=_position_set_1,
        example=b'{"t":"position_set","v":1,"deal":1,"dealer":0,"turn":1,"phase":"draw","stock":["??"],'
        b'"pile":["7H"],"hands":[["8C"],["KD"]],"melds":[],"drawn":null,"taken":[],"duty":null,'
        b'"discarder":null,"floaters":[],"totals":[0,0]}',
    ),
}
"""By tag and version, the step up from each."""
