"""How an event changes the table: facts are copied, nothing is refused, every record can be replayed."""

from typing import Final, assert_never

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, Placed, lies_as, physical
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    GameEnded,
    GameOpened,
    Remarked,
    Retracted,
    Shuffled,
)
from events.rummy500.dealing import begin_deal, dealt, position, stock_renewed, upcard_turned
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    Drawn,
    End,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    Opened,
    PileTaken,
    PositionSet,
    Redealt,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.melds import chosen_end, fit_fault, put_beside, put_on, sequence_low
from events.rummy500.reach import can_be_laid_off, is_callable
from events.rummy500.ruleset import packs_for
from events.rummy500.state import IN_PLAY, Laid, Meld, State
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

MELDED_OUT: Final = "MELDED_OUT"
DISCARDED_OUT: Final = "DISCARDED_OUT"
STOCK_EXHAUSTED: Final = "STOCK_EXHAUSTED"


def initial(opened: Opened) -> State:
    """Return the table after `game_opened`: nobody has cards, the first deal is to be shuffled."""
    seats = len(opened.seats)
    dealer = opened.first_dealer or 0
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
    )


def evolve(state: State, event: RummyEvent) -> State:  # noqa: C901
    """Return the table after *event*; the most frequent events are looked for first."""
    if is_off_the_table(state, event):
        return state
    match event:
        case StockDrawn():
            return _stock_drawn(state, event)
        case Discarded():
            return _discarded(state, event)
        case PileTaken():
            return _pile_taken(state, event)
        case MeldLaid():
            return _meld_laid(state, event)
        case LaidOff():
            return _laid_off(state, event)
        case RummyCalled():
            return _called(state, event) if event.accepted else _refused(state, event)
        case Dealt():
            return dealt(state, event)
        case DrawDeclined():
            return _declined(state, event)
        case StockRenewed():
            return stock_renewed(state, event)
        case Shuffled():
            return begin_deal(state, event)
        case UpcardTurned():
            return upcard_turned(state, event)
        case DealEnded():
            return replace(_over(state, event.reason, event.out), deal=event.deal, closed=True)
        case DealScored():
            return _scored(state, event)
        case GameEnded():
            return replace(state, phase="ended", winner=event.winner, abandoned=event.abandoned)
        case PositionSet():
            return position(state, event)
        case DealerDrawn():
            dealer = state.first_dealer if event.dealer is None else event.dealer
            return replace(state, first_dealer=dealer, dealer=dealer)
        case Redealt():
            return replace(state, phase="shuffle")
        case JokerSwapped():
            return _joker_swapped(state, event)
        case DiscardChallenged():
            return _taken_back(state, event) if event.accepted else state
        case Floated():
            return _floated(state, event)
        case Remarked() | Retracted() | GameOpened():
            return state
        case _ as never:
            assert_never(never)


def _stock_drawn(state: State, event: StockDrawn) -> State:
    if state.challenge is not None:
        return _unchallenged(state, state.challenge)
    seat, card = event.seat, event.card
    top = state.stock[0] if state.stock else None
    if top is not None and _can_be_top(state, card, top):
        card = top if top != UNKNOWN else card
        state = replace(state, stock=state.stock[1:])
    elif card != UNKNOWN:
        state = take_from_anywhere(state, card)
    else:
        state = replace(state, surplus=(*state.surplus, card))
    return _begin_turn(with_hand(state, seat, (*state.hands[seat], card)), seat, "stock", (), None)


def _can_be_top(state: State, card: Card, top: Card) -> bool:
    if card == UNKNOWN:
        return True
    if top == UNKNOWN:
        return not all_copies_known(state, card)
    return means(card, top, state.packs)


def _pile_taken(state: State, event: PileTaken) -> State:
    if state.challenge is not None:
        return _unchallenged(state, state.challenge)
    return _lifted(state, event.seat, event.cards, "pile")


def _declined(state: State, event: DrawDeclined) -> State:
    if state.challenge is not None:
        return _unchallenged(state, state.challenge)
    return _over(replace(state, turn=event.seat), STOCK_EXHAUSTED, None)


def _unchallenged(state: State, discarder: int) -> State:
    """End the deal: nobody challenged a last discard, and the next draw is not carried out (12.7)."""
    return _over(replace(state, challenge=None), DISCARDED_OUT, discarder)


def _lifted(state: State, seat: int, cards: tuple[Card, ...], drawn: Drawn) -> State:
    """Move cards from the pile to a hand and begin the turn with them, the deepest first."""
    state, taken = _out_of_pile(state, cards)
    state = with_hand(state, seat, state.hands[seat] + taken)
    owes = drawn == "call" or len(taken) > 1 or state.ruleset.pile_rule != "top_free"
    return _begin_turn(state, seat, drawn, taken, taken[0] if owes else None)


def _out_of_pile(state: State, cards: tuple[Card, ...]) -> tuple[State, tuple[Card, ...]]:
    """Take cards off the pile, or from wherever the record had them; return them as it knew them."""
    lying = state.pile[len(state.pile) - len(cards) :] if len(cards) <= len(state.pile) else ()
    if same_cards(cards, lying, state.packs):
        known = tuple(
            c if there == UNKNOWN else there for c, there in zip(cards, lying, strict=True)
        )
        return replace(state, pile=state.pile[: len(state.pile) - len(cards)]), known
    taken = []
    for card in cards:
        state, moved = _one_out_of_pile(state, card)
        taken.append(moved)
    return state, tuple(taken)


def same_cards(written: tuple[Card, ...], lying: tuple[Card, ...], packs: int) -> bool:
    """Tell whether cards as written can be the ones that lie there, `??` on either side fitting all."""
    return len(written) == len(lying) and all(
        UNKNOWN in (card, there) or means(card, there, packs)
        for card, there in zip(written, lying, strict=True)
    )


def _one_out_of_pile(state: State, card: Card) -> tuple[State, Card]:
    """Take one card off the pile, the topmost that can be meant; return it as the record knew it."""
    for lying in (card, *(one for one in state.pile[::-1] if means(card, one, state.packs))):
        if lying in state.pile:
            return replace(state, pile=without(state.pile, lying)), lying
    return take_from_anywhere(state, card), card


def _begin_turn(
    state: State, seat: int, drawn: Drawn, taken: tuple[Card, ...], duty: Card | None
) -> State:
    return replace(
        state,
        phase="play",
        turn=seat,
        drawn=drawn,
        taken=taken,
        duty=duty,
        owed=(),
        played=False,
        anyone_starts=False,
        renewed=False,
        fresh=False,
        ended=None,
        out=None,
        closed=False,
    )


def _discarded(state: State, event: Discarded) -> State:
    seat = event.seat
    state, card = take_from_hand(state, seat, event.card)
    idle = 0 if state.stock or state.drawn == "stock" else state.idle + 1
    state = replace(state, pile=(*state.pile, card), idle=idle)
    if not state.hands[seat]:
        return _last_discarded(state, seat, card)
    if seat in state.floaters:
        state = replace(state, floaters=tuple(one for one in state.floaters if one != seat))
    if _has_run_dry(state):
        return _over(state, STOCK_EXHAUSTED, None)
    return _with_noted_call(_window(state, seat, fresh=True))


def _with_noted_call(state: State) -> State:
    """Carry out a call that was noted before this discard, if its card can still be melded (D-R16)."""
    call = state.noted
    state = replace(state, noted=None)
    if call is None:
        return state
    later = len(state.pile) - len(call.cards) - int(state.fresh)
    lying = state.pile[later : later + len(call.cards)]
    if later < 0 or not same_cards(call.cards, lying, state.packs):
        return state
    if not is_callable(0, lying, state.table, state.ruleset):
        return state
    thrown = state.pile[later + len(lying) :]
    state = replace(state, pile=(*state.pile[:later], *thrown))
    state = with_hand(state, call.seat, state.hands[call.seat] + lying)
    return _begin_turn(state, call.seat, "call", lying, lying[0])


def _last_discarded(state: State, seat: int, card: Card) -> State:
    """End the deal, or leave it open to a challenge if the card could have been laid off (12.7)."""
    open_to_challenge = state.ruleset.illegal_final_discard == "challenge"
    if open_to_challenge and can_be_laid_off(card, state.table, state.ruleset):
        return replace(_window(state, seat, fresh=True), challenge=seat)
    return _over(state, DISCARDED_OUT, seat)


def _has_run_dry(state: State) -> bool:
    """Tell whether the deal ends with this turn for want of a stock (`end_at_once`, `idle_rounds`)."""
    if state.stock:
        return False
    rounds = state.ruleset.idle_rounds
    idle_out = rounds is not None and state.idle >= rounds * state.seats
    return idle_out or state.ruleset.stock_out == "end_at_once"


def _window(state: State, seat: int, *, fresh: bool) -> State:
    """Open the call window after a seat's turn (R-8.3)."""
    return replace(
        state,
        phase="window",
        turn=state.seat_after(seat),
        discarder=seat,
        fresh=fresh,
        drawn=None,
        taken=(),
        duty=None,
        owed=(),
        played=False,
        ended=None,
        out=None,
        closed=False,
    )


def _over(state: State, reason: str, out: int | None) -> State:
    return replace(
        state,
        phase="over",
        ended=reason,
        out=out,
        drawn=None,
        taken=(),
        duty=None,
        owed=(),
        noted=None,
        fresh=False,
    )


def _meld_laid(state: State, event: MeldLaid) -> State:
    seat, cards = event.seat, []
    for placed in event.cards:
        state, laid = _put_down(state, seat, placed)
        cards.append(laid)
    meld_id = event.meld if state.meld(event.meld) is None else state.next_meld
    low = sequence_low(event.cards) if event.kind == "sequence" else 0
    meld = Meld(meld_id, event.kind, seat, tuple(cards), low)
    return _after_play(replace(state, table=(*state.table, meld)), seat)


def _laid_off(state: State, event: LaidOff) -> State:
    for placement in event.cards:
        state, laid = _put_down(state, event.seat, placement.card)
        state = _put_at(state, laid, placement.meld, placement.end)
    return _after_play(state, event.seat)


def _put_down(state: State, seat: int, placed: Placed) -> tuple[State, Laid]:
    """Take a card from a hand for the table; putting down the duty's card fulfils the duty (R-6.6)."""
    state, held = take_from_hand(state, seat, physical(placed))
    if held == state.duty:
        state = replace(state, duty=None)
    if held in state.owed:
        state = replace(state, owed=without(state.owed, held))
    return state, Laid(lies_as(held, placed), seat)


def _put_at(state: State, laid: Laid, meld_id: int, end: End | None) -> State:
    """Put a card on a meld, beside it if it does not fit, or alone if there is no such meld."""
    meld = state.meld(meld_id)
    if meld is None:
        alone = Meld(meld_id, "group", laid.seat, (), 0, (laid,))
        return replace(state, table=(*state.table, alone))
    if fit_fault(meld, laid.card, end, state.ruleset) is not None:
        return with_meld(state, put_beside(meld, laid))
    return with_meld(state, put_on(meld, laid, chosen_end(meld, laid.card, end, state.ruleset)))


def _after_play(state: State, seat: int) -> State:
    """Carry on after a meld or lay-off: an empty hand ends the deal, or the player will float.

    The turn's own discard counts `idle` up to nought again.
    """
    state = replace(state, idle=-1, played=True)
    if not state.hands[seat] and state.ruleset.go_out in ("free", "discard_required"):
        return _over(state, MELDED_OUT, seat)
    if state.phase not in IN_PLAY:
        return replace(state, phase="play", turn=seat, ended=None, out=None, closed=False)
    return state


def _called(state: State, event: RummyCalled) -> State:
    if state.phase == "play" and state.ruleset.rummy_window == "also_after_meld":
        return replace(state, noted=state.noted or event)
    return called_now(state, event)


def called_now(state: State, event: RummyCalled) -> State:
    """Return the table after a call that is carried out at once."""
    if state.challenge is not None:
        floaters = (*state.floaters, state.challenge)
        state = replace(state, floaters=floaters, challenge=None)
    if event.lay is None:
        return _lifted(state, event.seat, event.cards or (event.card,), "call")
    state, card = _one_out_of_pile(state, physical(event.lay.card))
    laid = Laid(lies_as(card, event.lay.card), event.seat)
    state = _put_at(state, laid, event.lay.meld, event.lay.end)
    return replace(state, fresh=False)


def _refused(state: State, event: RummyCalled) -> State:
    """Note what a wrong call costs (R-8.11, D-R19)."""
    cost = state.ruleset.false_call_penalty
    if not cost or event.code != "NOT_CALLABLE":
        return state
    penalties = list(state.penalties or (0,) * state.seats)
    penalties[event.seat] += cost
    return replace(state, penalties=tuple(penalties))


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
        state = _put_at(take_from_anywhere(state, event.joker), laid, event.meld, None)
    else:
        swapped = (*meld.cards[:index], laid, *meld.cards[index + 1 :])
        state = with_meld(state, replace(meld, cards=swapped))
        state = replace(state, owed=(*state.owed, event.joker))
    return with_hand(state, event.seat, (*state.hands[event.seat], event.joker))


def _taken_back(state: State, event: DiscardChallenged) -> State:
    """Give the last discard back to who discarded it: it must now be laid off (12.7)."""
    seat = state.turn if state.out is None else state.out
    seat = seat if state.challenge is None else state.challenge
    state, card = _one_out_of_pile(state, event.card)
    state = with_hand(state, seat, (*state.hands[seat], card))
    return replace(
        state,
        phase="play",
        turn=seat,
        ended=None,
        out=None,
        challenge=None,
        duty=event.card,
        drawn=None,
        taken=(),
    )


def _floated(state: State, event: Floated) -> State:
    floaters = (*(seat for seat in state.floaters if seat != event.seat), event.seat)
    state = replace(state, floaters=floaters, idle=0)
    if _has_run_dry(state):
        return _over(state, STOCK_EXHAUSTED, None)
    return _with_noted_call(_window(state, event.seat, fresh=False))
