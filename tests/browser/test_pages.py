"""Every page in both languages, at both widths, in both themes, for everyone; the list and the import box."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site

NOTATION = """game: rummy500
players: A=Anna, B=Ben
dealer: B

deal 1
hand A: 2C 4H 5D 8S JC KD KS 3C 3D 3H 9D 9C 9S
upcard: 6D
A stock 4S
A discard 2C
"""
PAGES = [
    "/",
    "/about",
    "/standings",
    "/findings",
    "/chances",
    "rummy chances",
    "rummy",
    "rummy seat",
    "rummy free",
    "loo",
    "loo embed",
    "rummy report",
    "loo report",
    "/games/none",
]
THEMES = ["light", "dark"]
WIDTHS = [375, 1280, 1920]


@pytest.fixture
def address(request: pytest.FixtureRequest, rummy: tuple[str, int], loo: tuple[str, int]) -> str:
    addresses = {
        "rummy": f"/games/{rummy[0]}?at=60",
        "rummy seat": f"/games/{rummy[0]}?at=130&seat=2",
        "rummy free": f"/games/{rummy[0]}?at=60&free=1",
        "loo": f"/games/{loo[0]}?at=66",
        "loo embed": f"/games/{loo[0]}?at=66&embed=1",
        "rummy chances": f"/chances?game_id={rummy[0]}&lang=ja",
        "rummy report": f"/games/{rummy[0]}/report?ruleset=seed",
        "loo report": f"/games/{loo[0]}/report?lang=ja",
        "/games/none": "/games/00000000-0000-7000-8000-000000000000",
    }
    return addresses.get(str(request.param), str(request.param))


def is_game(address: str) -> bool:
    return "?" in address


ALIKE = """() => {
  const seen = new Map();
  const isInView = (row) => {
    const box = row.getBoundingClientRect();
    for (let up = row.parentElement; up; up = up.parentElement) {
      const around = up.getBoundingClientRect();
      const clips = getComputedStyle(up).overflowY !== "visible";
      if (clips && (box.bottom > around.bottom || box.top < around.top)) return false;
    }
    return true;
  };
  const rows = [...document.querySelectorAll("li, tr")].map((row) => [row, isInView(row)]);
  for (const [row] of rows.sort((a, b) => b[1] - a[1])) {
    const parts = [row, ...row.querySelectorAll("*")].map(
      (one) => one.tagName + " " + one.getAttribute("class") + " " + one.getAttribute("style"));
    const shape = [...new Set(parts)].sort().join();
    seen.set(shape, (seen.get(shape) || 0) + 1);
    row.toggleAttribute("data-alike", seen.get(shape) > 3);
  }
}"""
"""Marks rows of which there are three others that are made of the same parts: hundreds of moves, of which axe looks
at three of each kind. It takes seconds for them all. Contrasts can only be told of rows that are in view, so these
come first."""


ROWS = {"/standings": ".list tbody tr", "/findings": ".found li"}
"""What stands on a page once the catalogue has followed the log."""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("address", PAGES[:-1], indirect=True)
def test_axe_finds_no_fault_and_nothing_is_wider_than_its_window(
    open_page: OpenPage, address: str, theme: str
):
    page = open_page(address, color_scheme=theme, bypass_csp=True)
    if is_game(address) and not re.search("/report|/chances", address):
        expect(page.locator("#table")).to_be_visible()
    if address in ROWS:
        wait_for_rows(page, ROWS[address])
    page.locator("aside details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        if width in (WIDTHS[0], WIDTHS[1]):
            page.evaluate(ALIKE)
            found = Axe().run(page, {"exclude": [["[data-alike]"]]})
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(
    ("address", "english", "japanese"),
    [
        ("/", "Games on record", "記録されたゲーム"),
        ("/about", "What this service promises", "このサービスが約束すること"),
        ("/standings", "What players have done", "全ゲームでの成績"),
        ("/chances", "no proof of anything", "証明するものではありません"),
        ("rummy", "to draw", "引く番"),
        ("loo", "Trick", "トリック"),
    ],
    indirect=["address"],
)
def test_both_languages_are_spoken(open_page: OpenPage, address: str, english: str, japanese: str):
    page = open_page(address, locale="ja-JP")
    expect(page.locator("main")).to_contain_text(japanese)
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.get_by_role("link", name="English").click()
    expect(page.locator("main")).to_contain_text(english)
    page.goto("/")
    expect(page.locator("main")).to_contain_text("Games on record")


def test_targets_are_large_enough_for_a_thumb(open_page: OpenPage, rummy: tuple[str, int]):
    page = open_page(f"/games/{rummy[0]}?at=60", viewport={"width": 375, "height": 800})
    for one in page.locator(".controls .button, .views a, .site a, summary").all():
        box = one.bounding_box()
        assert box is None or (box["height"] >= 44 and box["width"] >= 44), one.inner_text()


def test_the_list_filters(open_page: OpenPage):
    page = open_page("/")
    assert page.locator(".list tbody tr").count() > 5
    page.locator("select[name=game]").select_option("lanterloo")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile(r"game=lanterloo"))
    rows = page.locator(".list tbody tr")
    assert rows.count() >= 1
    assert all("Lanterloo" in text for text in rows.all_inner_texts())
    page.get_by_text("Show all").click()
    assert page.locator(".list tbody tr").count() > 5


def test_a_pasted_log_opens_its_replay(open_page: OpenPage):
    page = open_page("/")
    page.locator("textarea").fill(NOTATION)
    page.get_by_role("button", name="Import").click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator("h1")).to_have_text("Anna · Ben")


def test_a_dropped_file_opens_its_replay(open_page: OpenPage):
    page = open_page("/")
    data = page.evaluate_handle(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "table.txt", { type: "text/plain" }));
          return data;
        }""",
        NOTATION.replace("Anna", "Asta"),
    )
    page.locator("section.import").dispatch_event("drop", {"dataTransfer": data})
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator("h1")).to_have_text("Asta · Ben")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_bad_line_is_shown_where_it_is(open_page: OpenPage, site: Site, scripts: bool):
    before = len(site.json("/v1/games?limit=100")["games"])
    page = open_page("/", java_script_enabled=scripts, expects="422")
    page.locator("textarea").fill(
        NOTATION.replace("A discard 2C", "A discard 2Z").replace("Anna", "Ada")
    )
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#imported")).to_contain_text("Line 9")
    expect(page.locator("#imported mark")).to_contain_text("A discard 2Z")
    assert len(site.json("/v1/games?limit=100")["games"]) == before


def test_a_check_stores_nothing(open_page: OpenPage, site: Site, tmp_path: Path):
    file = tmp_path / "table.txt"
    file.write_text(NOTATION.replace("Anna", "Agnes"))
    before = len(site.json("/v1/games?limit=100")["games"])
    page = open_page("/", java_script_enabled=False)
    page.locator("input[type=file]").set_input_files(file)
    page.locator("input[name=check]").check()
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#imported")).to_contain_text("It can be read: 1 game")
    assert len(site.json("/v1/games?limit=100")["games"]) == before


def test_an_empty_import_says_so(open_page: OpenPage):
    page = open_page("/", expects="400")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#imported")).to_contain_text("Nothing was given")


def test_a_page_that_is_not_there_says_so(open_page: OpenPage):
    page = open_page("/games/00000000-0000-7000-8000-000000000000", ready=False, expects="404")
    expect(page.locator("h1")).to_have_text("There is no such game")
    page.get_by_role("link", name="Games").first.click()
    expect(page.locator("h1")).to_have_text("Games on record")


def test_times_are_told_in_the_readers_zone(open_page: OpenPage):
    page = open_page("/", timezone_id="Asia/Tokyo")
    time = page.locator("time").first
    told, moment = time.inner_text(), time.get_attribute("datetime")
    assert moment is not None
    expected = page.evaluate(
        "m => new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' })"
        ".format(new Date(m))",
        moment,
    )
    assert told == expected


def wait_for_rows(page: Page, selector: str) -> None:
    """Wait until the catalogue, which follows the log, has something to show."""
    for _ in range(60):
        if page.locator(selector).count():
            return
        page.wait_for_timeout(500)
        page.reload()
    pytest.fail(f"nothing at {selector}")


def test_a_finding_in_the_list_leads_to_its_moment(open_page: OpenPage):
    page = open_page("/findings")
    wait_for_rows(page, ".found li")
    page.locator(".found li > a").first.click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator(".moves .here")).to_have_class(re.compile("breach"))


def test_the_standings_lead_to_a_players_cards_and_scores_also_without_scripts(open_page: OpenPage):
    page = open_page("/standings", java_script_enabled=False)
    wait_for_rows(page, ".list tbody tr")
    player = page.locator(".list tbody th").first.inner_text()
    page.get_by_role("link", name=f"when {player} deals").first.click()
    expect(page.locator("main")).to_contain_text(f"Only deals that {player} dealt.")
    expect(page.locator("select[name=dealer] option:checked")).to_have_text(player)
    page.locator("input[name=bias]").fill("0.5")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile(r"dealer=[0-9a-f-]{36}.*bias=0\.5"))
    assert page.locator(".list tbody tr, main ul li").count() >= 4


def test_the_standings_can_be_ordered_and_the_list_counts_deals(open_page: OpenPage):
    page = open_page("/standings")
    wait_for_rows(page, ".list tbody tr")
    page.locator("select[name=by]").select_option("games")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("by=games"))
    played = [int(text) for text in page.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert played == sorted(played, reverse=True)
    page.goto("/")
    assert any(page.locator(".list tbody td:nth-child(5)").all_inner_texts())
