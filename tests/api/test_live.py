"""Played live: a server process, two player processes that know only their seats' cards, and somebody who watches."""

import io
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from api.client import Client, event_of
from api.client_feed import Polling
from api.wire import RulesetChoice
from events.common import GameEnded
from events.formats import ndjson
from events.rummy500.events import RummyCalled
from tests.api.players import LISTENS_EVERY, Job, playing
from tests.api.test_serving import Served
from tests.postgres import scratch

pytestmark = [pytest.mark.store, pytest.mark.http]

NAMES = ["Ann", "Bob", "Cyd", "Dan"]
SIDES = ((0, 2), (1, 3))
MOST_GAMES = 3
TARGET = 150
LATE = {"NO_CALL_WINDOW", "HAND_OVER"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A served open table: until there are tokens, each player asks for his seat's view."""
    home = scratch() / f"lanterlog-live-{uuid4().hex[:12]}"
    home.mkdir(mode=0o755)
    with Served(home, "--open-table") as served:
        link = next(one for one in served.links() if one.endswith("/healthz"))
        yield link.removesuffix("/healthz")
    shutil.rmtree(home)


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url, feed=Polling(every=LISTENS_EVERY)) as made:
        yield made


class Watcher:
    """The public, following a game from its first event to its last."""

    def __init__(self, client: Client, game_id: UUID) -> None:
        self.versions: list[int] = []
        self._thread = threading.Thread(target=self._watch, args=(client, game_id), daemon=True)

    def _watch(self, client: Client, game_id: UUID) -> None:
        self.versions += [line.version for line in client.follow(game_id, viewer="public")]

    def __enter__(self) -> "Watcher":
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # A game that failed has no end to wait for: the thread goes with the process.
        if kind is None:
            self._thread.join()


def played(client: Client, url: str, game: str, ruleset: RulesetChoice, deals: int) -> list[Any]:
    """Have a game played by two processes; check what everybody may ask of its log, and return its events."""
    opened = client.open_game(NAMES, game=game, ruleset=ruleset, first_dealer=0)
    game_id = opened.game_id
    jobs = [Job(url, game_id, game, seats, seed=7, deals=deals) for seats in SIDES]
    with playing(jobs), Watcher(client, game_id) as watcher:
        pass
    lines = list(client.all_events(game_id))
    events = [event_of(game, line.event) for line in lines]
    assert watcher.versions == [line.version for line in lines] == [*range(1, len(lines) + 1)]
    assert all(line.salt for line in lines), "all of it lies open at the end"
    checked = ndjson.verify(io.BytesIO(client.export(game_id)))
    assert (checked.ok, checked.events) == (True, len(events))
    report = client.audit(game_id, calls=game == "rummy500")
    assert (report.findings, report.unchecked, report.events) == ([], [], len(events))
    assert client.game(game_id).status == "ended"
    return events


def test_rummy_is_played_live_with_calls_for_the_same_discard(client: Client, url: str):
    ruleset = RulesetChoice(options={"target": TARGET})
    calls: Counter[str] = Counter()
    for _ in range(MOST_GAMES):
        events = played(client, url, "rummy500", ruleset, deals=60)
        ended = events[-1]
        assert isinstance(ended, GameEnded)
        assert (ended.abandoned, ended.winner is None) == (False, False)
        called = [(v, one) for v, one in enumerate(events) if isinstance(one, RummyCalled)]
        calls.update(one.code or "stands" for _, one in called)
        for version, one in called:
            if not one.accepted:
                assert one.code in LATE, (version, one)
        if calls["NO_CALL_WINDOW"]:
            break
    assert calls["stands"], calls
    assert calls["NO_CALL_WINDOW"], f"nobody ever called second: {calls}"


@pytest.mark.parametrize("form", ["loo5", "loo3"])
def test_loo_is_played_live(client: Client, url: str, form: str):
    ruleset = RulesetChoice(preset=f"seed-{form}", options={"rounds": 1})
    events = played(client, url, "lanterloo", ruleset, deals=6)
    kinds = Counter(type(event).__name__ for event in events)
    assert kinds["DealScored"] >= 4
    assert kinds["CardPlayed"]
    final = client.state(client_game(client, events)).state
    assert (final["pool"], sum(final["totals"])) == (0, 0)


def client_game(client: Client, events: list[Any]) -> UUID:
    """The game of these players."""
    seats = events[0].seats
    return next(
        game.game_id for game in client.games() if [p.id for p in game.players] == list(seats)
    )
