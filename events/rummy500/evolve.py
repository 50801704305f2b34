"""How an event changes the table: facts are copied, nothing is refused, every record can be replayed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from events.cards import UNKNOWN, Card
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
from events.rummy500.calling import (
    called,
    floated,
    last_discarded,
    refused,
    settle_claims,
    taken_back,
    unchallenged,
    with_noted_call,
)
from events.rummy500.dealing import (
    begin_deal,
    dealer_drawn,
    dealt,
    first_card_turned,
    position,
    stock_renewed,
    upcard_turned,
)
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    FirstCardTurned,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    Opened,
    PileTaken,
    PositionSet,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.lying import lie_together
from events.rummy500.melds import sequence_low
from events.rummy500.moves import (
    STOCK_EXHAUSTED,
    after_play,
    begin_turn,
    has_run_dry,
    lifted,
    over,
    put_all_down,
    put_at,
    put_down,
    window,
)
from events.rummy500.ruleset import packs_for
from events.rummy500.state import Laid, Meld, State
from events.rummy500.turns import is_off_the_table
from events.rummy500.whereabouts import (
    all_copies_known,
    means,
    place_in,
    take_from_anywhere,
    take_from_hand,
    with_hand,
    with_meld,
    without,
)


def initial(opened: Opened) -> State:
    """Return the table after `game_opened`: nobody has cards, the first deal is to be shuffled."""
    seats = len(opened.seats)
    dealer = opened.first_dealer or 0
    cut = opened.first_dealer is None
    return State(
        ruleset=opened.ruleset,
        mode=opened.mode,
        seats=seats,
        packs=packs_for(opened.ruleset, seats),
        first_dealer=dealer,
        dealer=dealer,
        totals=(0,) * seats,
        hands=((),) * seats,
        dealt=(False,) * seats,
        phase="cut" if cut else "shuffle",
        drawing=tuple(range(seats)) if cut else (),
    )


def evolve(state: State, event: RummyEvent) -> State:
    """Return the table after *event*."""
    if is_off_the_table(state, event):
        return state
    if state.claims and not isinstance(event, RummyCalled | Remarked):
        return _after_claims(state, event)
    return _CHANGES[type(event)](state, event)


def _after_claims(state: State, event: RummyEvent) -> State:
    """Settle the claims first; the draw or decline that closed the window is not carried out (R-8.10)."""
    settled = settle_claims(state)
    closes = isinstance(event, StockDrawn | PileTaken | DrawDeclined) and event.seat == state.turn
    return settled if closes else evolve(settled, event)


def _stock_drawn(state: State, event: StockDrawn) -> State:
    if state.challenge is not None:
        return unchallenged(state, state.challenge)
    seat, card = event.seat, event.card
    top = state.stock[0] if state.stock else None
    if top is not None and (card == top or _can_be_top(state, card, top)):
        card = top if top != UNKNOWN else card
        state = replace(state, stock=state.stock[1:])
    elif card != UNKNOWN:
        state = take_from_anywhere(state, card)
    else:
        state = replace(state, surplus=(*state.surplus, card))
    return begin_turn(with_hand(state, seat, (*state.hands[seat], card)), seat, "stock")


def _can_be_top(state: State, card: Card, top: Card) -> bool:
    if card == UNKNOWN:
        return True
    if top == UNKNOWN:
        return not all_copies_known(state, card)
    return means(card, top, state.packs)


def _pile_taken(state: State, event: PileTaken) -> State:
    if state.challenge is not None:
        return unchallenged(state, state.challenge)
    return lifted(state, event.seat, event.cards, "pile")


def _declined(state: State, event: DrawDeclined) -> State:
    if state.challenge is not None:
        return unchallenged(state, state.challenge)
    return over(replace(state, turn=event.seat), STOCK_EXHAUSTED, None)


def _discarded(state: State, event: Discarded) -> State:
    seat = event.seat
    hand, card = state.hands[seat], event.card
    if card in hand:
        state = with_hand(state, seat, without(hand, card))
    else:
        state, card = take_from_hand(state, seat, card)
    idle = 0 if state.stock or state.drawn == "stock" else state.idle + 1
    state = replace(state, pile=(*state.pile, card), idle=idle)
    if not state.hands[seat]:
        return last_discarded(state, seat, card)
    if seat in state.floaters:
        state = replace(state, floaters=tuple(one for one in state.floaters if one != seat))
    if has_run_dry(state):
        return over(state, STOCK_EXHAUSTED, None)
    return with_noted_call(window(state, seat, fresh=True))


def _meld_laid(state: State, event: MeldLaid) -> State:
    seat = event.seat
    state, cards = put_all_down(state, seat, event.cards)
    meld_id = event.meld if state.meld(event.meld) is None else state.next_meld
    lying = lie_together(event.kind, cards, state.may_stand)
    low = sequence_low(lying) if event.kind == "sequence" else 0
    meld = Meld(meld_id, event.kind, seat, tuple([Laid(card, seat) for card in lying]), low)
    return after_play(replace(state, table=(*state.table, meld)), seat)


def _laid_off(state: State, event: LaidOff) -> State:
    for placement in event.cards:
        state, said = put_down(state, event.seat, placement.card)
        state = put_at(state, Laid(said, event.seat), placement.meld, placement.end)
    return after_play(state, event.seat)


def _rummy_called(state: State, event: RummyCalled) -> State:
    return called(state, event) if event.accepted else refused(state, event)


def _deal_ended(state: State, event: DealEnded) -> State:
    return replace(over(state, event.reason, event.out), deal=event.deal, closed=True)


def _scored(state: State, event: DealScored) -> State:
    totals = tuple(
        before + (score or 0) if total is None else total
        for before, score, total in zip(state.totals, event.scores, event.totals, strict=False)
    )
    return replace(state, phase="scored", scores=event.scores, totals=totals)


def _joker_swapped(state: State, event: JokerSwapped) -> State:
    if UNKNOWN in (event.card, event.joker):
        return state
    state, card = take_from_hand(state, event.seat, event.card)
    meld, laid = state.meld(event.meld), Laid(card, event.seat)
    index = None if meld is None else place_in(meld.cards, event.joker)
    if meld is None or index is None:
        state = put_at(take_from_anywhere(state, event.joker, event.seat), laid, event.meld, None)
    else:
        swapped = (*meld.cards[:index], laid, *meld.cards[index + 1 :])
        state = with_meld(state, replace(meld, cards=swapped))
        if event.seat == state.turn:
            state = replace(state, owed=(*state.owed, event.joker))
    return with_hand(state, event.seat, (*state.hands[event.seat], event.joker))


def _game_ended(state: State, event: GameEnded) -> State:
    return replace(state, phase="ended", winner=event.winner, abandoned=event.abandoned)


def _redealt(state: State, _: Redealt) -> State:
    return replace(state, phase="shuffle")


def _discard_challenged(state: State, event: DiscardChallenged) -> State:
    return taken_back(state, event) if event.accepted else state


def _nothing(state: State, _: RummyEvent) -> State:
    return state


# One for every event, which a test sees to: looking one up costs less than asking after one kind after another.
_CHANGES: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    StockDrawn: _stock_drawn,
    PileTaken: _pile_taken,
    DrawDeclined: _declined,
    StockRenewed: stock_renewed,
    Discarded: _discarded,
    MeldLaid: _meld_laid,
    LaidOff: _laid_off,
    JokerSwapped: _joker_swapped,
    RummyCalled: _rummy_called,
    DiscardChallenged: _discard_challenged,
    Floated: floated,
    DealerDrawn: dealer_drawn,
    Shuffled: begin_deal,
    Dealt: dealt,
    FirstCardTurned: first_card_turned,
    UpcardTurned: upcard_turned,
    Redealt: _redealt,
    PositionSet: position,
    DealEnded: _deal_ended,
    DealScored: _scored,
    GameEnded: _game_ended,
    Remarked: _nothing,
    Retracted: _nothing,
    GameOpened: _nothing,
}
