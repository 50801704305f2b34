"""Players that are processes of their own: each acts over HTTP, for its seats, from what those seats see.

They come to no harm if somebody else was first: a stale version is read again, a late call is lost. Every wait
has an end, so a player whose fellow died fails instead of waiting for ever.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
from events.common import Dealt, GameEnded
from events.games import game_named
from events.rummy500.calls import open_calls
from events.rummy500.events import RummyCalled

PATIENCE = 90
"""Seconds that a game may take, and that a player waits for the others before a call."""
LISTENS_EVERY = 0.01


class Job(msgspec.Struct, frozen=True):
    """What a player process is told: where the game is, and which seats are his."""

    url: str
    game_id: UUID
    game: str
    seats: tuple[int, ...]
    seed: int
    deals: int


class View:
    """The table as one seat sees it, event by event, and nothing else."""

    def __init__(self, client: Client, job: Job, seat: int) -> None:
        self.client, self.job, self.seat = client, job, seat
        self.game = game_named(job.game)
        self.version = 0
        self.state: Any = None

    def read_on(self) -> None:
        page = self.client.events(self.job.game_id, after=self.version, viewer=self.seat)
        for line in page.events:
            event = event_of(self.job.game, line.event)
            if page.viewer == self.seat and isinstance(event, Dealt) and event.seat != self.seat:
                assert set(event.cards) == {UNKNOWN}, (self.seat, event)
            self.state = self.game.evolve(self.state, event) if self.version else self._first(event)
            self.version = line.version

    def _first(self, event: Any) -> Any:
        return self.game.initial(event)


class Player:
    """A process with some seats; *meeting* is where all players wait before they call together."""

    def __init__(self, client: Client, job: Job, meeting: Barrier) -> None:
        self.client, self.job, self.meeting = client, job, meeting
        self.views = {seat: View(client, job, seat) for seat in job.seats}
        self.chance = random.Random(f"{job.seed} {job.seats}")
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
        elif 0 in self.views and state.deal > self.job.deals:
            self._record(view, GameEnded(winner=None, abandoned=True))
        elif state.turn in self.views:
            own = self.views[state.turn]
            self._record(own, self._choice(own))
        else:
            time.sleep(LISTENS_EVERY)

    def _call_together(self, state: Any) -> None:
        """Call at the same moment as the other players, for whichever of the own seats may; the first has it."""
        self.meeting.wait(PATIENCE)
        for seat, view in self.views.items():
            calls = (a for a in view.game.legal(view.state, seat) if isinstance(a, RummyCalled))
            for call in islice(calls, 1):
                with suppress(Refused):
                    self.client.call(self.job.game_id, call, viewer=seat)
                return

    def _choice(self, view: View) -> Any:
        """Return what the greedy one would do or, now and then, any act that the service lists for the seat."""
        if self.chance.random() < 0.2:
            found = self.client.legal(self.job.game_id, seat=view.seat, viewer=view.seat)
            mine = [event_of(self.job.game, raw) for raw in found.acts]
            if found.at != view.version:
                raise StaleVersion(409, "stale_version", "read again", {"version": found.at})
            return self.chance.choice(mine)
        return view.game.bots["greedy"](view.state, view.seat, self.chance)

    def _record(self, view: View, act: Any) -> None:
        self.client.record(self.job.game_id, [act], view.version, viewer=view.seat)


def play(job: Job, meeting: Barrier) -> None:
    """What a player process does."""
    with Client(job.url) as client:
        Player(client, job, meeting).play()


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
