"""A second opinion on melds, lay-offs and how a turn can end: naive, by brute force, for small hands only.

Written from the rules and from nothing else; it shares no code with the engine but the texts of cards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

Cards = tuple[str, ...]
Kind = Literal["group", "sequence"]
Scope = Literal["physical_card", "same_face", "any_taken"]

LINE = "A23456789TJQKA"
"""The ranks along a sequence: an ace at either end, place 0 to 13."""


@dataclass(frozen=True)
class Options:
    """Those options of a table that decide what may be put down and how a turn may end."""

    min_naturals: int = 1
    run_two_aces: bool = False
    around_corner: bool = False
    must_keep_discard: bool = False
    redraw_scope: Scope = "physical_card"
    by_turn_end: bool = False
    new_meld_only: bool = False


@dataclass(frozen=True)
class Group:
    cards: Cards


@dataclass(frozen=True)
class Run:
    """A sequence by its suit and its first and last place on an endless line of ranks, place 0 an ace."""

    suit: str
    low: int
    high: int


Table = tuple[Group | Run, ...]


def is_wild(card: str) -> bool:
    return card.startswith("X")


def is_group(cards: Sequence[str], options: Options = Options()) -> bool:
    """R-3.2, R-3.3, R-4.5, R-4.7."""
    naturals = [card for card in cards if not is_wild(card)]
    return (
        len(cards) in (3, 4)
        and len(naturals) >= options.min_naturals
        and len({card[0] for card in naturals}) <= 1
        and len({card[1] for card in naturals}) == len(naturals)
    )


def is_run(faces: Sequence[str], options: Options = Options()) -> bool:
    """R-3.4, R-3.5: the faces that cards show or jokers stand for, low to high."""
    line = "".join(face[0] for face in faces)
    longest = 14 if options.run_two_aces else 13
    return 3 <= len(faces) <= longest and len({f[1] for f in faces}) == 1 and line in LINE


def melds(hand: Cards, options: Options) -> Iterator[tuple[Cards, Group | Run]]:
    """Every new meld that a hand can make, with the cards used; groups once, runs in their order."""
    for size in (3, 4):
        for cards in combinations(hand, size):
            if is_group(cards, options):
                yield cards, Group(cards)
    for size in range(3, len(hand) + 1):
        for cards in permutations(hand, size):
            yield from ((cards, run) for run in runs_of(cards, options))


def runs_of(cards: Cards, options: Options) -> Iterator[Run]:
    """Every run that these cards make in this order, jokers standing for what is wanted."""
    naturals = [card for card in cards if not is_wild(card)]
    if len(naturals) < options.min_naturals or len({card[1] for card in naturals}) > 1:
        return
    if len(cards) > 13 and not options.run_two_aces:
        return
    for suit in {card[1] for card in naturals} or set("SHDC"):
        for low in range(len(LINE) - len(cards) + 1):
            line = LINE[low : low + len(cards)]
            if all(
                is_wild(card) or card[0] == rank for card, rank in zip(cards, line, strict=True)
            ):
                yield Run(suit, low, low + len(cards) - 1)


def fits(card: str, meld: Group | Run, options: Options) -> Iterator[Group | Run]:
    """What a meld becomes with one more card, for each way in which the card fits (R-5.2, R-5.3)."""
    if isinstance(meld, Group):
        naturals = [other for other in meld.cards if not is_wild(other)]
        same_rank = is_wild(card) or all(card[0] == other[0] for other in naturals)
        new_suit = is_wild(card) or all(card[1] != other[1] for other in naturals)
        if len(meld.cards) < 4 and same_rank and new_suit:
            yield Group((*meld.cards, card))
        return
    for low, high in ((meld.low - 1, meld.high), (meld.low, meld.high + 1)):
        place = low if low < meld.low else high
        is_right = is_wild(card) or (card[1] == meld.suit and card[0] == LINE[place % 13])
        if is_right and _may_reach(low, high, options):
            yield Run(meld.suit, low, high)


def _may_reach(low: int, high: int, options: Options) -> bool:
    if options.around_corner:
        return high - low < 13
    if low < 0 or high > 13:
        return False
    return high - low < 13 or options.run_two_aces


def lay_offs(
    hand: Cards, meld: Group | Run, options: Options
) -> Iterator[tuple[Cards, Group | Run]]:
    """Every way to lay cards of a hand off on one meld, one after the other."""
    for card in hand:
        rest = _less(hand, (card,))
        for grown in fits(card, meld, options):
            yield (card,), grown
            yield from (((card, *more), last) for more, last in lay_offs(rest, grown, options))


@dataclass(frozen=True)
class Turn:
    """The middle of a turn: what the player holds, took and still owes."""

    hand: Cards
    table: Table
    taken: Cards = ()
    single: bool = False
    """Exactly one card was taken, and from the pile."""
    duty: str | None = None


def can_end(turn: Turn, options: Options) -> bool:
    """Tell whether any series of legal acts ends this turn (R-6.7, R-6.11), trying them all."""
    seen: set[tuple[frozenset[str], frozenset[Group | Run], str | None]] = set()

    def ends(now: Turn) -> bool:
        if now.duty is None and not now.hand:
            return not options.must_keep_discard
        if now.duty is None and any(not is_barred(card, turn, options) for card in now.hand):
            return True
        key = (frozenset(now.hand), frozenset(now.table), now.duty)
        if key in seen:
            return False
        seen.add(key)
        return any(map(ends, acts(now, options)))

    return ends(turn)


def is_barred(card: str, turn: Turn, options: Options) -> bool:
    """R-6.4, D-R13, 12.11."""
    if options.redraw_scope == "any_taken":
        return card in turn.taken
    if not turn.single:
        return False
    if options.redraw_scope == "same_face" and not is_wild(card):
        return card[:2] == turn.taken[0][:2]
    return card in turn.taken


def acts(now: Turn, options: Options) -> Iterator[Turn]:
    """What a turn can become by one meld or lay-off (R-6.6, V-3b)."""
    for cards, new in melds(now.hand, options):
        if now.duty is None or now.duty in cards or options.by_turn_end:
            yield _after(now, cards, (*now.table, new))
    for index, meld in enumerate(now.table):
        for cards, grown in lay_offs(now.hand, meld, options):
            pays = now.duty is not None and now.duty in cards
            if now.duty is not None and not pays and not options.by_turn_end:
                continue
            if pays and options.new_meld_only:
                continue
            yield _after(now, cards, (*now.table[:index], grown, *now.table[index + 1 :]))


def _after(now: Turn, cards: Cards, table: Table) -> Turn:
    duty = None if now.duty in cards else now.duty
    return replace(now, hand=_less(now.hand, cards), table=table, duty=duty)


def is_callable(card: str, above: Cards, table: Table, options: Options) -> bool:
    """R-8.1: with itself and the cards above it alone, a card of the pile can go on the table."""
    pool = (card, *above)
    in_a_meld = any(card in cards for cards, _ in melds(pool, options))
    return in_a_meld or any(
        card in cards for meld in table for cards, _ in lay_offs(pool, meld, options)
    )


def _less(hand: Cards, cards: Cards) -> Cards:
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)
