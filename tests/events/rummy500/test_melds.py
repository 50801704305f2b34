"""What is a meld, what fits on one, and what may be called: rules, and a second opinion by brute force."""

from collections.abc import Iterable
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import JOKERS, NATURALS, RANKS, physical
from events.rummy500.events import End, LaidOff, MeldLaid
from events.rummy500.legal import legal
from events.rummy500.melds import fit_fault, meld_fault
from events.rummy500.reach import is_callable
from events.rummy500.referee import judge
from events.rummy500.ruleset import SEED, Ruleset
from tests.events.rummy500 import oracle
from tests.events.rummy500.oracle import LINE, Options
from tests.events.rummy500.positions import (
    MELDS,
    hands,
    meld,
    rules,
    seen,
    state_with,
    tables,
)
from tests.profiles import examples

ENDS: tuple[End, ...] = ("low", "high")
CORNERS = (Options(), Options(run_two_aces=True), Options(around_corner=True))

groups = st.lists(
    st.sampled_from(
        ["6S", "6H", "6D", "6C", "6S'", "6D'", "7S", "X1", "X2", "X3", "X1=6S", "X2=7D"]
    ),
    max_size=6,
    unique_by=physical,
)


@given(cards=groups, min_naturals=st.integers(0, 1))
@examples(400)
def test_a_group_is_what_the_rules_say(cards: list[str], min_naturals: int) -> None:
    options = Options(min_naturals=min_naturals)
    ranks = {
        card[-2] if "=" in card else card[0] for card in cards if "=" in card or card[0] != "X"
    }
    expected = oracle.is_group(list(map(physical, cards)), options) and len(ranks) == 1
    found = meld_fault("group", cards, rules(2, options))
    assert (found is None) == expected, found


@st.composite
def runs(draw: st.DrawFn) -> list[str]:
    """Cards that nearly are a sequence: a piece of the line, with a slip here and there."""
    suit, size = draw(st.sampled_from("SH")), draw(st.integers(1, 15))
    low = draw(st.integers(0, 13))
    faces = [(LINE + LINE[1:])[place % 27] + suit for place in range(low, low + size)]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, size - 1))
        faces[at] = draw(st.sampled_from(RANKS)) + draw(st.sampled_from("SH"))
    jokers = draw(st.lists(st.integers(0, size - 1), max_size=4, unique=True))
    cards = list(faces)
    for joker, at in zip(JOKERS, jokers, strict=False):
        cards[at] = joker if draw(st.integers(0, 9)) == 0 else f"{joker}={faces[at]}"
    return cards


@given(cards=runs(), options=st.sampled_from(CORNERS), min_naturals=st.integers(0, 1))
@examples(400)
def test_a_sequence_is_what_the_rules_say(
    cards: list[str], options: Options, min_naturals: int
) -> None:
    faces = [card[-2:] for card in cards]
    naturals = sum(card[0] != "X" for card in cards)
    declared = all(len(card) > 2 for card in cards if card[0] == "X")
    expected = declared and naturals >= min_naturals and oracle.is_run(faces, options)
    ruleset = rules(2, Options(min_naturals, options.run_two_aces, options.around_corner))
    assert (meld_fault("sequence", cards, ruleset) is None) == expected


@given(index=st.integers(0, len(MELDS) - 1), options=st.sampled_from(CORNERS))
@examples(30)
def test_a_card_fits_a_meld_where_the_rules_say(index: int, options: Options) -> None:
    lying, ruleset = meld(index), rules(2, options)
    for card in (*NATURALS, *JOKERS):
        ways = len(list(oracle.fits(card, MELDS[index][1], options)))
        if lying.kind == "group" or card[0] == "X":
            continue
        found = [end for end in ENDS if fit_fault(lying, card, end, ruleset) is None]
        assert len(found) == ways, (card, found)
        unnamed = fit_fault(lying, card, None, ruleset)
        if ways == 2:
            assert unnamed is not None
            assert unnamed.code == "END_UNDECLARED"
        else:
            assert (unnamed is None) == (ways == 1)


@pytest.mark.parametrize("options", CORNERS, ids=["plain", "two aces", "around corner"])
@given(data=st.data())
@examples(25)
def test_all_legal_melds_are_listed_and_no_others(options: Options, data: st.DataObject) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    hand = (*data.draw(hands(packs, 5, 3)), "9C")
    state = state_with(rules(packs, options), hand, ())
    listed = [act for act in legal(state, 0) if isinstance(act, MeldLaid)]
    used = {
        (act.kind, _kinds(map(physical, act.cards)) if act.kind == "group" else _faces(act))
        for act in listed
    }
    assert len(used) == len(listed), "what differs only by cards that are alike is listed once"
    expected: set[tuple[str, object]] = set()
    for cards, made in oracle.melds(hand, options):
        if isinstance(made, oracle.Group):
            expected.add(("group", _kinds(cards)))
        else:
            line = LINE[made.low : made.high + 1]
            expected.add(
                (
                    "sequence",
                    tuple(zip(map(_kind, cards), (r + made.suit for r in line), strict=True)),
                )
            )
    assert used == expected


def _faces(act: MeldLaid) -> tuple[tuple[str, str], ...]:
    return tuple((_kind(card), card[-2:] if "=" in card else card[:2]) for card in act.cards)


def _kind(card: str) -> str:
    """A card's face, or that it is a joker: cards of one kind are alike, the turn having just begun."""
    return "X" if card[0] == "X" else card[:2]


def _kinds(cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(map(_kind, cards)))


@pytest.mark.parametrize("options", CORNERS, ids=["plain", "two aces", "around corner"])
@given(data=st.data())
@examples(25)
def test_all_legal_lay_offs_are_listed_and_no_others(options: Options, data: st.DataObject) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    hand = (*data.draw(hands(packs, 4, 1)), "9C")
    melds = data.draw(tables(2))
    state = state_with(rules(packs, options), hand, melds)
    listed: dict[int, list[str]] = {}
    for act in legal(state, 0):
        if isinstance(act, LaidOff):
            low = list(_kinds(p.card for p in act.cards if p.end == "low"))
            rest = list(_kinds(p.card for p in act.cards if p.end != "low"))
            listed.setdefault(act.cards[0].meld, []).append(f"{low} {rest}")
    for number, seen_meld in enumerate(seen(melds), 1):
        expected = set()
        for cards, grown in oracle.lay_offs(hand, seen_meld, options):
            expected |= set(_split(cards, seen_meld, grown))
        assert set(listed.get(number, [])) == expected


def _split(
    cards: tuple[str, ...], before: oracle.Group | oracle.Run, after: oracle.Group | oracle.Run
) -> list[str]:
    """Which of the cards lie below and which above, as a sequence's ends tell."""
    if isinstance(before, oracle.Group) or isinstance(after, oracle.Group):
        return [f"[] {list(_kinds(cards))}"]
    below = before.low - after.low
    found = []
    for low in combinations(cards, below):
        high = [card for card in cards if card not in low]
        for order in permutations(low):
            below_fits = all(
                card[0] == "X" or card[:2] == LINE[(before.low - 1 - i) % 13] + before.suit
                for i, card in enumerate(order)
            )
            above_fits = any(
                all(
                    card[0] == "X" or card[:2] == LINE[(before.high + 1 + i) % 13] + before.suit
                    for i, card in enumerate(above)
                )
                for above in permutations(high)
            )
            if below_fits and above_fits:
                found.append(f"{list(_kinds(low))} {list(_kinds(high))}")
    return found


@given(data=st.data(), options=st.sampled_from(CORNERS))
@examples(120)
def test_a_card_is_callable_when_it_can_go_down_with_those_above_it(
    data: st.DataObject, options: Options
) -> None:
    packs = data.draw(st.sampled_from([1, 2]))
    pile = data.draw(hands(packs, 6, 1))
    melds = data.draw(tables(2))
    table = tuple(meld(index, number) for number, index in enumerate(melds, 1))
    for index, card in enumerate(pile):
        expected = oracle.is_callable(card, pile[index + 1 :], seen(melds), options)
        assert is_callable(index, pile, table, rules(packs, options)) == expected, (card, pile)


def test_only_a_joker_stands_for_another_card() -> None:
    found = meld_fault("sequence", ("7H=6H", "7H'=7H", "8H"), SEED)
    assert found is not None
    assert (found.code, found.rule, found.params) == (
        *("RUN_NOT_CONSECUTIVE", "R-4.1"),
        {"expected": "7H", "actual": "6H"},
    )
    assert meld_fault("sequence", ("6H=6H", "7H", "8H"), SEED) is None
    group = meld_fault("group", ("7H=8H", "8S", "8C"), SEED)
    assert group is not None
    assert group.code == "GROUP_RANK"
    laid = fit_fault(meld(0), "3H=7S", "high", SEED)
    assert laid is not None
    assert laid.code == "RUN_END"


def test_a_group_of_jokers_alone_says_its_rank() -> None:
    ruleset = Ruleset(min_naturals=0, packs=2)
    bare = meld_fault("group", ("X1", "X2", "X3"), ruleset)
    assert bare is not None
    assert bare.code == "JOKER_UNDECLARED"
    assert meld_fault("group", ("X1=9S", "X2", "X3"), ruleset) is None
    state = state_with(ruleset, ("X1", "X2", "X3", "9C"), ())
    listed = [act for act in legal(state, 0) if isinstance(act, MeldLaid) and act.kind == "group"]
    nines = MeldLaid(seat=0, meld=1, kind="group", cards=("X1=9S", "X2=9S", "X3=9S"))
    assert nines in listed
    bare_ones = ("X1", "X2", "X3")
    assert all(act.cards != bare_ones for act in listed)
    assert judge(state, MeldLaid(seat=0, meld=1, kind="group", cards=bare_ones)) != ()
