"""Statistics of cards and scores: exact where they can be, silent where there is nothing, awake where there is."""

import random
from itertools import combinations
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import FIRST_PACK
from events.common import DealScored, Dealt, Event, Shuffled
from events.rummy500.ruleset import PRESETS
from projections.chances import Tally
from projections.hypergeometric import Draw, expected, hands_needed, holm, rank_sum_p
from tests.simulate import opened

PEOPLE = 3


@given(st.data())
def test_a_hands_chances_are_counted_over_all_hands(data: st.DataObject):
    pack = data.draw(st.integers(1, 9))
    draw = Draw(pack, data.draw(st.integers(0, pack)), data.draw(st.integers(0, pack)))
    counts = [0] * (min(draw.special, draw.hand) + 1)
    for hand in combinations(range(pack), draw.hand):
        counts[sum(card < draw.special for card in hand)] += 1
    assert draw.chances() == pytest.approx([n / comb(pack, draw.hand) for n in counts])
    mean = sum(k * chance for k, chance in enumerate(draw.chances()))
    assert draw.mean == pytest.approx(mean)
    spread = sum((k - mean) ** 2 * chance for k, chance in enumerate(draw.chances()))
    assert draw.variance == pytest.approx(spread)


@given(st.integers(1, 30), st.integers(1, 12))
def test_many_hands_add_up(times: int, special: int):
    whole = expected({Draw(52, special, 7): times, Draw(51, special, 13): 2})
    assert whole.exact is not None
    assert sum(whole.exact) == pytest.approx(1)
    assert sum(k * chance for k, chance in enumerate(whole.exact)) == pytest.approx(whole.mean)


def test_what_cannot_be_has_no_chance_and_the_likeliest_is_never_unusual():
    whole = expected({Draw(52, 4, 13): 20})
    assert whole.p_value(81) == 0
    assert whole.p_value(20) == pytest.approx(1)
    assert whole.p_value(80) < 1e-30


def test_a_large_sum_is_close_to_the_exact_one():
    draw = Draw(52, 4, 13)
    exact, rough = expected({draw: 900}), expected({draw: 1100})
    assert exact.exact is not None
    assert rough.exact is None
    for z in (-3, -1, 0, 2):
        seen = [round(one.mean + z * one.variance**0.5) for one in (exact, rough)]
        assert exact.p_value(seen[0]) == pytest.approx(rough.p_value(seen[1]), abs=0.03)


def test_holms_correction_is_his():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_rank_sums_are_those_of_the_textbook():
    # Published: rank sum of the first row 78 of 16 values, no ties; z = 0.945 without, 0.893 with continuity.
    mine = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    others = [1.15, 0.88, 0.9, 0.74, 1.21]
    assert rank_sum_p(mine, others) == pytest.approx(0.2446, abs=0.02)
    assert rank_sum_p([1, 1], [1, 1, 1]) == 1
    assert rank_sum_p([], [1]) == 1


def test_a_smaller_bias_takes_more_hands():
    spread = Draw(52, 4, 13).variance
    assert hands_needed(spread, 0.1, 10) > hands_needed(spread, 0.5, 10) > 1
    assert hands_needed(spread, 0.25, 20) > hands_needed(spread, 0.25, 1)


def game(rng: random.Random, deals: int, favour: float = 0.0) -> list[Event]:
    """A record in which the dealer of seat 0 finds an ace more in his own hand every now and then."""
    log: list[Event] = [opened(PEOPLE, PRESETS["seed"])]
    for deal in range(1, deals + 1):
        dealer = (deal - 1) % PEOPLE
        deck = list(FIRST_PACK)
        rng.shuffle(deck)
        if dealer == 0 and rng.random() < favour:
            wanted = next(at for at, card in enumerate(deck) if card[0] == "A" and at >= 7)
            plain = next(at for at, card in enumerate(deck[:7]) if card[0] != "A")
            deck[wanted], deck[plain] = deck[plain], deck[wanted]
        log.append(Shuffled(deal=deal, dealer=dealer, method="hand", deck=tuple(deck)))
        for step in range(PEOPLE):
            seat = (dealer + step) % PEOPLE
            log.append(Dealt(seat=seat, cards=tuple(deck[7 * step : 7 * step + 7])))
        scores = tuple(rng.randint(-50, 120) for _ in range(PEOPLE))
        log.append(DealScored(deal=deal, scores=scores, totals=scores))
    return log


def answer(log: list[Event], dealer: str | None = None) -> Any:
    tally = Tally(dealer)
    tally.add(log)
    return tally.answer()


def test_well_shuffled_packs_are_seldom_called_unusual():
    """The corrected level holds for the whole table of numbers: at most 5 % of tables have an unusual one."""
    unusual = 0
    for seed in range(60):
        log = game(random.Random(seed), 30)
        seats = log[0].seats  # type: ignore[attr-defined]
        unusual += bool(answer(log, seats[0]).unusual)
    assert unusual <= 6


def test_a_dealer_with_too_many_aces_is_seen_and_nobody_else_as_dealer():
    log = game(random.Random(7), 600, favour=0.6)
    seats = log[0].seats  # type: ignore[attr-defined]
    found = answer(log, seats[0])
    # What he has too much of the others have too little of; his own hand is the most unusual.
    most = min(found.questions, key=lambda one: one.p_value)
    assert (most.kind, most.position, most.is_unusual) == ("aces", 0, True)
    assert most.seen > most.expected
    assert answer(log, seats[1]).unusual == ()
    assert found.deals == 200


def test_a_dealer_whose_scores_depend_on_dealing_is_seen():
    log = game(random.Random(3), 120)
    seats = log[0].seats  # type: ignore[attr-defined]
    richer = [
        DealScored(deal=e.deal, scores=((e.scores[0] or 0) + 90, *e.scores[1:]), totals=e.totals)
        if isinstance(e, DealScored) and e.deal % PEOPLE == 1
        else e
        for e in log
    ]
    assert [one.kind for one in answer(richer, seats[0]).unusual] == ["scores"]


def test_unknown_hands_are_left_out_and_counted():
    log = game(random.Random(1), 4)
    log[2] = Dealt(seat=0, cards=("??",) * 7)
    found = answer(log)
    assert (found.deals, found.unknown) == (3, 1)


def test_nothing_is_said_of_nothing():
    assert answer([]).questions == ()
    assert Tally("nobody").answer().deals == 0
