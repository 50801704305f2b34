"""Two games that differ only in cards which a viewer may not see are answered alike, byte for byte, everywhere.

The same statements are sent to the database, and the same lines are logged. What is asked stands in `twin_asks`.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import api
from api.described import TABLE
from api.viewing import Eyes
from events.cards import FIRST_PACK
from events.codec import encode
from events.common import Retracted
from events.games import GAMES
from events.records import Text
from events.rummy500.ruleset import SEED
from projections.frames import frames
from projections.viewer import Viewer
from projections.whereabouts import stays
from tests import luck, simulate
from tests.api.messy import messy
from tests.api.twin_asks import ADDRESSES, TELL_NOTHING
from tests.api.twin_stores import Pair, Twins, told
from tests.api.twin_stores import pair as pair  # noqa: PLC0414 - a fixture
from tests.api.twin_words import (
    HEADERS,
    SEATS,
    STREAMED,
    VALUES,
    WHO_ASKS,
    Table,
    parameters,
    tries,
)
from tests.api.twins import twin_of
from tests.events.lanterloo import table as loo
from tests.profiles import examples

pytestmark = [pytest.mark.store, pytest.mark.http]

NIGHTLY_SHARDS, NIGHTLY_GAMES = 8, 5


def test_every_address_is_here(pair: Pair):
    app = pair.stores[0].app
    there = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert there == set(ADDRESSES) | STREAMED | TELL_NOTHING


def test_every_parameter_is_sent_as_every_word_that_it_takes(pair: Pair):
    table = Table(str(UUID(int=1)), "public", [None] * 9, random.Random(1))
    asked = {endpoint for endpoint, _ in tries(pair.stores[0].app, table)}
    names: set[str] = set()
    for endpoint, described in TABLE.items():
        if not parameters(endpoint) or endpoint in STREAMED:
            continue
        assert endpoint in asked | POSTED
        for field in msgspec.structs.fields(described.query):
            names.add(field.encode_name)
            assert words_of(field.type) - {""} <= set(VALUES[field.encode_name]), endpoint
    assert names == set(VALUES)


POSTED = {
    *("exports.import_file", "games.open_game", "games.record_events"),
    "viewer.lists.import_page",
}


def words_of(kind: Any) -> set[Any]:
    """The words that a type has, if they are few."""
    if get_origin(kind) is Literal:
        return {one for one in get_args(kind) if isinstance(one, str)}
    return set().union(*map(words_of, get_args(kind)))


def test_every_header_that_is_read_is_sent():
    reads = re.compile(
        r'request\.headers(?:\.get\(|\[)\s*"([\w-]+)"|"([\w-]+)" (?:not )?in request\.headers'
    )
    sources = [path.read_text() for path in Path(api.__path__[0]).rglob("*.py")]
    read = {one or other for text in sources for one, other in reads.findall(text)}
    assert {"Host", "Origin", "Accept"} <= read
    assert read <= {name for headers in HEADERS for name in headers} | WHO_ASKS


KINDS: dict[str, Callable[[int], list[Any]]] = {
    "rummy500": lambda seed: list(simulate.play(seed, SEATS, deals=2)),
    "two packs": lambda seed: list(simulate.play(seed, SEATS, replace(SEED, packs=2))),
    "loo3": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("loo3"), deals=3)),
    "loo5": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("loo5"), deals=3)),
    "irish": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("irish"), deals=3)),
}
VIEWERS: list[Viewer] = ["public", *range(SEATS)]


def as_recorded(log: list[Any], rng: random.Random) -> list[Any]:
    """Return the log as somebody wrote it down who, now and then, went back."""
    found = [replace(log[0], mode="recorded"), *log[1:]]
    if rng.random() < 0.5 and len(found) > 12:
        found.append(
            Retracted(back_to=rng.randint(len(found) - 8, len(found) - 1), reason="MISTAKE")
        )
    return found


def check_fair(pair: Pair, kind: str, chance: str) -> None:
    """A game by the rules, cut off anywhere; refereed, or written down by somebody who now and then went back."""
    rng = random.Random(chance)
    log = KINDS[kind](rng.randrange(10_000))
    log = log[: rng.randint(6, len(log))]
    if rng.random() < 0.5:
        log = as_recorded(log, rng)
    check_alike(pair, log, rng.choice(VIEWERS), chance)


def check_messy(pair: Pair, kind: str, chance: str) -> None:
    """Hands that nobody knows, acts that break the rules, retractions, remarks that were erased, a player who was."""
    rng = random.Random(chance)
    log, texts = messy(KINDS[kind](rng.randrange(10_000)), rng)
    viewer, erased = rng.choice(VIEWERS), rng.choice([None, None, UUID(int=2)])
    check_alike(pair, log, viewer, chance, texts, erased)


def check_alike(
    pair: Pair,
    log: list[Any],
    viewer: Viewer,
    chance: str,
    texts: Sequence[Text] = (),
    erased: UUID | None = None,
) -> None:
    """Store a log and a twin of it, ask both everywhere, and compare."""
    rng = random.Random(chance)
    twin = twin_of(log[0].game, log, viewer, rng)
    with told(chance):
        both = Twins(pair, (log, twin), viewer, rng, texts)
        for one in pair.stores:
            if erased is not None:
                one.erase(erased)
        both.check()


GAMES_OF: dict[str, Callable[[Pair, str, str], None]] = {"fair": check_fair, "messy": check_messy}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", GAMES_OF)
def test_twins_are_answered_alike(pair: Pair, kind: str, how: str):
    GAMES_OF[how](pair, kind, f"{luck.SEED} {how} {kind}")


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", GAMES_OF)
def test_many_twins_are_answered_alike(pair: Pair, kind: str, how: str, shard: int):
    for number in range(NIGHTLY_GAMES):
        GAMES_OF[how](pair, kind, f"{luck.SEED} {how} {kind} {shard} {number}")


@pytest.mark.nightly
@pytest.mark.parametrize("shard", range(NIGHTLY_SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_twins_are_answered_alike_at_every_version(pair: Pair, kind: str, shard: int):
    log = KINDS[kind](11)
    for version in range(6 + shard, len(log) + 1, NIGHTLY_SHARDS):
        viewer = VIEWERS[version // NIGHTLY_SHARDS % len(VIEWERS)]
        check_alike(pair, log[:version], viewer, f"{kind} {version}")


HIDDEN = {
    "rummy500": ("stock_drawn", ("card",)),
    "loo3": ("bid", ("cards",)),
    "loo5": ("exchanged", ("drawn",)),
}
"""An act that hides cards, and where it says which were drawn."""


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.parametrize("viewer", ["public", 1])
def test_twins_that_go_on_are_followed_alike(pair: Pair, kind: str, viewer: Viewer):
    """What the referee draws for another is not the same of twins; whoever follows is told the same."""
    rng = random.Random(f"{luck.SEED} {kind}")
    log, twin = next(both for both in hidden_acts(kind, viewer, rng) if both[0][-1] != both[1][-1])
    acts = [as_sent(kind, one[-1]) for one in (log, twin)]
    Twins(pair, (log[:-1], twin[:-1]), viewer, rng).goes_on(acts)


def hidden_acts(kind: str, viewer: Viewer, rng: random.Random) -> Iterator[tuple[list[Any], ...]]:
    """Games and twins of them that end with an act of seat 2 that hides cards."""
    tag, _ = HIDDEN[kind]
    for seed in count(rng.randrange(1000)):
        log = KINDS[kind](seed)
        for at, event in enumerate(log):
            if at > 8 and event.__struct_config__.tag == tag and event.seat == 2:
                yield log[: at + 1], twin_of(log[0].game, log[: at + 1], viewer, rng)


def as_sent(kind: str, event: Any) -> Any:
    """An act as a client writes it, who does not know what is drawn."""
    act = msgspec.json.decode(encode(event))
    for name in HIDDEN[kind][1]:
        act[name] = ["??"] * len(act[name]) if isinstance(act[name], list) else "??"
    return act


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_viewer_sees_is_the_same_at_every_version(kind: str):
    """Without a server, so that every version of a whole game can be looked at in a moment."""
    log = KINDS[kind](7)
    rules, rng = GAMES[log[0].game], random.Random(7)
    for version in range(4, len(log) + 1):
        viewer = VIEWERS[version % len(VIEWERS)]
        twin = twin_of(log[0].game, log[:version], viewer, rng)
        mine, others = (views(rules, events, viewer, version) for events in (log[:version], twin))
        assert mine == others, (version, viewer)


@pytest.mark.parametrize("kind", KINDS)
@examples(8, shrink=False)
@given(seed=st.integers(0, 10**9))
def test_nor_is_it_in_what_was_written_down_wrongly(kind: str, seed: int):
    rng = random.Random(seed)
    log, _ = messy(KINDS[kind](rng.randrange(1000)), rng)
    rules, viewer = GAMES[log[0].game], rng.choice(VIEWERS)
    twin = twin_of(log[0].game, log, viewer, rng)
    for version in {len(log), rng.randint(1, len(log))}:
        mine, others = (views(rules, events, viewer, version) for events in (log, twin))
        assert mine == others, (version, viewer)


def views(rules: Any, log: list[Any], viewer: Viewer, version: int) -> list[bytes]:
    """Return what is computed from whole states, and so could tell: a state, a frame, where cards were."""
    seen = Eyes.of(rules.name, log, None, viewer).log(log)
    made: list[Any] = [
        seen.view(version),
        list(frames(seen, version)),
        stays(seen, FIRST_PACK[::5]) if version % 9 == 0 else [],
    ]
    return [msgspec.json.encode(one) for one in made]
