"""Figures for a monitor: what they count, who may read them, and that no id ever becomes a label."""

import re
from typing import Any
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Connection

from api.metrics import CONTENT_TYPE
from projections.status import Status
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.table import Client, Table, discard, draw, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def figures(client: Client) -> Figures:
    """Return every sample by its name and labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == CONTENT_TYPE
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def value(found: Figures, name: str, **labels: str) -> float:
    return found.get((f"lanterlog_{name}", frozenset(labels.items())), 0.0)


def test_requests_are_counted_by_address_method_and_status(client: Client):
    table = Table.opened(client)
    for _ in range(3):
        table.get("/state")
    client.get(f"/v1/games/{uuid4()}/state")
    client.get("/nowhere")
    client.open("/v1/games", method="BREW")
    found = figures(client)

    def count(endpoint: str, method: str, status: str) -> float:
        return value(found, "http_requests_total", endpoint=endpoint, method=method, status=status)

    state = "/v1/games/<game_id>/state"
    assert count(state, "GET", "200") == 3
    assert count(state, "GET", "404") == 1
    assert count("/v1/games", "POST", "201") == 1
    assert count("none", "GET", "404") == 1
    assert count("none", "other", "405") == 1
    assert value(found, "http_request_seconds_count", endpoint=state, method="GET") == 4
    assert value(found, "http_request_seconds_sum", endpoint=state, method="GET") > 0
    assert value(found, "problems_total", code="unknown_game") == 1


def test_appends_conflicts_and_refusals_are_counted(client: Client):
    table = Table.opened(client)
    key = str(uuid4())
    opened = table.version
    assert table.record(draw(1), key=key).status_code == 201
    table.version = opened
    assert table.record(draw(1), key=key).json["repeated"]
    table.version = opened
    assert table.record(draw(1)).status_code == 409
    table.version = opened + 1
    refused = table.record(draw(1))
    assert refused.status_code == 422
    table.record(discard(1, "??"), query="?dry_run=1")
    found = figures(client)
    assert value(found, "commands_total") == 2
    assert value(found, "events_total") == table.version
    assert value(found, "commands_repeated_total") == 1
    assert value(found, "conflicts_total") == 1
    code = refused.json["code"].removeprefix("rule/")
    assert value(found, "refusals_total", code=code) >= 1


def test_the_store_and_the_process_are_told(client: Client, make_app: MakeApp):
    Table.opened(client)
    found = figures(client)
    assert value(found, "database_up") == 1
    assert value(found, "ledger_lag_events") > 0
    assert value(found, "ledger_lag_seconds") > 0
    assert value(found, "sealer_at_work") == value(found, "streams") == 0
    names = {name for name, _ in found}
    assert {"lanterlog_build_info", "lanterlog_pool_in_use", "process_open_fds"} <= names


def test_who_follows_and_what_read_models_lack_is_told(make_app: MakeApp, database: Database):
    from projections import checkpoints
    from projections.models import MODELS
    from projections.sessions import connect

    app = make_app()
    with connect(database.worker_url, "test") as session:
        for model in MODELS:
            checkpoints.find(session, model.name)
    table = Table.opened(app.test_client())
    following: Any = app.test_client().get(f"/v1/games/{table.game_id}/stream")
    found = figures(app.test_client())
    assert value(found, "streams") == 1
    following.close()
    for model in MODELS:
        for name in ("lag_positions", "lag_seconds", "failed"):
            labels = frozenset({("projection", model.name)})
            assert found[f"lanterlog_projection_{name}", labels] == 0
    app.extensions["lanterlog.poller"].close()
    assert value(figures(app.test_client()), "streams") == 0


def test_no_id_name_or_card_is_ever_a_label(client: Client):
    game = Table.opened(client, seats=["Zoe Quux", "Bob"])
    game.record(draw(1))
    for path in ("/state?at=3", "/events", "/cards/AS", "/timeline", "/export.txt"):
        game.get(path)
    post(client, "/v1/games", {"seats": ["Zoe Quux"]})
    client.get(f"/{uuid4()}", headers={"X-Request-Id": str(uuid4())})
    text = client.get("/metrics").text
    assert "Quux" not in text
    assert game.game_id not in text
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}", text)


def test_without_a_database_the_figures_say_so(make_app: MakeApp):
    app = make_app(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none")
    app.extensions["lanterlog.tokens"] = set()
    text = app.extensions["lanterlog.metrics"].text().decode()
    assert "lanterlog_database_up 0.0" in text
    assert "ledger_lag" not in text


def test_each_application_counts_for_itself(make_app: MakeApp):
    one, other = make_app().test_client(), make_app().test_client()
    Table.opened(one)
    assert value(figures(one), "commands_total") == 1
    assert value(figures(other), "commands_total") == 0


def test_where_there_are_tokens_only_a_monitor_or_an_arbiter_may_read_them(
    client: Client, database: Database
):
    assert client.get("/metrics").status_code == 200
    monitor = Bearer(client, passes.made(database, "metrics"))
    arbiter = Bearer(client, passes.made(database, "admin"))
    others = passes.made(database, "games:read", "games:write", "audit", "export")
    assert monitor.get("/metrics").status_code == arbiter.get("/metrics").status_code == 200
    assert Bearer(client, others).get("/metrics").status_code == 403
    assert client.get("/metrics").status_code == 401
    game = Table.opened(arbiter, visibility="private")
    assert monitor.get(f"/v1/games/{game.game_id}").status_code == 404
    assert post(monitor, "/v1/games", {"seats": ["Ann", "Bob"]}).status_code == 403


def test_the_database_is_asked_once_a_second_at_most(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    import projections.status
    from api import metrics

    asked: list[int] = []
    real = projections.status.status

    def counted(conn: Connection) -> Status:
        asked.append(1)
        return real(conn)

    monkeypatch.setattr(metrics, "status", counted)
    monkeypatch.setattr("api.remembered.time.monotonic", lambda: 100.0)
    for _ in range(5):
        figures(client)
    assert asked == [1]
