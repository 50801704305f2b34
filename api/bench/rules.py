"""The rules at work: legal acts listed for hands of four sizes, and games simulated, beside judging alone.

No database. CPU time of one process, medians.
"""

import random
import statistics
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from api.bench.group import OURS, Group, Means, Row
from api.bench.tables import FORMS, log
from events.cards import JOKERS, NATURALS, SUITS
from events.common import GameOpened
from events.games import RUMMY500, game_named
from events.rummy500.ruleset import SEED
from events.rummy500.state import Laid, Meld, State
from events.version import ENGINE

JUDGING: Final = "judging"
HANDS: Final = {7: 1, 13: 2, 25: 4, 40: 4}
"""Cards of a hand, and how many of them are jokers."""
_TABLE: Final = "567"
"""Ranks of the sequence that lies on the table in each suit."""
_SHARE: Final = 4
"""Of so many games of a round's size one is simulated."""


def measure(means: Means) -> list[Row]:
    """Return a row for every size of hand and for every form of game."""
    rows = []
    for size in HANDS:
        means.say(f"legal acts, {size} cards")
        rows.append(_listed(size, means.size.hands))
    for form in FORMS:
        means.say(f"simulated {form}")
        rows.append(_simulated(form, max(1, means.size.games // _SHARE), means.size.rounds))
    return rows


def _listed(size: int, hands: int) -> Row:
    """Time the whole list of a hand's legal acts, and judging the listed ones once more."""
    found: dict[str, list[float]] = {OURS: [], JUDGING: []}
    for seed in range(hands):
        state = turn_with(size, random.Random(seed))  # noqa: S311 - the same hands every time
        begun = time.process_time()
        acts = list(RUMMY500.legal(state, 0))
        listed = time.process_time()
        _exhaust(RUMMY500.judge(state, act) for act in acts)
        found[OURS].append((listed - begun) * 1000)
        found[JUDGING].append((time.process_time() - listed) * 1000)
    figures = {name: statistics.median(times) for name, times in found.items()}
    return Row(f"legal_{size}", "ms", figures, found)


def turn_with(size: int, chance: random.Random) -> State:
    """Return a turn at two packs with so many cards in hand, after the draw, and a sequence of each suit laid."""
    table = tuple(
        Meld(number, "sequence", 1, tuple(Laid(rank + suit, 1) for rank in _TABLE), int(_TABLE[0]))
        for number, suit in enumerate(SUITS, 1)
    )
    rest = [card for card in NATURALS if not (len(card) == 2 and card[0] in _TABLE)]
    chance.shuffle(rest)
    hand = (*JOKERS[: HANDS[size]], *rest[: size - HANDS[size]])
    opened = GameOpened(
        game=RUMMY500.name,
        ruleset=replace(SEED, packs=2),
        engine=ENGINE,
        seats=tuple(str(UUID(int=seat + 1)) for seat in range(2)),
        first_dealer=0,
        mode="refereed",
        source="bench",
    )
    state: State = RUMMY500.initial(opened)
    return replace(state, phase="play", drawn="stock", hands=(hand, ()), table=table)


def _simulated(form: str, games: int, rounds: int) -> Row:
    """Time bots at their tables, and the same events judged and carried out alone."""
    found: dict[str, list[float]] = {OURS: [], JUDGING: []}
    for turn in range(rounds):
        begun = time.process_time()
        logs = [log(form, 1 + turn * games + number) for number in range(games)]
        played = time.process_time()
        for events in logs:
            _judged(form, events)
        found[OURS].append(games / (played - begun))
        found[JUDGING].append(games / max(time.process_time() - played, 1e-9))
    figures = {name: statistics.median(rates) for name, rates in found.items()}
    return Row(f"simulated_{form}", "games/s", figures, found)


def _judged(form: str, events: list[Any]) -> None:
    game = game_named(FORMS[form].game)
    state = game.initial(events[0])
    for event in events[1:]:
        after = game.evolve(state, event)
        game.judge(state, event, after)
        state = after


def _exhaust(these: Iterable[object]) -> None:
    deque(these, maxlen=0)


GROUP: Final = Group(
    name="rules",
    titles={
        **{f"legal_{size}": f"legal acts of a hand of {size}" for size in HANDS},
        **{f"simulated_{form}": f"simulated games, {form}" for form in FORMS},
    },
    heads={OURS: "Lanterlog", JUDGING: "judging alone"},
    steps=len(HANDS) + len(FORMS),
    measure=measure,
    notes=(
        "Legal acts: all of one hand, two packs, a sequence of each suit on the table; the median hand.",
        "Simulated games: eight deals by the greedy bot, three and five at the table; medians. CPU time.",
    ),
)
