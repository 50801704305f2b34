"""Following a game by server-sent events: what comes, in which order, for whom, and how it ends."""

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from sqlalchemy import event as sql

from api import answers, streams, told
from api.poller import AT_ONCE, Poller
from tests.api.conftest import MakeApp
from tests.api.table import Client, Table, draw
from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.served import Served
from tests.waiting import PATIENCE, joined, until

REMARK = {"t": "remarked", "v": 2, "seat": None, "text": "0" * 64, "about": None}


class Follower:
    """Reads a stream of the application, message by message."""

    def __init__(self, client: Client, path: str, **headers: str) -> None:
        self.answer = client.get(path, headers=headers)
        self.status, self.headers = self.answer.status_code, self.answer.headers
        self._chunks = iter(self.answer.response)
        self._rest = b""

    def message(self) -> dict[str, str]:
        """Return the fields of the next message that is no heartbeat."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while b"\n\n" not in self._rest:
                chunk = next(self._chunks)
                self._rest += chunk if isinstance(chunk, bytes) else chunk.encode()
            text, self._rest = self._rest.split(b"\n\n", 1)
            found = dict(line.split(": ", 1) for line in text.decode().splitlines())
            if "data" in found:
                return found
        raise AssertionError("nothing but heartbeats")

    def events(self, count: int) -> list[dict[str, Any]]:
        return [json.loads(self.message()["data"]) for _ in range(count)]

    def close(self) -> None:
        self.answer.close()


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    return make_app()


@pytest.fixture
def table(app: Flask) -> Table:
    return Table.opened(app.test_client())


def test_what_was_and_what_comes_is_sent_in_order(app: Flask, table: Table):
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    assert follower.headers["Content-Type"].startswith("text/event-stream")
    assert follower.headers["Cache-Control"] == "no-store, no-transform"
    assert follower.headers["X-Accel-Buffering"] == "no"
    assert [one["version"] for one in follower.events(table.version)] == [1, 2, 3, 4, 5]
    table.record(draw(1))
    (news,) = follower.events(1)
    assert (news["version"], news["event"]["t"]) == (6, "stock_drawn")
    follower.close()


def test_a_follower_sees_what_the_events_show_him(app: Flask, table: Table):
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    streamed = follower.events(table.version)
    follower.close()
    asked = app.test_client().get(f"/v1/games/{table.game_id}/events").get_json()["events"]
    assert streamed == asked
    assert {card for one in streamed for card in one["event"].get("cards", [])} == {"??"}
    assert all("inner" in one and "salt" not in one for one in streamed if "cards" in one["event"])


def test_one_that_was_cut_off_goes_on_where_it_was(app: Flask, table: Table):
    path = f"/v1/games/{table.game_id}/stream?after=1"
    follower = Follower(app.test_client(), path, **{"Last-Event-ID": "3"})
    message = follower.message()
    assert (message["id"], message["event"]) == ("4", "version")
    follower.close()


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "99999999999", "٣"])
def test_a_last_event_id_that_is_no_version_is_refused(app: Flask, table: Table, last: str):
    headers = {"Last-Event-ID": last.encode().decode("latin-1")}
    answer = app.test_client().get(f"/v1/games/{table.game_id}/stream", headers=headers)
    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad_query")


def test_an_unknown_game_is_not_followed(app: Flask):
    answer = app.test_client().get("/v1/games/00000000-0000-7000-8000-000000000000/stream")
    assert answer.get_json()["code"] == "unknown_game"


def test_asking_only_for_the_headers_follows_nothing(app: Flask, table: Table):
    answer = app.test_client().head(f"/v1/games/{table.game_id}/stream")
    assert (answer.status_code, answer.data) == (200, b"")
    assert app.extensions["lanterlog.poller"].followers == 0


def test_too_many_are_refused_and_whoever_leaves_makes_room(make_app: MakeApp):
    app = make_app(max_streams=1)
    table = Table.opened(app.test_client())
    path = f"/v1/games/{table.game_id}/stream"
    first = Follower(app.test_client(), path)
    second = app.test_client().get(path)
    assert (second.status_code, second.get_json()["code"]) == (503, "too_many_streams")
    assert second.headers["Retry-After"]
    first.close()
    third = Follower(app.test_client(), path)
    assert third.status == 200
    third.close()


def test_one_question_a_round_for_however_many_follow(app: Flask, table: Table):
    asked: list[str] = []
    engine = app.extensions["lanterlog"].engine
    followers = [Follower(app.test_client(), f"/v1/games/{table.game_id}/stream") for _ in range(5)]
    for follower in followers:
        follower.events(table.version)
    sql.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    table.record(draw(1))
    for follower in followers:
        assert follower.events(1)[0]["version"] == table.version
    reads = [text for text in asked if "events" in text and "recorded_at" in text]
    # One by whoever records, one for all who follow.
    assert len(reads) <= 3, reads
    for follower in followers:
        follower.close()


def test_what_is_stored_here_comes_without_waiting_for_a_round(app: Flask, table: Table):
    app.extensions["lanterlog.poller"]._pause = 100 * PATIENCE
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    follower.events(table.version)
    for _ in range(3):
        table.record(REMARK)
        assert follower.events(1)[0]["version"] == table.version
    follower.close()


def test_what_is_stored_elsewhere_comes_with_the_next_round(
    app: Flask, make_app: MakeApp, table: Table
):
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    follower.events(table.version)
    elsewhere = Table(make_app().test_client(), table.game_id, table.version)
    for _ in range(2):
        elsewhere.record(REMARK)
        assert follower.events(1)[0]["version"] == elsewhere.version
    follower.close()


def test_a_line_is_made_once_for_all_who_see_the_same(
    app: Flask, table: Table, monkeypatch: pytest.MonkeyPatch
):
    lines: list[int] = []
    real = answers.event_line

    def counted(eyes: Any, stored: Any, *rest: Any) -> Any:
        lines.append(stored.version)
        return real(eyes, stored, *rest)

    monkeypatch.setattr(answers, "event_line", counted)
    path = f"/v1/games/{table.game_id}/stream"
    followers = [Follower(app.test_client(), path) for _ in range(5)]
    said = [follower.events(table.version) for follower in followers]
    assert said == [said[0]] * 5
    assert sorted(lines) == list(range(1, table.version + 1))
    for follower in followers:
        follower.close()


def test_who_joins_late_gets_all_of_it_a_piece_at_a_time(
    app: Flask, table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(told, "MOST", 2)
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    assert [one["version"] for one in follower.events(table.version)] == [1, 2, 3, 4, 5]
    follower.close()


def test_nothing_is_asked_while_nobody_follows(app: Flask, table: Table):
    poller: Poller = app.extensions["lanterlog.poller"]
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    follower.events(1)
    follower.close()
    assert poller.followers == 0
    until(lambda: all(thread.name != "poller" for thread in threading.enumerate()))


def test_a_poller_that_is_closed_lets_everybody_go(app: Flask, table: Table):
    follower = Follower(app.test_client(), f"/v1/games/{table.game_id}/stream")
    follower.events(table.version)
    app.extensions["lanterlog.poller"].close()
    with pytest.raises(StopIteration):
        follower.message()
    follower.close()


def test_a_service_that_stops_ends_its_streams(home: Path):
    with Served(home, "--samples") as served:
        links = served.links()
        game = next(urlsplit(link).path.split("/")[3] for link in links if "/v1/games/" in link)
        with socket.create_connection(address_of(links[0]), PATIENCE) as stream:
            stream.sendall(
                f"GET /v1/games/{game}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            received = stream.recv(65536)
            served.process.terminate()
            while more := stream.recv(65536):
                received += more
        assert served.process.wait(PATIENCE) == 0
    # The last chunk: the stream was ended, not cut off when the grace was over.
    assert received.endswith(b"0\r\n\r\n")


def address_of(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


def test_few_messages_are_made_at_the_same_time(
    app: Flask, table: Table, monkeypatch: pytest.MonkeyPatch
):
    made, most, counting, full = [0], [0], threading.Lock(), threading.Event()
    real = streams._news

    def slowly(*given: Any) -> Any:
        with counting:
            made[0] += 1
            most[0] = max(most[0], made[0])
            if made[0] == AT_ONCE:
                full.set()
        full.wait(PATIENCE)
        time.sleep(0.05)  # in which one too many may come
        with counting:
            made[0] -= 1
        return real(*given)

    monkeypatch.setattr(streams, "_news", slowly)
    path = f"/v1/games/{table.game_id}/stream"
    followers = [Follower(app.test_client(), path) for _ in range(8)]
    threads = [
        threading.Thread(target=one.events, args=(table.version,), daemon=True) for one in followers
    ]
    for thread in threads:
        thread.start()
    joined(*threads)
    assert most[0] == AT_ONCE
    for follower in followers:
        follower.close()
