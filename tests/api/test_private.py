"""A game that one may not know of leaves no trace: not in what is answered, and not in what it costs to answer."""

from typing import Any
from uuid import uuid4

import pytest

from api.roles import addresses
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.table import Client, Table, draw, post
from tests.api.test_queries import counted
from tests.api.test_roles import masked
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

BODIES: dict[str, Any] = {
    "events": {"events": [draw(1)], "expected_version": 5},
    "disputes": {"versions": [2], "claim": "That card was mine.", "seat": 0},
    "audits": {},
}


def asked(who: Bearer, method: str, path: str, game: str) -> Any:
    address = path.replace("<uuid:game_id>", game).replace("<card>", "7H")
    if method == "GET":
        return who.get(address)
    return post(who, address, BODIES[path.rpartition("/")[2]])


def test_no_address_does_more_for_a_private_game_than_for_none(
    database: Database, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
):
    """One statement more, or a log that is read first, takes a time that tells that the game is there."""
    app = make_app()
    client: Client = app.test_client()
    arbiter = Bearer(client, passes.made(database, "admin"))
    hidden = Table.opened(arbiter, visibility="private").game_id
    missing = str(uuid4())
    everything = passes.made(database, "games:write", "audit", "export")
    stranger = Bearer(client, everything)
    games = [one for one in addresses(app) if one.has_game]
    assert len(games) > 20
    for address in games:
        found = []
        for game in (hidden, missing):
            with counted(monkeypatch) as sent:
                answer = asked(stranger, address.method, address.path, game)
            found.append((masked(answer, game), list(sent)))
            assert answer.status_code == 404, address
        assert found[0] == found[1], address
