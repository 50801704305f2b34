"""The archive through the client: whole over lines that are cut, and never taken for whole when it is not."""

import csv
import random
import re
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from flask import Flask

from api.client import Client
from api.client_answers import Bounds
from api.client_errors import BadAnswer, ClientError, CutOff, NotAllowed, Unreachable
from api.client_wire import Retries
from events.formats import ndjson
from events.formats.ndjson_lines import EndLine, EventLine, WithheldLine, decode_line
from projections.sealer import Sealer
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.disputing import CLAIM, GAME, SAMPLE
from tests.postgres import Database
from tests.projections.store import session

pytestmark = [pytest.mark.store, pytest.mark.http]

BASE = "http://127.0.0.1"
QUICK = Retries(attempts=4, first=0.0, longest=0.0)
Alter = Callable[[bytes], bytes]


class Body(httpx.SyncByteStream):
    def __init__(self, pieces: list[bytes], is_cut: bool) -> None:
        self._pieces, self._is_cut = pieces, is_cut

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._is_cut:
            raise httpx.ReadError("cut")


class Bad(httpx.BaseTransport):
    """Carries requests to the application; cuts answers of exports after a number of bytes, or alters them."""

    def __init__(self, app: Flask) -> None:
        self._through = httpx.WSGITransport(app=app)
        self.cuts: Iterator[int] = iter(())
        self.alter: Alter = bytes
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._through.handle_request(request)
        if "export" not in request.url.path or answer.status_code != 200:
            return answer
        self.asked.append(request.url.params.get("since", ""))
        with_all = self.alter(b"".join(cast("httpx.SyncByteStream", answer.stream)))
        cut = next(self.cuts, len(with_all))
        body, is_cut = with_all[:cut], cut < len(with_all)
        pieces = [body[at : at + 1000] for at in range(0, len(body), 1000)]
        return httpx.Response(200, headers=answer.headers, stream=Body(pieces, is_cut))


@pytest.fixture
def bad(make_app: MakeApp) -> Bad:
    return Bad(make_app(open_table=True))


@pytest.fixture
def client(bad: Bad, database: Database) -> Iterator[Client]:
    """A client of an archive of three games, one of them with a dispute, all of it in the ledger."""
    with Client(BASE, transport=bad, retries=QUICK) as made:
        made.import_file(SAMPLE)
        game = made.open_game(["Ann", "Bob"], first_dealer=0)
        made.record(
            game.game_id, [{"t": "stock_drawn", "v": 1, "seat": 1, "card": "??"}], game.version
        )
        found = next(one for one in made.games() if str(one.game_id) == GAME)
        made.disputes.open(found.game_id, CLAIM["versions"], CLAIM["claim"], seat=0)
        with session(database) as own:
            sealer = Sealer(own)
            while (done := sealer.round()) is None or done.rows:
                pass
        yield made


def test_it_is_what_the_service_sends(client: Client, bad: Bad):
    sent = bad._through.handle_request(httpx.Request("GET", f"{BASE}/v1/export")).read()
    archive = client.archive()
    assert b"".join(archive) == sent
    assert archive.position == ndjson.verify(BytesIO(sent)).position
    assert client.export_all() == (sent, archive.position)


def test_it_is_the_same_file_wherever_it_is_cut(client: Client, bad: Bad):
    whole, position = client.export_all()
    chance = random.Random(7)
    for _ in range(20):
        bad.asked.clear()
        bad.cuts = iter([chance.randrange(len(whole)) for _ in range(3)])
        assert client.export_all() == (whole, position)
        assert 2 <= len(bad.asked) <= 4
    bad.cuts = iter([len(whole) - 1])
    assert client.export_all() == (whole, position), "only the last line end was missing"


def test_parts_come_row_by_row_of_the_ledger(client: Client, bad: Bad):
    whole, last = client.export_all()
    bad.cuts = iter([len(whole) // 2])
    parts = list(client.parts())
    assert [part.position for part in parts] == [*range(1, last + 1)]
    assert {part.about.kind for part in parts} == {"game", "dispute"}
    lines = [decode_line(line) for line in whole.splitlines(keepends=True)]
    events = [line.hash for line in lines if isinstance(line, EventLine | WithheldLine)]
    assert [event.hash for part in parts for event in part.events] == events
    assert list(client.parts(since=last)) == []
    assert [part.position for part in client.parts(1, 2)] == [2]


def test_one_game_can_be_asked_for(client: Client):
    kinds = {(str(one.about.game_id), one.about.kind) for one in client.parts(game=GAME)}
    assert (GAME, "game") in kinds
    assert {kind for _, kind in kinds} == {"game", "dispute"}
    assert client.archive(game="lanterloo").position is None


def test_what_is_lost_for_good_says_how_far_it_came(client: Client, bad: Bad):
    whole, _ = client.export_all()
    second = whole.index(b'{"t":"part"', 10)
    bad.cuts = iter([second + 200, *[5] * 10])
    with pytest.raises(CutOff, match="cut off after position 1") as caught:
        client.export_all()
    assert caught.value.position == 1
    bad.cuts = iter([5] * 10)
    with pytest.raises(Unreachable):
        client.export_all()


def altered(whole: bytes, at: int) -> bytes:
    """The same bytes but for one, which stays a hexadecimal digit, a letter or a quote where it was one."""
    other = b"1" if whole[at : at + 1] == b"0" else b"0"
    return whole[:at] + other + whole[at + 1 :]


def test_a_byte_that_was_altered_is_found_wherever_it_is(client: Client, bad: Bad):
    whole, _ = client.export_all()
    chance = random.Random(3)
    for _ in range(40):
        at = chance.randrange(len(whole))
        bad.alter = lambda data, at=at: altered(data, at)  # type: ignore[misc]
        with pytest.raises(BadAnswer):
            client.export_all()


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (lambda data: data.replace(b'"since":0', b'"since":7'), "its trailer is not that"),
        (lambda data: data[: data.rindex(b'{"t":"end"')], "trailer"),
        (lambda data: data + b"more\n", None),
        (lambda data: b"", "trailer"),
        (lambda data: b"<html>hello</html>\n", "no line of an export"),
        (lambda data: b"[" * 5000 + b"\n", "no line of an export"),
        (lambda data: data.splitlines(keepends=True)[1], "no part"),
    ],
    ids=["since", "none", "behind", "empty", "html", "deep", "event"],
)
def test_another_file_is_no_archive(client: Client, bad: Bad, alter: Alter, said: str | None):
    bad.alter = alter
    if said is None:  # what stands behind the trailer is not read
        assert client.export_all()[1]
    else:
        with pytest.raises(ClientError, match=said):
            client.export_all()


def test_whole_games_are_no_archive(client: Client, bad: Bad):
    game = client.export(next(client.games()).game_id)
    bad.alter = lambda data: game
    with pytest.raises(BadAnswer, match="a whole game, expected parts of games"):
        client.export_all()


def test_a_service_that_says_nothing_new_is_not_asked_for_ever(client: Client, bad: Bad):
    first = client.archive(until=1)
    part = b"".join(first)
    bad.alter = lambda data: part[: part.rindex(b'{"t":"end"')]
    with pytest.raises(BadAnswer, match="position 1, expected events after 1"):
        client.export_all()


def test_bounds_hold(bad: Bad, client: Client):
    with (
        Client(BASE, transport=bad, bounds=Bounds(line=300)) as small,
        pytest.raises(BadAnswer, match="a line of more than 300 bytes"),
    ):
        small.export_all()
    with (
        Client(BASE, transport=bad, bounds=Bounds(answer=5000)) as small,
        pytest.raises(BadAnswer, match="a part of more than 5000 bytes"),
    ):
        small.export_all()


@pytest.mark.parametrize("form", ["csv", "txt", "html"])
def test_tables_and_texts_are_checked_by_their_trailer(client: Client, bad: Bad, form: Any):
    archive = client.archive(form=form)
    whole = b"".join(archive)
    assert archive.position == client.export_all()[1]
    bad.cuts = iter([len(whole) // 2])
    with pytest.raises(CutOff):
        list(client.archive(form=form))
    for at in (len(whole) // 2, len(whole) - 60):
        bad.alter = lambda data, at=at: altered(data, at)  # type: ignore[misc]
        with pytest.raises(ClientError):
            list(client.archive(form=form))
    bad.alter = lambda data: b"".join(data.splitlines(keepends=True)[:-1])
    with pytest.raises(CutOff, match="without a trailer"):
        list(client.archive(form=form))


def test_every_table_can_be_had(client: Client):
    for table in ("events", "scores", "deals", "disputes", "rulings"):
        rows = [line.decode() for line in client.archive(form="csv", table=table)]
        assert "game_id" in rows[0].split(",")
        found = client.export(next(client.games()).game_id, "csv", table=table).decode()
        assert next(csv.reader(StringIO(found))) == next(csv.reader(rows))


def test_files_are_there_when_they_are_whole(client: Client, bad: Bad, tmp_path: Path):
    path = tmp_path / "all.ndjson"
    position = client.archive_to(path)
    whole = path.read_bytes()
    assert (whole, position) == client.export_all()
    bad.cuts = iter([5] * 10)
    with pytest.raises(Unreachable):
        client.archive_to(path)
    assert path.read_bytes() == whole
    bad.cuts = iter([len(whole) // 2] * 10)
    with pytest.raises(CutOff):
        client.archive_to(tmp_path / "games.csv", form="csv")
    assert [one.name for one in tmp_path.iterdir()] == ["all.ndjson"]
    assert client.archive_to(tmp_path / "new.ndjson", since=position) == position
    (line,) = (tmp_path / "new.ndjson").read_bytes().splitlines(keepends=True)
    end = decode_line(line)
    assert isinstance(end, EndLine)
    assert (end.since, end.position) == (position, position)


@pytest.mark.parametrize("form", ["ndjson", "txt", "csv", "html"])
def test_a_game_goes_into_a_file(client: Client, bad: Bad, tmp_path: Path, form: Any):
    game_id = next(client.games()).game_id
    path = tmp_path / f"game.{form}"
    size = client.export_to(path, game_id, form)
    assert path.read_bytes() == client.export(game_id, form)
    assert path.stat().st_size == size
    bad.cuts = iter([100] * 10)
    with pytest.raises(Unreachable):
        client.export_to(path, game_id, form)
    assert path.stat().st_size == size
    assert len(list(tmp_path.iterdir())) == 1


def test_a_token_without_the_scope_gets_nothing(make_app: MakeApp, database: Database):
    given = passes.made(database, "games:read")
    transport = httpx.WSGITransport(app=make_app())
    with Client(BASE, given.secret, transport=transport, retries=QUICK) as client:
        assert client.whoami().scopes == ["games:read"]
        with pytest.raises(NotAllowed, match=re.escape("not_allowed (403)")):
            client.export_all()
