"""Declarations: who may say what (sections 4 and 5), and what follows once all have spoken."""

from typing import Final

from msgspec.structs import replace

from events.game import Violation
from events.lanterloo.events import Choice
from events.lanterloo.flushes import claimants, holders
from events.lanterloo.pool import after_flush, carried, walk_over
from events.lanterloo.ruleset import has_miss
from events.lanterloo.state import State
from events.lanterloo.turns import fault

_CLUBS: Final = "C"


def is_force(state: State) -> bool:
    """Tell whether this is a bold stand (L-5.1); club law is another matter."""
    ruleset = state.ruleset
    if ruleset.form == "loo5" and not ruleset.force_loo5:
        return False
    if ruleset.force == "first_hand":
        return state.deal == 1
    return ruleset.force == "single_pool" and state.single


def is_club_law(state: State) -> bool:
    """Tell whether clubs were turned up at a table where everybody must then play (L-5.5)."""
    return state.ruleset.club_law and state.trump == _CLUBS


def must_play(state: State) -> bool:
    """Tell whether nobody may pass in this hand."""
    return is_force(state) or is_club_law(state)


def may_exchange(state: State) -> bool:
    """Tell whether cards can be changed in this hand (L-4.3, L-5.5)."""
    withdrawn = is_club_law(state) and state.ruleset.club_law_miss == "withdrawn"
    return not has_miss(state.ruleset) and not withdrawn


def miss_is_open(state: State) -> bool:
    """Tell whether the miss lies on the table for somebody to take in this hand."""
    ruleset = state.ruleset
    if not has_miss(ruleset) or not state.miss:
        return False
    if is_club_law(state) and ruleset.club_law_miss == "withdrawn":
        return False
    return not (is_force(state) and ruleset.force_miss == "withdrawn")


def must_defend(state: State, seat: int) -> bool:
    """Tell whether this is a dealer who may not leave the pool to the one stander (L-4.8)."""
    standers = state.standers
    return (
        state.ruleset.lone_vs_dealer == "must_defend"
        and seat == state.dealer
        and len(standers) == 1
        and state.bids[standers[0]] != "miss"
        and miss_is_open(state)
    )


def choice_fault(state: State, seat: int, choice: Choice) -> Violation | None:
    """Return why a seat whose turn it is may not say this, None if it may."""
    if choice == "pass" and must_play(state):
        rule = "L-5.1" if is_force(state) else "L-5.5"
        return fault("MUST_PLAY", rule, seat, "stand", "pass")
    if choice == "pass" and must_defend(state, seat):
        return fault("DEALER_MUST_DEFEND", "L-4.8", seat, "stand, miss or defend", "pass")
    if choice == "miss":
        return _miss_fault(state, seat)
    if choice == "defend" and not must_defend(state, seat):
        return fault("MISS_NOT_AVAILABLE", "L-4.8", seat, "no pool to defend", "defend")
    return None


def _miss_fault(state: State, seat: int) -> Violation | None:
    if not miss_is_open(state):
        rule = "L-5.5" if is_club_law(state) else "L-4.6"
        return fault("MISS_NOT_AVAILABLE", rule, seat, "no miss to take", "miss")
    if is_force(state) and seat != state.order[0]:
        return fault("MISS_NOT_AVAILABLE", "L-5.2", seat, f"seat {state.order[0]} only", "miss")
    return None


def speaks_in_vain(state: State, seat: int) -> bool:
    """Tell whether this is the dealer to whom the pool has fallen already, and who has not spoken (L-4.5)."""
    fell = state.phase == "settle" and state.ended == "WALK_OVER" and state.lone == state.dealer
    return fell and seat == state.dealer and state.bids[seat] is None


def after_word(state: State) -> State:
    """Return the table after a declaration: the next is asked, or the hand goes on, or it is over."""
    if shows_at_once(state):
        return replace(state, phase="show")
    waiting = [seat for seat in state.order if state.bids[seat] is None]
    players = state.players
    if waiting == [state.dealer] and not players and state.ruleset.all_pass == "dealer":  # noqa: S105
        return _fallen_to(state, state.dealer)
    if waiting:
        return replace(state, phase="declare", turn=waiting[0])
    if len(players) == 1:
        return _fallen_to(state, players[0])
    return begin_play(state) if players else carried(state)


def shows_at_once(state: State) -> bool:
    """Tell whether a flush lies open before all have spoken (`flush_looes=shown_before_pass`)."""
    ruleset = state.ruleset
    if ruleset.flush_looes != "shown_before_pass" or not ruleset.flush_autoclaim:
        return False
    return bool(holders(state, claimants(state)))


def _fallen_to(state: State, seat: int) -> State:
    """Return the table with the pool for a seat unplayed, if no flush of his comes before (L-6.4)."""
    fallen = replace(state, lone=seat, turn=seat)
    if state.ruleset.form == "loo5" and state.ruleset.flush_looes == "all":
        if not state.ruleset.flush_autoclaim:
            return replace(fallen, phase="claim")
        if holders(fallen, (seat,)):
            return replace(fallen, phase="show")
    return walk_over(fallen, seat)


def begin_play(state: State) -> State:
    """Return the table before the first lead: flushes are shown or may be claimed, or play begins (L-6.5)."""
    leading = replace(state, turn=state.players[0])
    if state.ruleset.form == "loo5":
        if not state.ruleset.flush_autoclaim:
            return replace(leading, phase="claim")
        if holders(leading, claimants(leading)):
            return replace(leading, phase="show")
    return replace(leading, phase="play")


def after_claim(state: State) -> State:
    """Return the table after a claim, or after a word that there is none: all who may claim are heard."""
    waiting = [seat for seat in claimants(state) if seat not in state.answered]
    if waiting:
        return replace(state, phase="claim", turn=waiting[0])
    if state.shown:
        return after_flush(state)
    return replace(state, phase="play") if state.lone is None else walk_over(state, state.lone)
