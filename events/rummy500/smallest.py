"""The smallest new melds that one card of a hand makes with others (used by R-6.7, R-6.11, R-8.1).

More cards never help where fewer would do, since cards kept can be discarded or laid off later: so a meld has
three cards here, or as many as its natural cards need (D-R07). Unknown cards are left out of account. *wilds* are
the first letters of the cards that can stand for others (`State.wilds`).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import msgspec

from events.cards import JOKERS_ONLY, RANK, RANKS, SUIT, SUITS, UNKNOWN, Card, face_of, is_joker
from events.rummy500.lying import in_place
from events.rummy500.melds import ACE_HIGH, ACE_LOW, LONGEST, SMALLEST, rank_at
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld

Cards = tuple[Card, ...]


class Play(msgspec.Struct, frozen=True, gc=False):
    """One action: the cards used, the meld that it extends (None for a new one), what comes of it."""

    used: Cards
    old: Meld | None
    new: Meld


def new_melds_with(
    card: Card, hand: Sequence[Card], ruleset: Ruleset, wilds: str = JOKERS_ONLY
) -> Iterator[Play]:
    """Yield the smallest new melds that *card* makes with others of the hand."""
    others = others_of(card, hand)
    yield from _groups_with(card, others, ruleset, wilds)
    yield from _sequences_with(card, others, ruleset, wilds)


def others_of(card: Card, hand: Sequence[Card]) -> list[Card]:
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
                spare = None if ruleset.wild_swap else wild
                yield from _filled(pools, faces, (low, own, ruleset.min_naturals), spare)


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
    pools: list[list[Card]],
    faces: Sequence[str],
    low_own_least: tuple[int, int, int],
    spare: list[Card] | None,
) -> Iterator[Play]:
    """Yield the sequences that one card from each pool makes, the *spare* ones standing for others in this order."""
    low, own, least = low_own_least
    for cards in _picked(pools, (), (faces, own), spare) if all(pools) else ():
        natural = [card[:2] == face for card, face in zip(cards, faces, strict=True)]
        if sum(natural) < least or not _is_smallest(natural, own, least):
            continue
        laid = (in_place(card, face) for card, face in zip(cards, faces, strict=True))
        new = Meld(0, "sequence", 0, tuple(Laid(placed, 0) for placed in laid), low)
        yield Play(cards, None, new)


def _picked(
    pools: list[list[Card]],
    picked: Cards,
    faces_and_own: tuple[Sequence[str], int],
    spare: list[Card] | None,
) -> Iterator[Cards]:
    """Yield every way to take one card from each pool, none twice; None *spare*: in any order."""
    at, (faces, own) = len(picked), faces_and_own
    if at == len(pools):
        yield picked
        return
    for card in pools[at]:
        left = spare
        if card in picked:
            continue
        if spare is not None and at != own and card[:2] != faces[at]:
            if card not in spare:
                continue
            left = spare[spare.index(card) + 1 :]
        yield from _picked(pools, (*picked, card), faces_and_own, left)


def _is_smallest(natural: list[bool], own: int, least: int) -> bool:
    """Tell whether no card can be left off either end of a sequence but for the one at *own*."""
    if len(natural) == SMALLEST:
        return True
    ends = [index for index in (0, len(natural) - 1) if index != own]
    return sum(natural) == least and all(natural[index] for index in ends)
