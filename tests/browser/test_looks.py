"""What the eye needs: cards marked by shape as well as colour, badges, ledgers, short lists, cards that move."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site


def test_a_callable_card_is_marked_by_a_sign_and_in_words(
    open_page: OpenPage, callable_game: tuple[str, int]
):
    page = open_page("/games/{}?at={}".format(*callable_game))
    card = page.locator(".card.callable").first
    expect(card.locator("em")).to_have_text("!")
    expect(card).to_have_attribute("aria-label", re.compile("can be called"))
    expect(page.locator(".badge.call").first).to_contain_text("can be called")


def test_the_deck_is_cut_short_in_the_list(open_page: OpenPage, callable_game: tuple[str, int]):
    page = open_page(f"/games/{callable_game[0]}?at=2")
    line = page.locator(".moves .shuffled a").first
    expect(line).to_contain_text("cards)")
    assert len(line.inner_text()) < 80
    whole = line.get_attribute("title")
    assert whole is not None
    assert len(whole.split()) > 50


def test_the_ledger_says_who_paid_and_who_won(
    open_page: OpenPage, site: Site, loo: tuple[str, int]
):
    events = site.json(f"/v1/games/{loo[0]}/events?limit=1000")["events"]
    paid = next(one for one in events if one["event"]["t"] == "pool_paid")
    page = open_page(f"/games/{loo[0]}?at={paid['version']}")
    expect(page.locator(".ledger .got").last).to_have_text(f"+{paid['event']['amount']}")
    page.locator(".ledger a").first.click()
    expect(page).to_have_url(re.compile(r"at=\d+"))
    expect(page.locator(".ledger li")).to_have_count(1)


def test_an_onlooker_is_told_why_he_sees_backs(open_page: OpenPage, site: Site):
    seats = {"seats": ["Ann", "Bob"], "mode": "refereed", "first_dealer": 0}
    game = site.json("/v1/games", seats)["game_id"]
    page = open_page(f"/games/{game}")
    expect(page.locator(".veil")).to_contain_text("until the deal has ended")


def test_a_seats_view_says_whose_it_is(open_page: OpenPage, loo: tuple[str, int]):
    page = open_page(f"/games/{loo[0]}?at=66&seat=3")
    expect(page.locator(".veil")).to_contain_text("what Miss Catherine Hale sees")
    expect(page.get_by_role("link", name="Miss Catherine Hale").last).to_have_attribute(
        "aria-current", "true"
    )


def test_on_a_phone_the_bar_leaves_the_table_in_sight(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60", viewport={"width": 375, "height": 800})
    box = page.locator(".moving").bounding_box()
    assert box is not None
    assert box["height"] <= 800 / 5
    expect(page.locator(".site a").first).to_be_visible()


def test_nothing_jumps_from_step_to_step(open_page: OpenPage, rummy: tuple[str, int]):
    """The bar that is pressed stays where it is, whatever the sentence."""
    page = open_page(f"/games/{rummy[0]}?at=60")
    heights = set()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        box = page.locator(".moving").bounding_box()
        assert box is not None
        heights.add(box["height"])
    assert len(heights) == 1


def flying(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """() => document.getAnimations().filter(one => one.effect.target.matches(".card"))
          .map(one => one.effect.target.closest("[data-region]").dataset.region)"""
    )
    return found


def step_to(page: Page, version: int) -> None:
    """Go on by one act, and stop every card where it begins."""
    page.evaluate(
        """() => {
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...all) {
            const one = animate.apply(this, all);
            one.pause();
            return one;
          };
        }"""
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at")).to_have_value(str(version))


def draw_of(site: Site, game: str) -> int:
    events = site.json(f"/v1/games/{game}/events?limit=1000")["events"]
    drawn = (e for e in events if e["event"]["t"] == "stock_drawn" and e["event"]["seat"] == 1)
    return int(next(drawn)["version"])


@pytest.mark.parametrize("seat", [0, 1], ids=["face up", "a back"])
def test_a_drawn_card_moves_to_the_hand(
    open_page: OpenPage, site: Site, rummy: tuple[str, int], seat: int
):
    version = draw_of(site, rummy[0])
    page = open_page(f"/games/{rummy[0]}?at={version - 1}&seat={seat}")
    step_to(page, version)
    assert "seat-1" in flying(page)


def test_nothing_moves_for_who_wants_less_motion(
    open_page: OpenPage, site: Site, rummy: tuple[str, int]
):
    version = draw_of(site, rummy[0])
    page = open_page(f"/games/{rummy[0]}?at={version - 1}", reduced_motion="reduce")
    step_to(page, version)
    assert flying(page) == []


@pytest.mark.parametrize("which", ["rummy", "loo"])
def test_a_deal_is_one_printed_page(
    open_page: OpenPage, request: pytest.FixtureRequest, which: str
):
    game, _ = request.getfixturevalue(which)
    page = open_page(f"/games/{game}?at=60")
    data = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1


def test_a_shared_link_is_absolute(open_page: OpenPage, site: Site, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60&lang=en&seat=2")
    link = page.locator("link[rel=canonical]").get_attribute("href")
    assert link == f"{site.url}/games/{rummy[0]}?at=60&seat=2"
