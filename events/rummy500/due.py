"""What the dealer and the scorer must do next, and filling in what a shuffle decides (R-1, R-7, R-9)."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, build_pack
from events.common import (
    AMOUNT_LIMIT,
    DEAL_LIMIT,
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Draw,
    GameEnded,
    Redealt,
    Shuffled,
)
from events.rummy500.dealing import lowest, share_of
from events.rummy500.events import (
    FirstCardTurned,
    Floated,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.moves import STOCK_EXHAUSTED
from events.rummy500.ruleset import pack_size
from events.rummy500.scoring import score_bounds, winner_of
from events.rummy500.state import State

METHOD: Final = "os_random"

Shuffle = Callable[[list[Card]], None]


def due(state: State) -> tuple[RummyEvent, ...]:
    """Return what dealer or scorer must put on record now, nothing while it is for the players to act."""
    match state.phase:
        case "cut":
            draws = tuple(Draw(seat, UNKNOWN) for seat in state.drawing)
            return (DealerDrawn(draws=draws, dealer=None),)
        case "shuffle":
            return (_shuffle_for(state, state.deal, state.dealer),)
        case "deal":
            return _hands(state)
        case "upcard":
            return (UpcardTurned(card=state.stock[0] if state.stock else UNKNOWN),)
        case "redeal":
            return (Redealt(reason="JOKER_UPCARD"),)
        case "over":
            return (_score(state) if state.closed else _end(state),)
        case "scored":
            return (_next(state),)
        case "draw" | "window":
            return () if state.stock or state.pile else (_end(state),)
        case "play":
            return () if state.hands[state.turn] else (Floated(seat=state.turn),)
        case _:
            return ()


def _hands(state: State) -> tuple[RummyEvent, ...]:
    """Return the hands still to be dealt; under V-9b only what comes next, a first card or what follows it."""
    order = (state.seat_after(state.dealer + index) for index in range(state.seats))
    waiting = [seat for seat in order if not state.dealt[seat]]
    if state.ruleset.variant != "rummy5000":
        return tuple(Dealt(seat=seat, cards=share_of(state, seat)) for seat in waiting)
    seat = waiting[0]
    if state.hands[seat]:
        return (Dealt(seat=seat, cards=share_of(state, seat)),)
    return (FirstCardTurned(seat=seat, card=next(iter(state.stock), UNKNOWN)),)


def shuffle(state: State, event: RummyEvent, shuffle_in_place: Shuffle) -> RummyEvent:
    """Return the event with the order that a shuffle gives, any other event as it is."""
    if isinstance(event, DealerDrawn):
        return _draw_for_deal(state, event, shuffle_in_place)
    if isinstance(event, Shuffled):
        ruleset = state.ruleset
        cards = list(build_pack(state.packs, ruleset.jokers_per_pack))
        shuffle_in_place(cards)
        return replace(event, deck=tuple(cards), method=METHOD)
    if isinstance(event, StockRenewed):
        cards = list(state.pile[: -len(event.pile)] if _keeps_top(state) else state.pile)
        shuffle_in_place(cards)
        if _keeps_top(state):
            return replace(event, stock=tuple(cards), pile=state.pile[-1:])
        return replace(event, stock=tuple(cards[1:]), pile=tuple(cards[:1]))
    return event


def _draw_for_deal(state: State, event: DealerDrawn, shuffle_in_place: Shuffle) -> DealerDrawn:
    cards = list(build_pack(state.packs, state.ruleset.jokers_per_pack))
    shuffle_in_place(cards)
    draws = tuple(Draw(draw.seat, card) for draw, card in zip(event.draws, cards, strict=False))
    drawn = replace(event, draws=draws)
    tied = lowest(drawn)
    return replace(drawn, dealer=tied[0] if len(tied) == 1 else None)


def renewal(state: State, seat: int) -> StockRenewed | None:
    """Return the new stock that a seat would draw from, its order unknown; None if there can be none.

    With a last discard open to a challenge there is none: that draw is not carried out (12.7).
    """
    is_closed = state.challenge is not None or not state.ruleset.stock_out.startswith("reshuffle")
    if is_closed or state.stock or len(state.pile) < 2:
        return None
    pile = state.pile[-1:] if _keeps_top(state) else (UNKNOWN,)
    return StockRenewed(seat=seat, stock=(UNKNOWN,) * (len(state.pile) - 1), pile=pile)


def complete(state: State, event: RummyEvent) -> RummyEvent:
    """Return the act with what only the service can see: the stock's top, the cards above a called one."""
    if state.challenge is not None:
        return event
    if isinstance(event, StockDrawn) and event.card == UNKNOWN and state.stock:
        return replace(event, card=state.stock[0])
    if isinstance(event, RummyCalled) and not event.cards and event.card in state.pile:
        lowest = len(state.pile) - 1 - state.pile[::-1].index(event.card)
        cards = () if state.ruleset.rummy == "latest_layoff" else state.pile[lowest:]
        return replace(event, cards=cards)
    return event


def _keeps_top(state: State) -> bool:
    return state.ruleset.stock_out == "reshuffle_all_but_top"


def _shuffle_for(state: State, deal: int, dealer: int) -> Shuffled:
    deck = (UNKNOWN,) * pack_size(state.ruleset, state.seats)
    return Shuffled(deal=deal, dealer=dealer, method="unknown", deck=deck)


def _end(state: State) -> DealEnded:
    return DealEnded(deal=state.deal, reason=state.ended or STOCK_EXHAUSTED, out=state.out)


def _score(state: State) -> DealScored:
    """Return the scores (R-9.1) and totals (R-9.4), null where unknown cards leave them open.

    Null too where a record's own totals have run out of what an amount can be.
    """
    scores = tuple(low if low == high else None for low, high in score_bounds(state))
    totals = tuple(
        None if score is None or abs(before + score) > AMOUNT_LIMIT else before + score
        for before, score in zip(state.totals, scores, strict=True)
    )
    return DealScored(deal=state.deal, scores=scores, totals=totals)


def _next(state: State) -> RummyEvent:
    winner = winner_of(state.totals, state.ruleset, state.out)
    if winner is not None:
        return GameEnded(winner=winner, abandoned=False)
    dealer = state.seat_after(state.dealer)
    if state.ruleset.next_dealer == "hand_winner" and state.out is not None:
        dealer = state.out
    return _shuffle_for(state, min(state.deal + 1, DEAL_LIMIT), dealer)
