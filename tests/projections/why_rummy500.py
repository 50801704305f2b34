"""Tables of 500 Rummy at which an act is asked about, and how such a case is written."""

from typing import Any, NamedTuple

from events.common import DealEnded, DealScored, Shuffled
from events.rummy500.events import (
    RummyCalled,
    RummyEvent,
)
from events.rummy500.state import State
from tests.events.rummy500.helpers import Table
from tests.simulate import RUMMY, opened

Act = str | RummyEvent


class Case(NamedTuple):
    """A table, the acts before, the act that is asked about, and what is said of it in English."""

    table: dict[str, Any]
    before: tuple[str, ...]
    act: Act
    said: str


HANDS = {"A": "4S 4D 9C KD", "B": "5H 6H QC", "C": "TC JC 2D"}
DRAW: dict[str, Any] = {"hands": HANDS, "pile": "4H 8C", "stock": "7D 3C"}
PLAY: dict[str, Any] = DRAW | {"phase": "play"}
MELDS = ["m1:R[5S 6S 7S]@B", "m2:G[8H 8D 8S]@C"]


def holding(hand: str, **more: Any) -> dict[str, Any]:
    """A table in the middle of A's turn, with this hand."""
    return PLAY | {"hands": HANDS | {"A": hand}, "table": MELDS} | more


def two_packs(hand: str, **more: Any) -> dict[str, Any]:
    return holding(hand, players=3, opts={"packs": 2}, **more)


def over(**more: Any) -> dict[str, Any]:
    """The end of a deal: A discards the last card."""
    return holding("KD", **{"table": [], "totals": {"A": 480, "B": 10, "C": 20}} | more)


def call(card: str, code: str | None, cards: str = "", seat: int = 2) -> RummyCalled:
    taken = tuple(cards.split())
    return RummyCalled(
        seat=seat, card=card, accepted=code is None, code=code, cards=taken, lay=None
    )


def scored(*scores: int, totals: tuple[int, ...]) -> DealScored:
    return DealScored(deal=1, scores=scores, totals=totals)


END = DealEnded(deal=1, reason="DISCARDED_OUT", out=0)
CHALLENGED = holding(
    "8S",
    table=MELDS[:1],
    opts={"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
)
CALLS = holding("8C KD", pile="9C", table=["m1:R[5C 6C 7C]@B"])
SWAP = holding("8S KD", table=["m1:R[6S 7S X1=8S]@B"], opts={"joker_swap": True})


class Dealing:
    """A table at which the cards are being dealt: no position, the first hand is due."""

    def __init__(self) -> None:
        self.state: State = RUMMY.initial(opened(3, mode="recorded"))
        self.state = RUMMY.evolve(
            self.state, Shuffled(deal=1, dealer=0, method="by hand", deck=("??",) * 54)
        )


def at(case: Case) -> tuple[State, RummyEvent]:
    """Return the table of a case after the acts before, and its act."""
    if not case.table:
        assert not isinstance(case.act, str)
        return Dealing().state, case.act
    table = Table(**case.table)
    for act in case.before:
        if act in ("end", "score"):
            table.record(RUMMY.due(table.state)[0])
        else:
            table.do(act)
    return table.state, table.read(case.act) if isinstance(case.act, str) else case.act
