"""A thousand games that audit clean, and the same ones with one thing put in that is against the rules: each is found there."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from api.simulation import Order, Table
from events.game import Game, Violation, fold
from events.lanterloo import ruleset as loo
from events.lanterloo.events import AntePaid, Bid, Exchanged, Looed, PenaltyPaid, PoolPaid
from events.rummy500 import ruleset as rummy
from events.rummy500.events import StockDrawn
from projections.audit import audit
from tests.events.lanterloo import mutants as loo_slips
from tests.events.lanterloo import test_laws as loo_laws
from tests.events.rummy500 import mutants as rummy_slips
from tests.events.rummy500 import test_laws as rummy_laws

QUICK_GAMES, QUICK_SHARDS = 20, 2
NIGHTLY_GAMES, NIGHTLY_SHARDS = 125, 8
PAYMENTS = (AntePaid, PoolPaid, Looed, PenaltyPaid)

Slips = Callable[[Any, Sequence[Any], random.Random], Iterator[Any]]


class Kind:
    """A game as it is simulated here: rulesets and numbers of seats in turn, and how acts are spoilt."""

    def __init__(
        self, name: str, presets: Sequence[Any], fewest: int, deals: int, slips: Slips, laws: Any
    ) -> None:
        self.name, self.presets, self.fewest, self.deals = name, presets, fewest, deals
        self.slips, self.laws = slips, laws

    def table(self, number: int) -> Table:
        """Return a table of which each number makes another game."""
        ruleset = self.presets[number % len(self.presets)]
        most = getattr(ruleset, "max_players", 8)
        seats = self.fewest + number % (most - self.fewest + 1)
        return Table(Order(self.name, seats, number, "greedy", ruleset, self.deals), number)


def loo_kind(form: str) -> Kind:
    presets = [one for one in loo.PRESETS.values() if one.preset.endswith(form)]
    presets += [replace(one, preset="custom", stakes="unlimited") for one in presets]
    return Kind("lanterloo", presets, 3, 25, loo_slips.mutants, loo_laws)


RUMMY_TABLES = [
    rummy.SEED,
    rummy.DELBOYCODES,
    replace(rummy.SEED, preset="custom", go_out="floating", rummy="latest_layoff"),
    replace(rummy.SEED, preset="custom", pile_rule="always_new_meld", jokers_per_pack=0),
]
KINDS: dict[str, Kind] = {
    "rummy500": Kind("rummy500", RUMMY_TABLES, 2, 12, rummy_slips.mutants, rummy_laws),
}
KINDS.update({form: loo_kind(form) for form in loo.FORMS})


def illegal(kind: Kind, table: Table, chance: random.Random) -> tuple[int, Any]:
    """Return a version of the game and an act against the rules in the place of the one there."""
    for version in chance.sample(range(2, len(table.events)), len(table.events) - 2):
        there = table.events[version - 1]
        if not is_act(table, there):
            continue
        state = fold(table.game, table.events, version - 1)
        for act in kind.slips(state, [there], chance):
            if is_act(table, act) and is_breach(table.game, state, act, kind):
                return version, act
    raise AssertionError("a game in which nothing can be done wrong")


def is_act(table: Table, event: Any) -> bool:
    """Whether this is what a player does, not the dealer or the scorer."""
    hidden: dict[str, Any] = {"card": "??"} if isinstance(event, StockDrawn) else {}
    hidden |= {"drawn": ()} if isinstance(event, Exchanged) else {}
    hidden |= {"cards": ()} if isinstance(event, Bid) else {}
    return hasattr(event, "seat") and not table.game.not_for_clients(replace(event, **hidden))


def is_breach(game: Game[Any, Any], state: Any, act: Any, kind: Kind) -> bool:
    found = game.judge(state, act)
    return not kind.laws.is_outside(act) and any(isinstance(one, Violation) for one in found)


def wrong_payment(kind: Kind, table: Table, chance: random.Random) -> tuple[int, Any]:
    """Return a version of the game and its payment with a wrong amount."""
    paid = [v for v, event in enumerate(table.events, 1) if isinstance(event, PAYMENTS)]
    version = chance.choice(paid)
    event = table.events[version - 1]
    others = {event.amount + chance.choice([1, 3, 5, 15]), event.amount - 1} - {0}
    return version, replace(event, amount=chance.choice(sorted(others)))


def check(kind: Kind, number: int) -> None:
    table = kind.table(number)
    events = table.play()
    report = audit(table.game, events)
    assert (report.findings, report.unchecked) == ((), ())
    chance = random.Random(number)
    ways = [illegal, wrong_payment] if kind.name == "lanterloo" else [illegal]
    version, spoilt = chance.choice(ways)(kind, table, chance)
    found = audit(table.game, [*events[: version - 1], spoilt, *events[version:]]).findings
    where = f"game {number}, version {version}: {spoilt} for {events[version - 1]}"
    assert found, where
    assert found[0].version == version, f"{where}: {found[:3]}"
    assert found[0].event == spoilt.__struct_config__.tag


@pytest.mark.parametrize("shard", range(QUICK_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_put_in_is_found_at_that_very_version(kind: str, shard: int) -> None:
    for number in range(shard * QUICK_GAMES, (shard + 1) * QUICK_GAMES):
        check(KINDS[kind], number)


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_so_it_is_in_a_thousand_games_of_each_kind(kind: str, shard: int) -> None:
    for number in range(shard * NIGHTLY_GAMES, (shard + 1) * NIGHTLY_GAMES):
        check(KINDS[kind], number)
