"""Short records of 500 Rummy, written by hand, that the tests of the projections start from."""

from collections.abc import Sequence

from events.common import DealEnded, DealScored, GameEnded, Remarked, Retracted
from events.rummy500.events import (
    Discarded,
    DrawDeclined,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    PositionSet,
    RummyCalled,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.ruleset import SEED, Ruleset
from tests.simulate import RUMMY, opened

GAME = RUMMY


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def position(
    hands: Sequence[str] = ("AS 2S 3S KD", "4S 5S QH", "9C 9D 9H"),
    stock: str = "7C 8C 2D",
    pile: str = "JD",
    totals: Sequence[int] = (),
    **more: object,
) -> PositionSet:
    """Return a deal in which seat 1 draws first."""
    start = PositionSet(
        deal=1,
        wild=None,
        dealer=0,
        turn=1,
        phase="draw",
        stock=cards(stock),
        pile=cards(pile),
        hands=tuple(cards(hand) for hand in hands),
        melds=(),
        drawn=None,
        taken=(),
        duty=None,
        discarder=None,
        floaters=(),
        totals=tuple(totals) or (0,) * len(hands),
    )
    return start.__class__(
        **{name: getattr(start, name) for name in start.__struct_fields__} | more
    )


def record(
    *events: RummyEvent, ruleset: Ruleset = SEED, start: PositionSet | None = None
) -> list[RummyEvent]:
    """Return a recorded game of three that begins with a position and goes on with these events."""
    first = start or position()
    return [opened(len(first.hands), ruleset, "recorded"), first, *events]


def draw(seat: int, card: str = "??") -> RummyEvent:
    return StockDrawn(seat=seat, card=card)


def take(seat: int, text: str) -> RummyEvent:
    return PileTaken(seat=seat, cards=cards(text))


def meld(seat: int, number: int, text: str, kind: str = "sequence") -> RummyEvent:
    assert kind in ("sequence", "group")
    return MeldLaid(
        seat=seat,
        meld=number,
        kind="sequence" if kind == "sequence" else "group",
        cards=cards(text),
    )


def lay(seat: int, card: str, number: int) -> RummyEvent:
    return LaidOff(seat=seat, cards=(Placement(card, number, None),))


def discard(seat: int, card: str) -> RummyEvent:
    return Discarded(seat=seat, card=card)


def call(seat: int, text: str, code: str | None = None) -> RummyEvent:
    taken = cards(text)
    return RummyCalled(
        seat=seat,
        card=taken[0],
        accepted=code is None,
        code=code,
        cards=() if code else taken,
        lay=None,
    )


def decline(seat: int) -> RummyEvent:
    return DrawDeclined(seat=seat)


def remark(seat: int | None = None) -> RummyEvent:
    return Remarked(seat=seat, text="0" * 64)


def back_to(version: int) -> RummyEvent:
    return Retracted(back_to=version, reason="MISREAD")


def ended(reason: str, out: int | None) -> RummyEvent:
    return DealEnded(deal=1, reason=reason, out=out)


def scored(scores: Sequence[int | None], totals: Sequence[int | None]) -> RummyEvent:
    return DealScored(deal=1, scores=tuple(scores), totals=tuple(totals))


def won(seat: int | None, *, abandoned: bool = False) -> RummyEvent:
    return GameEnded(winner=seat, abandoned=abandoned)
