"""Following through a server process: lines that are cut, a service that is stopped, a client that is closed."""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from api.cli import main
from api.client import Client
from api.client_errors import ClientError
from api.client_feed import Following, Polling, Streaming
from api.client_wire import Retries
from events.common import GameEnded, Remarked
from tests.api.lines import Cutting
from tests.postgres import Cluster, Database
from tests.served import Served

PATIENCE = 60


@pytest.fixture(scope="module")
def database(cluster: Cluster) -> Iterator[Database]:
    with cluster.fresh() as made:
        yield made


class Process:
    """A served process that can be stopped and started again at the same address."""

    def __init__(self, home: Path, database: Database) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = str(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self._port}"
        self._home = home
        self._settings = {"DATABASE_URL": database.app_url, "LANTERLOG_OPEN_TABLE": "1"}
        self.start()

    def start(self) -> None:
        self._served = Served(self._home, "--port", self._port, settings=self._settings)
        self._served.links()

    def stop(self) -> None:
        assert self._served.stop(signal.SIGTERM) == 0


@pytest.fixture(scope="module")
def process(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    service = Process(tmp_path_factory.mktemp("served"), database)
    yield service
    service.stop()


@pytest.fixture(scope="module")
def url(process: Process) -> str:
    return process.url


def opened(client: Client, events: int) -> tuple[UUID, int]:
    """A recorded game with so many remarks."""
    game = client.open_game(["Ann", "Bob"], mode="recorded")
    version = game.version
    while version < events:
        count = min(1000, events - version)
        version = client.record(game.game_id, [remark()] * count, version).version
    return game.game_id, version


def remark() -> Remarked:
    return Remarked(seat=0, text="0" * 64)


def end(client: Client, game_id: UUID, version: int) -> int:
    return client.record(game_id, [GameEnded(winner=None, abandoned=True)], version).version


class Listening(threading.Thread):
    """Follows in a thread; `seen` are the versions that came."""

    def __init__(self, following: Following) -> None:
        super().__init__(daemon=True)
        self.following = following
        self.seen: list[int] = []
        self.raised: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            for found in self.following:
                self.seen.append(found.version)
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.raised = error

    def waits(self, version: int) -> None:
        until(lambda: self.seen[-1:] >= [version] or self.raised is not None)

    def ends(self) -> list[int]:
        self.join(PATIENCE)
        assert not self.is_alive()
        assert self.raised is None, self.raised
        return self.seen


def until(done: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < last
        time.sleep(0.01)


@pytest.mark.store
@pytest.mark.http
class TestThroughAServer:
    def test_more_events_than_a_page_holds_come_over_lines_that_are_cut_anywhere(self, url: str):
        with Client(url) as recording, Cutting(url, seed=7, most=200_000) as bad:
            game_id, version = opened(recording, 1500)
            feed = Streaming(retries=Retries(attempts=50, first=0.001, longest=0.01))
            with Client(bad.url, feed=feed, retries=Retries(attempts=50, first=0.001)) as client:
                listening = Listening(client.follow(game_id))
                listening.waits(1200)
                for _ in range(20):
                    version = recording.record(game_id, [remark()] * 40, version).version
                version = end(recording, game_id, version)
                assert listening.ends() == [*range(1, version + 1)]
        assert bad.cuts > 3

    def test_a_server_that_is_stopped_and_started_again_is_followed_on(self, process: Process):
        feed = Streaming(retries=Retries(attempts=300, first=0.05, longest=0.2))
        patient = Retries(attempts=300, first=0.05, longest=0.2)
        with (
            Client(process.url, retries=patient) as recording,
            Client(process.url, feed=feed) as client,
        ):
            game_id, version = opened(recording, 3)
            listening = Listening(client.follow(game_id))
            listening.waits(version)
            process.stop()
            process.start()
            version = recording.record(game_id, [remark()] * 5, version).version
            listening.waits(version)
            version = end(recording, game_id, version)
            assert listening.ends() == [*range(1, version + 1)]

    @pytest.mark.parametrize("feed", [Streaming(), Polling(every=600)], ids=["stream", "polls"])
    def test_it_is_closed_by_another_thread_while_it_waits(
        self, url: str, feed: Streaming | Polling
    ):
        with Client(url, feed=feed) as client:
            game_id, version = opened(client, 3)
            listening = Listening(client.follow(game_id))
            listening.waits(version)
            listening.following.close()
            assert listening.ends() == [1, 2, 3]
            assert client.game(game_id).version == 3, "the client itself goes on"

    def test_a_client_that_is_closed_ends_what_it_follows(self, url: str):
        client = Client(url)
        game_id, version = opened(client, 3)
        listening = Listening(client.follow(game_id))
        listening.waits(version)
        client.close()
        assert listening.ends() == [1, 2, 3]
        with pytest.raises(ClientError, match="the client is closed"):
            client.game(game_id)

    def test_bots_play_there(
        self, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.delenv("LANTERLOG_TOKEN", raising=False)
        words = ["--to", url, "--games", "2", "--seats", "2", "--deals", "1", "--json"]
        assert main(["simulate", *words]) == 0
        said = capsys.readouterr()
        assert "2 games with" in said.err
        with Client(url) as client:
            for game in map(msgspec.json.decode, said.out.splitlines()):
                seen = [one.version for one in client.follow(UUID(game["game_id"]))]
                assert seen == [*range(1, game["events"] + 1)]
        monkeypatch.setenv("LANTERLOG_TOKEN", "ll_nobody\n")
        assert main(["simulate", *words]) == 2
        assert "ll_nobody" not in capsys.readouterr().err
