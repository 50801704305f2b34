"""Setting up a deal: shuffled, dealt, upcard turned, or a position taken over; facts, never refusals."""

from itertools import filterfalse
from typing import Final

from msgspec.structs import replace

from events.cards import JOKERS_ONLY, RANK, UNKNOWN, Card, is_joker
from events.common import DealerDrawn, Dealt, Shuffled
from events.rummy500.events import (
    FirstCardTurned,
    MeldPosition,
    PositionSet,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.lying import lie_together
from events.rummy500.melds import sequence_low
from events.rummy500.ruleset import MOST_AFTER_THE_FIRST, deal_size_for
from events.rummy500.state import Laid, Meld, State
from events.rummy500.whereabouts import (
    all_copies_known,
    means,
    take_from_anywhere,
    with_hand,
)

_FRESH_DEAL: Final = {
    "table": (),
    "pile": (),
    "drawn": None,
    "taken": (),
    "duty": None,
    "owed": (),
    "played": False,
    "noted": None,
    "claims": (),
    "renewed": False,
    "discarder": None,
    "fresh": False,
    "surplus": (),
    "wilds": JOKERS_ONLY,
    "floaters": (),
    "challenge": None,
    "idle": 0,
    "penalties": (),
    "closed": False,
    "ended": None,
    "out": None,
    "scores": None,
}


def begin_deal(state: State, event: Shuffled) -> State:
    """Return the table with the shuffled deck as stock and nobody dealt to yet."""
    return replace(
        state,
        **_FRESH_DEAL,
        deal=event.deal,
        dealer=event.dealer,
        phase="deal",
        deck=event.deck,
        stock=event.deck,
        in_play=len(event.deck),
        hands=((),) * state.seats,
        dealt=(False,) * state.seats,
    )


def dealer_drawn(state: State, event: DealerDrawn) -> State:
    """Return the table after a draw for the first deal; those who tied for the lowest draw again (R-1.5)."""
    if event.dealer is None:
        return replace(state, drawing=lowest(event) or state.drawing)
    return replace(
        state, first_dealer=event.dealer, dealer=event.dealer, drawing=(), phase="shuffle"
    )


def lowest(event: DealerDrawn) -> tuple[int, ...]:
    """Return the seats that drew the lowest rank, ace low and jokers above all; none if a card is unknown."""
    if any(draw.card == UNKNOWN for draw in event.draws):
        return ()
    ranks = {draw.seat: RANK.get(draw.card, 99) for draw in event.draws}
    return tuple(seat for seat, rank in ranks.items() if rank == min(ranks.values()))


def share_of(state: State, seat: int) -> tuple[Card, ...]:
    """Return what a seat is due from the deck: one card at a time, clockwise, dealer last (R-1.3)."""
    if state.ruleset.variant == "rummy5000":
        return state.stock[: after_the_first(*state.hands[seat][:1])]
    size = deal_size_for(state.ruleset, state.seats)
    place = (seat - state.dealer - 1) % state.seats
    return state.deck[place : place + size * state.seats : state.seats]


def after_the_first(first: Card = UNKNOWN) -> int:
    """Return how many cards follow one that was dealt face up (V-9b): if it is not known, the fewest."""
    rank = RANK.get(first, 2)
    return MOST_AFTER_THE_FIRST if rank == 1 else min(rank, 10)


def first_card_turned(state: State, event: FirstCardTurned) -> State:
    """Return the table after a seat's first card was dealt face up; the dealer's rank is wild (V-9b)."""
    seat = event.seat
    state, card = _turned_up(state, event.card)
    if seat == state.dealer and card in RANK and state.ruleset.variant == "rummy5000":
        state = replace(state, wilds=JOKERS_ONLY + card[0])
    return with_hand(state, seat, (*state.hands[seat], card))


def dealt(state: State, event: Dealt) -> State:
    """Return the table after one seat has its cards; what it had before, it keeps."""
    cards, share = event.cards, share_of(state, event.seat)
    if cards != share:
        cards = tuple(
            _as_it_lies(card, share[index], state.packs) if index < len(share) else card
            for index, card in enumerate(cards)
        )
    state = _off_stock(state, cards)
    state = with_hand(state, event.seat, state.hands[event.seat] + cards)
    done = (*state.dealt[: event.seat], True, *state.dealt[event.seat + 1 :])
    return replace(state, dealt=done, phase="upcard" if all(done) else "deal")


def _as_it_lies(written: Card, lying: Card, packs: int) -> Card:
    """Return the card that lies there if it can be the one that is written, else the written one."""
    return lying if written == UNKNOWN or means(written, lying, packs) else written


def _off_stock(state: State, cards: tuple[Card, ...]) -> State:
    """Take cards out of the stock, each as itself, else as its twin if either can be meant, else unknown."""
    rest = _plainly_less(state.stock, cards)
    if rest is not None:
        return replace(state, stock=rest)
    stock = list(state.stock)
    for card in cards:
        lying = _lying_as(stock, card, state.packs)
        if lying is not None:
            stock.remove(lying)
            continue
        state = _from_elsewhere(replace(state, stock=tuple(stock)), card)
        stock = list(state.stock)
    return replace(state, stock=tuple(stock))


def _plainly_less(stock: tuple[Card, ...], cards: tuple[Card, ...]) -> tuple[Card, ...] | None:
    """Return the stock less these cards where it has each of them once, or knows none of its own; else None."""
    if stock[:1] == (UNKNOWN,) and len(cards) <= len(stock) == stock.count(UNKNOWN):
        return stock[len(cards) :]
    gone = set(cards)
    rest = tuple(filterfalse(gone.__contains__, stock))
    return rest if len(stock) - len(rest) == len(cards) == len(gone) else None


def _lying_as(stock: list[Card], card: Card, packs: int) -> Card | None:
    if card in stock:
        return card
    if packs == 2 and len(card) == 2 and card + "'" in stock:
        return card + "'"
    return UNKNOWN if UNKNOWN in stock else None


def _from_elsewhere(state: State, card: Card) -> State:
    if card == UNKNOWN:
        return replace(state, surplus=(*state.surplus, card))
    return take_from_anywhere(state, card)


def upcard_turned(state: State, event: UpcardTurned) -> State:
    """Return the table with the first card of the pile, and the first player to draw (R-1.6)."""
    state, card = _turned_up(state, event.card)
    begins = state.first_dealer if state.ruleset.first_player == "fixed" else state.dealer
    again = state.ruleset.redeal_on_joker_upcard and is_joker(card)
    return replace(
        state,
        pile=(*state.pile, card),
        phase="redeal" if again else "draw",
        turn=state.seat_after(begins),
        anyone_starts=state.ruleset.first_player == "recorded",
    )


def _turned_up(state: State, card: Card) -> tuple[State, Card]:
    """Take the card that is turned up off the stock; return it as it lay there."""
    if state.stock:
        card = _as_it_lies(card, state.stock[0], state.packs)
    if card not in (UNKNOWN, *state.stock) and all_copies_known(state, card):
        return take_from_anywhere(state, card), card
    return _off_stock(state, (card,)), card


def position(state: State, event: PositionSet) -> State:
    """Return the table as a set-up position shows it; what it does not name is out of play."""
    wilds = JOKERS_ONLY + (event.wild or "")
    melds = _melds_of(event, wilds)
    named = (event.stock, event.pile, *event.hands, *(meld.cards for meld in melds))
    return replace(
        state,
        **_FRESH_DEAL
        | {
            "table": melds,
            "pile": event.pile,
            "drawn": event.drawn,
            "taken": event.taken,
            "duty": event.duty,
            "discarder": event.discarder,
            "floaters": event.floaters,
            "fresh": event.phase == "window",
            "wilds": wilds,
        },
        deal=event.deal,
        dealer=event.dealer,
        phase=event.phase,
        turn=event.turn,
        anyone_starts=False,
        deck=(),
        stock=event.stock,
        in_play=sum(map(len, named)),
        hands=event.hands,
        dealt=(True,) * state.seats,
        totals=event.totals,
    )


def _melds_of(event: PositionSet, wilds: str) -> tuple[Meld, ...]:
    """Return the melds of a position; one whose number another has already gets the next."""
    melds: dict[int, Meld] = {}
    for shown in event.melds:
        number = shown.meld if shown.meld not in melds else max(melds) + 1
        melds[number] = _meld_of(shown, number, wilds)
    return tuple(melds.values())


def _meld_of(shown: MeldPosition, number: int, wilds: str) -> Meld:
    cards = lie_together(shown.kind, [layer.card for layer in shown.cards], wilds)
    low = sequence_low(cards) if shown.kind == "sequence" else 0
    seats = (layer.seat for layer in shown.cards)
    laid = tuple(Laid(card, seat) for card, seat in zip(cards, seats, strict=True))
    return Meld(number, shown.kind, shown.cards[0].seat, laid, low)


def stock_renewed(state: State, event: StockRenewed) -> State:
    """Return the table with the pile made into a new stock; cards that it leaves out stay where they lie."""
    loose, state = list(state.pile), replace(state, pile=())
    cards: list[Card] = []
    for card in (*event.pile, *event.stock):
        lying = None if card == UNKNOWN else _lying_as(loose, card, state.packs)
        if lying is not None:
            loose.remove(lying)
        elif card != UNKNOWN:
            state = take_from_anywhere(state, card)
        cards.append(card if lying in (None, UNKNOWN) else lying)
    for _ in range(cards.count(UNKNOWN)):
        if loose:
            loose.remove(UNKNOWN if UNKNOWN in loose else loose[-1])
        else:
            state = replace(state, surplus=(*state.surplus, UNKNOWN))
    return replace(
        state,
        stock=(*cards[len(event.pile) :], *state.stock),
        pile=(*loose, *cards[: len(event.pile)]),
        turn=event.seat,
        phase="draw",
        renewed=True,
        fresh=False,
    )
