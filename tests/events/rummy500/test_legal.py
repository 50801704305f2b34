"""What `legal` lists: every act in normal form that the referee lets pass, alike ones once, and never too many."""

from collections.abc import Iterator
from itertools import islice, permutations, product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import RANKS, physical
from events.errors import TooManyActs
from events.rummy500 import legal as module
from events.rummy500 import plays as plays_module
from events.rummy500.alike import hand_of
from events.rummy500.ending import SEARCH_LIMIT, _Search, can_end, outlook
from events.rummy500.events import End, LaidOff, MeldLaid, Placement, RummyEvent
from events.rummy500.legal import legal, plays_of
from events.rummy500.plays import MOST_PLAYS, chains, plays
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld, State
from tests.events.rummy500.positions import hands, state_with, tables
from tests.profiles import examples
from tests.simulate import RUMMY

TWO_PACKS = Ruleset(packs=2)
JOKERS = ("X1", "X2", "X3", "X4")
SCOPES = ("physical_card", "same_face", "any_taken")
TIMINGS = ("next_play", "by_turn_end")
FACES = ("AH", "4H", "7S", "3S", "QH")
ENDS: tuple[End | None, ...] = ("low", "high", None)


@st.composite
def turns(draw: st.DrawFn, most: int = 5) -> State:
    """The middle of a turn: some of the hand came from the pile, and may be owed or barred."""
    packs = draw(st.sampled_from([1, 2]))
    ruleset = Ruleset(
        packs=packs,
        redraw_scope=draw(st.sampled_from(SCOPES)),
        deep_timing=draw(st.sampled_from(TIMINGS)),
        go_out=draw(st.sampled_from(("free", "discard_required", "floating"))),
        call_meld_may_use_hand=draw(st.booleans()),
    )
    hand = draw(hands(packs, most, 1))
    taken = hand[: draw(st.integers(0, len(hand)))]
    duty = draw(st.sampled_from((None, *taken[:1])))
    drawn = draw(st.sampled_from(("pile", "call") if taken else ("stock",)))
    return state_with(
        ruleset, hand, draw(tables(2)), drawn=drawn, taken=taken, duty=duty, pile=("9D",)
    )


@given(data=st.data(), state=turns())
@examples(60)
def test_an_act_is_listed_in_normal_form_exactly_when_the_referee_is_silent(
    data: st.DataObject, state: State
) -> None:
    listed = list(legal(state, 0))
    assert len(set(listed)) == len(listed)
    assert all(RUMMY.judge(state, act) == () for act in listed)
    assert [RUMMY.normal(state, act) for act in listed] == listed
    acts = list(_attempts(state))
    for act in data.draw(st.lists(st.sampled_from(acts), max_size=60, unique=True)) if acts else ():
        silent = RUMMY.judge(state, act) == ()
        assert (RUMMY.normal(state, act) in listed) == silent, act


def _attempts(state: State) -> Iterator[MeldLaid | LaidOff]:
    """Melds and lay-offs of a few cards in every order, jokers standing for this and that."""
    hand = state.hands[0]
    for size in (3, 4):
        for cards in permutations(hand, size):
            yield MeldLaid(seat=0, meld=9, kind="group", cards=cards)
            yield MeldLaid(seat=0, meld=1, kind="group", cards=cards)
            for faces in islice(product(*map(_written, cards)), 6):
                yield MeldLaid(seat=0, meld=9, kind="sequence", cards=faces)
                yield MeldLaid(seat=0, meld=9, kind="group", cards=faces)
    for meld in state.table:
        for size in (1, 2):
            for cards in permutations(hand, size):
                for faces in islice(product(*map(_written, cards)), 6):
                    for ends in product(ENDS, repeat=size):
                        pairs = zip(faces, ends, strict=True)
                        placed = tuple(Placement(card, meld.meld, end) for card, end in pairs)
                        yield LaidOff(seat=0, cards=placed)


def _written(card: str) -> tuple[str, ...]:
    """A joker standing for this or that or nothing said, a natural card as itself or, wrongly, as another."""
    if card[0] != "X":
        return card, f"{card}={card[:2]}", f"{card}=9H"
    return (*(f"{card}={face}" for face in FACES), card)


@given(state=turns(6))
@examples(60)
def test_the_plays_of_a_card_are_those_listed_with_it_or_one_that_it_is_like(state: State) -> None:
    listed = {act for act in legal(state, 0) if isinstance(act, MeldLaid | LaidOff)}
    found: set[RummyEvent] = set()
    for card in state.hands[0]:
        of_card = list(plays_of(state, 0, card))
        assert all(card in _cards(play) for play in of_card)
        assert all(RUMMY.judge(state, play) == () for play in of_card)
        in_normal_form = {RUMMY.normal(state, play) for play in of_card}
        assert len(in_normal_form) == len(of_card)
        assert {play for play in listed if card in _cards(play)} <= in_normal_form <= listed
        found |= in_normal_form
    assert found == listed


def _cards(play: MeldLaid | LaidOff) -> list[str]:
    if isinstance(play, MeldLaid):
        return list(map(physical, play.cards))
    return [physical(placement.card) for placement in play.cards]


def test_nobody_has_plays_out_of_turn_or_with_a_card_of_another() -> None:
    state = state_with(TWO_PACKS, ("4S", "5S", "6S", "9C"), ())
    assert len(list(plays_of(state, 0, "5S"))) == 1
    assert list(plays_of(state, 0, "7S")) == []
    assert list(plays_of(state, 1, "5S")) == []


# --- how much work it can be: figures in docs/decisions/0006-legal-acts.md ------------------------------


def suit(letter: str, ranks: str = RANKS, prime: str = "") -> tuple[str, ...]:
    return tuple(rank + letter + prime for rank in ranks)


def run(number: int, letter: str, ranks: str, prime: str = "") -> Meld:
    cards = tuple(Laid(card, 1) for card in suit(letter, ranks, prime))
    return Meld(number, "sequence", 1, cards, RANKS.index(ranks[0]) + 1)


def most_sequences(jokers: int) -> int:
    """All sequences that a whole suit makes with jokers that are alike: windows, and the jokers' places in them."""
    return sum(
        (15 - length) * comb(length, used)
        for length in range(3, 14)
        for used in range(min(jokers, length - 1) + 1)
    )


LARGE = (*suit("S"), *suit("H"), *suit("D", RANKS[:10]), *JOKERS)
"""40 cards and among them 4 jokers, of the fewest suits."""
MANY_MELDS = tuple(
    run(number, letter, ranks, "'")
    for number, (letter, ranks) in enumerate(product("SHD", ("234", "678", "TJQ")), 1)
)
MOST = 55_000
"""Melds and lay-offs of any hand of 40 cards with 4 jokers that was found, rounded up."""


@pytest.mark.parametrize(
    ("hand", "table", "count"),
    [
        ((*suit("S"), *JOKERS), (), most_sequences(4) + 2 * 13),
        (LARGE, (), None),
        (LARGE, MANY_MELDS, None),
        ((*suit("S"), *suit("S", prime="'"), *suit("H", RANKS[:10]), *JOKERS), MANY_MELDS, None),
        ((*(c for s in "SHDC" for c in suit(s, RANKS[2:11])), *JOKERS), MANY_MELDS, None),
    ],
    ids=["one suit", "three suits", "many melds", "twins", "four suits"],
)
def test_the_work_for_a_large_hand_is_bounded(
    hand: tuple[str, ...], table: tuple[Meld, ...], count: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    judged = Judged(monkeypatch)
    state = state_with(TWO_PACKS, hand, (), table=table)
    assert count is None or sum(1 for _ in plays(state, 0)) == count
    assert sum(1 for _ in legal(state, 0)) == judged.count <= MOST


MOST_ON_ONE = 3_343
"""Lay-offs on one sequence, of whatever hand: a whole suit and four jokers have no more."""


def test_no_sequence_takes_more_lay_offs_than_are_reckoned_with() -> None:
    state = state_with(TWO_PACKS, (*suit("S", prime="'"), *JOKERS), ())
    hand = hand_of(state, 0)
    counts = [
        sum(1 for _ in chains(run(1, "S", RANKS[low : low + length]), hand, TWO_PACKS))
        for length in (3, 4)
        for low in range(14 - length)
    ]
    assert max(counts) == MOST_ON_ONE


def test_no_hand_of_forty_can_reach_the_limit() -> None:
    """Four whole suits, and as many sequences as the other 68 cards of two packs make: more than there can be."""
    most = 4 * most_sequences(4) + 13 * 29 + (108 - 40) // 3 * MOST_ON_ONE
    assert most == 127_071
    assert 2 * most < MOST_PLAYS


def test_whoever_needs_some_acts_pays_for_some(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = Judged(monkeypatch)
    state = state_with(TWO_PACKS, LARGE, (), table=MANY_MELDS)
    assert len(list(islice(legal(state, 0), 60))) == judged.count == 60


def test_a_duty_narrows_the_search_to_its_suit(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = Judged(monkeypatch)
    owing = {"drawn": "pile", "taken": ("2D", "9C"), "duty": "2D"}
    state = state_with(TWO_PACKS, (*LARGE, "9C"), (), **owing)
    list(legal(state, 0))
    assert judged.count <= most_sequences(4)


class Judged:
    """Counts what `legal` has judged; the referee is left out, who takes long for so many."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        monkeypatch.setattr(module, "judge", self._judge)

    def _judge(self, state: State, act: Any) -> tuple[()]:
        self.count += 1
        return ()


def test_a_list_that_grows_too_long_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plays_module, "MOST_PLAYS", 100)
    state = state_with(TWO_PACKS, LARGE, ())
    with pytest.raises(TooManyActs, match=r"seat 0 has more .* expected <= 100"):
        list(legal(state, 0))


@pytest.mark.parametrize("size", [9, 13, 20])
def test_whether_all_of_a_barred_hand_goes_down_is_soon_known(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = 0
    search = _Search.leads_to_an_end

    def counting(self: _Search, *position: Any) -> bool:
        nonlocal positions
        positions += 1
        return search(self, *position)

    monkeypatch.setattr(_Search, "leads_to_an_end", counting)
    hand = (*suit("S", "A2345"), *suit("H", "3456"), *suit("D", "45678"), *suit("C", "89TJQ"))
    ruleset = Ruleset(packs=2, redraw_scope="any_taken", go_out="floating")
    cards = (*hand[: size - 2], "KD", *JOKERS[:1])
    state = state_with(ruleset, cards, (), table=MANY_MELDS[:2], drawn="pile", taken=cards)
    assert not can_end(outlook(state, 0)), "a lone king and one joker do not go down"
    assert positions <= SEARCH_LIMIT / 100
