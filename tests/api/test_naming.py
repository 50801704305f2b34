"""Names and remarks as pages show them: short, apart, and without a say in what stands around them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.viewer.naming import LONGEST, isolated, shortened

_STEER = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.parametrize("text", ["Ann", "Björn", "花子", "👩‍👧", "<b>Ben</b>", ""])
def test_words_from_left_to_right_stay_as_they_are(text: str):
    assert isolated(text) == text


@given(st.text(alphabet=st.sampled_from([*"aב م1", *_STEER, "\u200f"]), max_size=12))
def test_no_text_turns_what_stands_beside_it(text: str):
    """What is left of the marks that turn is one pair around the whole, and every leftward letter lies in it."""
    shown = isolated(text)
    inner = shown[1:-1] if shown.startswith("\u2068") else shown
    assert not set(inner) & set(_STEER)
    if any(unicodedata.bidirectional(one) in ("R", "AL", "AN") for one in inner):
        assert (shown[0], shown[-1]) == ("\u2068", "\u2069")


def test_brackets_are_left_out_where_names_differ_without_them():
    assert shortened(["P1 (Greedy)", "P2 (Greedy)"]) == ["P1", "P2"]
    assert shortened(["P (Greedy)", "P (Random)"]) == ["P (Greedy)", "P (Random)"]


def test_long_names_are_cut_and_stay_apart():
    long = "Verylong Name " * 5
    assert shortened([long + "0", long + "1", "Ann"]) == [
        "Verylong Name Verylong Name… A",
        "Verylong Name Verylong Name… B",
        "Ann",
    ]


@given(st.lists(st.text(max_size=90), min_size=2, max_size=8, unique=True))
def test_no_name_is_long_and_none_is_lost(names: list[str]):
    shown = shortened([isolated(name) for name in names])
    assert len(shown) == len(names)
    assert all(len(one) <= LONGEST + 4 for one in shown)
