"""Swapping a joker on the table for the very card that it stands for (`joker_swap`, 12.11)."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from events.cards import SUIT, UNKNOWN, Card, is_joker, physical
from events.game import Violation
from events.rummy500.lying import face_placed, group_rank, is_natural
from events.rummy500.melds import natural_suits
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld
from events.rummy500.turns import fault


def may_swap(ruleset: Ruleset) -> bool:
    """Tell whether jokers or wild cards can be swapped for at all."""
    return ruleset.joker_swap or ruleset.wild_swap


def swap_fault(meld: Meld, joker: Card, card: Card, seat: int | None) -> Violation | None:
    """Return why a natural card cannot take this joker's place, None if it can."""
    placed = next((laid.card for laid in meld.cards if physical(laid.card) == joker), None)
    if placed is None or is_natural(placed):
        return fault("NO_SUCH_MELD", "12.11", seat, f"a meld with {joker}", meld.meld)
    if is_joker(card) or card == UNKNOWN:
        return fault("JOKER_STAYS", "R-4.3", seat, "a natural card", card)
    if meld.kind == "sequence":
        face = face_placed(placed)
        return None if card[:2] == face else fault("JOKER_STAYS", "R-4.3", seat, face or "", card)
    if card[0] != group_rank(meld):
        return fault("GROUP_RANK", "R-3.2", seat, group_rank(meld) or "", card)
    if SUIT[card] in natural_suits(meld):
        return fault("GROUP_SUIT_REPEAT", "R-3.3", seat, "a missing suit", card)
    return None


def swapped(meld: Meld, joker: Card, laid: Laid) -> Meld:
    """Return the meld with the card in the joker's place, in a layer of its own."""
    cards = tuple(laid if physical(there.card) == joker else there for there in meld.cards)
    return msgspec.structs.replace(meld, cards=cards)


def swaps(hand: Sequence[Card], table: Iterable[Meld]) -> Iterator[tuple[Meld, Card, Card]]:
    """Yield (meld, joker, card) for every swap that the cards of a hand allow."""
    naturals = sorted(card for card in set(hand) if card != UNKNOWN and not is_joker(card))
    for meld in table:
        jokers = [physical(laid.card) for laid in meld.cards if not is_natural(laid.card)]
        for joker in jokers:
            for card in naturals:
                if swap_fault(meld, joker, card, None) is None:
                    yield meld, joker, card
