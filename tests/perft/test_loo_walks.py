"""Hands of Lanterloo played to their end by chance at tables with any options, both referees asked at every step."""

import random
from typing import Any

import pytest

from tests.events.lanterloo.table import LOO, opened
from tests.perft import loo_engine, loo_naive
from tests.perft.loo_deals import ALL, Deal

WALKS = 200
NIGHTLY_WALKS = 6000
OPTIONS: dict[str, tuple[Any, ...]] = {
    "stakes": ("limited", "unlimited"),
    "unit": (1, 2),
    "pam_card": ("JC", "trump_knave"),
    "pam_suit": ("trump", "clubs", "free"),
    "exchange_shortage": ("limit", "recycle_passed"),
    "all_pass": ("dealer", "carry"),
    "lone_vs_dealer": ("dealer_may_pass", "must_defend"),
    "force": ("single_pool", "first_hand", "off"),
    "force_miss": ("eldest", "withdrawn"),
    "force_loo5": (False, True),
    "club_law": (False, True),
    "club_law_miss": ("withdrawn", "allowed"),
    "flush_looes": ("standers", "all", "shown_before_pass"),
    "flush_paid_to": ("pool", "winner"),
    "flush_tie": ("cards_then_elder", "elder", "split"),
    "flush_classes": ("pam_first", "pam_equal"),
    "flush_autoclaim": (True, False),
    "blaze": ("off", "below_flush"),
    "loo5_play": ("free", "as_loo3"),
    "civil": ("spoken", "auto", "off"),
    "civil_scope": ("unless_only_card", "without_revoke"),
    "lead_two": ("any_trump", "highest", "highest_if_two_players", "off"),
    "lead_two_scope": ("first_lead", "every_lead"),
    "lead_ace": ("off", "ace_first_lead", "ace_or_king"),
    "trump_after_trick": (False, True),
    "must_undertrump": (False, True),
}


@pytest.mark.parametrize("first", range(0, WALKS, 50))
def test_both_referees_allow_the_same_acts_all_the_way(first: int) -> None:
    for seed in range(first, first + 50):
        walk(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(WALKS, NIGHTLY_WALKS, 580))
def test_they_do_so_in_many_more_hands(first: int) -> None:
    for seed in range(first, first + 580):
        walk(seed)


def walk(seed: int) -> None:
    """Play one hand, choosing a kind of act and then one of that kind."""
    chance = random.Random(seed)
    deal = made_up(seed, chance)
    state, table = loo_engine.set_up(deal), deal.table()
    line: list[loo_naive.Act] = []
    while True:
        assert (state.phase in loo_engine.OVER) == (table.phase == "over"), (deal, line)
        try:
            allowed = loo_engine.by_words(state, table)
        except AssertionError as error:
            raise AssertionError(f"walk {seed}, {deal}, after {line}: {error}") from error
        if table.phase == "over":
            return
        assert allowed, f"nobody can act in walk {seed} after {line}"
        kind = chance.choice(sorted({words[0] for words in allowed}))
        words = chance.choice(sorted(one for one in allowed if one[0] == kind))
        line.append(words)
        state, table = loo_engine.after(state, allowed[words]), loo_naive.after(table, words)


def made_up(seed: int, chance: random.Random) -> Deal:
    """A hand of few ranks or few suits, between three or four, with any options."""
    form = chance.choice(("loo5", "loo3", "irish"))
    while True:
        options = {name: chance.choice((values[0], *values)) for name, values in OPTIONS.items()}
        if form != "loo3":
            del options["lone_vs_dealer"]
        suits = chance.choice(("SHDC", "SHC", "HDC"))
        deal = Deal(
            f"walk {seed}",
            form,
            chance.randint(3, 4),
            ranks=ALL if len(suits) == 3 or chance.random() < 0.3 else ALL[5:],
            suits=suits,
            pool=options["unit"] * chance.choice((1, 3)) * (5 if form == "loo5" else 3),
            single=chance.random() < 0.3,
            stock=chance.randint(0, 12),
            said=("play",) * 3 if chance.random() < 0.3 else (),
            options=options,
        )
        said = ("play",) * deal.seats if deal.said else ()
        deal = Deal(**{**vars(deal), "said": said})
        if not LOO.problems(opened(deal.seats, deal.rules, "recorded")):
            return deal
