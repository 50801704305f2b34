"""Deals played to their end by chance at tables with any options, both referees asked at every step."""

import random
from typing import Any

import pytest

from tests.perft import engine, naive
from tests.perft.deals import Deal
from tests.perft.naive import Group, Run
from tests.simulate import RUMMY, opened

WALKS = 150
NIGHTLY_WALKS = 6000
LONGEST = 60
OPTIONS: dict[str, tuple[Any, ...]] = {
    "packs": (1, 2),
    "pile_rule": ("top_free", "always_meld", "always_new_meld"),
    "deep_timing": ("next_play", "by_turn_end"),
    "redraw_scope": ("physical_card", "same_face", "any_taken"),
    "stock_out": (
        "end_when_declined",
        "end_at_once",
        "reshuffle_all_but_top",
        "reshuffle_all_turn_one",
    ),
    "rummy": ("full", "latest_layoff", "none"),
    "go_out": ("free", "discard_required", "floating", "floating_unplayable"),
    "illegal_final_discard": ("reject", "challenge"),
    "floater_calls": (True, False),
    "floater_draw": ("any", "stock_only"),
    "runs": ("plain", "around_corner"),
    "run_two_aces": (False, True),
    "min_naturals": (1, 0, 2, 3),
    "rummy_window": ("after_discard", "also_after_meld"),
    "call_meld_may_use_hand": (True, False),
    "idle_rounds": (None, 1, 2),
    "joker_swap": (False, True),
}
# What a table of 5000 Rummy has in their place (V-9b).
WILD: dict[str, tuple[Any, ...]] = {
    "variant": ("rummy5000",),
    "jokers_per_pack": (0,),
    "joker_swap": (False,),
    "wild_swap": (False, True),
}
# Challenges are rare: half of the walks are at tables that know them.
CHALLENGES = {"go_out": "floating_unplayable", "illegal_final_discard": "challenge"}


@pytest.mark.parametrize("first", range(0, WALKS, 50))
def test_both_referees_allow_the_same_acts_all_the_way(first: int) -> None:
    for seed in range(first, first + 50):
        walk(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(WALKS, NIGHTLY_WALKS, 650))
def test_they_do_so_in_many_more_deals(first: int) -> None:
    for seed in range(first, first + 650):
        walk(seed)


def walk(seed: int) -> None:
    """Play one deal, choosing a kind of act and then one of that kind."""
    chance = random.Random(seed)
    deal = made_up(seed, chance)
    state, table = engine.set_up(deal), deal.table()
    line: list[naive.Act] = []
    for _ in range(LONGEST):
        assert (state.phase == "over") == (table.phase == "over"), (seed, line)
        if state.phase == "over":
            return
        try:
            allowed = engine.by_signature(state, table)
        except AssertionError as error:
            raise AssertionError(f"walk {seed}, {deal}, after {line}: {error}") from error
        assert allowed, f"nobody can act in walk {seed} after {line}"
        kind = chance.choice(sorted({signature[0] for signature in allowed}))
        act = allowed[chance.choice([s for s in allowed if s[0] == kind])]
        line.append(engine.in_words(act))
        state, table = engine.after(state, act), naive.after(table, engine.in_words(act))


def made_up(seed: int, chance: random.Random) -> Deal:
    """A deal of few ranks that follow one another, perhaps with melds on the table, with any options."""
    while True:
        options = {name: chance.choice((values[0], *values)) for name, values in OPTIONS.items()}
        options |= CHALLENGES if seed % 2 else {}
        is_wild = seed % 4 > 1
        if is_wild:
            options |= {name: chance.choice(values) for name, values in WILD.items()}
        ranks = _ranks(chance)
        deal = Deal(
            f"walk {seed}",
            chance.randint(2, 4),
            ranks=ranks,
            suits=chance.choice(("SHC", "SHDC", "SC", "HC")),
            jokers=0 if is_wild else chance.randint(0, 2 * options["packs"]),
            hand=chance.randint(1, 4),
            pile=chance.randint(1, 5),
            stock=chance.randint(0, 4),
            melds=_melds(chance),
            wild=chance.choice(ranks) if is_wild else "",
            options=options,
        )
        playable = not RUMMY.problems(opened(deal.seats, deal.rules, "recorded"))
        if playable and deal.has_enough_cards:
            return deal


def _ranks(chance: random.Random) -> str:
    first, count = chance.randrange(13), chance.randint(4, 7)
    return ("A23456789TJQK" * 2)[first : first + count]


def _melds(chance: random.Random) -> tuple[Group | Run, ...]:
    melds: list[Group | Run] = []
    if chance.random() < 0.6:
        low = chance.randrange(11)
        melds.append(Run(1, "C", low, min(chance.randint(low + 2, 13), low + 11)))
    if chance.random() < 0.5:
        rank = chance.choice("A23456789TJQK")
        melds.append(Group(2, (rank + "S", rank + "H", rank + "D")))
    return tuple(melds)
