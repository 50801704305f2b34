"""Every way through a replay: keys, buttons, slider, links, swipe, playing by itself."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site


def at(page: Page) -> int:
    """The version that the page shows, as its own list says."""
    page.wait_for_timeout(30)
    return int(page.locator("#at").input_value())


def expect_at(page: Page, version: int) -> None:
    """Wait until a version is shown, in the address, the list and the field."""
    expect(page.locator("#at")).to_have_value(str(version))
    expect(page).to_have_url(re.compile(rf"[?&]at={version}(&|$)"))
    if page.locator("#moves").count():
        expect(page.locator(f"#e{version}")).to_have_class(re.compile(r"\bhere\b"))


def wait_for(page: Page, version: int) -> None:
    """Wait until this version or a later one is shown; the page's policy forbids Playwright's own way."""
    for _ in range(200):
        if at(page) >= version:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"version {version} is not reached, but {at(page)}")


@pytest.fixture
def page(open_page: OpenPage, rummy: tuple[str, int]) -> Page:
    return open_page(f"/games/{rummy[0]}?at=60")


@pytest.fixture
def jumps(page: Page) -> dict[str, list[int]]:
    found: dict[str, list[int]] = page.evaluate(
        "JSON.parse(document.getElementById('jumps').textContent)"
    )
    return found


def test_keys_lead_one_event_back_and_on(page: Page):
    page.keyboard.press("ArrowRight")
    expect_at(page, 61)
    page.keyboard.press("ArrowLeft")
    expect_at(page, 60)


def test_shift_leads_one_turn_back_and_on(page: Page, jumps: dict[str, list[int]]):
    page.keyboard.press("Shift+ArrowRight")
    expect_at(page, min(v for v in jumps["turns"] if v > 60))
    page.keyboard.press("Shift+ArrowLeft")
    expect_at(page, max(v for v in jumps["turns"] if v <= 60))


def test_up_and_down_lead_one_deal_back_and_on(page: Page, jumps: dict[str, list[int]]):
    page.keyboard.press("ArrowDown")
    following = min(v for v in jumps["deals"] if v > 60)
    expect_at(page, following)
    page.keyboard.press("ArrowUp")
    expect_at(page, max(v for v in jumps["deals"] if v < following))


def test_home_and_end_lead_to_the_ends(page: Page, rummy: tuple[str, int]):
    page.keyboard.press("End")
    expect_at(page, rummy[1])
    page.keyboard.press("ArrowRight")
    expect_at(page, rummy[1])
    page.keyboard.press("Home")
    expect_at(page, 1)
    page.keyboard.press("ArrowLeft")
    expect_at(page, 1)


def test_n_leads_to_the_next_finding(page: Page, jumps: dict[str, list[int]]):
    page.keyboard.press("n")
    expect_at(page, min(v for v in jumps["findings"] if v > 60))


def test_keys_rest_while_typing(page: Page):
    page.locator("#at").focus()
    page.keyboard.press("n")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"at=60"))


def test_buttons_lead_where_they_say(page: Page, rummy: tuple[str, int]):
    for button, version in (("#on", 61), ("#back", 60), ("#last", rummy[1]), ("#first", 1)):
        page.locator(button).click()
        expect_at(page, version)


def test_a_held_button_runs_on(page: Page):
    box = page.locator("#on").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    wait_for(page, 64)
    page.mouse.up()
    stopped = at(page)
    page.wait_for_timeout(400)
    assert at(page) <= stopped + 1


def test_the_slider_leads_anywhere(page: Page):
    page.locator("#slider").fill("200")
    page.locator("#slider").dispatch_event("change")
    expect_at(page, 200)


def test_a_typed_version_is_shown(page: Page, rummy: tuple[str, int]):
    page.locator("#at").fill("77")
    page.keyboard.press("Enter")
    expect_at(page, 77)
    page.locator("#at").fill(str(rummy[1] + 500))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"at={rummy[1]}(&|$)"))


def test_it_plays_by_itself_at_the_speed_chosen_and_stops(page: Page):
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.locator("#speed")).to_have_value("200")
    page.keyboard.press("-")
    page.keyboard.press("+")
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    wait_for(page, 63)
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    stopped = at(page)
    page.wait_for_timeout(500)
    assert at(page) == stopped
    expect(page).to_have_url(re.compile(rf"at={stopped}"))


def test_it_stops_at_the_end(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at={rummy[1] - 2}")
    page.locator("#speed").select_option("80")
    page.locator("#play").click()
    expect_at(page, rummy[1])
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_the_games_own_pace_can_be_had(page: Page):
    page.locator("#speed").select_option("own")
    page.locator("#play").click()
    wait_for(page, 62)
    page.keyboard.press("Escape")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_a_line_of_the_list_is_a_jump_and_back_returns(page: Page):
    page.locator("#e70 a").click()
    expect_at(page, 70)
    page.locator("#e40 a").click()
    expect_at(page, 40)
    page.go_back()
    expect_at(page, 70)
    page.go_back()
    expect_at(page, 60)
    page.go_forward()
    expect_at(page, 70)


@pytest.mark.parametrize("where", [".melds", ".pile", ".player"])
def test_a_card_leads_to_the_event_that_brought_it_there(page: Page, where: str):
    card = page.locator(f"{where} a[data-card]").first
    name, version = card.get_attribute("data-card"), card.get_attribute("data-at")
    card.click()
    assert version is not None
    expect_at(page, int(version))
    line = page.locator(f"#e{version}").inner_text()
    assert name is not None
    assert name in line or "hand" in line
    page.go_back()
    expect_at(page, 60)


def test_a_card_of_a_trick_leads_to_where_it_was_played(
    open_page: OpenPage, site: Site, loo: tuple[str, int]
):
    events = site.json(f"/v1/games/{loo[0]}/events?limit=1000")["events"]
    version = next(e["version"] for e in events if e["event"]["t"] == "card_played")
    page = open_page(f"/games/{loo[0]}?at={version + 1}")
    page.locator(".trick a[data-card]").first.click()
    expect_at(page, version)


def test_a_score_leads_to_its_deal(page: Page, site: Site, rummy: tuple[str, int]):
    deal = site.json(f"/v1/games/{rummy[0]}/timeline")["timeline"]["deals"][0]
    page.get_by_text("Scores", exact=True).click()
    page.locator(".scores tbody td a").first.click()
    expect_at(page, deal["last"])


def test_any_piece_of_the_game_shows_what_the_server_draws(
    open_page: OpenPage, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=1")
    fresh = open_page("/about", java_script_enabled=False)
    for version in (99, 100, 101, 250, 100, rummy[1]):
        page.locator("#at").fill(str(version))
        page.keyboard.press("Enter")
        expect_at(page, version)
        drawn = table_text(page)
        fresh.goto(f"/games/{rummy[0]}?at={version}")
        assert table_text(fresh) == drawn, version


def table_text(page: Page) -> str:
    found: str = page.locator("#table").inner_text()
    return re.sub(r"\s+", " ", found)


def test_a_swipe_leads_on_and_back(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(
        f"/games/{rummy[0]}?at=60", viewport={"width": 375, "height": 800}, has_touch=True
    )
    swipe(page, 300, 120)
    expect_at(page, 61)
    swipe(page, 120, 300)
    expect_at(page, 60)


def swipe(page: Page, start: int, end: int) -> None:
    page.evaluate(
        """([start, end]) => {
          const table = document.getElementById("table");
          const touch = (x) => [new Touch({ identifier: 1, target: table, clientX: x, clientY: 300 })];
          const send = (kind, x) => table.dispatchEvent(new TouchEvent(kind, {
            bubbles: true, touches: kind === "touchend" ? [] : touch(x), changedTouches: touch(x) }));
          send("touchstart", start);
          send("touchend", end);
        }""",
        [start, end],
    )


def test_the_table_turns_and_everyone_keeps_the_cards(page: Page):
    before = seats(page)
    page.keyboard.press("f")
    after = seats(page)
    assert after != before
    assert sorted(after) == sorted(before)
    for _ in range(len(before) - 1):
        page.keyboard.press("f")
    assert seats(page) == before


def seats(page: Page) -> list[str]:
    found: list[str] = page.locator(".player").evaluate_all(
        "all => all.map(one => one.dataset.seat)"
    )
    return found


def test_help_opens_and_closes(page: Page):
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"at=60"))


def test_the_link_to_this_moment_is_copied(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("ArrowRight")
    expect_at(page, 61)
    page.keyboard.press("c")
    expect(page.locator("#say")).to_have_text("The link is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_every_step_says_what_happened(page: Page):
    said = page.locator("#say").inner_text()
    page.keyboard.press("ArrowRight")
    expect_at(page, 61)
    assert page.locator("#say").inner_text() != said
    assert page.locator("#say").get_attribute("aria-live") == "polite"


def test_steps_change_the_address_and_back_returns_from_the_jump_before_them(page: Page):
    page.locator("#e70 a").click()
    expect_at(page, 70)
    for version in (71, 72, 73):
        page.keyboard.press("ArrowRight")
        expect_at(page, version)
    page.go_back()
    expect_at(page, 60)
    page.go_forward()
    expect_at(page, 73)


def test_what_the_reader_has_opened_and_focused_stays_so(
    open_page: OpenPage, site: Site, loo: tuple[str, int]
):
    events = site.json(f"/v1/games/{loo[0]}/events?limit=1000")["events"]
    version = next(e["version"] for e in events if e["event"]["t"] == "trick_taken") + 1
    page = open_page(f"/games/{loo[0]}?at={version}")
    page.locator(".before summary").click()
    turned = page.locator(".turn-up a[data-card]")
    turned.focus()
    page.keyboard.press("ArrowRight")
    expect_at(page, version + 1)
    expect(page.locator(".before ol")).to_be_visible()
    expect(turned).to_be_focused()


def test_it_waits_while_nobody_looks(page: Page):
    page.locator("#speed").select_option("80")
    page.keyboard.press(" ")
    wait_for(page, 62)
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { configurable: true, value: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    page.wait_for_timeout(200)
    waiting = at(page)
    page.wait_for_timeout(300)
    assert at(page) == waiting
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { configurable: true, value: false });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    wait_for(page, waiting + 2)
