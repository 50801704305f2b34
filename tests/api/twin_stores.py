"""Two stores, in each of which a game is one twin, and what somebody who asks both of them gets to see."""

import random
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count, islice
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from flask import Flask
from psycopg import Cursor
from sqlalchemy import Engine
from structlog.testing import capture_logs

from api import create_app, db, streams
from api.metrics import metrics_of
from events import erasure, recorder, store
from events.codec import encode
from events.games import GAMES
from events.records import Text
from projections import catalogue, findings, standings, tables
from projections.model import Sealed
from projections.schema import READING
from projections.sealer import Sealer
from projections.sessions import connect
from projections.viewer import Viewer
from tests.api import passes
from tests.api.apps import end
from tests.api.passes import Bearer
from tests.api.table import post
from tests.api.twin_asks import ADDRESSES, argued, claim
from tests.api.twin_words import HEADERS, Ask, Table, tries
from tests.api.twins import Names, Seen, masked
from tests.postgres import Cluster, Database
from tests.seeing import seen_by

NUMBERS = count(1)
"""Of the games; the stores have the same ones."""


class Store:
    """One of two stores, in which a game is one twin."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.app: Flask = create_app(database.config)
        self.engine: Engine = self.app.extensions["lanterlog"].engine
        self.names = Names()
        self.arbiter = self.somebody("admin")

    def keep(self, game_id: UUID, log: Sequence[Any], texts: Sequence[Text] = ()) -> None:
        """Store a log as it is, and bring the read models up to it."""
        opened = log[0]
        bodies = [encode(event) for event in log]
        with self.engine.begin() as conn:
            store.ensure_people(conn, dict.fromkeys(map(UUID, opened.seats), "Ann"))
            store.open_game(conn, game_id, opened.game, opened.mode)
            store.append(conn, game_id, 0, uuid4(), bytes(32), UUID(int=9), bodies, texts)
        self.catch_up(game_id)

    def catch_up(self, game_id: UUID) -> None:
        """Bring the read models up to what is stored."""
        with self.engine.connect() as conn:
            log = recorder.load(conn, game_id)
        head = {name: getattr(log.head, name) for name in log.head.__struct_fields__}
        sealed = Sealed(**head, first_at=log.stored[0].recorded_at)
        session = connect(self.database.worker_url, "a test")
        try:
            assert Sealer(session).round() is not None
            for model in (catalogue, standings, findings):
                rows = model.rows(GAMES[log.head.game], sealed, log.events)
                tables.replace(session, model, [game_id], [dict(rows)], READING)
        finally:
            session.close()

    def erase(self, person: UUID) -> None:
        """Take out somebody's name, and all texts that he wrote or that name him."""
        with db.as_owner(self.database.config) as engine, engine.begin() as conn:
            erasure.erase(conn, person, "games", UUID(int=9))

    def bearer(self, game_id: UUID, viewer: Viewer) -> Bearer:
        """Return somebody who may ask everything that this viewer may."""
        if not isinstance(viewer, int):
            return self.somebody("games:read", "audit", "export")
        scopes = ("games:read", "games:write", "audit", "export")
        return self.somebody(*scopes, game=game_id, seat=viewer)

    def somebody(self, *scopes: Any, **bound: Any) -> Bearer:
        """Return whoever has a token with these scopes."""
        given = passes.made(self.database, *scopes, **bound)
        self.names.add(given.token_id)
        return Bearer(self.app.test_client(), given)

    def dispute(self, table: Table, acts: Sequence[dict[str, Any]], opening: Any) -> str:
        """Open a dispute as an arbiter, go on as far as it goes, and return its id."""
        answer = post(self.arbiter, f"/v1/games/{table.game}/disputes", opening)
        assert answer.status_code == 201, answer.text
        found: str = answer.json["dispute"]["dispute_id"]
        self.names.add(found)
        for version, act in enumerate(acts, 1):
            body = {"act": act, "expected_version": version}
            answer = post(self.arbiter, f"/v1/disputes/{found}/events", body)
            assert answer.status_code == 201, answer.text
        return found

    def figures(self) -> list[str]:
        """Return what a monitor is told, without what is measured by a clock or is the process's own."""
        lines = metrics_of(self.app).text().decode().splitlines()
        return [line for line in lines if not OF_THE_CLOCK.search(line)]

    def close(self) -> None:
        end(self.app)


OF_THE_CLOCK = re.compile(r"_seconds|_created|^#|^process_")


class Figures(Counter[str]):
    """How much was asked and compared; printed at the end of a run that shows what is printed."""


class Pair(msgspec.Struct, frozen=True):
    """Two stores and what was asked of them."""

    stores: tuple[Store, Store]
    figures: Figures


SENT: list[str] = []
"""Statements that the thread of the tests has sent to the database, whoever sends them."""


@pytest.fixture(scope="module")
def pair(cluster: Cluster) -> Iterator[Pair]:
    execute, here = Cursor.execute, threading.current_thread()

    def spy(self: Any, query: Any, *args: Any, **more: Any) -> Any:
        if threading.current_thread() is here:
            SENT.append(str(query))
        return execute(self, query, *args, **more)

    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        both = [Store(stack.enter_context(cluster.fresh())) for _ in range(2)]
        patch.setattr(Cursor, "execute", spy)
        found = Pair((both[0], both[1]), Figures())
        yield found
        print(f"\ntwins: {dict(found.figures)}")
        for one in both:
            one.close()


class Person(msgspec.Struct):
    """Somebody who asks one of the two."""

    store: Store
    bearer: Bearer
    dispute: str
    answer: Any = None
    """What he was answered last."""

    def ask(self, ask: Ask, headers: Mapping[str, str] | None = None) -> Seen:
        """Ask, and return all there is to see, the server's log and what it asked of the database too."""
        method, path, body = ask
        data = None if body is None else msgspec.json.encode(body)
        sent = dict(headers or {})
        if sent.get("If-None-Match") == "OWN":
            sent["If-None-Match"] = self.answer.headers.get("ETag", "none")
        SENT.clear()
        with capture_logs() as lines:
            self.answer = self.bearer.open(
                path.replace("DISPUTE", self.dispute),
                method=method,
                data=data,
                headers=sent,
                content_type="application/json" if data else None,
            )
            self.answer.get_data()  # to its end, if it is streamed
            self.answer.close()
        if self.answer.status_code == 201 and path.endswith("/disputes"):
            self.store.names.add(self.answer.json["dispute"]["dispute_id"])
        assert self.answer.status_code < 500, ask
        return Seen.of(self.answer, self.store.names, lines, SENT)

    def next(self) -> str | None:
        """Return the cursor with which the last answer goes on."""
        if self.answer.mimetype != "application/json" or not isinstance(self.answer.json, dict):
            return None
        found = self.answer.json.get("next")
        return found if isinstance(found, str) else None

    def follow(self, path: str, messages: int, headers: Mapping[str, str]) -> list[bytes]:
        """Return a stream's pieces as they were sent, and some heartbeats."""
        answer = self.bearer.get(path, headers=headers)
        pieces = iter(answer.response)
        found = [*islice(pieces, 1 + messages)]  # the first says when to come back
        with pytest.MonkeyPatch.context() as patch:
            for name in ("HEARTBEAT", "LOOK"):
                patch.setattr(streams, name, 0.01)
            found += islice(pieces, 3)
        answer.close()
        return [masked(one, self.store.names) for one in found]


class Twins:
    """A game and its twin, each in a store, and somebody who asks after both; fails if he can tell them apart."""

    def __init__(
        self,
        pair: Pair,
        logs: Sequence[Sequence[Any]],
        viewer: Viewer,
        rng: random.Random,
        texts: Sequence[Text] = (),
    ) -> None:
        self.pair, self.viewer = pair, viewer
        self.game_id = UUID(int=next(NUMBERS))
        self.rng = rng
        seen = seen_by(logs[0][0].game, logs[0], viewer)
        self.table = Table(str(self.game_id), viewer, seen, self.rng)
        for one, log in zip(pair.stores, logs, strict=True):
            one.keep(self.game_id, log, texts)
        opening, acts = claim(self.table), argued(self.table)
        self.table = msgspec.structs.replace(self.table, disputed=1 + len(acts))
        self.people = [
            Person(one, one.bearer(self.game_id, viewer), one.dispute(self.table, acts, opening))
            for one in pair.stores
        ]
        pair.figures["games"] += 2

    def check(self) -> None:
        """Ask everything."""
        for endpoint, asks in ADDRESSES.items():
            for ask in asks(self.table):
                self.compare(endpoint, ask)
        for endpoint, ask in tries(self.pair.stores[0].app, self.table):
            self.compare(endpoint, ask)
        self.stream()
        mine, others = (one.figures() for one in self.pair.stores)
        assert mine == others, set(mine) ^ set(others)

    def compare(self, endpoint: str, ask: Ask) -> None:
        """Ask both, now and then once more with a header or for the head alone, and whatever the cursor leads to."""
        self._compare(endpoint, ask)
        cursors = [one.next() for one in self.people]
        if self.rng.random() < 0.3:
            self._compare(endpoint, ask, self.rng.choice(HEADERS))
        if ask[0] == "GET" and self.rng.random() < 0.1:
            self._compare(endpoint, ("HEAD", *ask[1:]))
        if cursors[0] and cursors[1] and "cursor=" not in ask[1]:
            mark = "&" if "?" in ask[1] else "?"
            paths = [f"{ask[1]}{mark}cursor={cursor}" for cursor in cursors]
            self._compare_each(endpoint, [("GET", path, None) for path in paths], None)

    def _compare(self, endpoint: str, ask: Ask, headers: Mapping[str, str] | None = None) -> None:
        self._compare_each(endpoint, [ask, ask], headers)

    def _compare_each(
        self, endpoint: str, asks: Sequence[Ask], headers: Mapping[str, str] | None
    ) -> None:
        mine, others = (one.ask(ask, headers) for one, ask in zip(self.people, asks, strict=True))
        different = mine.differs(others)
        assert different is None, (
            f"{endpoint} {asks[0]} {headers} for {self.viewer} of {self.game_id}: {different}"
        )
        self.pair.figures["asked"] += 2
        self.pair.figures["bytes"] += 2 * mine.size
        self.pair.figures[f"status {mine.status // 100}xx"] += 2

    def stream(self) -> None:
        """Follow both, from the beginning or from where somebody was."""
        version = self.table.version
        query, headers, after = self.rng.choice(
            [
                ("", {}, 0),
                ("?viewer=all", {}, 0),
                ("?viewer=1", {}, 0),
                ("?after=3", {}, 3),
                ("?after=2", {"Last-Event-ID": str(version - 1)}, version - 1),
            ]
        )
        path = f"/v1/games/{self.game_id}/stream{query}"
        mine, others = (one.follow(path, version - after, headers) for one in self.people)
        assert mine == others, f"stream {query} for {self.viewer} of {self.game_id}"
        self.pair.figures["messages"] += 2 * len(mine)
        self.pair.figures["bytes"] += 2 * sum(map(len, mine))

    def goes_on(self, acts: Sequence[Any]) -> None:
        """Have each store's recorder write down the next act while somebody follows; compare what both are told."""
        version = self.table.version
        path = f"/v1/games/{self.game_id}"
        followers = [one.bearer.get(f"{path}/stream?after={version - 1}") for one in self.people]
        streams_ = [iter(one.response) for one in followers]
        pieces = [[*islice(one, 2)] for one in streams_]
        recorders = [Person(one, one.somebody("games:write"), "") for one in self.pair.stores]
        answers = [
            one.ask(("POST", f"{path}/events", {"events": [act], "expected_version": version}))
            for one, act in zip(recorders, acts, strict=True)
        ]
        assert answers[0].status == 201, answers[0].whole
        different = answers[0].differs(answers[1])
        assert different is None, different
        more = answers[0].whole.count(b'"event":')
        for stream, found in zip(streams_, pieces, strict=True):
            found += islice(stream, more)
        mine, others = (
            [masked(piece, one.names) for piece in found]
            for one, found in zip(self.pair.stores, pieces, strict=True)
        )
        assert mine == others
        assert len(mine) == 2 + more > 2
        for one in followers:
            one.close()


@contextmanager
def told(chance: str) -> Iterator[None]:
    """Add to whatever fails by which chance the game was made."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"a game by chance of {chance!r}")
        raise
