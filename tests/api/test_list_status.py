"""A list tells what a game is at this moment, however far the read models have come."""

import pytest

from api import choosing
from tests.api.growing import ENDED
from tests.api.table import Client, Table, draw
from tests.postgres import Database
from tests.projections.store import keep

pytestmark = [pytest.mark.store, pytest.mark.http]


def listed(client: Client, query: str) -> list[str]:
    """Return the ids of all pages, of which each holds two."""
    found: list[str] = []
    page = client.get(f"/v1/games?limit=2&{query}").json
    found += [game["game_id"] for game in page["games"]]
    while page["next"] is not None:
        page = client.get(f"/v1/games?limit=2&{query}&cursor={page['next']}").json
        found += [game["game_id"] for game in page["games"]]
    return found


def check(client: Client, ended: list[Table], going_on: list[Table]) -> None:
    assert listed(client, "status=ended") == sorted(table.game_id for table in ended)
    assert listed(client, "status=open") == sorted(table.game_id for table in going_on)
    assert listed(client, "game=rummy500") == sorted(table.game_id for table in (*ended, *going_on))
    for table in (*ended, *going_on):
        status = "ended" if table in ended else "open"
        assert client.get(table.path()).json["status"] == status


@pytest.mark.parametrize("few", [500, 2, 0], ids=["looked up", "some are many", "by the log"])
def test_a_game_is_listed_as_it_stands_before_the_catalogue_has_read_it(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch, few: int
):
    monkeypatch.setattr(choosing, "_FEW", few)
    tables = [Table.recorded(client) for _ in range(7)]
    assert tables[1].record(ENDED).status_code == 201
    check(client, tables[1:2], [tables[0], *tables[2:]])  # nothing is read
    keep(database)
    check(client, tables[1:2], [tables[0], *tables[2:]])
    for table in tables[3:6]:
        assert table.record(ENDED).status_code == 201
    late = Table.recorded(client)
    rest = [tables[0], tables[2], tables[6], late]
    check(client, [tables[1], *tables[3:6]], rest)  # some is read
    keep(database)
    check(client, [tables[1], *tables[3:6]], rest)


def test_what_was_sealed_and_not_read_counts_too(client: Client, database: Database):
    table, other = Table.recorded(client), Table.recorded(client)
    keep(database)
    assert table.record(ENDED).status_code == 201
    keep(database, models=[])
    check(client, [table], [other])


def test_a_record_that_goes_back_to_the_end_of_its_game_has_ended(
    client: Client, database: Database
):
    table = Table.recorded(client)
    assert table.record(ENDED).status_code == 201
    end = table.version
    assert table.record(draw(1)).status_code == 201
    back = {"t": "retracted", "v": 1, "back_to": end, "reason": "MISREAD"}
    assert table.record(back).status_code == 201
    keep(database)
    check(client, [table], [])
    assert table.record(draw(1)).status_code == 201
    check(client, [], [table])
