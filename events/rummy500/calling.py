"""What calls, challenges and floats do to the table (section 8, 12.4 to 12.7); judged in `calls.py`."""

from msgspec.structs import replace

from events.cards import Card, physical
from events.rummy500.events import DiscardChallenged, Floated, RummyCalled
from events.rummy500.moves import (
    DISCARDED_OUT,
    STOCK_EXHAUSTED,
    begin_turn,
    has_run_dry,
    lifted,
    one_out_of_pile,
    over,
    put_at,
    same_cards,
    window,
)
from events.rummy500.reach import can_be_laid_off, is_callable
from events.rummy500.state import Laid, State
from events.rummy500.whereabouts import with_hand


def called(state: State, event: RummyCalled) -> State:
    """Return the table after an accepted call: carried out, noted for the discard, or a claim (R-8.10)."""
    if claims_wait(state):
        return _claimed(state, event)
    if state.phase == "play" and may_wait(state):
        return replace(state, noted=state.noted or event)
    return called_now(state, event)


def may_wait(state: State) -> bool:
    """Tell whether a call made in the middle of a turn waits for its discard at this table (D-R16)."""
    ruleset = state.ruleset
    return ruleset.rummy == "full" and ruleset.rummy_window == "also_after_meld"


def claims_wait(state: State) -> bool:
    """Tell whether a call is only a claim now, which somebody nearer may still take over (R-8.10)."""
    return state.ruleset.rummy_priority == "turn_order" and state.phase == "window"


def _claimed(state: State, event: RummyCalled) -> State:
    state = replace(state, claims=(*state.claims, event))
    return settle_claims(state) if event.seat == state.turn else state


def settle_claims(state: State) -> State:
    """Close the window: the claimant first clockwise from the discarder has the call (R-8.10)."""
    return called_now(replace(state, claims=()), nearest_claim(state))


def nearest_claim(state: State) -> RummyCalled:
    """Return the claim of the seat first clockwise from the discarder; there must be one."""
    begin = -1 if state.discarder is None else state.discarder
    return min(state.claims, key=lambda claim: (claim.seat - begin - 1) % state.seats)


def called_now(state: State, event: RummyCalled) -> State:
    """Return the table after a call that is carried out at once."""
    if state.challenge is not None:
        floaters = (*state.floaters, state.challenge)
        state = replace(state, floaters=floaters, challenge=None)
    if event.lay is None:
        return lifted(state, event.seat, event.cards or (event.card,), "call")
    state, card = one_out_of_pile(state, physical(event.lay.card), event.seat)
    written = event.lay.card
    laid = Laid(card + written[len(physical(written)) :], event.seat)
    state = put_at(state, laid, event.lay.meld, event.lay.end)
    return replace(state, fresh=False)


def with_noted_call(state: State) -> State:
    """Carry out a call that was noted before this discard, if its card can still be melded (D-R16)."""
    call = state.noted
    if call is None:
        return state
    state = replace(state, noted=None)
    cards = call.cards or (call.card,)
    later = len(state.pile) - len(cards) - int(state.fresh)
    lying = state.pile[later : later + len(cards)]
    if later < 0 or not same_cards(cards, lying, state.packs):
        return state
    if not is_callable(0, lying, state.table, state.ruleset, state.wilds):
        return state
    thrown = state.pile[later + len(lying) :]
    state = replace(state, pile=(*state.pile[:later], *thrown))
    state = with_hand(state, call.seat, state.hands[call.seat] + lying)
    return begin_turn(state, call.seat, "call", lying, lying[0])


def refused(state: State, event: RummyCalled) -> State:
    """Note what a wrong call costs (R-8.11, D-R19)."""
    cost = state.ruleset.false_call_penalty
    if not cost or event.code != "NOT_CALLABLE":
        return state
    penalties = list(state.penalties or (0,) * state.seats)
    penalties[event.seat] += cost
    return replace(state, penalties=tuple(penalties))


def floated(state: State, event: Floated) -> State:
    """Return the table after a player floated: a window opens in which all others may call (12.6)."""
    floaters = (*(seat for seat in state.floaters if seat != event.seat), event.seat)
    state = replace(state, floaters=floaters, idle=0)
    if has_run_dry(state):
        return over(state, STOCK_EXHAUSTED, None)
    return with_noted_call(window(state, event.seat, fresh=False))


def last_discarded(state: State, seat: int, card: Card) -> State:
    """End the deal, or leave it open to a challenge if the card could have been laid off (12.7)."""
    open_to_challenge = state.ruleset.illegal_final_discard == "challenge"
    if open_to_challenge and can_be_laid_off(card, state.table, state.ruleset, state.wilds):
        return replace(window(state, seat, fresh=True), challenge=seat)
    return over(state, DISCARDED_OUT, seat)


def unchallenged(state: State, discarder: int) -> State:
    """End the deal: nobody challenged a last discard, and the next draw is not carried out (12.7)."""
    return over(replace(state, challenge=None), DISCARDED_OUT, discarder)


def taken_back(state: State, event: DiscardChallenged) -> State:
    """Give the last discard back to who discarded it: it must now be laid off (12.7)."""
    seat = state.turn if state.out is None else state.out
    seat = seat if state.challenge is None else state.challenge
    state, card = one_out_of_pile(state, event.card, event.seat)
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
