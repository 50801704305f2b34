"""The bench: fair to everybody, whole, and gone without a trace; how fast anything is is not asked here."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from api.bench import add_arguments, contest, main
from api.bench.contest import LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS, Name
from api.bench.report import TITLES, Report, Row, Unit, as_json, as_lines, show
from api.bench.scripts import LENGTH, scripts
from events.game import fold
from events.games import RUMMY500

RUN = "import sys; from api.bench import main, add_arguments; import argparse; \
p = argparse.ArgumentParser(); add_arguments(p); sys.exit(main(p.parse_args()))"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files lie during the test: open to the user as whom root's PostgreSQL runs."""
    made = Path(tempfile.mkdtemp(prefix="bench-test-"))
    made.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield made
    shutil.rmtree(made)


def report(*, rival: bool = True) -> Report:
    """Every figure so that Lanterlog is 20 times as fast as eventsourcing and half as fast as PostgreSQL."""

    def row(key: str) -> Row:
        unit: Unit = "ms" if key.startswith("replay") else "events/s"
        ours = 2.0 if unit == "ms" else 50_000.0
        slow, fast = (20, 0.5) if unit == "ms" else (1 / 20, 2)
        figures: dict[Name, float] = {LANTERLOG: ours, PLAIN: ours * fast}
        if rival:
            figures[RIVAL] = ours * slow
        return Row(key, unit, figures, {})

    return Report([row(key) for key in TITLES], {"fsync": "on"}, quick=True, seconds=1.5)


def test_the_games_are_the_same_every_time_and_differ_from_one_another() -> None:
    first, second = scripts(2)

    assert first.bodies == scripts(1)[0].bodies != second.bodies
    assert len(first.events) == len(first.bodies) == len(first.acts) == LENGTH


def test_the_other_package_ends_with_the_same_cards_in_the_same_places() -> None:
    pytest.importorskip("eventsourcing")
    from api.bench.rival import played

    for script in scripts(4):
        ours, theirs = fold(RUMMY500, script.events), played(script)

        assert theirs.version == LENGTH
        assert [sorted(hand) for hand in theirs.hands] == [sorted(hand) for hand in ours.hands]
        assert (theirs.pile, theirs.stock) == (list(ours.pile), list(ours.stock))
        assert sorted(card for meld in theirs.melds.values() for card in meld) == sorted(
            laid.card for meld in ours.table for laid in meld.cards
        )
        assert (theirs.totals, theirs.dealer) == (list(ours.totals), ours.dealer)


@pytest.mark.store
def test_a_quick_run_measures_everything_and_leaves_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    add_arguments(parser)

    assert main(parser.parse_args(["--quick", "--json"])) == 0

    found = msgspec.json.decode(capsys.readouterr().out)
    assert [row["key"] for row in found["rows"]] == list(TITLES)
    everyone = {LANTERLOG, PLAIN} | (set() if contest.missing(RIVAL) else {RIVAL})
    for row in found["rows"]:
        assert everyone <= row["figures"].keys()
        assert all(figure > 0 for figure in row["figures"].values())
    assert found["server"]["fsync"] == found["server"]["synchronous_commit"] == "on"
    assert len(found["targets"]) == 5
    assert list(folder.iterdir()) == []


@pytest.mark.store
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(folder: Path, sent: signal.Signals, code: int) -> None:
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2]) as run:
        _wait_for(lambda: any(folder.glob("lanterlog-bench-*/data/postmaster.pid")))
        time.sleep(1)
        os.kill(run.pid, sent)
        _, complaints = run.communicate(timeout=60)

    assert run.returncode == code, complaints
    assert list(folder.iterdir()) == []


def _wait_for(there: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_pipe_gets_lines_of_cells() -> None:
    lines = [line.split("\t") for line in as_lines(report()).splitlines()]

    cells = {line[0]: line for line in lines}
    assert cells["append, 1 client"] == [
        "append, 1 client", "events/s", "50,000", "100,000", "2,500", "-", "0.50", "20.00", "-",
    ]  # fmt: skip
    assert cells["replay of 250 events, p50"][2:] == [
        "2.000", "1.000", "40.000", "-", "0.50", "20.00", "-",
    ]  # fmt: skip
    assert [line[3] for line in lines if line[0] == "target"] == ["reached"] * 4 + ["missed"]


def test_targets_say_what_was_found() -> None:
    told = {one["target"]: one for one in msgspec.json.decode(as_json(report()))["targets"]}

    slow = told["audit: at least 60,000 events/s"]
    assert (slow["found"], slow["reached"]) == (50_000, False)


def test_a_package_that_is_not_installed_is_told_from_one_that_is_slow() -> None:
    lacking = report(rival=False)
    output = StringIO()
    show(lacking, Console(file=output, width=250))

    assert "not installed" in as_lines(lacking)
    assert "make bench" in output.getvalue()
    assert [one.reached for one in lacking.verdicts()] == [None, None, None, True, False]


def test_without_the_package_nobody_enters_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "find_spec", lambda name: None)

    assert contest.missing(RIVAL)
    assert contest.missing(RIVAL_FUNCTIONS)
    assert not contest.missing(LANTERLOG)
