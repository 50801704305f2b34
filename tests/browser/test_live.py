"""A game that is being recorded: the page follows it, unless the reader has stepped back."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.api.disputing import GAME, SAMPLE
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


def test_findings_scores_and_marks_grow_with_the_game(open_page: OpenPage, site: Site):
    site.bring(SAMPLE)
    told = [one["event"] for one in site.json(f"/v1/games/{GAME}/events?limit=70")["events"]]
    acts = [one for one in told[1:] if one["t"] != "remarked"]
    opened = {"seats": ["Ann", "Bob"], "mode": "recorded", "ruleset": "delboycodes"}
    game = site.json("/v1/games", opened | {"first_dealer": 1})["game_id"]
    page = open_page(f"/games/{game}?lang=en")
    page.get_by_text("Scores", exact=True).click()
    end = next(place for place, one in enumerate(acts, 1) if one["t"] == "deal_scored")
    version = 1
    for some, rows, findings, marks in ((acts[:end], 1, 0, 0), (acts[end:], 2, 1, 1)):
        body = {"expected_version": version, "events": some}
        version = site.json(f"/v1/games/{game}/events", body)["version"]
        expect(page.locator(".scores tbody tr")).to_have_count(rows, timeout=10_000)
        least = page.locator("[data-part=findings] .findings > li")
        assert (least.count() > 0) == bool(findings)
        assert page.locator("#ticks .breach").get_attribute("d") != "" or not marks
    assert page.locator(".scores tbody tr").first.locator("td a").count() == 2
    found = site.json(f"/v1/games/{game}/audits", {})["findings"]
    expect(page.locator("[data-part=findings] summary").first).to_have_text(
        f"Findings ({len(found)})"
    )
    expect(page.get_by_text("Scores", exact=True)).to_be_visible()  # what was opened stays so
    expect(page.locator(".scores")).to_be_visible()
