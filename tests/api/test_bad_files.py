"""Whatever file a command is given by mistake: one line that names it, exit code 2, and the file stays as it was."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from api.commands import disputes
from tests.api.test_cli import Run, bare, run
from tests.waiting import PATIENCE

__all__ = ["bare", "run"]  # fixtures

pytestmark = pytest.mark.store

READERS = {
    "import": ("import",),
    "import, bulk": ("import", "--bulk"),
    "verify": ("verify",),
    "anchors": ("verify", "--store", "--anchors"),
    "more anchors": ("anchor", "-o"),
    "casebook": ("casebook", "check"),
    "reports kept": ("audit", "--all", "--resume"),
    "reports compared": ("audit", "--all", "--against"),
}
ENDLESS = READERS | {"evidence": ("dispute", "link", "last", "--file")}
CONTENTS = {
    "binary": bytes(range(256)) * 40,
    "utf-16": "game: rummy500\n".encode("utf-16"),
    "half a line": b'{"t":"game"}',
    "another line": b'{"t":"end"}\n',
    "deep": b"[" * 5_000 + b"\n",
    "deep inside": b'{"t":' + b"[" * 5_000,
    "zeros": bytes(100_000),
    "a page": b"<!doctype html>\n<html></html>\n",
    "a bad date": b"type: play\ntitle: 2026-02-31\n",
    "a bad number": b'type: !!int ""\n',
    "no truth": b"type: !!bool perhaps\n",
}
MAKES_IT = {"more anchors", "reports kept"}
"""What begins a new file where there is none."""
LIMIT = 2 * 1024**3


@pytest.mark.parametrize("reader", READERS)
def test_a_file_of_something_else_is_named_and_left_alone(
    run: Run, tmp_path: Path, reader: str
) -> None:
    for name, content in CONTENTS.items():
        file = tmp_path / name
        file.write_bytes(content)
        done = run(*READERS[reader], file)
        assert (done.code, done.err.count("\n")) == (2, 1), (name, done)
        assert done.err.startswith("lanterlog: "), name
        assert str(file) in done.err, name
        assert file.read_bytes() == content, name


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_named(run: Run, tmp_path: Path, reader: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("")
    names = {"loop", "", "file/inside", "none/inside"} | (set() if reader in MAKES_IT else {"none"})
    for name in sorted(names):
        done = run(*READERS[reader], tmp_path / name)
        assert (done.code, done.err.count("\n")) == (2, 1), (name, done)
        assert str(tmp_path / name) in done.err, name


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file here")
@pytest.mark.parametrize(
    "reader", ["import", "verify", "anchors", "casebook", "reports compared", "evidence"]
)
def test_a_file_without_an_end_does_not_eat_the_machine(run: Run, reader: str) -> None:
    """In a process of its own, whose memory has a limit; *run* has set the database."""
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", *ENDLESS[reader], "/dev/zero"],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr[-500:]
    assert "/dev/zero" in done.stderr


def test_evidence_is_a_file_that_has_an_end_and_can_be_read_in_time(
    run: Run, tmp_path: Path
) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(disputes.LARGEST + 1)
    for path, said in ((pipe, "no regular file"), (large, f"at most {disputes.LARGEST}")):
        done = run(*ENDLESS["evidence"], path)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert str(path) in done.err
        assert said in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk here")
@pytest.mark.parametrize(
    "words",
    [("anchor", "-o"), ("export", "--all", "-o"), ("export", "--all", "--format", "csv", "-o")],
    ids=" ".join,
)
def test_a_full_disk_is_said_with_the_file(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words, "/dev/full")
    assert (done.code, done.err) == (2, "lanterlog: /dev/full: No space left on device\n")
    assert not list(Path("/dev").glob(".full*"))


@pytest.mark.parametrize("form", ["ndjson", "html"])
def test_a_place_that_is_not_there_is_named_as_it_was_asked_for(
    run: Run, tmp_path: Path, form: str
) -> None:
    target = tmp_path / "none" / "archive"
    done = run("export", "--all", "--format", form, "-o", target)
    assert (done.code, done.err) == (2, f"lanterlog: {target}: No such file or directory\n")
