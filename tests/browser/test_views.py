"""Whose view a page has: what is hidden is nowhere in it, and what comes later can be hidden too."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from events.cards import ALL_CARDS, UNKNOWN
from tests.browser.conftest import OpenPage, Site

CARD = re.compile(r"\b(?:[A2-9TJQK][SHDC]'?|X[1-4])(?![\w-])")


def cards_in(text: str) -> set[str]:
    return {card for card in CARD.findall(text) if card in ALL_CARDS}


def state_of(site: Site, game: str, version: int, viewer: str) -> dict[str, Any]:
    answer = site.json(f"/v1/games/{game}/state?at={version}&viewer={viewer}")
    state: dict[str, Any] = answer["state"]
    return state


@pytest.mark.parametrize("seat", [1, 2])
def test_a_seats_view_holds_no_card_of_another_hand(
    open_page: OpenPage, site: Site, rummy: tuple[str, int], seat: int
):
    page = open_page(f"/games/{rummy[0]}?at=60&seat={seat}")
    for version in (60, 61, 62, 63):
        page.locator("#at").fill(str(version))
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(rf"at={version}"))
        seen = state_of(site, rummy[0], version, str(seat - 1))
        whole = state_of(site, rummy[0], version, "all")
        others = [hand for s, hand in enumerate(whole["hands"]) if s != seat - 1]
        secret = {card for hand in [*others, whole["stock_cards"]] for card in hand}
        table = page.locator("#table").evaluate("one => one.outerHTML")
        assert secret
        assert not secret & cards_in(table), version
        assert set(seen["hands"][seat - 1]) - {UNKNOWN} <= cards_in(table)


def test_keys_choose_a_seat_and_everyone(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60")
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile(r"seat=2"))
    expect(page.locator(".place.bottom .player")).to_have_attribute("data-seat", "1")
    expect(page.locator('.player[data-seat="0"] .card.back').first).to_be_visible()
    expect(page.locator('.player[data-seat="1"] [data-card]').first).to_be_visible()
    page.keyboard.press("0")
    expect(page).to_have_url(re.compile(r"seat=0"))
    expect(page.locator('.player[data-seat="0"] [data-card]').first).to_be_visible()


def test_a_seat_that_is_not_there_is_no_view(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60")
    page.keyboard.press("8")
    page.wait_for_timeout(200)
    assert "seat=" not in page.url


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_no_answer_to_the_page_holds_a_hidden_card(open_page: OpenPage, site: Site, seat: int):
    """A deal in play: what the browser gets, whatever it asks for, is what an onlooker may see."""
    table = new_table(site)
    bodies: list[str] = []
    page = open_page(f"/games/{table}", ready=False)
    page.on(
        "response", lambda answer: bodies.append(answer.text()) if "/games/" in answer.url else None
    )
    page.goto(f"/games/{table}?seat={seat}")
    page.wait_for_selector("#replay[data-ready]")
    page.get_by_text("Legal acts now").click()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    assert len(bodies) >= 3
    public = cards_in(json.dumps(site.json(f"/v1/games/{table}/events")["events"]))
    assert len(public) == 1  # the upcard
    for body in bodies:
        # The examples in the fields for an act and a card name cards of no deal.
        told = re.sub(r'placeholder="[^"]*"', "", body)
        assert cards_in(told) <= public, told


def new_table(site: Site) -> str:
    opened = site.json(
        "/v1/games",
        {"seats": ["Ann", "Bob"], "mode": "refereed", "first_dealer": 0},
    )
    return str(opened["game_id"])


def test_spoiler_free_shows_nothing_of_what_comes_later(
    open_page: OpenPage, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=60&free=1")
    html = page.content()
    assert f">{rummy[1]}<" not in html
    assert 'id="e61"' not in html
    assert 'id="e60"' in html
    assert "winner" not in html
    assert page.locator("#slider").count() == 0
    page.keyboard.press("End")
    expect(page.locator("#at")).to_have_value("61")
    expect(page.locator("#e61")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#at")).to_have_value("62")


def test_spoiler_free_begins_at_the_beginning(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?free=1")
    expect(page.locator("#at")).to_have_value("1")
    page.get_by_text("Show what comes later").click()
    expect(page.locator("#slider")).to_be_visible()


def test_the_legal_acts_are_told_with_their_rules(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60")
    page.get_by_text("Legal acts now").click()
    expect(page.locator("#legal-acts li").first).to_contain_text("A ")
    page.locator("#act").fill("B discard 2C")
    page.locator("#ask button").click()
    expect(page.locator("#answer")).to_contain_text("R-6.1")
    page.locator("#act").fill("nonsense")
    page.locator("#ask button").click()
    expect(page.locator("#answer")).to_contain_text("not an act")


def test_without_scripts_every_link_leads_somewhere(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60&seat=2", java_script_enabled=False)
    page.locator("#on").click()
    expect(page).to_have_url(re.compile(r"at=61&seat=2"))
    page.locator("#back").click()
    expect(page).to_have_url(re.compile(r"at=60&seat=2"))
    page.locator("#last").click()
    expect(page).to_have_url(re.compile(rf"at={rummy[1]}&seat=2"))
    page.locator("#at").fill("80")
    page.locator(".goto button").click()
    expect(page).to_have_url(re.compile(r"at=80"))
    page.get_by_role("link", name="all hands").click()
    expect(page).to_have_url(re.compile(r"seat=0"))


def test_a_link_holds_the_moment_and_the_view(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60&seat=2")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"at=61"))
    same = open_page(page.url.removeprefix("http://").partition("/")[2].join(("/", "")))
    assert text_of(same) == text_of(page)


def text_of(page: Page) -> str:
    return page.locator("#table").inner_text()


def test_embedded_it_stands_alone(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60&embed=1")
    assert page.locator("header, aside").count() == 0
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"embed=1"))
    expect(page.locator("#at")).to_have_value("61")


@pytest.fixture
def elsewhere(site: Site, rummy: tuple[str, int]) -> Iterator[str]:
    """Another site, on whose page a game is embedded, and one on which it is framed without asking for that."""
    moment = f"{site.url}/games/{rummy[0]}?at=60"

    class Frames(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            source = moment + ("&embed=1" if self.path == "/embedded" else "")
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<iframe width=600 height=700 src="{source}"></iframe>'.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Frames) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_on_another_site_only_what_is_meant_for_it_is_framed(browser: Browser, elsewhere: str):
    page = browser.new_page()
    page.set_default_timeout(10_000)
    page.goto(f"{elsewhere}/embedded")
    inner = page.frame_locator("iframe")
    inner.locator("#replay[data-ready]").wait_for()
    inner.locator("#on").click()
    expect(inner.locator("#at")).to_have_value("61")
    assert page.url == f"{elsewhere}/embedded"
    page.goto(f"{elsewhere}/framed")
    assert "/games/" not in page.frames[-1].url
    page.close()


def test_a_moment_has_a_title_and_a_description_to_share(
    open_page: OpenPage, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=60")
    told = page.locator('meta[property="og:description"]').get_attribute("content")
    title = page.locator('meta[property="og:title"]').get_attribute("content")
    assert told is not None
    assert "Event 60, deal 1" in told
    assert title is not None
    assert "P1" in title


def test_without_scripts_nothing_is_offered_that_needs_one(
    open_page: OpenPage, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=60", java_script_enabled=False)
    for name in ("Play", "Turn the table", "Copy link", "Keys"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.locator("#slider")).to_be_hidden()
    expect(page.get_by_role("button", name="Go")).to_be_visible()


def test_at_twice_the_size_the_table_keeps_two_thirds_of_the_window(
    open_page: OpenPage, rummy: tuple[str, int]
):
    page = open_page(f"/games/{rummy[0]}?at=60", viewport={"width": 640, "height": 450})
    box = page.locator(".moving").bounding_box()
    assert box is not None
    assert box["height"] <= 450 / 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
