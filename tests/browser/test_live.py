"""A game that is being recorded: the page follows it, unless the reader has stepped back."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Site


class Table:
    """A refereed game of two, played through the interface."""

    def __init__(self, site: Site) -> None:
        self.site = site
        opened = site.json(
            "/v1/games", {"seats": ["Ann", "Bob"], "mode": "refereed", "first_dealer": 0}
        )
        self.game, self.version = opened["game_id"], opened["version"]

    def send(self, **event: Any) -> Any:
        body = {"expected_version": self.version, "events": [event]}
        answer = self.site.json(f"/v1/games/{self.game}/events", body)
        self.version = answer["version"]
        return answer

    def draw(self) -> None:
        """Bob, who plays first, draws a card that he does not know yet."""
        self.send(t="stock_drawn", v=1, seat=1, card="??")


@pytest.fixture
def table(site: Site) -> Table:
    return Table(site)


def test_a_reader_at_the_end_is_taken_along(open_page: OpenPage, table: Table):
    page = open_page(f"/games/{table.game}")
    expect(page.locator("#live")).to_contain_text("following")
    began = table.version
    table.draw()
    expect(page.locator("#at")).to_have_value(str(began + 1), timeout=10_000)
    expect(page.locator(f"#e{began + 1}")).to_have_class(re.compile("here"))
    expect(page.locator("#say")).to_contain_text("Bob draws")
    expect(page.locator("#of")).to_have_text(str(began + 1))


def test_a_reader_who_stepped_back_stays_and_is_told(open_page: OpenPage, table: Table):
    page = open_page(f"/games/{table.game}")
    page.keyboard.press("ArrowLeft")
    began = table.version
    expect(page.locator("#at")).to_have_value(str(began - 1))
    table.draw()
    expect(page.locator("#live")).to_contain_text("2 more events", timeout=10_000)
    expect(page.locator("#at")).to_have_value(str(began - 1))
    page.get_by_role("button", name="Go to the newest").click()
    expect(page.locator("#at")).to_have_value(str(began + 1))


def test_nothing_hidden_comes_along(open_page: OpenPage, table: Table):
    page = open_page(f"/games/{table.game}")
    table.draw()
    expect(page.locator("#at")).to_have_value(str(table.version), timeout=10_000)
    assert page.locator(".player [data-card]").count() == 0
    assert page.locator(".player .card.back").count() == 27


def test_a_connection_that_is_lost_is_told_and_so_is_that_it_is_back(
    open_page: OpenPage, table: Table
):
    page = open_page(f"/games/{table.game}", expects="503")
    lost = page.context.new_page()
    answers = []

    def fail(route: Any) -> None:
        answers.append(route.request.url)
        if len(answers) < 2:
            route.fulfill(status=503)
        else:
            route.continue_()

    lost.route(f"**/v1/games/{table.game}*", fail)
    lost.route(f"**/v1/games/{table.game}/stream*", lambda route: route.fulfill(status=503))
    lost.goto(page.url)
    expect(lost.locator("#live")).to_contain_text("lost", timeout=10_000)
    table.draw()
    expect(lost.locator("#at")).to_have_value(str(table.version), timeout=10_000)
    expect(lost.locator("#live")).to_contain_text("following")
