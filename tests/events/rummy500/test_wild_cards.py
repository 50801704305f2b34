"""Several wild cards in one act (V-9b): which of them stands for which is one act, and there are never too many."""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import FACE, face_of, physical
from events.rummy500.events import MeldLaid
from events.rummy500.legal import legal, plays_of
from events.rummy500.melds import rank_at
from events.rummy500.plays import MOST_PLAYS, plays
from events.rummy500.reach import lay_offs_with
from events.rummy500.ruleset import Ruleset
from events.rummy500.smallest import new_melds_with
from events.rummy500.state import Laid, Meld, State
from tests.events.rummy500.positions import state_with
from tests.profiles import examples
from tests.simulate import RUMMY

SEVENS: Final = ("7S", "7H", "7D", "7C", "7S'", "7H'", "7D'", "7C'")
HAND: Final = ("5S", "6S", "8S", "9S", "9H", "6H'", *SEVENS)
# Of a hand with 5S 6S 8S: two acts that differ only in which seven stands for which, and one that lays 7S as itself.
INTERCHANGED: Final = (("7D=4S", "5S", "6S", "7H=7S"), ("7H=4S", "5S", "6S", "7D=7S"))


def at_play(hand: tuple[str, ...], table: tuple[Meld, ...] = (), **opts: object) -> State:
    rules = Ruleset(variant="rummy5000", jokers_per_pack=0, packs=2, **opts)  # type: ignore[arg-type]
    return state_with(rules, hand, (), wilds="X7", table=table)


def run(number: int, suit: str, low: int, length: int) -> Meld:
    cards = (Laid(face_of(rank_at(place), suit) + "'", 1) for place in range(low, low + length))
    return Meld(number, "sequence", 1, tuple(cards), low)


def sequence(*cards: str) -> MeldLaid:
    return MeldLaid(seat=0, meld=1, kind="sequence", cards=cards)


def test_wild_cards_interchanged_are_one_act() -> None:
    state = at_play(("5S", "6S", "7H", "7D", "KC"))
    listed = [act for act in legal(state, 0) if isinstance(act, MeldLaid)]
    written = [sequence(*cards) for cards in INTERCHANGED]
    assert {RUMMY.judge(state, act) for act in written} == {()}
    assert len({RUMMY.normal(state, act) for act in written} & set(listed)) == 1
    assert len(set(listed) & set(written)) == 1


def test_where_they_can_be_swapped_out_again_it_tells_which_lies_where() -> None:
    state = at_play(("5S", "6S", "7H", "7D", "KC"), wild_swap=True)
    written = {sequence(*cards) for cards in INTERCHANGED}
    assert written <= set(legal(state, 0))
    assert {RUMMY.normal(state, act) for act in written} == written


def test_a_wild_card_on_its_own_face_is_itself_and_another_act() -> None:
    state = at_play(("5S", "6S", "7S", "7D", "KC"))
    itself, another = sequence("5S", "6S", "7S"), sequence("5S", "6S", "7D=7S")
    both = sequence("7D=4S", "5S", "6S", "7S"), sequence("7S=4S", "5S", "6S", "7D=7S")
    assert {itself, another, *both} <= set(legal(state, 0))


@st.composite
def many_wilds(draw: st.DrawFn) -> State:
    hand = draw(st.lists(st.sampled_from(HAND), min_size=3, max_size=6, unique=True))
    table = draw(st.sampled_from(((), (run(1, "S", 10, 3),), (run(1, "H", 2, 3),))))
    return at_play(tuple(hand), table, wild_swap=draw(st.booleans()))


def _sequences(hand: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every row of three or four cards of a hand from the four to the ten of a suit, in every order."""
    for size in (3, 4):
        for cards in permutations(hand, size):
            for suit in "SH":
                for low in range(4, 11 - size + 1):
                    faces = [face_of(rank_at(place), suit) for place in range(low, low + size)]
                    pairs = list(zip(cards, faces, strict=True))
                    if all(FACE[card] == face or card[0] == "7" for card, face in pairs):
                        yield tuple(c if FACE[c] == face else f"{c}={face}" for c, face in pairs)


@given(state=many_wilds())
@examples(40)
def test_every_act_with_wild_cards_is_listed_once_in_normal_form(state: State) -> None:
    listed = list(legal(state, 0))
    assert len(set(listed)) == len(listed)
    assert [RUMMY.normal(state, act) for act in listed] == listed
    for cards in _sequences(state.hands[0]):
        act = MeldLaid(seat=0, meld=state.next_meld, kind="sequence", cards=cards)
        silent = RUMMY.judge(state, act) == ()
        assert (RUMMY.normal(state, act) in listed) == silent, act


@given(state=many_wilds())
@examples(40)
def test_what_is_listed_differs_in_its_places_or_its_cards(state: State) -> None:
    kinds = [
        (
            tuple(placed[-2:] if "=" in placed else "itself" for placed in act.cards),
            tuple(sorted(FACE[physical(placed)] for placed in act.cards)),
            tuple(FACE[placed] for placed in act.cards if "=" not in placed),
        )
        for act in legal(state, 0)
        if isinstance(act, MeldLaid) and not state.ruleset.wild_swap
    ]
    assert len(set(kinds)) == len(kinds)


@given(state=many_wilds(), data=st.data())
@examples(40)
def test_each_wild_card_has_its_plays(state: State, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(state.hands[0]))
    listed = set(legal(state, 0))
    for play in plays_of(state, 0, card):
        used = play.cards if isinstance(play, MeldLaid) else [one.card for one in play.cards]
        assert card in map(physical, used)
        assert RUMMY.normal(state, play) in listed


SPADES: Final = tuple(rank + "S" for rank in "A2345689TJQK")


@pytest.mark.parametrize(
    ("hand", "most"),
    [
        (("9S", "KH", "2D", "5C'", *SEVENS), 4_000),
        ((*SPADES, *SEVENS[:4]), 20_000),
        ((*SPADES[:6], *SEVENS), 16_000),
    ],
    ids=["all eight and four more", "one suit and four", "half a suit and all eight"],
)
def test_the_work_for_many_wild_cards_is_bounded(hand: tuple[str, ...], most: int) -> None:
    count = sum(1 for _ in plays(at_play(hand), 0))
    assert most / 2 < count < most < MOST_PLAYS


def test_a_way_past_many_wild_cards_is_told_once_for_the_cards_it_takes() -> None:
    """Seven places to bridge and eight wild cards: 8! orders, and eight choices of the one that stays."""
    rules, hand = at_play(()).ruleset, ("KS", *SEVENS)
    ways = [play.used for play in lay_offs_with("KS", hand, run(1, "S", 3, 3), rules, "X7")]
    assert set(map(frozenset, ways)) == {frozenset(hand) - {left} for left in SEVENS}
    assert len(ways) <= 30


@pytest.mark.parametrize("least", [0, 1, 2, 3])
def test_new_melds_of_many_wild_cards_are_soon_told(least: int) -> None:
    rules = at_play((), min_naturals=least).ruleset
    found = list(new_melds_with("9S", ("9S", "8S", "TS", *SEVENS), rules, "X7"))
    assert {frozenset({"8S", "9S", "TS"})} <= {frozenset(play.used) for play in found}
    assert len(found) < 700
