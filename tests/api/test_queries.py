"""What a request asks of the database does not grow with the archive, with the game, or with what a page shows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from api.described import TABLE
from tests.api import disputing
from tests.api.conftest import MakeApp
from tests.api.disputing import Case
from tests.api.passes import made
from tests.api.table import DATA, Client, Table, draw, post, send_file
from tests.postgres import Database
from tests.projections.store import keep

pytestmark = [pytest.mark.store, pytest.mark.http]

Ask = Callable[[Client, str, str], Any]
"""Sends a request about a game and a dispute about it."""


def get(path: str) -> Ask:
    return lambda client, game, dispute: client.get(path.format(game=game, dispute=dispute))


# Of a game that was read before, events are only asked for where they are shown with their hashes. What needs a token once
# there is one asks whether there is one.
READING: dict[str, list[tuple[int, Ask]]] = {
    "games.list_games": [
        (3, get("/v1/games?limit=100")),
        (4, get("/v1/games?search=3a22c177")),
        (3, get("/v1/games?findings=true&limit=100")),
    ],
    "games.show_game": [(2, get("/v1/games/{game}")), (6, get("/v1/games/{game}?scores=1"))],
    "replays.list_events": [(3, get("/v1/games/{game}/events?limit=1000"))],
    "replays.show_state": [
        (1, get("/v1/games/{game}/state")),
        (1, get("/v1/games/{game}/state?at=3")),
    ],
    "replays.show_timeline": [(1, get("/v1/games/{game}/timeline"))],
    "moments.list_frames": [(1, get("/v1/games/{game}/frames"))],
    "moments.show_card": [(1, get("/v1/games/{game}/cards/7H"))],
    "legal.show_legal": [(1, get("/v1/games/{game}/legal"))],
    "audits.audit_game": [
        (3, lambda client, game, _: post(client, f"/v1/games/{game}/audits", {}))
    ],
    "disputes.list_of_game": [(6, get("/v1/games/{game}/disputes"))],
    "disputes.list_disputes": [
        (5, get("/v1/disputes?limit=100")),
        (5, get("/v1/disputes?game_id={game}&limit=100")),
    ],
    "disputes.show_dispute": [(5, get("/v1/disputes/{dispute}"))],
    "reports.show_report": [(7, get("/v1/games/{game}/report"))],
    "lists.list_deals": [(2, get("/v1/games/{game}/deals?limit=100"))],
    "lists.list_standings": [(2, get("/v1/standings?limit=100"))],
    "lists.list_findings": [(1, get("/v1/findings?limit=100"))],
    "chances.show_chances": [(3, get("/v1/chances?game_id={game}"))],
    "exports.export_ndjson": [(8, get("/v1/games/{game}/export.ndjson"))],
    "exports.export_text": [(8, get("/v1/games/{game}/export.txt"))],
    "exports.export_csv": [(8, get("/v1/games/{game}/export.csv?table=rulings"))],
    "exports.export_html": [(8, get("/v1/games/{game}/export.html"))],
    "exports.export_all": [(9, get("/v1/export?since=0&until=2"))],
    "streams.follow": [
        (1, lambda client, game, _: client.head(f"/v1/games/{game}/stream")),
    ],
    "session.show_session": [(1, get("/session"))],
    "service.healthz": [(0, get("/healthz"))],
    "service.readyz": [(0, get("/readyz"))],
    "service.show_metrics": [(1, get("/metrics"))],
    "service.list_problems": [(0, get("/v1/problems"))],
    "reference.show_openapi": [(0, get("/openapi.json"))],
    "reference.docs_page": [(1, get("/docs"))],
    "viewer.lists.list_page": [(5, get("/"))],
    "viewer.lists.standings_page": [(3, get("/standings"))],
    "viewer.lists.findings_page": [(4, get("/findings"))],
    "viewer.chances.chances_page": [(6, get("/chances?game_id={game}"))],
    "viewer.about_page": [(1, get("/about"))],
    "signing.sign_in_page": [(2, get("/sign-in"))],
    "viewer.replay_page": [(9, get("/games/{game}"))],
    "reporting.report_page": [(9, get("/games/{game}/report"))],
    "viewer.acts": [(4, get("/games/{game}/acts?at=9"))],
    "viewer.sought_card": [(4, get("/games/{game}/sought?card=7H"))],
    "viewer.steps": [(4, get("/games/{game}/steps?first=1&last=9"))],
    "viewer.parts": [(8, get("/games/{game}/beside?at=9"))],
    "viewer.disputing.dispute_form": [(8, get("/games/{game}/disputing?at=9"))],
    "viewer.asset": [(0, get("/static/page.css"))],
}
"""Every address that only reads, with the statements that it takes when it is asked again."""

WRITING = {
    "games.open_game",
    "games.record_events",
    "disputes.open_dispute",
    "disputes.go_on",
    "exports.import_file",
    "viewer.lists.import_page",
    "session.open_session",
    "session.close_session",
    "signing.sign_in",
    "signing.sign_out",
}
"""What changes something; what of it could grow is counted below."""


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


def cost(ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, expected: int = 200) -> int:
    with counted(monkeypatch) as sent:
        answer = ask()
        answer.get_data()
    assert answer.status_code == expected, answer.text
    return len(sent)


def costs(
    client: Client, game: str, dispute: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, requests in READING.items():
        for _, ask in requests:
            ask(client, game, dispute).get_data()  # the first one connects, and reads the log
            count = cost(partial(ask, client, game, dispute), monkeypatch)
            found.setdefault(name, []).append(count)
    return found


def test_every_address_is_counted():
    assert set(READING) | WRITING == set(TABLE)
    assert not set(READING) & WRITING


def test_reading_costs_the_same_for_any_archive_and_game(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
):
    def filed(game: str, count: int, **changes: Any) -> str:
        cases = [Case.opened(client, game, **changes) for _ in range(count)]
        return cases[0].dispute_id

    disputing.imported(client)
    dispute = filed(disputing.GAME, 1)
    keep(database)
    before = costs(client, disputing.GAME, dispute, monkeypatch)
    assert before == {name: [count for count, _ in each] for name, each in READING.items()}

    send_file(client, (DATA / "rummy500-engine-b.ndjson").read_bytes())
    filed(disputing.GAME, 5)
    games = client.get("/v1/games?limit=100").json["games"]
    longest = max(games, key=lambda game: game["version"])["game_id"]
    another = filed(longest, 3, seat=1, versions=[5])
    keep(database)
    assert costs(client, disputing.GAME, dispute, monkeypatch) == before
    assert costs(client, longest, another, monkeypatch) == before


def test_recording_costs_the_same_for_any_game_and_batch(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    table = Table.recorded(client)

    def recording(events: int) -> int:
        return cost(lambda: table.record(*[draw(1)] * events), monkeypatch, 201)

    first = recording(1)
    assert first <= 6
    assert recording(200) == first
    assert recording(1) == first


def test_a_seat_records_at_the_same_cost_in_any_game(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
):
    table = Table.recorded(client)
    seat = made(database, "games:read", "games:write", game=table.game_id, seat=1)

    def recording() -> int:
        remark = {"t": "remarked", "v": 2, "seat": 1, "text": "0" * 64, "about": None}
        body = {"events": [remark], "expected_version": table.version}
        path, headers = table.path("/events"), seat.header | {"Idempotency-Key": str(uuid4())}
        found = cost(lambda: post(client, path, body, headers), monkeypatch, 201)
        table.version += 1
        return found

    first = recording()
    for _ in range(3):
        assert recording() == first


def test_disputes_cost_the_same_however_many_there_are(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    disputing.imported(client)
    path = f"/v1/games/{disputing.GAME}/disputes"
    opening = [
        cost(lambda: post(client, path, disputing.CLAIM), monkeypatch, 201) for _ in range(4)
    ]
    assert len(set(opening[1:])) == 1
    case = Case.opened(client)
    say = {"do": "say", "seat": 0, "text": "He said so himself."}
    going_on = [cost(lambda: case.act(say), monkeypatch, 201) for _ in range(4)]
    assert len(set(going_on[1:])) == 1


def test_a_session_costs_the_same_however_many_there_are(
    make_app: MakeApp, database: Database, monkeypatch: pytest.MonkeyPatch
):
    secret = made(database, "games:read").secret

    def opening() -> tuple[int, int]:
        browser: Client = make_app().test_client()
        opened = cost(lambda: post(browser, "/session", {"token": secret}), monkeypatch)
        return opened, cost(lambda: browser.get("/session"), monkeypatch)

    assert len({opening() for _ in range(3)}) == 1


def test_opening_a_game_costs_the_same_however_many_play(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    def opening(seats: int) -> int:
        who = [{"id": str(UUID(int=100 + n)), "name": f"Player {n}"} for n in range(seats)]
        return cost(lambda: post(client, "/v1/games", {"seats": who}), monkeypatch, 201)

    opening(2)  # connects
    first = opening(2)
    assert first <= 10
    assert opening(5) == first
