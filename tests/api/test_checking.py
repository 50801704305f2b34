"""`lanterlog verify --store` and `lanterlog anchor`, as an operator runs them."""

import json
from pathlib import Path

import pytest
from sqlalchemy import Engine

from api.cli import main
from api.commands import checking
from tests.postgres import Database, body, connected, opened_game

pytestmark = pytest.mark.store


@pytest.fixture(autouse=True)
def _settings(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app_url)


@pytest.fixture
def games(engine: Engine, database: Database) -> list[str]:
    made = [str(opened_game(engine, *map(body, range(4)))) for _ in range(9)]
    seal(database)
    return sorted(made)


def seal(database: Database) -> None:
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(1000)")
        conn.commit()


def flip(database: Database, *ids: str) -> None:
    with connected(database.superuser_url) as conn:
        conn.exec_driver_sql("ALTER TABLE lanterlog.events DISABLE TRIGGER ALL")
        conn.exec_driver_sql(
            "UPDATE lanterlog.events SET body = '1' WHERE version = 3 AND game_id = ANY(%s::uuid[])",
            (list(ids),),
        )
        conn.commit()


@pytest.mark.usefixtures("games")
def test_a_sound_store_says_so_and_what_it_cannot_tell(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--store"]) == 0
    out, err = capfd.readouterr()
    assert out == "sound: 9 games, 36 events, 9 positions of the ledger\n"
    assert "a careful superuser could have rewritten everything" in err


def test_several_processes_find_the_same(
    games: list[str],
    database: Database,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flip(database, games[2], games[7])
    monkeypatch.setattr(checking, "MOST_EVENTS", 8)
    told = []
    for jobs in ("1", "2"):
        assert main(["verify", "--store", "--jobs", jobs]) == 1
        told.append(sorted(capfd.readouterr().out.splitlines()))
    reason = "version 3 has another hash than follows from it"
    assert told[0] == told[1]
    assert f"damaged: game {games[2]}: {reason}" in told[0]
    assert f"damaged: game {games[7]}: {reason}" in told[0]
    assert "damaged: 2 places; sound: 7 games, 32 events, 9 positions of the ledger" in told[0]


def test_json_has_every_damage(
    games: list[str], database: Database, capfd: pytest.CaptureFixture[str]
) -> None:
    flip(database, games[0])
    assert main(["verify", "--store", "--json"]) == 1
    found = json.loads(capfd.readouterr().out)
    assert (found["ok"], found["games"], found["anchors"]) == (False, 8, None)
    damage = found["damages"][0]
    assert (damage["game_id"], damage["version"], damage["part"]) == (games[0], 3, "events")


def test_anchors_are_added_to_a_file_and_compared(
    games: list[str],
    engine: Engine,
    database: Database,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "anchors.ndjson"
    assert main(["anchor", "-o", str(file)]) == 0
    opened_game(engine, body())
    seal(database)
    assert main(["anchor", "-o", str(file)]) == 0
    printed = capfd.readouterr().out
    assert file.read_text() == printed
    assert [json.loads(line)["position"] for line in printed.splitlines()] == [9, 10]
    assert main(["verify", "--store", "--anchors", str(file)]) == 0
    out, err = capfd.readouterr()
    assert out == "sound: 10 games, 37 events, 10 positions of the ledger, 2 anchors\n"
    assert err == ""
    file.write_text(printed.replace('"position":10', '"position":9'))
    assert main(["verify", "--store", "--anchors", str(file)]) == 1
    assert "damaged: ledger: position 9 has another hash than on " in capfd.readouterr().out


def test_an_empty_ledger_has_an_anchor(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["anchor"]) == 0
    made = json.loads(capfd.readouterr().out)
    assert (made["t"], made["v"], made["position"], made["hash"]) == ("anchor", 1, 0, "0" * 64)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no anchor in"),
        ('{"t":"anchor","position":1}\n', "line 1: not an anchor"),
        ("hello\n", "line 1: not an anchor"),
    ],
)
def test_a_file_without_anchors_is_no_proof(
    content: str, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "anchors.ndjson"
    file.write_text(content)
    assert main(["verify", "--store", "--anchors", str(file)]) == 2
    assert reason in capfd.readouterr().err


def test_a_torn_file_gets_no_further_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "anchors.ndjson"
    file.write_text('{"t":"anch')
    assert main(["anchor", "-o", str(file)]) == 2
    assert "ends in the middle of a line" in capfd.readouterr().err
    assert file.read_text() == '{"t":"anch'


@pytest.mark.parametrize(
    "words",
    [["verify"], ["verify", "x", "--store"], ["verify", "x", "--jobs", "2"]],
)
def test_what_to_verify_must_be_said_once(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert "expected" in capfd.readouterr().err
