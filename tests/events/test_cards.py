"""Cards as short texts, and packs with every physical card once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import (
    ALL_CARDS,
    JOKERS,
    NATURALS,
    RANK,
    SUIT,
    UNKNOWN,
    build_pack,
    face_of,
    is_joker,
    known,
    lies_as,
    parse_card,
    physical,
    stands_for,
    twin_of,
    write_cards,
)
from events.errors import CardError


@pytest.mark.parametrize(
    ("packs", "jokers", "size"), [(1, 0, 52), (1, 2, 54), (2, 0, 104), (2, 2, 108), (2, 1, 106)]
)
def test_a_pack_has_every_physical_card_once(packs: int, jokers: int, size: int) -> None:
    """R-1.2."""
    pack = build_pack(packs, jokers)
    assert len(pack) == len(set(pack)) == size
    assert sum(map(is_joker, pack)) == packs * jokers
    for suit in "SHDC":
        for rank in "A23456789TJQK":
            assert sum(card[:2] == rank + suit for card in pack) == packs


def test_jokers_belong_to_their_pack() -> None:
    assert [card for card in build_pack(1, 2) if is_joker(card)] == ["X1", "X2"]
    assert [card for card in build_pack(2, 1) if is_joker(card)] == ["X1", "X3"]


@pytest.mark.parametrize("card", ALL_CARDS)
def test_every_card_is_read_as_itself(card: str) -> None:
    assert parse_card(card) == card


@given(st.text(max_size=4))
def test_any_other_text_is_refused_with_the_text(text: str) -> None:
    if text in ALL_CARDS:
        return
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["10H", "7h", "7H''", "H7", "X0", "X5", "1S", " 7H", "7H ", "?"])
def test_near_misses_are_no_cards(text: str) -> None:
    with pytest.raises(CardError):
        parse_card(text)


def test_twins_are_each_others() -> None:
    for card in NATURALS:
        twin = twin_of(card)
        assert twin is not None
        assert twin != card
        assert twin_of(twin) == card
        assert (RANK[twin], SUIT[twin]) == (RANK[card], SUIT[card])
    assert [twin_of(card) for card in (*JOKERS, UNKNOWN)] == [None] * 5


@given(rank=st.integers(1, 13), suit=st.sampled_from("SHDC"))
def test_a_face_has_the_rank_and_suit_that_it_was_made_of(rank: int, suit: str) -> None:
    face = face_of(rank, suit)
    assert (RANK[face], SUIT[face]) == (rank, suit)


def test_a_placed_card_is_a_card_and_what_it_stands_for() -> None:
    assert (physical("X1=8H"), stands_for("X1=8H")) == ("X1", "8H")
    assert (physical("7H'"), stands_for("7H'")) == ("7H'", None)
    assert lies_as("X2", "X1=8H") == "X2=8H"
    assert lies_as("7H'", "7H") == "7H'"


def test_cards_are_written_on_one_line() -> None:
    assert write_cards(known(["7H", UNKNOWN, "X1", UNKNOWN])) == "7H X1"
