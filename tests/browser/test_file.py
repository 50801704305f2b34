"""The replay as a file of its own: opened from disk, stepped through by keys and buttons, without any network."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenPage, Site
from tests.waiting import PATIENCE, until

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


def show(served: Page, game_id: str, version: int) -> None:
    """Have a moment of a game drawn by the server, in a page that is open."""
    served.goto(f"/games/{game_id}?at={version}")
    served.wait_for_selector("#replay[data-ready]")


def told(page: Page) -> str:
    return re.sub(r"\s+", " ", page.locator("#table").inner_text())


@pytest.mark.parametrize("kind", ["rummy", "loo"])
def test_every_version_is_inside_and_looks_as_the_server_draws_it(
    open_file: OpenFile, open_page: OpenPage, request: pytest.FixtureRequest, kind: str
):
    game_id, last = request.getfixturevalue(kind)
    page = open_file(game_id)
    served = open_page("/about")
    expect_at(page, last)
    for version in (1, 2, last // 3, last // 2, last - 1, last):
        page.fill("#at", str(version))
        page.press("#at", "Enter")
        expect_at(page, version)
        show(served, game_id, version)
        assert told(page) == told(served)
        assert page.locator("#say").inner_text() == served.locator("#say").inner_text()


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


@pytest.fixture
def stretch(site: Site, loo: tuple[str, int]) -> str:
    """Three games of the archive side by side, two of Rummy and then one of Lanterloo."""

    def positions() -> dict[str, int]:
        with urlopen(f"{site.url}/v1/export?until=15", timeout=PATIENCE) as answer:
            lines = [json.loads(line) for line in answer]
        return {line["game_id"]: line["position"] for line in lines if line["t"] == "part"}

    until(lambda: len(positions()) == 15)  # what was taken in is in the ledger a moment later
    last = positions()[loo[0]]
    return f"since={last - 3}&until={last}"


@pytest.fixture
def open_volume(
    browser: Browser, site: Site, stretch: str, tmp_path: Path
) -> Iterator[Callable[..., Page]]:
    """Opens three games in one file from disk, two of Rummy and one of Lanterloo, as `open_file` opens one."""
    faults: list[str] = []
    contexts: list[Any] = []

    def make(query: str = "", alter: Callable[[bytes], bytes] = bytes, **options: Any) -> Page:
        wide: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "offline": True}
        context = browser.new_context(**(wide | options))
        contexts.append(context)
        context.set_default_timeout(30_000)
        address = f"{site.url}/v1/export?format=html&{stretch}{query}"
        with urlopen(address, timeout=2 * PATIENCE) as answer:
            (tmp_path / "games.html").write_bytes(alter(answer.read()))
        page: Page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda one: faults.append(one.text) if one.type == "error" else None)
        page.on(
            "request",
            lambda one: (
                None if one.url.startswith(("file:", "data:")) else faults.append(f"to {one.url}")
            ),
        )
        page.goto((tmp_path / "games.html").as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("body[data-ready]")
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


def test_a_file_of_many_games_lists_them_and_replays_each(
    open_volume: Callable[..., Page], open_page: OpenPage
):
    page = open_volume()
    served = open_page("/about")
    rows = page.locator("#list tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("#cut")).to_have_count(0)
    kinds = set()
    for number in range(3):
        expect(page.locator("#game")).to_be_hidden()
        position = str(rows.nth(number).locator("a").get_attribute("href"))
        words = rows.nth(number).inner_text()
        rows.nth(number).locator("a").click()
        expect(page.locator("#list")).to_be_hidden()
        heading = page.locator("#shown h1").inner_text()
        assert heading in words
        assert page.title() == f"{heading} · Lanterlog"
        game_id = page.locator("#replay").get_attribute("data-game")
        last = int(str(page.locator("#replay").get_attribute("data-last")))
        expect_at(page, last)
        for version in (last // 2, 1):
            page.fill("#at", str(version))
            page.press("#at", "Enter")
            expect_at(page, version)
            assert page.url.endswith(f"games.html{position}.{version}")
            show(served, str(game_id), version)
            assert told(page) == told(served)
        page.locator("#moves").press("ArrowRight")
        expect_at(page, 2)
        kinds.add(str(page.locator("#replay").get_attribute("class")))
        page.locator("#moves").press("Escape")
        expect(page.locator("#list tbody a").nth(number)).to_be_focused()
    assert kinds == {"replay rummy500", "replay lanterloo"}


def test_in_a_file_of_many_games_the_address_leads_back(open_volume: Callable[..., Page]):
    page = open_volume()
    page.locator("#list tbody a").first.click()
    last = page.locator("#at").input_value()
    page.click("#e20 a")
    expect_at(page, 20)
    page.click("#next")
    expect(page.locator("#before")).to_be_visible()
    second = page.locator("#replay").get_attribute("data-game")
    page.go_back()
    expect_at(page, 20)
    expect(page.locator("#before")).to_be_hidden()
    page.go_back()
    expect_at(page, int(last))
    page.go_back()
    expect(page.locator("#list")).to_be_visible()
    page.keyboard.press("ArrowRight")  # nothing is replayed
    hrefs = [one.get_attribute("href") for one in page.locator("#list tbody a").all()]
    page.evaluate("hash => { location.hash = hash; }", f"{hrefs[1]}.7")
    expect_at(page, 7)
    assert page.locator("#replay").get_attribute("data-game") == second
    page.evaluate("hash => { location.hash = hash; }", '#nowhere"]')
    expect(page.locator("#list")).to_be_visible()


@pytest.mark.parametrize("within", [b'"says":[', b"</script>"], ids=["its data", "its row"])
def test_a_file_that_was_cut_off_says_so_and_replays_what_came(
    open_volume: Callable[..., Page], within: bytes
):
    def cut(data: bytes) -> bytes:
        return data[
            : data.index(within, data.rindex(b"</tr>", 0, data.rindex(b'id="g'))) + len(within) + 4
        ]

    page = open_volume(alter=cut)
    expect(page.locator("#cut")).to_be_visible()
    expect(page.locator("#list tbody tr")).to_have_count(2)
    page.locator("#list tbody a").last.click()
    expect(page.locator("#replay")).to_be_visible()
    expect(page.locator("#next")).to_be_hidden()


def test_a_file_of_many_games_can_be_read_without_scripts_and_on_a_phone(
    open_volume: Callable[..., Page],
):
    page = open_volume("&lang=ja", java_script_enabled=False)
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator("#cut")).to_be_hidden()
    expect(page.locator("noscript")).to_be_visible()
    expect(page.locator("#list tbody tr")).to_have_count(3)
    page = open_volume(viewport={"width": 375, "height": 700}, color_scheme="dark")
    for act in (lambda: None, page.locator("#list tbody a").last.click):
        act()
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 24, 27)"
    for button in page.locator(".turning a:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    expect(page.locator("#say")).to_be_in_viewport()
