"""What cards are worth, and what a deal and a game come to (R-2, R-9)."""

from collections.abc import Callable, Sequence
from typing import Final

from events.cards import JOKERS, RANK, UNKNOWN, Card, Placed, physical, stands_for
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Meld, State

ACE_VALUE: Final = 15
JOKER_VALUE: Final = 15
COURT_VALUE: Final = 10
ABANDONED: Final = "ABANDONED"


def _values(pip: Callable[[int], int]) -> dict[Card, int]:
    naturals = {card: COURT_VALUE if rank >= 10 else pip(rank) for card, rank in RANK.items()}
    aces = {card: ACE_VALUE for card, rank in RANK.items() if rank == 1}
    return naturals | aces | dict.fromkeys(JOKERS, JOKER_VALUE)


_VALUES: Final = {
    "face": _values(lambda rank: rank),
    "five_ten_fifteen": _values(lambda _: 5),
}


def card_value(card: Card, ruleset: Ruleset) -> int:
    """Return what a known card counts in hand, or on the table where no position decides (R-2.1, V-2)."""
    return _VALUES[ruleset.values][card]


def low_ace_value(ruleset: Ruleset) -> int:
    """Return what an ace directly below the two of its suit counts (R-2.2, V-2, `low_ace`)."""
    if ruleset.low_ace == "fifteen":
        return ACE_VALUE
    return 1 if ruleset.values == "face" else 5


def table_values(meld: Meld, ruleset: Ruleset) -> list[int]:
    """Return what each card of a meld counts, in the meld's order; cards beside it count as in hand."""
    value, cards = _VALUES[ruleset.values], [laid.card for laid in meld.cards]
    if not RANK.keys() >= set(cards):
        cards = [_counts_as(card, meld, ruleset) for card in cards]
    values = [value[card] for card in cards]
    if meld.kind == "sequence":
        for index, card in enumerate(cards[:-1]):
            if card[0] == "A":
                values[index] = low_ace_value(ruleset)
    return values + [value[physical(laid.card)] for laid in meld.beside]


def _counts_as(placed: Placed, meld: Meld, ruleset: Ruleset) -> Card:
    """Return the card by which a placed one counts: a joker by itself, or by what it stands for (D-R05)."""
    if placed[0] != "X":
        return physical(placed)
    if ruleset.joker_scores == "own_value":
        return physical(placed)
    if meld.kind == "sequence":
        return stands_for(placed) or physical(placed)
    others = (laid.card for laid in meld.cards if laid.card[0] != "X")
    return next(map(physical, others), physical(placed))


def table_points(state: State) -> list[int]:
    """Return what lies on the table for each seat; R-5.4, or the meld's founder (`layoff_credit`)."""
    points = [0] * state.seats
    to_founder = state.ruleset.layoff_credit == "owner"
    for meld in state.table:
        values = table_values(meld, state.ruleset)
        if to_founder:
            points[meld.founder] += sum(values)
            continue
        for laid, value in zip(meld.cards + meld.beside, values, strict=True):
            points[laid.seat] += value
    return points


def hand_bounds(hand: Sequence[Card], ruleset: Ruleset) -> tuple[int, int]:
    """Return the least and the most that a hand counts; an unknown card counts 2 to 15 (12.13)."""
    cheapest = 2 if ruleset.values == "face" else 5
    unknown = hand.count(UNKNOWN)
    value = _VALUES[ruleset.values]
    sure = sum([value[card] for card in hand if card != UNKNOWN])
    return sure + cheapest * unknown, sure + ACE_VALUE * unknown


def score_bounds(state: State) -> list[tuple[int, int]]:
    """Return each seat's least and greatest score for this deal as it stands (R-9.1).

    A deal that was broken off counts only what lies on the table.
    """
    points = table_points(state)
    if state.ended == ABANDONED:
        return [(value, value) for value in points]
    bounds = []
    for value, cost, hand in zip(points, _penalties(state), state.hands, strict=True):
        low, high = hand_bounds(hand, state.ruleset)
        bounds.append((value - cost - high, value - cost - low))
    return bounds


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
