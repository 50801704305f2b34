"""What a hand that the record does not know whole lets us say about a card played from it (L-12.3)."""

from events.cards import UNKNOWN, Card
from events.lanterloo.ruleset import must_head
from events.lanterloo.state import State
from events.lanterloo.tricks import asks_civility, is_first_lead, suit_of
from events.lanterloo.whereabouts import without

# The code and rule that cannot be checked.
Duty = tuple[str, str]


def hand_that_played(state: State, seat: int, card: Card) -> tuple[Card, ...]:
    """Return what the record knows of a hand that played this card, the card itself among it."""
    return tuple(one for one in _with_card(state, seat, card) if one != UNKNOWN)


def _with_card(state: State, seat: int, card: Card) -> tuple[Card, ...]:
    hand = state.hands[seat]
    if card not in hand and UNKNOWN in hand:
        return (*without(hand, UNKNOWN), card)
    return hand


def cannot_tell(state: State, seat: int, card: Card) -> Duty | None:
    """Return the duty that a card, in order by the known part of its hand, may still have broken.

    None if whatever else the hand holds changes nothing: it is known whole, or the card is right anyway.
    """
    if state.trump is None:
        return "MUST_FOLLOW", "L-7.3"
    if UNKNOWN not in _with_card(state, seat, card) and not _has_unknown(state):
        return None
    if not state.trick:
        return _about_lead(state) if UNKNOWN in _with_card(state, seat, card) else None
    follows = suit_of(state, card) == suit_of(state, state.trick[0].card)
    if card == state.pam and asks_civility(state):
        return "PAM_BE_CIVIL", "L-7.6"
    if follows and not must_head(state.ruleset):
        return None
    if follows:
        return "MUST_HEAD", "L-8.4"
    return "MUST_FOLLOW", "L-8.4" if must_head(state.ruleset) else "L-7.3"


def _has_unknown(state: State) -> bool:
    """Tell whether the trick itself holds a card that the record does not know."""
    return any(one.card == UNKNOWN for one in state.trick)


def _about_lead(state: State) -> Duty | None:
    ruleset = state.ruleset
    if not must_head(ruleset):
        return None
    if ruleset.lead_ace == "ace_or_king" or (
        ruleset.lead_ace == "ace_first_lead" and is_first_lead(state)
    ):
        return "MUST_LEAD_ACE", "L-8.2"
    every = ruleset.lead_two_scope == "every_lead"
    two = ruleset.lead_two != "off" and (every or is_first_lead(state))
    later = ruleset.trump_after_trick and not is_first_lead(state)
    if not two and not later:
        return None
    return "MUST_LEAD_TRUMP", "L-8.1" if two else "L-8.3"
