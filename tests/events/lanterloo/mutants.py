"""Acts and facts with a slip in them: food for the law that `judge` agrees with `legal` and `due`."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from msgspec.structs import replace

from events.cards import FIRST_PACK, UNKNOWN
from events.common import DealEnded, DealScored, GameEnded, Shuffled
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Choice,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Looed,
    LooEvent,
    MissSeen,
    PaidFor,
    PenaltyPaid,
    PoolPaid,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.state import State


def mutants(state: State, listed: Sequence[LooEvent], rng: random.Random) -> Iterator[LooEvent]:
    """Yield listed acts with a slip in them, and acts put together from whatever lies on the table."""
    for act in rng.sample(list(listed), min(len(listed), 10)):
        yield from _slips(state, act, rng)
    for _ in range(30):
        yield _made_up(state, rng)


def _slips(state: State, act: Any, rng: random.Random) -> Iterator[LooEvent]:  # noqa: C901
    if hasattr(act, "seat"):
        yield replace(act, seat=rng.randrange(state.seats))
    if hasattr(act, "amount"):
        yield replace(act, amount=act.amount + rng.choice([1, 5, 15]))
    if hasattr(act, "cards"):
        yield replace(act, cards=tuple(rng.sample(act.cards, len(act.cards))))
        yield replace(act, cards=act.cards[1:])
        yield replace(act, cards=(*act.cards[1:], rng.choice(_near(state))))
    match act:
        case Looed():
            yield replace(act, to=rng.randrange(state.seats))
            yield replace(act, to=None)
        case PoolPaid():
            yield replace(act, paid_for=rng.choice(get_args(PaidFor)))
        case PenaltyPaid():
            yield replace(act, to="next" if act.to == "pool" else "pool")
        case TrickTaken():
            yield replace(act, trick=rng.randint(1, 5))
        case Exchanged():
            yield replace(act, put_out=act.put_out[1:])
            yield replace(act, put_out=act.put_out[::-1])
            yield replace(act, drawn=(*act.drawn, UNKNOWN))
            yield replace(act, drawn=state.stock[: len(act.drawn)])
            yield replace(act, drawn=state.stock[1 : len(act.drawn) + 1])
        case CardPlayed():
            yield replace(act, civil=not act.civil)
        case FlushShown():
            yield replace(act, kind="blaze")
        case Shuffled():
            yield replace(act, dealer=rng.randrange(state.seats))
            yield replace(act, deal=act.deal + 1)
            yield replace(act, deck=FIRST_PACK)
            yield replace(act, deck=FIRST_PACK[:-1])
        case TurnUp():
            yield replace(act, card=rng.choice(_near(state)))
        case DealEnded():
            yield replace(act, reason="PLAYED")
            yield replace(act, out=0)
        case DealScored():
            yield replace(act, scores=act.totals)
            yield replace(act, totals=act.scores)
        case GameEnded():
            yield replace(act, winner=rng.randrange(state.seats))


def _made_up(state: State, rng: random.Random) -> LooEvent:
    seat = state.turn if rng.random() < 0.7 else rng.randrange(state.seats)
    some = tuple(rng.sample(_near(state), rng.randint(0, 3)))
    held = state.hands[seat] or ("AS",)
    match rng.randrange(9):
        case 0:
            choice = rng.choice(get_args(Choice))
            return Bid(seat=seat, choice=choice, cards=rng.choice([(), some, state.miss]))
        case 1:
            out = tuple(rng.sample(held, rng.randint(0, len(held))))
            return Exchanged(seat=seat, put_out=out, drawn=state.stock[: len(out)])
        case 2 | 3:
            return CardPlayed(seat=seat, card=rng.choice(held), civil=rng.random() < 0.3)
        case 4:
            return CardPlayed(seat=seat, card=rng.choice(_near(state)), civil=False)
        case 5:
            return FlushClaimed(seat=seat, cards=rng.choice([(), held, some]))
        case 6:
            return StockRenewed(seat=seat, cards=rng.choice([some, sum(state.aside, ())]))
        case 7:
            return PoolPaid(seat=seat, amount=max(state.pool, 1), paid_for="walk_over")
        case _:
            return MissSeen(seat=seat) if rng.random() < 0.5 else AntePaid(seat=seat, amount=5)


def _near(state: State) -> list[str]:
    """Return cards that lie about, and some that may not."""
    hands = [card for hand in state.hands for card in hand]
    return [*hands, *state.stock[:3], *state.miss, "AS", "2C", "JC"]
