"""No card of a deal in play that the public has not seen leaves through any address, whatever is asked."""

import json
import random
import re
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder
from events.codec import encode
from events.common import DealEnded
from events.formats import ndjson
from events.games import RUMMY500
from projections.replay import state_at
from tests import simulate
from tests.api.table import Client, Table, discard, draw, post, send_file

pytestmark = [pytest.mark.store, pytest.mark.http]

CARD = re.compile(r"(?<![A-Za-z0-9=])(?:[A2-9TJQK][SHDC]'?|X[1-4])(?![A-Za-z0-9])")
"""A card; not what a joker stands for, which a player thinks of without having seen it."""
LOOKS = ("", "/events", "/state", "/timeline", "/legal", "/report", "/export.ndjson", "/export.txt")
VIEWERS = ("", "viewer=public", "viewer=all", "viewer=0", "viewer=1")


def cards(text: str) -> set[str]:
    return set(CARD.findall(text))


def full_state(engine: Engine, table: Table) -> Any:
    with engine.connect() as conn:
        return state_at(RUMMY500, recorder.load(conn, UUID(table.game_id)).events)


def shown(state: Any) -> set[str]:
    """Every card that lies or has lain open in the first deal, or that a joker stands for there."""
    laid = [one.card for meld in state.table for one in (*meld.cards, *meld.beside)]
    return {*state.pile, *state.taken, *cards(" ".join(laid).replace("=", " "))}


def play_on(table: Table, engine: Engine, rng: random.Random, acts: int) -> set[str]:
    """Play through HTTP, hands being read from the store; return the cards that came into the open."""
    seen: set[str] = set()
    for _ in range(acts):
        state = full_state(engine, table)
        seen |= shown(state)
        if state.phase in ("over", "scored", "ended") or state.deal > 1:
            break
        event = simulate.next_event(state, rng)
        if any(isinstance(due, DealEnded) for due in RUMMY500.due(RUMMY500.evolve(state, event))):
            break  # the deal would be over, and nothing hidden
        act = json.loads(encode(event))
        if act["t"] == "stock_drawn":
            act["card"] = "??"
        answer = table.record(act)
        assert answer.status_code == 201, answer.text
        seen |= shown(full_state(engine, table))
    return seen


def looks(client: Client, table: Table, viewers: tuple[str, ...] = VIEWERS) -> dict[str, str]:
    found = {
        f"{rest}?{viewer}": client.get(table.path(f"{rest}?{viewer}")).text
        for rest in LOOKS[1:]
        for viewer in viewers
    }
    for version in range(1, table.version + 1, 3):
        found[f"at {version}"] = client.get(table.path(f"/state?at={version}&viewer=all")).text
    for asked in ({}, {"viewer": "all"}, {"viewer": 0, "deal": 1}, {"ruleset": "delboycodes"}):
        found[f"audit {asked}"] = post(client, table.path("/audits"), asked).text
    found["game"] = client.get(table.path()).text
    found["list"] = client.get("/v1/games").text
    return found


@pytest.mark.parametrize("seed", range(4))
def test_nothing_hidden_leaves_while_the_deal_is_in_play(client: Client, engine: Engine, seed: int):
    table = Table.opened(client, seats=["Ann", "Bob", "Cyd"])
    seen = play_on(table, engine, random.Random(seed), acts=12 + 3 * seed)
    state = full_state(engine, table)
    assert state.deal == 1
    hidden = set(state.stock) - seen
    assert hidden
    for what, text in looks(client, table).items():
        assert cards(text) <= seen, what


def test_hidden_lines_have_no_salt(table: Table):
    for viewer in VIEWERS:
        for line in table.get(f"/events?{viewer}").json["events"]:
            assert ("inner" in line) == ("??" in json.dumps(line["event"]))
            assert ("salt" in line) != ("inner" in line)
    lines = table.get("/export.ndjson?viewer=all").data
    assert lines.count(b'"t":"withheld"') == 3
    assert ndjson.verify(BytesIO(lines)).ok
    assert send_file(table.client, lines).json["code"] == "bad_file"


def test_answers_to_acts_hide_what_was_drawn(table: Table):
    answer = table.record(draw(1), query="?viewer=1")
    assert answer.json["viewer"] == "public"
    assert answer.json["events"][0]["event"]["card"] == "??"


def test_a_refusal_does_not_tell_the_hand(client: Client, engine: Engine):
    table = Table.opened(client)
    table.record(draw(1))
    state = full_state(engine, table)
    absent = next(card for card in state.hands[0] if card not in state.hands[1])
    answer = table.record(discard(1, absent))
    assert answer.json["code"] == "rule/NOT_IN_HAND"
    assert cards(answer.text) == {absent}
    meld = {"t": "meld_laid", "v": 1, "seat": 1, "meld": 1, "kind": "group"}
    answer = table.record(meld | {"cards": [state.hands[1][0], absent, state.hands[0][-1]]})
    assert cards(answer.text) <= {state.hands[1][0], absent, state.hands[0][-1]}


def test_a_dry_run_shows_nothing_that_would_come_of_it(table: Table):
    asked = {"events": [draw(1)], "expected_version": table.version}
    answer = post(table.client, table.path("/events?dry_run=1&viewer=all"), asked)
    assert answer.status_code == 200
    assert cards(answer.text) == set()


def test_warnings_do_not_tell_a_hand_that_was_written_down(client: Client):
    table = Table.recorded(client)
    answer = table.record(draw(1), discard(1, "KS"))
    assert answer.status_code == 201
    for one in answer.json["warnings"]:
        assert cards(json.dumps(one)) <= {"KS"}
    assert "AS" not in table.get("/export.txt").text


def test_all_is_open_when_the_deal_has_ended(client: Client):
    table = Table.recorded(client)
    assert "AS" not in table.get("/state").text
    table.record({"t": "deal_ended", "v": 1, "deal": 1, "reason": "STOCK_EXHAUSTED", "out": None})
    assert "AS" in table.get("/state?at=5").text
    assert "AS" not in table.get("/state?at=5&viewer=0").text
    assert "AS" in table.get("/export.txt").text
    assert all("salt" in line for line in table.get("/events").json["events"])


def test_an_open_table_sees_what_it_asks_for_and_no_more(client: Client, open_client: Client):
    table = Table.opened(open_client)
    for seat in (0, 1):
        hands = table.get(f"/state?viewer={seat}").json["state"]["hands"]
        assert [set(hand) == {"??"} for hand in hands] == [other != seat for other in (0, 1)]
    assert all(set(hand) == {"??"} for hand in table.get("/state").json["state"]["hands"])
    assert "??" not in table.get("/export.txt?viewer=all").text
    drawn = table.record(draw(1), query="?viewer=1").json["events"][0]["event"]["card"]
    assert drawn != "??"
    assert drawn in table.get("/state?viewer=1").json["state"]["hands"][1]
    mine = table.record(discard(1, "??"), query="?viewer=1")
    assert mine.status_code in (201, 422)
    assert all(set(h) == {"??"} for h in client.get(table.path("/state")).json["state"]["hands"])


def test_an_open_table_plays_a_whole_deal(open_client: Client):
    """The only table client knows no more than each seat's own view, and comes to the end."""
    table = Table.opened(open_client, game_id=str(uuid4()))
    for _ in range(400):
        state = table.get("/state?viewer=public").json["state"]
        if state["deal"] > 1 or state["phase"] == "ended":
            break
        seat = state["turn"]
        if state["phase"] in ("draw", "window"):
            act: Any = draw(seat)
            if not state["stock"]:
                act = {"t": "draw_declined", "v": 1, "seat": seat}
        else:
            own = table.get(f"/state?viewer={seat}").json["state"]["hands"][seat]
            act = discard(seat, own[-1])
        answer = table.record(act)
        assert answer.status_code == 201, answer.text
    else:
        pytest.fail("the deal does not end")
    scored = [e["event"] for e in table.get("/events?limit=1000").json["events"]]
    assert "deal_scored" in {event["t"] for event in scored}
