"""Disputes on the page: marked under the slider, the ruling beside its moment, and scores as played and as ruled."""

from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.api.disputing import CLAIM, GAME, RULING, SAMPLE
from tests.browser.conftest import OpenPage, Site
from tests.waiting import PATIENCE


@pytest.fixture(scope="session")
def ruled(site: Site) -> str:
    """The shipped game with breaches, disputed and ruled on; returns its id."""
    site.bring(SAMPLE)
    opened = site.json(f"/v1/games/{GAME}/disputes", CLAIM)["dispute"]
    act = {"act": RULING, "expected_version": 1}
    site.json(f"/v1/disputes/{opened['dispute_id']}/events", act)
    return GAME


_CELLS = "cells => cells.map(one => `${one.firstChild.data}|${one.lastChild.textContent}`)"


def scores(page: Page) -> list[list[str]]:
    rows = page.locator(".scores tbody tr")
    return [
        [" ".join(cell.split("|")) for cell in row.locator("td a").evaluate_all(_CELLS)]
        for row in rows.all()
    ]


def test_the_ruling_stands_beside_its_moment(open_page: OpenPage, ruled: str):
    page = open_page(f"/games/{ruled}?at=104")
    ruling = page.locator(".ruling")
    expect(page.locator("#ticks .dispute")).to_have_count(1)
    expect(ruling).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(ruling).to_be_visible()
    expect(ruling).to_contain_text(CLAIM["claim"])
    expect(ruling).to_contain_text(RULING["text"])
    page.keyboard.press("ArrowRight")
    expect(ruling).to_be_hidden()
    page.locator(".disputes a").last.click()
    expect(page.locator("#at")).to_have_value("107")
    expect(ruling).to_be_visible()


def test_the_score_sheet_is_as_played_or_as_ruled(open_page: OpenPage, ruled: str):
    page = open_page(f"/games/{ruled}?at=150")
    page.get_by_text("Scores", exact=True).click()
    assert scores(page)[2:] == [["67 135", "85 309"], ["38 173", "252 561"]]
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#at")).to_have_value("149")
    page.get_by_role("link", name="As ruled").click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?at=149&ruled=1")
    assert scores(page)[2:] == [["67 135", "25 249"], ["38 173", "252 501"]]
    expect(page.locator(".scores .adjusted")).to_have_attribute("title", "as played: 85")
    expect(page.locator(".subtitle")).to_contain_text("(As ruled)")
    page.get_by_role("link", name="As played").click()
    page.wait_for_selector("#replay[data-ready]")
    assert "ruled" not in page.url
    assert scores(page)[3] == ["38 173", "252 561"]


def test_it_works_without_scripts_and_in_japanese(open_page: OpenPage, ruled: str):
    page = open_page(f"/games/{ruled}?at=107&ruled=1&lang=ja", java_script_enabled=False)
    expect(page.locator(".ruling")).to_contain_text("異議を一部認めます。")
    expect(page.get_by_role("link", name="裁定どおり")).to_have_attribute("aria-current", "true")


def test_who_wants_no_spoilers_gets_none(open_page: OpenPage, ruled: str):
    page = open_page(f"/games/{ruled}?at=50&free=1")
    expect(page.locator(".ruling")).to_have_count(0)
    expect(page.locator(".disputes li")).to_have_count(0)


def test_a_game_without_disputes_has_no_switch(open_page: OpenPage, loo: tuple[str, int]):
    page = open_page(f"/games/{loo[0]}?ruled=1")
    expect(page.locator(".as-what")).to_have_count(0)
    expect(page.locator(".disputes li")).to_have_count(0)


def test_the_standings_count_as_ruled_and_tell_what_was_played(
    open_page: OpenPage, site: Site, ruled: str
):
    page = open_page("/standings?by=points&game=rummy500", java_script_enabled=False)
    for _ in range(60):  # the lists follow the record within seconds
        if page.get_by_text("played)").count():
            break
        page.wait_for_timeout(250)
        page.reload()
    expected = site.json("/v1/standings?game=rummy500&by=points")["standings"]
    row = next(one for one in expected if one["points"] != one["points_played"])
    told = page.locator("tbody tr").filter(has_text=f"({row['points_played']} played)")
    expect(told.first).to_contain_text(str(row["points"]))
    expect(page.locator("main")).to_contain_text("count as ruled")


def test_without_a_future_findings_scores_and_disputes_come_as_one_steps(
    open_page: OpenPage, ruled: str
):
    page = open_page(f"/games/{ruled}?at=104&free=1&lang=en")
    found = page.locator("[data-part=findings] .findings > li")
    before = found.count()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/beside" in one.url else None)
    page.keyboard.press("ArrowRight")
    expect(found).to_have_count(before + 1)
    page.get_by_text("Scores", exact=True).click()
    rows = page.locator(".scores tbody tr")
    expect(rows).to_have_count(2)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".disputes li[id]")).to_have_count(1)
    expect(page.locator(".ruling")).to_be_visible()
    page.goto(page.url.replace("at=107", "at=148"))
    page.wait_for_selector("#replay[data-ready]")
    page.get_by_text("Scores", exact=True).click()
    expect(rows).to_have_count(2)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(3)
    page.keyboard.press("Home")
    expect(page.locator("#at")).to_have_value("1")
    expect(rows).to_have_count(3)  # what has been seen stays
    assert 2 <= len(asked) <= 6


def test_steps_that_bring_nothing_ask_for_nothing(open_page: OpenPage, ruled: str):
    page = open_page(f"/games/{ruled}?at=85&free=1")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/beside" in one.url else None)
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#at")).to_have_value("91")
    page.wait_for_timeout(1500)
    assert asked == []


def test_without_scripts_and_in_a_file_there_are_no_forms(
    open_page: OpenPage, site: Site, ruled: str
):
    page = open_page(f"/games/{ruled}?at=105&lang=en", java_script_enabled=False)
    expect(page.locator("button[data-do]").first).to_be_hidden()
    expect(page.locator("[data-part=disputes]")).to_contain_text("has to run scripts")
    with urlopen(f"{site.url}/v1/games/{ruled}/export.html", timeout=PATIENCE) as answer:
        text = answer.read().decode()
    assert CLAIM["claim"] in text
    for one in ("<form", "<button data-do", "data-do=", "/v1/"):
        assert one not in text
