"""A player with a token tries to see another's cards, to read another's answers, to be somebody else."""

import json
import random
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from api.scopes import Scope
from tests.api import passes
from tests.api.passes import Bearer, Pass
from tests.api.table import Client, Table, discard, draw, post
from tests.api.test_bad_requests import filed
from tests.api.test_hidden import cards, full_state, looks, play_on, shown
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

ALL: tuple[Scope, ...] = ("games:read", "games:write", "audit", "export")


class Evening:
    """A refereed game in play: its arbiter, its scribe, and a player in each seat."""

    def __init__(self, client: Client, database: Database, **asked: object) -> None:
        self.client = client
        self.database = database
        self.arbiter = Bearer(client, passes.made(database, "admin"))
        self.table = Table.opened(self.arbiter, **asked)
        self.passes = [self.seated(seat) for seat in range(2)]

    def seated(self, seat: int) -> Pass:
        return passes.made(self.database, *ALL, game=self.table.game_id, seat=seat)

    def as_(self, who: Pass | None) -> Table:
        return Table(Bearer(self.client, who), self.table.game_id, self.table.version)

    @property
    def players(self) -> list[Table]:
        return [self.as_(one) for one in self.passes]


@pytest.fixture
def evening(client: Client, database: Database) -> Evening:
    return Evening(client, database)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_shows_a_player_what_others_hold(
    client: Client, database: Database, engine: Engine, seed: int
):
    game = Evening(client, database, seats=["Ann", "Bob", "Cyd"])
    seen = play_on(game.table, engine, random.Random(seed), acts=9 + 4 * seed)
    state = full_state(engine, game.table)
    assert state.deal == 1
    seen |= shown(state)
    for seat in range(3):
        held = {card for other, hand in enumerate(state.hands) if other != seat for card in hand}
        hidden = (held | set(state.stock)) - seen
        assert hidden
        player = game.as_(game.seated(seat))
        viewers = ("", "viewer=all", *(f"viewer={one}" for one in range(3)))
        for what, text in looks(player.client, player, viewers).items():
            assert not cards(text) & hidden, (seat, what)
        own = player.get("/state").json["state"]["hands"][seat]
        assert sorted(own) == sorted(state.hands[seat])
        for other in range(3):
            legal = player.get(f"/legal?seat={other}&viewer=all")
            assert not cards(legal.text) & hidden, (seat, other)


def test_a_dry_run_tells_a_player_nothing_of_the_stock(evening: Evening, engine: Engine):
    own = set(full_state(engine, evening.table).hands[1])
    answer = evening.players[1].record(draw(1), query="?dry_run=1&viewer=all")
    assert answer.status_code == 200
    assert cards(answer.text) <= own
    assert answer.json["events"] == []


def test_a_dry_audit_by_other_rules_tells_a_player_no_more(evening: Evening, engine: Engine):
    others = set(full_state(engine, evening.table).hands[0])
    evening.players[1].record(draw(1))
    for asked in ({"viewer": "all"}, {"viewer": 0}, {"ruleset": "delboycodes"}, {"calls": True}):
        answer = post(evening.players[1].client, evening.table.path("/audits"), asked)
        assert answer.status_code == 200
        assert not cards(answer.text) & others
        assert answer.json["viewer"] in (1, "public")


def test_a_player_does_not_find_out_what_another_holds_by_trying(evening: Evening, engine: Engine):
    """Refused before the table is even looked at: the same words whether the card is there or not."""
    hands = full_state(engine, evening.table).hands
    answers = []
    for card in (hands[1][0], next(c for c in hands[0] if c not in hands[1])):
        for query in ("", "?dry_run=1", "?viewer=all"):
            answer = evening.players[0].record(discard(1, card), query=query)
            assert answer.status_code == 403
            answers.append(answer.text.replace(answer.headers["X-Request-Id"], ""))
    assert len(set(answers)) == 1


def test_a_refused_act_tells_a_player_only_his_own_cards(evening: Evening, engine: Engine):
    evening.players[1].record(draw(1))
    evening.table.version += 1
    hands = full_state(engine, evening.table).hands
    absent = next(card for card in hands[0] if card not in hands[1])
    answer = evening.players[1].record(discard(1, absent))
    assert answer.json["code"] == "rule/NOT_IN_HAND"
    assert cards(answer.text) <= {absent, *hands[1]}


def test_an_answer_is_given_again_only_to_whom_it_was_given(evening: Evening, database: Database):
    """With the same key, another player is another command."""
    key = str(uuid4())
    first = evening.players[1].record(draw(1), key=key)
    assert first.status_code == 201
    again = evening.players[1].record(draw(1), key=key)
    assert again.json["repeated"]
    assert again.json["events"] == first.json["events"]
    for who in (evening.seated(1), passes.made(database, *ALL), None):
        answer = evening.as_(who).record(draw(1), key=key)
        assert answer.status_code in (401, 409)
        assert not cards(answer.text)
    assert evening.players[0].record(draw(1), key=key).status_code == 403


def test_a_key_cannot_be_made_to_stand_for_anothers_command(evening: Evening, engine: Engine):
    """Not even by whoever knows how keys become ids."""
    assert evening.players[1].record(draw(1), key="mine").status_code == 201
    with engine.connect() as conn:
        found = conn.exec_driver_sql(
            "SELECT command_id FROM lanterlog.commands WHERE game_id = %s AND first_version > 1",
            (UUID(evening.table.game_id),),
        ).scalar_one()
    for who in (evening.seated(1), passes.made(evening.database, "games:write")):
        answer = evening.as_(who).record(draw(1), key=str(found))
        assert answer.json["code"] == "stale_version"


def test_a_stale_version_tells_a_player_no_card(evening: Evening):
    stale = evening.players[1]
    assert evening.as_(evening.passes[1]).record(draw(1)).status_code == 201
    answer = stale.record(draw(1))
    assert answer.json["code"] == "stale_version"
    assert cards(answer.text) == set()


def test_an_opening_cannot_be_asked_for_again_by_another(client: Client, database: Database):
    """Nor does trying ids tell how far a private game has come."""
    both = Bearer(client, passes.made(database, "games:read", "games:write"))
    asked = {"seats": ["Ann", "Bob"], "game_id": str(uuid4()), "visibility": "private"}
    assert post(both, "/v1/games", asked).status_code == 201
    assert post(both, "/v1/games", asked).json["repeated"]
    others = Bearer(client, passes.made(database, "games:write"))
    for changed in ({"visibility": "public"}, {"visibility": "public", "mode": "recorded"}):
        answer = post(others, "/v1/games", asked | changed)
        assert (answer.status_code, answer.json["code"]) == (409, "other_game")
        assert "version" not in answer.json


def test_a_file_does_not_tell_how_far_a_private_game_has_come(client: Client, database: Database):
    both = Bearer(client, passes.made(database, "games:read", "games:write"))
    asked = {"seats": ["Ann", "Bob"], "game_id": str(UUID(int=9)), "visibility": "private"}
    assert post(both, "/v1/games", asked).status_code == 201

    def sent(who: Bearer) -> Any:
        return who.post("/v1/import", data=filed(), content_type="application/x-ndjson")

    assert "version" in sent(both).json
    answer = sent(Bearer(client, passes.made(database, "games:write")))
    assert (answer.status_code, answer.json["code"]) == (409, "other_head")
    assert "version" not in answer.json
    assert str(client.get("/v1/games").json).count(str(UUID(int=9))) == 0


def test_what_one_has_is_not_said_to_be_fresh_for_another(evening: Evening):
    """An ETag is of the very bytes: whoever holds another's learns nothing from it."""
    for rest in ("/state", "/events", "/timeline", "/legal"):
        tags = {}
        for who in (evening.arbiter, *(one.client for one in evening.players)):
            answer = who.get(evening.table.path(f"{rest}?viewer=all"))
            assert {"Authorization", "Cookie"} <= set(answer.headers["Vary"].split(", "))
            assert answer.headers["Cache-Control"].startswith("private")
            tags[who] = answer.headers["ETag"]
        for who, own in tags.items():
            for tag in tags.values():
                answer = who.get(
                    evening.table.path(f"{rest}?viewer=all"), headers={"If-None-Match": tag}
                )
                assert answer.status_code == (304 if tag == own else 200)


def test_the_public_gets_the_same_tag_whatever_is_in_the_hands(evening: Evening, engine: Engine):
    """Two tables that differ in nothing but what nobody may see."""
    other = Evening(evening.client, evening.database)
    states = [one.as_(None).get("/state").json["state"] for one in (evening, other)]
    upcards = [one["pile"] for one in states]
    assert [one | {"pile": []} for one in states] == [states[0] | {"pile": []}] * 2
    hands = [full_state(engine, one.table).hands for one in (evening, other)]
    assert hands[0] != hands[1]
    assert all(len(one) == 1 for one in upcards)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_other_methods_ask_for_no_less(evening: Evening, client: Client, method: str):
    private = Table.opened(evening.arbiter, visibility="private")
    for rest in ("", "/events", "/state"):
        answer = evening.players[0].client.open(private.path(rest), method=method)
        if method == "HEAD":
            assert (answer.status_code, answer.data) == (404, b"")
        else:
            missing = evening.players[0].client.open(f"/v1/games/{uuid4()}{rest}", method=method)
            assert answer.status_code == missing.status_code
            assert answer.headers.get("Allow") == missing.headers.get("Allow")
    assert client.open("/v1/import", method=method).status_code in (401, 405)


def test_answers_name_no_token_but_its_id(evening: Evening):
    """Who recorded is public; what his token is called and good for is not."""
    named = passes.made(evening.database, "games:write", name="Secretive Sam")
    assert evening.as_(named).record(draw(1)).status_code == 201
    lines = evening.as_(None).get("/events").text
    assert str(named.token_id) in lines
    assert "Secretive" not in lines
    assert "games:write" not in json.dumps(json.loads(lines))


@pytest.mark.parametrize(
    "given", ["viewer=ALL", "viewer=All", "viewer=%61ll", "VIEWER=all", "viewer=01"]
)
def test_no_other_spelling_of_a_viewer_shows_more(evening: Evening, engine: Engine, given: str):
    others = set(full_state(engine, evening.table).hands[0])
    answer = evening.players[1].get(f"/state?{given}")
    assert answer.status_code in (200, 400)
    assert not cards(answer.text) & others


def test_the_id_of_a_game_in_other_letters_is_the_same_game(evening: Evening, database: Database):
    """A token for one game is not widened, and not lost, by how an id is written."""
    other = Table.opened(evening.arbiter)
    for path in (other.path().upper().replace("/V1/GAMES", "/v1/games"), other.path() + "/"):
        who = evening.players[1].client
        answer = post(
            who, f"{path.rstrip('/')}/events", {"events": [draw(1)], "expected_version": 5}
        )
        assert answer.status_code in (403, 404)
