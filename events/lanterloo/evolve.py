"""How an event changes the table: facts are copied, nothing is refused, every record can be replayed."""

from typing import assert_never

from msgspec.structs import replace

from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
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
from events.lanterloo.pool import MISDEAL, across, from_pool, into_pool, with_penalty
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


def evolve(state: State, event: LooEvent) -> State:  # noqa: C901
    """Return the table after *event*; the most frequent events are looked for first."""
    if is_off_the_table(state, event):
        return state
    match event:
        case CardPlayed():
            return card_played(state, event)
        case Dealt():
            return dealt(state, event)
        case TrickTaken():
            return trick_taken(state, event)
        case Bid():
            return bid(state, event)
        case Exchanged():
            return exchanged(state, event)
        case PoolPaid():
            return _off_the_list(from_pool(state, event.seat, event.amount), event)
        case Looed():
            return _looed(state, event)
        case AntePaid():
            return ante_paid(state, event)
        case TurnUp():
            return turned_up(state, event)
        case MissDealt():
            return miss_dealt(state, event)
        case Shuffled():
            return begin_deal(state, event)
        case DealEnded():
            return replace(
                state, phase="over", deal=event.deal, ended=event.reason, owed=(), open_loos=()
            )
        case DealScored():
            return replace(state, phase="scored", scores=event.scores)
        case FlushShown():
            return flush_shown(state, event)
        case FlushClaimed():
            return flush_claimed(state, event)
        case StockRenewed():
            return stock_renewed(state, event)
        case PenaltyPaid():
            return _penalty_paid(state, event)
        case MissSeen():
            return with_penalty(state, event.seat, "MISS_IS_HIDDEN") if counts(state) else state
        case Redealt():
            again = replace(state, phase="shuffle", again=True)
            return with_penalty(again, state.dealer, MISDEAL)
        case SessionDivided():
            return _divided(state, event)
        case GameEnded():
            return replace(state, phase="ended", winner=event.winner, abandoned=event.abandoned)
        case PositionSet():
            return position(state, event)
        case DealerDrawn():
            return dealer_drawn(state, event)
        case Remarked() | Retracted() | GameOpened():
            return state
        case _ as never:
            assert_never(never)


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
    if not owed:
        return paid
    same = [one for one in owed if one.reason == event.reason]
    return replace(paid, penalties=without(state.penalties, (same or owed)[0]))


def _divided(state: State, event: SessionDivided) -> State:
    for seat, share in enumerate(event.shares):
        state = from_pool(state, seat, share)
    return replace(state, phase="divided", reserved=0, owed=(), open_loos=(), penalties=())
