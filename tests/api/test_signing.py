"""The page where one signs in: what it says to whom, and where it leads; never to another service."""

from urllib.parse import urlencode

import pytest

from api.viewer.texts import TEXTS
from tests.api import passes
from tests.api.passes import Pass
from tests.api.table import Client, Table
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]
OURS = ["/", "/games/x?at=3&seat=0", "/standings"]
NOT_OURS = [
    *("//evil.example/", "/\\evil.example", "https://evil.example/", "javascript:alert(1)"),
    *("/a b", "/\r\nSet-Cookie: a=b", "/\tevil", "evil", "/" + "x" * 400, "/é"),
]


@pytest.fixture
def scribe(database: Database) -> Pass:
    return passes.made(database, "games:write", name="scribe")


def signed_in(client: Client, given: Pass, to: str) -> str:
    """Sign in on the page and return where it leads."""
    form = {"token": given.secret, "next": to}
    answer = client.post("/sign-in", data=form, headers={"Origin": "http://localhost"})
    assert answer.status_code == 303
    return str(answer.headers["Location"])


@pytest.mark.parametrize("address", OURS)
def test_who_has_signed_in_goes_on_where_he_was(client: Client, scribe: Pass, address: str):
    page = client.get(f"/sign-in?{urlencode({'next': address})}")
    assert 'name="next"' in page.text
    assert signed_in(client, scribe, address) == address


@pytest.mark.parametrize("address", NOT_OURS)
def test_nobodys_link_leads_elsewhere(client: Client, scribe: Pass, address: str):
    assert client.get(f"/sign-in?{urlencode({'next': address})}").status_code == 400
    assert signed_in(client, scribe, address) == "/"


def test_a_wrong_token_leaves_the_way_back(client: Client, scribe: Pass):
    form = {"token": f"{scribe.secret[:-3]}xyz", "next": "/standings"}
    answer = client.post("/sign-in", data=form, headers={"Origin": "http://localhost"})
    assert answer.status_code == 422
    assert 'value="/standings"' in answer.text


def test_where_no_token_was_ever_made_there_is_nothing_to_sign_in_to(client: Client):
    page = client.get("/sign-in").text
    assert "nothing to sign in to" in page
    assert "<form" not in page


def test_one_sees_as_what_one_is_signed_in(client: Client, database: Database):
    game = Table.opened(client).game_id
    given = passes.made(database, "games:read", "games:write", game=game, seat=1, name="Bob")
    signed_in(client, given, "/")
    page = client.get("/sign-in?lang=en").text
    for told in ("signed in as Bob", "seat 2", f"/games/{game}", "open disputes", "no end"):
        assert told in page
    assert TEXTS["ja"]["scope.games:write"] in client.get("/sign-in?lang=ja").text
    assert 'action="/sign-out"' in page


def test_a_game_leads_to_the_page_and_back(client: Client, database: Database):
    table = Table.opened(client)
    scribe = passes.made(database, "games:write")
    page = client.get(f"/games/{table.game_id}?at=1").text
    assert scribe.secret not in page
    assert f"/sign-in?{urlencode({'next': f'/games/{table.game_id}?at=1'})}" in page
