"""Looking for something in a game: a card through all deals, the next call, finding or remark, by key or without scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site
from tests.browser.test_moving import expect_at
from tests.browser.test_views import new_table


def stays(site: Site, game: str, card: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.json(f"/v1/games/{game}/cards/{card}")["stays"]
    return found


def test_a_card_is_followed_through_the_game(
    open_page: OpenPage, site: Site, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=60")
    page.keyboard.press("/")
    expect(page.locator("#card")).to_be_focused()
    page.keyboard.type("10h")
    page.keyboard.press("Enter")
    links = page.locator("#stays a")
    expected = [one["first"] for one in stays(site, rummy[0], "TH")]
    expect(links).to_have_count(len(expected))
    assert [int(text.split()[0]) for text in links.all_inner_texts()] == expected
    links.last.click()
    expect_at(page, expected[-1])
    expect(page.locator("#card")).to_have_value("10h")
    page.go_back()
    expect_at(page, 60)


def test_it_needs_no_script(open_page: OpenPage, site: Site, loo: tuple[str, int]):
    page = open_page(f"/games/{loo[0]}?at=66&lang=en", java_script_enabled=False)
    page.get_by_text("Find a card").click()
    page.locator("#card").fill("K♦")
    page.locator("#seek button").click()
    expect(page.locator("#stays a")).to_have_count(len(stays(site, loo[0], "KD")))
    expect(page.locator("#stays")).to_contain_text("Deal 2")
    assert "at=66" in page.url
    page.locator("#card").fill("KX")
    page.locator("#seek button").click()
    expect(page.locator("#stays")).to_contain_text("KX is not a card")


def test_who_wants_no_spoilers_is_told_of_no_later_place(
    open_page: OpenPage, site: Site, rummy: tuple[str, int]
):
    card = site.json(f"/v1/games/{rummy[0]}/state?at=60")["state"]["pile"][0]
    assert stays(site, rummy[0], card)[-1]["first"] > 61
    page = open_page(f"/games/{rummy[0]}?at=60&free=1&card={card}")
    versions = [int(text.split()[0]) for text in page.locator("#stays a").all_inner_texts()]
    assert versions
    assert max(versions) <= 60
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at")).to_have_value("61")
    page.locator("#seek button").click()
    page.wait_for_timeout(100)
    later = [int(text.split()[0]) for text in page.locator("#stays a").all_inner_texts()]
    assert max(later) <= 61


@pytest.mark.parametrize("seat", ["", "&seat=1"])
def test_a_card_that_may_not_be_seen_is_nowhere(open_page: OpenPage, site: Site, seat: str):
    table = new_table(site)
    events = site.json(f"/v1/games/{table}/events")["events"]
    upcard = events[-1]["event"]["card"]
    hidden = next(card for card in ("KS", "KH") if card != upcard)
    page = open_page(f"/games/{table}?card={hidden}{seat}")
    expect(page.locator("#stays")).to_contain_text("nowhere to be seen")
    assert page.locator("#stays a").count() == 0


def marked(page: Page, kind: str) -> list[int]:
    found: list[int] = page.evaluate(
        "kind => JSON.parse(document.getElementById('jumps').textContent)[kind]", kind
    )
    return found


def test_keys_lead_from_remark_to_remark_and_back(open_page: OpenPage, loo: tuple[str, int]):
    page = open_page(f"/games/{loo[0]}?at=66")
    remarks = marked(page, "remarks")
    first, second = [one for one in remarks if one > 66][:2]
    for key, version in (("m", first), ("m", second), ("M", first)):
        page.keyboard.press(key)
        expect_at(page, version)
        expect(page.locator(f"#e{version}")).to_contain_text("remark")
    page.keyboard.press("Home")
    expect_at(page, 1)
    page.keyboard.press("n")
    expect_at(page, marked(page, "findings")[0])
    page.keyboard.press("N")
    expect_at(page, marked(page, "findings")[0])


def test_keys_lead_from_call_to_call(
    open_page: OpenPage, site: Site, callable_game: tuple[str, int]
):
    events = site.json(f"/v1/games/{callable_game[0]}/events?limit=1000")["events"]
    calls = [one["version"] for one in events if one["event"]["t"] == "rummy_called"]
    page = open_page(f"/games/{callable_game[0]}?at=1")
    assert marked(page, "calls") == calls
    page.keyboard.press("r")
    expect_at(page, calls[0] if calls else 1)
