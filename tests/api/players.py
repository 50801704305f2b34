"""Players that are processes of their own: each acts over HTTP, for its seats, from what those seats see.

They come to no harm if somebody else was first: a stale version is read again, a late call is lost. Every wait
has an end, so a player whose fellow died fails instead of waiting for ever.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import Any
from uuid import UUID

import msgspec
import pytest

from api.client import Client, event_of
from api.client_errors import Refused, StaleVersion
from events.cards import UNKNOWN
from events.common import Dealt
from events.games import game_named
from events.rummy500.calls import open_calls
from events.rummy500.events import RummyCalled

PATIENCE = 300
"""Seconds that a game may take, and that a player waits for the others before a call."""
LISTENS_EVERY = 0.02


class Job(msgspec.Struct, frozen=True):
    """What a player process is told: where the game is, and his seats with the token of each."""

    url: str
    game_id: UUID
    game: str
    tokens: dict[int, str]
    seed: int


class View:
    """The table as one seat sees it, event by event, and nothing else."""

    def __init__(self, client: Client, job: Job, seat: int) -> None:
        self.client, self.job, self.seat = client, job, seat
        self.game = game_named(job.game)
        self.version = 0
        self.state: Any = None

    def read_on(self) -> None:
        # All that the token may see: asking for everybody's cards widens nothing.
        page = self.client.events(self.job.game_id, after=self.version, viewer="all")
        for line in page.events:
            event = event_of(self.job.game, line.event)
            is_others = isinstance(event, Dealt) and event.seat != self.seat
            if is_others and page.viewer == self.seat:
                assert set(event.cards) == {UNKNOWN}, (self.seat, event)
            new = self.game.evolve(self.state, event) if self.version else self.game.initial(event)
            self.state, self.version = new, line.version


class Player:
    """A process with some seats; *meeting* is where all players wait before they call together."""

    def __init__(self, clients: dict[int, Client], job: Job, meeting: Barrier) -> None:
        self.job, self.meeting = job, meeting
        self.views = {seat: View(client, job, seat) for seat, client in clients.items()}
        self.chance = random.Random(f"{job.seed} {sorted(clients)}")
        self.met: set[int] = set()

    def play(self) -> None:
        """Play until the game has ended."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for view in self.views.values():
                view.read_on()
            versions = {view.version for view in self.views.values()}
            view = next(iter(self.views.values()))
            if len(versions) > 1:
                continue
            if view.state.phase == "ended":
                return
            try:
                self._act(view)
            except StaleVersion:
                continue
        raise AssertionError(f"the game has not ended after {PATIENCE} seconds")

    def _act(self, view: View) -> None:
        state = view.state
        if self.job.game == "rummy500" and open_calls(state) and view.version not in self.met:
            self.met.add(view.version)
            self._call_together(state)
        elif state.turn in self.views:
            own = self.views[state.turn]
            own.client.record(self.job.game_id, [self._choice(own)], own.version)
        else:
            time.sleep(LISTENS_EVERY)

    def _call_together(self, state: Any) -> None:
        """Call at the same moment as the other players, for whichever of the own seats may; the first has it."""
        self.meeting.wait(PATIENCE)
        for seat, view in self.views.items():
            calls = (a for a in view.game.legal(view.state, seat) if isinstance(a, RummyCalled))
            for call in islice(calls, 1):
                with suppress(Refused):
                    view.client.call(self.job.game_id, call)
                return

    def _choice(self, view: View) -> Any:
        """Return what the greedy one would do or, now and then, any act that the service lists for the seat."""
        if self.chance.random() < 0.2:
            found = view.client.legal(self.job.game_id, seat=view.seat)
            mine = [event_of(self.job.game, raw) for raw in found.acts]
            if found.at != view.version:
                raise StaleVersion(409, "stale_version", "read again", {"version": found.at})
            return self.chance.choice(mine)
        return view.game.bots["greedy"](view.state, view.seat, self.chance)


def play(job: Job, meeting: Barrier) -> None:
    """What a player process does."""
    with ExitStack() as stack:
        clients = {
            seat: stack.enter_context(Client(job.url, token)) for seat, token in job.tokens.items()
        }
        Player(clients, job, meeting).play()


@contextmanager
def playing(jobs: list[Job]) -> Iterator[None]:
    """Have the jobs done, each in a process of its own; leave none behind, and fail if one failed."""
    context = get_context("spawn")
    meeting = context.Barrier(len(jobs))
    players = [context.Process(target=play, args=(job, meeting), daemon=True) for job in jobs]
    try:
        for player in players:
            player.start()
        yield
        for player in players:
            player.join(PATIENCE)
        codes = [player.exitcode for player in players]
        if any(codes) or None in codes:
            pytest.fail(f"the players ended with {codes}: what they said stands above")
    finally:
        for player in players:
            if player.is_alive():
                player.kill()
                player.join(PATIENCE)
