"""`GET /v1/games/{id}/legal`: what a seat could do and why not the rest, told from what the asker sees."""

import random
from typing import Any

import msgspec
import pytest

from events.codec import decode
from events.games import GAMES
from tests.api.table import Client, Table, draw, post

pytestmark = [pytest.mark.store, pytest.mark.http]

LOO = {"game": "lanterloo", "seats": ["Ann", "Bob", "Cyd", "Dan"]}
TABLES = [
    {"seats": ["Ann", "Bob", "Cyd"]},
    LOO | {"ruleset": "seed-loo5"},
    LOO | {"ruleset": "seed-loo3"},
    LOO | {"ruleset": "seed-irish"},
]


def asked(table: Table, **query: Any) -> Any:
    words = "&".join(f"{name}={value}" for name, value in query.items())
    answer = table.get(f"/legal?{words}")
    assert answer.status_code == 200, answer.text
    return answer.json


def as_events(game: str, bodies: list[Any]) -> set[Any]:
    return {decode(game, msgspec.json.encode(body)) for body in bodies}


@pytest.mark.parametrize("opened", TABLES, ids=lambda one: one.get("ruleset", "rummy500"))
def test_what_is_listed_can_be_done_and_what_is_refused_cannot(open_client: Client, opened: Any):
    table, rng = Table.opened(open_client, **opened), random.Random(4)
    for _ in range(25):
        turn = asked(table)["turn"]
        found = asked(table, seat=turn, viewer=turn)
        assert (found["seat"], found["viewer"], found["due"]) == (turn, turn, [])
        assert found["acts"], found
        for one in rng.sample(found["refused"], min(2, len(found["refused"]))):
            tried = table.record(one["event"], query="?dry_run=1")
            assert tried.status_code == 422, one
            codes = {each["code"] for each in tried.json["violations"]}
            assert codes == {each["code"] for each in one["violations"]}, one
        done = table.record(rng.choice(found["acts"]))
        assert done.status_code == 201, done.text


@pytest.mark.parametrize("opened", TABLES, ids=lambda one: one.get("ruleset", "rummy500"))
def test_a_seat_finds_from_its_own_view_all_that_it_may_do(open_client: Client, opened: Any):
    table, rng = Table.opened(open_client, **opened), random.Random(11)
    game = opened.get("game", "rummy500")
    for _ in range(20):
        seats = range(len(opened["seats"]))
        for seat in seats:
            own, whole = (asked(table, seat=seat, viewer=v, limit=1000) for v in (seat, "all"))
            assert as_events(game, own["acts"]) == as_events(game, whole["acts"])
            assert not own["more"]
        turn = asked(table)["turn"]
        assert table.record(rng.choice(asked(table, viewer=turn)["acts"])).status_code == 201


def test_nothing_is_told_of_hands_that_the_asker_does_not_see(open_client: Client, client: Client):
    table = Table.opened(open_client)
    assert table.record(draw(1)).status_code == 201
    own = asked(table, viewer=1)
    assert any(act["t"] == "discarded" for act in own["acts"])
    upcard = table.get("/state").json["state"]["pile"]
    for who in (open_client, client):
        other = asked(Table(who, table.game_id, table.version), viewer=0, seat=1)
        assert "discarded" not in {act["t"] for act in other["acts"]}
        named = {card for one in other["refused"] for card in one["event"].get("cards", [])}
        assert named <= {*upcard, "??"}


def test_each_reason_is_told_once_for_a_kind_of_act(table: Table):
    found = asked(table, seat=0)
    told = [(one["event"]["t"], one["violations"][0]["code"]) for one in found["refused"]]
    assert ("stock_drawn", "NOT_YOUR_TURN") in told
    assert len(told) == len(set(told))
    assert found["refused"][0]["violations"][0]["text"].startswith("A acted out of turn")
    japanese = table.get("/legal?seat=0", **{"Accept-Language": "ja"})
    assert japanese.headers["Content-Language"] == "ja"
    assert japanese.json["refused"][0]["violations"][0]["text"].endswith("。")


def test_the_list_ends_at_the_limit_and_says_so(open_client: Client):
    table = Table.opened(open_client)
    table.record(draw(1))
    found = asked(table, viewer=1, limit=2)
    assert (len(found["acts"]), found["more"]) == (2, True)


def test_an_earlier_version_is_asked_as_it_was(open_client: Client):
    table = Table.opened(open_client)
    before = asked(table, viewer=1)
    table.record(draw(1))
    found = asked(table, viewer=1, at=before["at"])
    assert (found["version"], found["at"]) == (before["version"] + 1, before["at"])
    assert found["acts"] == before["acts"]


def test_where_the_stock_is_empty_the_draw_that_renews_it_is_listed(open_client: Client):
    options = {"stock_out": "reshuffle_all_but_top", "deal_size": [3] * 7, "jokers_per_pack": 0}
    table = Table.opened(open_client, ruleset={"preset": "seed", "options": options})
    found, draws = asked(table), list[Any]()
    for _ in range(400):
        found = asked(table, viewer=asked(table)["turn"])
        state = table.get("/state").json["state"]
        draws = [act for act in found["acts"] if act["t"] == "stock_drawn"]
        if state["phase"] == "window" and not state["stock"]:
            break
        quiet = draws or [act for act in found["acts"] if act["t"] == "discarded"]
        assert table.record(quiet[0]).status_code == 201
    assert draws, found
    assert "stock_renewed" not in {act["t"] for act in found["acts"]}
    done = table.record(draws[0])
    assert [one["event"]["t"] for one in done.json["events"]] == ["stock_renewed", "stock_drawn"]


def test_a_recorded_game_says_what_is_due(client: Client):
    table = Table.opened(client, mode="recorded")
    found = asked(table)
    assert [fact["t"] for fact in found["due"]] == ["shuffled"]
    assert found["acts"] == found["refused"] == []


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("seat=2", 400, "bad_query"),
        ("seat=8", 400, "bad_query"),
        ("limit=0", 400, "bad_query"),
        ("limit=1001", 400, "bad_query"),
        ("card=AS", 400, "bad_query"),
        ("viewer=nobody", 400, "bad_query"),
        ("at=99", 404, "unknown_version"),
    ],
)
def test_what_cannot_be_asked(table: Table, query: str, status: int, code: str):
    answer = table.get(f"/legal?{query}")
    assert (answer.status_code, answer.json["code"]) == (status, code)


def test_a_game_that_has_ended_leaves_nothing_to_do(client: Client):
    table = Table.opened(client)
    assert table.record({"t": "game_ended", "v": 1, "winner": None, "abandoned": True})
    found = asked(table)
    assert found["acts"] == found["due"] == found["refused"] == []
    assert set(GAMES) == {"rummy500", "lanterloo"}, "a game more needs a row in TABLES"


def test_a_game_that_is_not_there(client: Client):
    missing = f"/v1/games/{'0' * 8}-0000-7000-8000-{'0' * 12}/legal"
    assert client.get(missing).status_code == 404
    assert post(client, missing, {}).status_code == 405
