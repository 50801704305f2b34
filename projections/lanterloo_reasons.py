"""Why a legal act of Lanterloo is legal: the rule that allows or asks for it, as codes and parameters.

Pure, and no judge: ask only of acts that `judge` has nothing against. Facts of the dealer and the scorer are in
`lanterloo_fact_reasons.py`.
"""

from collections.abc import Iterator
from typing import Final

from events.cards import Card
from events.lanterloo.declaring import is_club_law, is_force, must_play, speaks_in_vain
from events.lanterloo.events import Bid, CardPlayed, Exchanged, FlushClaimed, LooEvent
from events.lanterloo.flushes import kind_of
from events.lanterloo.ruleset import must_head
from events.lanterloo.state import State
from events.lanterloo.tricks import (
    allowed,
    asks_civility,
    is_first_lead,
    is_trump,
    strength_in,
    suit_of,
)
from projections.lanterloo_fact_reasons import reason_of_fact
from projections.wording import Reason

_SPOKEN: Final = {"stand": "LOO_STAND", "pass": "LOO_PASS", "miss": "LOO_MISS"}


def reasons(state: State, event: LooEvent) -> tuple[Reason, ...]:
    """Return why this legal act is legal, the main reason first; there is always one."""
    match event:
        case Bid():
            return (_declared(state, event),)
        case Exchanged():
            return (_exchanged(event),)
        case FlushClaimed():
            return (_claimed(state, event),)
        case CardPlayed():
            return tuple(_follows(state, event) if state.trick else _leads(state, event))
        case _:
            return tuple(reason_of_fact(state, event))


# Declaring


def _declared(state: State, event: Bid) -> Reason:
    seat, choice = event.seat, event.choice
    if speaks_in_vain(state, seat):
        return Reason("LOO_IN_VAIN", "L-4.5", seat)
    if choice == "defend":
        return Reason("LOO_DEFEND", "L-4.8", seat)
    if choice == "miss" and is_force(state):
        return Reason("LOO_MISS_ELDEST", "L-5.2", seat)
    if choice == "stand" and must_play(state):
        return _forced(state, seat)
    if choice == "pass" and _gives_up(state, seat):
        return Reason("LOO_SURRENDER", "L-4.8", seat, {"expected": f"seat {state.dealer}"})
    rule = "L-4.6" if choice == "miss" else "L-4.1"
    return Reason(_SPOKEN[choice], rule, seat)


def _forced(state: State, seat: int) -> Reason:
    if is_club_law(state):
        return Reason("LOO_STAND_CLUB_LAW", "L-5.5", seat)
    return Reason("LOO_STAND_FORCED", "L-5.1", seat)


def _gives_up(state: State, seat: int) -> bool:
    """Tell whether a pass leaves the pool to the dealer, nobody else having stood (L-4.8)."""
    waiting = [one for one in state.order if state.bids[one] is None]
    falls = state.ruleset.all_pass == "dealer"  # noqa: S105
    return falls and not state.players and waiting == [seat, state.dealer]


def _exchanged(event: Exchanged) -> Reason:
    if not event.put_out:
        return Reason("LOO_KEEPS", "L-4.3", event.seat)
    return Reason("LOO_EXCHANGE", "L-4.3", event.seat, {"count": len(event.put_out)})


def _claimed(state: State, event: FlushClaimed) -> Reason:
    if not event.cards:
        return Reason("LOO_NO_CLAIM", "L-6.5", event.seat)
    kind = kind_of(state, event.cards)
    return Reason(
        "LOO_FLUSH", "L-6.5", event.seat, {"card": " ".join(event.cards), "kind": str(kind)}
    )


# Leading


def _leads(state: State, event: CardPlayed) -> Iterator[Reason]:
    yield _lead(state, event)
    if event.civil:
        yield Reason("LOO_CIVIL", "L-7.6", event.seat)


def _lead(state: State, event: CardPlayed) -> Reason:
    seat, card, hand = event.seat, event.card, state.hands[event.seat]
    if not must_head(state.ruleset):
        return Reason("LOO_LEAD_ANY", "L-7.2", seat, {"card": card})
    may = allowed(state, hand)
    if len(may) == len(hand):
        return Reason("LOO_LEAD_FREE", "L-8.1", seat, {"card": card})
    if may == (card,) and card[0] in "AK" and _ace_is_asked(state, card):
        return Reason("LOO_LEAD_ACE", "L-8.2", seat, {"card": card})
    if sum(is_trump(state, one) for one in hand) == 1:
        return Reason("LOO_LEAD_TRUMP_AGAIN", "L-8.3", seat, {"card": card})
    if not is_first_lead(state) and state.ruleset.lead_two_scope == "first_lead":
        return Reason("LOO_LEAD_TRUMP_AGAIN", "L-8.3", seat, {"card": card})
    return Reason("LOO_LEAD_TWO", "L-8.1", seat, {"card": card})


def _ace_is_asked(state: State, card: Card) -> bool:
    """Tell whether this is the best trump that has to be led (L-8.2)."""
    rule = state.ruleset.lead_ace
    if rule == "off" or (rule == "ace_first_lead" and not is_first_lead(state)):
        return False
    return card == f"A{state.trump}" or card == f"K{state.trump}"


# Following


def _follows(state: State, event: CardPlayed) -> Iterator[Reason]:
    yield _follow(state, event.seat, event.card)
    if state.pam in state.hands[event.seat] and asks_civility(state) and event.card != state.pam:
        yield Reason("LOO_PAM_WAITS", "L-7.6", event.seat)


def _follow(state: State, seat: int, card: Card) -> Reason:
    hand, led = state.hands[seat], suit_of(state, state.trick[0].card)
    if card == state.pam:
        return _pam(state, seat, card, led)
    heads, rule = _heads(state, card, led), "L-8.4" if must_head(state.ruleset) else "L-7.3"
    if suit_of(state, card) == led:
        code = "LOO_FOLLOW_HEADS" if heads else "LOO_FOLLOW"
        if not heads and must_head(state.ruleset):
            code = "LOO_FOLLOW_LOW"
        return Reason(code, rule, seat, {"card": card})
    if must_head(state.ruleset) and is_trump(state, card) and heads:
        return Reason("LOO_TRUMPS", rule, seat, {"card": card})
    if len(allowed(state, hand)) < len(hand) and is_trump(state, card):
        return Reason("LOO_UNDERTRUMPS", rule, seat, {"card": card})
    return Reason(
        "LOO_VOID_LOW" if must_head(state.ruleset) else "LOO_VOID", rule, seat, {"card": card}
    )


def _pam(state: State, seat: int, card: Card, led: str | None) -> Reason:
    """Return why Pam may be played to a trick (L-3.2, L-7.4, L-7.6)."""
    if len(state.hands[seat]) == 1 and asks_civility(state):
        return Reason("LOO_PAM_LAST", "L-7.6", seat, {"card": card})
    if state.ruleset.pam_suit == "free":
        return Reason("LOO_PAM_FREE", "L-3.2", seat, {"card": card})
    if suit_of(state, card) == led:
        return Reason("LOO_PAM_FOLLOWS", "L-7.4", seat, {"card": card})
    return Reason("LOO_PAM_TRUMPS", "L-7.4", seat, {"card": card})


def _heads(state: State, card: Card, led: str | None) -> bool:
    return strength_in(state, card, led) > max(
        strength_in(state, one.card, led) for one in state.trick
    )
