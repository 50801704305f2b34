"""With a token or without: who is let in, who is said to have recorded, what a seat may write."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine

from events import store
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer, Pass
from tests.api.table import FACTS, Client, Table, discard, draw, post, send_file
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

NIL = str(UUID(int=0))


@pytest.fixture
def scribe(database: Database) -> Pass:
    """Who writes for the table, and reads as everybody does."""
    return passes.made(database, "games:write", name="scribe")


def at(table: Table, who: Client) -> Table:
    """The same table, asked by somebody else."""
    return Table(who, table.game_id, table.version)


def test_without_tokens_this_machine_writes_and_nobody_is_named(table: Table):
    assert table.record(draw(1)).status_code == 201
    assert {line["recorded_by"] for line in table.get("/events").json["events"]} == {NIL}


def test_once_there_is_a_token_writing_needs_one_and_reading_does_not(
    table: Table, database: Database, scribe: Pass
):
    refused = table.record(draw(1))
    assert (refused.status_code, refused.json["code"]) == (401, "token_needed")
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="lanterlog"'
    for rest in ("", "/events", "/state", "/timeline"):
        assert table.get(rest).status_code == 200
    passes.revoked(database, scribe)
    assert table.record(draw(1)).status_code == 401  # the last one gone does not open the store


def test_the_token_is_who_recorded(table: Table, scribe: Pass):
    theirs = at(table, Bearer(table.client, scribe))
    assert theirs.record(draw(1)).status_code == 201
    lines = table.get("/events").json["events"]
    assert lines[-1]["recorded_by"] == str(scribe.token_id)
    assert lines[0]["recorded_by"] == NIL
    own = Table.opened(Bearer(table.client, scribe))
    by = {line["recorded_by"] for line in own.get("/events").json["events"]}
    assert by == {str(scribe.token_id)}


def test_an_import_is_its_tokens(client: Client, engine: Engine, database: Database, scribe: Pass):
    from tests.api.test_bad_requests import filed

    assert send_file(Bearer(client, scribe), filed()).status_code == 201
    with engine.connect() as conn:
        found = conn.exec_driver_sql("SELECT imported_by FROM lanterlog.imports").scalars().all()
    assert found == [scribe.token_id]


HEADERS = {
    "another scheme": "Basic {}",
    "no scheme": "{}",
    "no token": "Bearer",
    "a token and more": "Bearer {} {}",
    "two tokens": "Bearer {}, Bearer {}",
    "a comma after it": "Bearer {},",
    "in quotes": 'Bearer "{}"',
    "as a parameter": "Bearer token={}",
    "in capitals": "Bearer {upper}",
    "empty": "",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=list(HEADERS))
def test_a_header_that_holds_no_good_token_is_refused_even_for_reading(
    client: Client, scribe: Pass, header: str
):
    sent = header.replace("{upper}", scribe.secret.upper()).replace("{}", scribe.secret)
    for method in ("GET", "HEAD", "POST"):
        answer = client.open("/v1/games", method=method, headers={"Authorization": sent})
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
        assert scribe.secret[3:] not in answer.text


def test_the_name_of_the_scheme_is_written_anyhow(client: Client, scribe: Pass):
    for scheme in ("bearer", "BEARER", "Bearer  "):
        asked = {"Authorization": f"{scheme} {scribe.secret}"}
        assert client.get("/session", headers=asked).json["name"] == "scribe"


def test_two_headers_are_no_header(client: Client, scribe: Pass, database: Database):
    other = passes.made(database, "admin")
    twice = [("Authorization", f"Bearer {one.secret}") for one in (scribe, other)]
    answer = client.get("/v1/games", headers=twice)
    assert (answer.status_code, answer.json["code"]) == (401, "bad_token")


def test_revoking_counts_for_the_next_request(client: Client, database: Database):
    given = passes.made(database, "games:write")
    who = Bearer(client, given)
    assert post(who, "/v1/games", {"seats": ["Ann", "Bob"]}).status_code == 201
    passes.revoked(database, given)
    answer = post(who, "/v1/games", {"seats": ["Ann", "Bob"]})
    assert (answer.status_code, answer.json["code"]) == (401, "bad_token")


def test_whom_a_scope_is_missing_is_told_which(client: Client, database: Database):
    who = Bearer(client, passes.made(database, "games:read"))
    answer = post(who, "/v1/games", {"seats": ["Ann", "Bob"]})
    assert (answer.status_code, answer.json["code"]) == (403, "not_allowed")
    assert answer.json["scope"] == "games:write"
    assert 'error="insufficient_scope"' in answer.headers["WWW-Authenticate"]


def test_a_table_is_open_only_until_there_are_tokens(open_client: Client, database: Database):
    table = Table.opened(open_client, visibility="private")
    assert "??" not in table.get("/export.txt?viewer=all").text
    passes.made(database, "audit")
    assert table.get().status_code == 404
    assert open_client.get("/v1/games").json["games"] == []


def test_a_private_game_is_for_whoever_could_read_it_again(client: Client, database: Database):
    asked = {"seats": ["Ann", "Bob"], "visibility": "private"}
    assert post(client, "/v1/games", asked).json["code"] == "open_table_needed"
    writes = Bearer(client, passes.made(database, "games:write"))
    assert post(writes, "/v1/games", asked).json["code"] == "not_allowed"
    both = Bearer(client, passes.made(database, "games:write", "games:read"))
    table = Table.opened(both, visibility="private")
    assert table.get().status_code == 200
    assert at(table, client).get().status_code == 404


def test_who_writes_for_the_table_writes_every_seat_and_sees_what_all_see(
    table: Table, scribe: Pass
):
    theirs = at(table, Bearer(table.client, scribe))
    answer = theirs.record(draw(1), query="?viewer=1")
    assert answer.status_code == 201
    assert answer.json["viewer"] == "public"
    assert answer.json["events"][0]["event"]["card"] == "??"
    assert set(theirs.get("/state?viewer=1").json["state"]["hands"][1]) == {"??"}


@pytest.fixture
def seat(table: Table, database: Database) -> Table:
    """The table as seat 1, whose turn it is, has it."""
    given = passes.made(
        database, "games:read", "games:write", "audit", "export", game=table.game_id, seat=1
    )
    return at(table, Bearer(table.client, given))


def test_a_seat_sees_its_own_cards_without_asking(seat: Table):
    for viewer in ("", "?viewer=1", "?viewer=all"):
        answer = seat.get(f"/state{viewer}").json
        assert answer["viewer"] == 1
        assert [set(hand) == {"??"} for hand in answer["state"]["hands"]] == [True, False]
    for viewer in ("?viewer=0", "?viewer=public"):
        answer = seat.get(f"/state{viewer}").json
        assert answer["viewer"] == "public"
        assert all(set(hand) == {"??"} for hand in answer["state"]["hands"])


def test_a_seat_plays_its_turn_and_sees_what_it_drew(seat: Table):
    drawn = seat.record(draw(1))
    assert drawn.status_code == 201
    card = drawn.json["events"][0]["event"]["card"]
    assert card in seat.get("/state").json["state"]["hands"][1]
    assert seat.record(discard(1, card)).status_code in (201, 422)


ACTS: dict[str, dict[str, Any]] = {
    "another seat's": draw(0),
    "the shuffle": FACTS[0],
    "its own hand": FACTS[1],
    "the upcard": FACTS[3],
    "the end of a deal": {
        "t": "deal_ended", "v": 1, "deal": 1, "reason": "STOCK_EXHAUSTED", "out": None,
    },
    "the end of the game": {"t": "game_ended", "v": 1, "winner": None, "abandoned": True},
    "a retraction": {"t": "retracted", "v": 1, "back_to": 1, "reason": "MISTAKE"},
    "a remark of nobody's": {"t": "remarked", "v": 1, "seat": None, "text": "0" * 64},
    "a remark of another's": {"t": "remarked", "v": 1, "seat": 0, "text": "0" * 64},
}  # fmt: skip


@pytest.mark.parametrize("mode", ["refereed", "recorded"])
@pytest.mark.parametrize("act", ACTS.values(), ids=list(ACTS))
def test_a_seat_writes_nothing_but_its_own_acts(
    client: Client, database: Database, mode: str, act: dict[str, Any]
):
    table = Table.opened(client, mode=mode)
    given = passes.made(database, "games:write", game=table.game_id, seat=1)
    seat = at(table, Bearer(client, given))
    for query in ("", "?dry_run=1"):
        answer = seat.record(act, query=query)
        assert (answer.status_code, answer.json["code"]) == (403, "not_allowed"), answer.text
    behind = seat.record(draw(1), act)
    assert (behind.status_code, behind.json["index"]) == (403, 1)
    assert client.get(table.path()).json["version"] == table.version


def test_a_seat_of_a_recorded_game_leaves_what_it_drew_to_the_record_and_writes_what_it_sees(
    client: Client, database: Database
):
    table = Table.recorded(client)
    given = passes.made(database, "games:write", game=table.game_id, seat=1)
    mine = at(table, Bearer(client, given))
    named = mine.record(draw(1) | {"card": "9C"})
    assert (named.status_code, named.json["code"]) == (403, "not_allowed")  # decision 18
    assert mine.record(draw(1)).status_code == 201
    assert mine.record(discard(1, "AS")).status_code == 201


def test_other_names_are_answered_to_only_where_there_are_tokens(
    make_app: MakeApp, database: Database
):
    client = make_app(hosts=("cards.example.org",), host="192.0.2.7").test_client()

    def asked(host: str) -> int:
        return int(client.get("/v1/games", headers={"Host": host}).status_code)

    ours = ("cards.example.org", "CARDS.example.org:8500", "192.0.2.7")
    assert [asked(host) for host in ours] == [421] * 3
    passes.made(database, "audit")
    assert [asked(host) for host in ours] == [200] * 3
    others = ("example.org", "x.cards.example.org", "cards.example.org.", "192.0.2.8", "a@b")
    assert [asked(host) for host in others] == [421] * 5


def test_names_of_an_old_game_are_not_taken_over_by_a_file(client: Client, engine: Engine):
    """An import that brings no ids of its own makes people of its own."""
    table = Table.opened(client)
    player = client.get(table.path()).json["players"][0]["id"]
    text = client.get(table.path("/export.txt")).data
    done = client.post("/v1/import", data=text, content_type="text/plain")
    assert done.status_code == 201, done.text
    new = client.get(f"/v1/games/{done.json['imported'][0]}").json["players"]
    assert player not in {one["id"] for one in new}
    with engine.connect() as conn:
        assert store.people(conn, [UUID(player)]) == {UUID(player): "Ann"}
