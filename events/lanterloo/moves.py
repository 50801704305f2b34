"""What players do, as it changes the table: declarations, exchanges, flushes, cards and tricks; facts only."""

from msgspec.structs import replace

from events.cards import UNKNOWN, Card
from events.lanterloo.declaring import after_claim, after_word, speaks_in_vain
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    Played,
    StockRenewed,
    TrickTaken,
)
from events.lanterloo.flushes import claimants, holders, kind_of
from events.lanterloo.irregular import may_offend, offence
from events.lanterloo.pool import after_flush, after_tricks, with_doubt, with_penalty
from events.lanterloo.ruleset import hand_size
from events.lanterloo.state import Shown, State
from events.lanterloo.whereabouts import (
    as_lying,
    is_known,
    reveal,
    take_from_anywhere,
    take_from_hand,
    take_from_stock,
    with_hand,
    without,
)


def counts(state: State) -> bool:
    """Tell whether irregularities cost anything at this table; a refereed one has none."""
    return state.mode == "recorded" and state.ruleset.on_violation != "reject"


def _penalised(before: State, after: State, event: CardPlayed | Bid | Exchanged) -> State:
    if not counts(before):
        return after
    code = offence(before, event)
    if code is not None:
        return with_penalty(after, event.seat, code)
    doubt = may_offend(before, event)
    return after if doubt is None else with_doubt(after, event.seat, doubt)


def card_played(state: State, event: CardPlayed) -> State:
    """Return the table after a card led or followed, wherever the record had it."""
    seat, card = event.seat, event.card
    hand = state.hands[seat]
    if card in hand and state.phase == "play" and not counts(state):
        trick = (*state.trick, Played(seat, card, event.civil))
        hands = (*state.hands[:seat], without(hand, card), *state.hands[seat + 1 :])
        if len(trick) >= len(state.players):
            return replace(state, hands=hands, trick=trick, phase="trick")
        return replace(state, hands=hands, trick=trick, turn=_next_player(state, seat, trick))
    return _card_moved(state, event)


def _card_moved(state: State, event: CardPlayed) -> State:
    """Return the same where the play only begins, the card is not known to be held, or faults cost chips."""
    seat = event.seat
    after = take_from_hand(state, seat, event.card)
    if state.phase == "trick":
        after = replace(after, played=after.played + after.trick, trick=())
    trick = (*after.trick, Played(seat, event.card, event.civil))
    after = _penalised(state, replace(after, trick=trick), event)
    if state.phase not in ("claim", "show", "play", "trick"):
        return after
    if len(trick) >= len(state.players):
        return replace(after, phase="trick")
    return replace(after, phase="play", turn=_next_player(after, seat, trick))


def _next_player(state: State, seat: int, trick: tuple[Played, ...]) -> int:
    """Return who plays after a seat; the seats that have played to the trick are passed over."""
    done = [one.seat for one in trick]
    players = state.players
    for step in range(1, state.seats + 1):
        one = (seat + step) % state.seats
        if one in players and one not in done:
            return one
    return seat


def trick_taken(state: State, event: TrickTaken) -> State:
    """Return the table after a trick has gone to a seat; the last one settles the hand."""
    tricks = list(state.tricks)
    tricks[event.seat] += 1
    after = replace(
        state, played=state.played + state.trick, trick=(), tricks=tuple(tricks), turn=event.seat
    )
    if state.phase not in ("claim", "show", "play", "trick"):
        return after
    if sum(tricks) < hand_size(state.ruleset):
        return replace(after, phase="play")
    return after_tricks(after)


def bid(state: State, event: Bid) -> State:
    """Return the table after a declaration."""
    seat, choice = event.seat, event.choice
    vain = speaks_in_vain(state, seat)
    bids = (*state.bids[:seat], choice, *state.bids[seat + 1 :])
    after = _penalised(state, replace(state, bids=bids), event)
    if vain:
        return after
    if choice == "pass":
        after = _laid_aside(after, seat)
    elif choice in ("miss", "defend") and (state.miss or event.cards):
        after = _miss_taken(_laid_aside(after, seat), event)
    return after_word(after) if state.phase == "declare" else after


def _laid_aside(state: State, seat: int) -> State:
    pile = state.aside[seat] + state.hands[seat]
    aside = (*state.aside[:seat], pile, *state.aside[seat + 1 :])
    return with_hand(replace(state, aside=aside), seat, ())


def _miss_taken(state: State, event: Bid) -> State:
    """Return the table with the miss in a hand, its cards as the record now shows them."""
    taken = replace(state, miss=())
    cards = as_lying(event.cards, state.miss) if event.cards else state.miss
    return reveal(with_hand(taken, event.seat, state.miss), event.seat, cards)


def exchanged(state: State, event: Exchanged) -> State:
    """Return the table after cards were changed, which is a declaration to stand."""
    seat = event.seat
    bids = (*state.bids[:seat], "exchange", *state.bids[seat + 1 :])
    after = replace(state, bids=bids)
    for card in event.put_out:
        after = take_from_hand(after, seat, card)
    top = after.stock[: len(event.drawn)]
    drawn = as_lying(event.drawn, top)
    if drawn == top:
        after = replace(after, stock=after.stock[len(drawn) :])
    else:
        for card in drawn:
            after = take_from_stock(after, card)
    after = replace(after, put_out=after.put_out + event.put_out)
    after = _penalised(state, with_hand(after, seat, after.hands[seat] + drawn), event)
    return after_word(after) if state.phase == "declare" else after


def stock_renewed(state: State, event: StockRenewed) -> State:
    """Return the table with cards of the passed hands beneath the stock; what is not named stays aside."""
    after = state
    for card in sorted(event.cards, key=UNKNOWN.__eq__):
        after = _from_aside(after, card)
    return replace(after, stock=after.stock + event.cards, turn=event.seat)


def _from_aside(state: State, card: Card) -> State:
    """Take a card from the hands laid aside, as itself or as one that is not known, or from wherever it is."""
    wanted = (card,) if is_known(state, card) else (card, UNKNOWN)
    for lying in wanted:
        for seat, pile in enumerate(state.aside):
            if lying in pile:
                left = without(pile, lying)
                return replace(state, aside=(*state.aside[:seat], left, *state.aside[seat + 1 :]))
    passed = [pile[-1] for pile in state.aside if pile]
    if card == UNKNOWN and passed:
        return _from_aside(state, passed[0])
    return take_from_anywhere(state, card)


def flush_shown(state: State, event: FlushShown) -> State:
    """Return the table after a flush was laid open; the last one sweeps the pool."""
    after = reveal(state, event.seat, event.cards)
    after = replace(after, shown=_with_shown(state, Shown(event.seat, event.kind, event.cards)))
    sweeping = state.ended == "FLUSH" and state.stake > 0
    if state.phase in ("declare", "claim", "show", "play") or sweeping:
        return _swept(after)
    return after


def _swept(state: State) -> State:
    """Return the table swept, once every flush that is known lies open."""
    if holders(state, claimants(state)):
        return replace(state, phase="show")
    return after_flush(state)


def flush_claimed(state: State, event: FlushClaimed) -> State:
    """Return the table after a claim, or a word that there is none."""
    if state.phase not in ("declare", "claim", "show", "play"):
        return reveal(state, event.seat, event.cards)
    if not event.cards and not state.shown and state.lone is None:
        return state
    after = reveal(state, event.seat, event.cards)
    if event.cards:
        kind = kind_of(after, event.cards) or "plain_flush"
        after = replace(after, shown=_with_shown(state, Shown(event.seat, kind, event.cards)))
    return after_claim(replace(after, answered=(*state.answered, event.seat)))


def _with_shown(state: State, one: Shown) -> tuple[Shown, ...]:
    return (*(other for other in state.shown if other.seat != one.seat), one)
