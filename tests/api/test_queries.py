"""What a request asks of the database does not grow with the archive or with the game."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.api.table import DATA, Client, Table, draw, post, send_file

pytestmark = [pytest.mark.store, pytest.mark.http]

# What needs a token once there is one asks whether there is one.
EXPECTED = {
    "list": 2,
    "game": 2,
    "events": 3,
    "state": 2,
    "timeline": 2,
    "legal": 2,
    "export.ndjson": 6,
    "export.txt": 6,
    "audit": 3,
    "report": 5,
    "home": 4,
}


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect every statement that reaches the driver, whoever sends it."""
    from psycopg import Cursor

    sent: list[str] = []
    execute = Cursor.execute

    def spy(self, query, *args, **more):
        sent.append(str(query))
        return execute(self, query, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Cursor, "execute", spy)
        yield sent


def looks(client: Client, table: Table) -> dict[str, Callable[[], object]]:
    return {
        "list": lambda: client.get("/v1/games?limit=100"),
        "game": table.get,
        "events": lambda: table.get("/events?limit=1000"),
        "state": lambda: table.get("/state"),
        "timeline": lambda: table.get("/timeline"),
        "legal": lambda: table.get("/legal"),
        "export.ndjson": lambda: table.get("/export.ndjson"),
        "export.txt": lambda: table.get("/export.txt"),
        "report": lambda: table.get("/report"),
        "audit": lambda: post(client, table.path("/audits"), {}),
        "home": lambda: client.get("/"),
    }


def counts(client: Client, table: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    found = {}
    for name, look in looks(client, table).items():
        look()  # the first one connects
        with counted(monkeypatch) as sent:
            look()
        found[name] = len(sent)
    return found


def test_reading_costs_the_same_for_any_archive_and_game(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    small = Table.opened(client)
    before = counts(client, small, monkeypatch)
    assert before == EXPECTED
    send_file(client, (DATA / "rummy500-engine-b.ndjson").read_bytes())
    games = client.get("/v1/games?limit=100").json["games"]
    longest = max(games, key=lambda game: game["version"])
    large = Table(client, longest["game_id"], longest["version"])
    assert large.version > 10 * small.version
    assert counts(client, large, monkeypatch) == before


def test_recording_costs_the_same_for_any_game_and_batch(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    def cost(table: Table, events: int) -> int:
        with counted(monkeypatch) as sent:
            assert table.record(*[draw(1)] * events).status_code == 201
        return len(sent)

    table = Table.recorded(client)
    first = cost(table, 1)
    assert first <= 10
    assert cost(table, 200) == first
    assert cost(table, 1) == first
