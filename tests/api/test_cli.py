"""The `lanterlog` command as its user has it: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest
from sqlalchemy import Engine

from api.cli import main
from events import store
from tests.api.table import CORPUS, DATA
from tests.postgres import Database
from tests.waiting import PATIENCE

CASES = DATA / "rummy500.yaml"
ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        return [line.split("\t") for line in self.out.splitlines()]


Run = Callable[..., Done]


@pytest.fixture
def bare(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with whatever database there is."""

    def run(*words: object) -> Done:
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        return Done(code, *capfd.readouterr())

    return run


@pytest.fixture
def run(bare: Run, database: Database, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a server of the user's."""
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)
    return bare


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that nobody answers for: whatever needs one fails."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:hush@127.0.0.1:9/none")


@pytest.fixture
def filled(bare: Run, sixty_games: Database, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on the sixty_games."""
    monkeypatch.setenv("DATABASE_URL", sixty_games.app_url)
    return bare


def first(run: Run) -> str:
    return run("games").rows[0][0]


@pytest.mark.store
def test_an_import_says_what_is_new_and_what_is_not(run: Run):
    new, again = run("import", CORPUS), run("import", CORPUS, "--json")
    assert (new.code, new.out) == (0, f"{CORPUS}: 60 games imported with 3894 events\n")
    told = json.loads(again.out)
    assert (again.code, told["imported"], len(told["present"])) == (0, [], 60)
    assert "nothing new, 60 games already here" in run("import", CORPUS).out


@pytest.mark.store
def test_a_bad_file_is_named_with_its_line_and_hinders_no_other(run: Run, tmp_path: Path):
    lines = CORPUS.read_bytes().splitlines(keepends=True)
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(b"".join([*lines[:100], b"{}\n", *lines[100:]]))
    done = run("import", bad, CORPUS, tmp_path / "missing")
    assert done.code == 2
    assert f"{bad}: line 101: " in done.err
    assert "missing: No such file or directory" in done.err
    assert "60 games imported" in done.out
    assert len(run("games").rows) == 60


@pytest.mark.store
def test_checking_stores_nothing(run: Run):
    assert "would be imported" in run("import", "--check", CORPUS).out
    assert run("games").out == ""


@pytest.mark.store
def test_games_are_plain_lines_in_a_pipe(filled: Run):
    rows = filled("games").rows
    assert len(rows) == 60
    assert {len(row) for row in rows} == {7}
    told = [json.loads(line) for line in filled("games", "--json").out.splitlines()]
    assert [one["game_id"] for one in told] == [row[0] for row in rows]


@pytest.mark.store
def test_a_game_is_named_by_id_beginning_or_last(filled: Run):
    game = first(filled)
    whole = filled("replay", game)
    assert whole.code == 0
    assert filled("replay", game[:8]).out == whole.out
    assert filled("replay", game.replace("-", "").upper()[:20]).out == whole.out
    assert filled("replay", "last").code == 0


@pytest.mark.store
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("abc", "too short, expected at least 4"),
        ("ffffffff", "no game ffffffff"),
        ("mine", "expected an id, the beginning of one, or 'last'"),
        ("last", "no game in the store"),
    ],
)
def test_a_game_that_cannot_be_meant_is_bad_usage(run: Run, name: str, reason: str):
    done = run("replay", name)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.startswith("lanterlog: ")
    assert done.err.count("\n") == 1


@pytest.mark.store
def test_a_beginning_of_several_games_is_bad_usage(run: Run, engine: Engine):
    with engine.begin() as conn:
        for last in "12":
            store.open_game(
                conn, UUID(f"abcdef00-0000-4000-8000-00000000000{last}"), "rummy500", "recorded"
            )
    done = run("export", "abcdef")
    assert (done.code, done.out) == (2, "")
    assert "more than one game begins with abcdef" in done.err
    assert run("export", "abcdef00-0000-4000-8000-000000000002").code == 0


@pytest.mark.store
def test_a_replay_has_every_act_in_words(filled: Run):
    game = first(filled)
    rows = filled("replay", game).rows
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0][1].startswith("game: rummy500")
    assert any(" discard " in row[1] for row in rows)
    told = [json.loads(line) for line in filled("replay", game, "--json").out.splitlines()]
    assert [one["act"] for one in told] == [row[1] for row in rows]
    assert told[1]["event"]["t"] == "shuffled"


@pytest.mark.store
def test_a_replay_shows_the_table_at_a_version(filled: Run):
    game = first(filled)
    shown = filled("replay", game, "--at", 12)
    assert shown.out.startswith("Version 12 of ")
    assert "??" not in shown.out.split("Pile")[1]
    narrowed = filled("replay", game, "--at", 12, "--seat", "B", "--json")
    state = json.loads(narrowed.out)
    hidden = [set(hand) == {"??"} for hand in state["state"]["hands"]]
    assert (state["at"], state["viewer"]) == (12, 1)
    assert hidden == [seat != 1 for seat in range(len(hidden))]
    assert "??" in filled("replay", game, "--seat", "0").out


@pytest.mark.store
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--at", "99999"), "no version 99999"),
        (("--at", "0"), "expected a number from 1"),
        (("--at", "x"), "expected a number from 1"),
        (("--seat", "7"), "seat '7', expected 0 to"),
        (("--seat", "Z"), "seat 'Z', expected 0 to"),
        (("--seat", "²"), "seat '²', expected 0 to"),
        (("--seat", ""), "seat '', expected 0 to"),
    ],
)
def test_a_replay_that_cannot_be_is_bad_usage(filled: Run, words: tuple[str, ...], reason: str):
    done = filled("replay", "last", *words)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


@pytest.mark.store
def test_an_audit_finds_breaches_and_says_so(filled: Run):
    done = filled("audit", "--all", "--ruleset", "seed")
    assert done.code == 1
    assert len(done.rows) == 60
    breaches = sum(int(row[4]) for row in done.rows)
    assert f"60 games, 3894 events, {breaches} breaches" in done.err
    worst = max(done.rows, key=lambda row: int(row[4]))
    one = filled("audit", worst[0], "--ruleset", "seed")
    assert one.code == 1
    assert [row[0] for row in one.rows].count("breach") == int(worst[4])
    assert one.rows[-1][0] == "verdict"
    told = json.loads(filled("audit", worst[0], "--ruleset", "seed", "--json").out)
    assert len(told["findings"]) == int(worst[4])
    assert all(one["text"] and one["rule"] and one["version"] for one in told["findings"])


@pytest.mark.store
def test_an_audit_of_a_clean_game_ends_with_0(filled: Run):
    clean = next(row[0] for row in filled("audit", "--all").rows if row[4] == "0")
    assert filled("audit", clean).code == 0
    assert filled("audit", clean, "--deal", 1).code == 0


@pytest.mark.store
def test_an_audit_explains_the_calls(filled: Run):
    for game in (row[0] for row in filled("games").rows):
        told = json.loads(filled("audit", game, "--calls", "--json").out)["calls"]
        assert all(one["text"] and one["rule"] for one in told["made"])
        missed = [one for window in told["windows"] for one in window["missed"]]
        rows = filled("audit", game, "--calls").rows
        assert [row[0] for row in rows].count("not called") == len(missed)
        assert len([row for row in rows if row[0].startswith("call ")]) == len(told["made"])
        if missed and told["made"]:
            return
    raise AssertionError("no game of the archive has calls")


@pytest.mark.store
def test_an_audit_speaks_japanese(filled: Run):
    worst = max(filled("audit", "--all", "--ruleset", "seed").rows, key=lambda row: int(row[4]))
    words = ("audit", worst[0], "--ruleset", "seed", "--calls")
    english, japanese = filled(*words), filled(*words, "--lang", "ja")
    assert [row[:-1] for row in japanese.rows] == [row[:-1] for row in english.rows]
    assert all(row[-1].endswith("。") for row in japanese.rows[:-1])
    assert "違反" in japanese.rows[-1][-1]
    told = json.loads(filled(*words, "--lang", "ja", "--json").out)
    assert "違反" in told["verdict"]
    assert all(one["text"].endswith("。") for one in told["findings"])
    assert filled("audit", "last", "--lang", "fr").code == 2


@pytest.mark.store
@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--all", "--calls"),
        ("last", "--all"),
        ("--all", "--deal", "1"),
        ("last", "--deal", "9"),
        ("last", "--ruleset", "house"),
    ],
)
def test_an_audit_of_nothing_is_bad_usage(filled: Run, words: tuple[str, ...]):
    done = filled("audit", *words)
    assert (done.code, done.out) == (2, "")


@pytest.mark.store
def test_an_archive_goes_out_and_in_whole(filled: Run, cluster, tmp_path: Path, monkeypatch):
    out, again = tmp_path / "out.ndjson", tmp_path / "again.ndjson"
    assert filled("export", "--all", "-o", out).code == 0
    assert filled("verify", out).out == "intact: 60 games, 3894 events\n"
    with cluster.fresh() as other:
        monkeypatch.setenv("DATABASE_URL", other.app_url)
        assert "60 games imported" in filled("import", out).out
        assert filled("export", "--all", "-o", again).code == 0
        assert "nothing new" in filled("import", out).out
    assert again.read_bytes() == out.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.ndjson", "out.ndjson"]


@pytest.mark.store
def test_an_export_that_fails_leaves_the_old_file(filled: Run, tmp_path: Path, monkeypatch):
    target = tmp_path / "old.ndjson"
    target.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr("os.fsync", fail)
    done = filled("export", "--all", "-o", target)
    assert (done.code, target.read_text()) == (2, "old")
    assert "No space left on device" in done.err
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.store
def test_one_game_goes_to_standard_output_as_text(filled: Run, tmp_path: Path):
    done = filled("export", first(filled), "--format", "txt")
    assert done.out.startswith("lanterlog table notation 1\n")
    (tmp_path / "game.txt").write_text(done.out)
    assert "1 game would be imported" in filled("import", "--check", tmp_path / "game.txt").out


@pytest.mark.usefixtures("no_database")
def test_verify_needs_no_database(bare: Run, tmp_path: Path):
    log = tmp_path / "log.ndjson"
    log.write_bytes((DATA.parent / "api" / "log.ndjson").read_bytes())
    intact = bare("verify", log)
    assert (intact.code, intact.out) == (0, "intact: 1 game, 5 events\n")
    log.write_bytes(log.read_bytes().replace(b'"seat":1', b'"seat":0', 1))
    altered = bare("verify", log)
    assert altered.code == 1
    assert altered.out.startswith("altered: line 4, version 3, game ")
    told = json.loads(bare("verify", log, "--json").out)
    assert (told["ok"], told["first_bad"]["version"]) == (False, 3)
    assert bare("verify", CASES).code == 2
    assert bare("verify", tmp_path).code == 2
    assert bare("verify", tmp_path / "missing").code == 2


@pytest.mark.usefixtures("no_database")
def test_a_casebook_needs_no_database(bare: Run, tmp_path: Path):
    done = bare("casebook", "check", CASES)
    assert done.code == 0
    assert ", 0 failed, " in done.out.splitlines()[-1]
    wrong = CASES.read_text().replace("winner: A", "winner: B", 1)
    assert wrong != CASES.read_text()
    (tmp_path / "wrong.yaml").write_text(wrong)
    failed = bare("casebook", "check", tmp_path / "wrong.yaml")
    assert failed.code == 1
    assert failed.rows[0][0] == "failed"
    told = bare("casebook", "check", tmp_path / "wrong.yaml", "--json").out.splitlines()
    assert "failed" in {json.loads(line)["outcome"] for line in told}
    (tmp_path / "none.yaml").write_text("- [")
    assert bare("casebook", "check", tmp_path / "none.yaml").code == 2


@pytest.mark.usefixtures("no_database")
@pytest.mark.parametrize(
    "words", [("games",), ("audit", "--all"), ("import", CORPUS), ("serve", "--port", "0")]
)
def test_a_database_that_is_away_is_one_line_without_its_password(bare: Run, words):
    done = bare(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("lanterlog: ")
    assert "hush" not in done.err
    assert done.err.count("\n") == 1


def test_a_bad_setting_is_named(bare: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LANTERLOG_PORT", "eighty")
    done = bare("games")
    assert (done.code, "LANTERLOG_PORT is 'eighty'" in done.err) == (2, True)


@pytest.mark.store
def test_migrating_a_server_of_the_users(run: Run, cluster, monkeypatch: pytest.MonkeyPatch):
    assert run("migrate", "--check").code == 0
    with cluster.empty() as config:
        monkeypatch.setenv("DATABASE_URL", str(config.database_url))
        monkeypatch.setenv("MIGRATION_DATABASE_URL", str(config.migration_database_url))
        assert "run lanterlog migrate" in run("games").err
        assert run("migrate", "--check").code == 1
        assert run("migrate").code == 0
        assert run("migrate", "--check").code == 0
        assert run("games").code == 0


@pytest.mark.store
def test_migrating_asks_for_no_other_login(bare: Run, cluster, monkeypatch: pytest.MonkeyPatch):
    with cluster.empty() as config:
        monkeypatch.delenv("DATABASE_URL", raising=False)
        monkeypatch.setenv("MIGRATION_DATABASE_URL", str(config.migration_database_url))
        assert bare("migrate", "--check").code == 1
        assert bare("migrate").code == 0
        assert bare("migrate", "--check").code == 0


def test_a_server_for_migrations_alone_is_none_for_games(bare: Run, monkeypatch):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", "postgresql://nobody:hush@127.0.0.1:9/none")
    done = bare("games")
    assert (done.code, "without DATABASE_URL" in done.err) == (2, True)


@pytest.mark.store
def test_a_login_with_too_many_rights_is_refused(run: Run, database: Database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database.superuser_url)
    for words in (("games",), ("serve", "--port", "0")):
        done = run(*words)
        assert (done.code, "is a superuser" in done.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("play",),
        ("verify",),
        ("casebook",),
        ("serve", "--port", "70000"),
        ("export", "--format", "xml"),
    ],
)
def test_bad_words_are_bad_usage(bare: Run, words: tuple[str, ...]):
    assert bare(*words).code == 2


@pytest.mark.parametrize(
    "command",
    [
        "serve", "migrate", "import", "games", "replay", "audit", "export", "verify", "bench",
        "token create", "token list", "token revoke",
    ],
)  # fmt: skip
def test_every_command_has_help_with_an_example(bare: Run, command: str):
    done = bare(*command.split(), "--help")
    assert done.code == 0
    assert f"lanterlog {command}" in done.out.partition("examples:")[2]
    assert "exit codes" in done.out


@pytest.mark.store
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_only_loopback_is_served_on_without_tokens(run: Run, host: str):
    done = run("serve", "--host", host, "--port", "0")
    assert (done.code, "expected 127.0.0.1, ::1 or localhost" in done.err) == (2, True)


@pytest.mark.store
def test_a_closed_pipe_ends_quietly(filled: Run):
    command = f"{sys.executable} -W error -m api.cli export --all | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def loaded(*words: str) -> str:
    """The code with which a command ends, and what it has read in of what takes long to read in."""
    program = (
        "import sys; from api.cli import main; code = main(sys.argv[1:]); "
        "print(code, {'flask', 'sqlalchemy', 'psycopg', 'alembic'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    return done.stdout.splitlines()[-1]


def test_verifying_loads_no_framework_and_no_driver():
    assert loaded("verify", str(DATA.parent / "api" / "log.ndjson")) == "0 set()"


def test_what_changes_no_schema_loads_nothing_for_it(filled: Run):
    assert "alembic" not in loaded("games", "--json")


@pytest.mark.store
def test_control_characters_in_names_do_not_reach_the_terminal(run: Run, tmp_path: Path):
    file = tmp_path / "names.ndjson"
    lines = CORPUS.read_text().splitlines(keepends=True)
    count = next(at for at, line in enumerate(lines) if at and '"NEW"' in line)
    file.write_text("".join(lines[:count]).replace("CP0", "\\u001b[31mCP0\\t"))
    assert run("import", file).code == 0
    assert "\x1b" not in run("games").out
    assert {len(row) for row in run("games").rows} == {7}


def of_its_own(words: str, env: dict[str, str]) -> "subprocess.CompletedProcess[bytes]":
    """Run a command by a shell, which can close what it writes to."""
    return subprocess.run(
        ["bash", "-c", f"exec {sys.executable} -m api.cli {words}"],
        capture_output=True, timeout=PATIENCE, check=False, cwd=ROOT, env=os.environ | env,
    )  # fmt: skip


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_nobody_has_to_listen(closed: str):
    done = of_its_own(f"casebook check {CASES} {closed}", {})
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_the_letters_gets_escapes(tmp_path: Path):
    """As in a Latin locale: the reason is in Japanese quotation marks of the file's own."""
    case = tmp_path / "case.yaml"
    case.write_text("id: 札幌\ntype: play\nstate: {turn: A, phase: play}\nwhat: 1\n")
    done = of_its_own(f"casebook check {case}", {"PYTHONIOENCODING": "ascii:strict"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"\u672d\u5e4c" in done.stdout


INTERRUPTED_AT = """
import atexit, os, signal, sys

moment = sys.argv.pop(1)

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class At:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            interrupt()

if moment == "the end":
    atexit.register(interrupt)
sys.meta_path.insert(0, At())
from api.cli import process
process()
"""


@pytest.mark.parametrize(
    "moment",
    ["api.calling", "msgspec", "api.usage", "events.errors", "sqlalchemy", "api.commands.games", "psycopg", "the end"],
)  # fmt: skip
def test_ctrl_c_is_said_in_one_line_at_any_moment(tmp_path: Path, moment: str):
    """Also while what the command needs is read in, and when all is done."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT, moment, "games"],
        cwd=ROOT, env=os.environ | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 130
    said = [
        line for line in done.stderr.splitlines() if "interrupted" in line or moment != "the end"
    ]
    assert said == ["lanterlog: interrupted"]
    assert "Traceback" not in done.stderr
