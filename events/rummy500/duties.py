"""What a draw or a play must leave possible (R-6.6, R-6.7, R-6.11, V-3, V-5)."""

from collections.abc import Iterator

from events.cards import UNKNOWN, Card, physical
from events.game import Judgement, Unchecked, Violation
from events.rummy500.ending import (
    Outlook,
    barred_cards,
    can_end,
    duty_plays,
    may_discard_some,
    must_be_new,
    outlook,
)
from events.rummy500.events import LaidOff, MeldLaid
from events.rummy500.reach import can_be_laid_off
from events.rummy500.state import State
from events.rummy500.turns import fault


def judge_lift(after: State, seat: int) -> Judgement | None:
    """Judge cards lifted from the pile by what they leave possible; *after* has them in hand."""
    if after.duty is None:
        return _self_trap(after, seat)
    view = outlook(after, seat)
    if can_end(view):
        return None
    if UNKNOWN in view.hand:
        return Unchecked(
            "DEEP_CARD_UNMELDABLE", "R-6.7", "unknown_card", seat, {"card": after.duty}
        )
    return _why_not(view, seat)


def _self_trap(after: State, seat: int) -> Violation | None:
    hand, barred = after.hands[seat], barred_cards(after)
    if may_discard_some(hand, barred) or can_end(outlook(after, seat)):
        return None
    return fault("NO_LEGAL_DISCARD_LEFT", "R-6.11", seat, "a card to discard", " ".join(hand))


def _why_not(view: Outlook, seat: int) -> Violation:
    """Return why a deep draw or call cannot be carried through: no way at all, or no discard after it."""
    duty = view.duty or UNKNOWN
    plays = duty_plays(view, all_bridges=False)
    rests = [len(view.hand) - len(play.used) for play in plays]
    if not rests:
        return fault("DEEP_CARD_UNMELDABLE", "R-6.7", seat, "a way to meld it", duty)
    if any(rests):
        return fault("NO_LEGAL_DISCARD_LEFT", "R-6.11", seat, "a card to discard", duty)
    return fault("MUST_KEEP_DISCARD", "V-5", seat, "a card to discard", duty)


def judge_play_duty(state: State, after: State, event: MeldLaid | LaidOff) -> Iterator[Judgement]:
    """Yield what a meld or lay-off breaks of this turn's duty and of the turn's end.

    *after* is the table with the act carried out.
    """
    seat, done = event.seat, after.duty is None
    if state.duty == UNKNOWN:
        return  # which card must go down is not known: the discard says so
    if state.duty is not None:
        if done and uses_hand_cards(state, event):
            yield fault("MUST_MELD_DEEP_CARD", "D-R15", seat, "cards of the pile only", state.duty)
            return
        if not done and state.ruleset.deep_timing == "next_play":
            yield _owed(state, seat)
            return
        if done and must_be_new(state) and isinstance(event, LaidOff):
            yield fault("MUST_BE_NEW_MELD", "V-3b", seat, "a new meld", state.duty)
            return
    if not after.hands[seat] and state.ruleset.go_out == "discard_required":
        yield fault("MUST_KEEP_DISCARD", "V-5", seat, "a card to discard", "no card left")
    elif after.phase == "play" and after.hands[seat]:
        yield from _still_ends(state, after, seat)


def uses_hand_cards(state: State, event: MeldLaid | LaidOff) -> bool:
    """Tell whether a called card is put down with cards that the table wants left out of it (D-R15)."""
    if state.drawn != "call" or state.ruleset.call_meld_may_use_hand:
        return False
    used = event.cards if isinstance(event, MeldLaid) else tuple(p.card for p in event.cards)
    return any(physical(card) not in state.taken for card in used)


def _still_ends(state: State, after: State, seat: int) -> Iterator[Judgement]:
    barred = barred_cards(after)
    fulfilled = after.duty is None and not after.owed
    if fulfilled and may_discard_some(after.hands[seat], barred):
        return
    if can_end(outlook(after, seat)):
        return
    if UNKNOWN in after.hands[seat]:
        code = "NO_LEGAL_DISCARD_LEFT" if after.duty is None else "MUST_MELD_DEEP_CARD"
        params: dict[str, str | int] = {"card": after.duty or " ".join(after.owed)}
        yield Unchecked(code, "R-6.11", "unknown_card", seat, params)
    elif not can_end(outlook(state, seat)):
        return
    elif after.duty is None:
        left = " ".join(after.hands[seat])
        yield fault("NO_LEGAL_DISCARD_LEFT", "R-6.11", seat, "a card to discard", left)
    else:
        yield _owed(after, seat, "R-6.11")


def judge_discard_duty(state: State, seat: int, card: Card) -> Iterator[Judgement]:
    """Yield what a discard breaks: a duty still open (R-6.6), a card that may not be thrown back (R-6.4)."""
    if state.duty == UNKNOWN:
        yield Unchecked("MUST_MELD_DEEP_CARD", "R-6.6", "unknown_card", seat)
    elif state.duty is not None:
        yield _owed(state, seat)
    if state.owed:
        yield fault("MUST_MELD_JOKER", "12.11", seat, " ".join(state.owed), card)
    if len(state.hands[seat]) == 1:
        yield from _last_card(state, seat, card)
    hand, barred = state.hands[seat], barred_cards(state)
    if card not in barred:
        return
    rule = "R-6.4" if state.ruleset.redraw_scope != "any_taken" else "12.11"
    if hand.count(card) > barred.count(card):
        yield Unchecked("REDISCARD_OF_DRAWN_TOP", rule, "equal_cards", seat, {"card": card})
    else:
        yield fault("REDISCARD_OF_DRAWN_TOP", rule, seat, "another card", card)


def judge_swap_duty(state: State, after: State, seat: int) -> Iterator[Judgement]:
    """Yield what a swap makes impossible; *after* is the table with the joker in hand."""
    if can_end(outlook(after, seat)) or not can_end(outlook(state, seat)):
        return
    if UNKNOWN in after.hands[seat]:
        yield Unchecked("MUST_MELD_JOKER", "12.11", "unknown_card", seat, {"card": after.owed[-1]})
    else:
        yield fault("MUST_MELD_JOKER", "12.11", seat, "a way to meld it", " ".join(after.owed))


def _last_card(state: State, seat: int, card: Card) -> Iterator[Judgement]:
    """Yield what is wrong with going out by discarding a card that could be laid off (V-7)."""
    ruleset = state.ruleset
    if ruleset.go_out != "floating_unplayable" or ruleset.illegal_final_discard == "challenge":
        return
    if card == UNKNOWN:
        yield Unchecked("FINAL_DISCARD_PLAYABLE", "12.7", "unknown_card", seat)
    elif can_be_laid_off(card, state.table, ruleset, state.wilds):
        yield fault("FINAL_DISCARD_PLAYABLE", "12.7", seat, "an unplayable card", card)


def _owed(state: State, seat: int, rule: str = "") -> Violation:
    """Return the violation of a duty: R-8.5 for a called card, else R-6.6 or V-3."""
    if not rule:
        single = len(state.taken) == 1
        of_one = "V-3b" if state.ruleset.pile_rule == "always_new_meld" else "V-3a"
        rule = "R-8.5" if state.drawn == "call" else of_one if single else "R-6.6"
        rule = rule if state.drawn is not None else "12.7"
    return fault("MUST_MELD_DEEP_CARD", rule, seat, state.duty or UNKNOWN)
