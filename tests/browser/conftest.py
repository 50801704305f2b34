"""A real server with the sample games, and a real Chromium that looks at it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.postgres import scratch
from tests.served import Served, command, environment
from tests.waiting import PATIENCE

OpenPage = Callable[..., Page]


def chromium() -> str | None:
    """Where the system's Chromium is."""
    return (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


class Site:
    """The running service and the games that it holds."""

    def __init__(self, url: str, home: Path | None = None) -> None:
        self.url, self.home = url, home

    def json(self, path: str, body: Any = None, **headers: str) -> Any:
        """Call the interface; a body makes it a POST."""
        data = None if body is None else json.dumps(body).encode()
        headers = (
            {"Accept": "application/json"}
            | ({"Content-Type": "application/json"} if data else {})
            | headers
        )
        with urlopen(Request(self.url + path, data, headers), timeout=PATIENCE) as answer:
            return json.load(answer)

    def bring(self, log: bytes) -> str:
        """Import a log and return the id of its first game."""
        headers = {"Content-Type": "application/octet-stream"}
        with urlopen(Request(f"{self.url}/v1/import", log, headers), timeout=PATIENCE) as answer:
            found = json.load(answer)
        return str((found["imported"] or found["present"])[0])

    def longest(self, game: str) -> tuple[str, int]:
        """Return the longest sample of a game: its id and its last version."""
        games = [one for one in self.json("/v1/games?limit=100")["games"] if one["game"] == game]
        found = max(games, key=lambda one: (one["version"], one["game_id"]))
        return found["game_id"], found["version"]


@contextmanager
def serving() -> Iterator[tuple[Site, Served]]:
    """Serve the sample games from a fresh store."""
    folder = scratch() / f"lanterlog-browser-{uuid4().hex[:12]}"
    folder.mkdir(mode=0o755)
    try:
        with Served(folder, "--samples") as served:
            yield Site(served.links()[0].rstrip("/"), folder), served
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A server of the run's own, with the sample games."""
    with serving() as (found, _):
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    path = chromium()
    missing = "no Chromium found, expected one in PATH" if path is None else _driver_fault()
    if missing is not None:
        if os.environ.get("LANTERLOG_REQUIRE_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


def _driver_fault() -> str | None:
    """Why Playwright's own program does not run here, None if it does: it leans on a library of the system."""
    command = [sys.executable, "-m", "playwright", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    return (
        None if done.returncode == 0 else f"Playwright does not run: {done.stderr.strip()[-300:]}"
    )


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[OpenPage]:
    """Opens pages; fails the test for an error on the page or a request to elsewhere.

    `expects` is a status that one of the page's requests is to end with, which browsers call an error, or several
    beginnings of one.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    expected: list[str] = []

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: faults.append(message.text) if message.type == "error" else None,
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(site.url)
                else faults.append(f"request to {request.url}")
            ),
        )

    def make(
        path: str, *, ready: bool = True, expects: str | tuple[str, ...] = (), **options: Any
    ) -> Page:
        foreseen = (expects,) if isinstance(expects, str) else expects
        expected.extend(f"status of {one}" if one[0].isdigit() else one for one in foreseen)
        context = browser.new_context(
            base_url=site.url, **({"viewport": {"width": 1280, "height": 900}} | options)
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        listen(page)
        page.goto(path)
        if (
            ready
            and "/games/" in path
            and "/report" not in path
            and options.get("java_script_enabled", True)
        ):
            page.wait_for_selector("#replay[data-ready]")
        return page

    yield make
    for context in contexts:
        context.close()
    unforeseen = [one for one in faults if not any(text in one for text in expected)]
    assert unforeseen == []


@pytest.fixture(scope="session")
def rummy(site: Site) -> tuple[str, int]:
    """The longest sample of 500 Rummy."""
    return site.longest("rummy500")


@pytest.fixture(scope="session")
def loo(site: Site) -> tuple[str, int]:
    """The longest sample of Lanterloo."""
    return site.longest("lanterloo")


@pytest.fixture(scope="session")
def simulated() -> Callable[..., bytes]:
    """Makes logs of games played by programs."""

    def make(*words: str) -> bytes:
        folder = scratch() / f"lanterlog-log-{uuid4().hex[:12]}"
        folder.mkdir()
        try:
            target = folder / "games.ndjson"
            done = command("simulate", *words, "-o", target, env=environment(folder))
            assert done.returncode == 0, done.stderr
            return target.read_bytes()
        finally:
            shutil.rmtree(folder)

    return make


@pytest.fixture(scope="session")
def callable_game(site: Site, simulated: Callable[..., bytes]) -> tuple[str, int]:
    """A game of 500 Rummy, and a version at which somebody may call a card."""
    game = site.bring(simulated("--seed", "5", "--seats", "3", "--deals", "3"))
    last = site.json(f"/v1/games/{game}")["version"]
    for version in range(20, last):
        state = site.json(f"/v1/games/{game}/state?at={version}")["state"]
        if state["callable"]:
            return game, version
    pytest.fail("no card can be called in this game")


@pytest.fixture(scope="session")
def crowded(site: Site, simulated: Callable[..., bytes]) -> tuple[str, int]:
    """A game of four with many melds, and a version at which there are eight of them."""
    words = ("--seats", "4", "--seed", "5", "--ruleset", "rummy5000", "--deals", "1")
    game = site.bring(simulated(*words))
    last = site.json(f"/v1/games/{game}")["version"]
    for version in range(last, 1, -1):
        state = site.json(f"/v1/games/{game}/state?at={version}")["state"]
        if len(state["melds"]) >= 8:
            return game, version
    pytest.fail("no eight melds in this game")
