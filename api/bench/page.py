"""The replay page in a real browser: how long a long game takes to open, and one step to be on the screen.

Needs Playwright for Python and a Chromium in PATH, both of the development tools; without them nothing is
measured. The server is one of the bench's own with a folder of its own, gone afterwards.
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.request import Request, urlopen

from api.bench.group import OURS, Group, Means, Row, Target
from events.errors import BenchError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LIMIT: Final = "limit"
_OPEN: Final = 1000.0
_FRAME: Final = 16.0
_LEAST: Final = 1700
_BEGIN: Final = 900
_STEPS: Final = 120
_PATIENCE: Final = 60.0
_LOG: Final = (
    "simulate",
    "--seats",
    "4",
    "--seed",
    "1",
    "--ruleset",
    "seed target=5000",
    "--deals",
    "36",
)
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_OPENED: Final = "performance.getEntriesByType('navigation')[0].loadEventEnd"
# Begun at the start of a frame; the message is read once that frame has been painted. The pause is long enough for
# the cards of the step before to arrive: who goes faster sees none fly, and waits for less.
_STEPPED: Final = """(count) => new Promise((done) => {
  const times = [];
  const channel = new MessageChannel();
  let begun = 0;
  const step = () => requestAnimationFrame(() => {
    begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    channel.port2.postMessage(0);
  });
  channel.port1.onmessage = () => {
    times.push(performance.now() - begun);
    if (times.length < count) setTimeout(step, 200);
    else done(times);
  };
  step();
})"""


def measure(means: Means) -> list[Row]:
    """Return the rows, none where there is no browser."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None or find_spec("playwright") is None:
        means.say("page: no Chromium or no Playwright")
        return []
    means.say("page: a long game")
    with _served() as (address, game):
        means.say("page: opening and stepping")
        opened, stepped = _looked(browser, f"{address}games/{game}?at={_BEGIN}", means.size.rounds)
    ordered = sorted(stepped)
    return [
        _row("page_open", statistics.median(opened), _OPEN, opened),
        _row("page_step_p50", statistics.median(ordered), _FRAME, ordered),
        _row("page_step_p95", ordered[int(len(ordered) * 0.95)], _FRAME, ordered),
    ]


def _row(key: str, found: float, limit: float, rounds: list[float]) -> Row:
    return Row(key, "ms", {OURS: found, LIMIT: limit}, {OURS: rounds})


def _looked(browser: str, address: str, rounds: int) -> tuple[list[float], list[float]]:
    """Return how long the page took to load, each time with nothing kept, and how long each step took."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        opened = [float(_page(chromium, address).evaluate(_OPENED)) for _ in range(rounds)]
        page = _page(chromium, address)
        page.wait_for_timeout(1000)
        stepped: list[float] = page.evaluate(_STEPPED, _STEPS)
        shown = int(page.locator("#at").input_value())
        chromium.close()
    if shown != _BEGIN + _STEPS:
        raise BenchError(f"{_STEPS} steps from {_BEGIN}, but {shown} is shown")
    return opened, stepped


def _page(chromium: "Browser", address: str) -> "Page":
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.wait_for_selector("#replay[data-ready]")
    return page


@contextmanager
def _served() -> Iterator[tuple[str, str]]:
    """Serve a game that is long enough; yield the address and the game's id. Raises BenchError."""
    home = Path(tempfile.mkdtemp(prefix="lanterlog-bench-"))
    home.chmod(0o755)
    ours = {name: text for name, text in environ.items() if not name.endswith("DATABASE_URL")}
    ours |= {"LANTERLOG_HOME": str(home / "data")}
    command = [sys.executable, "-m", "api.cli"]
    out = home / "serve.out"
    try:
        log = home / "log.ndjson"
        made = subprocess.run(  # noqa: S603 - ourselves
            [*command, *_LOG, "-o", str(log)], env=ours, capture_output=True, check=False
        )
        if made.returncode:
            raise BenchError(f"no game to show: {made.stderr.decode()[-200:]}")
        with out.open("w") as stream:
            server = subprocess.Popen(  # noqa: S603 - ourselves
                [*command, "serve", "--port", "0"], env=ours, stdout=stream, stderr=stream
            )
        try:
            address = _address(server, out)
            yield address, _brought(address, log.read_bytes())
        finally:
            server.terminate()
            server.wait(_PATIENCE)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _address(server: "subprocess.Popen[bytes]", out: Path) -> str:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and server.poll() is None:
        found = re.search(r"http://\S+?/(?=\s)", out.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    raise BenchError(f"not served: {out.read_text()[-200:]}")


def _brought(address: str, log: bytes) -> str:
    """Import the log and return the game's id."""
    headers = {"Content-Type": "application/octet-stream"}
    request = Request(f"{address}v1/import", log, headers)  # noqa: S310 - our own server
    with urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
        found: dict[str, Any] = json.load(answer)
    if found["events"] < _LEAST:
        raise BenchError(f"a game of {found['events']} events, expected {_LEAST} or more")
    return str((found["imported"] or found["present"])[0])


GROUP: Final = Group(
    name="page",
    titles={
        "page_open": "replay page, a long game opened",
        "page_step_p50": "replay page, a step painted, p50",
        "page_step_p95": "replay page, a step painted, p95",
    },
    heads={OURS: "Lanterlog", LIMIT: "may take"},
    steps=2,
    measure=measure,
    targets=(
        Target("page_open", LIMIT, 1, f"a game of over {_LEAST:,} events opens within 1 s"),
        Target("page_step_p50", LIMIT, 1, "a step is painted within one frame of 16 ms, median"),
        Target("page_step_p95", LIMIT, 1, "a step is painted within one frame of 16 ms, p95"),
    ),
    notes=(
        "Page: headless Chromium with an empty cache, to the load event; a step from the key to the painted frame.",
    ),
)
