"""Golden logs: every event shape that has ever shipped can still be read, and replays to the state it had.

A file of tests/golden never changes once it is released: a shape that must change gets a new version, an
upcaster and a golden log of its own. SHA256SUMS holds everyone to that.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.codec import canonical, decode, decode_opening, encode
from events.game import fold
from events.rummy500.state import State
from events.upcasters import current_version
from tests.events.strategies import EVENT_TYPES
from tests.simulate import RUMMY

GOLDEN = Path(__file__).parents[1] / "golden"
LOGS = sorted(path.stem for path in GOLDEN.glob("*.ndjson"))


def bodies(name: str) -> list[bytes]:
    return (GOLDEN / f"{name}.ndjson").read_bytes().splitlines()


def events(name: str) -> list[Any]:
    first = decode_opening(bodies(name)[0])
    return [decode(first.game, body) for body in bodies(name)]


def summary(state: State) -> dict[str, Any]:
    """What a table of 500 Rummy comes to, in words that do not follow the program's own structs."""
    table = [
        {
            "meld": meld.meld,
            "kind": meld.kind,
            "founder": meld.founder,
            "cards": [f"{laid.card}/{laid.seat}" for laid in meld.cards],
            "beside": [f"{laid.card}/{laid.seat}" for laid in meld.beside],
        }
        for meld in state.table
    ]
    plain = ("deal", "dealer", "phase", "turn", "duty", "discarder", "ended", "out", "winner")
    rows, cards = ("totals", "scores", "floaters"), ("stock", "pile", "surplus")
    return (
        {name: getattr(state, name) for name in plain}
        | {name: list(getattr(state, name) or ()) for name in rows}
        | {name: " ".join(getattr(state, name)) for name in cards}
        | {"hands": [" ".join(hand) for hand in state.hands], "table": table}
    )


@pytest.mark.parametrize("name", LOGS)
def test_a_golden_log_is_read_and_written_again_byte_for_byte(name: str) -> None:
    assert [canonical("rummy500", body) for body in bodies(name)] == bodies(name)
    for event, body in zip(events(name), bodies(name), strict=True):
        if json.loads(body)["v"] == event.v:
            assert encode(event) == body


@pytest.mark.parametrize("name", LOGS)
def test_a_golden_log_replays_to_its_state(name: str) -> None:
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    assert json.loads(json.dumps(summary(fold(RUMMY, events(name))))) == expected


def test_every_shape_that_ever_was_has_a_golden_log() -> None:
    shapes = {(body["t"], body["v"]) for name in LOGS for body in map(json.loads, bodies(name))}
    assert shapes == {
        (tag, version)
        for tag in EVENT_TYPES
        for version in range(1, current_version("rummy500", tag) + 1)
    }


def test_every_field_that_can_be_null_is_once_null_and_once_not() -> None:
    seen: dict[tuple[str, str], set[bool]] = {}
    for name in LOGS:
        for body in map(json.loads, bodies(name)):
            for field, value in body.items():
                seen.setdefault((body["t"], field), set()).add(value is None)
    always_null = {key for key, values in seen.items() if values == {True}}
    assert always_null == set()


def test_no_golden_file_has_been_changed() -> None:
    lines = (GOLDEN / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = [GOLDEN / f"{name}{suffix}" for name in LOGS for suffix in (".ndjson", ".json")]
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in files} == sums
