"""`lanterlog audit --all`: the same report from one process and from two, begun again where it was interrupted."""

import json
from collections import Counter
from pathlib import Path

import pytest

from api import db
from api.cli import main
from api.commands import archive
from api.commands.reports import Tally
from tests.postgres import Database

pytestmark = pytest.mark.store


@pytest.fixture(autouse=True)
def in_portions(sixty_games: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The games, and portions so small that there are many."""
    monkeypatch.setenv("DATABASE_URL", sixty_games.app_url)
    monkeypatch.setattr(archive, "MOST_EVENTS", 500)


def audits(
    capfd: pytest.CaptureFixture[str], *words: object, jobs: int | None = 1
) -> tuple[int, str, str]:
    """Audit all, in this process unless so many are asked for; None is one a core."""
    capfd.readouterr()
    spread = [] if jobs is None else ["--jobs", jobs]
    code = main(["audit", "--all", "--ruleset", "seed", *map(str, [*spread, *words])])
    return (code, *capfd.readouterr())


def test_two_processes_report_what_one_does_in_the_same_order(
    capfd: pytest.CaptureFixture[str],
) -> None:
    alone, together = (audits(capfd, "--json", jobs=jobs) for jobs in (1, 2))

    assert alone == together
    ids = [json.loads(line)["game_id"] for line in alone[1].splitlines()]
    assert (ids, len(ids)) == (sorted(ids), 60)


def test_the_summary_counts_what_the_reports_say(capfd: pytest.CaptureFixture[str]) -> None:
    reports = [json.loads(line) for line in audits(capfd, "--json", jobs=None)[1].splitlines()]
    told = json.loads(audits(capfd, "--summary", "--json")[1])
    rows = [line.split("\t") for line in audits(capfd, "--summary")[1].splitlines()]

    found = [one for report in reports for one in report["findings"]]
    codes = Counter(f"{one['code']} {one['rule']}" for one in found)
    assert found
    assert {
        name: one["breaches"] for name, one in told["codes"].items() if one["breaches"]
    } == codes
    assert told["rulesets"]["rummy500 seed"]["games"] == told["games"] == 60
    assert rows[0][:3] == ["ruleset", "rummy500 seed", "60"]
    most = max(codes.values())
    assert (rows[1][0], rows[1][4], codes[rows[1][1]]) == ("code", str(most), most)


def test_a_run_that_was_interrupted_goes_on_from_its_file(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "audits.ndjson"
    whole = audits(capfd, "--json", "--resume", kept, jobs=2)
    lines = kept.read_bytes().splitlines(keepends=True)
    assert len(lines) == 61
    kept.write_bytes(b"".join(lines[:31]) + lines[31][:40])
    made: list[int] = []
    audit = archive._audit

    def counted(*given):
        made.append(len(given[2][1]))
        return audit(*given)

    monkeypatch.setattr(archive, "_audit", counted)

    assert audits(capfd, "--json", "--resume", kept) == whole
    assert sum(made) == 30
    assert sorted(kept.read_bytes().splitlines()) == sorted(map(bytes.strip, lines))


def test_a_file_of_other_terms_is_not_gone_on_with(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "audits.ndjson"
    audits(capfd, "--resume", kept)
    before = kept.read_bytes()

    code, _, complaint = audits(capfd, "--resume", kept, "--lang", "ja")

    assert code == 2
    assert '"lang":"en"' in complaint
    assert kept.read_bytes() == before


HALVES = {
    "a line of something else": b'{"t":"game"}',
    "no text": b"\xff\xfe\x00a\x00",
    "deep": b"[" * 100_000,
    "deep inside": b'{"t":' + b"[" * 100_000,
    "beyond the first line": b'{"t":"audits","ruleset":"seed"} {}',
}


@pytest.mark.parametrize("data", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["no end", "end"])
def test_a_file_of_something_else_is_left_as_it_was(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, data: bytes, end: bytes
) -> None:
    """One line without an end could be half a line of ours, which would be cut off."""
    file = tmp_path / "other"
    file.write_bytes(data + end)

    for option in ("--resume", "--against"):
        code, _, complaint = audits(capfd, option, file)
        assert (code, complaint.count("\n")) == (2, 1)
        assert f"{file}" in complaint
    assert file.read_bytes() == data + end


def test_half_a_first_line_of_ours_is_written_anew(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "audits.ndjson"
    audits(capfd, "--resume", kept)
    whole = kept.read_bytes()
    for size in (1, 20, whole.index(b"\n")):
        kept.write_bytes(whole[:size])
        audits(capfd, "--resume", kept)
        assert kept.read_bytes() == whole


@pytest.mark.parametrize("option", ["--resume", "--against"])
def test_a_line_without_an_end_is_not_read_to_its_end(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, option: str
) -> None:
    monkeypatch.setattr("api.commands.reports.LONGEST", 1000)
    endless = tmp_path / "endless"
    endless.write_bytes(b"{" + b" " * 2000)
    code, _, complaint = audits(capfd, option, endless)
    assert (code, "over 1000 bytes" in complaint) == (2, True)


def test_a_game_that_has_changed_is_audited_again(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "audits.ndjson"
    audits(capfd, "--resume", kept)
    lines = kept.read_text().splitlines()
    stale = json.loads(lines[5]) | {"head": "00" * 32, "findings": [], "verdict": "stale"}
    kept.write_text("\n".join([*lines[:5], json.dumps(stale), *lines[6:]]) + "\n")

    assert "stale" not in audits(capfd, "--resume", kept)[1]


@pytest.mark.parametrize("words", [("--jobs", "2"), ("--summary",), ("--resume", "file")])
def test_what_belongs_to_the_archive_is_refused_for_one_game(words: tuple[str, ...]) -> None:
    assert main(["audit", "last", *words]) == 2


def test_the_archive_is_audited_without_a_word_for_the_bench(sixty_games: Database) -> None:
    made = db.engine(sixty_games.config)
    found = archive.audited(made, 1)
    made.dispose()

    assert isinstance(found, Tally)
    assert (found.games, found.events) == (60, 3894)


def test_what_changed_in_the_verdicts_is_told(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "before.ndjson"
    reports = [json.loads(line) for line in audits(capfd, "--json")[1].splitlines()]
    file.write_text("".join(json.dumps(one) + "\n" for one in reports))
    assert audits(capfd, "--against", file)[:2] == (0, "")

    broken = next(one for one in reports if one["findings"])
    gone = broken["findings"].pop()
    invented = gone | {"code": "NOT_YOUR_TURN", "rule": "R-6.1"}
    broken["findings"].append(invented)
    file.write_text("".join(json.dumps(one) + "\n" for one in reports))
    code, out, said = audits(capfd, "--against", file)
    rows = {tuple(line.split("\t")) for line in out.splitlines()}
    place = (broken["game_id"], str(gone["version"]), "breach", "ABCDEFGH"[gone["seat"]])
    assert (code, rows) == (
        1,
        {
            (*place, gone["rule"], gone["code"], "new"),
            (*place, "R-6.1", "NOT_YOUR_TURN", "gone"),
        },
    )
    assert "2 findings differ" in said
    assert "60 of 60 games compared" in said


@pytest.mark.parametrize("text", ["", '{"t":"audits"}\n'])
def test_nothing_to_compare_with_is_no_agreement(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "before.ndjson"
    file.write_text(text)
    code, _, complaint = audits(capfd, "--against", file)
    assert (code, "no audit report in" in complaint) == (2, True)


def test_what_was_recorded_since_is_no_change(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "before.ndjson"
    reports = [json.loads(line) for line in audits(capfd, "--json")[1].splitlines()]
    for one in reports:
        one["events"] = 1
        one["findings"], one["unchecked"] = [], []
    file.write_text("".join(json.dumps(one) + "\n" for one in reports[1:]))
    code, _, said = audits(capfd, "--against", file)
    assert (code, "59 of 60 games compared" in said) == (0, True)


@pytest.mark.parametrize("text", ["{}", "no report", '{"game_id":"x"}'])
def test_another_file_is_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "before.ndjson"
    file.write_text(text + "\n")
    code, _, said = audits(capfd, "--against", file)
    assert code == 2
    assert "line 1: no audit report" in said
