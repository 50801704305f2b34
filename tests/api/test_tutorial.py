"""The tutorial says what happens: its commands are run against a real service, in bash, and print what it shows."""

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.postgres import Database
from tests.served import ROOT, Served
from tests.waiting import PATIENCE

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARYING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r'"head":"[0-9a-f]*'), '"head":"...'),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\dZ]*"), "TIME"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7(?!000)[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "ID"),
)


class Block(msgspec.Struct):
    """A piece of the page in fences: words behind the opening one, and what stands in between."""

    words: list[str]
    text: str


def blocks() -> list[Block]:
    return [Block(words.split(), text) for words, text in BLOCK.findall(PAGE.read_text())]


def steady(text: str) -> str:
    """Return a text without what is another one every time."""
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return text


class Terminals:
    """The reader's terminals: bash for the first, and one for each that follows."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder, self._so_far = url, folder, ""
        self._following: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, text: str) -> str:
        """Run a block after all that were run before, which only set variables again; return what it prints."""
        text = text.replace("http://localhost:8500", self._url)
        script = f"set -u; cd {ROOT}\n{self._so_far}cd {self._folder}; ln -sfn {ROOT}/.venv .venv\n{text}"
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.stderr == "", text
        self._so_far += "".join(re.findall(r"^\w+(?:=|\(\)).*\n", text, re.MULTILINE))
        return done.stdout

    def follow(self, name: str, text: str) -> None:
        """Run a block in a terminal of its own, until the service ends what it follows."""
        with (self._folder / name).open("wb") as out:
            self._following[name] = subprocess.Popen(
                ["bash", "-c", self._so_far + text], stdout=out
            )

    def followed(self, name: str, lines: int) -> str:
        """Wait until that many lines have come, and return all that has."""
        end = time.monotonic() + PATIENCE
        while (text := (self._folder / name).read_text()).count("\n") < lines:
            assert time.monotonic() < end, text
            time.sleep(0.05)
        return text

    def end(self) -> None:
        """Wait until what is followed has ended, as it does when the service stops."""
        for one in self._following.values():
            one.wait(PATIENCE)


@contextmanager
def terminals_of(served: Served, folder: Path) -> Iterator[Terminals]:
    """The reader's terminals; the service has stopped when the block is left."""
    url = re.sub(r"/healthz$", "", next(one for one in served.links() if one.endswith("/healthz")))
    terminals = Terminals(url.replace("127.0.0.1", "localhost"), folder)
    try:
        yield terminals
    finally:
        served.stop(signal.SIGTERM)
        terminals.end()


def told(terminals: Terminals) -> Iterator[tuple[Block, str]]:
    """Go through the page; yield every block of output with what was printed."""
    printed = ""
    for before, block in pairwise([Block([], ""), *blocks()]):
        match block.words:
            case ["bash", "server"]:
                pass
            case ["bash", "second", name]:
                terminals.follow(name, block.text)
            case ["bash"]:
                assert before.words != ["bash"], f"nothing shown after {before.text}"
                printed = terminals.run(block.text)
            case [name]:
                yield block, terminals.followed(name, block.text.count("\n"))
            case []:
                yield block, printed


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_every_command_prints_what_the_page_shows(home: Path, database: Database, tmp_path: Path):
    shown = 0
    with (
        Served(home, settings={"DATABASE_URL": database.app_url}) as served,
        terminals_of(served, tmp_path) as terminals,
    ):
        for block, printed in told(terminals):
            assert steady(printed) == steady(block.text)
            shown += 1
    assert shown >= 9


@pytest.mark.store
@pytest.mark.http
@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq here")
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_the_first_page_plays_at_a_refereed_table(home: Path, database: Database, tmp_path: Path):
    page = (ROOT / "README.md").read_text()
    [block] = [one for _, one in BLOCK.findall(page) if one.startswith("$ GAME=")]
    pieces = [one.splitlines() for one in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    script, shown = "", list[str]()
    for lines in pieces:
        size = next(i for i, line in enumerate(lines, 1) if not line.endswith("\\"))
        script += "\n".join(lines[:size]) + "\n"
        shown += lines[size:]
    with (
        Served(home, settings={"DATABASE_URL": database.app_url}) as served,
        terminals_of(served, tmp_path) as terminals,
    ):
        assert terminals.run(script.replace("localhost:8500", "http://localhost:8500")) == (
            "\n".join(shown) + "\n"
        )
    assert len(shown) == 3
