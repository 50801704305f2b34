"""What the dealer and the scorer must do next, and filling in what a shuffle decides (sections 2, 7, 9, 10)."""

from collections.abc import Callable
from itertools import cycle
from typing import Final

from msgspec.structs import replace

from events.cards import FIRST_PACK, UNKNOWN, Card
from events.common import (
    AMOUNT_LIMIT,
    DEAL_LIMIT,
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Draw,
    GameEnded,
    Shuffled,
)
from events.lanterloo.dealing import chosen, miss_of, share_of
from events.lanterloo.declaring import may_exchange
from events.lanterloo.events import (
    Exchanged,
    FlushShown,
    LooEvent,
    MissDealt,
    PoolPaid,
    SessionDivided,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.flushes import claimants, holders
from events.lanterloo.pool import antes_due, divided
from events.lanterloo.ruleset import hand_size, has_miss
from events.lanterloo.state import State
from events.lanterloo.tricks import winner_of

METHOD: Final = "os_random"

Shuffle = Callable[[list[Card]], None]


def due(state: State) -> tuple[LooEvent, ...]:
    """Return what dealer or scorer must put on record now, nothing while it is for the players to act."""
    if state.penalties and state.phase != "ended":
        return (*state.penalties, *_facts(state))
    return _facts(state)


def _facts(state: State) -> tuple[LooEvent, ...]:
    match state.phase:
        case "cut":
            draws = tuple(Draw(seat, UNKNOWN) for seat in state.drawing)
            return (DealerDrawn(draws=draws, dealer=None),)
        case "shuffle":
            return (_shuffle_for(state.deal, state.dealer),)
        case "ante":
            return antes_due(state)
        case "deal":
            return (*_hands(state), *_miss(state))
        case "turn_up":
            return (TurnUp(card=state.stock[0] if state.stock else UNKNOWN),)
        case "show":
            return tuple(
                FlushShown(seat=one.seat, kind=one.kind, cards=one.cards)
                for one in holders(state, claimants(state))
            )
        case "trick":
            return _trick(state)
        case "settle":
            return _settlement(state)
        case "over":
            return (_score(state),)
        case "scored":
            return (_next(state),)
        case "divided":
            return (GameEnded(winner=None, abandoned=True),)
        case _:
            return ()


def _hands(state: State) -> tuple[Dealt, ...]:
    return tuple(
        Dealt(seat=seat, cards=share_of(state, seat))
        for seat in state.order
        if not state.dealt[seat]
    )


def _miss(state: State) -> tuple[MissDealt, ...]:
    wanted = has_miss(state.ruleset) and not state.miss_dealt
    return (MissDealt(cards=miss_of(state)),) if wanted else ()


def _trick(state: State) -> tuple[TrickTaken, ...]:
    """Return who takes the trick; all who can have, if the record does not know a card of it."""
    number = min(sum(state.tricks) + 1, hand_size(state.ruleset))
    winner = winner_of(state, state.trick)
    seats = (winner,) if winner is not None else tuple({one.seat for one in state.trick})
    return tuple(TrickTaken(seat=seat, trick=number) for seat in seats)


def _settlement(state: State) -> tuple[LooEvent, ...]:
    """Return what comes out of the pool, then what goes in, then the end of the deal (L-9.6)."""
    paid = tuple(one for one in state.owed if isinstance(one, PoolPaid))
    if paid or state.owed:
        return paid or state.owed
    if state.penalties:
        return ()
    return (DealEnded(deal=state.deal, reason=state.ended or "PLAYED", out=None),)


def _score(state: State) -> DealScored:
    """Return what the deal brought each seat, its ante included, and the balances.

    Null where a record's own payments have run out of what an amount can be.
    """
    won = tuple(now - then for now, then in zip(state.balances, state.before, strict=True))
    return DealScored(deal=state.deal, scores=_written(won), totals=_written(state.balances))


def _written(amounts: tuple[int, ...]) -> tuple[int | None, ...]:
    return tuple(amount if abs(amount) <= AMOUNT_LIMIT else None for amount in amounts)


def _next(state: State) -> LooEvent:
    """Return the next deal, or the end of the session on a hand without a loo (L-10.1, L-10.2)."""
    rounds_are_over = state.deal >= state.ruleset.rounds * state.seats
    if rounds_are_over and not state.loos and state.pool <= 0:
        return GameEnded(winner=richest(state), abandoned=False)
    return _shuffle_for(min(state.deal + 1, DEAL_LIMIT), state.seat_after(state.dealer))


def richest(state: State) -> int | None:
    """Return who has won most in the session, None if several have."""
    best = max(state.balances)
    return state.balances.index(best) if state.balances.count(best) == 1 else None


def _shuffle_for(deal: int, dealer: int) -> Shuffled:
    deck = (UNKNOWN,) * len(FIRST_PACK)
    return Shuffled(deal=deal, dealer=dealer, method="unknown", deck=deck)


def division(state: State) -> SessionDivided | None:
    """Return how the pool is divided if the session is broken off now, None if it is empty (L-10.3)."""
    if state.pool <= 0 or state.phase in ("divided", "ended"):
        return None
    shares = divided(state.pool, state.order)
    return SessionDivided(
        shares=tuple(min(shares[seat], AMOUNT_LIMIT) for seat in range(state.seats))
    )


def renewal(state: State, seat: int) -> StockRenewed | None:
    """Return the cards that would be laid beneath a stock that is short, None if there are none (L-4.4)."""
    if state.phase != "declare" or state.ruleset.exchange_shortage != "recycle_passed":
        return None
    passed = sum(map(len, state.aside))
    if not passed or not may_exchange(state) or len(state.stock) >= len(state.hands[seat]):
        return None
    return StockRenewed(seat=seat, cards=(UNKNOWN,) * passed)


# What chance decides


def shuffle(state: State, event: LooEvent, shuffle_in_place: Shuffle) -> LooEvent:
    """Return the event with the order that a shuffle gives, any other event as it is."""
    match event:
        case DealerDrawn():
            return _draw_for_deal(state, shuffle_in_place)
        case Shuffled():
            cards = list(FIRST_PACK)
            shuffle_in_place(cards)
            return replace(event, deck=tuple(cards), method=METHOD)
        case StockRenewed():
            cards = [card for pile in state.aside for card in pile]
            shuffle_in_place(cards)
            return replace(event, cards=tuple(cards))
        case _:
            return event


def _draw_for_deal(state: State, shuffle_in_place: Shuffle) -> DealerDrawn:
    cards = list(FIRST_PACK)
    shuffle_in_place(cards)
    if state.ruleset.first_dealer == "first_knave":
        cards = cards[: next(i for i, card in enumerate(cards) if card[0] == "J") + 1]
        draws = tuple(Draw(s, c) for s, c in zip(cycle(state.drawing), cards, strict=False))
    else:
        draws = tuple(Draw(s, c) for s, c in zip(state.drawing, cards, strict=False))
    drawn = DealerDrawn(draws=draws, dealer=None)
    best = chosen(state.ruleset, drawn)
    return replace(drawn, dealer=best[0] if len(best) == 1 else None)


def draw_of(state: State, event: Exchanged) -> tuple[Card, ...]:
    """Return the cards that come from the stock for those put out."""
    return state.stock[: len(event.put_out)]
