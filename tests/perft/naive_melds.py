"""Melds and lay-offs as the naive referee finds them: every set of cards, in every way."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from tests.perft.naive_table import LINE, Act, Cards, Group, Run, Table, bare, is_natural, less


def melds_of(now: Table, hand: Cards) -> dict[Cards, list[Act]]:
    """Every set of cards that makes a new meld, with each way to put it down."""
    found: dict[Cards, list[Act]] = {}
    for size in range(3, len(hand) + 1):
        for cards in combinations(hand, size):
            ways: list[Act] = [("group", placed) for placed in groups_of(now, cards)]
            ways += [("run", placed) for placed in runs_of(now, cards)]
            if ways:
                found[cards] = ways
    return found


def groups_of(now: Table, cards: Cards) -> Iterator[Cards]:
    """R-3.2, R-3.3, R-4.5, R-4.7: every rank of which these cards make a group."""
    for rank in LINE[:13] if len(cards) in (3, 4) else "":
        naturals = [card for card in cards if card[0] == rank]
        if any(card[0] != rank and card[0] not in now.wilds for card in cards):
            continue
        suits = {card[1] for card in naturals}
        if len(suits) < len(naturals) or len(naturals) < now.rules.min_naturals:
            continue
        yield tuple(_in_group(card, rank, bool(naturals)) for card in cards)


def _in_group(card: str, rank: str, is_plain: bool) -> str:
    """A joker says its rank only if nothing else does; another wild card always (R-4.2)."""
    if card[0] == rank or (card[0] == "X" and is_plain):
        return card
    return f"{card}={rank}S"


def runs_of(now: Table, cards: Cards) -> Iterator[Cards]:
    """R-3.4, R-3.5, R-4.2: every run that all these cards make together, jokers where they are wanted."""
    if len(cards) > longest(now):
        return
    for suit in "SHDC":
        for low in range(len(LINE) - len(cards) + 1):
            for placed in _filled(now, cards, suit, low):
                if sum(map(is_natural, placed)) >= now.rules.min_naturals:
                    yield placed


def _filled(now: Table, cards: Cards, suit: str, place: int) -> Iterator[Cards]:
    """Every way to put all the cards in a row from a place on."""
    if not cards:
        yield ()
        return
    face = LINE[place] + suit
    for card in cards:
        if card[:2] == face or card[0] in now.wilds:
            for more in _filled(now, less(cards, (card,)), suit, place + 1):
                yield (in_run(card, face), *more)


def in_run(card: str, face: str) -> str:
    return card if card[:2] == face else f"{card}={face}"


def longest(now: Table) -> int:
    """How many cards a sequence can have (D-R06)."""
    return 14 if now.rules.run_two_aces else 13


def lay_offs_of(now: Table, hand: Cards, meld: Group | Run) -> Iterator[tuple[Cards, Act]]:
    """Every way to lay cards of a hand off on one meld in one action, with the cards used (R-5.8)."""
    if isinstance(meld, Group):
        for card in hand:
            for _, placed, _ in single_lay_offs(now, card, meld):
                yield (card,), ("join", meld.number, placed)
        return
    found: set[tuple[Cards, Cards]] = set()
    _lay_on(now, hand, meld, ((), ()), found)
    for low, high in sorted(found):
        yield tuple(map(bare, low + high)), ("lay", meld.number, low, high)


def _lay_on(
    now: Table, hand: Cards, run: Run, laid: tuple[Cards, Cards], found: set[tuple[Cards, Cards]]
) -> None:
    """Lay one card more, at either end, and go on from there."""
    if laid in found:
        return
    if laid != ((), ()):
        found.add(laid)
    low, high = laid
    for card in hand:
        for _, placed, end in single_lay_offs(now, card, run):
            rest = less(hand, (card,))
            if end == "low":
                more = replace(run, low=run.low - 1)
                _lay_on(now, rest, more, ((*low, placed), high), found)
            else:
                more = replace(run, high=run.high + 1)
                _lay_on(now, rest, more, (low, (*high, placed)), found)


def single_lay_offs(
    now: Table, card: str, meld: Group | Run
) -> Iterator[tuple[str, str, str | None]]:
    """R-5.2, R-5.3, R-4.8: how one card fits on one meld."""
    if isinstance(meld, Group):
        placed = _joining(now, card, meld)
        if placed is not None:
            yield "group", placed, None
        return
    for end, place in (("low", meld.low - 1), ("high", meld.high + 1)):
        if not _reaches(now, meld, place):
            continue
        face = LINE[place % 13] + meld.suit
        if card[0] in now.wilds or card[:2] == face:
            yield "run", in_run(card, face), end


def _reaches(now: Table, run: Run, place: int) -> bool:
    is_full = run.high - run.low + 1 >= longest(now)
    return not is_full and (now.rules.runs == "around_corner" or 0 <= place <= 13)


def group_rank(group: Group) -> str | None:
    """The rank of a group, which one of nothing but jokers declares."""
    for placed in group.cards:
        if placed[0] != "X" or "=" in placed:
            return (placed.partition("=")[2] or placed)[0]
    return None


def _joining(now: Table, card: str, group: Group) -> str | None:
    """How a card joins a group, if it does."""
    rank, naturals = group_rank(group), [other for other in group.cards if is_natural(other)]
    if len(group.cards) >= 4:
        return None
    if card[0] == rank:
        return card if all(card[1] != other[1] for other in naturals) else None
    if card[0] not in now.wilds:
        return None
    return card if card[0] == "X" else f"{card}={rank}S"


def is_playable(now: Table, card: str) -> bool:
    """D-R20."""
    return any(True for meld in now.melds for _ in single_lay_offs(now, card, meld))


def is_callable(now: Table, cards: Cards) -> bool:
    """R-8.1: the lowest of these cards can go down with the others alone."""
    named = cards[0]
    if any(named in used for used in melds_of(now, cards)):
        return True
    return any(named in used for meld in now.melds for used, _ in lay_offs_of(now, cards, meld))
