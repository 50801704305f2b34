"""`lanterlog export` into tables: what DuckDB and pyarrow find in them is what the JSON says."""

import csv
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import duckdb
import pytest
from pyarrow import parquet
from sqlalchemy import Engine

from api import columns, separated
from api.cli import main
from api.tables import TABLES
from api.tabular import Kind, Table
from events import store
from projections.sealer import Sealer
from tests.postgres import Database
from tests.projections.store import session, take_in

pytestmark = [pytest.mark.store]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ids(engine: Engine, database: Database) -> list[UUID]:
    """Games of both kinds, some of them in play, all in the ledger."""
    found = take_in(engine)
    seal(database)
    return found


def seal(database: Database) -> None:
    with session(database) as own:
        sealer = Sealer(own)
        while (done := sealer.round()) is None or done.rows:
            pass


@pytest.fixture
def run(
    database: Database, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Runs a command on the test's database."""
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)

    def go(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        return code, *capfd.readouterr()

    return go


def asked(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers; a table's name in braces is its file."""
    names = {path.stem: f"read_parquet('{path}')" for path in folder.glob("*.parquet")}
    with duckdb.connect(":memory:") as conn:
        conn.execute("SET TimeZone = 'UTC'")
        return conn.execute(query.format(**names)).fetchall()


def json_events(run: Run, *words: object) -> list[tuple[str, int, str, str, str]]:
    """Game, version, time, hash and body of every event, from the NDJSON export."""
    code, text, _ = run("export", *words)
    assert code == 0
    game, found = "", []
    for line in map(json.loads, text.splitlines()):
        if line["t"] in {"game", "part"}:
            game = line["game_id"]
        elif line["t"] == "event":
            body = json.dumps(line["body"], separators=(",", ":"), ensure_ascii=False)
            found.append((game, line["version"], line["recorded_at"], line["hash"], body))
    return found


@pytest.mark.usefixtures("ids")
def test_duckdb_finds_the_events_that_the_json_has(run: Run, tmp_path: Path):
    folder = tmp_path / "archive"
    assert run("export", "--all", "--format", "parquet", "-o", folder)[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{name}.parquet" for name in ("deals", "disputes", "events", "findings", "rulings")
    ]
    found = asked(
        folder,
        "SELECT game_id, version, strftime(recorded_at, '%Y-%m-%dT%H:%M:%S.%fZ'), hash, event FROM {events}",
    )
    assert found == json_events(run, "--all")
    kinds = asked(folder, "SELECT typeof(recorded_at), typeof(version), typeof(is_withheld) FROM {events} LIMIT 1")  # fmt: skip
    assert kinds == [("TIMESTAMP WITH TIME ZONE", "BIGINT", "BOOLEAN")]
    by_type = asked(folder, "SELECT type, count(*) FROM {events} GROUP BY type ORDER BY type")
    counted = asked(folder, "SELECT event->>'t', count(*) FROM {events} GROUP BY 1 ORDER BY 1")
    assert by_type == counted


def test_deals_and_findings_are_those_of_the_commands(run: Run, ids: list[UUID], tmp_path: Path):
    folder = tmp_path / "archive"
    run("export", "--all", "--format", "parquet", "-o", folder)
    table = parquet.read_table(folder / "deals.parquet")
    assert str(table.schema.field("scores").type) == "list<element: int64>"
    text = run("export", "--all", "--format", "csv", "--table", "deals")[1]
    rows = list(csv.DictReader(StringIO(text, newline="")))
    assert [
        (one["game_id"], one["deal"], one["ended"] or "", one["from_version"])
        for one in table.to_pylist()
    ] == [
        (row["game_id"], int(row["deal"]), row["ended"], int(row["from_version"])) for row in rows
    ]
    for one, row in zip(table.to_pylist(), rows, strict=True):
        known = ["?" if score is None else str(score) for score in one["scores"] or []]
        assert " ".join(known) == row["scores"]
    for game_id in ids:
        report = json.loads(run("audit", game_id, "--json")[1])
        expected = sorted(
            (one["version"], one["code"], one["severity"])
            for one in (*report["findings"], *report["unchecked"])
        )
        query = f"SELECT version, code, severity FROM {{findings}} WHERE game_id = '{game_id}'"
        assert sorted(asked(folder, query)) == expected


@pytest.mark.usefixtures("ids")
def test_a_file_says_how_far_it_goes_and_grows_by_row_groups(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(columns, "ROWS", 100)
    run("export", "--all", "--format", "parquet", "-o", tmp_path / "archive")
    file = parquet.ParquetFile(tmp_path / "archive" / "events.parquet")
    rows = file.metadata.num_rows
    assert file.num_row_groups == -(-rows // 100)
    assert max(file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)) == 100
    end = json.loads(run("export", "--since", 0)[1].splitlines()[-1])
    told = file.schema_arrow.metadata
    assert told[b"lanterlog.position"] == str(end["position"]).encode()
    assert told[b"lanterlog.lanterlog"].count(b".") == 2
    assert rows == end["events"]


def test_what_came_after_a_position_is_what_is_new(
    run: Run, ids: list[UUID], engine: Engine, database: Database, tmp_path: Path
):
    last = json.loads(run("export", "--since", 0)[1].splitlines()[-1])["position"]
    with engine.begin() as conn:
        body = store.read_bodies(conn, ids[0])[-1]
        store.append(conn, ids[0], None, UUID(int=5), bytes(32), UUID(int=7), [body])
    assert "not all is in the ledger" in run("export", "--since", last)[2]
    seal(database)
    new = json_events(run, "--since", last)
    assert [(game, body) for game, _, _, _, body in new] == [(str(ids[0]), body.decode())]
    code, text, err = run("export", "--since", last, "--format", "csv")
    assert (code, err) == (0, "")
    [_, row, trailer] = text.splitlines()
    assert row.startswith(str(ids[0]))
    assert json.loads(trailer.removeprefix("# "))["position"] == last + 1
    folder = tmp_path / "new"
    run("export", "--since", last, "--until", last + 1, "--format", "parquet", "-o", folder)
    assert asked(folder, "SELECT game_id, hash FROM {events}") == [(new[0][0], new[0][3])]
    assert {one for (one,) in asked(folder, "SELECT game_id FROM {deals}")} == {str(ids[0])}
    (tmp_path / "new.ndjson").write_text(run("export", "--since", last)[1])
    assert "intact: 1 part, 1 event, positions" in run("verify", tmp_path / "new.ndjson")[1]


def test_one_game_as_a_page_and_as_tables(run: Run, ids: list[UUID], tmp_path: Path):
    code, text, _ = run("export", ids[0], "--format", "html", "--lang", "ja")
    assert (code, text.count("<!doctype html>")) == (0, 1)
    assert '<html lang="ja">' in text
    rows = list(csv.DictReader(StringIO(run("export", ids[0], "--format", "csv")[1], newline="")))
    assert {row["game_id"] for row in rows} == {str(ids[0])}
    assert "??" not in rows[-1]["event"]
    findings = run("export", ids[0], "--format", "csv", "--table", "findings")[1]
    assert findings.startswith("game_id,game,number,version,deal,seat,severity,code,rule")
    folder = tmp_path / "pages"
    assert run("export", "--all", "--format", "html", "-o", folder)[0] == 0
    assert sorted(path.stem for path in folder.iterdir()) == sorted(map(str, ids))


@pytest.mark.usefixtures("ids")
def test_a_folder_appears_only_whole_and_replaces_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "archive"
    folder.mkdir()
    code, _, err = run("export", "--all", "--format", "parquet", "-o", folder)
    assert (code, "is there already" in err) == (2, True)
    folder.rmdir()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(columns.Writer, "close", fail)
    assert run("export", "--all", "--format", "parquet", "-o", folder)[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_it_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run("export", "--all", "--format", "parquet", "-o", tmp_path / "archive")
    assert code == 2
    assert f"{sys.executable} -m pip install pyarrow" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--all", "--since", 3),
        ("last", "--until", 3),
        ("--all", "--table", "deals"),
        ("last", "--format", "parquet", "-o", "x"),
        ("--all", "--format", "parquet"),
        ("--since", 9, "--until", 3),
    ],
)
def test_what_cannot_be_exported_is_bad_usage(run: Run, words: tuple[object, ...]):
    code, out, err = run("export", *words)
    assert (code, out) == (2, "")
    assert "expected" in err or "before" in err


def test_every_column_is_told_of() -> None:
    """Name and kind, table by table and in the order in which they stand; and so for every kind."""
    text = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    told: dict[str, list[tuple[str, str]]] = {}
    for part in text.split("\n**`")[1:]:
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", part, re.MULTILINE)
        told[part.partition("`")[0]] = rows
    assert told == {name: list(table.columns) for name, table in TABLES.items()}
    kinds = re.findall(r"^\| (\w+) \|", text.partition("\n**`")[0], re.MULTILINE)
    assert sorted(kinds) == sorted([*get_args(Kind), "kind"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_text_is_a_formula_and_none_is_a_comment(tmp_path: Path, start: str):
    texts = [f"{start}1+1", "# no trailer", 'a "#" in\n# it', "plain"]
    table = Table("scores", (("player", "text"), ("score", "int")), lambda _: iter([(t, -3) for t in texts]))  # fmt: skip
    seen: Any = None
    path = tmp_path / "made.csv"
    path.write_bytes(b"".join([separated.heading(table), *separated.lines(table, [seen]), b"# {}\r\n"]))  # fmt: skip
    with duckdb.connect(":memory:") as conn:
        query = "SELECT player, score FROM read_csv(?, comment = '#', header = true)"
        found = conn.execute(query, [str(path)]).fetchall()
    assert found == [(text, -3) for text in [f"'{start}1+1", *texts[1:]]]


def test_times_are_in_utc_to_the_microsecond(run: Run, ids: list[UUID], engine: Engine, tmp_path: Path):  # fmt: skip
    folder = tmp_path / "archive"
    run("export", "--all", "--format", "parquet", "-o", folder)
    table = parquet.read_table(folder / "events.parquet")
    assert str(table.schema.field("recorded_at").type) == "timestamp[us, tz=UTC]"
    with engine.connect() as conn:
        [first, *_] = store.read(conn, min(ids))
    found = table.column("recorded_at")[0].as_py()
    assert found == datetime.fromtimestamp(first.recorded_at // 1_000_000, UTC).replace(
        microsecond=first.recorded_at % 1_000_000
    )
