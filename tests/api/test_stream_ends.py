"""How following ends: for whom it may not go on, for whom there is no place, and for whoever is gone."""

import socket
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from api import access, auth, exports, streams
from api.sockets import PatientSocket
from projections.sealer import Sealer
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.table import Client, Table, draw, post
from tests.api.test_session import opened_session
from tests.api.test_sockets import pair as pair  # noqa: PLC0414 - a fixture
from tests.api.test_streams import Follower
from tests.postgres import Database, connected
from tests.projections.store import session
from tests.waiting import joined

pytestmark = [pytest.mark.store, pytest.mark.http]

NEVER = 1e6


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    return make_app()


@pytest.fixture
def table(app: Flask) -> Table:
    return Table.opened(app.test_client())


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that say every moment that they are still there."""
    monkeypatch.setattr(streams, "HEARTBEAT", 0.05)


def rest_of(follower: Follower) -> bytes:
    """Return all that a stream still says, which has to end."""
    found: list[bytes] = []
    reading = threading.Thread(target=lambda: found.extend(follower._chunks), daemon=True)
    reading.start()
    joined(reading)
    return b"".join(found)


@pytest.fixture
def private(client: Client, database: Database) -> tuple[Table, passes.Pass]:
    """A private game, and a token that may read it."""
    reader = passes.made(database, "games:read", "games:write")
    return Table.opened(Bearer(client, reader), visibility="private"), reader


@pytest.mark.usefixtures("hasty")
def test_a_token_that_is_revoked_ends_its_streams(
    client: Client, database: Database, private: tuple[Table, passes.Pass]
):
    table, reader = private
    follower = Follower(client, f"{table.path()}/stream", **reader.header)
    follower.events(table.version)
    passes.revoked(database, reader)
    assert rest_of(follower).endswith(b'event: end\ndata: {"code":"bad_token"}\n\n')
    follower.close()


def run_out(database: Database, given: passes.Pass) -> None:
    """Let a token's time be over, which the store itself lets nobody change."""
    with connected(database.superuser_url) as conn:
        conn.execute(text("ALTER TABLE lanterlog.tokens DISABLE TRIGGER USER"))
        changed = conn.execute(
            text("UPDATE lanterlog.tokens SET expires_at = clock_timestamp() WHERE token_id = :id"),
            {"id": given.token_id},
        )
        assert changed.rowcount == 1
        conn.commit()


@pytest.mark.usefixtures("hasty")
def test_a_token_whose_time_is_over_ends_its_streams_and_opens_no_others(
    client: Client, database: Database, private: tuple[Table, passes.Pass]
):
    table, _ = private
    reader = passes.made(database, "games:read", lasts=timedelta(hours=1))
    path = f"{table.path()}/stream"
    follower = Follower(client, path, **reader.header)
    follower.events(table.version)
    run_out(database, reader)
    assert rest_of(follower).endswith(b'event: end\ndata: {"code":"bad_token"}\n\n')
    follower.close()
    again = client.get(path, headers=reader.header | {"Last-Event-ID": str(table.version)})
    assert (again.status_code, again.get_json()["code"]) == (401, "bad_token")


@pytest.mark.parametrize("end", [run_out, passes.revoked])
def test_a_token_that_ends_breaks_off_its_exports(
    client: Client,
    database: Database,
    private: tuple[Table, passes.Pass],
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[Database, passes.Pass], object],
):
    """Whoever takes one slowly could otherwise read on for an hour."""
    monkeypatch.setattr(auth, "AGAIN", 0.0)
    monkeypatch.setattr(exports, "_CHUNK", 1)
    reader = passes.made(database, "export", lasts=timedelta(hours=1))
    with session(database) as own:
        sealer = Sealer(own)
        while (done := sealer.round()) is None or done.rows:
            pass
    answer = client.get("/v1/export", headers=reader.header, buffered=False)
    parts = iter(answer.response)
    assert next(parts)
    end(database, reader)
    with pytest.raises(ConnectionResetError, match="bad_token"):
        next(parts)
    answer.close()
    rest = client.get("/v1/export?since=1", headers=reader.header)
    assert (rest.status_code, rest.get_json()["code"]) == (401, "bad_token")


@pytest.mark.usefixtures("hasty")
def test_a_session_that_is_over_ends_its_streams_of_private_games(app: Flask, database: Database):
    """Also where nothing happens any more: who may not know of a game is not told that it is silent."""
    reader = passes.made(database, "games:read", "games:write")
    client = app.test_client()
    table = Table.opened(Bearer(client, reader), visibility="private")
    opened_session(client, reader)
    follower = Follower(client, f"{table.path()}/stream")
    follower.events(table.version)
    assert client.delete("/session", headers={"Origin": "http://localhost"}).status_code == 204
    assert rest_of(follower).endswith(b'event: end\ndata: {"code":"ended"}\n\n')
    follower.close()


@pytest.mark.usefixtures("hasty")
def test_a_session_that_is_over_follows_a_public_game_as_the_public(app: Flask, database: Database):
    arbiter = passes.made(database, "admin")
    client = app.test_client()
    table = Table.opened(Bearer(client, arbiter))
    opened_session(client, arbiter)
    follower = Follower(client, f"{table.path()}/stream?viewer=all")
    assert "??" not in str(follower.events(table.version))
    assert client.delete("/session", headers={"Origin": "http://localhost"}).status_code == 204
    table.record(draw(1))
    (news,) = follower.events(1)
    assert news["event"]["card"] == "??"
    follower.close()


def test_what_was_seen_elsewhere_is_not_waited_for(app: Flask, table: Table):
    path = f"{table.path()}/stream"
    ahead = app.test_client().get(path, headers={"Last-Event-ID": str(table.version + 1)})
    assert (ahead.status_code, ahead.get_json()["code"]) == (404, "unknown_version")
    assert ahead.get_json()["version"] == table.version
    asked = app.test_client().get(f"{path}?after={table.version + 1}")
    assert asked.get_json()["code"] == "unknown_version"
    follower = Follower(app.test_client(), path, **{"Last-Event-ID": str(table.version)})
    assert follower.status == 200
    follower.close()


def test_nobody_has_more_places_than_his_share(make_app: MakeApp, database: Database):
    app = make_app(max_streams=5, shares={"streams": 2})
    path = f"{Table.opened(app.test_client()).path()}/stream"

    def asked(address: str, **headers: str) -> Any:
        where = {"REMOTE_ADDR": address}
        return app.test_client().get(path, headers=headers, environ_overrides=where)

    reader = passes.made(database, "games:read")
    found = [asked("2001:db8::1"), asked("2001:db8::2"), asked("2001:db8::3")]
    assert [one.status_code for one in found] == [200, 200, 429]
    refused = found.pop()
    assert refused.get_json()["code"] == "too_many_own_streams"
    assert int(refused.headers["Retry-After"]) == 15
    found += [asked("2001:db8::3", **reader.header) for _ in range(2)]
    assert asked("203.0.113.1", **reader.header).status_code == 429
    found.append(asked("::ffff:203.0.113.1"))
    assert [one.status_code for one in found] == [200] * 5
    assert asked("203.0.113.2").get_json()["code"] == "too_many_streams"
    figures = app.test_client().get("/metrics", headers=passes.made(database, "metrics").header)
    assert "lanterlog_streams 5.0\n" in figures.text
    assert "lanterlog_stream_places 5.0\n" in figures.text
    found.pop(0).close()
    assert asked("2001:db8::3").status_code == 200
    for one in found:
        one.close()


def test_a_follower_that_is_gone_makes_room(
    app: Flask,
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    pair: tuple[PatientSocket, socket.socket],
):
    """Long before there is anything to send him."""
    monkeypatch.setattr(streams, "HEARTBEAT", NEVER)
    here, there = pair
    stayed: list[bool] = []
    here.staying = lambda: stayed.append(True)
    answer = app.test_client().get(
        f"{table.path()}/stream?after={table.version}",
        environ_overrides={"gunicorn.socket": here},
    )
    follower = Follower.__new__(Follower)
    follower.answer, follower._chunks = answer, iter(answer.response)
    assert next(follower._chunks) == b"retry: 2000\n\n"
    assert stayed == [True]
    there.close()
    assert rest_of(follower) == b""
    follower.close()
    assert app.extensions["lanterlog.poller"].followers == 0


def test_a_stream_ends_after_its_time_and_can_be_gone_on_with(
    app: Flask, table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(streams, "LASTING", 0.0)
    follower = Follower(app.test_client(), f"{table.path()}/stream")
    assert rest_of(follower) == b"retry: 2000\n\n: come back\n\n"
    follower.close()


def test_a_database_that_is_away_for_a_while_ends_no_stream(
    app: Flask, table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(streams, "LOOK", 0.05)
    follower = Follower(app.test_client(), f"{table.path()}/stream")
    follower.events(table.version)
    table.record(draw(1))
    with monkeypatch.context() as away:
        away.setattr(access, "reading", gone)
        assert next(follower._chunks) == b": still here\n\n"
    assert follower.events(1)[0]["version"] == table.version
    follower.close()


def gone() -> Any:
    raise OperationalError("SELECT", {}, Exception("gone"))


def test_whoever_has_no_such_game_is_told_that_alone(app: Flask, table: Table):
    """Not how far it would have to have come."""
    unknown = app.test_client().get(f"/v1/games/{uuid4()}/stream?after=99")
    assert unknown.get_json()["code"] == "unknown_game"
    assert post(app.test_client(), f"{table.path()}/stream", {}).status_code == 405
