"""docs/roles.md says what the code says, and a running application does it: every cell is asked for."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from api import roles
from api.roles import ROLES, Address, Role, addresses, cell
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.table import Client, Table, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

PAGE = Path(__file__).parents[2] / "docs" / "roles.md"
STATUS = {"401": 401, "403": 403}
GOOD = [role for role in ROLES if role.state == "good"]
by_name = pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)


def test_the_page_is_what_the_code_says(make_app: MakeApp):
    assert PAGE.read_text() == roles.page(make_app()), "python -m api.roles > docs/roles.md"


def test_what_makes_games_is_not_for_tokens_of_one_game(make_app: MakeApp):
    found = {
        one.path: one.need.for_all
        for one in addresses(make_app())
        if one.need.scope == "games:write" and not one.has_game and "dispute_id" not in one.path
    }
    assert {"/v1/games", "/v1/import"} <= set(found)
    assert all(found.values())


def bearer(role: Role, database: Database, client: Client, game: str) -> Bearer:
    """Return whoever has this role; where somebody has a token, so has the role of nobody."""
    if role.guarded:
        passes.made(database, "audit", name="somebody else")
    if role.scopes is None:
        return Bearer(client, None)
    given = passes.made(
        database,
        *role.scopes,
        game=None if role.bound == "no" else game,
        seat=1 if role.bound == "seat" else None,
        lasts=timedelta(0) if role.state == "expired" else None,
    )
    if role.state == "revoked":
        passes.revoked(database, given)
    return Bearer(client, given)


def ask(who: Bearer, address: Address, game: str) -> Any:
    """Ask an address of a game; whatever else stands in it is made up."""
    path = address.path.replace("<uuid:game_id>", game).replace("<uuid:dispute_id>", game)
    parts = [
        "1" if part.startswith("<int:") else "x" if part.startswith("<") else part
        for part in path.split("/")
    ]
    answer = who.open("/".join(parts), method=address.method)
    answer.close()
    return answer


@by_name
def test_every_cell_of_the_page(role: Role, database: Database, make_app: MakeApp):
    app = make_app()
    client = app.test_client()
    tables = {True: Table.opened(client).game_id, False: Table.opened(client).game_id}
    who = bearer(role, database, client, tables[True])
    for address in addresses(app):
        for own, game in tables.items():
            answer = ask(who, address, game)
            said = cell(address, role, own=own)
            where = f"{address.method} {address.path}, {'own' if own else 'other'}: {said}"
            if said in STATUS:
                assert answer.status_code == STATUS[said], where
                assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="'), where
            else:
                assert answer.status_code not in STATUS.values(), where
                assert answer.status_code < 500, where


Make = Callable[[str], str]


@pytest.mark.parametrize("role", GOOD, ids=lambda role: role.name)
def test_every_game_is_there_for_whom_the_page_says(
    role: Role, database: Database, make_app: MakeApp
):
    app = make_app()
    arbiter = Bearer(app.test_client(), passes.made(database, "admin")) if role.guarded else None
    opener = arbiter or make_app(open_table=True).test_client()

    def opened(visibility: str) -> str:
        asked = {"seats": ["Ann", "Bob"], "visibility": visibility}
        return str(post(opener, "/v1/games", asked).json["game_id"])

    for visibility in ("public", "unlisted", "private"):
        games = {True: opened(visibility), False: opened(visibility)}
        who = bearer(role, database, app.test_client(), games[True])
        listed = {game["game_id"] for game in who.get("/v1/games?limit=100").json["games"]}
        for own, game in games.items():
            there = who.get(f"/v1/games/{game}").status_code == 200
            what = f"{visibility}, own: {own}"
            assert there == roles.knows(role, visibility, own=own), what
            assert (game in listed) == roles.lists(role, visibility, own=own), what


@pytest.mark.parametrize("role", GOOD, ids=lambda role: role.name)
def test_every_hand_is_seen_by_whom_the_page_says(
    role: Role, database: Database, make_app: MakeApp
):
    client = make_app().test_client()
    tables = {True: Table.opened(client).game_id, False: Table.opened(client).game_id}
    who = bearer(role, database, client, tables[True])
    for own, game in tables.items():
        sight = roles.asker(role).sight(roles.GAME if own else roles.OTHER)
        hands = who.get(f"/v1/games/{game}/state?viewer=all").json["state"]["hands"]
        seen = {seat for seat, hand in enumerate(hands) if set(hand) != {"??"}}
        expected = {"public": set(), "all": {0, 1}}.get(str(sight), {sight})
        assert seen == expected


def test_a_view_that_forgets_to_say_is_for_arbiters_alone(database: Database, make_app: MakeApp):
    app = make_app()
    app.add_url_rule("/forgotten", "forgotten", lambda: "here")
    client = app.test_client()
    arbiter = Bearer(client, passes.made(database, "admin"))
    reader = Bearer(client, passes.made(database, "games:read", "games:write", "audit", "export"))
    assert client.get("/forgotten").status_code == 401
    assert reader.get("/forgotten").status_code == 403
    assert arbiter.get("/forgotten").status_code == 200


def test_a_game_that_is_not_there_is_answered_like_a_private_one(
    database: Database, make_app: MakeApp
):
    app = make_app()
    client = app.test_client()
    arbiter = Bearer(client, passes.made(database, "admin"))
    asked = {"seats": ["Ann", "Bob"], "visibility": "private"}
    hidden, missing = post(arbiter, "/v1/games", asked).json["game_id"], str(uuid4())
    everything = passes.made(database, "audit", "export", "games:write")
    seat = passes.made(
        database, "games:read", "audit", "export", "games:write", game=uuid4(), seat=0
    )
    body = {"events": [{"t": "draw_declined", "v": 1, "seat": 0}], "expected_version": 1}
    for who in (Bearer(client, None), Bearer(client, everything), Bearer(client, seat)):
        for rest in ("", "/events", "/state", "/timeline", "/legal", "/export.txt", "/audits"):
            method = "POST" if rest == "/audits" else "GET"
            one, other = (
                who.open(f"/v1/games/{game}{rest}", method=method) for game in (hidden, missing)
            )
            assert one.status_code == other.status_code, rest
            assert masked(one, hidden) == masked(other, missing), rest
        one, other = (post(who, f"/v1/games/{game}/events", body) for game in (hidden, missing))
        assert masked(one, hidden) == masked(other, missing)


def masked(answer: Any, game: str) -> tuple[Any, ...]:
    """Return all of an answer but the id that was asked for, and what differs between any two."""
    text = answer.text.replace(game, "GAME")
    request_id = answer.headers["X-Request-Id"]
    changing = {"X-Request-Id", "RateLimit-Remaining", "RateLimit-Reset", "ETag", "Content-Length"}
    headers = sorted(item for item in answer.headers if item[0] not in changing)
    return answer.status_code, text.replace(request_id, "REQUEST"), headers
