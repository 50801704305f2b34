"""`lanterlog import --bulk`: every game for itself, whatever is wrong with the others."""

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Engine

from api.cli import main
from api.commands import bulk
from events import store
from tests.api.table import DATA
from tests.postgres import Database

pytestmark = pytest.mark.store

Told = dict[str, object]


@pytest.fixture(autouse=True)
def _settings(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app_url)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """An archive of eight games."""
    file = tmp_path_factory.mktemp("archive") / "archive.ndjson"
    words = ["simulate", "--games", "8", "--seats", "3", "--seed", "5", "--deals", "1"]
    assert main([*words, "-o", str(file)]) == 0
    return file.read_bytes().splitlines(keepends=True)


@pytest.fixture
def bulk_import(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, Told]]:
    """Imports these lines and returns the exit code and what was told."""

    def run(lines: list[bytes], *words: str) -> tuple[int, Told]:
        file = tmp_path / "archive.ndjson"
        file.write_bytes(b"".join(lines))
        capfd.readouterr()
        code = main(["import", "--bulk", "--json", *words, str(file)])
        return code, json.loads(capfd.readouterr().out)

    return run


def starts(lines: list[bytes]) -> list[int]:
    """Where the games begin, and where the last one ends."""
    first = (b'{"t":"game"', b'{"t":"end"')
    return [at for at, line in enumerate(lines) if line.startswith(first)]


def stored(engine: Engine) -> set[UUID]:
    with engine.connect() as conn:
        return {head.game_id for head in store.heads(conn)}


Import = Callable[..., tuple[int, Told]]


def test_all_games_come_in_and_again_nothing(
    bulk_import: Import,
    lines: list[bytes],
    engine: Engine,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    code, told = bulk_import(lines)
    events = len(lines) - 9
    assert (code, told["imported"], told["events"], told["bad"]) == (0, 8, events, [])
    assert len(stored(engine)) == 8
    code, told = bulk_import(lines)
    assert (code, told["imported"], told["present"]) == (0, 0, 8)
    capfd.readouterr()
    out = tmp_path / "out.ndjson"
    assert main(["export", "--all", "-o", str(out)]) == 0
    assert main(["verify", str(out)]) == 0
    assert main(["verify", "--store"]) == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_game_with_a_bad_line_is_named_and_left_out(
    bulk_import: Import,
    lines: list[bytes],
    engine: Engine,
    jobs: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "MOST_GAMES", 2)
    at = starts(lines)
    changed = list(lines)
    changed[at[1] + 5] = changed[at[1] + 5].replace(b'"seat":', b'"seat": ')
    changed[at[6] + 2] = b"garbage\n"
    code, told = bulk_import(changed, "--jobs", jobs)
    assert (code, told["imported"]) == (1, 6)
    assert len(stored(engine)) == 6
    bad = told["bad"]
    assert isinstance(bad, list)
    assert [one["line"] for one in bad] == [at[1] + 6, at[6] + 3, len(lines)]
    assert "trailer" in bad[2]["reason"]
    code, told = bulk_import(lines)
    assert (code, told["imported"], told["present"]) == (0, 2, 6)


@pytest.mark.parametrize(
    ("change", "imported", "line", "reason"),
    [
        (lambda li, at: li[:-1], 8, "end", "cut off"),
        (lambda li, at: li[: at[3] + 4], 3, "cut", "cut off"),
        (lambda li, at: li[: at[2]] + li[at[3] :], 7, "end", "trailer does not fit"),
        (lambda li, at: [*li, b"more\n"], 8, "end", "after the trailer"),
        (lambda li, at: [*li[:1], *li[2:]], 7, "second", "version 2 stands here, expected 1"),
        (lambda li, at: [li[0].replace(b"public", b"unlisted"), *li[1:]], 7, "first", "not as it was"),
    ],
    ids=["no trailer", "cut off", "game missing", "more", "event missing", "first line"],
)  # fmt: skip
def test_what_holds_of_a_damaged_file_is_stored(
    bulk_import: Import,
    lines: list[bytes],
    change: Callable[[list[bytes], list[int]], list[bytes]],
    imported: int,
    line: str,
    reason: str,
) -> None:
    at = starts(lines)
    changed = change(list(lines), at)
    code, told = bulk_import(changed)
    assert (code, told["imported"]) == (1, imported)
    bad = told["bad"]
    assert isinstance(bad, list)
    assert reason in bad[0]["reason"]
    ends = {
        "end": {len(changed), len(changed) + 1},
        "cut": {len(changed) + 1},
        "second": {2},
        "first": {1},
    }
    assert bad[0]["line"] in ends[line]


def test_checking_stores_nothing(bulk_import: Import, lines: list[bytes], engine: Engine) -> None:
    code, told = bulk_import(lines, "--check")
    assert (code, told["imported"], told["stored"]) == (0, 8, False)
    assert stored(engine) == set()


def test_a_game_that_is_here_with_another_end_is_named(
    bulk_import: Import, lines: list[bytes], engine: Engine
) -> None:
    bulk_import(lines)
    game = UUID(json.loads(lines[0])["game_id"])
    with engine.begin() as conn:
        store.append(conn, game, None, game, bytes(32), game, [b'{"t":"more"}'])
    code, told = bulk_import(lines)
    assert (code, told["present"]) == (1, 7)
    bad = told["bad"]
    assert isinstance(bad, list)
    assert (bad[0]["line"], bad[0]["game_id"]) == (1, str(game))
    assert "another head" in bad[0]["reason"]


def test_the_same_game_twice_in_a_file_is_stored_once(
    bulk_import: Import, lines: list[bytes], engine: Engine
) -> None:
    at = starts(lines)
    code, told = bulk_import([*lines[: at[1]], *lines])
    assert (code, told["imported"], told["present"]) == (1, 8, 1)
    assert len(stored(engine)) == 8


def test_an_archive_comes_through_a_pipe(
    lines: list[bytes], engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "archive.ndjson"
    file.write_bytes(b"".join(lines))
    with file.open() as piped, monkeypatch.context() as here:
        here.setattr("sys.stdin", piped)
        assert main(["import", "--bulk", "-"]) == 0
    assert len(stored(engine)) == 8


def test_only_our_own_format_comes_in_bulk(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--bulk", str(DATA / "rummy500-engine-b.ndjson"), "missing"]) == 2
    err = capfd.readouterr().err
    assert "line 1: not a log of Lanterlog's own" in err
    assert "missing: No such file or directory" in err
    assert main(["import", "--jobs", "2", "missing"]) == 2
    assert "--jobs belongs to --bulk" in capfd.readouterr().err
