"""How an event changes the table: facts are copied, nothing is refused, every record can be replayed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Event,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.lanterloo.dealing import (
    ante_paid,
    begin_deal,
    dealer_drawn,
    dealt,
    miss_dealt,
    position,
    turned_up,
)
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Looed,
    LooEvent,
    MissDealt,
    MissSeen,
    Opened,
    PenaltyPaid,
    PoolPaid,
    PositionSet,
    SessionDivided,
    StockRenewed,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.moves import (
    bid,
    card_played,
    counts,
    exchanged,
    flush_claimed,
    flush_shown,
    stock_renewed,
    trick_taken,
)
from events.lanterloo.pool import (
    MISDEAL,
    across,
    doubt_about,
    from_pool,
    into_pool,
    with_penalty,
)
from events.lanterloo.state import State
from events.lanterloo.turns import is_off_the_table
from events.lanterloo.whereabouts import without


def initial(opened: Opened) -> State:
    """Return the table after `game_opened`: nobody has cards, the first deal is to be shuffled."""
    seats = len(opened.seats)
    cut = opened.first_dealer is None
    return State(
        ruleset=opened.ruleset,
        mode=opened.mode,
        seats=seats,
        dealer=opened.first_dealer or 0,
        balances=(0,) * seats,
        before=(0,) * seats,
        phase="cut" if cut else "shuffle",
        drawing=tuple(range(seats)) if cut else (),
        anted=(False,) * seats,
        hands=((),) * seats,
        dealt=(False,) * seats,
        bids=(None,) * seats,
        aside=((),) * seats,
        tricks=(0,) * seats,
    )


def evolve(state: State, event: LooEvent) -> State:
    """Return the table after *event*."""
    if is_off_the_table(state, event):
        return state
    return _CHANGES[type(event)](state, event)


def _pool_paid(state: State, event: PoolPaid) -> State:
    return _off_the_list(from_pool(state, event.seat, event.amount), event)


def _off_the_list(state: State, event: PoolPaid | Looed) -> State:
    """Return the table with one payment fewer to come: this one, or what that seat had to pay or get."""
    same = [one for one in state.owed if type(one) is type(event) and one.seat == event.seat]
    if not same:
        return state
    gone = event if event in same else same[0]
    return replace(state, owed=without(state.owed, gone))


def _looed(state: State, event: Looed) -> State:
    if event.to is None:
        paid = into_pool(state, event.seat, event.amount)
        paid = replace(paid, reserved=paid.reserved + event.amount)
    else:
        paid = across(state, event.seat, event.to, event.amount)
    still_open = tuple(seat for seat in state.open_loos if seat != event.seat)
    return _off_the_list(replace(paid, loos=state.loos + 1, open_loos=still_open), event)


def _penalty_paid(state: State, event: PenaltyPaid) -> State:
    paid = into_pool(state, event.seat, event.amount)
    if event.to == "next":
        paid = replace(paid, reserved=paid.reserved + event.amount)
    owed = [one for one in state.penalties if one.seat == event.seat]
    doubt = None if event in owed else doubt_about(state, event)
    if doubt is not None:
        return _settled_doubt(paid, doubt)
    if not owed:
        return paid
    same = [one for one in owed if one.reason == event.reason]
    return replace(paid, penalties=without(state.penalties, (same or owed)[0]))


def _miss_seen(state: State, event: MissSeen) -> State:
    return with_penalty(state, event.seat, "MISS_IS_HIDDEN") if counts(state) else state


def _redealt(state: State, _: Redealt) -> State:
    again = replace(state, phase="shuffle", again=True)
    return with_penalty(again, state.dealer, MISDEAL)


def _settled_doubt(state: State, doubt: PenaltyPaid) -> State:
    """Return the table after a penalty for an act of which the record itself cannot tell: it settles as it says."""
    left = replace(state, doubtful=without(state.doubtful, doubt))
    if state.ruleset.on_violation == "four_singles" and doubt.to == "next":
        return replace(left, forfeits=(*left.forfeits, doubt.seat))
    return left


def _divided(state: State, event: SessionDivided) -> State:
    for seat, share in enumerate(event.shares):
        state = from_pool(state, seat, share)
    return replace(state, phase="divided", reserved=0, owed=(), open_loos=(), penalties=())


def _deal_ended(state: State, event: DealEnded) -> State:
    ended = event.reason
    return replace(state, phase="over", deal=event.deal, ended=ended, owed=(), open_loos=())


def _deal_scored(state: State, event: DealScored) -> State:
    return replace(state, phase="scored", scores=event.scores)


def _game_ended(state: State, event: GameEnded) -> State:
    return replace(state, phase="ended", winner=event.winner, abandoned=event.abandoned)


def _nothing(state: State, _: LooEvent) -> State:
    return state


# One for every event, which a test sees to: looking one up costs less than asking after one kind after another.
_CHANGES: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    DealerDrawn: dealer_drawn,
    Shuffled: begin_deal,
    AntePaid: ante_paid,
    Dealt: dealt,
    MissDealt: miss_dealt,
    TurnUp: turned_up,
    PositionSet: position,
    Redealt: _redealt,
    Bid: bid,
    Exchanged: exchanged,
    StockRenewed: stock_renewed,
    FlushShown: flush_shown,
    FlushClaimed: flush_claimed,
    CardPlayed: card_played,
    TrickTaken: trick_taken,
    PoolPaid: _pool_paid,
    Looed: _looed,
    PenaltyPaid: _penalty_paid,
    MissSeen: _miss_seen,
    SessionDivided: _divided,
    DealEnded: _deal_ended,
    DealScored: _deal_scored,
    GameEnded: _game_ended,
    Remarked: _nothing,
    Retracted: _nothing,
    GameOpened: _nothing,
}
