"""Lanterloo through HTTP: sessions played live, each seat choosing from what it may know, and what stays hidden."""

import random
from typing import Any

import msgspec
import pytest

from events.codec import decode
from events.game import fold
from events.lanterloo.events import LooEvent, StockRenewed
from events.lanterloo.state import State
from tests.api.table import Client, Table, post
from tests.events.lanterloo.table import LOO

pytestmark = [pytest.mark.store, pytest.mark.http]

SEATS = ["Ann", "Bob", "Cyd", "Dan"]
RULESETS = [
    "seed-loo5",
    "seed-loo3",
    "seed-irish",
    "hoyle1909-loo3",
    {"preset": "seed-loo5", "options": {"flush_autoclaim": False, "stakes": "unlimited"}},
]


def opened(client: Client, ruleset: Any, **asked: Any) -> Table:
    return Table.opened(client, game="lanterloo", seats=SEATS, ruleset=ruleset, **asked)


def seen(table: Table, viewer: int | str) -> list[LooEvent]:
    """The whole log as a seat sees it."""
    lines = table.get(f"/events?viewer={viewer}&limit=1000").json["events"]
    return [decode("lanterloo", msgspec.json.encode(one["event"])) for one in lines]


def play_one(table: Table, rng: random.Random) -> State:
    """Let the seat whose turn it is do something that is legal as far as it can know."""
    turn = fold(LOO, seen(table, "public")).turn
    state: State = fold(LOO, seen(table, turn))
    acts = [act for act in LOO.legal(state, turn) if not isinstance(act, StockRenewed)]
    act = rng.choice(acts)
    done = table.record(msgspec.to_builtins(act))
    assert done.status_code == 201, (act, done.text)
    return state


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_a_session_is_played_live(open_client: Client, ruleset: Any):
    table, rng = opened(open_client, ruleset, first_dealer=None), random.Random(7)
    for _ in range(25):
        play_one(table, rng)
    done = table.record({"t": "game_ended", "v": 1, "winner": None, "abandoned": True})
    assert done.status_code == 201, done.text
    state = table.get("/state").json["state"]
    assert (state["phase"], state["pool"], sum(state["totals"])) == ("ended", 0, 0)
    report = post(open_client, table.path("/audits"), {}).json
    assert report["findings"] == report["unchecked"] == []


def test_an_act_against_the_rules_is_refused(open_client: Client):
    table = opened(open_client, "seed-loo3", first_dealer=3)
    refused = table.record({"t": "bid", "v": 1, "seat": 0, "choice": "pass", "cards": []})
    assert refused.status_code == 422
    assert [one["code"] for one in refused.json["violations"]] == ["MUST_PLAY"]
    named = table.record({"t": "bid", "v": 1, "seat": 0, "choice": "miss", "cards": ["AS"] * 3})
    assert [one["code"] for one in named.json["violations"]] == ["OUTCOME_NAMED"]


def test_the_miss_and_the_hands_of_others_stay_hidden_until_the_session_has_ended(
    open_client: Client,
):
    table = opened(open_client, "seed-loo3", first_dealer=3)
    took = table.record({"t": "bid", "v": 1, "seat": 0, "choice": "miss", "cards": []})
    assert took.status_code == 201
    own, other = (table.get(f"/state?viewer={seat}").json["state"] for seat in (0, 1))
    assert "??" not in own["hands"][0] + own["aside"][0]
    assert own["hands"][1:] == [["??"] * 3] * 3
    assert set(other["hands"][0] + other["aside"][0]) == {"??"}
    events = table.get("/events?viewer=1").json["events"]
    bid = next(one["event"] for one in events if one["event"]["t"] == "bid")
    assert bid["cards"] == ["??"] * 3
    table.record({"t": "game_ended", "v": 1, "winner": None, "abandoned": True})
    assert "??" not in table.get("/state").json["state"]["aside"][0]


def test_two_seats_are_too_few(client: Client):
    answer = post(client, "/v1/games", {"game": "lanterloo", "seats": ["Ann", "Bob"]})
    assert answer.status_code == 422
    assert [one["code"] for one in answer.json["violations"]] == ["TOO_FEW_PLAYERS"]
