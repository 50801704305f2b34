"""Acts made up from the cards at hand, most of them wrong: food for the law that `judge` and `legal` agree."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from events.cards import UNKNOWN, physical, twin_of
from events.common import DealEnded, DealScored, Dealt, GameEnded, Shuffled
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.state import State


def mutants(state: State, listed: Sequence[RummyEvent], rng: random.Random) -> Iterator[RummyEvent]:
    """Yield listed acts with a slip in them, and acts put together from whatever lies on the table."""
    for act in rng.sample(list(listed), min(len(listed), 12)):
        yield from _slips(state, act, rng)
    for _ in range(40):
        yield _made_up(state, rng)


def _slips(state: State, act: Any, rng: random.Random) -> Iterator[RummyEvent]:
    other = rng.randrange(state.seats)
    if hasattr(act, "seat"):
        yield replace(act, seat=other)
    match act:
        case MeldLaid():
            cards = list(act.cards)
            yield replace(act, meld=rng.choice([1, 2, 7, 1000]))
            yield replace(act, cards=tuple(rng.sample(cards, len(cards))))
            yield replace(act, cards=tuple(_renamed(card, rng) for card in cards))
            yield replace(act, cards=tuple(cards[1:]))
            yield replace(act, cards=(*cards, rng.choice(_near(state))))
            yield replace(act, kind="group" if act.kind == "sequence" else "sequence")
        case LaidOff():
            laid: list[Any] = list(act.cards)
            yield replace(act, cards=tuple(rng.sample(laid, len(laid))))
            yield replace(act, cards=tuple(replace(p, end=None) for p in laid))
            yield replace(
                act, cards=tuple(replace(p, end=rng.choice(["low", "high"])) for p in laid)
            )
            yield replace(act, cards=tuple(replace(p, card=_renamed(p.card, rng)) for p in laid))
            yield replace(act, cards=tuple(replace(p, meld=p.meld + 1) for p in laid))
            yield replace(act, cards=tuple(laid[1:]) or act.cards)
        case Discarded() | UpcardTurned() | DiscardChallenged():
            yield replace(act, card=_renamed(act.card, rng))
            yield replace(act, card=rng.choice(_near(state)))
        case PileTaken() | Dealt():
            yield replace(act, cards=tuple(_renamed(card, rng) for card in act.cards))
            yield replace(act, cards=tuple(rng.choice([card, UNKNOWN]) for card in act.cards))
            yield replace(act, cards=act.cards[1:] or act.cards)
            yield replace(act, cards=act.cards[::-1])
        case RummyCalled():
            yield replace(act, card=_renamed(act.card, rng))
            yield replace(act, cards=tuple(_renamed(card, rng) for card in act.cards))
            yield replace(act, cards=act.cards[1:])
            yield replace(act, cards=(act.card, *act.cards))
            yield replace(act, lay=_placement(state, rng, act.card))
            if act.lay is not None:
                yield replace(act, lay=replace(act.lay, end=None))
                yield replace(act, lay=replace(act.lay, card=_renamed(act.lay.card, rng)))
        case StockRenewed():
            yield replace(act, stock=act.stock[1:])
            yield replace(act, pile=tuple(_renamed(card, rng) for card in act.pile))
            yield replace(act, pile=(*act.pile, UNKNOWN))
        case Shuffled():
            yield replace(act, deal=act.deal + 1)
            yield replace(act, dealer=other)
            yield replace(act, deck=act.deck[1:])
            yield replace(act, deck=("7H", "7H", "7H", *act.deck[3:]))
        case DealEnded():
            yield replace(act, out=other)
            yield replace(act, out=None)
            yield replace(act, reason="MELDED_OUT")
            yield replace(act, deal=act.deal + 1)
        case DealScored():
            yield replace(act, scores=(1 + (act.scores[0] or 0), *act.scores[1:]))
            yield replace(act, totals=(1 + (act.totals[0] or 0), *act.totals[1:]))
        case GameEnded():
            yield replace(act, winner=other)
            yield replace(act, winner=None)
        case _:
            pass


def _made_up(state: State, rng: random.Random) -> RummyEvent:
    seat = rng.choice([state.turn, rng.randrange(state.seats)])
    near = _near(state)
    hand = [card for card in state.hands[seat] if card != UNKNOWN] or near
    kind: Any = rng.choice(["group", "sequence"])
    some = tuple(rng.sample(hand, min(len(hand), rng.choice([3, 3, 4]))))
    depth = rng.randint(0, len(state.pile))
    lying = state.pile[depth:]
    made: list[RummyEvent] = [
        StockDrawn(seat=seat, card=rng.choice([UNKNOWN, rng.choice(near)])),
        PileTaken(seat=seat, cards=lying or (rng.choice(near),)),
        DrawDeclined(seat=seat),
        Discarded(seat=seat, card=rng.choice(hand)),
        MeldLaid(seat=seat, meld=state.next_meld, kind=kind, cards=some),
        LaidOff(seat=seat, cards=(_placement(state, rng, rng.choice(hand)),)),
        LaidOff(seat=seat, cards=tuple(_placement(state, rng, card) for card in some[:2])),
        _call(seat, lying, rng.choice(near), None),
        _call(seat, (), (*state.pile[-1:], rng.choice(near))[0], _placement(state, rng, near[0])),
        JokerSwapped(seat=seat, meld=rng.randint(1, 3), joker="X1", card=rng.choice(hand)),
        DiscardChallenged(seat=seat, card=rng.choice(near), accepted=True, code=None),
        Floated(seat=seat),
        StockRenewed(seat=seat, stock=state.pile[:-1], pile=state.pile[-1:]),
        UpcardTurned(card=rng.choice(near)),
        DealEnded(deal=state.deal, reason="STOCK_EXHAUSTED", out=None),
        GameEnded(winner=seat, abandoned=False),
        GameEnded(winner=None, abandoned=False),
        DealScored(deal=state.deal, scores=(0,) * state.seats, totals=state.totals),
    ]
    return rng.choice(made)


def _call(seat: int, cards: tuple[str, ...], card: str, lay: Placement | None) -> RummyCalled:
    named = (*cards, card)[0]
    return RummyCalled(seat=seat, card=named, accepted=True, code=None, cards=cards, lay=lay)


def _placement(state: State, rng: random.Random, card: str) -> Placement:
    melds = [meld.meld for meld in state.table] or [1]
    face = rng.choice([one for one in _near(state) if one[0] != "X"] or ["7H"])[:2]
    placed = f"{card}={face}" if card[0] == "X" and rng.random() < 0.7 else card
    return Placement(
        placed if card != UNKNOWN else "7H", rng.choice(melds), rng.choice([None, "low", "high"])
    )


def _renamed(placed: str, rng: random.Random) -> str:
    """Write a card as its twin, or declare it as what it is or is not."""
    card = physical(placed)
    if card == UNKNOWN:
        return card
    if card[0] == "X":
        return rng.choice([placed, card])
    twin = twin_of(card) or card
    return rng.choice([card, twin, placed])


def _near(state: State) -> list[str]:
    """The cards that the table shows or the players hold."""
    table = [physical(laid.card) for meld in state.table for laid in meld.cards]
    hands = [card for hand in state.hands for card in hand]
    return [card for card in (*hands, *state.pile, *table) if card != UNKNOWN] or ["7H"]
