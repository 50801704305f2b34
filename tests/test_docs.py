"""What the pages for readers promise: links lead somewhere, commands print what is shown, figures agree."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from api import db
from api.commands.serving import load_samples
from tests.api.test_cli import Run, bare, run
from tests.postgres import Database
from tests.waiting import PATIENCE

__all__ = ["bare", "run"]  # fixtures

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def prose(text: str) -> str:
    """A page without what stands in it as code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """What may stand behind the # of a link to a page."""
    heads = re.findall(r"^#+ (.*)", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose((ROOT / page).read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_is_to_be_found_from_the_first() -> None:
    """Rules, decisions and deployment have lists of their own."""
    lists = README + (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    lists += (ROOT / "docs" / "disputes.md").read_text(encoding="utf-8")
    missing = [str(page) for page in PAGES if page.name not in lists and page.parts[0] == "docs"]
    assert missing in ([], ["docs/decisions/README.md"])


def test_the_figures_of_the_first_page_are_those_of_the_bench() -> None:
    """Each number of the table stands in the full run's tables, which are more exact here and there."""
    bench = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")
    table = README.partition("| what | Lanterlog | beside it |")[2].partition("\n\n")[0]
    found = re.findall(r"\d+,\d{3}", table)
    assert len(found) >= 6
    assert [one for one in found if one not in bench] == []


def commands() -> Iterator[tuple[str, str]]:
    """The commands at a terminal that the first page shows, with what they print."""
    shown = README.partition("## How it works")[0]
    for block in re.findall(r"^```\n(\$ .*?)^```", shown, re.DOTALL | re.MULTILINE):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = piece.partition("\n")
            yield command, printed


@pytest.mark.store
def test_every_command_of_the_first_page_prints_what_it_shows(
    run: Run, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that ask a service are run by tests/api/test_tutorial.py."""
    monkeypatch.chdir(tmp_path)
    with db.opened(database.config) as engine:
        load_samples(engine)
    ran = 0
    for command, printed in commands():
        if command.startswith(("curl ", "GAME=")):
            continue
        words = shlex.split(command)
        match words:
            case ["cat", name]:
                Path(name).write_text(printed)
            case ["sed", *_]:
                subprocess.run(["bash", "-c", command], check=True, timeout=PATIENCE)
            case ["lanterlog", *_]:
                assert spaced(out_of(run, words[1:])) == spaced(printed), command
                ran += 1
            case _:
                pytest.fail(f"nobody runs {command}")
    assert ran >= 10


def spaced(text: str) -> list[list[str]]:
    """The words of each line: where a pipe gets a tab the page shows a column."""
    return [line.split() for line in text.splitlines()]


def out_of(run: Run, words: list[str]) -> str:
    """What a command prints, or the last lines of it where a pipe says so."""
    if "|" not in words:
        return run(*words).out
    at = words.index("|")
    match words[at:]:
        case ["|", "tail", last]:
            lines = run(*words[:at]).out.splitlines(keepends=True)
            return "".join(lines[int(last) :])
        case rest:
            pytest.fail(f"nobody runs {rest}")
