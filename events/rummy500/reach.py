"""The smallest actions that put one card on the table (used by R-6.7, R-6.11, R-8.1).

More cards never help where fewer would do, since cards kept can be discarded or laid off later: so a new
meld is searched with three cards, or with as many as its natural cards need (smallest.py), a lay-off with the
bridging cards that it needs and no others. Unknown cards are left out of account: what they would allow
cannot be known. *wilds* are the first letters of the cards that can stand for others (`State.wilds`).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, get_args

from events.cards import JOKERS_ONLY, SUIT, SUITS, UNKNOWN, Card, Placed, face_of, is_joker
from events.rummy500.events import End
from events.rummy500.glance import promising
from events.rummy500.lying import group_rank, in_place
from events.rummy500.melds import (
    GROUP_CEILING,
    natural_suits,
    place_is_open,
    put_on,
    rank_at,
    suit_of,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.smallest import Cards, Play, new_melds_with, others_of
from events.rummy500.state import Laid, Meld

_ENDS: Final[tuple[End, ...]] = get_args(End)


def plays_with(
    card: Card,
    hand: Sequence[Card],
    table: Iterable[Meld],
    ruleset: Ruleset,
    wilds: str = JOKERS_ONLY,
    *,
    all_bridges: bool = True,
) -> Iterator[Play]:
    """Yield the smallest actions that put *card*, one of *hand*, on the table."""
    for meld in table:
        yield from lay_offs_with(card, hand, meld, ruleset, wilds, all_bridges=all_bridges)
    yield from new_melds_with(card, hand, ruleset, wilds)


def lay_offs_with(
    card: Card,
    hand: Sequence[Card],
    meld: Meld,
    ruleset: Ruleset,
    wilds: str = JOKERS_ONLY,
    *,
    all_bridges: bool = True,
) -> Iterator[Play]:
    """Yield the shortest lay-offs that bring *card* onto one meld, bridging cards included (R-5.8).

    Which of two equal cards or of card and joker is the bridge, and how far out a joker goes, matters only
    for what may be discarded afterwards; without *all_bridges* one way stands for all.
    """
    if meld.kind == "group":
        placed = _joining(card, meld, wilds)
        if placed is not None:
            yield Play((card,), meld, put_on(meld, Laid(placed, 0), None))
        return
    suit = suit_of(meld)
    if suit is None or (card[0] not in wilds and SUIT[card] != suit):
        return
    others = others_of(card, hand)
    for end in _ENDS:
        for faces in _ways_to(card, meld, (suit, end), others, ruleset, wilds):
            wild = [other for other in others if other[0] in wilds]
            ways = _bridges(faces[:-1], others, wild, in_order=not ruleset.wild_swap)
            found = False
            for used in ways if all_bridges else islice(ways, 1):
                found = True
                yield Play((card, *used), meld, _grown(meld, (*used, card), faces, end))
            if not found or not all_bridges:
                break


def _joining(card: Card, meld: Meld, wilds: str) -> Placed | None:
    """Return the card as it joins a group, None if it does not."""
    if len(meld.cards) >= GROUP_CEILING:
        return None
    rank = group_rank(meld)
    if is_joker(card):
        return card
    if rank is None or card[0] == rank:
        return card if SUIT[card] not in natural_suits(meld) else None
    return f"{card}={rank}{SUITS[0]}" if card[0] in wilds else None


def _ways_to(
    card: Card,
    meld: Meld,
    suit_and_end: tuple[str, End],
    others: list[Card],
    ruleset: Ruleset,
    wilds: str,
) -> Iterator[list[str]]:
    """Yield the faces that lead from an end of a sequence to where a card fits, its own last, nearest first.

    There is no way where the others, jokers among them, cannot fill the places before it.
    """
    (suit, end), grown, faces = suit_and_end, meld, list[str]()
    naturals, spare = {other[:2] for other in others}, sum(other[0] in wilds for other in others)
    while spare >= 0:
        place = grown.low - 1 if end == "low" else grown.high + 1
        if not place_is_open(grown, place, ruleset):
            return
        face = face_of(rank_at(place), suit)
        faces.append(face)
        if card[:2] == face or card[0] in wilds:
            yield list(faces)
            if card[0] not in wilds:
                return
        spare -= face not in naturals
        grown = put_on(grown, Laid(face, 0), end)


def _bridges(
    faces: Sequence[str], others: list[Card], wild: list[Card], *, in_order: bool
) -> Iterator[Cards]:
    """Yield every choice of cards for these faces, natural cards before those that stand for others.

    Of the latter any of *wild*; *in_order* where it makes no difference which of them lies where.
    """
    if not faces:
        yield ()
        return
    natural = [card for card in others if card[:2] == faces[0]]
    if len({card[:2] for card in others}.intersection(faces)) + len(wild) < len(faces):
        return
    for bridge in natural:
        rest, spare = _without(others, bridge), _without(wild, bridge)
        for more in _bridges(faces[1:], rest, spare, in_order=in_order):
            yield (bridge, *more)
    for index, bridge in enumerate(wild):
        if bridge[:2] == faces[0]:
            continue
        spare = wild[index + 1 :] if in_order else _without(wild, bridge)
        for more in _bridges(faces[1:], _without(others, bridge), spare, in_order=in_order):
            yield (bridge, *more)


def _without(cards: list[Card], card: Card) -> list[Card]:
    return [other for other in cards if other != card]


def _grown(meld: Meld, cards: Cards, faces: Sequence[str], end: End) -> Meld:
    for card, face in zip(cards, faces, strict=True):
        meld = put_on(meld, Laid(in_place(card, face), 0), end)
    return meld


def can_be_laid_off(
    card: Card, table: Iterable[Meld], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> bool:
    """Tell whether a card can be laid off by itself on some meld (D-R20)."""
    if card == UNKNOWN:
        return False
    return any(True for meld in table for _ in lay_offs_with(card, (card,), meld, ruleset, wilds))


def callable_cards(
    pile: Cards, table: Sequence[Meld], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> tuple[Card, ...]:
    """Return the cards of the pile that could be called in an open window, top first (R-8.1, V-4a)."""
    indexes = () if ruleset.rummy == "none" else promising(pile, table, wilds)
    return tuple(pile[i] for i in indexes if is_callable(i, pile, table, ruleset, wilds))


def is_callable(
    index: int, pile: Cards, table: Sequence[Meld], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> bool:
    """Tell whether the pile's card at *index* can go on the table with only what lies above it."""
    card = pile[index]
    if card == UNKNOWN or ruleset.rummy == "none":
        return False
    if ruleset.rummy == "latest_layoff":
        return index == len(pile) - 1 and can_be_laid_off(card, table, ruleset, wilds)
    plays = plays_with(card, pile[index:], table, ruleset, wilds, all_bridges=False)
    return any(True for _ in plays)
