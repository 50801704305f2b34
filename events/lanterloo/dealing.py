"""Setting up a hand: drawn for, shuffled, dealt, turned up, or a position taken over; facts, never refusals."""

from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from events.cards import RANK, UNKNOWN, Card
from events.common import DealerDrawn, Dealt, Shuffled
from events.lanterloo.declaring import after_word, begin_play
from events.lanterloo.events import AntePaid, MissDealt, PositionSet, TurnUp
from events.lanterloo.pool import after_tricks, into_pool
from events.lanterloo.ruleset import Ruleset, hand_size, has_miss
from events.lanterloo.state import State
from events.lanterloo.tricks import pam_for
from events.lanterloo.whereabouts import Cards, as_lying, take_from_stock

_Dealing: TypeAlias = Literal["ante", "deal", "turn_up"]

_FRESH: Final = {
    "again": False,
    "single": False,
    "miss": (),
    "miss_dealt": False,
    "turn_up": None,
    "trump": None,
    "pam": None,
    "put_out": (),
    "trick": (),
    "played": (),
    "shown": (),
    "answered": (),
    "lone": None,
    "owed": (),
    "open_loos": (),
    "loos": 0,
    "forfeits": (),
    "surplus": (),
    "ended": None,
    "scores": None,
}
_TENS_UP: Final = 10
_FIRST_PACKET: Final = 3


def begin_deal(state: State, event: Shuffled) -> State:
    """Return the table with the shuffled deck as stock; after a misdeal nobody antes a second time."""
    fresh = not state.again
    anted = (False,) * state.seats if fresh else state.anted
    changed = replace(
        state,
        **_FRESH,
        deal=event.deal,
        dealer=event.dealer,
        deck=event.deck,
        stock=event.deck,
        in_play=len(event.deck),
        hands=((),) * state.seats,
        dealt=(False,) * state.seats,
        bids=(None,) * state.seats,
        aside=((),) * state.seats,
        tricks=(0,) * state.seats,
        anted=anted,
        antes=0 if fresh else state.antes,
        before=state.balances if fresh else state.before,
        reserved=0 if fresh else state.reserved,
        penalties=() if fresh else state.penalties,
        doubtful=() if fresh else state.doubtful,
        turn=(event.dealer + 1) % state.seats,
    )
    return replace(changed, phase=_dealing_phase(changed))


def _dealing_phase(state: State) -> _Dealing:
    wanted = (state.dealer,) if state.ruleset.ante_by == "dealer" else range(state.seats)
    if not all(state.anted[seat] for seat in wanted):
        return "ante"
    whole = all(state.dealt) and (state.miss_dealt or not has_miss(state.ruleset))
    return "turn_up" if whole else "deal"


def ante_paid(state: State, event: AntePaid) -> State:
    """Return the table after an ante."""
    anted = (*state.anted[: event.seat], True, *state.anted[event.seat + 1 :])
    paid = into_pool(state, event.seat, event.amount)
    paid = replace(paid, anted=anted, antes=state.antes + event.amount)
    return replace(paid, phase=_dealing_phase(paid)) if state.phase == "ante" else paid


def dealer_drawn(state: State, event: DealerDrawn) -> State:
    """Return the table after a draw for the first deal; those who tied draw again (L-2.1)."""
    if event.dealer is None:
        return replace(state, drawing=chosen(state.ruleset, event) or state.drawing)
    phase = "shuffle" if state.phase == "cut" else state.phase
    return replace(state, dealer=event.dealer, drawing=(), phase=phase)


def chosen(ruleset: Ruleset, event: DealerDrawn) -> tuple[int, ...]:
    """Return the seats that the draw chooses: one, or several that tied; none if it cannot be told (L-2.1)."""
    if any(draw.card == UNKNOWN for draw in event.draws):
        return ()
    if ruleset.first_dealer == "first_knave":
        return tuple(draw.seat for draw in event.draws if draw.card[0] == "J")[:1]
    ranks = {draw.seat: _drawn_rank(ruleset, draw.card) for draw in event.draws}
    pick = min if ruleset.first_dealer == "lowest_card" else max
    best = pick(ranks.values())
    return tuple(seat for seat, rank in ranks.items() if rank == best)


def _drawn_rank(ruleset: Ruleset, card: Card) -> int:
    """Return what a card counts in the draw: the ace low, tens and court cards alike where they tie."""
    rank = RANK.get(card, 99)
    return min(rank, _TENS_UP) if ruleset.court_cards_tie else rank


def share_of(state: State, seat: int) -> Cards:
    """Return what a seat is due from the deck, eldest first (L-2.3)."""
    first = has_miss(state.ruleset) and state.ruleset.miss_order == "first"
    return _share(state, state.order.index(seat) + first)


def miss_of(state: State) -> Cards:
    """Return what the miss is due from the deck, one card a round (L-2.3)."""
    return _share(state, 0 if state.ruleset.miss_order == "first" else state.seats)


def _share(state: State, place: int) -> Cards:
    size, deck = hand_size(state.ruleset), state.deck
    heaps = state.seats + has_miss(state.ruleset)
    if state.ruleset.packets == "single" or size <= _FIRST_PACKET:
        return deck[place : place + size * heaps : heaps][:size]
    begin = place * _FIRST_PACKET
    rest = heaps * _FIRST_PACKET + place * (size - _FIRST_PACKET)
    return deck[begin : begin + _FIRST_PACKET] + deck[rest : rest + size - _FIRST_PACKET]


def dealt(state: State, event: Dealt) -> State:
    """Return the table after one seat has its cards; what it had before, it keeps."""
    seat = event.seat
    state, cards = _off_stock(state, event.cards, share_of(state, seat))
    hand = state.hands[seat] + cards
    done = (*state.dealt[:seat], True, *state.dealt[seat + 1 :])
    whole = all(done) and (state.miss_dealt or not has_miss(state.ruleset))
    return replace(
        state,
        hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        dealt=done,
        phase="turn_up" if whole and state.phase == "deal" else state.phase,
    )


def miss_dealt(state: State, event: MissDealt) -> State:
    """Return the table with the spare hand on it."""
    state, cards = _off_stock(state, event.cards, miss_of(state))
    return _after_dealing(replace(state, miss=state.miss + cards, miss_dealt=True))


def _after_dealing(state: State) -> State:
    return replace(state, phase=_dealing_phase(state)) if state.phase == "deal" else state


def _off_stock(state: State, cards: Cards, share: Cards) -> tuple[State, Cards]:
    """Take cards off the stock; return them as they lie there."""
    cards = as_lying(cards, share)
    gone = set(cards)
    rest = tuple([card for card in state.stock if card not in gone])
    if len(rest) + len(cards) == len(state.stock) and len(gone) == len(cards):
        return replace(state, stock=rest), cards
    for card in cards:
        state = take_from_stock(state, card)
    return state, cards


def turned_up(state: State, event: TurnUp) -> State:
    """Return the table with trumps known; declarations begin (L-2.4)."""
    (card,) = as_lying((event.card,), state.stock[:1])
    if state.turn_up is not None:
        state = replace(state, put_out=(*state.put_out, state.turn_up), turn_up=None)
    state = take_from_stock(state, card)
    trump = None if card == UNKNOWN else card[1]
    state = replace(
        state,
        turn_up=card,
        trump=trump,
        pam=pam_for(state.ruleset, trump, card),
        single=state.pool == state.antes,
    )
    return after_word(state) if state.phase in ("ante", "deal", "turn_up") else state


def position(state: State, event: PositionSet) -> State:
    """Return the table as a set-up position shows it; what it does not name is out of play."""
    trick = tuple(event.trick)
    up = () if event.turn_up is None else (event.turn_up,)
    named = (event.stock, event.miss, up, *event.hands, *event.aside, trick)
    table = replace(
        state,
        **_FRESH
        | {
            "single": event.single,
            "miss": event.miss,
            "miss_dealt": bool(event.miss),
            "turn_up": event.turn_up,
            "trump": event.trump,
            "pam": pam_for(state.ruleset, event.trump, event.turn_up),
            "trick": trick,
        },
        deal=event.deal,
        dealer=event.dealer,
        deck=(),
        stock=event.stock,
        in_play=sum(map(len, named)),
        hands=event.hands,
        dealt=(True,) * state.seats,
        bids=event.declared,
        aside=event.aside,
        tricks=event.tricks,
        anted=(True,) * state.seats,
        antes=0,
        before=event.balances,
        balances=event.balances,
        pool=event.pool,
        reserved=0,
        penalties=(),
        doubtful=(),
        drawing=(),
    )
    return replace(_taken_up(table, event), abandoned=False, winner=None)


def _taken_up(state: State, event: PositionSet) -> State:
    """Return the position in the phase that it shows: to declare, to lead, to follow, or all played."""
    if event.phase == "declare":
        asked = after_word(state)
        return replace(asked, turn=event.turn) if asked.phase == "declare" else asked
    if sum(state.tricks) >= hand_size(state.ruleset):
        return after_tricks(state)
    if state.trick and len(state.trick) >= len(state.players):
        return replace(state, phase="trick", turn=event.turn)
    if state.trick or any(state.tricks) or not state.players:
        return replace(state, phase="play", turn=event.turn)
    begun = begin_play(state)
    return replace(begun, turn=event.turn) if begun.phase in ("play", "claim") else begun
