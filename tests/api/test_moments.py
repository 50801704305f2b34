"""Frames through HTTP lead from state to state, a card is followed over the table, and both tell no more than states."""

import gzip
import random
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api.wire_moments import MOST_FRAMES
from events import recorder
from events.formats import Import
from events.rummy500.ruleset import SEED
from projections.frames import View, applied
from tests import simulate
from tests.api.table import Client, Table, draw
from tests.events.lanterloo import table as loo
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

LONG: list[Any] = simulate.play(3, 3, deals=4)
SESSION: list[Any] = loo.play(2, 4, loo.ruleset("loo5"), deals=2)
PAIRED = replace(SEED, packs=2)


def stored(engine: Engine, events: list[Any], number: int = 1, **head: Any) -> str:
    """Store a game as it is, under an id of its own."""
    game_id = UUID(int=number)
    opened = replace(events[0], mode=head.get("mode", "recorded"))
    with engine.begin() as conn:
        one = Import(game_id, [opened, *events[1:]], {}, {}, 1)
        recorder.import_games(conn, [one], UUID(int=9))
    return f"/v1/games/{game_id}"


@pytest.mark.parametrize("events", [LONG, SESSION], ids=["rummy500", "lanterloo"])
@pytest.mark.parametrize("viewer", ["public", "all", "1"])
def test_frames_lead_to_every_state_a_piece_at_a_time(
    client: Client, engine: Engine, events: list[Any], viewer: str
):
    game = stored(engine, events)
    view: View = {}
    first: int | None = 1
    seen = 0
    while first is not None:
        page = client.get(f"{game}/frames?from={first}&viewer={viewer}").json
        assert len(page["frames"]) <= MOST_FRAMES
        for frame in page["frames"]:
            seen += 1
            assert frame["version"] == seen
            view = applied(view, frame["changed"])
            if seen % 37 == 0 or seen == len(events):
                state = client.get(f"{game}/state?at={seen}&viewer={viewer}").json["state"]
                assert view == state
        first = page["next"]
    assert seen == len(events)


def test_frames_begin_and_end_where_they_are_asked_to(client: Client, engine: Engine):
    game = stored(engine, LONG)
    page = client.get(f"{game}/frames?from=7&to=9").json
    assert [one["version"] for one in page["frames"]] == [7, 8, 9]
    assert (page["from"], page["to"], page["next"]) == (7, 9, None)
    for query, status, code in (
        ("from=9&to=7", 400, "bad_query"),
        ("from=0", 400, "bad_query"),
        (f"from={len(LONG) + 1}", 404, "unknown_version"),
        (f"to={len(LONG) + 1}", 404, "unknown_version"),
    ):
        answer = client.get(f"{game}/frames?{query}")
        assert (answer.status_code, answer.json["code"]) == (status, code), query


def played_deal(client: Client, engine: Engine) -> Table:
    """A refereed deal of cards drawn and thrown away, to its end and into the next."""
    from tests.api.test_hidden import full_state

    table, rng = Table.opened(client), random.Random(5)
    for _ in range(400):
        state = full_state(engine, table)
        if state.deal > 1:
            return table
        act: Any = simulate.next_event(state, rng)
        asked = draw(act.seat) if act.__struct_config__.tag == "stock_drawn" else act
        answer = table.record(asked)
        assert answer.status_code == 201, answer.text
    pytest.fail("the deal does not end")


def test_only_what_is_wholly_open_for_ever_may_be_kept_for_ever(client: Client, engine: Engine):
    table = played_deal(client, engine)
    deal = client.get(table.path("/timeline")).json["timeline"]["deals"][0]
    first = table.get(f"/frames?to={deal['last']}")
    assert first.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Ann" not in first.text
    for rest in (f"/frames?to={table.version}", "/frames", f"/state?at={deal['last']}", "/events"):
        assert table.get(rest).headers["Cache-Control"] == "private, no-cache", rest
    recorded = stored(engine, LONG)
    kept = client.get(f"{recorded}/frames?to=20")
    assert kept.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    ("events", "card"),
    [(LONG, "7H"), (SESSION, "JC"), (simulate.play(4, 3, PAIRED), "7H")],
    ids=["rummy500", "lanterloo", "two packs"],
)
def test_a_card_stays_where_the_states_show_it(
    client: Client, engine: Engine, events: list[Any], card: str
):
    game = stored(engine, events)
    for viewer in ("public", "1", "all"):
        answer = client.get(f"{game}/cards/{card}?viewer={viewer}").json
        assert answer["copies"] == (
            [card, card + "'"] if events[0].seats[2:] and packs(events) else [card]
        )
        for version in range(2, len(events) + 1, 29):
            state = client.get(f"{game}/state?at={version}&viewer={viewer}").json["state"]
            for copy in answer["copies"]:
                stays = [
                    one
                    for one in answer["stays"]
                    if one["card"] == copy and one["first"] <= version <= one["last"]
                ]
                assert places(stays) == where(state, copy), (viewer, version, copy)


def packs(events: list[Any]) -> bool:
    return getattr(events[0].ruleset, "packs", None) == 2


def places(stays: list[dict[str, Any]]) -> list[str]:
    return sorted(one["place"] for one in stays)


def where(state: dict[str, Any], card: str) -> list[str]:
    """The places whose text holds the card; each place of a state is looked at by its own name."""
    rows = {
        "stock": state["stock_cards"] or [],
        "pile": state.get("pile", []),
        "miss": state.get("miss", []),
        "put_out": state.get("put_out", []),
        "hand": [card for hand in state["hands"] for card in hand],
        "aside": [card for hand in state.get("aside", []) for card in hand],
        "trick": [one["card"] for one in state.get("trick", [])],
        "played": [one["card"] for one in state.get("played", [])],
        "turn_up": [state.get("turn_up")],
        "meld": [one["card"] for meld in state.get("melds", []) for one in meld["cards"]],
    }
    return sorted(place for place, cards in rows.items() for one in cards if one == card)


def test_a_card_goes_from_the_stock_to_a_meld(client: Client, engine: Engine):
    game = stored(engine, LONG)
    laid = next(event for event in LONG if event.__struct_config__.tag == "meld_laid")
    card = laid.cards[0][:2]
    stays = client.get(f"{game}/cards/{card}").json["stays"]
    way = [one["place"] for one in stays if one["deal"] == stays[0]["deal"]]
    assert way[0] == "stock"
    assert "meld" in way
    assert next(one for one in stays if one["place"] == "meld")["seat"] == laid.seat


def test_a_hidden_card_has_been_nowhere(table: Table):
    table.record(draw(1))
    shown = table.get("/state").json["state"]["pile"]
    for card in ("AS", "7H", "KD", "TC"):
        stays = table.get(f"/cards/{card}?viewer=all").json["stays"]
        assert {one["place"] for one in stays} <= ({"pile"} if card in shown else set())


@pytest.mark.parametrize("card", ["ZZ", "??", "7h", "%3F%3F", "AS AS", "X5", "%00"])
def test_what_is_no_card_is_not_found(table: Table, card: str):
    answer = table.get(f"/cards/{card}")
    assert answer.status_code == 404
    assert answer.json["code"] in {"unknown_card", "not_found"}


def test_long_answers_come_compressed_to_who_asks(client: Client, engine: Engine):
    game = stored(engine, LONG)
    plain = client.get(f"{game}/timeline")
    packed = client.get(f"{game}/timeline", headers={"Accept-Encoding": "br, gzip"})
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert packed.headers["ETag"] == plain.headers["ETag"]
    again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    spared = client.get(f"{game}/timeline", headers=again)
    assert (spared.status_code, spared.data) == (304, b"")
    # A cache puts these in the place of those that it keeps: it would give the short form to who cannot read it.
    for name in ("Vary", "Cache-Control", "ETag"):
        assert spared.headers[name] == packed.headers[name], name
    none = client.get(f"{game}/timeline", headers={"Accept-Encoding": "gzip;q=0"})
    assert none.data == plain.data
    assert "Content-Encoding" not in client.get("/healthz", headers=again).headers


def test_what_echoes_a_request_is_not_compressed(client: Client, engine: Engine):
    game = stored(engine, LONG).removeprefix("/v1")
    asks = {"Accept-Encoding": "gzip"}
    assert "Content-Encoding" in client.get(f"{game}?at=9", headers=asks).headers
    for address in (f"{game}?act=A+pass", "/?q=Ann", "/v1/games?limit=" + "9" * 3000):
        assert "Content-Encoding" not in client.get(address, headers=asks).headers, address
    assert "Content-Encoding" not in client.post("/v1/games", data=b"{", headers=asks).headers


def test_a_session_is_not_answered_in_short_to_another_page(
    client: Client, database: Database, engine: Engine
):
    from tests.api import passes

    game = stored(engine, LONG)
    given = passes.made(database, "games:read")
    assert client.post("/session", json={"token": given.secret}).status_code == 200
    for site, packed in (
        ("same-origin", True),
        ("none", True),
        ("same-site", False),
        ("cross-site", False),
    ):
        asks = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": site}
        answer = client.get(f"{game}/timeline", headers=asks)
        assert ("Content-Encoding" in answer.headers) == packed, site


def test_two_rulesets_are_audited_side_by_side(client: Client, engine: Engine):
    game = stored(engine, LONG)
    found = client.post(f"{game}/audits", json={"beside": "delboycodes"}).json
    alone = client.post(f"{game}/audits", json={"ruleset": "delboycodes"}).json
    own = client.post(f"{game}/audits", json={}).json
    assert (found["ruleset"], found["findings"]) == (own["ruleset"], own["findings"])
    assert own["beside"] is None
    other = found["beside"]
    for name in ("ruleset", "verdict", "findings", "unchecked"):
        assert other[name] == alone[name]
    differing = {one["version"] for one in (*alone["findings"], *alone["unchecked"])}
    assert differing
    assert other["differing"] == sorted(differing)
    refused = client.post(f"{game}/audits", json={"beside": "house"})
    assert (refused.status_code, refused.json["code"]) == (400, "bad_body")
