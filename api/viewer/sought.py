"""Where a card was through a game: places with the versions from which to which it lay there, as the reader sees it.

Everything is computed from what he may see at each version, so nothing here tells more than the table does.
"""

from typing import Any, Final

from api.viewer.show import Show
from events.cards import UNKNOWN, parse_card
from events.errors import CardError
from projections.whereabouts import Stay

_SUITS: Final = str.maketrans("♠♥♦♣", "SHDC", "\ufe0e\ufe0f")


def sought(show: Show, words: str, upto: int) -> dict[str, Any]:
    """Return what fills `sought.html`: the card that was asked for, and its stays up to a version, deal by deal."""
    card = _read(words)
    found = show.stays(card, upto) if card else []
    deals: dict[int, list[tuple[int, str]]] = {}
    for stay in found:
        deals.setdefault(stay.deal, []).append((stay.first, _place(show, stay)))
    return {
        "words": words,
        "name": show.texts.symbol(card) if card else None,
        "deals": list(deals.items()),
    }


def _read(words: str) -> str | None:
    """Return the card that somebody means, who may write 10h or 7♥ for it; None if it is none."""
    text = words.strip().translate(_SUITS).upper().replace("10", "T").replace("’", "'")
    try:
        card = parse_card(text)
    except CardError:
        return None
    return None if card == UNKNOWN else card


def _place(show: Show, stay: Stay) -> str:
    who = "" if stay.seat is None else show.names[stay.seat]
    meant = f" = {show.texts.symbol(stay.meant)}" if stay.meant else ""
    return show.texts.fill(f"place.{stay.place}", who=who, meld=stay.meld) + meant
