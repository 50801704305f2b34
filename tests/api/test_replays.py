"""Replays, exports and audits through HTTP, over logs that no one here wrote."""

import re
from datetime import datetime, timedelta
from hashlib import sha256
from io import BytesIO
from uuid import UUID

import msgspec
import pytest

from api.times import EPOCH
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.formats import ndjson
from tests.api.apps import application
from tests.api.table import DATA, Client, Table, post, send_file

pytestmark = [pytest.mark.store, pytest.mark.http]

CORPUS = DATA / "rummy500-engine-b.ndjson"


@pytest.fixture(scope="module")
def archive(cluster):
    """One archive of sixty deals that all these tests only read."""
    with cluster.fresh() as database, application(database.config) as app:
        client = app.test_client()
        assert send_file(client, CORPUS.read_bytes()).status_code == 201
        yield client


@pytest.fixture(scope="module")
def game(archive: Client) -> Table:
    summary = archive.get("/v1/games?limit=1").json["games"][0]
    return Table(archive, summary["game_id"], summary["version"])


def test_an_ended_game_is_wholly_open(game: Table):
    state = game.get("/state?at=10").json
    assert (state["at"], state["version"], state["viewer"]) == (10, game.version, "all")
    assert not any("??" in hand for hand in state["state"]["hands"])


def test_a_request_narrows_its_view(game: Table):
    state = game.get("/state?at=10&viewer=1").json
    hands = state["state"]["hands"]
    assert state["viewer"] == 1
    assert [set(hand) == {"??"} for hand in hands] == [seat != 1 for seat in range(len(hands))]
    public = game.get("/state?at=10&viewer=public").json["state"]["hands"]
    assert all(set(hand) == {"??"} for hand in public)


def test_pages_of_events_make_the_whole_log(game: Table):
    seen, after = [], 0
    while after is not None:
        page = game.get(f"/events?after={after}&limit=7").json
        seen += page["events"]
        after = page["next_after"]
    assert [one["version"] for one in seen] == list(range(1, game.version + 1))
    assert game.get(f"/events?after={game.version}").json["events"] == []


class Line(msgspec.Struct):
    """One line of `/events`, its event as the very bytes that came."""

    version: int
    recorded_at: str
    recorded_by: UUID
    hash: str
    event: msgspec.Raw
    salt: str | None = None
    inner: str | None = None


class Page(msgspec.Struct):
    events: list[Line]


@pytest.mark.parametrize("viewer", ["", "&viewer=public", "&viewer=0"])
def test_events_prove_their_chain(game: Table, viewer: str):
    page = msgspec.json.decode(game.get(f"/events?limit=1000{viewer}").data, type=Page)
    game_id, previous = UUID(game.game_id), NIL_HEAD
    for line in page.events:
        assert (line.salt is None) != (line.inner is None)
        inner = bytes.fromhex(line.inner or "")
        if line.salt is not None:
            inner = inner_hash(bytes.fromhex(line.salt), bytes(line.event))
        at = _microseconds(line.recorded_at)
        previous = event_hash(game_id, line.version, previous, at, line.recorded_by, inner)
        assert previous.hex() == line.hash
    assert previous.hex() == game.get().json["head"]
    assert any(line.inner for line in page.events) == bool(viewer)


def _microseconds(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def test_events_come_as_lines_too(game: Table):
    answer = game.get("/events?limit=5", Accept="application/x-ndjson")
    assert answer.content_type == "application/x-ndjson"
    assert len(answer.text.splitlines()) == 5
    following = re.fullmatch(r'<(.*)>; rel="next"', answer.headers["Link"])
    assert following is not None
    rest = game.client.get(following[1], headers={"Accept": "application/x-ndjson"})
    assert '"version":6,' in rest.text.splitlines()[0]


def test_the_timeline_has_its_deals(game: Table):
    answer = game.get("/timeline").json
    deal = answer["timeline"]["deals"][0]
    assert (deal["deal"], answer["version"]) == (1, game.version)
    assert deal["scores"] is not None


def test_an_export_is_intact(game: Table):
    answer = game.get("/export.ndjson")
    found = ndjson.verify(BytesIO(answer.data))
    assert (found.ok, found.games, found.events) == (True, 1, game.version)
    assert found.first_bad is None


def test_a_narrowed_export_is_intact_and_holds_back(game: Table):
    answer = game.get("/export.ndjson?viewer=public")
    assert ndjson.verify(BytesIO(answer.data)).ok
    assert b'"t":"withheld"' in answer.data


def test_an_export_as_text_can_be_read(game: Table):
    answer = game.get("/export.txt")
    assert answer.content_type == "text/plain; charset=utf-8"
    again = send_file(game.client, answer.data, "?check=1")
    assert again.status_code == 200, again.text
    assert again.json["events"] == game.version


def test_an_audit_names_rule_and_version(archive: Client):
    found = []
    for summary in archive.get("/v1/games?limit=100").json["games"]:
        report = post(archive, summary["links"]["audits"], {}).json
        assert (report["ruleset"], report["viewer"]) == ("timpalpant", "all")
        found += [(one, summary["version"]) for one in report["findings"]]
    assert found
    for one, last in found:
        assert 1 < one["version"] <= last
        assert one["text"].endswith(f"({one['rule']}).")


def test_another_ruleset_finds_more(game: Table):
    own = post(game.client, game.path("/audits"), b"").json
    seed = post(game.client, game.path("/audits"), {"ruleset": "seed", "deal": 1}).json
    assert (seed["ruleset"], seed["deal"]) == ("seed", 1)
    assert len(seed["findings"]) > len(own["findings"])


def test_an_audit_speaks_the_readers_language(game: Table):
    asked = {"ruleset": "seed", "calls": True}
    english = post(game.client, game.path("/audits"), asked)
    headers = {"Accept-Language": "fr, ja;q=0.8, en;q=0.2"}
    japanese = post(game.client, game.path("/audits"), asked, headers)
    assert (english.headers["Content-Language"], japanese.headers["Content-Language"]) == (
        "en",
        "ja",
    )
    assert "Accept-Language" in japanese.headers["Vary"]
    assert english.json["findings"]
    for one, other in zip(english.json["findings"], japanese.json["findings"], strict=True):
        assert (one["code"], one["params"]) == (other["code"], other["params"])
        assert other["text"].endswith(f"（{one['rule']}）。")
    assert "違反" in japanese.json["verdict"]
    assert "breach" in english.json["verdict"]


def test_an_audit_explains_the_calls_if_it_is_asked_to(archive: Client):
    reports = [
        post(archive, summary["links"]["audits"], {"calls": True}).json
        for summary in archive.get("/v1/games?limit=100").json["games"]
    ]
    made = [one for report in reports for one in report["calls"]["made"]]
    missed = [
        one
        for report in reports
        for window in report["calls"]["windows"]
        for one in window["missed"]
    ]
    assert made
    assert missed
    assert all(one["text"].endswith(f"({one['rule']}).") for one in (*made, *missed))
    first = archive.get("/v1/games?limit=100").json["games"][0]
    assert post(archive, first["links"]["audits"], {}).json["calls"] is None


def test_importing_again_changes_nothing(archive: Client):
    again = send_file(archive, CORPUS.read_bytes())
    assert (again.status_code, again.json["imported"], again.json["events"]) == (200, [], 0)
    assert len(again.json["present"]) == 60


def test_checking_a_file_stores_nothing(client: Client):
    found = send_file(client, CORPUS.read_bytes(), "?check=1")
    assert (found.status_code, found.json["stored"]) == (200, False)
    assert len(found.json["imported"]) == 60
    assert client.get("/v1/games").json["games"] == []


def test_an_archive_moves_whole(archive: Client, game: Table, client: Client):
    lines = game.get("/export.ndjson").data
    assert send_file(client, lines).status_code == 201
    moved = client.get(game.path("/export.ndjson")).data
    assert sha256(moved).digest() == sha256(lines).digest()


def test_an_altered_file_is_refused_at_its_line(game: Table, client: Client):
    lines = game.get("/export.ndjson").data.split(b"\n")
    lines[9] = lines[9].replace(b'"seat":', b'"seat" :', 1)
    answer = send_file(client, b"\n".join(lines))
    assert (answer.status_code, answer.json["code"]) == (422, "altered_log")
    assert (answer.json["line"], answer.json["version"]) == (10, 9)
    assert client.get("/v1/games").json["games"] == []


def test_a_bad_line_stores_nothing_of_the_file(client: Client):
    answer = send_file(client, CORPUS.read_bytes() + b"{}\n")
    assert (answer.status_code, answer.json["code"]) == (422, "bad_file")
    assert answer.json["line"] == len(CORPUS.read_bytes().splitlines()) + 1
    assert client.get("/v1/games").json["games"] == []


def test_what_has_not_changed_is_not_sent_again(game: Table):
    first = game.get("/state?at=10")
    again = game.get("/state?at=10", **{"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = game.get("/state?at=11", **{"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200


def test_answers_stay_out_of_shared_caches(game: Table):
    headers = game.get("/state").headers
    assert headers["Cache-Control"] == "private, no-cache"
    assert "Authorization" in headers["Vary"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_every_link_of_the_front_door_answers(archive: Client):
    page = archive.get("/")
    links = set(re.findall(r'href="([^"]+)"', page.text))
    assert len(links) > 40
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for link in sorted(links - {"#main"})[:40]:
        assert archive.get(link).status_code == 200, link
