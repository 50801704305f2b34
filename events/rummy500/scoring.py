"""What cards are worth, and what a deal and a game come to (R-2, R-9)."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from events.cards import (
    BARE,
    JOKERS,
    JOKERS_ONLY,
    RANK,
    UNKNOWN,
    Card,
    Placed,
    physical,
    stands_for,
)
from events.rummy500.lying import is_natural
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Meld, State

ACE_VALUE: Final = 15
JOKER_VALUE: Final = 15
COURT_VALUE: Final = 10
DEAREST_5000: Final = 100
"""What an ace and a wild card count at a table of 5000 Rummy (V-9b)."""
ABANDONED: Final = "ABANDONED"


def _values(pip: Callable[[int], int]) -> dict[Card, int]:
    naturals = {card: COURT_VALUE if rank >= 10 else pip(rank) for card, rank in RANK.items()}
    aces = {card: ACE_VALUE for card, rank in RANK.items() if rank == 1}
    return naturals | aces | dict.fromkeys(JOKERS, JOKER_VALUE)


_VALUES: Final = {
    "face": _values(lambda rank: rank),
    "five_ten_fifteen": _values(lambda _: 5),
}


def card_value(card: Card, ruleset: Ruleset, wilds: str = JOKERS_ONLY) -> int:
    """Return what a known card counts in hand, or on the table where no position decides (R-2.1, V-2, V-9b)."""
    return _values_of(ruleset, wilds)[card]


def _values_of(ruleset: Ruleset, wilds: str) -> Mapping[Card, int]:
    if ruleset.variant == "rummy5000":
        return _values_5000(wilds)
    return _VALUES[ruleset.values]


@cache
def _values_5000(wilds: str) -> Mapping[Card, int]:
    return {
        card: DEAREST_5000 if card[0] in "A" + wilds else value
        for card, value in _VALUES["five_ten_fifteen"].items()
    }


def low_ace_value(ruleset: Ruleset) -> int:
    """Return what an ace directly below the two of its suit counts (R-2.2, V-2, `low_ace`)."""
    if ruleset.variant == "rummy5000":
        return DEAREST_5000
    if ruleset.low_ace == "fifteen":
        return ACE_VALUE
    return 1 if ruleset.values == "face" else 5


def table_values(meld: Meld, ruleset: Ruleset, wilds: str = JOKERS_ONLY) -> list[int]:
    """Return what each card of a meld counts, in the meld's order; cards beside it count as in hand."""
    value, cards = _values_of(ruleset, wilds), [laid.card for laid in meld.cards]
    text = "".join(cards)
    if "X" in text or "=" in text:
        cards = _counting(cards, meld, ruleset)
    if ruleset.joker_scores == "represented":
        value = _values_of(ruleset, JOKERS_ONLY)
    values = [value[card] for card in cards]
    if meld.kind == "sequence":
        for index in [index for index, card in enumerate(cards[:-1]) if card[0] == "A"]:
            values[index] = low_ace_value(ruleset)
    if not meld.beside:
        return values
    value = _values_of(ruleset, wilds)
    return values + [value[physical(laid.card)] for laid in meld.beside]


def _counting(cards: list[Placed], meld: Meld, ruleset: Ruleset) -> list[Card]:
    """Return the cards by which those of a meld count: a joker by itself, or by what it stands for (D-R05).

    As what it stands for a wild card counts by that rank alone (12.11).
    """
    if ruleset.joker_scores == "own_value":
        return [card if len(card) <= BARE else physical(card) for card in cards]
    return [_represented(card, meld) for card in cards]


def _represented(placed: Placed, meld: Meld) -> Card:
    if is_natural(placed):
        return physical(placed)
    if meld.kind == "sequence":
        return stands_for(placed) or physical(placed)
    others = (laid.card for laid in meld.cards if is_natural(laid.card))
    return next(others, physical(placed))


def table_points(state: State) -> list[int]:
    """Return what lies on the table for each seat; R-5.4, or the meld's founder (`layoff_credit`)."""
    points = [0] * state.seats
    to_founder = state.ruleset.layoff_credit == "owner"
    for meld in state.table:
        values = table_values(meld, state.ruleset, state.wilds)
        if to_founder:
            points[meld.founder] += sum(values)
            continue
        for laid, value in zip(meld.cards + meld.beside, values, strict=True):
            points[laid.seat] += value
    return points


def hand_bounds(
    hand: Sequence[Card], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> tuple[int, int]:
    """Return the least and the most that a hand counts; an unknown card counts 2 to 15 (12.13), 5 to 100 (V-9b)."""
    cheapest, dearest = 2 if ruleset.values == "face" else 5, ACE_VALUE
    if ruleset.variant == "rummy5000":
        cheapest, dearest = 5, DEAREST_5000
    unknown = hand.count(UNKNOWN)
    value = _values_of(ruleset, wilds)
    sure = sum([value[card] for card in hand if card != UNKNOWN])
    return sure + cheapest * unknown, sure + dearest * unknown


def score_bounds(state: State) -> list[tuple[int, int]]:
    """Return each seat's least and greatest score for this deal as it stands (R-9.1).

    A deal that was broken off counts only what lies on the table.
    """
    points = table_points(state)
    if state.ended == ABANDONED:
        return [(value, value) for value in points]
    bounds = []
    for seat, (hand, cost) in enumerate(zip(state.hands, _penalties(state), strict=True)):
        sure = points[seat] - cost + _out_bonus(state, seat)
        low, high = hand_bounds(hand, state.ruleset, state.wilds)
        bounds.append((sure - high, sure - low))
    if state.wild_is_unknown:
        return [_if_any_were_wild(bound, state) for bound in bounds]
    return bounds


def _out_bonus(state: State, seat: int) -> int:
    """Return what going out brings: so many points for each card that the others still hold (`out_bonus`)."""
    if seat != state.out or not state.ruleset.out_bonus:
        return 0
    return state.ruleset.out_bonus * sum(map(len, state.hands))


def _if_any_were_wild(bound: tuple[int, int], state: State) -> tuple[int, int]:
    """Widen a score by what cards may count more where nobody knows which rank is wild (V-9b, 12.13)."""
    room = (DEAREST_5000 - 5) * state.in_play
    return bound[0] - room, bound[1] + room


def _penalties(state: State) -> tuple[int, ...]:
    """Return what wrong calls have cost each seat (D-R19)."""
    return state.penalties or (0,) * state.seats


def winner_of(totals: Sequence[int], ruleset: Ruleset, went_out: int | None) -> int | None:
    """Return who has won after a scored deal, None if another is dealt (R-9.5, R-9.6, V-8)."""
    if ruleset.win == "must_go_out":
        return went_out if went_out is not None and _reaches(totals[went_out], ruleset) else None
    best = max(totals)
    if not _reaches(best, ruleset) or totals.count(best) > 1:
        return None
    return totals.index(best)


def _reaches(total: int, ruleset: Ruleset) -> bool:
    return total > ruleset.target if ruleset.target_test == "gt" else total >= ruleset.target
