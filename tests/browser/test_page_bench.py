"""The bench of the page: it measures steps that are really taken, and nothing where there is no browser."""

import pytest
from playwright.sync_api import Browser

from api.bench import page
from api.bench.group import OURS, QUICK, Means
from tests.browser.conftest import Site


def test_nothing_is_measured_without_a_browser(monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []
    monkeypatch.setattr("api.bench.page.shutil.which", lambda _: None)
    assert page.measure(Means(QUICK, told.append)) == []
    assert told == ["page: no Chromium or no Playwright"]


def test_every_step_is_one_that_is_shown(browser: Browser, site: Site, rummy: tuple[str, int]):
    shown = browser.new_page(base_url=site.url)
    shown.goto(f"/games/{rummy[0]}?at=60")
    shown.wait_for_selector("#replay[data-ready]")
    shown.wait_for_timeout(500)
    times = shown.evaluate(page._STEPPED, 5)
    assert len(times) == 5
    assert min(times) > 0
    assert shown.locator("#at").input_value() == "65"
    assert shown.evaluate(page._OPENED) > 0
    assert page._row("page_open", 1.0, 2.0, times).times(page.LIMIT) == 2.0
    assert set(page.GROUP.heads) == {OURS, page.LIMIT}
    shown.close()
