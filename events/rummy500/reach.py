"""The smallest actions that put one card on the table (used by R-6.7, R-6.11, R-8.1).

More cards never help where fewer would do, since cards kept can be discarded or laid off later: so a new
meld is searched with three cards, or with as many as its natural cards need (D-R07), a lay-off with the
bridging cards that it needs and no others. Unknown cards are left out of account: what they would allow
cannot be known. *wilds* are the first letters of the cards that can stand for others (`State.wilds`).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, islice
from typing import Final, get_args

import msgspec

from events.cards import (
    JOKERS_ONLY,
    RANK,
    RANKS,
    SUIT,
    SUITS,
    UNKNOWN,
    Card,
    Placed,
    face_of,
    is_joker,
)
from events.rummy500.events import End
from events.rummy500.glance import promising
from events.rummy500.melds import (
    ACE_HIGH,
    ACE_LOW,
    GROUP_CEILING,
    LONGEST,
    SMALLEST,
    group_rank,
    in_place,
    natural_suits,
    place_is_open,
    put_on,
    rank_at,
    suit_of,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld

Cards = tuple[Card, ...]

_ENDS: Final[tuple[End, ...]] = get_args(End)


class Play(msgspec.Struct, frozen=True, gc=False):
    """One action: the cards used, the meld that it extends (None for a new one), what comes of it."""

    used: Cards
    old: Meld | None
    new: Meld


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


def new_melds_with(
    card: Card, hand: Sequence[Card], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> Iterator[Play]:
    """Yield the smallest new melds that *card* makes with others of the hand."""
    others = _others(card, hand)
    yield from _groups_with(card, others, ruleset, wilds)
    yield from _sequences_with(card, others, ruleset, wilds)


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
    others = _others(card, hand)
    for end in _ENDS:
        for faces in _ways_to(card, meld, (suit, end), others, ruleset, wilds):
            ways = _bridges(faces[:-1], others, wilds)
            found = False
            for used in ways if all_bridges else islice(ways, 1):
                found = True
                yield Play((card, *used), meld, _grown(meld, (*used, card), faces, end))
            if not found or not all_bridges:
                break


def _others(card: Card, hand: Sequence[Card]) -> list[Card]:
    """Return the other known cards, each text once: no meld takes two cards that are written alike."""
    others = dict.fromkeys(hand)
    others.pop(UNKNOWN, None)
    if hand.count(card) == 1:
        del others[card]
    return list(others)


def _groups_with(card: Card, others: list[Card], ruleset: Ruleset, wilds: str) -> Iterator[Play]:
    wild = [other for other in others if other[0] in wilds]
    for rank in RANKS if card[0] in wilds else card[0]:
        pool = [other for other in others if other[0] == rank]
        pool += [other for other in wild if other[0] != rank]
        # Three natural cards and a joker that must be with them: the one smallest group of four.
        size = SMALLEST + (ruleset.min_naturals == SMALLEST and card[0] != rank)
        for mates in combinations(pool, size - 1) if len(pool) >= size - 1 else ():
            members = (card, *mates)
            suits = [member[1] for member in members if member[0] == rank]
            if len(suits) >= ruleset.min_naturals and len(set(suits)) == len(suits):
                yield Play(members, None, _group_of(members, rank, natural=bool(suits)))


def _group_of(members: Cards, rank: str, *, natural: bool) -> Meld:
    """Return the group of these cards; one of nothing but jokers says which rank it is (D-R07)."""
    face = rank + SUITS[0]
    laid = (
        member if member[0] == rank or (natural and is_joker(member)) else f"{member}={face}"
        for member in members
    )
    return Meld(0, "group", 0, tuple(Laid(placed, 0) for placed in laid))


def _sequences_with(card: Card, others: list[Card], ruleset: Ruleset, wilds: str) -> Iterator[Play]:
    wild = [other for other in others if other[0] in wilds]
    by_face: dict[str, list[Card]] = {}
    suits = SUITS if card[0] in wilds else card[1]
    for other in others:
        if other[1] in suits:
            by_face.setdefault(other[:2], []).append(other)
    if len(by_face) + len(wild) < SMALLEST - 1:
        return
    longest = SMALLEST
    if ruleset.min_naturals > 1:
        longest = min(LONGEST, max(SMALLEST, ruleset.min_naturals + len(wild) + 1))
    for suit, place in _places_of(card, by_face, wilds):
        for size in range(SMALLEST, longest + 1):
            for low in range(max(ACE_LOW, place - size + 1), min(place, ACE_HIGH - size + 1) + 1):
                faces, own = _window(suit, low, size), place - low
                if sum(f not in by_face for f in faces) - (faces[own] not in by_face) > len(wild):
                    continue
                pools = [
                    [card] if at == own else [*by_face.get(f, ()), *(w for w in wild if w[:2] != f)]
                    for at, f in enumerate(faces)
                ]
                yield from _filled(pools, faces, low, (own, ruleset.min_naturals))


@cache
def _window(suit: str, low: int, size: int) -> tuple[str, ...]:
    """Return the faces of the sequence of so many cards that begins at a place."""
    return tuple(face_of(rank_at(place), suit) for place in range(low, low + size))


def _places_of(card: Card, by_face: dict[str, list[Card]], wilds: str) -> Iterator[tuple[str, int]]:
    """Yield the suit and place that a card can have in a sequence: a joker any, an ace two."""
    if card[0] in wilds:
        own = () if is_joker(card) else (card[1],)
        for suit in sorted({*(face[1] for face in by_face), *own}):
            for place in range(ACE_LOW, ACE_HIGH + 1):
                yield suit, place
        return
    yield SUIT[card], RANK[card]
    if RANK[card] == ACE_LOW:
        yield SUIT[card], ACE_HIGH


def _filled(
    pools: list[list[Card]], faces: Sequence[str], low: int, own_and_least: tuple[int, int]
) -> Iterator[Play]:
    own, least = own_and_least
    for cards in _picked(pools, ()) if all(pools) else ():
        natural = [card[:2] == face for card, face in zip(cards, faces, strict=True)]
        if sum(natural) < least or not _is_smallest(natural, own, least):
            continue
        laid = (in_place(card, face) for card, face in zip(cards, faces, strict=True))
        new = Meld(0, "sequence", 0, tuple(Laid(placed, 0) for placed in laid), low)
        yield Play(cards, None, new)


def _picked(pools: list[list[Card]], picked: Cards) -> Iterator[Cards]:
    """Yield every way to take one card from each pool, none twice."""
    if len(picked) == len(pools):
        yield picked
        return
    for card in pools[len(picked)]:
        if card not in picked:
            yield from _picked(pools, (*picked, card))


def _is_smallest(natural: list[bool], own: int, least: int) -> bool:
    """Tell whether no card can be left off either end of a sequence but for the one at *own*."""
    if len(natural) == SMALLEST:
        return True
    ends = [index for index in (0, len(natural) - 1) if index != own]
    return sum(natural) == least and all(natural[index] for index in ends)


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


def _bridges(faces: Sequence[str], others: list[Card], wilds: str) -> Iterator[Cards]:
    """Yield every choice of cards for these faces, natural cards before jokers."""
    if not faces:
        yield ()
        return
    useful = [other for other in others if other[:2] in faces or other[0] in wilds]
    wild = [other for other in useful if other[0] in wilds]
    if len({card[:2] for card in useful if card[0] not in wilds}) + len(wild) < len(faces):
        return
    natural = [card for card in useful if card[:2] == faces[0]]
    for bridge in (*natural, *(card for card in wild if card[:2] != faces[0])):
        rest = [other for other in useful if other != bridge]
        for more in _bridges(faces[1:], rest, wilds):
            yield (bridge, *more)


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
