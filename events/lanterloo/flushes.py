"""Flushes and blazes, which of them is best, and who has to pay (section 6)."""

from collections.abc import Sequence
from typing import Final

from events.cards import UNKNOWN, Card
from events.lanterloo.events import FlushKind
from events.lanterloo.ruleset import Ruleset
from events.lanterloo.state import Shown, State
from events.lanterloo.tricks import ABOVE_ACE, rank_of

SIZE: Final = 5
BLAZES: Final = ("pam_blaze", "blaze")
_ORDER: Final[tuple[FlushKind, ...]] = (
    "blaze",
    "pam_blaze",
    "plain_flush",
    "trump_flush",
    "pam_flush",
)
_COURT: Final = "KQJ"


def kind_of(state: State, cards: Sequence[Card]) -> FlushKind | None:
    """Return what five cards are (L-6.1, L-6.6), None if nothing or if one of them is not known."""
    if state.ruleset.form != "loo5" or len(cards) != SIZE or UNKNOWN in cards:
        return None
    pam = state.pam
    suits = {card[1] for card in cards if card != pam}
    if len(suits) == 1:
        return _flush(state, with_pam=pam in cards, suit=suits.pop())
    if state.ruleset.blaze != "below_flush":
        return None
    if all(card[0] in _COURT for card in cards if card != pam):
        return "pam_blaze" if pam in cards else "blaze"
    return None


def _flush(state: State, *, with_pam: bool, suit: str) -> FlushKind:
    if with_pam and state.ruleset.flush_classes == "pam_first":
        return "pam_flush"
    return "trump_flush" if suit == state.trump else "plain_flush"


def holders(state: State, seats: Sequence[int]) -> tuple[Shown, ...]:
    """Return the flushes and blazes that these seats hold and have not shown."""
    if state.ruleset.form != "loo5":
        return ()
    hands, lie_open = state.hands, {shown.seat for shown in state.shown}
    found = [(seat, kind_of(state, hands[seat])) for seat in seats if seat not in lie_open]
    return tuple([Shown(seat, kind, hands[seat]) for seat, kind in found if kind is not None])


def sweepers(state: State) -> tuple[int, ...]:
    """Return who sweeps the pool with the flushes shown, elder first: one seat unless the pool is split."""
    order = state.order
    shown = sorted(state.shown, key=lambda one: order.index(one.seat))
    if not shown:
        return ()
    highest = max(_ORDER.index(one.kind) for one in shown)
    best = [one for one in shown if _ORDER.index(one.kind) == highest]
    tie = _tie_rule(state.ruleset, best[0])
    if tie == "cards_then_elder":
        top = max(_ranks(state, one.cards) for one in best)
        best = [one for one in best if _ranks(state, one.cards) == top]
    return tuple(one.seat for one in (best if tie == "split" else best[:1]))


def _tie_rule(ruleset: Ruleset, shown: Shown) -> str:
    """Return how a class is decided; blazes always go to the elder hand (D-L16)."""
    return "elder" if shown.kind in BLAZES else ruleset.flush_tie


def _ranks(state: State, cards: Sequence[Card]) -> list[int]:
    ranks = (ABOVE_ACE if card == state.pam else rank_of(card) for card in cards)
    return sorted(ranks, reverse=True)


def claimants(state: State) -> tuple[int, ...]:
    """Return the seats whose flush would count if they had one (L-6.4, L-6.5)."""
    if state.ruleset.flush_looes == "shown_before_pass":
        return tuple(seat for seat in state.order if state.bids[seat] != "pass")
    if state.lone is not None:
        return (state.lone,) if state.ruleset.flush_looes == "all" else ()
    return state.players


def payers(state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return who is looed by a flush, and of whom the record does not show whether he is (L-6.4)."""
    winners = sweepers(state)
    everybody = state.ruleset.flush_looes == "all"
    liable = state.order if everybody else claimants(state)
    others = [seat for seat in liable if seat not in winners]
    certain = [seat for seat in others if not _is_exempt(state, seat)]
    open_ones = tuple(seat for seat in certain if _may_be_exempt(state, seat))
    return tuple(seat for seat in certain if seat not in open_ones), open_ones


def _is_exempt(state: State, seat: int) -> bool:
    if state.bids[seat] == "pass":
        return False
    holds_pam = state.pam is not None and state.pam in state.hands[seat]
    return holds_pam or any(one.seat == seat for one in state.shown)


def _may_be_exempt(state: State, seat: int) -> bool:
    """Tell whether a hand that the record does not know whole may hold Pam."""
    if state.bids[seat] == "pass" or UNKNOWN not in state.hands[seat] or state.pam is None:
        return False
    places = (*state.hands, *state.aside, state.stock, state.put_out)
    return not any(state.pam in place for place in places)
