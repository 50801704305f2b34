"""One game, three records: with all cards, with `??` for what a scribe cannot see, and from mid-deal on.

All three have the same findings, less those that the record names as unchecked.
"""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import UNKNOWN
from events.codec import encode
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import Ruleset
from projections.audit import Finding, Report, audit
from tests.profiles import examples
from tests.projections.records import by_scribe, from_positions, with_illegal_acts
from tests.simulate import RUMMY, play

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"go_out": "floating"},
    {"go_out": "floating_unplayable", "illegal_final_discard": "challenge"},
    {"go_out": "floating_unplayable", "redraw_scope": "any_taken"},
    {"go_out": "discard_required", "pile_rule": "always_meld"},
    {"rummy": "latest_layoff", "pile_rule": "always_new_meld", "deep_timing": "by_turn_end"},
    {"stock_out": "reshuffle_all_but_top", "joker_swap": True},
    {"call_meld_may_use_hand": False, "redraw_scope": "same_face", "jokers_per_pack": 0},
)

Wrong = tuple[list[RummyEvent], list[int]]


@st.composite
def wrong_games(draw: Any) -> Wrong:
    """Deals with one to three acts that break a rule for all to see, and the versions of those."""
    options = draw(st.sampled_from(OPTIONS))
    seats, count = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10**6))
    return with_illegal_acts(seed, seats, Ruleset(preset="custom", **options), count)


def told(found: tuple[Finding, ...]) -> Counter[tuple[int, str, int | None]]:
    return Counter((one.version, one.code, one.seat) for one in found)


def breaches(report: Report) -> Counter[tuple[int, str, int | None]]:
    return told(report.findings)


@examples(30, shrink=False)
@given(wrong_games())
def test_each_illegal_act_is_found_where_it_was_done(game: Wrong) -> None:
    events, wrong = game
    report = audit(RUMMY, events)

    assert set(wrong) <= {one.version for one in report.findings}
    assert report.unchecked == ()


@examples(30, shrink=False)
@given(wrong_games())
def test_a_scribe_finds_the_same_less_what_is_named_as_unchecked(game: Wrong) -> None:
    events, _ = game
    whole, seen = audit(RUMMY, events), audit(RUMMY, by_scribe(events))
    missing = breaches(whole) - breaches(seen)

    assert breaches(seen) - breaches(whole) == Counter()
    assert missing.keys() <= told(seen.unchecked).keys()


@examples(30, shrink=False)
@given(wrong_games(), st.randoms(use_true_random=False))
def test_a_position_in_mid_deal_leads_to_the_same_findings(game: Wrong, rng: Any) -> None:
    events, wrong = game
    later = list(from_positions(events, wrong[0] if wrong else len(events)))
    for version, shorter in rng.sample(later, min(len(later), 3)):
        found, shift = audit(RUMMY, shorter), version - 2
        after = [one for one in audit(RUMMY, events).findings if one.version > version]

        moved = Counter((one.version + shift, one.code, one.seat) for one in found.findings)
        assert moved == told(tuple(after))
        assert found.unchecked == ()


@examples(30, shrink=False)
@given(wrong_games(), st.randoms(use_true_random=False))
def test_a_scribe_who_comes_in_mid_deal_finds_no_more(game: Wrong, rng: Any) -> None:
    events, wrong = game
    for version, shorter in rng.sample(
        later := list(from_positions(events, wrong[0] if wrong else len(events))),
        min(len(later), 2),
    ):
        seen = audit(RUMMY, by_scribe(shorter))
        after = told(tuple(one for one in audit(RUMMY, events).findings if one.version > version))
        moved = Counter((one.version + version - 2, one.code, one.seat) for one in seen.findings)
        open_ = {(one.version + version - 2, one.code, one.seat) for one in seen.unchecked}
        assert moved - after == Counter()
        assert (after - moved).keys() <= open_


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_scribes_record_of_a_legal_game_is_clean(seats: int) -> None:
    events = play(seats, seats, deals=3, mode="recorded")
    seen = by_scribe(events)

    assert audit(RUMMY, events).findings == audit(RUMMY, seen).findings == ()
    assert sum(encode(one).count(UNKNOWN.encode()) for one in seen) > 50


def test_the_games_are_wrong_in_many_ways() -> None:
    """What the laws above are tried on: nearly every game has its breach, of many kinds, and can be cut anywhere."""
    codes, without, cuts = Counter[str](), 0, 0
    for seed in range(60):
        options = OPTIONS[seed % len(OPTIONS)]
        events, wrong = with_illegal_acts(
            seed, 2 + seed % 4, Ruleset(preset="custom", **options), 2
        )
        codes.update(one.code for one in audit(RUMMY, events).findings)
        without += not wrong
        cuts += len(list(from_positions(events, wrong[0] if wrong else len(events))))
    assert len(codes) >= 15, codes
    assert without < 10
    assert cuts > 500
