"""Tables of Lanterloo at which an act is asked about, and how such a case is written."""

from collections.abc import Callable
from typing import Any, NamedTuple

from events.common import (
    DealerDrawn,
    Draw,
)
from events.lanterloo.events import (
    Exchanged,
    LooEvent,
)
from tests.events.lanterloo.table import LOO, Table, drawn_for, opened, ruleset, trick

THREE = ("AS KS QS", "2D 3D 4D", "5C 6C 7C")
FIVE = ("AS KS QS 2D 3D", "2S 3S 4S AD KD", "5S 6S 7S 4D 5D")
FLUSH = ("AH KH 9H 4H 2H", "2S 3S 4S AD KD", "5S 6S 7S 4D 5D")


class Case(NamedTuple):
    """What makes the table, the act that is asked about, and what is said of it in English."""

    table: Callable[[], Table]
    act: str | LooEvent
    said: str


def dealt(form: Any = "loo3", *hands: str, up: str = "2H", stock: str = "", **opts: Any) -> Table:
    """A hand dealt between A, B and C, who deals; A is asked first, and no hand is forced."""
    seats = hands or (FIVE if form == "loo5" else THREE)
    miss = "8H 9H TH" if form == "loo3" else ""
    table = Table(form, 3, **{"force": "off"} | opts)
    return table.deal(*seats, up=up, miss=miss, stock=stock)


def led(card: str, hand: str, form: Any = "loo3", trump: str = "H", **opts: Any) -> Table:
    """A has led this card, B with this hand follows."""
    civil = opts.pop("said", False)
    table = Table(form, 3, **opts)
    return table.position(
        "", hand, "9C", trump=trump, turn=1, trick=trick(f"A:{card}", civil=civil)
    )


def leading(hand: str, form: Any = "loo3", tricks: Any = (0, 0, 0), **opts: Any) -> Table:
    """A leads from this hand, hearts being trumps."""
    return Table(form, 3, **opts).position(hand, "2S 3S 4S", "5S 6S 7S", tricks=tricks)


def settling(form: Any = "loo3", tricks: Any = (2, 1, 0), pool: int = 9, **opts: Any) -> Table:
    """All tricks are played and have to be settled."""
    return Table(form, 3, **opts).position("", "", "", tricks=tricks, pool=pool)


def passed(form: Any = "loo3", *says: str, **opts: Any) -> Table:
    return dealt(form, **opts).do(*says)


def begun(form: Any = "loo3", **opts: Any) -> Table:
    """A session of which nothing has happened."""
    return Table(form, 3, **opts)


def shuffled(**opts: Any) -> Table:
    table = begun(**opts)
    return table.record(LOO.due(table.state)[0])


def drawing(**opts: Any) -> Table:
    table = begun(**opts)
    table.state = LOO.initial(drawn_for(opened(3, ruleset("loo3", **opts))))
    return table


PACK = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
OF_EIGHT = [PACK[seat::8][:5] for seat in range(8)]


def eight(*acts: str, **opts: Any) -> Table:
    """Eight at five cards, so that the stock holds eleven."""
    table = Table("loo5", 8, flush_autoclaim=False, **opts)
    return table.deal(*map(" ".join, OF_EIGHT), up=PACK[-1]).do(*acts)


def many(seat: int, count: int) -> str:
    """The words with which one of the eight changes so many cards."""
    return f"{'ABCDEFGH'[seat]} exchange {' '.join(OF_EIGHT[seat][:count])}"


def swept(form: Any = "loo5", **opts: Any) -> Table:
    """A's flush is open, and the others have to pay."""
    return Table(form, 3, **opts).position(*FLUSH, pool=15).settle("show")


def over(**opts: Any) -> Table:
    return settling(**opts).settle("settle")


def paid_up(table: Table, until: type[LooEvent]) -> Table:
    """The table once a fact of this kind is due."""
    while not isinstance(LOO.due(table.state)[0], until):
        table.record(LOO.due(table.state)[0])
    return table


def hands_dealt(form: Any = "loo3", **opts: Any) -> Table:
    """Cards that nobody knows are dealt, and trumps are to be turned up."""
    table = Table(form, 3, **opts)
    return table.record(LOO.due(table.state)[0]).settle("ante", "deal")


def last_scored(*tricks: int) -> Table:
    """The last deal of the only round is scored, and A and B share a pool of nine."""
    table = Table("loo3", 3)
    table.position(
        "", "", "", deal=3, tricks=(*tricks, 0), pool=9, declared=("stand", "stand", "pass"),
        balances=(0, 3, -12),
    )  # fmt: skip
    return table.settle("settle", "over")


def overtrumped() -> Table:
    """C, void of the spades led, cannot beat the trump that B has played."""
    table = Table("loo3", 3, must_undertrump=True)
    return table.position("", "", "5H 4H KC", turn=2, trick=trick("A:9S", "B:7H"))


def change(seat: int, cards: str = "", drawn: str = "") -> Exchanged:
    return Exchanged(seat=seat, put_out=tuple(cards.split()), drawn=tuple(drawn.split()))


def draws(cards: str, dealer: int | None) -> DealerDrawn:
    shown = tuple(Draw(seat, card) for seat, card in enumerate(cards.split()))
    return DealerDrawn(draws=shown, dealer=dealer)


def at(case: Case) -> tuple[Any, LooEvent]:
    """Return the table of a case and its act."""
    table = case.table()
    return table.state, table.read(case.act) if isinstance(case.act, str) else case.act
