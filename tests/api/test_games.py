"""Opening games, finding them, and recording what happens at their tables."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from api import viewing
from events import recorder
from events.game import fold
from events.games import RUMMY500
from projections.replay import state_at
from tests.api.conftest import MakeApp
from tests.api.passes import made
from tests.api.table import Client, Table, discard, draw, post
from tests.postgres import Database, both_servers

pytestmark = [pytest.mark.store, pytest.mark.http]


def test_a_refereed_game_is_dealt_at_once(client: Client):
    answer = post(client, "/v1/games", {"seats": ["Ann", "Bob", "Cyd"], "first_dealer": 2})
    body = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/games/{body['game_id']}"
    tags = [one["event"]["t"] for one in body["events"]]
    assert tags == ["game_opened", "shuffled", "dealt", "dealt", "dealt", "upcard_turned"]
    assert [one["version"] for one in body["events"]] == [1, 2, 3, 4, 5, 6]
    assert (body["first_version"], body["version"], body["repeated"]) == (1, 6, False)
    assert UUID(body["game_id"]).version == 7


def test_a_recorded_game_is_left_to_its_scribe(client: Client):
    answer = post(client, "/v1/games", {"seats": ["Ann", "Bob"], "mode": "recorded"})
    assert [one["event"]["t"] for one in answer.json["events"]] == ["game_opened"]


def test_options_differ_from_a_preset(client: Client):
    ruleset = {"preset": "seed", "options": {"jokers_per_pack": 0, "target": 300}}
    table = Table.opened(client, ruleset=ruleset)
    opened = table.get().json["opened"]["ruleset"]
    assert (opened["preset"], opened["jokers_per_pack"], opened["target"]) == ("seed", 0, 300)
    assert opened["values"] == "face"


def test_people_keep_their_ids(client: Client):
    known = str(uuid4())
    table = Table.opened(client, seats=[{"id": known, "name": "Ann"}, {"id": str(uuid4())}])
    players = table.get().json["players"]
    assert players[0] == {"seat": 0, "id": known, "name": "Ann"}
    assert players[1]["name"] is None


@both_servers
def test_opening_again_gives_the_first_answer(client: Client):
    asked = {"seats": ["Ann", "Bob"], "game_id": str(uuid4())}
    first, again = (post(client, "/v1/games", asked).json for _ in range(2))
    assert again == first | {"repeated": True}
    other = post(client, "/v1/games", asked | {"seats": ["Ann", "Eve"]})
    assert (other.status_code, other.json["code"]) == (422, "command_reused")


def test_a_command_id_makes_opening_safe_to_retry(client: Client, key: dict[str, str]):
    asked = {"seats": ["Ann", "Bob"]}
    first, again = (post(client, "/v1/games", asked, key).json for _ in range(2))
    assert again == first | {"repeated": True}
    assert len(client.get("/v1/games").json["games"]) == 1


def test_an_act_is_answered_with_its_version_and_head(table: Table):
    answer = table.record(draw(1))
    assert answer.status_code == 201
    assert answer.json["version"] == 6
    assert answer.json["head"] == table.get().json["head"]
    assert (
        answer.json["recorded_at"] == table.get("/events?after=5").json["events"][0]["recorded_at"]
    )


def test_key_order_and_spaces_are_the_clients_own(table: Table, key: dict[str, str]):
    body = b'{"expected_version": 5, "events": [{"card":"??", "seat":1, "v":1, "t":"stock_drawn"}]}'
    assert post(table.client, table.path("/events"), body, key).status_code == 201


def test_a_repeated_command_gives_the_same_answer(table: Table):
    key = str(uuid4())
    first = table.record(draw(1), key=key)
    again = table.record(draw(1), key=key, expected_version=5)
    assert again.status_code == 201
    assert again.json == first.json | {"repeated": True}
    other = table.record(draw(0), key=key, expected_version=5)
    assert (other.status_code, other.json["code"]) == (422, "command_reused")


def test_a_stale_version_names_the_current_one(table: Table):
    table.record(draw(1))
    answer = table.record(draw(1), expected_version=5)
    assert (answer.status_code, answer.json["version"]) == (409, 6)


def test_of_many_who_saw_the_same_version_one_is_in_time(make_app: MakeApp):
    app = make_app()
    game = Table.recorded(app.test_client())

    def scribe(_: int) -> int:
        mine = Table(app.test_client(), game.game_id, game.version)
        return int(mine.record(draw(1)).status_code)

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(scribe, range(8)))
    assert statuses == [201] + [409] * 7
    assert game.get().json["version"] == game.version + 1


def test_a_refusal_names_the_rule_and_stores_nothing(table: Table):
    answer = table.record(draw(0))
    assert answer.status_code == 422
    assert (answer.json["code"], answer.json["rule"]) == ("rule/NOT_YOUR_TURN", "R-6.1")
    assert answer.json["violations"][0]["seat"] == 0
    assert "turn" in answer.json["violations"][0]["text"]
    assert table.get().json["version"] == 5


def test_one_bad_act_refuses_all(table: Table):
    answer = table.record(draw(1), draw(1))
    assert (answer.status_code, answer.json["index"]) == (422, 1)
    assert table.get().json["version"] == 5


def test_a_recorded_game_warns_and_stores(client: Client):
    table = Table.recorded(client)
    answer = table.record(draw(0), discard(0, "KH"))
    assert answer.status_code == 201
    warning = answer.json["warnings"][0]
    assert (warning["version"], warning["code"], warning["rule"]) == (6, "NOT_YOUR_TURN", "R-6.1")
    assert answer.json["version"] == 7


def test_a_dry_run_judges_and_stores_nothing(table: Table):
    path = table.path("/events?dry_run=1")
    good = post(table.client, path, {"events": [draw(1)], "expected_version": 5})
    assert (good.status_code, good.json["dry_run"], good.json["events"]) == (200, True, [])
    bad = post(table.client, path, {"events": [draw(0)], "expected_version": 5})
    assert bad.json["code"] == "rule/NOT_YOUR_TURN"
    assert table.get().json["version"] == 5


def test_a_remark_is_kept_beside_the_log(client: Client):
    from events.chain import text_hash

    table, salt = Table.recorded(client), bytes(16)
    remark = {"t": "remarked", "v": 1, "seat": None, "text": text_hash(salt, "Well played").hex()}
    texts = {"0": {"salt": salt.hex(), "text": "Well played"}}
    assert table.record(remark, texts=texts).status_code == 201
    assert table.get("/events?after=5").json["events"][0]["remark"] == "Well played"
    wrong = table.record(remark, texts={"0": {"salt": salt.hex(), "text": "Cheat"}})
    assert wrong.json["code"] == "rule/TEXT_HASH_WRONG"


def test_a_fallen_call_needs_no_version_is_refused_and_on_record(table: Table, engine: Engine):
    _play_to_the_window(table, engine)
    version = table.version
    call = {"t": "rummy_called", "v": 1, "seat": 0, "card": "5H", "accepted": True, "code": None}
    answer = table.record(call | {"cards": [], "lay": None}, expected_version=None)
    assert answer.status_code == 422
    assert answer.json["code"].startswith("rule/")
    assert answer.json["version"] == version + 1
    fallen = table.get(f"/events?after={version}").json["events"][0]["event"]
    assert (fallen["t"], fallen["accepted"]) == ("rummy_called", False)
    assert answer.json["recorded"]["events"][0]["event"] == fallen


def _play_to_the_window(table: Table, engine: Engine) -> None:
    """Draw and discard for seat 1, reading the hand where no client can."""
    table.record(draw(1))
    with engine.connect() as conn:
        state = state_at(RUMMY500, recorder.load(conn, UUID(table.game_id)).events)
    assert table.record(discard(1, state.hands[1][0])).status_code == 201


def test_the_list_is_complete_stable_and_paged(client: Client):
    ids = {Table.opened(client).game_id for _ in range(5)}
    seen, path = [], "/v1/games?limit=2"
    while path:
        page = client.get(path).json
        assert len(page["games"]) <= 2
        seen += [game["game_id"] for game in page["games"]]
        path = f"/v1/games?limit=2&cursor={page['next']}" if page["next"] else ""
    assert len(seen) == 5
    assert set(seen) == ids
    assert seen == sorted(seen)


@both_servers
def test_the_list_is_filtered(client: Client):
    refereed = Table.opened(client).game_id
    ended = Table.recorded(client)
    over = {"t": "game_ended", "v": 1, "winner": None, "abandoned": True}
    assert ended.record(over).status_code == 201

    def ids(query: str) -> list[str]:
        return [game["game_id"] for game in client.get(f"/v1/games?{query}").json["games"]]

    assert ids("status=ended") == [ended.game_id]
    assert ids("status=open") == [refereed]
    assert ids("mode=refereed") == [refereed]
    assert ids("game=rummy500&mode=recorded") == [ended.game_id]
    assert ids("game=lanterloo") == []


def test_a_retracted_end_is_no_end(client: Client):
    table = Table.recorded(client)
    table.record({"t": "game_ended", "v": 1, "winner": 0, "abandoned": False})
    table.record({"t": "retracted", "v": 1, "back_to": 5, "reason": "SLIP"})
    assert table.get().json["status"] == "open"


def test_unlisted_games_are_there_for_who_knows_them(client: Client):
    table = Table.opened(client, visibility="unlisted")
    assert client.get("/v1/games").json["games"] == []
    assert table.get().status_code == 200


def test_private_games_are_there_for_an_open_table_alone(client: Client, open_client: Client):
    table = Table.opened(open_client, visibility="private")
    assert table.get("/state").status_code == 200
    for rest in ("", "/events", "/state", "/timeline", "/export.ndjson", "/export.txt"):
        assert client.get(table.path(rest)).json["code"] == "unknown_game"
    assert post(client, table.path("/audits"), {}).json["code"] == "unknown_game"
    refused = Table(client, table.game_id, table.version).record(draw(1))
    assert refused.json["code"] == "unknown_game"


def test_a_key_in_the_clients_own_words_makes_retries_safe_too(client, table) -> None:
    sent = {"expected_version": 5, "events": [draw(1)]}
    first, again = (
        post(client, table.path("/events"), sent, {"Idempotency-Key": "evening-7"})
        for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json["repeated"]
    assert again.json["version"] == first.json["version"]


def test_a_command_without_a_key_is_recorded_once_each_time_it_is_sent(client, table) -> None:
    sent = {"expected_version": 5, "events": [draw(1)]}
    first, again = (post(client, table.path("/events"), sent) for _ in range(2))
    assert first.status_code == 201
    assert (again.status_code, again.json["code"]) == (409, "stale_version")


AWAY = [discard(1, "AS"), discard(1, "2S"), discard(1, "3S")] * 10
SAID = [{"t": "remarked", "v": 2, "seat": 1, "text": "0" * 64, "about": None}] * 30
BACK = {"t": "retracted", "v": 1, "back_to": 4, "reason": "WRONG_ENTRY"}


@pytest.mark.parametrize(
    ("seat", "batch", "told"),
    [(None, AWAY, 29), (None, [*AWAY, BACK, *AWAY], 58), (1, SAID, 0)],
    ids=["the public", "with a retraction", "a player"],
)
def test_a_long_batch_goes_through_the_log_before_it_once(
    client: Client,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    seat: int | None,
    batch: list[dict[str, Any]],
    told: int,
):
    """However many of its acts break rules: each is judged in what the reader sees of the log before it."""
    table = Table.recorded(client)
    headers = None
    if seat is not None:
        headers = made(database, "games:write", game=table.game_id, seat=seat).header
    gone_through: list[int] = []

    def counted(*given: Any) -> Any:
        gone_through.append(len(given[1]))
        return fold(*given)

    monkeypatch.setattr(viewing, "fold", counted)
    body = {"events": batch, "expected_version": table.version}
    answer = post(client, table.path("/events"), body, headers)
    assert answer.status_code == 201, answer.text
    assert len({one["version"] for one in answer.json["warnings"]}) >= told
    assert len(gone_through) <= 1
