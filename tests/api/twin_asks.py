"""What twins are asked: every address of the application, and every act.

Every address of the application has to be here: a new one that is not makes a test fail.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import UUID

import msgspec

from api.tables import TABLES
from events.cards import FIRST_PACK
from events.codec import encode
from events.game import fold
from events.games import GAMES
from tests.api.twin_words import SEATS, Ask, Asks, Table, filled


def gets(*rests: str, base: str = "/v1") -> Asks:
    """Ask for these, filled in."""

    def asks(table: Table) -> list[Ask]:
        return [("GET", filled(f"{base}{rest}", table), None) for rest in rests]

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


def claim(table: Table) -> dict[str, Any]:
    """A dispute about some versions, for a seat."""
    versions = sorted({table.rng.randint(1, table.version) for _ in range(2)})
    demanded = [{"deal": 1, "seat": 1, "points": -5}] if table.is_scored else []
    return {"seat": 0, "versions": versions, "claim": "He laid KS.", "demanded": demanded}


def argued(table: Table) -> list[dict[str, Any]]:
    """What is done in a dispute up to its ruling."""
    at = table.rng.randint(1, table.version)
    points = [{"deal": 1, "seat": 1, "points": -7}] if table.is_scored else []
    facts = [{"version": at, "code": "DEEP_CARD_UNMELDABLE"}]
    ruling = {"decision": "partly", "text": "So be it.", "facts": facts, "adjustments": points}
    acts: list[dict[str, Any]] = [
        {"do": "say", "seat": 1, "text": "Nobody objected."},
        {"do": "link", "seat": 0, "version": at},
        {"do": "link", "game_id": table.game, "version": at, "text": "So it was dealt."},
        {"do": "link", "report": sha256(b"report").hexdigest()},
        {"do": "rule", **ruling, "rules": ["R-6.7"]},
    ]
    return acts[: table.rng.choice([0, 2, 4, 5, 5])]


def disputes(table: Table) -> list[Ask]:
    """Disputes that the viewer opens, about what he sees and what is not there; most cannot be."""
    path, seat = f"/v1/games/{table.game}/disputes", table.viewer if table.is_seat else 1
    asked: list[dict[str, Any]] = [claim(table) | {"seat": seat}, claim(table) | {"seat": 7}]
    asked.append(claim(table) | {"seat": seat, "versions": [table.version + 1]})
    asked.append(claim(table) | {"demanded": [{"deal": 9, "seat": 0, "points": 1}]})
    return [("POST", path, one) for one in asked]


def disputing(table: Table) -> list[Ask]:
    """What the viewer does in a dispute that is there; most of it cannot be."""
    seat, at = table.viewer if table.is_seat else 1, table.rng.randint(1, table.version)
    acts = [
        {"do": "link", "seat": seat, "version": at},
        {"do": "link", "seat": seat, "game_id": table.game},
        {"do": "link", "version": table.version + 9},
        {"do": "say", "seat": seat, "text": "No."},
        {"do": "rule", "decision": "upheld", "text": "Mine."},
        {"do": "appeal", "seat": seat, "text": "More."},
        {"do": "withdraw"},
        {"do": "tag", "tags": ["twins"]},
    ]
    path = "/v1/disputes/DISPUTE/events"
    done = table.disputed
    return [
        ("POST", path, {"act": act, "expected_version": done + shift})
        for act in acts
        for shift in (0, 1)
    ]


def games(table: Table) -> list[Ask]:
    """Games that cannot be opened: the id is taken."""
    asked = {"seats": ["Ann", "Bob", "Cyd"], "game_id": table.game}
    return [("POST", "/v1/games", asked), ("POST", "/v1/games?viewer=1", asked | {"game": "chess"})]


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
        *("/games/GAME?embed=1", "/games/GAME?ruled=1&card=CARD&at=BEFORE"),
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
    "viewer.parts": gets(
        *("/games/GAME/beside", "/games/GAME/beside?seat=0&lang=ja"),
        "/games/GAME/beside?at=BEFORE&free=1",
        base="",
    ),
    "viewer.disputing.dispute_form": gets(
        *("/games/GAME/disputing", "/games/GAME/disputing?at=BEFORE&seat=0&lang=ja"),
        f"/games/GAME/disputing?do=rule&dispute={UUID(int=1)}",
        base="",
    ),
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
    "games.show_game": gets("/games/GAME", "/games/GAME?scores=1"),
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
        *(f"/games/GAME/export.csv?table={t}" for t in (*TABLES, "none")),
        "/games/GAME/export.csv",
    ),
    "exports.export_all": gets(
        *(f"/export?game=GAME&format={f}" for f in ("ndjson", "csv", "txt")),
        *("/export?game=GAME&viewer=all", "/export?game=GAME&format=csv&table=deals"),
        *(f"/export?game=GAME&format=html{more}" for more in ("", "&lang=ja&viewer=all")),
    ),
    "disputes.list_of_game": gets("/games/GAME/disputes"),
    "disputes.list_disputes": gets("/disputes", "/disputes?limit=100"),
    "disputes.show_dispute": gets(
        "/disputes/DISPUTE", "/disputes/00000000-0000-7000-8000-000000000000"
    ),
    "disputes.open_dispute": disputes,
    "disputes.go_on": disputing,
    "games.open_game": games,
    "session.show_session": gets("/session", base=""),
}
TELL_NOTHING = {
    # Of no game, and not asked who asks.
    "viewer.about_page",
    "viewer.asset",
    "reference.show_openapi",
    "reference.docs_page",
    "service.healthz",
    "service.readyz",
    "service.list_problems",
    # Counts of requests and refusals over all games; `Store.figures` compares them.
    "service.show_metrics",
    # They take in what the asker brings, and answer with that alone; nobody with a seat may ask the first two.
    "viewer.lists.import_page",
    "exports.import_file",
    "session.open_session",
    "session.close_session",
    "signing.sign_in",
    "signing.sign_in_page",
    "signing.sign_out",
}
