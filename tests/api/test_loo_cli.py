"""Lanterloo on the command line: a sample evening is imported, replayed, audited and written out again."""

from importlib.resources import as_file, files
from pathlib import Path

import pytest

from events.formats.detect import read_file
from tests.api.test_cli import Run, bare, run  # noqa: F401  (fixtures)
from tests.postgres import Database

pytestmark = pytest.mark.store


@pytest.fixture
def evening(run: Run, database: Database) -> Run:  # noqa: F811
    """A store with the sample evening."""
    with as_file(files("events.samples") / "evening-of-loo.txt") as path:
        assert run("import", path).code == 0
    return run


def test_an_evening_is_replayed_in_words(evening: Run):
    done = evening("replay", "last")
    assert done.code == 0
    for words in ("E antes 3", "turn-up: 7H", "A QS", "E trick 1", "looed 3", "A miss"):
        assert words in done.out, words


def test_a_moment_of_the_evening_shows_the_trick_and_the_pool(evening: Run):
    done = evening("replay", "last", "--at", "24")
    assert done.code == 0
    assert "Trumps H (turned up: 7H)" in done.out
    assert "Pool   3, played for: 3, a single" in done.out
    assert "Trick" in done.out


def test_the_audit_finds_the_disputed_trick_and_nothing_else(evening: Run):
    done = evening("audit", "last")
    assert done.code == 1
    assert "MUST_HEAD" in done.out
    assert "1 breach" in done.out


def test_the_evening_goes_out_as_text_and_comes_in_again(evening: Run, tmp_path: Path):
    path = tmp_path / "evening.txt"
    assert evening("export", "last", "--format", "txt", "-o", path).code == 0
    with path.open("rb") as file:
        (again,) = read_file(file)
    assert sorted(again.names.values())[:2] == ["Aunt Euphemia Pell", "Captain Bellamy"]
    assert len(again.remarks) == 27
