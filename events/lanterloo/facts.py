"""Facts that are due at no set time: a draw for the deal, a misdeal, a new stock, a pool divided."""

from itertools import pairwise

from events.cards import UNKNOWN
from events.common import DealerDrawn, Redealt
from events.game import Judgement, Unchecked
from events.lanterloo.dealing import chosen
from events.lanterloo.due import division, renewal
from events.lanterloo.events import SessionDivided, StockRenewed
from events.lanterloo.scorer import twice
from events.lanterloo.state import UNDER_WAY, State
from events.lanterloo.turns import fault, whose_turn
from events.lanterloo.whereabouts import everywhere


def judge_cut(state: State, event: DealerDrawn) -> tuple[Judgement, ...]:
    """Return what a draw for the first deal breaks: not due, other players, or another dealer (L-2.1)."""
    if state.phase != "cut":
        return (fault("DEALER_WRONG", "L-2.1", event.dealer, "no draw for the deal now", "a draw"),)
    if not _draws_in_order(state, event):
        seats = " ".join(map(str, state.drawing))
        actual = " ".join(str(draw.seat) for draw in event.draws)
        return (fault("DEALER_WRONG", "L-2.1", None, f"seats {seats}", actual),)
    best = chosen(state.ruleset, event)
    if not best:
        if any(draw.card == UNKNOWN for draw in event.draws):
            return (Unchecked("DEALER_WRONG", "L-2.1", "unknown_card", event.dealer),)
        return (fault("DEALER_WRONG", "L-2.1", event.dealer, "a knave", "none"),)
    dealer = best[0] if len(best) == 1 else None
    if event.dealer != dealer:
        return (fault("DEALER_WRONG", "L-2.1", event.dealer, _named(dealer), _named(event.dealer)),)
    return tuple(twice(tuple(draw.card for draw in event.draws), ()))


def _draws_in_order(state: State, event: DealerDrawn) -> bool:
    """Tell whether those drew who should: each once, or all in turn until the first knave."""
    seats = [draw.seat for draw in event.draws]
    if state.ruleset.first_dealer != "first_knave":
        return sorted(seats) == sorted(state.drawing)
    knaves = sum(draw.card[0] == "J" for draw in event.draws)
    last = event.draws[-1].card
    follows = all(after == state.seat_after(one) for one, after in pairwise(seats))
    return follows and (knaves == 0 or (knaves == 1 and last[0] == "J"))


def _named(dealer: int | None) -> str:
    """Return who was drawn as dealer, for a sentence; nobody if those who tied have to draw again."""
    return "nobody" if dealer is None else f"seat {dealer}"


def judge_redeal(state: State, _: Redealt) -> tuple[Judgement, ...]:
    """Return what is wrong with a misdeal: no hand is under way (L-12.2)."""
    if state.phase in UNDER_WAY:
        return ()
    return (fault("DEAL_END_WRONG", "L-12.2", None, "a hand under way", f"phase {state.phase}"),)


def judge_division(state: State, event: SessionDivided) -> tuple[Judgement, ...]:
    """Return what is wrong with how an abandoned session's pool was divided (L-10.3)."""
    expected = division(state)
    if expected is None:
        return (fault("POOL_WRONG", "L-10.3", None, "chips to divide", "none"),)
    if event != expected:
        wanted = " ".join(map(str, expected.shares))
        return (fault("AMOUNT_WRONG", "L-10.3", None, wanted, " ".join(map(str, event.shares))),)
    return ()


def judge_renewal(state: State, event: StockRenewed) -> tuple[Judgement, ...]:
    """Return what a new stock breaks: not this player's turn, not allowed, or of other cards (L-4.4)."""
    seat = event.seat
    if state.phase != "declare" or seat != state.turn:
        return (fault("NOT_YOUR_TURN", "L-4.2", seat, whose_turn(state), f"seat {seat}"),)
    expected = renewal(state, seat)
    if expected is None:
        return (fault("EXCHANGE_NOT_ALLOWED", "L-4.4", seat, "no new stock", len(event.cards)),)
    if len(event.cards) != len(expected.cards):
        return (fault("DEAL_COUNT", "L-4.4", seat, len(expected.cards), len(event.cards)),)
    passed = [card for pile in state.aside for card in pile]
    unknown = passed.count(UNKNOWN)
    for card in event.cards:
        if card in passed and card != UNKNOWN:
            passed.remove(card)
        elif card != UNKNOWN:
            unknown -= 1
            if any(card in place for place in everywhere(state)):
                unknown = -1
    if unknown < 0:
        return (fault("CARD_TWICE", "15.1", seat, "the cards of those who passed"),)
    return ()
