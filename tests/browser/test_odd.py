"""Games that are odd to look at: long names, other scripts, markup as text, full tables, many melds, hands half known."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
ODD = f"""game: rummy500
players: A=Bartholomew Featherstonehaugh-Cholmondeley of Upper Wattlesborough, B=<b onmouseover="alert(1)">Ben</b> & "Q", C=محمد \u202eturned, D=👩‍👩‍👧‍👦🎉 Emoji
dealer: D

deal 1
hand A: 2C 4H 5D 8S JC KD KS
upcard: 6D
A stock 4S
A remark: {LONG_WORD}
A discard 2C
remark: <script>alert(1)</script> <img src=x onerror=alert(2)> {{{{ 7*7 }}}} &amp;
B take 2C
B remark: \u202eשלום 2C
"""


@pytest.fixture(scope="session")
def odd(site: Site) -> str:
    return site.bring(ODD.encode())


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("path", ["{}", "{}&embed=1", "report", "/", "/findings", "/standings"])
def test_nothing_is_wider_than_its_window(
    open_page: OpenPage, odd: str, path: str, width: int, site: Site
):
    site.json("/v1/games", {"seats": ["W" * 80, *("V" * 79 + str(s) for s in range(7))]})
    game = f"/games/{odd}?at=13"
    address = {"report": f"/games/{odd}/report"}.get(path, path.format(game))
    page = open_page(address, viewport={"width": width, "height": 800})
    page.locator("aside details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_other_peoples_words_are_words(open_page: OpenPage, odd: str):
    page = open_page(f"/games/{odd}?at=13")
    page.on("dialog", lambda _: pytest.fail("a script of a remark has run"))
    page.get_by_text("Remarks", exact=False).last.click()
    expect(page.locator(".remarks")).to_contain_text("{{ 7*7 }} &amp;")
    expect(page.locator('.player[data-seat="1"] .who')).to_have_attribute(
        "title", '<b onmouseover="alert(1)">Ben</b> & "Q"'
    )
    assert page.locator("main b[onmouseover], main img, .remarks script").count() == 0
    assert "\u202e" not in page.content()


def test_a_hand_that_is_half_known_stays_in_its_box(open_page: OpenPage, odd: str):
    page = open_page(f"/games/{odd}?at=13")
    for hand in page.locator(".player").all():
        outer = hand.bounding_box()
        assert outer is not None
        for card in hand.locator(".card").all():
            box = card.bounding_box()
            assert box is not None
            assert outer["x"] <= box["x"]
            assert box["x"] + box["width"] <= outer["x"] + outer["width"]


def test_who_sits_at_the_bottom_is_in_sight_with_many_melds(
    open_page: OpenPage, crowded: tuple[str, int]
):
    page = open_page("/games/{}?at={}".format(*crowded))
    bar, seat = page.locator(".moving").bounding_box(), page.locator(".bottom").bounding_box()
    assert bar is not None
    assert seat is not None
    assert seat["y"] + seat["height"] <= bar["y"]
    assert bar["y"] + bar["height"] <= 900


def boxes(page: Page, selector: str) -> list[tuple[float, float]]:
    found: list[list[float]] = page.locator(selector).evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().left, one.getBoundingClientRect().right])"
    )
    return [(left, right) for left, right in found]


@pytest.fixture(scope="session")
def eight(site: Site, simulated: Callable[..., bytes]) -> tuple[str, int]:
    """A game of eight, and the end of a long deal of it."""
    game = site.bring(simulated("--seats", "8", "--seed", "4", "--deals", "2"))
    deals = site.json(f"/v1/games/{game}/timeline")["timeline"]["deals"]
    return game, max(deals, key=lambda one: one["last"] - one["first"])["last"]


def test_a_deal_of_eight_is_one_printed_page(open_page: OpenPage, eight: tuple[str, int]):
    page = open_page("/games/{}?at={}".format(*eight))
    data = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1


def test_eight_views_stand_side_by_side_on_a_phone(open_page: OpenPage, eight: tuple[str, int]):
    page = open_page(f"/games/{eight[0]}?at=30", viewport={"width": 375, "height": 800})
    views = boxes(page, ".views .seats a")
    assert len(views) == 9
    assert all(one[1] <= following[0] for one, following in pairwise(views))


def test_nobody_is_told_what_he_may_not_do_when_the_hand_is_over(
    open_page: OpenPage, site: Site, simulated: Callable[..., bytes]
):
    game = site.bring(simulated("--game", "irish", "--seats", "5", "--seed", "6", "--deals", "2"))
    events = site.json(f"/v1/games/{game}/events?limit=1000")["events"]
    scored = next(one["version"] for one in events if one["event"]["t"] == "deal_scored")
    turned = next(one["version"] for one in events if one["event"]["t"] == "turn_up")
    page = open_page(f"/games/{game}?at={turned}")
    expect(page.locator(".status")).to_contain_text("nobody may pass")
    page.locator("#at").fill(str(scored))
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("over and settled")
    expect(page.locator(".status .badge")).to_have_count(0)


def test_a_turn_of_an_unknown_hand_is_still_somebodys_turn(open_page: OpenPage, odd: str):
    page = open_page(f"/games/{odd}?at=12")
    page.get_by_text("Legal acts now").click()
    expect(page.locator("#legal-acts")).to_contain_text("Only whoever sees that hand")
