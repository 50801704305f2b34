"""The replay as a file of its own: opened from disk, stepped through by keys and buttons, without any network."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenPage, Site

OpenFile = Callable[..., Page]


@pytest.fixture
def open_file(browser: Browser, site: Site, tmp_path: Path) -> Iterator[OpenFile]:
    """Opens a game's file from disk, with the network off; fails for any error and any request but the file's."""
    faults: list[str] = []
    expected: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    context.set_default_timeout(15_000)

    def make(game_id: str, query: str = "", expects: str = "") -> Page:
        if expects:
            expected.append(expects)
        with urlopen(f"{site.url}/v1/games/{game_id}/export.html{query}", timeout=30) as answer:
            (tmp_path / "game.html").write_bytes(answer.read())
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda one: faults.append(one.text) if one.type == "error" else None)
        page.on(
            "request",
            lambda one: (
                None if one.url.startswith(("file:", "data:")) else faults.append(f"to {one.url}")
            ),
        )
        page.goto((tmp_path / "game.html").as_uri())
        page.wait_for_selector("#replay[data-ready]")
        return page

    yield make
    context.close()
    assert [one for one in faults if not any(text in one for text in expected)] == []


def expect_at(page: Page, version: int) -> None:
    expect(page.locator("#at")).to_have_value(str(version))
    expect(page.locator("#moves .here")).to_have_id(f"e{version}")


def told(page: Page) -> str:
    return re.sub(r"\s+", " ", page.locator("#table").inner_text())


@pytest.mark.parametrize("kind", ["rummy", "loo"])
def test_every_version_is_inside_and_looks_as_the_server_draws_it(
    open_file: OpenFile, open_page: OpenPage, request: pytest.FixtureRequest, kind: str
):
    game_id, last = request.getfixturevalue(kind)
    page = open_file(game_id)
    expect_at(page, last)
    for version in (1, 2, last // 3, last // 2, last - 1, last):
        page.fill("#at", str(version))
        page.press("#at", "Enter")
        expect_at(page, version)
        served = open_page(f"/games/{game_id}?at={version}")
        assert told(page) == told(served)
        assert page.locator("#say").inner_text() == served.locator("#say").inner_text()
        served.close()


def test_keys_and_buttons_lead_through_it(open_file: OpenFile, rummy: tuple[str, int]):
    page = open_file(rummy[0])
    page.keyboard.press("Home")
    expect_at(page, 1)
    for version in range(2, 8):
        page.keyboard.press("ArrowRight")
        expect_at(page, version)
    page.keyboard.press("ArrowLeft")
    expect_at(page, 6)
    page.click("#on")
    expect_at(page, 7)
    page.click("#back")
    expect_at(page, 6)
    page.click("#last")
    expect_at(page, rummy[1])
    page.click("#first")
    expect_at(page, 1)
    jumps = json.loads(page.locator("#steps").inner_text())["jumps"]
    page.keyboard.press("ArrowDown")
    expect_at(page, next(version for version in jumps["deals"] if version > 1))
    page.keyboard.press("n")
    expect_at(page, next(version for version in jumps["findings"] if version > jumps["deals"][0]))
    page.click("#e20 a")
    expect_at(page, 20)
    assert page.url.endswith("game.html#20")
    page.click("#e30 a")
    page.go_back()
    expect_at(page, 20)


def test_it_plays_by_itself_and_stops(open_file: OpenFile, rummy: tuple[str, int]):
    page = open_file(rummy[0])
    page.keyboard.press("Home")
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#at")).to_have_value("3")
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_it_speaks_the_language_asked_for(open_file: OpenFile, rummy: tuple[str, int]):
    page = open_file(rummy[0], "?lang=ja")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator(".moves-box summary")).to_have_text("手順")


def test_it_runs_no_script_but_its_own(open_file: OpenFile, rummy: tuple[str, int]):
    page = open_file(rummy[0], expects="violates the following Content Security Policy")
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.body.dataset.ran = '1'";
          document.body.append(script);
        }"""
    )
    expect(page.locator("body[data-ran]")).to_have_count(0)
