"""Replays of many games in one document: each once and whole, whoever takes it in pieces, nothing hidden inside."""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine

from api import archive
from api.asker import OWNER
from api.cli import main
from api.client_answers import Bounds
from api.viewer import volume
from tests.api.disputing import DECISION, GAME, RULING
from tests.api.table import Client, Table, draw
from tests.api.test_archive import Seal, got
from tests.api.test_archive import seal as seal  # noqa: PLC0414 - a fixture
from tests.api.test_archive_disputes import argued
from tests.api.test_hidden import cards, full_state
from tests.postgres import Database
from tests.projections.store import take_in

pytestmark = [pytest.mark.store, pytest.mark.http]

EXAMPLES = "worked-examples.txt"
_DATA = re.compile(
    rb'<script type="application/json" id="g(\d+)">\n(.*?)\n</script>\n<tr>(.*?)</tr>', re.DOTALL
)


class Game(msgspec.Struct, frozen=True):
    """A game of a document: what its script reads, and its row of the list."""

    data: dict[str, Any]
    row: str

    @property
    def shell(self) -> str:
        return "".join(self.data["shell"])

    @property
    def game_id(self) -> str:
        [found] = re.findall(r'data-game="([^"]+)"', self.shell)
        return str(found)


def document(client: Client, query: str = "") -> bytes:
    return got(client, f"?format=html{query}")


def trailer(data: bytes) -> dict[str, Any]:
    """What the last line says, which must hold for the bytes before it."""
    *before, last = data.splitlines(keepends=True)
    found: dict[str, Any] = json.loads(last.removeprefix(b"<!-- ").removesuffix(b" -->\n"))
    assert found["sha256"] == hashlib.sha256(b"".join(before)).hexdigest()
    assert found["t"] == "end"
    return found


def games(data: bytes) -> dict[int, Game]:
    """The games of a document by their position in the archive."""
    return {int(at): Game(json.loads(text), row.decode()) for at, text, row in _DATA.findall(data)}


def in_pieces(client: Client, query: str = "") -> Iterator[bytes]:
    """Documents, each going on where the one before ended, until one is empty."""
    since = 0
    while True:
        data = document(client, f"&since={since}{query}")
        yield data
        end = trailer(data)
        if end["count"] == 0:
            return
        since = end["position"]


def test_each_game_is_in_it_once_as_in_a_file_of_its_own(client: Client, engine: Engine, seal: Seal):  # fmt: skip
    ids = take_in(engine, EXAMPLES)
    seal()
    data = document(client)
    found = games(data)
    assert sorted(game.game_id for game in found.values()) == sorted(map(str, ids))
    assert (trailer(data)["count"], trailer(data)["position"]) == (len(ids), len(ids))
    for position, game in found.items():
        own = client.get(f"/v1/games/{game.game_id}/export.html").text
        steps = re.search(r'id="steps">(.*?)</script>', own)
        assert steps is not None
        told = {key: value for key, value in game.data.items() if key != "shell"}
        links = partial(re.sub, rf'href=\\"#{position}\.', r'href=\\"#')
        assert json.loads(links(json.dumps(told))) == json.loads(steps[1])
        assert game.shell.replace(f'href="#{position}.', 'href="#').strip() in own
        assert f'href="#{position}"' in game.row


def test_pieces_put_together_are_the_whole(
    client: Client, engine: Engine, seal: Seal, monkeypatch: pytest.MonkeyPatch
):
    take_in(engine, EXAMPLES)
    argued(client, RULING)
    seal()
    whole = games(document(client))
    monkeypatch.setattr(archive, "PAGE", 2)
    assert games(document(client)) == whole
    for name, most in (("MOST_GAMES", 2), ("MOST_BYTES", 1)):
        monkeypatch.setattr(volume, name, most)
        pieces = [games(data) for data in in_pieces(client)]
        assert [one for piece in pieces for one in piece.items()] == list(whole.items())
        assert len(pieces) > len(whole) / 2
    assert b"the next one" not in document(client, f"&since={max(whole) - 1}")
    assert f"the next one goes on after position {next(iter(whole))}." in document(client).decode()


def test_a_game_stands_where_the_last_word_about_it_stands(client: Client, seal: Seal):
    """With what was said up to there, and no more: the same stretch is the same document."""
    case = argued(client, RULING)
    seal()
    first = document(client)
    end = trailer(first)["position"]
    assert list(games(first))[-1] == end
    assert case.act({"do": "appeal", "seat": 0, "text": "No."}).status_code == 201
    assert case.act(DECISION).status_code == 201
    seal()
    assert document(client, f"&until={end}") == first
    later = games(document(client, f"&since={end}"))
    assert [game.game_id for game in later.values()] == [GAME]
    assert list(later) == [trailer(document(client))["position"]]
    [game] = later.values()
    assert DECISION["text"] in game.shell
    assert DECISION["text"].encode() not in first
    assert RULING["text"].encode() in first
    everything = [game.game_id for game in games(document(client)).values()]
    assert everything.count(GAME) == 1
    without = games(document(client, f"&until={end - 3}"))
    assert all(RULING["text"] not in game.shell for game in without.values())


def test_what_may_not_be_seen_is_not_inside(client: Client, open_client: Client, engine: Engine, seal: Seal):  # fmt: skip
    table = Table.opened(client)
    table.record(draw(1))
    private = Table.opened(open_client, visibility="private")
    unlisted = Table.opened(client, visibility="unlisted")
    seal()
    shown = set(full_state(engine, table).pile)
    for query in ("", "&viewer=all", "&viewer=1", "&lang=ja", f"&game={table.game_id}"):
        data = document(client, query)
        [game] = games(data).values()
        text = re.sub(r"[0-9a-f]{64}|d=\"[^\"]*\"", "", f"{json.dumps(game.data)}{game.row}")
        assert cards(text) <= shown, query
        assert private.game_id.encode() not in data
        assert unlisted.game_id.encode() not in data
    assert len(games(document(open_client))) == 3
    assert document(client, f"&game={private.game_id}").count(b"<tr>") == 1


def test_it_runs_one_script_and_cannot_be_broken_out_of(client: Client, seal: Seal):
    name = "</script><script>alert(1)</script><!--"
    for _ in range(2):
        Table.opened(client, mode="recorded", seats=[name, "Bob"])
    seal()
    answer = client.get("/v1/export?format=html")
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    assert answer.headers["Content-Disposition"] == 'inline; filename="lanterlog-0-2.html"'
    text = answer.text
    assert (text.count("<script>"), text.count("</script>")) == (1, 3)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', text)
    assert not re.findall(r'url\("(?!data:)', text)
    assert all("alert(1)&lt;/script&gt;" in game.shell for game in games(answer.data).values())
    trailer(answer.data)


def test_it_speaks_the_language_asked_for(client: Client, seal: Seal):
    Table.opened(client)
    seal()
    assert b'<html lang="en">' in document(client)
    data = document(client, "&lang=ja")
    assert b'<html lang="ja">' in data
    assert "ゲーム数: 1。".encode() in data
    liked = client.get("/v1/export?format=html", headers={"Accept-Language": "ja"})
    assert liked.data == data


def test_games_are_read_one_by_one_and_lines_are_short(client: Client, engine: Engine, seal: Seal):
    take_in(engine)
    seal()
    with engine.connect() as conn:
        stretch = archive.Stretch(0, archive.last_position(conn))
    taken = 0

    def counted() -> Iterator[archive.Record]:
        nonlocal taken
        for one in archive.records(engine.connect, stretch, archive.Choice(OWNER)):
            taken += 1
            yield one

    from api.commands.exporting import _look

    rows = 0
    for line in volume.as_html(counted(), _look, stretch, "en"):
        assert max(map(len, line.split(b"\n"))) < Bounds().line / 8
        assert taken - rows <= 1
        rows += line.startswith(b"<tr>")
    assert rows == taken == trailer(document(client))["count"]


@pytest.mark.parametrize("to", ["games.html", "-", None])
def test_the_command_line_writes_the_same(
    open_client: Client, engine: Engine, seal: Seal, database: Database, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], to: str | None,
):  # fmt: skip
    take_in(engine, EXAMPLES)
    seal()
    whole = document(open_client, "&viewer=all&lang=ja")
    capfdbinary.readouterr()
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.chdir(tmp_path)
    words = ["--format", "html", "--lang", "ja", *([] if to is None else ["-o", to])]
    assert main(["export", "--all", *words]) == 0
    written, said = capfdbinary.readouterr()
    assert ((tmp_path / "games.html").read_bytes() if to == "games.html" else written) == whole
    monkeypatch.setattr(volume, "MOST_GAMES", 2)
    assert main(["export", "--since", "1", *words]) == 0
    written, said = capfdbinary.readouterr()
    assert b"the file is full; go on with --since 3" in said
    found = (tmp_path / "games.html").read_bytes() if to == "games.html" else written
    assert list(games(found)) == [2, 3]
