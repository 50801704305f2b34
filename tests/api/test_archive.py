"""The archive in stretches of the ledger: nothing twice, nothing lost, nothing hidden, whatever is going on."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, create_engine

from api import archive
from events import recorder, store
from events.formats import ndjson
from events.formats.detect import read_file
from events.formats.ndjson_lines import EventLine, PartLine, WithheldLine, decode_line
from projections.sealer import Sealer
from tests.api.table import Client, Table, discard, draw
from tests.api.test_hidden import cards, full_state
from tests.postgres import Database
from tests.projections.store import session, take_in

pytestmark = [pytest.mark.store, pytest.mark.http]

WHO = UUID(int=7)
Seal = Callable[[], None]
Place = tuple[str, int]
"""A game's id and a version."""


@pytest.fixture
def seal(database: Database) -> Iterator[Seal]:
    """Takes all that was appended into the ledger."""
    with session(database) as own:
        sealer = Sealer(own)

        def run() -> None:
            while (done := sealer.round()) is None or done.rows:
                pass

        yield run


def got(client: Client, query: str = "") -> bytes:
    answer = client.get(f"/v1/export{query}")
    assert answer.status_code == 200, answer.text
    data: bytes = answer.data
    return data


def trailer(data: bytes) -> dict[str, Any]:
    """The last line, which must hold for the bytes before it."""
    *before, last = data.splitlines(keepends=True)
    found: dict[str, Any] = json.loads(last.removeprefix(b"# "))
    assert found["sha256"] == hashlib.sha256(b"".join(before)).hexdigest()
    return found


def places(data: bytes) -> list[Place]:
    """Every event of a file of parts, with its game."""
    game, found = "", []
    for line in map(decode_line, data.splitlines(keepends=True)):
        if isinstance(line, PartLine):
            game = str(line.game_id)
        elif isinstance(line, EventLine | WithheldLine):
            found.append((game, line.version))
    return found


def stored(engine: Engine) -> dict[UUID, list[store.StoredEvent]]:
    with engine.connect() as conn:
        return {head.game_id: events for head, events in store.stream_all(conn)}


def all_places(engine: Engine) -> list[Place]:
    return sorted((str(game), one.version) for game, log in stored(engine).items() for one in log)


def rows(data: bytes) -> list[dict[str, str]]:
    lines = [line for line in data.decode().splitlines(keepends=True) if not line.startswith("#")]
    return list(csv.DictReader(StringIO("".join(lines), newline="")))


def test_all_of_it_holds_and_comes_into_another_store(open_client: Client, engine: Engine, seal: Seal, cluster):  # fmt: skip
    take_in(engine)
    seal()
    data = got(open_client, "?viewer=all")
    assert ndjson.verify(BytesIO(data)).ok
    assert sorted(places(data)) == all_places(engine)
    end = trailer(data)
    assert (end["since"], end["games"]) == (0, end["position"])
    with cluster.fresh() as other:
        beside = create_engine(other.app_url)
        try:
            with beside.begin() as conn:
                recorder.import_games(conn, read_file(BytesIO(data)), WHO)
            assert stored(beside) == stored(engine)
        finally:
            beside.dispose()


def test_a_game_that_has_grown_comes_as_what_is_new(client: Client, engine: Engine, seal: Seal, cluster):  # fmt: skip
    table = Table.recorded(client)
    seal()
    first = got(client)
    table.record(draw(1))
    table.record(discard(1, "AS"))
    seal()
    position = trailer(first)["position"]
    second = got(client, f"?since={position}")
    assert places(second) == [(table.game_id, 6), (table.game_id, 7)]
    assert trailer(second)["since"] == position
    third = got(client, f"?since={trailer(second)['position']}")
    assert (places(third), trailer(third)["games"]) == ([], 0)
    assert sorted(places(got(client))) == sorted(places(first) + places(second))


def test_parts_follow_an_archive_into_another_store(open_client: Client, engine: Engine, seal: Seal, cluster):  # fmt: skip
    table = Table.recorded(open_client)
    with cluster.fresh() as other:
        beside = create_engine(other.app_url)
        try:
            position = 0
            for seat in (1, 0, 1):
                table.record(draw(seat), discard(seat, "AS"))
                seal()
                data = got(open_client, f"?since={position}&viewer=all")
                with beside.begin() as conn:
                    done = recorder.import_games(conn, read_file(BytesIO(data)), WHO)
                assert done.imported if position == 0 else done.continued
                position = trailer(data)["position"]
            assert stored(beside) == stored(engine)
        finally:
            beside.dispose()


def test_a_stream_that_was_cut_off_goes_on_from_its_last_whole_part(client: Client, engine: Engine, seal: Seal):  # fmt: skip
    take_in(engine)
    seal()
    whole = got(client)
    lines = whole.splitlines(keepends=True)
    begins = [at for at, line in enumerate(lines) if line.startswith(b'{"t":"part"')]
    for cut in (begins[1], begins[2] + 3, begins[-1] + 1):
        had = [at for at in begins if at <= cut][:-1]
        last = decode_line(lines[had[-1]])
        assert isinstance(last, PartLine)
        kept = b"".join(lines[: begins[len(had)]])
        rest = got(client, f"?since={last.position}")
        assert places(kept) + places(rest) == places(whole)


@pytest.mark.parametrize("query", ["", "?format=txt", "?format=csv", "?format=csv&table=deals"])
def test_the_order_is_the_ledgers_however_it_is_read(
    client: Client, engine: Engine, seal: Seal, monkeypatch: pytest.MonkeyPatch, query: str
):
    take_in(engine)
    seal()
    whole = got(client, query)
    assert got(client, query) == whole
    monkeypatch.setattr(archive, "PAGE", 3)
    monkeypatch.setattr(archive, "MOST_EVENTS", 50)
    assert got(client, query) == whole
    assert trailer(whole)["position"] > 3


def test_stretches_put_together_are_the_whole(client: Client, engine: Engine, seal: Seal):
    take_in(engine)
    seal()
    last = trailer(got(client))["position"]
    found, events = [], []
    for since in range(0, last, 4):
        stretch = f"?since={since}&until={since + 4}"
        found += places(got(client, stretch))
        events += rows(got(client, f"{stretch}&format=csv"))
    assert found == places(got(client))
    assert events == rows(got(client, "?format=csv"))


def test_tables_say_of_all_games_what_they_say_of_each(client: Client, engine: Engine, seal: Seal):
    ids = take_in(engine)
    seal()
    for table in ("events", "deals", "scores"):
        data = got(client, f"?format=csv&table={table}")
        found = rows(data)
        assert trailer(data)["count"] == len(found)
        for game_id in ids:
            one = rows(client.get(f"/v1/games/{game_id}/export.csv?table={table}").data)
            assert [row for row in found if row["game_id"] == str(game_id)] == one


def test_texts_are_whole_games_and_can_be_read_again(client: Client, engine: Engine, seal: Seal):
    table = Table.recorded(client)
    take_in(engine, "worked-examples.txt")
    seal()
    data = got(client, "?format=txt")
    assert len(list(read_file(BytesIO(data)))) == trailer(data)["count"]
    since = trailer(data)["position"]
    table.record(draw(1))
    table.record(draw(1))
    seal()
    grown = got(client, f"?format=txt&since={since}")
    assert trailer(grown)["count"] == 1
    assert f"# game {table.game_id}, position {since + 1}".encode() in grown
    [game] = read_file(BytesIO(grown))
    assert len(game.events) == 7


def test_of_a_deal_in_play_only_inner_hashes_leave(client: Client, engine: Engine, seal: Seal):
    table = Table.opened(client)
    table.record(draw(1))
    seal()
    shown = set(full_state(engine, table).pile)
    for query in ("", "?viewer=all", "?format=csv", "?format=csv&table=deals", "?format=txt"):
        assert cards(got(client, query).decode()) <= shown, query
    data = got(client, "?viewer=all")
    assert data.count(b'"t":"withheld"') == 4
    assert ndjson.verify(BytesIO(data)).ok


def test_a_game_is_given_only_to_whom_a_list_shows_it(
    client: Client, open_client: Client, seal: Seal
):
    shown = Table.opened(client)
    unlisted = Table.opened(client, visibility="unlisted")
    private = Table.opened(open_client, visibility="private")
    seal()
    for query in ("", f"?game={unlisted.game_id}", f"?game={private.game_id}"):
        text = got(client, query).decode()
        assert unlisted.game_id not in text
        assert private.game_id not in text
    assert {game for game, _ in places(got(client))} == {shown.game_id}
    everything = {game for game, _ in places(got(open_client))}
    assert everything == {one.game_id for one in (shown, unlisted, private)}


def test_one_game_or_the_games_of_some_rules_can_be_asked_for(client: Client, engine: Engine, seal: Seal):  # fmt: skip
    ids = [str(one) for one in take_in(engine)]
    seal()
    by_rules = [{game for game, _ in places(got(client, f"?game={name}"))} for name in ("rummy500", "lanterloo")]  # fmt: skip
    assert sorted(by_rules[0] | by_rules[1]) == sorted(ids)
    assert len(by_rules[1]) == 1
    assert {game for game, _ in places(got(client, f"?game={ids[0]}"))} == {ids[0]}
    assert places(got(client, f"?game={uuid4()}")) == []


@pytest.mark.parametrize(
    "query",
    ["format=xml", "format=", "lang=ja", "format=csv&lang=ja", "format=html&lang=de", "format=html&table=deals", "since=-1", "since=9&until=3", "game=whist", "table=deals", "until=x",
     "format=csv&table=findings", "since=99999999999999999999", "viewer=9"],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(client: Client, query: str):
    answer = client.get(f"/v1/export?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_query")


@pytest.mark.parametrize(
    ("query", "name"),
    [("", "ndjson"), ("&format=txt", "txt"), ("&format=html", "html"), ("&format=csv", "events.csv"),
     ("&format=csv&table=deals", "deals.csv")],
)  # fmt: skip
def test_each_file_has_a_name_of_its_own(client: Client, seal: Seal, query: str, name: str):
    Table.opened(client)
    seal()
    whole, head = (ask(f"/v1/export?until=1{query}") for ask in (client.get, client.head))
    for answer in (whole, head):
        assert answer.status_code == 200
        named = f'inline; filename="lanterlog-0-1.{name}"'
        assert answer.headers["Content-Disposition"] == named
    assert (whole.data == b"", head.data) == (False, b"")


def test_a_stretch_that_is_not_there_yet_is_empty(client: Client):
    data = got(client, "?since=7&until=9")
    assert trailer(data) | {"sha256": ""} == {
        "t": "end", "games": 0, "events": 0, "sha256": "", "since": 7, "position": 7,
    }  # fmt: skip
