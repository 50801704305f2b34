"""Two games that differ only in cards which a viewer may not see are answered alike, byte for byte, everywhere.

Every address of the application has to be here: a new one that is not makes a test fail.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count, islice
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import Engine

from api import create_app
from api.viewing import Eyes
from events import recorder, store
from events.cards import FIRST_PACK
from events.codec import encode
from events.common import DealEnded, Retracted
from events.game import fold
from events.games import GAMES
from events.rummy500.ruleset import SEED
from projections import catalogue, findings, standings, tables
from projections.frames import frames_seen
from projections.model import Sealed
from projections.schema import READING
from projections.sealer import Sealer
from projections.sessions import connect
from projections.viewer import Viewer
from projections.views import seen_by
from projections.whereabouts import stays
from tests import simulate
from tests.api import passes
from tests.api.apps import end
from tests.api.passes import Bearer
from tests.api.twins import Seen, cards_in, masked, twin_of
from tests.events.lanterloo import table as loo
from tests.postgres import Cluster, Database
from tests.profiles import examples

pytestmark = [pytest.mark.store, pytest.mark.http]

SEATS = 3
Ask = tuple[str, str, Any]
"""A method, an address and a body."""


class Store:
    """One of two stores, in which a game is one twin."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.app: Flask = create_app(database.config)
        self.engine: Engine = self.app.extensions["lanterlog"].engine
        self.tokens: dict[str, str] = {}

    def keep(self, game_id: UUID, log: list[Any]) -> None:
        """Store a log as it is, and bring the read models up to it."""
        opened = log[0]
        bodies = [encode(event) for event in log]
        with self.engine.begin() as conn:
            store.ensure_people(conn, dict.fromkeys(map(UUID, opened.seats), "Ann"))
            store.open_game(conn, game_id, opened.game, opened.mode)
            store.append(conn, game_id, 0, uuid4(), bytes(32), UUID(int=9), bodies)
            log_ = recorder.load(conn, game_id)
        head = {name: getattr(log_.head, name) for name in log_.head.__struct_fields__}
        sealed = Sealed(**head, first_at=log_.stored[0].recorded_at)
        session = connect(self.database.worker_url, "a test")
        try:
            assert Sealer(session).round() is not None
            for model in (catalogue, standings, findings):
                rows = model.rows(GAMES[opened.game], sealed, log_.events)
                tables.replace(session, model, [game_id], [dict(rows)], READING)
        finally:
            session.close()

    def bearer(self, game_id: UUID, viewer: Viewer) -> Bearer:
        """Return somebody who may ask everything that this viewer may."""
        seat = viewer if isinstance(viewer, int) else None
        scopes = ("games:read", "games:write", "audit", "export")
        given = passes.made(
            self.database,
            *(scopes if seat is not None else ("games:read", "audit", "export")),
            game=game_id if seat is not None else None,
            seat=seat,
        )
        self.tokens = {str(given.token_id): "", given.secret: ""}
        return Bearer(self.app.test_client(), given)

    def close(self) -> None:
        end(self.app)


@pytest.fixture(scope="module")
def stores(cluster: Cluster) -> Iterator[tuple[Store, Store]]:
    with ExitStack() as stack:
        pair = [Store(stack.enter_context(cluster.fresh())) for _ in range(2)]
        yield pair[0], pair[1]
        for one in pair:
            one.close()


class Table(msgspec.Struct, frozen=True):
    """What is known of a stored game by whoever asks: its log as the viewer sees it."""

    game: str
    viewer: Viewer
    seen: list[Any]
    rng: random.Random

    @property
    def version(self) -> int:
        return len(self.seen)


Asks = Callable[[Table], list[Ask]]


def gets(*rests: str, base: str = "/v1") -> Asks:
    """Ask for these, of which `GAME`, `AT` and `BEFORE` are filled in."""

    def asks(table: Table) -> list[Ask]:
        filled = [
            rest.replace("AT", str(table.version)).replace(
                "BEFORE", str(table.rng.randint(1, table.version))
            )
            for rest in rests
        ]
        return [("GET", f"{base}{rest}".replace("GAME", table.game), None) for rest in filled]

    return asks


def cards(table: Table) -> list[Ask]:
    chosen = table.rng.sample(FIRST_PACK, 8)
    return [("GET", f"/v1/games/{table.game}/cards/{card}", None) for card in chosen]


def audits(table: Table) -> list[Ask]:
    asked: list[Any] = [
        {},
        {"viewer": "all", "calls": True},
        {"viewer": 1, "deal": 1},
        {"engine": "recorded"},
        {"beside": "seed"},
        {"deal": 99},
    ]
    return [("POST", f"/v1/games/{table.game}/audits", one) for one in asked]


def acts(table: Table) -> list[Ask]:
    """Acts of the viewer's own seat, possible and not; all are only tried, so that nothing changes."""
    tried = (*possible(table), *made_up(table))
    path, before = f"/v1/games/{table.game}/events", table.version - 1
    asked: list[Ask] = [
        ("POST", path + query, {"events": [one], "expected_version": table.version})
        for one in tried
        for query in ("?dry_run=1", "?dry_run=1&viewer=all")
    ]
    return [*asked, ("POST", path, {"events": [tried[-1]], "expected_version": before})]


def possible(table: Table) -> Iterator[Any]:
    """Acts that the rules allow, as far as the viewer sees."""
    opened = table.seen[0]
    rules = GAMES[opened.game]
    if isinstance(table.viewer, int):
        state = fold(rules, table.seen)
        found = list(islice(rules.legal(state, table.viewer), 200))
        for act in table.rng.sample(found, min(4, len(found))):
            yield msgspec.json.decode(encode(act))


def made_up(table: Table) -> list[Any]:
    own = {"v": 1, "seat": table.viewer if isinstance(table.viewer, int) else 0}
    some = table.rng.sample(FIRST_PACK, 7)
    call = {"accepted": True, "code": None, "lay": None}
    if table.seen[0].game == "rummy500":
        return [
            *({"t": "discarded", **own, "card": card} for card in some[:3]),
            {"t": "stock_drawn", **own, "card": "??"},
            {"t": "draw_declined", **own},
            {"t": "meld_laid", **own, "meld": 1, "kind": "group", "cards": ["7S", "7H", "7D"]},
            {"t": "rummy_called", **own, "card": some[3], "cards": [some[3]], **call},
        ]
    return [
        *({"t": "card_played", **own, "card": card, "civil": False} for card in some[:3]),
        *({"t": "bid", **own, "choice": said, "cards": []} for said in ("stand", "pass", "defend")),
        {"t": "bid", **own, "choice": "miss", "cards": ["??"] * 3},
        {"t": "flush_claimed", **own, "cards": []},
        {"t": "exchanged", **own, "put_out": some[:1], "drawn": ["??"]},
        {"t": "exchanged", **own, "put_out": [], "drawn": []},
    ]


VIEWS = ("", "?viewer=public", "?viewer=all", "?viewer=1")
ADDRESSES: dict[str, Asks] = {
    "viewer.lists.standings_page": gets("/standings", "/standings?by=points", base=""),
    "viewer.lists.findings_page": gets("/findings", "/findings?lang=ja", base=""),
    "viewer.chances.chances_page": gets(
        "/chances?game_id=GAME", f"/chances?game_id=GAME&lang=ja&dealer={UUID(int=1)}", base=""
    ),
    "viewer.lists.list_page": gets("/", "/?lang=ja", "/?q=Ann", base=""),
    "viewer.replay_page": gets(
        *("/games/GAME", "/games/GAME?seat=0&lang=ja", "/games/GAME?at=BEFORE&free=1"),
        *(
            "/games/GAME?act=A+discard+7H",
            "/games/GAME?seat=2&act=B+play+JC",
            "/games/GAME?at=9999",
        ),
        base="",
    ),
    "reporting.report_page": gets(
        *("/games/GAME/report", "/games/GAME/report?seat=0&lang=ja"),
        *("/games/GAME/report?seat=2&ruleset=seed", "/games/GAME/report?deal=1"),
        base="",
    ),
    "viewer.acts": gets("/games/GAME/acts", "/games/GAME/acts?at=BEFORE&act=A+pass", base=""),
    "viewer.sought_card": gets("/games/GAME/sought", "/games/GAME/sought?card=KS", base=""),
    "viewer.steps": gets(
        "/games/GAME/steps?first=1&last=AT&lines=1",
        "/games/GAME/steps?first=AT&last=AT&seat=0",
        base="",
    ),
    "lists.list_findings": gets("/findings?game_id=GAME", "/findings?limit=100"),
    "lists.list_standings": gets("/standings", "/standings?by=points"),
    "lists.list_deals": gets("/games/GAME/deals"),
    "chances.show_chances": gets(
        *("/chances?game_id=GAME", "/chances?game_id=GAME&edge=0.3&bias=2"),
        f"/chances?players={UUID(int=1)},{UUID(int=2)}&dealer={UUID(int=1)}",
    ),
    "games.list_games": gets(
        "/games?limit=100", "/games?findings=true&limit=100", "/games?findings=false"
    ),
    "games.show_game": gets("/games/GAME"),
    "games.record_events": acts,
    "audits.audit_game": audits,
    "moments.show_card": cards,
    "moments.list_frames": gets(
        *(f"/games/GAME/frames{v}" for v in VIEWS), "/games/GAME/frames?from=BEFORE&to=AT"
    ),
    "replays.list_events": gets(
        *(f"/games/GAME/events{v}" for v in VIEWS), "/games/GAME/events?after=3&limit=9"
    ),
    "replays.show_state": gets(
        *(f"/games/GAME/state{v}" for v in VIEWS),
        *(["/games/GAME/state?at=BEFORE&viewer=all"] * 4),
        "/games/GAME/state?at=99999",
    ),
    "replays.show_timeline": gets(*(f"/games/GAME/timeline{v}" for v in VIEWS)),
    "legal.show_legal": gets(
        *(f"/games/GAME/legal{v}" for v in VIEWS),
        *(f"/games/GAME/legal?seat={seat}&at=BEFORE" for seat in range(SEATS)),
    ),
    "reports.show_report": gets(
        *(f"/games/GAME/report{v}" for v in VIEWS),
        *("/games/GAME/report?deal=1&ruleset=seed", "/games/GAME/report?from=BEFORE&to=AT"),
    ),
    "exports.export_ndjson": gets(*(f"/games/GAME/export.ndjson{v}" for v in VIEWS)),
    "exports.export_text": gets(*(f"/games/GAME/export.txt{v}" for v in VIEWS)),
    "exports.export_html": gets(
        "/games/GAME/export.html", "/games/GAME/export.html?lang=ja&viewer=all"
    ),
    "exports.export_csv": gets(
        *(f"/games/GAME/export.csv?table={t}" for t in ("events", "scores", "deals")),
        "/games/GAME/export.csv",
    ),
    "exports.export_all": gets(
        *(f"/export?game=GAME&format={f}" for f in ("ndjson", "csv", "txt")),
        *("/export?game=GAME&viewer=all", "/export?game=GAME&format=csv&table=deals"),
    ),
    "disputes.list_of_game": gets("/games/GAME/disputes"),
    "disputes.list_disputes": gets("/disputes", "/disputes?limit=100"),
    "disputes.show_dispute": gets("/disputes/00000000-0000-7000-8000-000000000000"),
    "session.show_session": gets("/session", base=""),
}
STREAMED = {"streams.follow"}
"""Asked by `streamed`: they do not end."""
TELL_NOTHING = {
    # Of no game, and not asked who asks.
    "viewer.about_page",
    "viewer.asset",
    "reference.show_openapi",
    "reference.docs_page",
    "service.healthz",
    "service.readyz",
    "service.list_problems",
    # Counts of requests and refusals over all games, for who has the scope.
    "service.show_metrics",
    # They take in what the asker brings, and answer with that alone; nobody with a seat may ask the first three.
    "viewer.lists.import_page",
    "exports.import_file",
    "games.open_game",
    "disputes.open_dispute",
    "disputes.go_on",
    "session.open_session",
    "session.close_session",
    "signing.sign_in",
    "signing.sign_in_page",
    "signing.sign_out",
}


def test_every_address_is_here(stores: tuple[Store, Store]):
    app = stores[0].app
    there = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert there == set(ADDRESSES) | STREAMED | TELL_NOTHING


def streamed(who: Bearer, game: str, count: int, ids: list[str]) -> list[bytes]:
    from tests.api.test_streams import Follower

    follower = Follower(who, f"/v1/games/{game}/stream?viewer=all")
    messages = [masked(follower.message()["data"].encode(), ids) for _ in range(count)]
    follower.close()
    return messages


def asked(who: Bearer, ids: list[str], ask: Ask) -> Seen:
    method, path, body = ask
    data = None if body is None else msgspec.json.encode(body)
    answer = who.open(
        path, method=method, data=data, content_type="application/json" if data else None
    )
    found = Seen.of(answer, ids)
    answer.close()
    assert found.status < 500, ask
    return found


NUMBERS = count(1)


def check_alike(stores: tuple[Store, Store], log: list[Any], viewer: Viewer, seed: int) -> None:
    """Store a log and a twin of it, ask both everywhere, and compare."""
    twin = twin_of(log[0].game, log, viewer, random.Random(seed))
    game_id = UUID(int=next(NUMBERS))
    people = []
    for one, events in zip(stores, (log, twin), strict=True):
        one.keep(game_id, events)
        people.append((one.bearer(game_id, viewer), list(one.tokens)))
    game = str(game_id)
    table = Table(game, viewer, seen_by(log[0].game, log, viewer), random.Random(seed))
    for endpoint, asks in ADDRESSES.items():
        for ask in asks(table):
            mine, others = (asked(who, ids, ask) for who, ids in people)
            different = mine.differs(others)
            assert different is None, f"{endpoint} {ask} for {viewer}: {different}"
    mine_, others_ = (streamed(who, game, len(log), ids) for who, ids in people)
    assert mine_ == others_


KINDS: dict[str, Callable[[int], list[Any]]] = {
    "rummy500": lambda seed: list(simulate.play(seed, SEATS, deals=2)),
    "two packs": lambda seed: list(simulate.play(seed, SEATS, replace(SEED, packs=2))),
    "loo3": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("loo3"), deals=3)),
    "loo5": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("loo5"), deals=3)),
    "irish": lambda seed: list(loo.play(seed, SEATS, loo.ruleset("irish"), deals=3)),
}
VIEWERS: list[Viewer] = ["public", *range(SEATS)]


def as_recorded(log: list[Any], rng: random.Random) -> list[Any]:
    """Return the log as somebody wrote it down who, now and then, went back."""
    found = [replace(log[0], mode="recorded"), *log[1:]]
    if rng.random() < 0.5 and len(found) > 12:
        found.append(
            Retracted(back_to=rng.randint(len(found) - 8, len(found) - 1), reason="MISTAKE")
        )
    return found


@pytest.mark.parametrize("kind", KINDS)
@examples(2, shrink=False)
@given(
    seed=st.integers(0, 10_000),
    where=st.floats(0, 1),
    viewer=st.sampled_from(VIEWERS),
    recorded=st.booleans(),
)
def test_twins_are_answered_alike(
    stores: tuple[Store, Store], kind: str, seed: int, where: float, viewer: Viewer, recorded: bool
):
    log = KINDS[kind](seed)
    log = log[: 6 + int(where * (len(log) - 6))]
    if recorded:
        log = as_recorded(log, random.Random(seed))
    check_alike(stores, log, viewer, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_twins_are_answered_alike_at_every_version(stores: tuple[Store, Store], kind: str):
    log = KINDS[kind](11)
    for version in range(6, len(log) + 1):
        check_alike(stores, log[:version], VIEWERS[version % len(VIEWERS)], version)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_viewer_sees_is_the_same_at_every_version(kind: str):
    """Without a server, so that every version of a whole game can be looked at in a moment."""
    log = KINDS[kind](7)
    rules, rng = GAMES[log[0].game], random.Random(7)
    for version in range(4, len(log) + 1):
        viewer = VIEWERS[version % len(VIEWERS)]
        twin = twin_of(log[0].game, log[:version], viewer, rng)
        mine, others = (views(rules, events, viewer, version) for events in (log[:version], twin))
        assert mine == others, (version, viewer)


def views(rules: Any, log: list[Any], viewer: Viewer, version: int) -> list[bytes]:
    """Return what is computed from whole states, and so could tell: a state, a frame, where cards were."""
    eyes = Eyes.of(rules.name, log, None, viewer)
    made: list[Any] = [
        eyes.state(log, version),
        list(frames_seen(rules, log, eyes.at, version)),
        stays(rules, log, FIRST_PACK[::5], eyes.at) if version % 9 == 0 else [],
    ]
    return [msgspec.json.encode(one) for one in made]


CANARY = "QS"


@pytest.mark.parametrize("kind", ["rummy500", "loo5", "loo3"])
def test_a_card_that_nobody_has_seen_is_in_no_answer_and_no_log(
    stores: tuple[Store, Store], kind: str, capfd: pytest.CaptureFixture[str]
):
    """A queen of spades lies where the viewer cannot see her; nothing that he is answered, or that is logged, names her."""
    log = next(found for seed in count() for found in [with_canary(kind, seed)] if found)
    game_id = UUID(int=next(NUMBERS))
    here = stores[0]
    here.keep(game_id, log)
    for viewer in ("public", 1):
        who, ids = here.bearer(game_id, viewer), list(here.tokens)
        seen = seen_by(log[0].game, log, viewer)
        table = Table(str(game_id), viewer, seen, random.Random(3))
        for endpoint, asks in ADDRESSES.items():
            for ask in asks(table):
                if CANARY not in f"{ask}" and endpoint not in ELSEWHERE:
                    assert not names_her(asked(who, ids, ask).whole), (endpoint, ask)
        told = b"".join(streamed(who, str(game_id), len(log), ids))
        assert not names_her(told)
    captured = capfd.readouterr()
    assert not names_her((captured.out + captured.err).encode())


ELSEWHERE = {
    "viewer.lists.list_page",
    "viewer.lists.standings_page",
    "viewer.lists.findings_page",
    "games.list_games",
    "lists.list_findings",
    "lists.list_standings",
}
"""Lists also tell of the other games in the store."""


def names_her(body: bytes) -> bool:
    words = (
        rb"(?<![A-Za-z0-9])QS(?![A-Za-z0-9])",
        b"queen of spades",
        "スペードのQ".encode(),
        "Q♠".encode(),
        b'Q<span class="ink S">',
    )
    return any(re.search(word, body, re.IGNORECASE) for word in words)


def with_canary(kind: str, seed: int) -> list[Any] | None:
    """Return a game that is cut off in its first deal, with the queen where neither the public nor seat 1 sees her."""
    whole = KINDS[kind](seed)
    end = next(at for at, event in enumerate(whole) if isinstance(event, DealEnded))
    log = whole[: end * 2 // 3]
    seen = [cards_in(seen_by(log[0].game, log, viewer)) for viewer in ("public", 1)]
    return None if any(CANARY in one for one in seen) else log
