"""Which card may be played and which takes the trick (sections 3, 7 and 8); nothing here changes a table."""

from collections.abc import Sequence
from typing import Final

from events.cards import RANK, RANKS, UNKNOWN, Card
from events.lanterloo.events import Played
from events.lanterloo.ruleset import Ruleset, must_head
from events.lanterloo.state import State

ACE: Final = 14
ABOVE_ACE: Final = 15
_IN_PLAY: Final = {card: ACE if rank == 1 else rank for card, rank in RANK.items()}

# Why a card may not be played: code, rule, and the cards that may.
Refusal = tuple[str, str, tuple[Card, ...]]


def pam_for(ruleset: Ruleset, trump: str | None, turn_up: Card | None) -> Card | None:
    """Return the card that is Pam in a hand with this trump, None if there is none (L-3.2, L-3.3)."""
    if ruleset.form != "loo5":
        return None
    if ruleset.pam_card == "trump_knave":
        pam = None if trump is None else f"J{trump}"
    else:
        pam = ruleset.pam_card
    return None if pam == turn_up else pam


def rank_of(card: Card) -> int:
    """Return a card's rank in play, 2 to 14 with the ace on top (L-3.1); 0 for one that is not known."""
    return _IN_PLAY.get(card, 0)


def is_trump(state: State, card: Card) -> bool:
    """Tell whether a card is a trump; Pam always is the highest (L-3.2)."""
    return card == state.pam or card[1] == state.trump


def suit_of(state: State, card: Card) -> str | None:
    """Return the suit that a card belongs to in leading and following (L-7.4)."""
    if card == state.pam and state.ruleset.pam_suit != "clubs":
        return state.trump
    return card[1]


def winner_of(state: State, trick: Sequence[Played]) -> int | None:
    """Return who takes a trick (L-7.5); None if the record does not know a card of it, or the trumps."""
    if not trick or state.trump is None or UNKNOWN in [one.card for one in trick]:
        return None
    led = suit_of(state, trick[0].card)
    return max(trick, key=lambda one: strength_in(state, one.card, led)).seat


def strength_in(state: State, card: Card, led: str | None) -> tuple[int, int]:
    """Return how strong a card is in a trick to which this suit was led: the higher, the stronger (L-7.5)."""
    if card == state.pam:
        return 2, ABOVE_ACE
    if card[1] == state.trump:
        return 2, _IN_PLAY.get(card, 0)
    return int(card[1] == led), _IN_PLAY.get(card, 0)


def asks_civility(state: State) -> bool:
    """Tell whether Pam has to let the card led pass: the ace of trumps, with the words (L-7.6)."""
    if state.pam is None or not state.trick or state.ruleset.civil == "off":
        return False
    lead = state.trick[0]
    said = lead.civil or state.ruleset.civil == "auto"
    return said and lead.card == f"A{state.trump}"


def refusal(state: State, hand: Sequence[Card], card: Card) -> Refusal | None:
    """Return why this card of a hand may not be led or played now, None if it may."""
    return _refused_follow(state, hand, card) if state.trick else _refused_lead(state, hand, card)


def allowed(state: State, hand: Sequence[Card]) -> tuple[Card, ...]:
    """Return the cards of a hand that may be led, or played to the trick."""
    return _follows(state, hand) if state.trick else _leads(state, hand)[0]


# Following


def _refused_follow(state: State, hand: Sequence[Card], card: Card) -> Refusal | None:
    may = _follows(state, hand)
    if card in may:
        return None
    if card == state.pam and asks_civility(state):
        return "PAM_BE_CIVIL", "L-7.6", may
    suit = suit_of(state, state.trick[0].card)
    if suit_of(state, card) != suit and any(suit_of(state, one) == suit for one in may):
        return "MUST_FOLLOW", "L-8.4" if must_head(state.ruleset) else "L-7.3", may
    if card == state.pam and not must_head(state.ruleset):
        return "MUST_FOLLOW", "L-7.4", may
    return "MUST_HEAD", "L-8.4", may


def _follows(state: State, hand: Sequence[Card]) -> tuple[Card, ...]:
    pam = state.pam
    if pam is None or pam not in hand:
        return _plain_follows(state, hand)
    rest = [card for card in hand if card != pam]
    own_trumps = [card for card in rest if card[1] == state.trump]
    binds = _pam_follows_trumps(state)
    if rest and asks_civility(state):
        if state.ruleset.civil_scope == "without_revoke" and binds and not own_trumps:
            return (pam,)
        return _plain_follows(state, rest)
    if state.ruleset.pam_suit == "free":
        return (*(_plain_follows(state, rest) if rest else ()), pam)
    if not binds and suit_of(state, state.trick[0].card) == state.trump:
        return _plain_follows(state, rest) if own_trumps else tuple(hand)
    return _plain_follows(state, hand)


def _pam_follows_trumps(state: State) -> bool:
    """Tell whether Pam has to be played to a trump if it is the only one (L-7.4)."""
    rule = state.ruleset.pam_suit
    return rule == "trump" or (rule == "clubs" and state.pam == f"J{state.trump}")


def _plain_follows(state: State, hand: Sequence[Card]) -> tuple[Card, ...]:
    """Return what follows by suit and, in three-card Loo, heads the trick (L-7.3, L-8.4)."""
    suit = suit_of(state, state.trick[0].card)
    of_suit = tuple([card for card in hand if suit_of(state, card) == suit])
    if not must_head(state.ruleset):
        return of_suit or tuple(hand)
    if of_suit:
        return _heading(state, of_suit) or of_suit
    trumps = tuple(card for card in hand if is_trump(state, card))
    forced = trumps if state.ruleset.must_undertrump else ()
    return _heading(state, trumps) or forced or tuple(hand)


def _heading(state: State, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the cards that beat the best of the trick so far; none if it holds one that is not known."""
    lying = [one.card for one in state.trick]
    if UNKNOWN in lying:
        return ()
    led = suit_of(state, lying[0])
    best = max([strength_in(state, card, led) for card in lying])
    return tuple([card for card in cards if strength_in(state, card, led) > best])


# Leading


def _refused_lead(state: State, hand: Sequence[Card], card: Card) -> Refusal | None:
    may, code, rule = _leads(state, hand)
    return None if card in may else (code, rule, may)


def is_first_lead(state: State) -> bool:
    """Tell whether no trick has been taken yet."""
    return not any(state.tricks) and not state.played


def _leads(state: State, hand: Sequence[Card]) -> tuple[tuple[Card, ...], str, str]:
    """Return the cards that may be led, with the code and rule that forbid the others."""
    if not must_head(state.ruleset):
        return tuple(hand), "", ""
    ace = _bound_ace(state, hand)
    if ace is not None:
        return (ace,), "MUST_LEAD_ACE", "L-8.2"
    trumps = sorted((c for c in hand if is_trump(state, c)), key=lambda c: -_trump_rank(state, c))
    every = state.ruleset.lead_two_scope == "every_lead"
    if len(trumps) > 1 and (every or is_first_lead(state)) and state.ruleset.lead_two != "off":
        return _of_two(state, trumps), "MUST_LEAD_TRUMP", "L-8.1"
    if trumps and state.ruleset.trump_after_trick and not is_first_lead(state):
        return tuple(trumps), "MUST_LEAD_TRUMP", "L-8.3"
    return tuple(hand), "", ""


def _bound_ace(state: State, hand: Sequence[Card]) -> Card | None:
    """Return the ace of trumps, or the king if the ace is turned up, if it has to be led (L-8.2)."""
    rule = state.ruleset.lead_ace
    if rule == "off" or (rule == "ace_first_lead" and not is_first_lead(state)):
        return None
    ace, king = f"A{state.trump}", f"K{state.trump}"
    if ace in hand:
        return ace
    return king if rule == "ace_or_king" and state.turn_up == ace and king in hand else None


def _of_two(state: State, trumps: Sequence[Card]) -> tuple[Card, ...]:
    """Return which of two or more trumps, highest first, may be led (L-8.1)."""
    rule = state.ruleset.lead_two
    if rule == "any_trump" or (rule == "highest_if_two_players" and len(state.players) != 2):
        return tuple(trumps)
    if rule == "highest_if_two_players" and _are_adjacent(state, trumps[0], trumps[1]):
        return tuple(trumps[:2])
    return (trumps[0],)


def _trump_rank(state: State, card: Card) -> int:
    return ABOVE_ACE if card == state.pam else rank_of(card)


def _are_adjacent(state: State, high: Card, low: Card) -> bool:
    """Tell whether no trump that can be in play lies between two of them; the turn-up fills a gap."""
    between = range(_trump_rank(state, low) + 1, _trump_rank(state, high))
    return all(_face(state, rank) in (state.turn_up, state.pam) for rank in between)


def _face(state: State, rank: int) -> Card:
    return f"{RANKS[0 if rank == ACE else rank - 1]}{state.trump}"
