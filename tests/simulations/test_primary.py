"""One breach put into a clean game is one breach: whatever else is found follows from it, and is said to."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from api.simulation import Table
from events.common import DealEnded, DealScored
from events.game import effective
from events.lanterloo.events import TrickTaken
from projections.audit import audit
from projections.primary import causes
from tests.simulations.test_breaches import KINDS, Kind, illegal, wrong_payment

QUICK_GAMES, QUICK_SHARDS = 6, 2
NIGHTLY_GAMES, NIGHTLY_SHARDS = 100, 8

Way = Any


def wrong_score(kind: Kind, table: Table, chance: random.Random) -> tuple[int, Any]:
    """Return a version of the game and its score with a wrong figure, carried into the total or not."""
    scored = [v for v, event in enumerate(table.events, 1) if isinstance(event, DealScored)]
    version = chance.choice(scored)
    event = table.events[version - 1]
    seat, off = chance.randrange(len(event.scores)), chance.choice([-15, -1, 1, 14])
    totals = list(event.totals)
    totals[seat] += off
    scores = list(event.scores)
    if chance.randrange(2):
        scores[seat] += off
    return version, replace(event, scores=tuple(scores), totals=tuple(totals))


def wrong_end(kind: Kind, table: Table, chance: random.Random) -> tuple[int, Any]:
    """Return a version of the game and another end of a deal there, or another taker of a trick."""
    wanted = (DealEnded, TrickTaken)
    version = chance.choice(
        [v for v, event in enumerate(table.events, 1) if isinstance(event, wanted)]
    )
    event = table.events[version - 1]
    if isinstance(event, TrickTaken):
        return version, replace(event, seat=(event.seat + 1) % len(table.events[0].seats))
    return version, replace(event, reason="SOMEHOW")


def primaries(table: Table, events: list[Any]) -> list[int]:
    findings = audit(table.game, events).findings
    follows = causes(table.game, effective(events), findings)
    for one, cause in zip(findings, follows, strict=True):
        assert cause is None or cause <= one.version
    return [one.version for one, cause in zip(findings, follows, strict=True) if cause is None]


def check(kind: Kind, number: int) -> None:
    table = kind.table(number)
    events = table.play()
    chance = random.Random(number)
    ways: list[Way] = [illegal, wrong_score, wrong_end]
    if kind.name == "lanterloo":
        ways.append(wrong_payment)
    version, spoilt = ways[number % len(ways)](kind, table, chance)
    found = primaries(table, [*events[: version - 1], spoilt, *events[version:]])
    assert found == [version], f"game {number}: {spoilt} for {events[version - 1]}"


@pytest.mark.parametrize("shard", range(QUICK_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_one_breach_is_found_as_one(kind: str, shard: int) -> None:
    for number in range(shard * QUICK_GAMES, (shard + 1) * QUICK_GAMES):
        check(KINDS[kind], number)


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_so_it_is_in_many_more_games(kind: str, shard: int) -> None:
    for number in range(shard * NIGHTLY_GAMES, (shard + 1) * NIGHTLY_GAMES):
        check(KINDS[kind], number)


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_full_of_breaches_is_told_with_bounded_work(kind: str) -> None:
    table = KINDS[kind].table(0)
    events, chance = list(table.play()), random.Random(0)
    for _ in range(30):
        version, act = illegal(KINDS[kind], table, chance)
        events[version - 1] = act
    findings = audit(table.game, events).findings
    follows = causes(table.game, effective(events), findings)
    assert 1 <= follows.count(None) <= len(findings)


@pytest.mark.parametrize("kind", KINDS)
def test_two_breaches_in_two_deals_are_two(kind: str) -> None:
    for number in range(4):
        table = KINDS[kind].table(number)
        events, chance = list(table.play()), random.Random(number)
        begun = [v for v, e in enumerate(events, 1) if e.__struct_config__.tag == "shuffled"]
        spoilt: dict[int, tuple[int, Any]] = {}
        for _ in range(6):
            version, act = illegal(KINDS[kind], table, chance)
            spoilt.setdefault(sum(first <= version for first in begun), (version, act))
        pair = list(spoilt.values())[:2]
        for version, act in pair:
            events[version - 1] = act
        assert primaries(table, events) == sorted(version for version, _ in pair)
