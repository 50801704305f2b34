"""What is open in a deal of 5000 Rummy of which the record does not say which rank is wild (V-9b, 12.13)."""

from typing import Final

from events.game import Judgement, Unchecked

# What a card that can stand for others may change, where nobody knows which rank is wild.
_MENDED_BY_WILD_CARDS: Final = frozenset(
    {
        *("MELD_NEEDS_NATURAL", "GROUP_RANK", "GROUP_SUIT_REPEAT", "JOKER_STAYS"),
        *("RUN_SUIT", "RUN_NOT_CONSECUTIVE", "RUN_END", "END_UNDECLARED"),
        *("DEEP_CARD_UNMELDABLE", "MUST_MELD_DEEP_CARD", "MUST_MELD_JOKER"),
        *("NO_LEGAL_DISCARD_LEFT", "MUST_KEEP_DISCARD", "NOT_CALLABLE"),
    }
)


def if_none_were_wild(found: Judgement) -> Judgement:
    """Return a breach as open if another rank being wild could mend it (V-9b, 12.13)."""
    if found.code not in _MENDED_BY_WILD_CARDS:
        return found
    return Unchecked(found.code, found.rule, "unknown_card", found.seat, found.params)
