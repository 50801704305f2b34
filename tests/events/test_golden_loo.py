"""Golden logs of Lanterloo: every event shape that has shipped can still be read, and replays to the state it had.

A file of tests/golden/lanterloo never changes once it is released: a shape that must change gets a new version,
an upcaster and a golden log of its own. SHA256SUMS holds everyone to that.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.codec import canonical, decode, encode
from events.game import fold
from events.lanterloo.state import State
from events.upcasters import current_version
from tests.events.lanterloo.strategies import EVENT_TYPES
from tests.events.lanterloo.table import LOO

GOLDEN = Path(__file__).parents[1] / "golden" / "lanterloo"
LOGS = sorted(path.stem for path in GOLDEN.glob("*.ndjson"))


def bodies(name: str) -> list[bytes]:
    return (GOLDEN / f"{name}.ndjson").read_bytes().splitlines()


def events(name: str) -> list[Any]:
    return [decode("lanterloo", body) for body in bodies(name)]


def summary(state: State) -> dict[str, Any]:
    """What a table of Loo comes to, in words that do not follow the program's own structs."""
    plain = ("deal", "dealer", "phase", "turn", "trump", "turn_up", "pool", "ended", "winner")
    rows, cards = ("balances", "tricks", "bids"), ("stock", "miss", "put_out", "surplus")
    return (
        {name: getattr(state, name) for name in plain}
        | {name: list(getattr(state, name)) for name in rows}
        | {name: " ".join(getattr(state, name)) for name in cards}
        | {name: [" ".join(one) for one in getattr(state, name)] for name in ("hands", "aside")}
        | {"trick": [f"{one.seat}:{one.card}" for one in (*state.played, *state.trick)]}
    )


@pytest.mark.parametrize("name", LOGS)
def test_a_golden_log_is_read_and_written_again_byte_for_byte(name: str) -> None:
    assert [canonical("lanterloo", body) for body in bodies(name)] == bodies(name)
    for event, body in zip(events(name), bodies(name), strict=True):
        if json.loads(body)["v"] == event.v:
            assert encode(event) == body


@pytest.mark.parametrize("name", LOGS)
def test_a_golden_log_replays_to_its_state(name: str) -> None:
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    assert json.loads(json.dumps(summary(fold(LOO, events(name))))) == expected


def test_every_shape_that_ever_was_has_a_golden_log() -> None:
    shapes = {(body["t"], body["v"]) for name in LOGS for body in map(json.loads, bodies(name))}
    assert shapes == {
        (tag, version)
        for tag in EVENT_TYPES
        for version in range(1, current_version("lanterloo", tag) + 1)
    }


def test_every_field_that_can_be_null_is_once_null_and_once_not() -> None:
    seen: dict[tuple[str, str], set[bool]] = {}
    for name in LOGS:
        for body in map(json.loads, bodies(name)):
            for field, value in body.items():
                seen.setdefault((body["t"], field), set()).add(value is None)
    assert {key for key, values in seen.items() if values == {True}} == {("deal_ended", "out")}


def test_no_golden_file_has_been_changed() -> None:
    lines = (GOLDEN / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = [GOLDEN / f"{name}{suffix}" for name in LOGS for suffix in (".ndjson", ".json")]
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in files} == sums
