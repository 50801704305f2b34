"""Played live: a server process, two player processes whose tokens show them their seats' cards alone."""

import io
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from api.client import Client, event_of
from api.client_errors import Refused, StaleVersion
from api.config import Config
from api.embedded import running
from api.issuing import create, owner
from api.scopes import Scope
from api.wire import RulesetChoice
from events.common import GameEnded
from events.formats import ndjson
from events.rummy500.events import RummyCalled
from tests.api.players import PATIENCE, Job, playing
from tests.postgres import scratch
from tests.served import Served

pytestmark = [pytest.mark.store, pytest.mark.http]

NAMES = ["Ann", "Bob", "Cyd", "Dan"]
SIDES = ((0, 2), (1, 3))
MOST_GAMES = 3
TARGET = 150
ABANDONED = GameEnded(winner=None, abandoned=True)
LATE = {"NO_CALL_WINDOW", "HAND_OVER"}


class Service:
    """A served process, and the tokens that are made for it."""

    def __init__(self, home: Path, url: str) -> None:
        self.url = url
        self._config = Config(home=home / "data")
        self.table = self.token("the table", ["games:read", "games:write", "audit", "export"])

    def token(self, name: str, scopes: list[Scope], **bound: Any) -> str:
        with running(self._config) as settled, owner(settled) as conn:
            return create(conn, name, scopes, **bound)[1]

    def job(self, game_id: UUID, game: str, seats: tuple[int, ...]) -> Job:
        """Return what a player with these seats is told: each has a token for it, and no other."""
        scopes: list[Scope] = ["games:read", "games:write"]
        tokens = {s: self.token(NAMES[s], scopes, game_id=game_id, seat=s) for s in seats}
        return Job(self.url, game_id, game, tokens, seed=7)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    home = scratch() / f"lanterlog-live-{uuid4().hex[:12]}"
    home.mkdir(mode=0o755)
    with Served(home) as served:
        link = next(one for one in served.links() if one.endswith("/healthz"))
        yield Service(home, link.removesuffix("/healthz"))
    shutil.rmtree(home)


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    """The table: it opens games, ends them, and asks for their logs."""
    with Client(service.url, service.table) as made:
        yield made


class Host(threading.Thread):
    """Follows a game from its first event to its last, and has it abandoned after so many deals."""

    def __init__(self, client: Client, game_id: UUID, deals: int) -> None:
        super().__init__(daemon=True)
        self.client, self.game_id, self.deals = client, game_id, deals
        self.versions: list[int] = []

    def run(self) -> None:
        for line in self.client.follow(self.game_id, viewer="public"):
            self.versions.append(line.version)
            event = msgspec.json.decode(line.event)
            if event["t"] == "deal_scored" and event["deal"] == self.deals:
                self._abandon()

    def _abandon(self) -> None:
        while self.client.game(self.game_id).status == "open":
            version = self.client.game(self.game_id).version
            with suppress(StaleVersion, Refused):
                self.client.record(self.game_id, [ABANDONED], version)


def played(
    client: Client, service: Service, game: str, ruleset: RulesetChoice, deals: int
) -> list[Any]:
    """Have a game played by two processes; check what everybody may ask of its log, and return its events."""
    opened = client.open_game(NAMES, game=game, ruleset=ruleset, first_dealer=0)
    game_id = opened.game_id
    host = Host(client, game_id, deals)
    with playing([service.job(game_id, game, seats) for seats in SIDES]):
        host.start()
    host.join(PATIENCE)
    lines = list(client.all_events(game_id))
    events = [event_of(game, line.event) for line in lines]
    assert host.versions == [line.version for line in lines] == [*range(1, len(lines) + 1)]
    assert all(line.salt for line in lines), "all of it lies open at the end"
    checked = ndjson.verify(io.BytesIO(client.export(game_id)))
    assert (checked.ok, checked.events) == (True, len(events))
    report = client.audit(game_id, calls=game == "rummy500")
    assert (report.findings, report.unchecked, report.events) == ([], [], len(events))
    assert client.game(game_id).status == "ended"
    final = client.state(game_id).state
    assert final["phase"] == "ended"
    assert game == "rummy500" or (final["pool"], sum(final["totals"])) == (0, 0)
    return events


def test_rummy_is_played_live_with_calls_for_the_same_discard(client: Client, service: Service):
    ruleset = RulesetChoice(options={"target": TARGET})
    calls: Counter[str] = Counter()
    for _ in range(MOST_GAMES):
        events = played(client, service, "rummy500", ruleset, deals=60)
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
def test_loo_is_played_live(client: Client, service: Service, form: str):
    ruleset = RulesetChoice(preset=f"seed-{form}", options={"rounds": 1})
    events = played(client, service, "lanterloo", ruleset, deals=6)
    kinds = Counter(type(event).__name__ for event in events)
    assert kinds["DealScored"] >= 4
    assert kinds["CardPlayed"]
