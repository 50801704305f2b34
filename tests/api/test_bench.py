"""The bench: fair to everybody, whole, and gone without a trace; how fast anything is is not asked here."""

import random
import shutil
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from msgspec import structs
from rich.console import Console

from api.bench import add_arguments, archive, audits, contest, http, main, rules, storing
from api.bench.contest import LANTERLOG, PLAIN, RIVAL, RIVAL_FUNCTIONS
from api.bench.group import FULL, OURS, Means, Row, Size, Unit
from api.bench.groups import GROUPS, chosen
from api.bench.http_load import FOLLOWERS, RECORDERS, Took
from api.bench.place import temporary
from api.bench.report import Part, Report, as_json, as_lines, as_markdown, show
from api.bench.scripts import LENGTH, scripts
from events.errors import BadUsage, BenchError
from events.game import fold
from events.games import RUMMY500
from tests.served import ROOT, children, command_of
from tests.waiting import PATIENCE, until

RUN = "import sys; from api.bench import main, add_arguments; import argparse; \
p = argparse.ArgumentParser(); add_arguments(p); sys.exit(main(p.parse_args()))"


TINY = Size(rounds=1, seconds=0.05, games=1, scripts=1, replays=20, hands=1, growth=(1_000, 2_000))


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files lie during the test: open to the user as whom root's PostgreSQL runs."""
    made = Path(tempfile.mkdtemp(prefix="bench-test-"))
    made.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield made
    shutil.rmtree(made)


def report(*, rival: bool = True, lost: float = 0.0) -> Report:
    """Every figure so that Lanterlog is 20 times as fast as eventsourcing and half as fast as PostgreSQL."""

    def row(key: str) -> Row:
        if key == "append_lost":
            return Row(key, "events", dict.fromkeys((LANTERLOG, PLAIN), lost), {})
        unit: Unit = "ms" if key.startswith("replay") else "events/s"
        ours = 2.0 if unit == "ms" else 50_000.0
        slow, fast = (20, 0.5) if unit == "ms" else (1 / 20, 2)
        figures: dict[str, float] = {LANTERLOG: ours, PLAIN: ours * fast}
        if rival:
            figures[RIVAL] = ours * slow
        return Row(key, unit, figures, {})

    part = Part(storing.GROUP, [row(key) for key in storing.GROUP.titles])
    return Report([part], {"fsync": "on"}, quick=True, seconds=1.5)


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
def test_a_quick_run_measures_the_store_beside_everybody_and_leaves_nothing(
    folder: Path,
) -> None:
    command = [sys.executable, "-c", RUN, "--quick", "--json", "--only", "store"]
    run = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, timeout=4 * PATIENCE)

    assert run.returncode == 0, run.stderr
    found = msgspec.json.decode(run.stdout)
    assert [row["key"] for row in found["rows"]] == list(storing.GROUP.titles)
    everyone = {LANTERLOG, PLAIN} | (set() if contest.missing(RIVAL) else {RIVAL})
    for row in found["rows"]:
        assert everyone <= row["figures"].keys()
        least = 0 if row["key"] == "append_lost" else 1e-9
        assert all(figure >= least for figure in row["figures"].values())
        assert row["key"] != "append_lost" or not any(row["figures"].values())
    assert found["server"]["fsync"] == found["server"]["synchronous_commit"] == "on"
    assert len(found["targets"]) == len(storing.GROUP.targets)
    assert list(folder.iterdir()) == []


@pytest.mark.store
def test_the_archive_is_measured_at_every_size_and_leaves_nothing(folder: Path) -> None:
    told: list[str] = []

    rows = {row.key: row for row in archive.measure(Means(TINY, told.append))}

    sizes = {f"{key}_at_{size}" for key in ("replay", "append") for size in TINY.growth}
    assert sizes < rows.keys()
    everywhere = {key for key in archive.GROUP.titles if "_at_" not in key}
    assert everywhere == rows.keys() - sizes
    pages = {"disk_singly", "disk_commands"}  # so few events may still find room in what is there
    timed = [row for key, row in rows.items() if key not in pages]
    assert all(figure > 0 for row in timed for figure in row.figures.values())
    assert 100 < rows["disk_events"].figures[OURS] < 1_000
    assert archive.ONE in rows["whole_audit"].figures
    assert len(told) == archive.GROUP.steps - len(FULL.growth) + len(TINY.growth)
    assert list(folder.iterdir()) == []


def test_groups_without_a_server_are_measured_without_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none_is_started() -> None:
        raise AssertionError("a server was started")

    monkeypatch.setattr("api.bench.command.temporary", none_is_started)
    monkeypatch.setattr("api.bench.command.QUICK", TINY)
    monkeypatch.setattr(rules, "HANDS", {7: 1})
    parser = ArgumentParser()
    add_arguments(parser)

    assert main(parser.parse_args(["--quick", "--json", "--only", "rules", "--only", "audit"])) == 0

    found = msgspec.json.decode(capsys.readouterr().out)
    assert {row["group"] for row in found["rows"]} == {"audit", "rules"}
    assert {"audit_irish", "corpus_a", "legal_7", "simulated_loo5"} <= {
        row["key"] for row in found["rows"]
    }
    assert found["server"] == {}


def test_every_group_names_its_rows_columns_and_targets() -> None:
    keys = [key for group in GROUPS for key in group.titles]
    assert len(set(keys)) == len(keys)
    for group in GROUPS:
        assert next(iter(group.heads)) == OURS
        assert {target.row for target in group.targets} <= group.titles.keys()
        assert {target.against for target in group.targets} - {None} <= group.heads.keys()


def test_a_group_is_chosen_by_its_name() -> None:
    assert chosen(()) == GROUPS
    assert chosen(("rules", "store")) == (storing.GROUP, rules.GROUP)
    with pytest.raises(
        BadUsage, match="no group of measures 'speed', expected one of store, archive, audit"
    ):
        chosen(("speed",))


def test_without_the_corpora_their_rows_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(audits, "_CORPORA", tmp_path)
    part = Part(audits.GROUP, audits.measure(Means(TINY, lambda _: None)))

    assert not {"corpus_a", "corpus_b"} & {row.key for row in part.rows}
    assert [one.reached for one in part.verdicts() if "corpus" in one.target.text] == [None, None]


def test_a_group_that_asks_for_no_server_has_none() -> None:
    with pytest.raises(BenchError, match="expected needs_server=True"):
        _ = Means(TINY, lambda _: None).server


@pytest.mark.parametrize("size", rules.HANDS)
def test_hands_to_list_acts_of_are_as_large_as_they_say(size: int) -> None:
    first, again = (rules.turn_with(size, random.Random(1)) for _ in range(2))
    cards = [card for card in first.hands[0] if card[0] != "X"]

    assert first == again
    assert (len(first.hands[0]), len(first.hands[0]) - len(cards)) == (size, rules.HANDS[size])
    assert len({*cards, *(laid.card for meld in first.table for laid in meld.cards)}) == (
        len(cards) + 12
    )


@pytest.mark.store
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(folder: Path, sent: signal.Signals, code: int) -> None:
    with started() as run:
        until(lambda: any(folder.glob("lanterlog-bench-*/data/postmaster.pid")))
        run.send_signal(sent)
        _, complaints = run.communicate(timeout=PATIENCE)

    assert run.returncode == code, complaints
    assert list(folder.iterdir()) == []


@pytest.mark.store
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_interrupted_while_its_clients_start_ends(
    folder: Path, sent: signal.Signals, code: int
) -> None:
    """Ctrl-C was lost then, and the run went on to its end."""
    with started() as run:
        until(lambda: b"forkserver" in b"".join(map(command_of, children(run.pid))))
        run.send_signal(sent)
        _, complaints = run.communicate(timeout=PATIENCE)

    assert run.returncode == code, complaints
    assert b"Traceback" not in complaints
    assert list(folder.iterdir()) == []


@contextmanager
def started() -> Iterator[subprocess.Popen[bytes]]:
    """A full run, which takes minutes; killed if it has not ended when the block is left."""
    run = subprocess.Popen([sys.executable, "-c", RUN], stderr=subprocess.PIPE, cwd=ROOT)
    try:
        yield run
    finally:
        run.kill()
        run.wait(PATIENCE)
        assert run.stderr is not None
        run.stderr.close()


def test_a_pipe_gets_lines_of_cells() -> None:
    lines = [line.split("\t") for line in as_lines(report()).splitlines()]

    cells = {line[0]: line for line in lines}
    assert cells["append, 1 client"] == [
        "append, 1 client", "events/s", "50,000", "100,000", "2,500", "-", "0.50", "20.00", "-",
    ]  # fmt: skip
    assert cells["replay of 250 events, p50"][2:] == [
        "2.000", "1.000", "40.000", "-", "0.50", "20.00", "-",
    ]  # fmt: skip
    assert cells["appends lost or doubled"][2:] == ["0", "0", "-", "-", "-", "-", "-"]
    assert [line[3] for line in lines if line[0] == "target"] == ["reached"] * 7


def test_a_page_gets_tables_without_the_columns_that_nobody_filled() -> None:
    lines = as_markdown(report(rival=True)).splitlines()

    heads = next(line for line in lines if line.startswith("|  | unit"))
    assert "eventsourcing" in heads
    assert "SQL functions" not in heads
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
    assert "- appends: none lost, none doubled: 0.00, reached" in lines


def test_targets_say_what_was_found() -> None:
    lossy = msgspec.json.decode(as_json(report(lost=3.0)))["targets"]
    told = {one["target"]: one for one in lossy}

    lost = told["appends: none lost, none doubled"]
    assert (lost["found"], lost["reached"]) == (3, False)
    half = told["append, 8 clients: at least half of PostgreSQL alone"]
    assert (half["found"], half["reached"]) == (0.5, True)


def test_a_package_that_is_not_installed_is_told_from_one_that_is_slow() -> None:
    lacking = report(rival=False)
    output = StringIO()
    show(lacking, Console(file=output, width=250))

    assert "not installed" in as_lines(lacking)
    assert "make bench" in output.getvalue()
    assert [one.reached for one in lacking.verdicts()] == [
        True, None, True, True, None, None, True
    ]  # fmt: skip


def test_without_the_package_nobody_enters_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "find_spec", lambda name: None)

    assert contest.missing(RIVAL)
    assert contest.missing(RIVAL_FUNCTIONS)
    assert not contest.missing(LANTERLOG)


@pytest.mark.store
def test_the_service_is_measured_under_load_and_leaves_nothing(folder: Path) -> None:
    with temporary() as place:
        size = structs.replace(TINY, load=1.0)
        rows = http.measure(Means(size, lambda _: None, place))

    assert [row.key for row in rows] == list(http.GROUP.titles)
    assert all(figure > 0 for row in rows for figure in row.figures.values())
    beside = {row.key for row in rows if http.OK in row.figures}
    assert beside == {
        f"http_{kind}_{rank}" for kind in ("append", "state") for rank in ("p50", "p99")
    }
    assert [one.reached for one in Part(http.GROUP, rows).verdicts()] != [None, None]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("milliseconds", "reached"), [(249.0, True), (251.0, False)])
def test_of_what_less_is_better_a_target_is_the_most(milliseconds: float, reached: bool) -> None:
    part = Part(http.GROUP, [Row("http_append_p99", "ms", {OURS: milliseconds}, {})])

    assert [one.reached for one in part.verdicts()] == [reached, None]


def test_an_act_that_a_follower_is_not_told_ends_the_bench() -> None:
    games = [str(number) for number in range(RECORDERS)]
    took = [Took(sent={(game, 2): 1.0}) for game in games]
    told = [{(games[number % len(games)], 2): 1.5} for number in range(FOLLOWERS)]

    assert http._delays(took, told) == [0.5] * FOLLOWERS
    with pytest.raises(BenchError, match="49 acts came to followers, expected 50"):
        http._delays(took, [{}, *told[1:]])
